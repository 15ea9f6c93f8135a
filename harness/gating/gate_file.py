"""What a gate's file says, read and checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from harness.gating.yaml_text import Place, line_of
from harness.judging.pairs.objective import Objective

Engine = Literal["torch", "virtual"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What the candidate is compared with: exactly one of the two."""

    policy: str = ""  # measured in the same job
    result: Path | None = None  # of an earlier gate


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsPlan:
    """How many pairs, and how sure all objectives and looks are to be together."""

    least: int = 8
    most: int = 12
    confidence_ratio: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class StopIf:
    """A guard: the job is stopped once `metric` of `of` was over `over` for `for_s` on end."""

    metric: str
    of: str
    over: float
    for_s: float
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFile:
    """One candidate under one or several faults, and what must hold.

    Attributes:
        workers: None is as many as the scenario has.
        load_ratio: of the measured healthy capacity; None is the scenario's own rates.
        phases: lengths that differ from the scenario's, by field of its `Phases`.
        faults: as text, each on its own; empty is the scenario's own.
        policy: preset, pipeline as text, or the path of a file with one.
        lines: of every key and item.
    """

    path: Path
    engine: Engine = "torch"
    scenario: str = "slow_worker"
    workers: int | None = None
    load_ratio: float | None = None
    phases: Mapping[str, float] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    policy: str
    baseline: Baseline | None = None
    pairs: PairsPlan = PairsPlan()
    seed: int = 1
    objectives: tuple[Objective, ...] = ()
    guards: tuple[StopIf, ...] = ()
    lines: Mapping[Place, int] = field(default_factory=dict)

    def line_of(self, *place: str | int) -> int:
        """`gate.line_of("faults", 0)`; of what is not there: of what would be around it."""
        return line_of(self.lines, *place)
