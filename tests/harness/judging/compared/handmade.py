"""Pairs of histories written by hand: evenly spaced requests whose every figure is known.

The baseline is from 2 to 12 s, the fault (at worker-0) from 12 to 32 s, the recovery up to 62 s. `chat` sends
10 requests a second, in turn to four workers; `tenant` 5, never to worker-0; `local` 10, to none.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from harness.judging.case import Case, lay_out_pair
from harness.judging.compared import compare
from harness.judging.history import (
    AnyRecord,
    Arrived,
    Attempted,
    CallerSetup,
    Ended,
    FaultChanged,
    FaultSetup,
    Finished,
    Gauge,
    History,
    Hop,
    PhaseStarted,
    Setup,
    Visit,
)
from harness.judging.result import Measure

START_S, END_S, LAST_S = 12.0, 32.0, 62.0
STEP_S, TOKENS, USUAL_S = 0.1, 10, 0.5
WORKERS = ("worker-0", "worker-1", "worker-2", "worker-3")
CALLERS = (
    CallerSetup(name="chat", hop="api", rate_rps=10, inference=True, max_tokens=TOKENS),
    CallerSetup(name="tenant", hop="api", rate_rps=5, inference=True, bystander=True, max_tokens=TOKENS),
    CallerSetup(name="local", hop="api", rate_rps=10, inference=False, bystander=True),
)
SERVICE, GATEWAY = Hop(name="api", slots=24), Hop(name="gateway")


def fault(at_s: float) -> bool:
    return START_S <= at_s < END_S


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a request: how long it waits for a slot and is served, by whom, and how it ends."""

    took_s: float = USUAL_S
    waited_s: float = 0.0
    worker: str = ""  # empty: whose turn it is
    kind: str = "ok"
    used: int = TOKENS  # tokens of its only attempt


Fates = Callable[[str, int, float], Fate]  # by caller, number, intended send time


@dataclass(frozen=True, slots=True)
class Plan:
    """One run of the pair."""

    faulted: bool
    fates: Fates
    seats: int = 8
    running: Callable[[float], float] = lambda at_s: 2.0
    up: Callable[[float], float] = lambda at_s: 1.0
    health_s: Callable[[float], float] | None = None
    timeout_s: float | None = None
    heals: bool = True
    last_s: float = LAST_S
    sent: Callable[[int, float], bool] = lambda number, at_s: True
    shift_s: float = 0.0  # of everything

    def history(self) -> History:
        records = [
            self._setup(),
            *self._phases(),
            *self._gauges(),
            *(record for caller in CALLERS for record in self._requests(caller)),
            Finished(at_s=self.last_s + 40 + self.shift_s, clean=True),
        ]
        return History(records)

    def _setup(self) -> Setup:
        slow = FaultSetup(
            kind="slow_steps", workers=["worker-0"], parameters={"factor": 10}, quantity="step time",
            asked=10.0, unit="x", heals=self.heals,
        )  # fmt: skip
        return Setup(
            scenario="by hand", preset="none", seed=1, version="0", hops=[SERVICE, GATEWAY],
            workers=list(WORKERS), callers=list(CALLERS), fault=slow if self.faulted else None,
            timeout_s=self.timeout_s, max_num_seqs=self.seats, engine="cost model",
        )  # fmt: skip

    def _phases(self) -> Iterator[AnyRecord]:
        starts = {"warm_up": 0.0, "baseline": 2.0, "fault": START_S, "recovery": END_S, "drain": self.last_s}
        for phase, at_s in starts.items():
            yield PhaseStarted(at_s=at_s + self.shift_s, phase=phase)
        if self.faulted:
            yield FaultChanged(at_s=START_S + self.shift_s, active=True)
            yield FaultChanged(at_s=END_S + self.shift_s, active=False)

    def _gauges(self) -> Iterator[AnyRecord]:
        for name in WORKERS:
            spent_s = 0.0
            for tick in range(1, int(2 * self.last_s)):
                at_s = tick / 2
                slow = self.faulted and name == "worker-0" and fault(at_s)
                spent_s += 5 * STEP_S * (10 if slow else 1)
                values = {"up": self.up(at_s), "running": self.running(at_s), "waiting": 0.0}
                values |= {"steps": 5.0 * tick, "step_seconds": spent_s}
                yield Gauge(at_s=at_s + self.shift_s, place=name, values=values)
                if self.health_s is not None:
                    asked = {"health_s": self.health_s(at_s)}
                    yield Gauge(at_s=at_s + self.shift_s, place=f"health {name}", values=asked)

    def _requests(self, caller: CallerSetup) -> Iterator[AnyRecord]:
        for number in range(int((self.last_s - 1) * caller.rate_rps)):
            intended_s = 1 + number / caller.rate_rps
            if self.sent(number, intended_s):
                yield from self._request(caller, number, intended_s)

    def _request(self, caller: CallerSetup, number: int, intended_s: float) -> Iterator[AnyRecord]:
        fate, name, at_s = self.fates(caller.name, number, intended_s), f"{caller.name}-{number}", intended_s
        at_s += self.shift_s
        granted_s = at_s + fate.waited_s
        end_s = granted_s + (fate.took_s if caller.inference else 0.0)
        yield Arrived(at_s=at_s, request=name, caller=caller.name, intended_s=at_s)
        for hop, came_s in (
            ((SERVICE, at_s), (GATEWAY, granted_s)) if caller.inference else ((SERVICE, at_s),)
        ):
            yield Visit(
                at_s=end_s, hop=hop.name, request=name, arrived_s=came_s, granted_s=granted_s, kind=fate.kind
            )
        if caller.inference:
            turn = WORKERS[number % 4] if caller.name == "chat" else WORKERS[1 + number % 3]
            yield Attempted(
                at_s=end_s, request=name, number=1, worker=fate.worker or turn, started_s=granted_s,
                kind=fate.kind, tokens=fate.used,
            )  # fmt: skip
        tokens = TOKENS if caller.inference and fate.kind == "ok" else 0
        yield Ended(at_s=end_s, request=name, kind=fate.kind, tokens=tokens)


def usual(caller: str, number: int, at_s: float) -> Fate:
    return Fate()


def laid_out(fates: Fates = usual, *, calm: Fates = usual, shift_s: float = 0.0, **plan: object) -> Case:
    """The run with the fault, held against its control."""
    with_fault, control = Plan(True, fates, **plan), Plan(False, calm, **plan | {"shift_s": shift_s})
    case, _ = lay_out_pair(with_fault.history(), control.history())
    return case


def measured(fates: Fates = usual, **plan: object) -> dict[tuple[str, str], Measure]:
    """All measures of the pair by name and whom they are about; of several quantiles the highest."""
    return {(each.name, each.about): each for each in compare(laid_out(fates, **plan), depth=0)}
