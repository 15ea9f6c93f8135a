"""The keys of a gate's file and what may stand behind each; the schema for editors is made of them, too.

Amounts stay as they were written: what they mean depends on the metric.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema

from harness.fleet import MOST_WORKERS
from harness.gating.quantity import Written as Quantity
from harness.judging.pairs.objective import BOUNDS, Bound, During, Level, OnMissing

FEWEST_PAIRS, MOST_PAIRS = 6, 30
LONGEST_NAME = 40


def _quantity(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("takes a number, or text such as 2 s or 2%")
    return value


Amount = Annotated[Quantity, PlainValidator(_quantity), WithJsonSchema({"type": ["number", "string"]})]
Name = Annotated[str, Field(max_length=100)]
Text = Annotated[str, Field(min_length=1, max_length=10_000)]


class Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class WrittenBaseline(Part):
    """What the candidate is compared with."""

    policy: Text | None = Field(
        default=None, description="measured in the same job: preset, pipeline or FILE.policy"
    )
    result: Text | None = Field(
        default=None, description="gate.json of an earlier gate, relative to this file"
    )


class WrittenPairs(Part):
    """How many pairs of runs, one with the fault and its control without."""

    least: int = Field(
        default=8, ge=FEWEST_PAIRS, le=MOST_PAIRS, description="pairs before the first verdict"
    )
    most: int = Field(
        default=12, ge=FEWEST_PAIRS, le=MOST_PAIRS, description="pairs where fewer cannot decide"
    )
    confidence: Amount = Field(default=0.95, description="of all objectives and looks together, 0.5 to 0.999")


class WrittenPhases(Part):
    """Lengths of a run's phases; the scenario's own by default."""

    warm_up_s: Amount | None = Field(default=None, description="before anything is measured")
    baseline_s: Amount | None = Field(default=None, description="without the fault, window `before`")
    fault_s: Amount | None = Field(default=None, description="with it, windows `fault` and `control`")
    recovery_s: Amount | None = Field(default=None, description="without it again, window `after`")


class WrittenObjective(Part):
    """A bound on a metric. Exactly one of the six bounds."""

    id: str = Field(
        description="letters, digits, - and _; named in every report",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$",
        max_length=LONGEST_NAME,
    )
    metric: Name = Field(description="see `limplock list metrics`; percentiles as ttft_s.p99_all")
    of: Name = Field(
        default="", description="a caller, service, worker or the gateway; without it the whole run"
    )
    during: During = Field(
        default="fault", description="control: the same window of the run without the fault"
    )
    max: Amount | None = Field(default=None, description="this and no more, in the metric's unit")
    min: Amount | None = Field(default=None, description="this and no less, in the metric's unit")
    max_vs_control: Amount | None = Field(
        default=None, description="so many times the control's figure, no more"
    )
    min_vs_control: Amount | None = Field(
        default=None, description="so many times the control's figure, no less"
    )
    max_vs_baseline: Amount | None = Field(default=None, description="so many times the baseline's, no more")
    min_vs_baseline: Amount | None = Field(default=None, description="so many times the baseline's, no less")
    level: Level = Field(default="block", description="only block fails the gate")
    on_missing: OnMissing = Field(
        default="inconclusive", description="what a figure that is not to be had means"
    )

    def bounds(self) -> dict[Bound, Quantity]:
        """Those that are given."""
        each: dict[Bound, Quantity | None] = {bound: getattr(self, bound) for bound in BOUNDS}
        return {bound: limit for bound, limit in each.items() if limit is not None}


class WrittenGuard(Part):
    """What stops the whole job: the system is in danger, and no verdict is worth that."""

    metric: Name = Field(description="a single figure of a caller or hop")
    of: Name = Field(default="", description="a caller, service, worker or the gateway")
    over: Amount = Field(description="in the metric's unit")
    for_: Amount = Field(alias="for", description="so long without a break")


class WrittenGate(Part):
    """A gate: one candidate under one or several faults, and what must hold."""

    version: int = Field(default=1, ge=1, le=1, description="of this format")
    engine: Literal["torch", "virtual"] = Field(
        default="torch", description="torch: real processes; virtual: in virtual time, for pull requests"
    )
    scenario: Name = Field(default="slow_worker", description="whose services, callers and phases")
    workers: int | None = Field(default=None, ge=1, le=MOST_WORKERS, description="the scenario's by default")
    load: Amount | None = Field(
        default=None, description="share of the measured healthy capacity, 0.65 or 65%"
    )
    phases: WrittenPhases = WrittenPhases()
    faults: list[Text] | None = Field(
        default=None, description="each on its own, as `limplock run --fault`", min_length=1, max_length=16
    )
    policy: Text = Field(
        default="", description="the candidate: preset, pipeline or FILE.policy beside this file"
    )
    baseline: WrittenBaseline | None = None
    pairs: WrittenPairs = WrittenPairs()
    seed: int = Field(default=1, ge=0, le=2**63 - 1, description="of load and policies")
    objectives: list[WrittenObjective] = Field(
        default=[], description="all of them must hold; there is no score"
    )
    guards: list[WrittenGuard] = []
