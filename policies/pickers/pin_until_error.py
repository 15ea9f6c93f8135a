"""One worker for a caller until an attempt fails there: what keep-alive and session affinity come to."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import ClassVar

from policies.call import Attempt, Call
from policies.candidates import Candidate, Candidates
from policies.evidence import Evidence, lesson
from policies.outcome import Outcome
from policies.policy import Picker

MOST_CALLERS = 4096  # of which a worker is remembered: those that called last


@dataclass(slots=True)
class _Pin:
    """A caller's worker; `failed`: an attempt failed there since."""

    worker: str
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PinUntilError(Picker):
    """A caller's first worker is drawn. After a failure, or where a gate is shut, the next in pool order.

    Deliberately bad, as a row to compare with: a slow worker answers, so its callers stay with it for good.
    """

    name: ClassVar[str] = "pin_until_error"
    meaning: ClassVar[str] = "keeps each caller on one worker until an attempt fails there"

    _pins: "OrderedDict[str, _Pin]" = field(
        default_factory=OrderedDict, init=False, repr=False, compare=False
    )

    def pick(self, call: Call, candidates: Candidates) -> Candidate | None:
        pin = self._pins.get(call.caller)
        chosen = _at(pin, call, candidates)
        if chosen is not None:
            self._pins[call.caller] = _Pin(chosen.worker)
            self._pins.move_to_end(call.caller)
            if len(self._pins) > MOST_CALLERS:
                self._pins.popitem(last=False)
        return chosen

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        pin = self._pins.get(attempt.call.caller)
        if pin is not None and pin.worker == attempt.worker:
            pin.failed = pin.failed or lesson(outcome).worker is Evidence.FAILURE


def _at(pin: _Pin | None, call: Call, candidates: Candidates) -> Candidate | None:
    if pin is None:
        return next(candidates.at_random(call.rng), None)
    allowed = call.workers is None or pin.worker in call.workers
    if allowed and not pin.failed and (here := candidates.look(pin.worker)) is not None:
        return here
    return next(filter(None, map(candidates.look, _after(pin.worker, candidates))), None)


def _after(worker: str, candidates: Candidates) -> list[str]:
    """All workers in pool order, beginning behind `worker`, which comes last."""
    workers = list(candidates.workers)
    start = workers.index(worker) + 1 if worker in workers else 0
    return workers[start:] + workers[:start]
