"""The callers' side of a run: which requests there will be, and how the sending of one is recorded."""

import asyncio
import random
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from heapq import merge
from math import isinf
from operator import sub
from typing import TypeAlias

from harness.binding import prompt_name, reachable
from harness.judging.history import Arrived, Ended
from harness.load.arrivals import poisson
from harness.load.callers import Planned
from harness.load.prompts import answer_tokens, completion_body, count_tokens, prompt, zipf
from harness.scenario import Caller, Scenario
from harness.serving.openai_api import COMPLETIONS, LOCAL
from harness.serving.recorder import Recorder
from policies.call import Call, Chunk
from policies.outcome import Kind, Outcome
from policies.policy import Next

LEFT = Outcome(kind=Kind.ABANDONED, phase="reading", cause="hung up by itself", by="caller")
MOST_PROMPTS = 4096  # of which it is remembered which workers they may reach
UNTOLD = {"hung": "unanswered when the run ended"}  # causes of endings that nobody else could tell

# Writes the request of a caller: whose, its name, the run's seed.
Compose: TypeAlias = Callable[[Caller, str, int], Call]


def text_call(caller: Caller, name: str, seed: int) -> Call:
    """A request with a text, as it goes over HTTP."""
    call = _call(caller, name, seed)
    if caller.inference:
        rng = random.Random(f"{seed} prompt {_prompt_name(caller, name, seed) or name}")
        text = prompt(caller.prompt_words, rng)
        call.payload = completion_body(text, call.max_tokens, rng.randrange(2**31))
    return call


def counted_call(caller: Caller, name: str, seed: int) -> Call:
    """The same request without a text: only how long it is, and which prompt, where prompts repeat."""
    call = _call(caller, name, seed)
    call.prompt_tokens = count_tokens(caller.prompt_words)
    call.payload = _prompt_name(caller, name, seed).encode()
    return call


def _call(caller: Caller, name: str, seed: int) -> Call:
    if not caller.inference:
        return Call(id=name, caller=caller.name, route=LOCAL, stream=False, priority=caller.priority)
    tokens = caller.max_tokens
    if caller.length_sigma:
        told = _prompt_name(caller, name, seed) or name  # the same prompt has the same answer
        tokens = answer_tokens(tokens, caller.length_sigma, random.Random(f"{seed} length {told}"))
    return Call(id=name, caller=caller.name, route=COMPLETIONS, max_tokens=tokens, priority=caller.priority)


def _prompt_name(caller: Caller, name: str, seed: int) -> str:
    """Which of the caller's prompts request `name` has, empty if each has its own."""
    if not caller.distinct_prompts:
        return ""
    return prompt_name(caller, zipf(caller.distinct_prompts, random.Random(f"{seed} choice {name}")))


def plan_requests(scenario: Scenario, seed: int) -> list[Planned]:
    """Every request of the run in order of time. One generator per caller: the same seed asks the same."""
    streams = [
        [Planned(at_s, caller.name, number) for number, at_s in enumerate(_times(caller, scenario, seed))]
        for caller in scenario.callers
    ]
    return list(merge(*streams, key=lambda planned: planned.intended_s))


def _times(caller: Caller, scenario: Scenario, seed: int) -> list[float]:
    """When the caller sends. Its burst draws by itself: with one or without, the others come as they did."""
    rng = random.Random(f"{seed} arrivals {caller.name}")
    usual = poisson(caller.rate_rps, 0.0, scenario.phases.load_s, rng)
    if caller.burst is None:
        return usual
    start_s = scenario.phases.starts()["fault"] + caller.burst.after_s
    end_s = min(start_s + caller.burst.length_s, scenario.phases.load_s)
    more = poisson(caller.burst.rate_rps, start_s, end_s, random.Random(f"{seed} burst {caller.name}"))
    return sorted([*usual, *more])


class Asker:
    """Sends planned requests and writes how each began and ended."""

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        recorder: Recorder,
        entries: Mapping[str, Next],
        compose: Compose,
    ) -> None:
        self._callers = {caller.name: caller for caller in scenario.callers}
        self._seed = seed
        self._recorder = recorder
        self._entries = entries
        self._compose = compose
        self._reachable = lru_cache(MOST_PROMPTS)(partial(reachable, scenario))
        self._hung_up = False

    def hang_up(self) -> None:
        """The run is over: what is cancelled from now on was hung."""
        self._hung_up = True

    async def ask(self, planned: Planned) -> None:
        """Send one request and see it to its end."""
        caller = self._callers[planned.caller]
        call = self._call(caller, planned)
        answer = _Answer(call)
        self._recorder.history.append(
            Arrived(
                at_s=self._recorder.now(), request=call.id, caller=caller.name, intended_s=planned.intended_s
            )
        )
        try:
            outcome = await self._until_it_leaves(caller, call)
        except asyncio.CancelledError:
            self._ended(call, answer, "hung" if self._hung_up else "abandoned")
            raise
        self._ended(call, answer, outcome.kind, outcome)

    async def _until_it_leaves(self, caller: Caller, call: Call) -> Outcome:
        send = self._entries[caller.enters]
        if isinf(caller.leaves_after_s):
            return await send(call)
        try:
            async with asyncio.timeout(caller.leaves_after_s) as patience:
                return await send(call)
        except TimeoutError:
            if not patience.expired():
                raise
            return LEFT

    def _call(self, caller: Caller, planned: Planned) -> Call:
        call = self._compose(caller, f"{caller.name}-{planned.number}", self._seed)
        prompt = _prompt_name(caller, call.id, self._seed) if caller.cache_owners else ""
        call.workers = self._reachable(caller, prompt)
        return call

    def _ended(self, call: Call, answer: "_Answer", kind: str, outcome: Outcome | None = None) -> None:
        times = self._recorder.all_at(answer.times_s)
        self._recorder.history.append(
            Ended(
                at_s=self._recorder.now(),
                request=call.id,
                kind=kind,
                phase=outcome.phase if outcome else "",
                cause=outcome.cause if outcome else UNTOLD.get(kind, ""),
                by=outcome.by if outcome else "",
                tokens=answer.tokens,
                first_token_s=times[0] if times else None,
                last_token_s=times[-1] if times else None,
                max_gap_s=max(map(sub, times[1:], times), default=0.0),
                satisfied=outcome is LEFT and bool(answer.tokens),
            )
        )


class _Answer:
    """When the content of one answer came, on the loop's clock."""

    __slots__ = ("_clock", "times_s", "tokens")

    def __init__(self, call: Call) -> None:
        self.times_s: list[float] = []  # ascending
        self.tokens = 0
        self._clock = asyncio.get_running_loop().time
        call.sink = self._take

    def _take(self, chunk: Chunk) -> None:
        self.tokens += chunk.tokens
        if chunk.times_s:
            self.times_s.extend(chunk.times_s)
        elif chunk.tokens:
            self.times_s.append(self._clock())
