"""The breaker that most Python services deploy, driven so that it is right under asyncio.

pybreaker never sees the awaited work: it would take the making of a coroutine for a success, a cancellation
for a failure, let every waiting call through when half open, and read the wall clock. It counts and keeps
the state; who may enter, and when, is decided here from the loop's time. The classified outcome is replayed
through it with a plain function once the attempt is over.
"""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NoReturn

from pybreaker import STATE_CLOSED, STATE_OPEN, CircuitBreaker

from policies.bounds import check, check_word
from policies.call import Attempt
from policies.evidence import Evidence, lesson
from policies.outcome import Outcome
from policies.policy import Gate, Lease, Rejection

SCOPES = ("worker", "service")


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerPybreaker(Gate):
    """Opens after failures in a row. Slow answers are successes to it: it knows no slow calls.

    Attributes:
        fail_max: failures in a row that open it.
        reset_timeout_s: time open before a probe may pass, and the longest that it keeps the next one back.
        success_threshold: probes that must succeed, one after the other, to close it.
        scope: `worker`, a breaker each, or `service`, one for all as most deployments have it.
    """

    name: ClassVar[str] = "breaker_pybreaker"
    meaning: ClassVar[str] = "shuts out after failures in a row, through pybreaker; blind to slow answers"

    fail_max: int = 5
    reset_timeout_s: float = 60.0
    success_threshold: int = 1
    scope: Literal["worker", "service"] = "worker"

    _circuits: dict[str, "_Circuit"] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "fail_max", "success_threshold", at_least=1, whole=True)
        check(self, "reset_timeout_s", above=0)
        check_word(self, "scope", of=SCOPES)

    def weight(self, worker: str, now: float) -> float:
        circuit = self._circuits.get(self._key(worker))
        return 1.0 if circuit is None or circuit.refusal(now) is None else 0.0

    def enter(self, attempt: Attempt) -> Lease | Rejection:
        circuit = self._circuits.get(self._key(attempt.worker)) or self._new_circuit(attempt.worker)
        return circuit.enter(attempt.started_s)

    def describe(self, worker: str, now: float) -> str:
        circuit = self._circuits.get(self._key(worker))
        state = STATE_CLOSED if circuit is None else circuit.state(now)
        return "" if state == STATE_CLOSED else f"{self.name} {state}"

    def _key(self, worker: str) -> str:
        return worker if self.scope == "worker" else "service"

    def _new_circuit(self, worker: str) -> "_Circuit":
        breaker = CircuitBreaker(
            fail_max=self.fail_max,
            success_threshold=self.success_threshold,
            throw_new_error_on_trip=False,
        )
        circuit = self._circuits[self._key(worker)] = _Circuit(breaker, self.reset_timeout_s)
        return circuit


@dataclass(slots=True)
class _Circuit:
    """One pybreaker and what it cannot know: the loop's time, the probe that is out, the epoch."""

    breaker: CircuitBreaker
    reset_timeout_s: float
    opened_s: float = 0.0
    epoch: int = 0  # changes with every opening and closing
    probe: "_Lease | None" = None

    def state(self, now: float) -> str:
        """pybreaker's state, with the end of the open time by the loop's clock."""
        state: str = self.breaker.current_state
        return "half-open" if state == STATE_OPEN and self._open_until_s() <= now else state

    def refusal(self, now: float) -> Rejection | None:
        state = self.state(now)
        if state == STATE_CLOSED:
            return None
        if state == STATE_OPEN:
            return Rejection("the breaker is open", self._open_until_s() - now)
        if self.probe is not None and now < self.probe.started_s + self.reset_timeout_s:
            return Rejection("the breaker is half open and its probe is still out")
        return None

    def enter(self, now: float) -> Lease | Rejection:
        refusal = self.refusal(now)
        if refusal is not None:
            return refusal
        lease = _Lease(self, self.epoch, now)
        if self.breaker.current_state == STATE_OPEN:
            self.breaker.half_open()
        if self.breaker.current_state != STATE_CLOSED:
            self.probe = lease
        return lease

    def close(self, lease: "_Lease", outcome: Outcome, now: float) -> None:
        if self.probe is lease:
            self.probe = None
        learned = lesson(outcome).worker
        if lease.epoch == self.epoch and learned is not Evidence.NOTHING:
            self._replay(learned is Evidence.FAILURE, now)

    def _replay(self, failed: bool, now: float) -> None:
        before = self.breaker.current_state
        with suppress(_FailedAttempt):
            self.breaker.call(_fail if failed else _succeed)
        if self.breaker.current_state == before:
            return
        self.epoch += 1
        if self.breaker.current_state == STATE_OPEN:
            self.opened_s = now

    def _open_until_s(self) -> float:
        return self.opened_s + self.reset_timeout_s


@dataclass(slots=True, eq=False)
class _Lease(Lease):
    circuit: _Circuit
    epoch: int
    started_s: float

    def close(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        self.circuit.close(self, outcome, now)


class _FailedAttempt(Exception):
    """Stands in pybreaker for an attempt that failed."""


def _fail() -> NoReturn:
    raise _FailedAttempt


def _succeed() -> None:
    """Stands in pybreaker for an attempt that went well."""
