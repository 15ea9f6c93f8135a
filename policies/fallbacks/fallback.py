"""Something instead of nothing: an old answer to the same request, or a notice."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check, check_switch
from policies.call import Call, Chunk
from policies.evidence import Answer, lesson
from policies.fallbacks.plain_answer import plain_answer
from policies.outcome import Kind, Outcome
from policies.policy import Layer, Next, Place
from policies.reuse.answers import Answers, give, overheard, worth_keeping
from policies.reuse.request_key import Key, request_key

KEPT = 256  # old answers
NOTICE = "The service is too busy to answer now. Please try again later."


@dataclass(slots=True)
class _InUse:
    places: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback(Layer):
    """Stands in when a call failed before any content, unless the question itself was bad.

    The attempts inside were judged as what they were: a stand-in hides no worker's failure from a breaker.
    It says so: its outcome is OK in the phase `fallback`.

    Attributes:
        stale: give the latest answer to the same deterministic request, however old, if there was one.
        text: said otherwise; empty: nothing is.
        takes_s: what a stand-in takes to get, where it comes from a store or a small model elsewhere.
        max_concurrent: stand-ins under way at once; a call beyond that fails as it failed.
    """

    name: ClassVar[str] = "fallback"
    meaning: ClassVar[str] = "gives an old answer or a notice to a call that failed before any content"
    place: ClassVar[Place | None] = Place.FALLBACK

    stale: bool = True
    text: str = NOTICE
    takes_s: float = 0.0
    max_concurrent: int = 10

    _answers: Answers = field(default_factory=lambda: Answers(KEPT), init=False, repr=False, compare=False)
    _in_use: _InUse = field(default_factory=_InUse, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_switch(self, "stale")
        if not isinstance(self.text, str):
            raise ValueError(f"{self.name}: text must be a text, got {self.text!r}")
        check(self, "takes_s", at_least=0, at_most=3600)
        check(self, "max_concurrent", at_least=1, whole=True)

    async def run(self, call: Call, next: Next) -> Outcome:
        key = request_key(call) if self.stale else None
        outcome = await (next(call) if key is None else self._listen(key, call, next))
        if call.committed or not _mendable(outcome):
            return outcome
        pieces = self._stand_in(key, call)
        if not pieces or self._in_use.places >= self.max_concurrent:
            return outcome
        if self.takes_s:
            await self._get()
        give(call, pieces)
        return Outcome(
            kind=Kind.OK, phase=self.name, cause=f"stands in for: {outcome.cause}", by=self.name, status=200
        )

    async def _listen(self, key: Key, call: Call, next: Next) -> Outcome:
        with overheard(call) as pieces:
            outcome = await next(call)
        if worth_keeping(outcome):
            self._answers.keep(key, pieces, asyncio.get_running_loop().time())
        return outcome

    def _stand_in(self, key: Key | None, call: Call) -> Sequence[Chunk]:
        old = None if key is None else self._answers.find(key, asyncio.get_running_loop().time())
        if old is not None:
            return old
        return plain_answer(call, self.text) if self.text else ()

    async def _get(self) -> None:
        self._in_use.places += 1
        try:
            await asyncio.sleep(self.takes_s)
        finally:
            self._in_use.places -= 1


def _mendable(outcome: Outcome) -> bool:
    """No answer, and neither the caller's fault nor one that nobody waits for."""
    return not outcome.answered and lesson(outcome).throttle is Answer.REJECT
