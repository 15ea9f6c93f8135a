"""What a sweep runs: all that decides its results, checked whole before anything is started."""

import shlex
from collections.abc import Iterator
from importlib.metadata import version
from itertools import product

import msgspec

from harness.config import find_scenario
from harness.errors import BadInput
from harness.fault_text import with_fault
from harness.fleet import Fleet, resize
from harness.judging.swept import Axes, Cell
from harness.scenario import Scenario
from harness.serving.cost_model import Costs
from harness.sweeping.values import listed
from harness.virtual_run import VirtualRun

MOST_RUNS = 20_000
MOST_REQUESTS = 500_000_000  # of all runs together; most of a day on two cores
MOST_REFINE = 10


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two of the same make the same rows. How far zones are refined is not in it, nor how many processes."""

    scenario: str
    axes: Axes
    workers: int | None = None
    max_queue: int | None = None
    costs: Costs
    version: str = msgspec.field(default_factory=lambda: version("limplock"))
    fault: str = ""  # in place of the scenario's own

    @property
    def title(self) -> str:
        """`slow_worker`, or `slow_worker with slow_decode(factor=10)`."""
        return f"{self.scenario} with {self.fault}" if self.fault else self.scenario

    @property
    def pool(self) -> int:
        """How many workers there are."""
        return self.workers or find_scenario(self.scenario).topology.workers

    def check(self, refine: int) -> None:
        """BadInput, naming the cell, for what cannot be run or is too much."""
        scenario = with_fault(find_scenario(self.scenario), self.fault)
        if not 0 <= refine <= MOST_REFINE:
            raise BadInput(f"--refine must be 0 to {MOST_REFINE}, got {refine}")
        if self.axes.seeds < 1:
            raise BadInput(f"--seeds must be at least 1, got {self.axes.seeds}")
        _check_factor(scenario)
        runs = self.most_runs(refine)
        if runs > MOST_RUNS:
            raise BadInput(
                f"{runs:,} runs asked ({self.axes.cells:,} cells, {self.axes.seeds:,} seeds each, and what"
                f" --refine {refine} may add); at most {MOST_RUNS:,} are accepted: fewer values or --seeds"
            )
        requests = sum(self._requests(scenario, cell) for cell in self.sizes()) * self.axes.seeds
        requests *= len(self.axes.presets)
        if requests > MOST_REQUESTS:
            raise BadInput(
                f"this sweep would ask {requests:,.0f} requests; at most {MOST_REQUESTS:,} are accepted:"
                " fewer values, --seeds or --workers"
            )

    def most_runs(self, refine: int) -> int:
        """Of the grid, and of the refinement if every load has a zone."""
        axes = self.axes
        lines = len(axes.presets) * len(axes.slow) * len(axes.loads)
        return (axes.cells + lines * refine) * axes.seeds

    def cells(self) -> Iterator[Cell]:
        """The grid: everything of a preset together."""
        axes = self.axes
        for preset, slow, load, factor in product(axes.presets, axes.slow, axes.loads, axes.factors):
            yield Cell(preset, slow, load, factor)

    def sizes(self) -> Iterator[Cell]:
        """A cell of each size; the preset changes none."""
        return (cell for cell in self.cells() if cell.preset == self.axes.presets[0])

    def seeds(self) -> range:
        return range(self.axes.first_seed, self.axes.first_seed + self.axes.seeds)

    def fleet(self, cell: Cell) -> Fleet:
        return Fleet(
            workers=self.workers,
            slow=cell.slow,
            load=cell.load,
            factor=cell.factor,
            max_queue=self.max_queue,
        )

    def run(self, cell: Cell, seed: int) -> VirtualRun:
        return VirtualRun(
            scenario=self.scenario,
            preset=cell.preset,
            seed=seed,
            costs=self.costs,
            fleet=self.fleet(cell),
            version=self.version,
            fault=self.fault,
        )

    def command(self, out: str, costs: str, refine: int) -> str:
        """What goes on with this sweep in the folder `out`; `costs` as they were asked for."""
        axes = self.axes
        words = ["limplock", "sweep", self.scenario, *(f"--policy={preset}" for preset in axes.presets)]
        words += [f"--load={listed(axes.loads)}", f"--factor={listed(axes.factors)}"]
        words += [f"--slow={listed(axes.slow)}", f"--seeds={axes.seeds}", f"--seed={axes.first_seed}"]
        words += [f"--fault={self.fault}"] if self.fault else []
        words += [f"--workers={self.workers}"] if self.workers is not None else []
        words += [f"--max-queue={self.max_queue}"] if self.max_queue is not None else []
        return shlex.join([*words, f"--costs={costs}", f"--refine={refine}", f"--out={out}"])

    def _requests(self, scenario: Scenario, cell: Cell) -> float:
        """Of one run."""
        try:
            resized = resize(scenario, self.fleet(cell), self.costs)
        except BadInput as refused:
            raise BadInput(f"cell {cell.words}: {refused}") from refused
        return sum(caller.rate_rps for caller in resized.callers) * resized.phases.load_s


def _check_factor(scenario: Scenario) -> None:
    if scenario.fault is None:
        raise BadInput(f"scenario '{scenario.name}' has no fault to sweep over. See: limplock list scenarios")
    if "factor" not in scenario.fault.parameters():
        whose = "--fault" if scenario.fault_replaced else f"the fault of '{scenario.name}'"
        raise BadInput(f"{whose}, {scenario.fault.kind}, has no factor to sweep over; slow_steps has")
