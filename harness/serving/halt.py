"""When a process stands still, as by SIGSTOP, for a share of each period, and who waits for it."""

import asyncio
from dataclasses import dataclass
from math import inf

from faults.fault import WorkerFault


@dataclass(frozen=True, slots=True)
class DutyCycle:
    """Stands still for the first `stopped_ratio` of every `period_s`, counted from `since_s`."""

    stopped_ratio: float
    period_s: float
    since_s: float

    def at(self, now: float) -> tuple[bool, float]:
        """Whether it stands still at `now`, and until when that stays so."""
        if self.stopped_ratio >= 1:
            return True, inf
        rounds = (now - self.since_s) // self.period_s
        begun_s = self.since_s + rounds * self.period_s
        goes_on_s = begun_s + self.stopped_ratio * self.period_s
        return (True, goes_on_s) if now < goes_on_s else (False, begun_s + self.period_s)

    def stopped_s(self, now: float) -> float:
        """Seconds that it has stood still since the beginning."""
        if self.stopped_ratio >= 1:
            return now - self.since_s
        rounds, into_s = divmod(now - self.since_s, self.period_s)
        stop_s = self.stopped_ratio * self.period_s
        return rounds * stop_s + min(into_s, stop_s)


class Halt:
    """What of one worker in memory stands still. Nothing does until `order`."""

    def __init__(self) -> None:
        self.cycle: DutyCycle | None = None
        self._until_s = -inf  # end of the lease
        self._news: asyncio.Future[None] | None = None  # of whoever waits

    def order(self, stopped_ratio: float, period_s: float, lease_s: float) -> None:
        """Stand still for this share of each period, or go on with that for longer."""
        now = _now()
        as_before = (self.cycle.stopped_ratio, self.cycle.period_s) if self.cycle and self.on(now) else None
        if as_before != (stopped_ratio, period_s):
            self.cycle = DutyCycle(stopped_ratio, period_s, now)
        self._until_s = now + lease_s
        self._tell()

    def lift(self) -> None:
        self.cycle, self._until_s = None, -inf
        self._tell()

    def on(self, now: float) -> bool:
        """Whether its lease holds."""
        return now < self._until_s

    def goes_on_s(self, now: float) -> float:
        """When it runs again, as things are; `now` if it runs."""
        if self.cycle is None or not self.on(now):
            return now
        stopped, until_s = self.cycle.at(now)
        return min(until_s, self._until_s) if stopped else now

    async def over(self) -> None:
        """Wait until it runs."""
        while (until_s := self.goes_on_s(now := _now())) > now:
            if self._news is None or self._news.done():
                self._news = asyncio.get_running_loop().create_future()
            await asyncio.wait([self._news], timeout=until_s - now)

    async def over_within(self, limit_s: float) -> bool:
        """Wait until it runs, but no longer than that. Whether it runs."""
        try:
            async with asyncio.timeout(limit_s):
                await self.over()
        except TimeoutError:
            return False
        return True

    def _tell(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HaltedSteps(WorkerFault):
    """What its standing still does to the steps of a worker: none ends meanwhile. Never ordered by itself."""

    halt: Halt

    steady = False

    def held_until_s(self, ends_s: float, started_s: float, since_s: float) -> float:
        return self.halt.goes_on_s(ends_s)


def _now() -> float:
    return asyncio.get_running_loop().time()
