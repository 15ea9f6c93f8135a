"""A connection stays with its worker until an attempt fails there: keep-alive and session affinity."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check
from policies.call import Attempt, Call
from policies.candidates import Candidate, Candidates
from policies.evidence import Evidence, lesson
from policies.outcome import Outcome
from policies.policy import Picker

EACH = 2  # connections of a caller for each worker, as a pool that grows with what it is in front of
MOST_CALLERS = 1024  # whose connections are remembered: those that called last


@dataclass(slots=True, eq=False)
class _Connection:
    """`worker`: where it leads; `failed`: an attempt failed there since."""

    worker: str
    failed: bool = False


@dataclass(slots=True, eq=False)
class _Caller:
    """A caller, the `number`th of all, with its connections, which its calls take in turn."""

    number: int
    calls: int = 0
    connections: dict[int, _Connection] = field(default_factory=dict)


@dataclass(slots=True)
class _State:
    callers: OrderedDict[str, _Caller] = field(default_factory=OrderedDict)
    seen: int = 0
    picked: _Connection = field(default_factory=lambda: _Connection(""))
    under_way: dict[Attempt, _Connection] = field(default_factory=dict)

    def caller(self, name: str) -> _Caller:
        known = self.callers.get(name)
        if known is None:
            known = self.callers[name] = _Caller(self.seen)
            self.seen += 1
            if len(self.callers) > MOST_CALLERS:
                self.callers.popitem(last=False)
        self.callers.move_to_end(name)
        return known


@dataclass(frozen=True, slots=True, kw_only=True)
class PinUntilError(Picker):
    """The connections of a caller are spread over the pool. One whose attempt failed, or whose worker is
    shut, goes on to the next worker in pool order and stays there.

    Deliberately bad, as a row to compare with: a slow worker answers, so its connections stay with it; and
    one that has healed gets none back.

    Attributes:
        connections: of each caller, used in turn; 1 for one worker per caller. None: two for each worker.
    """

    name: ClassVar[str] = "pin_until_error"
    meaning: ClassVar[str] = "keeps each connection of a caller on one worker until an attempt fails there"

    connections: int | None = None

    _state: _State = field(default_factory=_State, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.connections is not None:
            check(self, "connections", at_least=1, whole=True)

    def pick(self, call: Call, candidates: Candidates) -> Candidate | None:
        caller, workers = self._state.caller(call.caller), candidates.workers
        if not workers:
            return None
        place = caller.calls % (self.connections or EACH * len(workers))
        caller.calls += 1
        connection = caller.connections.get(place)
        if connection is None:
            connection = _Connection(workers[(caller.number + place) % len(workers)])
            caller.connections[place] = connection
        chosen = _follow(connection, call, candidates)
        self._state.picked = connection
        return chosen

    def attempt_started(self, attempt: Attempt) -> None:
        self._state.under_way[attempt] = self._state.picked  # nothing comes between a pick and its attempt

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        connection = self._state.under_way.pop(attempt)
        if connection.worker == attempt.worker and lesson(outcome).worker is Evidence.FAILURE:
            connection.failed = True


def _follow(connection: _Connection, call: Call, candidates: Candidates) -> Candidate | None:
    """The worker that the connection leads to, from now on another one if need be."""
    allowed = call.workers is None or connection.worker in call.workers
    chosen = candidates.look(connection.worker) if allowed and not connection.failed else None
    if chosen is None:
        others = map(candidates.look, _after(connection.worker, candidates))
        chosen = next((other for other in others if other is not None), None)
    if chosen is not None:
        connection.worker, connection.failed = chosen.worker, False
    return chosen


def _after(worker: str, candidates: Candidates) -> Iterator[str]:
    """All workers in pool order, beginning behind `worker`, which comes last."""
    workers = candidates.workers
    start = workers.index(worker) + 1 if worker in workers else 0
    return (workers[(start + step) % len(workers)] for step in range(len(workers)))
