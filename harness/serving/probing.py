"""How a probe goes, over whatever line: ask, watch what comes and when, say goodbye."""

import asyncio
from contextlib import suppress
from typing import Protocol

from harness.serving.probe import CLOSE_LIMIT_S, FLOW_LIMIT_S, PROBE_TIMEOUT_S, Ended, Probe


class Line(Protocol):
    """A connection of a probe's own."""

    async def open(self) -> None:
        """OSError if there is no connection."""
        ...

    def ask(self) -> None: ...

    async def take(self) -> int:
        """How many bytes have come now; 0 once the other end has closed. ConnectionError when it broke."""
        ...

    def is_whole(self) -> bool:
        """Whether all of the answer has been taken."""
        ...

    def say_goodbye(self) -> None:
        """Nothing more will be asked: let the other end close. OSError if it is gone."""
        ...

    async def close(self) -> None:
        """Be gone, whatever the other end does."""
        ...


async def run_probe(line: Line) -> Probe:
    """One probe over `line`, closed afterwards. Takes the limits of the probe together at most."""
    return await _Asking(line).run()


class _Asking:
    """One probe under way."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._clock = asyncio.get_running_loop().time
        self._began_s = self._clock()
        self._connect_s: float | None = None
        self._arrivals: list[tuple[float, int]] = []

    async def run(self) -> Probe:
        try:
            return await self._run()
        finally:
            await self._line.close()

    async def _run(self) -> Probe:
        try:
            async with asyncio.timeout_at(self._began_s + PROBE_TIMEOUT_S):
                await self._line.open()
        except (OSError, TimeoutError):
            return self._seen(Ended.REFUSED, self._passed_s())
        self._connect_s = self._passed_s()
        ended = await self._ask()
        ended_s = self._passed_s()
        return self._seen(ended, ended_s, await self._close_s() if ended is Ended.WHOLE else None)

    async def _ask(self) -> Ended:
        try:
            async with asyncio.timeout_at(self._began_s + PROBE_TIMEOUT_S) as limit:
                self._line.ask()
                while not self._line.is_whole():
                    size = await self._line.take()
                    if not size:
                        return Ended.CUT
                    if not self._arrivals:
                        limit.reschedule(self._clock() + FLOW_LIMIT_S)
                    self._arrivals.append((self._passed_s(), size))
        except TimeoutError:
            return Ended.SLOW if self._arrivals else Ended.SILENT
        except ConnectionError:
            return Ended.RESET
        return Ended.WHOLE

    async def _close_s(self) -> float | None:
        """Seconds from saying goodbye until the other end has closed too. None if that is not seen."""
        said_s = self._clock()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(CLOSE_LIMIT_S):
                self._line.say_goodbye()
                while await self._line.take():
                    pass
                return self._clock() - said_s
        return None

    def _passed_s(self) -> float:
        return self._clock() - self._began_s

    def _seen(self, ended: Ended, ended_s: float, close_s: float | None = None) -> Probe:
        return Probe(
            ended=ended,
            ended_s=ended_s,
            connect_s=self._connect_s,
            arrivals=tuple(self._arrivals),
            close_s=close_s,
        )
