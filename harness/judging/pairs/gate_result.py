"""What a gate found, as data: the schema of `gate.json`. Every rendering is a pure function of it.

Additions keep the version; a changed meaning raises it. Infinity is written as the string "Infinity".
"""

from typing import Literal, Self

from harness.judging.pairs.cell import CellResult, Share
from harness.judging.pairs.objective import Bound, During, Level
from harness.judging.pairs.score import PolicyScore
from harness.judging.result import Guard, Part, Verdict


class ObjectiveResult(Part):
    """One objective over several pairs. `value` is their median, `lower` and `upper` its exact interval.

    All three are None where the figure could not be had. Against the control or the baseline they are ratios.
    """

    id: str
    metric: str
    of: str
    during: During
    bound: Bound
    limit: float
    level: Level
    line: int  # in the file, 0 if it comes from none
    words: str  # what it is about
    unit: str
    verdict: Verdict
    value: float | None
    lower: float | None
    upper: float | None
    chance: float | None  # of such figures if the limit were kept: below what Holm allows it is broken
    pairs: int  # that have the figure
    samples: int | None  # requests in the pair that has fewest; None: not a figure of requests
    each: dict[int, float | None]  # by seed, of the pairs that count
    why: str = ""  # what keeps it undecided, or makes it broken without a figure
    settle: str = ""  # what would decide it

    @property
    def blocks(self) -> bool:
        return self.level == "block"

    @property
    def worst_seed(self) -> int | None:
        """Of the pair that speaks loudest against it; None where no pair has a figure."""
        known = {seed: value for seed, value in self.each.items() if value is not None}
        if not known:
            return None
        return (max if self.bound.startswith("max") else min)(known, key=known.__getitem__)


class GateCell(Part):
    """One fault under the candidate. `cell` holds the pairs, their spread and the law."""

    fault: str
    policy: str
    verdict: Verdict
    objectives: list[ObjectiveResult]
    checks: list[Guard]
    cell: CellResult
    baseline: CellResult | None = None  # measured in the same job
    score: PolicyScore | None = None  # where the faulted worker was removed, too
    dead: Share | None = None  # how many runs spread in which it was dead and not slow


class Machine(Part):
    """On which the wall clock ran. Times measured on one say nothing about another."""

    cpu: str
    cores: int
    gpu: str
    python: str
    torch: str


class GateResult(Part):
    """One candidate judged under one or several faults."""

    schema_id: Literal["limplock.gate"] = "limplock.gate"
    schema_version: Literal[1] = 1
    verdict: Verdict
    headline: str  # the verdict in one sentence
    file: str
    engine: Literal["torch", "virtual"]
    version: str
    scenario: str
    policy: str
    baseline: str  # its policy, or the file of its result; empty: none
    seed: int
    load: str  # what was asked for, and which capacity it is a share of
    costs: str  # of virtual runs
    machine: Machine | None  # None: in virtual time, which is the same everywhere
    looks: list[int]
    error_each: float  # of one look, two-sided
    cells: list[GateCell]
    clean: bool
    notes: list[str]

    def to_json(self) -> str:
        return self.model_dump_json(indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """ValueError, of pydantic's kind, for anything that is not a result of this version."""
        return cls.model_validate_json(text)
