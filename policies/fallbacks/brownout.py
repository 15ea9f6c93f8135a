"""Less for everybody before nothing for anybody: shorter answers first, then none for what matters least."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import ClassVar

from policies.bounds import check
from policies.call import Call
from policies.call_window import CallWindow
from policies.cut_off import cut_off
from policies.evidence import Answer, lesson
from policies.fallbacks.ladder import Ladder, Step
from policies.outcome import Outcome
from policies.policy import Layer, Next, Place
from policies.refusal import refusal

LENGTHS = ("max_tokens", "max_completion_tokens")  # fields of a payload that bound the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Brownout(Layer):
    """Takes service back step by step while many calls are not answered well, and gives it again by itself.

    Attributes:
        window_s: over which calls are counted.
        min_calls: with fewer in the window there is full service.
        cap_above_ratio: above this share of calls not answered well, answers have at most `max_tokens`.
        refuse_above_ratio: above this one, calls of `refuse_priority` and below in rank are refused besides.
            Each step is held until the share is below half of what led to it.
        max_tokens: longest answer of the first step.
        refuse_priority: the number from which on calls are refused, 0 being what matters most.
    """

    name: ClassVar[str] = "brownout"
    meaning: ClassVar[str] = "shortens answers, then refuses what matters least, while calls go badly"
    place: ClassVar[Place | None] = Place.FALLBACK

    window_s: float = 10.0
    min_calls: int = 20
    cap_above_ratio: float = 0.1
    refuse_above_ratio: float = 0.5
    max_tokens: int = 64
    refuse_priority: int = 2

    _ladder: Ladder = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "window_s", above=0)
        check(self, "min_calls", "max_tokens", at_least=1, whole=True)
        check(self, "cap_above_ratio", at_least=0, at_most=1)
        check(self, "refuse_above_ratio", at_least=self.cap_above_ratio, at_most=1)
        check(self, "refuse_priority", at_least=0, whole=True)
        window = CallWindow(self.window_s)
        ladder = Ladder(window, self.min_calls, self.cap_above_ratio, self.refuse_above_ratio)
        object.__setattr__(self, "_ladder", ladder)

    @property
    def step(self) -> Step:
        """As of the latest call."""
        return self._ladder.step

    async def run(self, call: Call, next: Next) -> Outcome:
        clock = asyncio.get_running_loop().time
        step = self._ladder.move(clock())
        if step is Step.REFUSING and call.priority >= self.refuse_priority:
            cause = f"too many calls go badly to serve priority {call.priority}"
            return refusal(self.name, cause, retry_after_s=self.window_s)
        shortened = step >= Step.CAPPED and cap(call, self.max_tokens)
        outcome = None
        try:
            outcome = await next(call)
        finally:
            now = clock()
            self._ladder.count(_well(outcome or cut_off(call, now)), now)
        if shortened and outcome.answered and not outcome.phase:
            return replace(outcome, phase=self.name, by=self.name, cause=f"at most {self.max_tokens} tokens")
        return outcome


def cap(call: Call, most: int) -> bool:
    """Let the answer have `most` tokens. False if it could not have had more."""
    if call.max_tokens <= most:
        return False
    call.max_tokens = most
    call.payload = _capped(call.payload, most)
    return True


def _capped(payload: bytes, most: int) -> bytes:
    """The payload asking for no more; as it is if it does not say in JSON what it asks for."""
    try:
        asked = json.loads(payload)
    except (ValueError, RecursionError):
        return payload
    if not isinstance(asked, dict):
        return payload
    bounds = {name: min(asked[name], most) for name in LENGTHS if isinstance(asked.get(name), int)}
    return json.dumps({**asked, **(bounds or {LENGTHS[0]: most})}).encode()


def _well(outcome: Outcome) -> Answer:
    """A stand-in from further in is an answer, but nobody was served well."""
    return Answer.REJECT if outcome.answered and outcome.phase else lesson(outcome).throttle
