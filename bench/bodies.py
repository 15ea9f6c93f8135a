"""Request bodies that are answered whole: those of the load all stream."""

import json

from harness.load.prompts import completion_body


def whole_body(text: str, max_tokens: int, seed: int) -> bytes:
    """As `completion_body`, without streaming."""
    body = json.loads(completion_body(text, max_tokens, seed))
    del body["stream"], body["stream_options"]
    return json.dumps(body).encode()
