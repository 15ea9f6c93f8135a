"""The amounts of a gate that do not depend on a metric: load, phases and confidence."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from harness.gating.problem import Problem
from harness.gating.quantity import Written, read_seconds, read_share
from harness.gating.written import WrittenGate, WrittenPhases
from harness.gating.yaml_text import Place, line_of

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.999
LONGEST_PHASE_S = 3600.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What is wrong is added to `problems`, and what the default is stands in its place."""

    written: WrittenGate
    lines: Mapping[Place, int]
    problems: list[Problem]

    def load_ratio(self) -> float | None:
        return self._read(_load, self.written.load, "load")

    def phases(self) -> dict[str, float]:
        """Only those that are given."""
        read = {
            name: self._read(_phase_of(name), getattr(self.written.phases, name), "phases", name)
            for name in WrittenPhases.model_fields
        }
        return {name: length_s for name, length_s in read.items() if length_s is not None}

    def confidence_ratio(self) -> float:
        return self._read(_confidence, self.written.pairs.confidence, "pairs", "confidence") or 0.95

    def _read(self, reader: Callable[[Written], float], written: Written | None, *place: str) -> float | None:
        if written is None:
            return None
        try:
            return reader(written)
        except ValueError as wrong:
            self.problems.append(Problem(line_of(self.lines, *place), f"{'.'.join(place)}: {wrong}"))
            return None


def _load(written: Written) -> float:
    ratio = read_share(written)
    if ratio == 0:
        raise ValueError("0 is no load. Write a share of the healthy capacity, such as 0.65")
    return ratio


def _confidence(written: Written) -> float:
    ratio = read_share(written)
    if not LEAST_CONFIDENCE <= ratio <= MOST_CONFIDENCE:
        raise ValueError(
            f"{ratio:g} is out of {LEAST_CONFIDENCE} to {MOST_CONFIDENCE}. Write one such as 0.95"
        )
    return ratio


def _phase_of(name: str) -> Callable[[Written], float]:
    def read(written: Written) -> float:
        length_s = read_seconds(written)
        if length_s > LONGEST_PHASE_S or (length_s == 0 and name != "warm_up_s"):
            raise ValueError(
                f"{length_s:g} s is out of range. Write more than 0 and at most {LONGEST_PHASE_S:g}"
            )
        return length_s

    return read
