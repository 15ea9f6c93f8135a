"""A request inside a worker: read into a sequence for the engine, answered token by token."""

import asyncio
import zlib
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field

from harness.errors import BadInput
from harness.serving.answer import Answer, NoAnswer, TextAnswer
from harness.serving.engine import Engine, Sequence
from harness.serving.openai_api import CHAT, Body, FinishReason, Refusal, read_body
from policies.call import Call
from policies.outcome import Outcome

DEFAULT_MAX_TOKENS = 16  # as in the completions API
DEFAULT_TEMPERATURE = 1.0  # as there
LONGEST_TOKEN = 128  # characters; the longest in use are runs of that many spaces (Llama 3)


@dataclass(slots=True, eq=False)
class Job:
    """One request on its way through the worker. All times are loop seconds."""

    call: Call
    sequence: Sequence
    answer: Answer
    eos_ids: frozenset[int]
    done: asyncio.Future[Outcome]
    arrived_s: float
    seated_s: float | None = None
    last_token_s: float | None = None
    left_s: float | None = None  # when its caller left it to be computed for nobody
    told_kept: bool = False  # whether it is counted as such
    kept_s: list[float] = field(default_factory=list)  # when tokens came that are not handed over yet

    def end(self, outcome: Outcome) -> None:
        """Whoever still waits has this outcome."""
        if not self.done.done():
            self.done.set_result(outcome)

    def leave_behind(self, now: float) -> None:
        """Nobody waits for it any more, and it goes on all the same."""
        self.left_s = now
        self.answer = NoAnswer(self.call)

    def take(self, token: int, now: float) -> bool:
        """Say a new token. Whether it was the last one, after which the answer is complete."""
        sequence = self.sequence
        sequence.tokens.append(token)
        stopped = token in self.eos_ids and not sequence.ignore_eos
        if not stopped:
            self.answer.say(token, first=self.last_token_s is None)
        self.last_token_s = now
        last = stopped or len(sequence.tokens) >= sequence.max_tokens
        if last:
            reason: FinishReason = "stop" if stopped else "length"
            self.answer.finish(reason, len(sequence.prompt), len(sequence.tokens))
        return last

    def keep(self, tokens: SequenceOf[int], times_s: SequenceOf[float]) -> None:
        """Take tokens that came at `times_s`, of which none is the first or the last, and say them later."""
        self.sequence.tokens.extend(tokens)
        self.kept_s.extend(times_s)
        self.last_token_s = times_s[-1]

    def hand_over(self) -> None:
        """Say what was kept."""
        if self.kept_s:
            self.answer.say_all(self.kept_s)
            self.kept_s = []


def read_job(call: Call, engine: Engine) -> Job:
    """The job that the body of `call` asks of `engine`. Refusal says what is wrong with it."""
    body = read_body(call.route, call.payload)
    if body.model not in (None, engine.name):
        raise Refusal(f"model '{body.model}' is not served here; '{engine.name}' is", status=404)
    prompt = _prompt(call.route, body, engine)
    call.prompt_tokens = len(prompt)
    sequence = Sequence(
        prompt=prompt,
        max_tokens=_answer_tokens(body.answer_tokens, len(prompt), engine.max_model_len),
        temperature=DEFAULT_TEMPERATURE if body.temperature is None else body.temperature,
        seed=zlib.crc32(call.id.encode()) if body.seed is None else body.seed,
        ignore_eos=body.ignore_eos,
    )
    return _job(call, sequence, TextAnswer(call, body, engine.name, engine.tokenizer), engine)


def count_job(call: Call, engine: Engine) -> Job:
    """The job of a call without a body: as many tokens as it says, of no text. Refusal as `read_job`."""
    asked = _answer_tokens(call.max_tokens, call.prompt_tokens, engine.max_model_len)
    sequence = Sequence(prompt=range(call.prompt_tokens), max_tokens=asked, ignore_eos=True)
    return _job(call, sequence, Answer(call), engine)


def _job(call: Call, sequence: Sequence, answer: Answer, engine: Engine) -> Job:
    loop = asyncio.get_running_loop()
    return Job(call, sequence, answer, engine.tokenizer.eos_ids, loop.create_future(), loop.time())


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


def _answer_tokens(asked: int | None, prompt_tokens: int, longest: int) -> int:
    """How many tokens to answer with, if prompt and answer fit together."""
    if not prompt_tokens:
        raise Refusal("the prompt has no tokens", param="prompt")
    room = longest - prompt_tokens
    if room < 1:
        raise Refusal(f"the prompt has {prompt_tokens} tokens, this model takes fewer than {longest}")
    asked = asked or DEFAULT_MAX_TOKENS
    if asked > room:
        raise Refusal(f"max_tokens is {asked}, but only {room} fit behind this prompt", param="max_tokens")
    return asked
