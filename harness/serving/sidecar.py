"""A process of ours beside a worker, from outside: started, ordered, ended for certain."""

import asyncio
import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.pool import running_context
from harness.serving.process_start import begin
from harness.serving.readable import readable
from harness.serving.sidecar_process import Deed, Order, Told, serve_orders

ANSWER_LIMIT_S = 10.0
STOP_LIMIT_S = 3.0


class Refused(EnvironmentFault):
    """A sidecar could not do what it was ordered, and has not done it."""


class Sidecar:
    """One process. `what` names it in messages."""

    def __init__(self, what: str, process: BaseProcess, pipe: Connection) -> None:
        self._what = what
        self._process = process
        self._pipe = pipe
        self._number = 0
        self._asking = asyncio.Lock()

    @classmethod
    async def start(cls, what: str, make: Callable[..., Deed], *args: Any) -> "Sidecar":
        """Started, and idle. EnvironmentFault if it does not come up."""
        context = running_context()
        pipe, theirs = context.Pipe()
        process = context.Process(target=serve_orders, args=(theirs, make, *args), name=what, daemon=True)
        with theirs:
            begin(process)
        sidecar = cls(what, process, pipe)
        try:
            await sidecar._hear(0)
        except BaseException:
            await sidecar.end()
            raise
        return sidecar

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    @property
    def runs(self) -> bool:
        return self._process.is_alive()

    async def order(self, wanted: Any, lease_s: float) -> None:
        """Have it do this, for so long unless it is ordered again. Refused if it cannot."""
        told = await self._ask(wanted, lease_s)
        if told.refused:
            raise Refused(f"the {self._what} cannot do it: {told.refused}")

    async def seen(self) -> Mapping[str, float]:
        """What it measures, nothing if it is gone."""
        try:
            return (await self._ask(None, 0.0)).seen
        except EnvironmentFault:
            return {}

    async def end(self) -> None:
        """Have it undo what it did, and see that it is gone. CleanupUnverified if it is not."""
        self._hang_up()
        try:
            await asyncio.shield(asyncio.to_thread(self._end))
        finally:
            self._pipe.close()

    async def _ask(self, wanted: Any, lease_s: float) -> Told:
        async with self._asking:
            self._number += 1
            try:
                self._pipe.send(Order(self._number, wanted, lease_s))
            except OSError as gone:
                raise EnvironmentFault(f"the {self._what} has ended") from gone
            return await self._hear(self._number)

    async def _hear(self, number: int) -> Told:
        """Its answer to that order. Older ones were of somebody who did not wait for them."""
        try:
            async with asyncio.timeout(ANSWER_LIMIT_S):
                while True:
                    await readable(self._pipe)
                    told: Told = self._pipe.recv()
                    if told.number == number:
                        return told
        except (EOFError, OSError) as gone:
            raise EnvironmentFault(f"the {self._what} has ended") from gone
        except TimeoutError as late:
            raise EnvironmentFault(f"the {self._what} said nothing for {ANSWER_LIMIT_S:g} s") from late

    def _hang_up(self) -> None:
        """Both sides hear the end of the pipe, also who of ours waits for an answer. It is closed later: the
        loop would go on to look at the number of a pipe that somebody waits for.
        """
        with suppress(OSError), socket.socket(fileno=os.dup(self._pipe.fileno())) as pipe:
            pipe.shutdown(socket.SHUT_RDWR)  # OSError: it has heard already

    def _end(self) -> None:
        self._process.join(STOP_LIMIT_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join(STOP_LIMIT_S)
        if self._process.is_alive():
            raise CleanupUnverified(f"the {self._what} (process {self.pid}) still runs after SIGKILL")
