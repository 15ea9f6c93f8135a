"""The judged run as data: the schema of `result.json`. Every rendering is a pure function of it.

Additions keep the version; a changed meaning raises it. Infinity is written as the string "Infinity"; a
figure that could not be had is null.
"""

from enum import StrEnum
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict

Voids = Literal["a pass", "any verdict"]


class Verdict(StrEnum):
    """PASS is contained, FAIL is spread (or a broken SLO), INCONCLUSIVE is neither."""

    PASS = "PASS"  # noqa: S105  # a verdict, no password
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")


class Trend(Part):
    """One figure before, during and after the fault; None where there were too few samples."""

    before: float | None = None
    during: float | None = None
    after: float | None = None


class Place(Part):
    """Pressure at one hop (see `pressure.py`). `slots` None: unbounded."""

    name: str
    kind: Literal["service", "gateway", "worker"]
    slots: int | None
    faulted: bool
    metrics: dict[str, Trend]
    full_after_s: float | None = None  # from the start of the fault until no slot was free for half a second


class Caller(Part):
    """What one caller saw. An answer after `good_within_s` is late. `outcomes` are those of the whole run."""

    name: str
    hop: str
    inference: bool
    bystander: bool
    good_within_s: float
    metrics: dict[str, Trend]
    outcomes: dict[str, int]


class Measure(Part):
    """One measure of spread (see `spread.py` and `compared`), with one-sided 99 % bounds.

    `before` and `during` are the raw figures behind `value`, in the unit of what is measured. What one pair
    has once has no bounds of its own: they are the value. What never happened while anybody looked is
    infinite, and its lower bound is for how long they looked.
    """

    name: str
    about: str  # caller or hop
    quantile: float | None = None
    value: float
    lower: float
    upper: float
    mild: float
    severe: float
    deciding: bool
    less: bool = False  # the smaller the worse
    before: float | None = None
    during: float | None = None

    @property
    def proved(self) -> bool:
        """Beyond mild, and not by chance."""
        return self.upper < self.mild if self.less else self.lower > self.mild

    @property
    def suspected(self) -> bool:
        """Beyond mild, perhaps by chance."""
        return self.proved or (self.value < self.mild if self.less else self.value > self.mild)


class Reached(Part):
    """A place whose load left the band that it keeps without the fault, and when: since the fault began."""

    place: str
    kind: Literal["caller", "service", "gateway", "worker"]
    after_s: float


class Bite(Part):
    """What the fault was asked to do and what its own site measured."""

    kind: str
    worker: str  # of several faulted ones that which was bitten least
    quantity: str
    unit: str
    less: bool = False  # the smaller the quantity the worse
    asked: float  # where the fault changes its strength: of the strongest that could be seen
    measured: float | None
    bit: bool
    as_asked: bool
    touched: int = 0  # attempts that were at a faulted worker while the fault was on
    slow_factor: float | None = None  # of its engine steps as a whole, whatever the quantity
    held_s: float | None = None  # mean time of an attempt there while the fault was strongest
    words: str


class Law(Part):
    """What queueing theory says of this load and this fault, without a policy (see `law.py`)."""

    words: str
    hop: str | None = None  # the service that fills first
    slots: int | None = None
    in_use: float | None = None  # of them while all is well
    arrivals_rps: float | None = None  # at all faulted workers together
    capacity_rps: float | None = None  # of one healthy worker at full batch
    step_s: float | None = None
    tokens: float | None = None
    rho: float | None = None  # of one faulted worker
    slow_factor: float | None = None
    rho_s: float | None = None
    slots_needed: float | None = None  # to hold all that is in flight; infinite if it grows without bound
    must_fill: bool | None = None  # None: too close to call, or no fault
    travel_s: float | None = None  # from the fault until the slots are gone, on average
    full_low_s: float | None = None  # the same with the chance of one run, and bounds instead of means
    full_high_s: float | None = None
    measured_s: float | None = None
    unavoidable_loss_ratio: float | None = None
    oracle_capture: float | None = None  # share of the requests under way that those hold, by Little
    applies: bool = False  # to this run: its preset sets no bound of its own, its fault never changes
    assumes: str = ""  # what is not so, where it does not apply
    contradicted: str = ""  # how the run contradicts the law: first of all a bug of ours


class Guard(Part):
    """A precondition. A broken one voids `a pass`, or `any verdict`."""

    name: str
    ok: bool
    voids: Voids
    words: str


class SloResult(Part):
    """One bound on one metric. `ok` None: the metric had too few samples."""

    words: str
    limit: float
    value: float | None
    ok: bool | None


class Cause(Part):
    """Why requests failed, as far as somebody said so. Target text, made safe to show."""

    kind: str
    phase: str
    by: str
    cause: str
    count: int


class Setting(Part):
    """What was run."""

    scenario: str
    preset: str
    seed: int
    version: str
    model: str
    device: str
    engine: str
    toxiproxy: str
    workers: list[str]
    max_num_seqs: int
    padded_step_s: float  # 0: steps take as long as they take
    timeout_s: float | None
    fault: str
    fault_parameters: dict[str, float]
    fault_shape: str = ""  # empty: all of it at once
    fault_fidelity: str = ""  # how near it is to a slow accelerator
    fault_text: str = ""  # as it was written, shares of the timeout included
    fault_replaces: bool = False  # it is not the scenario's own
    faulted_workers: list[str]
    fault_length_s: float
    run_length_s: float

    @property
    def fault_ordered(self) -> str:
        """The text of a fault that is not the scenario's own."""
        return self.fault_text if self.fault_replaces else ""


class RunResult(Part):
    """One judged run."""

    schema_id: Literal["limplock.result"] = "limplock.result"
    schema_version: Literal[2] = 2
    verdict: Verdict
    headline: str  # the verdict in one sentence
    reasons: list[str]
    setting: Setting
    law: Law
    bite: Bite | None
    guards: list[Guard]
    measures: list[Measure]
    slos: list[SloResult]
    places: list[Place]
    callers: list[Caller]
    metrics: dict[str, Trend]  # of the run as a whole
    offered: int
    outcomes: dict[str, int]  # they add up to `offered`
    causes: list[Cause]
    hop_depth: int
    clean: bool
    against: Literal["its own baseline", "its control"] = "its own baseline"  # what `before` of a measure is
    order: list[Reached] = []  # how pressure travelled: who left the band of the control, first one first
    replay: str = ""  # token of a virtual run: `limplock replay` makes the same history from it
    digest: str = ""  # SHA-256 of that history

    def to_json(self) -> str:
        return self.model_dump_json(indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """ValueError, of pydantic's kind, for anything that is not a result of this version."""
        return cls.model_validate_json(text)
