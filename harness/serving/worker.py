"""One worker: a bounded queue, the continuous batcher, and the loop that runs the engine step by step.

The engine computes off the event loop, so the worker answers `/health` and takes requests while it is slow.
A sequence whose caller left or whose deadline passed is taken out before the next step.
"""

import asyncio
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from faults.fault import Fault
from harness.errors import BadInput
from harness.serving.batcher import Batcher
from harness.serving.engine import Engine, Sequence
from harness.serving.model.detokenizer import Detokenizer
from harness.serving.openai_api import CHAT, Body, FinishReason, Refusal, Writer, read_body
from harness.serving.pace import Pace
from policies.outcome import OK, Kind, Outcome
from policies.policy import Call, Chunk

DEFAULT_MAX_TOKENS = 16  # as in the completions API
DEFAULT_TEMPERATURE = 1.0  # as there

Compute = Callable[[list[Sequence]], Awaitable[list[int]]]


class Meter:
    """Hears what a worker measures. This one keeps nothing."""

    def stepped(self, seconds: float, batch: int, tokens: int) -> None: ...
    def queued(self, seconds: float) -> None: ...
    def first_token(self, seconds: float) -> None: ...
    def token_gap(self, seconds: float) -> None: ...
    def ended(self, outcome: Outcome, seconds: float, prompt_tokens: int, tokens: int) -> None: ...


@dataclass(slots=True)
class Counts:
    """What a worker has done since it started."""

    steps: int = 0
    step_seconds: float = 0.0
    tokens: int = 0
    aborted: int = 0


@dataclass(slots=True, eq=False)
class _Job:
    """A request inside the worker."""

    call: Call
    body: Body
    sequence: Sequence
    writer: Writer
    detokenizer: Detokenizer
    done: asyncio.Future[Outcome]
    arrived_s: float
    seated_s: float | None = None
    last_token_s: float | None = None
    text: list[str] = field(default_factory=list)


