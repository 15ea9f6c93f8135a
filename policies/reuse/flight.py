"""One piece of work that several calls wait for. It ends when it ends, or when nobody waits any more."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from policies.call import Call, Chunk
from policies.outcome import Kind, Outcome
from policies.policy import Next

_CUT = Outcome(kind=Kind.ABANDONED, phase="attempt", cause="the shared work was ended", by="single_flight")


class Flight:
    """Runs `next` for `leader` in a task of its own, without the leader's deadline: each who waits has one.

    `landed` is told once when nobody may join any more.
    """

    def __init__(self, leader: Call, next: Next, landed: Callable[["Flight"], None]) -> None:
        self.call = leader.fork(self._take)
        self.call.deadline_s = float("inf")
        self.pieces: list[Chunk] = []
        self.content = False  # has come
        self._landed = landed
        self._waiting: dict[Waiter, None] = {}
        self._work = asyncio.ensure_future(next(self.call))
        self._work.add_done_callback(self._ended)

    async def join(self, call: Call, patience_s: float | None = None) -> Outcome:
        """Wait for the end, as long as the call's deadline allows; a leader has no `patience_s`."""
        waiter = Waiter(self, call, patience_s)
        self._waiting[waiter] = None
        try:
            return await waiter.outcome
        finally:
            waiter.stop()
            del self._waiting[waiter]
            if not self._waiting and not self._work.done():
                await self._give_up(call)

    async def _give_up(self, last: Call) -> None:
        """Nobody waits. The attempt must end as the last one did: out of time is not abandoned."""
        self.call.deadline_s = min(self.call.deadline_s, last.deadline_s)
        self._landed(self)
        self._work.cancel()
        await asyncio.wait([self._work])

    def _take(self, chunk: Chunk) -> None:
        self.pieces.append(chunk)
        self.content = self.content or chunk.tokens > 0
        for waiter in tuple(self._waiting):
            waiter.look()

    def _ended(self, work: "asyncio.Future[Outcome]") -> None:
        self._landed(self)
        self.call.sink = _too_late  # a cycle less for the collector
        if self._waiting:  # else a bug in there is asyncio's to report
            broken = None if work.cancelled() else work.exception()
            for waiter in self._waiting:
                waiter.end(_CUT if work.cancelled() else broken or work.result())


class Waiter:
    """A call that waits for a flight: what it was given, and what ends its waiting."""

    def __init__(self, flight: Flight, call: Call, patience_s: float | None) -> None:
        loop = asyncio.get_running_loop()
        self.outcome: asyncio.Future[Outcome] = loop.create_future()
        self._flight = flight
        self._call = call
        self._leads = patience_s is None
        self._joined_s = loop.time()
        self._given = 0  # of the flight's pieces
        self._timers = []
        if call.deadline_s < float("inf"):
            self._timers.append(loop.call_at(call.deadline_s, self.end, deadline_passed()))
        if patience_s is not None:
            self._timers.append(loop.call_later(patience_s, self._lose_patience, patience_s))
        self.look()

    def look(self) -> None:
        """Pass on what came. To a follower not before content: its leader may fail and another begin."""
        if self._leads or self._flight.content:
            self._pass_on()

    def end(self, ending: Outcome | BaseException) -> None:
        """Wait no longer."""
        if self.outcome.done():
            return
        if isinstance(ending, BaseException):
            self.outcome.set_exception(ending)
            return
        if ending.answered:
            self._pass_on()
        self.outcome.set_result(ending)

    def stop(self) -> None:
        for timer in self._timers:
            timer.cancel()

    def _pass_on(self) -> None:
        pieces, call = self._flight.pieces, self._call
        if self.outcome.done():
            return
        call.served_by = self._flight.call.served_by
        while self._given < len(pieces):
            piece = pieces[self._given]
            self._given += 1
            call.committed = call.committed or piece.tokens > 0
            call.sink(self._not_before_it_joined(piece))

    def _not_before_it_joined(self, piece: Chunk) -> Chunk:
        if not piece.times_s or piece.times_s[0] >= self._joined_s:
            return piece
        return replace(piece, times_s=[max(time_s, self._joined_s) for time_s in piece.times_s])

    def _lose_patience(self, patience_s: float) -> None:
        if not self._flight.content:
            cause = f"another call for the same answer got nothing within {patience_s:g} s"
            self.end(_timeout("first_token", cause))


def _too_late(chunk: Chunk) -> None:
    """Nobody reads what comes after the end."""


def deadline_passed() -> Outcome:
    return _timeout("total", "its deadline passed while it waited for the same answer as another call")


def _timeout(phase: str, cause: str) -> Outcome:
    return Outcome(kind=Kind.TIMEOUT, phase=phase, cause=cause, by="single_flight", status=504)
