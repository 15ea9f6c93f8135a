"""Several attempts of a call side by side: the first content token wins, the others are given up at once."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from policies.call import Call, Chunk
from policies.outcome import Kind, Outcome
from policies.policy import Next
from policies.retries.retry import retryable

MayHedge = Callable[[Call, float], bool]


@dataclass(slots=True, eq=False)
class Race:
    """`may_hedge` is asked before each attempt beyond the first, of which there are at most `left`."""

    call: Call
    next: Next
    left: int
    may_hedge: MayHedge
    winner: "Racer | None" = None
    _racers: "list[Racer]" = field(default_factory=list)
    _running: int = 0
    _failed: Outcome | None = None  # the latest ending that another attempt could mend
    _delay_s: float | None = None  # before each hedge, once it is known
    _timer: asyncio.TimerHandle | None = None
    _over: "asyncio.Future[Outcome]" = field(default_factory=lambda: _future())

    async def run(self, delay_s: float | None) -> Outcome:
        """The ending of the winner, or of the last to fail. `delay_s` None: `hedge_after` says it later."""
        self._start(hedge=False)
        if delay_s is not None:
            self.hedge_after(delay_s)
        try:
            return await self._over
        finally:
            self._stop_timer()
            await self._give_up([racer for racer in self._racers if not racer.task.done()])

    def hedge_after(self, delay_s: float) -> None:
        """Fire an attempt so long after the latest, again and again, unless that is settled already."""
        if self._delay_s is None:
            self._delay_s = delay_s
            self._set_timer()

    def win(self, racer: "Racer") -> None:
        """From now on the caller gets what this one says, beginning with what it has said."""
        self.winner = racer
        self._stop_timer()
        for loser in self._racers:
            if loser is not racer:
                loser.task.cancel()
        self.call.served_by = racer.call.served_by
        self.call.committed = racer.call.committed
        for chunk in racer.held:
            self.call.sink(chunk)
        racer.held.clear()

    def _start(self, *, hedge: bool) -> None:
        racer = Racer(self)
        racer.call = self.call.fork(racer, hedge=hedge)
        racer.task = asyncio.ensure_future(self.next(racer.call))
        racer.task.add_done_callback(lambda _: self._ended(racer))
        self._racers.append(racer)
        self._running += 1

    def _hedge(self) -> bool:
        """Fire another attempt, at a worker that has none of this call."""
        if not self.left or not self.may_hedge(self.call, asyncio.get_running_loop().time()):
            return False
        self.left -= 1
        self.call.avoid.add(self.call.last_worker)
        self._start(hedge=True)
        self._set_timer()
        return True

    def _ended(self, racer: "Racer") -> None:
        self._running -= 1
        if self._over.done() or self.winner not in (None, racer):
            return
        if racer.task.cancelled():
            self._over.cancel()  # not by us, so whoever did it means the call
        elif (broken := racer.task.exception()) is not None:
            self._over.set_exception(broken)
        else:
            self._judge(racer, racer.task.result())

    def _judge(self, racer: "Racer", outcome: Outcome) -> None:
        if self.winner is None and outcome.answered:
            self.win(racer)
        if self.winner is racer:
            self._over.set_result(outcome)
        elif retryable(outcome):
            self._failed = outcome
            if not self._hedge() and not self._running:
                self._over.set_result(outcome)
        elif outcome.kind not in (Kind.REJECTED, Kind.ABANDONED):
            self._over.set_result(outcome)  # no other attempt could end better
        elif not self._running:
            self._over.set_result(self._failed or outcome)

    async def _give_up(self, racers: "list[Racer]") -> None:
        for racer in racers:
            racer.task.cancel()
        if racers:
            await asyncio.wait([racer.task for racer in racers])

    def _set_timer(self) -> None:
        self._stop_timer()
        if self.left and self._delay_s is not None and self._delay_s < float("inf"):
            self._timer = asyncio.get_running_loop().call_later(self._delay_s, self._hedge)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Racer:
    """One attempt in a race, and the sink of its call: holds what it says until it has won.

    An answer that does not stream wins when it is whole.
    """

    __slots__ = ("call", "held", "race", "task")

    call: Call
    task: "asyncio.Future[Outcome]"

    def __init__(self, race: Race) -> None:
        self.race = race
        self.held: list[Chunk] = []

    def __call__(self, chunk: Chunk) -> None:
        race = self.race
        if race.winner is self:
            race.call.sink(chunk)
        elif race.winner is None:
            self.held.append(chunk)
            if chunk.tokens and race.call.stream:
                race.win(self)


def _future() -> "asyncio.Future[Outcome]":
    return asyncio.get_running_loop().create_future()