class Worker:
    """Serves calls with one engine. `run` is the step loop; `handle` may be awaited by many at once."""

    def __init__(
        self,
        name: str,
        engine: Engine,
        compute: Compute,
        *,
        max_queue: int = 256,
        step_floor_s: float = 0.0,
        meter: Meter | None = None,
    ) -> None:
        self.name = name
        self.engine = engine
        self.batcher = Batcher(engine.max_num_seqs, max_queue)
        self.pace = Pace(step_floor_s)
        self.counts = Counts()
        self._compute = compute
        self._meter = meter or Meter()
        self._jobs: dict[Sequence, _Job] = {}
        self._left: list[_Job] = []  # aborted while a step may be using their slot
        self._wake = asyncio.Event()

    @property
    def kv_usage_ratio(self) -> float:
        """Share of the KV cache's token places that hold tokens."""
        held = sum(len(s.prompt) + len(s.tokens) for s in self.batcher.running)
        return held / (self.engine.max_num_seqs * self.engine.max_model_len)

    def inject(self, fault: Fault, lease_s: float) -> None:
        self.pace.inject(fault, lease_s, _now())

    async def handle(self, call: Call) -> Outcome:
        """Serve one call, or refuse it before any model work."""
        try:
            job = self._job(call)
        except Refusal as refusal:
            return refusal.outcome(self.name)
        if not self.batcher.offer(job.sequence):
            return self._full()
        self._jobs[job.sequence] = job
        self._wake.set()
        try:
            return await job.done
        finally:
            self._ended(job)

    async def run(self) -> None:
        """The step loop. Ends only by cancellation."""
        while True:
            batch = self._next_batch()
            if batch:
                await self._step(batch)
            else:
                self._wake.clear()
                await self._wake.wait()

    def _job(self, call: Call) -> _Job:
        body = read_body(call.route, call.payload)
        if body.model not in (None, self.engine.name):
            raise Refusal(f"model '{body.model}' is not served here; '{self.engine.name}' is", status=404)
        prompt = self._prompt(call.route, body)
        if not prompt:
            raise Refusal("the prompt has no tokens", param="prompt")
        room = self.engine.max_model_len - len(prompt)
        if room < 1:
            longest = self.engine.max_model_len
            raise Refusal(f"the prompt has {len(prompt)} tokens, this model takes fewer than {longest}")
        call.prompt_tokens = len(prompt)
        asked = body.answer_tokens or DEFAULT_MAX_TOKENS
        if asked > room:
            raise Refusal(
                f"max_tokens is {asked}, but only {room} fit behind this prompt", param="max_tokens"
            )
        sequence = Sequence(
            prompt=prompt,
            max_tokens=asked,
            temperature=DEFAULT_TEMPERATURE if body.temperature is None else body.temperature,
            seed=zlib.crc32(call.id.encode()) if body.seed is None else body.seed,
            ignore_eos=body.ignore_eos,
        )
        return _Job(
            call=call,
            body=body,
            sequence=sequence,
            writer=Writer(call.route, call.id, self.engine.name),
            detokenizer=Detokenizer(self.engine.tokenizer),
            done=asyncio.get_running_loop().create_future(),
            arrived_s=_now(),
        )

    def _prompt(self, route: str, body: Body) -> list[int]:
        if route == CHAT:
            messages = [{"role": m.role, "content": m.content} for m in body.messages or ()]
            try:
                return self.engine.tokenizer.chat(messages)
            except BadInput as untold:  # no chat template, or one that does not take these messages
                raise Refusal(str(untold), param="messages") from untold
        if isinstance(body.prompt, str):
            return self.engine.tokenizer.encode(body.prompt)
        ids = list(body.prompt or ())
        if any(not 0 <= i < self.engine.tokenizer.vocabulary_size for i in ids):
            raise Refusal(f"'prompt' has token ids outside 0 to {self.engine.tokenizer.vocabulary_size - 1}")
        return ids

    def _full(self) -> Outcome:
        cause = f"{self.name} is full: {len(self.batcher.waiting)} requests wait"
        return Outcome(
            kind=Kind.OVERLOAD, phase="queue", cause=cause, by=self.name, status=503, retry_after_s=1.0
        )

    def _next_batch(self) -> list[Sequence]:
        now = _now()
        for job in self._left:
            self._release(job)
        self._left.clear()
        for job in [j for j in self._jobs.values() if j.call.deadline_s <= now and not j.done.done()]:
            late = Outcome(
                kind=Kind.TIMEOUT, phase="total", cause="deadline ran out", by=self.name, status=504
            )
            job.done.set_result(late)
            self._release(job)
        batch = self.batcher.next_batch()
        for sequence in batch:
            job = self._jobs[sequence]
            if job.seated_s is None:
                job.seated_s = now
                self._meter.queued(now - job.arrived_s)
        return batch

    async def _step(self, batch: list[Sequence]) -> None:
        started = _now()
        try:
            tokens = await self._compute(batch)
        except Exception as broken:  # whatever a model raises, nobody may be left waiting for it
            self._fail(batch, f"the engine failed: {type(broken).__name__}: {broken}")
            return
        computed = _now()
        ends = started + self.pace.step_s(computed - started, computed)
        if ends > computed:
            await asyncio.sleep(ends - computed)
        now = _now()
        self.counts.steps += 1
        self.counts.step_seconds += now - started
        self.counts.tokens += len(tokens)
        prefilled = sum(len(s.prompt) for s in batch if not s.tokens)
        self._meter.stepped(now - started, len(batch), prefilled + len(tokens))
        for sequence, token in zip(batch, tokens, strict=True):
            self._give(self._jobs.get(sequence), token, now)

    def _give(self, job: _Job | None, token: int, now: float) -> None:
        """Hand a new token to its request and end the request if that was the last one."""
        if job is None or job.done.done():
            return
        sequence = job.sequence
        sequence.tokens.append(token)
        if job.last_token_s is None:
            self._meter.first_token(now - job.arrived_s)
        else:
            self._meter.token_gap(now - job.last_token_s)
        stopped = token in self.engine.tokenizer.eos_ids and not sequence.ignore_eos
        if not stopped:
            self._say(job, job.detokenizer.feed(token), first=job.last_token_s is None)
        job.last_token_s = now
        if stopped or len(sequence.tokens) >= sequence.max_tokens:
            self._finish(job, "stop" if stopped else "length")

    def _say(self, job: _Job, text: str, *, first: bool = False) -> None:
        if not job.call.stream:
            job.text.append(text)
            return
        if first and (role := job.writer.role()):
            job.call.sink(Chunk(role, tokens=0))
        if text:
            job.call.sink(Chunk(job.writer.text(text)))

    def _finish(self, job: _Job, reason: FinishReason) -> None:
        self._say(job, job.detokenizer.flush())
        prompt_tokens, tokens = len(job.sequence.prompt), len(job.sequence.tokens)
        if job.call.stream:
            job.call.sink(Chunk(job.writer.finish(reason), tokens=0))
            if job.body.include_usage:
                job.call.sink(Chunk(job.writer.usage(prompt_tokens, tokens), tokens=0))
        else:
            whole = job.writer.whole("".join(job.text), reason, prompt_tokens, tokens)
            job.call.sink(Chunk(whole, tokens=tokens))
        job.done.set_result(OK)
        self._release(job)

    def _fail(self, batch: list[Sequence], cause: str) -> None:
        for job in [self._jobs[s] for s in batch if s in self._jobs]:
            if not job.done.done():
                job.done.set_result(Outcome(kind=Kind.ERROR, cause=cause, by=self.name, status=500))
            self._release(job)

    def _ended(self, job: _Job) -> None:
        """The one who waited has the outcome, or has left before it."""
        now = _now()
        if job.done.cancelled() or not job.done.done():
            job.done.cancel()
            outcome = Outcome(kind=Kind.ABANDONED, cause="the caller left", by=self.name)
            self.counts.aborted += 1
            self._left.append(job)
            self._wake.set()
        else:
            outcome = job.done.result()
        self._meter.ended(outcome, now - job.arrived_s, len(job.sequence.prompt), len(job.sequence.tokens))

    def _release(self, job: _Job) -> None:
        self._jobs.pop(job.sequence, None)
        slot = self.batcher.remove(job.sequence)
        if slot is not None:
            self.engine.release(slot)


def _now() -> float:
    return asyncio.get_running_loop().time()
