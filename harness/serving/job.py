"""A request inside a worker: read into a sequence for the engine, its answer written token by token."""

import asyncio
import zlib
from dataclasses import dataclass, field

from harness.errors import BadInput
from harness.serving.engine import Engine, Sequence
from harness.serving.model.detokenizer import Detokenizer
from harness.serving.openai_api import CHAT, Body, FinishReason, Refusal, Writer, read_body
from policies.outcome import Outcome
from policies.policy import Call, Chunk

DEFAULT_MAX_TOKENS = 16  # as in the completions API
DEFAULT_TEMPERATURE = 1.0  # as there
LONGEST_TOKEN = 128  # characters; the longest in use are runs of that many spaces (Llama 3)


@dataclass(slots=True, eq=False)
class Job:
    """One request on its way through the worker. All times are loop seconds."""

    call: Call
    body: Body
    sequence: Sequence
    writer: Writer
    detokenizer: Detokenizer
    eos_ids: frozenset[int]
    done: asyncio.Future[Outcome]
    arrived_s: float
    seated_s: float | None = None
    last_token_s: float | None = None
    text: list[str] = field(default_factory=list)

    def take(self, token: int, now: float) -> bool:
        """Say a new token. Whether it was the last one, after which the answer is complete."""
        self.sequence.tokens.append(token)
        stopped = token in self.eos_ids and not self.sequence.ignore_eos
        if not stopped:
            self._say(self.detokenizer.feed(token), first=self.last_token_s is None)
        self.last_token_s = now
        last = stopped or len(self.sequence.tokens) >= self.sequence.max_tokens
        if last:
            self._finish("stop" if stopped else "length")
        return last

    def _say(self, text: str, *, first: bool = False) -> None:
        if not self.call.stream:
            self.text.append(text)
            return
        if first and (role := self.writer.role()):
            self.call.sink(Chunk(role, tokens=0))
        if text:
            self.call.sink(Chunk(self.writer.text(text)))

    def _finish(self, reason: FinishReason) -> None:
        self._say(self.detokenizer.flush())
        prompt_tokens, tokens = len(self.sequence.prompt), len(self.sequence.tokens)
        if self.call.stream:
            self.call.sink(Chunk(self.writer.finish(reason), tokens=0))
            if self.body.include_usage:
                self.call.sink(Chunk(self.writer.usage(prompt_tokens, tokens), tokens=0))
        else:
            whole = self.writer.whole("".join(self.text), reason, prompt_tokens, tokens)
            self.call.sink(Chunk(whole, tokens=tokens))


def read_job(call: Call, engine: Engine) -> Job:
    """The job that `call` asks of `engine`. Refusal says what is wrong with it."""
    body = read_body(call.route, call.payload)
    if body.model not in (None, engine.name):
        raise Refusal(f"model '{body.model}' is not served here; '{engine.name}' is", status=404)
    prompt = _prompt(call.route, body, engine)
    asked = _answer_tokens(body, len(prompt), engine.max_model_len)
    call.prompt_tokens = len(prompt)
    sequence = Sequence(
        prompt=prompt,
        max_tokens=asked,
        temperature=DEFAULT_TEMPERATURE if body.temperature is None else body.temperature,
        seed=zlib.crc32(call.id.encode()) if body.seed is None else body.seed,
        ignore_eos=body.ignore_eos,
    )
    loop = asyncio.get_running_loop()
    return Job(
        call=call,
        body=body,
        sequence=sequence,
        writer=Writer(call.route, call.id, engine.name),
        detokenizer=Detokenizer(engine.tokenizer),
        eos_ids=engine.tokenizer.eos_ids,
        done=loop.create_future(),
        arrived_s=loop.time(),
    )


def _prompt(route: str, body: Body, engine: Engine) -> list[int]:
    if route == CHAT:
        messages = [{"role": m.role, "content": m.text} for m in body.messages or ()]
        _check_length(sum(len(m["content"]) for m in messages), engine.max_model_len)
        try:
            return engine.tokenizer.chat(messages)
        except BadInput as untold:  # no chat template, or one that does not take these messages
            raise Refusal(str(untold), param="messages") from untold
    if isinstance(body.prompt, str):
        _check_length(len(body.prompt), engine.max_model_len)
        return engine.tokenizer.encode(body.prompt)
    ids = list(body.prompt or ())
    if any(not 0 <= i < engine.tokenizer.vocabulary_size for i in ids):
        raise Refusal(f"'prompt' has token ids outside 0 to {engine.tokenizer.vocabulary_size - 1}")
    return ids


def _check_length(characters: int, longest: int) -> None:
    """Refuse what cannot fit before it is made into tokens, which would hold the worker up for seconds."""
    most = LONGEST_TOKEN * longest
    if characters > most:
        raise Refusal(
            f"the prompt has {characters} characters, more than {most}, which never fit {longest} tokens"
        )


def _answer_tokens(body: Body, prompt_tokens: int, longest: int) -> int:
    """How many tokens to answer with, if prompt and answer fit together."""
    if not prompt_tokens:
        raise Refusal("the prompt has no tokens", param="prompt")
    room = longest - prompt_tokens
    if room < 1:
        raise Refusal(f"the prompt has {prompt_tokens} tokens, this model takes fewer than {longest}")
    asked = body.answer_tokens or DEFAULT_MAX_TOKENS
    if asked > room:
        raise Refusal(f"max_tokens is {asked}, but only {room} fit behind this prompt", param="max_tokens")
    return asked
