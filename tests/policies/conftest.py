"""Attempts for tests that drive gates by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from policies.call import Attempt, Call, Chunk


@pytest.fixture
def make_attempt() -> Callable[..., Attempt]:
    """Makes an attempt; what is not said is that of a fresh streaming call of 16 tokens to w0 at 0 s."""

    def make(worker: str = "w0", started_s: float = 0.0, **call: Any) -> Attempt:
        call.setdefault("max_tokens", 16)
        return Attempt(call=Call(id="c", **call), worker=worker, number=1, started_s=started_s)

    return make


@pytest.fixture
def give_tokens() -> Callable[..., None]:
    """Writes token times into an attempt: the first after `first_s`, then one every `gap_s`."""

    def give(attempt: Attempt, first_s: float, gap_s: float, tokens: int) -> float:
        times = [attempt.started_s + first_s + gap_s * i for i in range(tokens)]
        for time_s in times:
            attempt.deliver(Chunk(b""), time_s)
        return times[-1]

    return give
