"""A text as an answer in the form that a call asks for: OpenAI-style, as small as clients can read."""

import json
from collections.abc import Sequence

from policies.call import Call, Chunk

CHAT = "/chat/completions"  # how the routes of chats end


def plain_answer(call: Call, text: str) -> Sequence[Chunk]:
    """The pieces of the answer: of a stream if the call streams, else one body."""
    chat = call.route.endswith(CHAT)
    if not call.stream:
        said: dict[str, object] = (
            {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
        )
        return [Chunk(_body(call, "chat.completion" if chat else "text_completion", said, "stop"))]
    kind = "chat.completion.chunk" if chat else "text_completion"
    if not chat:
        return [
            Chunk(_body(call, kind, {"text": text}, None)),
            Chunk(_body(call, kind, {"text": ""}, "stop"), tokens=0),
        ]
    return [
        Chunk(_body(call, kind, {"delta": {"role": "assistant", "content": ""}}, None), tokens=0),
        Chunk(_body(call, kind, {"delta": {"content": text}}, None)),
        Chunk(_body(call, kind, {"delta": {}}, "stop"), tokens=0),
    ]


def _body(call: Call, kind: str, said: dict[str, object], finish: str | None) -> bytes:
    choice = {"index": 0, **said, "finish_reason": finish}
    body = {"id": f"fallback-{call.id}", "object": kind, "created": 0, "model": "fallback"}
    return json.dumps({**body, "choices": [choice]}).encode()
