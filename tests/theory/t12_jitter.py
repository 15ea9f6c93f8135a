"""Callers that all change one row, read, then write if nobody else has: what a wait between tries saves.

The row is behind a link; a conflict is a failure to try again. Every caller goes on until its write went in.
"""

import asyncio
import random
from dataclasses import dataclass, field
from statistics import fmean

from harness.clock import run_virtual
from harness.judging.history import NoHistory
from harness.serving.gateway import Gateway
from harness.serving.recorder import Recorder
from policies.call import Attempt, Call
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.retries.retry import Retry
from tests.theory.queueing_parts import Census
from tests.theory.retry_rules import UNBOUNDED, resend
from tests.theory.row import Row, Target

TARGET = Target("T12", "AWS, backoff and jitter")

BASE_S, CAP_S = 0.005, 2.0
NET_S, NET_SD_S = 0.010, 0.002  # one way
CONFLICT = Outcome(kind=Kind.ERROR, cause="somebody else was first", by="row", status=500)

PUBLISHED: dict[
    str, dict[int, tuple[int, float | None]]
] = {  # calls and seconds until all are in, by callers
    "none": {100: (2422, 2.0), 50: (691, None)},
    "exponential": {100: (1868, 63.9), 50: (628, None)},
    "equal jitter": {100: (812, 6.7), 50: (349, None)},
    "full jitter": {100: (796, 4.8), 50: (332, None)},
    "decorrelated jitter": {100: (1002, 4.6), 50: (374, None)},
}


JITTERS = {"exponential": "off", "equal jitter": "equal", "full jitter": "full"}


def retry(wait: str) -> Retry:
    """The source's exponent is 1 after the first try, ours 0."""
    if wait == "none":
        return resend(UNBOUNDED)
    if wait == "decorrelated jitter":
        return _backing_off(BASE_S, "decorrelated")
    return _backing_off(2 * BASE_S, JITTERS[wait])


def _backing_off(initial_s: float, jitter: str) -> Retry:
    return Retry(max_attempts=UNBOUNDED, initial_s=initial_s, max_s=CAP_S, jitter=jitter, other_worker=False)


@dataclass(slots=True)
class VersionedRow:
    """A link to one row with a version. `writes`: how many were tried."""

    rng: random.Random
    census: Census = field(default_factory=Census)
    version: int = 0
    writes: int = 0

    async def send(self, attempt: Attempt) -> Outcome:
        written: list[bool] = []
        await self.census.visit(self._change(written))
        return OK if written else CONFLICT

    async def _change(self, written: list[bool]) -> Outcome:
        await self._travel()
        seen = self.version
        await self._travel()
        await self._travel()
        self.writes += 1
        if seen == self.version:
            self.version += 1
            written.append(True)
        await self._travel()
        return OK

    async def _travel(self) -> None:
        await asyncio.sleep(abs(self.rng.normalvariate(NET_S, NET_SD_S)))


async def _all_write(wait: str, callers: int, seed: int) -> tuple[int, float]:
    """Writes tried until all callers have written, and the seconds that it took."""
    row = VersionedRow(random.Random(f"net {seed}"))
    gateway = Gateway(Pipeline(layers=(retry(wait),)), {"row": row}, Recorder(NoHistory()), seed)
    outcomes = await asyncio.gather(*(gateway.handle(Call(id=str(n))) for n in range(callers)))
    row.census.assert_little()
    assert all(outcome.answered for outcome in outcomes)
    assert row.version == callers
    return row.writes, asyncio.get_running_loop().time()


def fast() -> list[Row]:
    """Three standard deviations of the mean of two runs, where runs differ most (exponential)."""
    return [row for wait in PUBLISHED for row in _rows(wait, callers=50, runs=2, calls_ratio=0.12)]


def full() -> list[Row]:
    return [row for wait in PUBLISHED for n in (100, 50) for row in _rows(wait, callers=n, runs=40)]


def _rows(
    wait: str, callers: int, runs: int, calls_ratio: float = 0.03, time_ratio: float = 0.1
) -> list[Row]:
    measured = [run_virtual(_all_write(wait, callers, seed)) for seed in range(runs)]
    calls, seconds = PUBLISHED[wait][callers]
    what = f"{callers} callers, {wait}"
    rows = [TARGET.relative(f"{what}: writes tried", calls, fmean(w for w, _ in measured), calls_ratio)]
    if seconds is not None:
        took_s = fmean(took_s for _, took_s in measured)
        rows.append(TARGET.relative(f"{what}: s until all are in", seconds, took_s, time_ratio))
    return rows
