"""The answer to the very same request, given again: takes work away where other levers speed it up."""

import asyncio
from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check
from policies.call import Call
from policies.outcome import Kind, Outcome
from policies.policy import Layer, Next, Place
from policies.reuse.answers import Answers, give, overheard, worth_keeping
from policies.reuse.request_key import request_key


@dataclass(slots=True)
class _Looks:
    hits: int = 0
    misses: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheExact(Layer):
    """Keeps whole answers to deterministic requests, for whoever asks the same in the same form.

    Attributes:
        ttl_s: how long after it was given an answer is repeated.
        size: answers kept; the least recently used makes room.
    """

    name: ClassVar[str] = "cache_exact"
    meaning: ClassVar[str] = "repeats whole answers to requests that are exactly the same"
    place: ClassVar[Place | None] = Place.CACHE

    ttl_s: float = 300.0
    size: int = 256

    _answers: Answers = field(init=False, repr=False, compare=False)
    _looks: _Looks = field(default_factory=_Looks, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "ttl_s", above=0)
        check(self, "size", at_least=1, whole=True)
        object.__setattr__(self, "_answers", Answers(self.size, self.ttl_s))

    @property
    def hits(self) -> int:
        """Calls answered from here."""
        return self._looks.hits

    @property
    def misses(self) -> int:
        """Calls that could have been, had the answer been here."""
        return self._looks.misses

    async def run(self, call: Call, next: Next) -> Outcome:
        key = request_key(call)
        if key is None:
            return await next(call)
        clock = asyncio.get_running_loop().time
        known = self._answers.find(key, clock())
        if known is not None:
            self._looks.hits += 1
            give(call, known)
            return _HIT
        self._looks.misses += 1
        with overheard(call) as pieces:
            outcome = await next(call)
        if worth_keeping(outcome):
            self._answers.keep(key, pieces, clock())
        return outcome


_HIT = Outcome(kind=Kind.OK, by=CacheExact.name, status=200)
