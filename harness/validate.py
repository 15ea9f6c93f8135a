"""`limplock validate`: the same plans virtual and real, side by side, with the ratio of each figure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from harness.config import COMPARED, check_toxiproxy, find_presets, find_scenario
from harness.errors import BadInput
from harness.exit_codes import ExitCode, worst
from harness.fault_text import find_faults
from harness.interrupts import interruptible
from harness.judging.fidelity import Fidelity, Row, compare
from harness.judging.pooling import pool_latencies
from harness.judging.reading import read_history
from harness.judging.result import RunResult, Setting, Verdict
from harness.real_deployment import Options
from harness.reporting.console import PipeConsole
from harness.reporting.fidelity import render_fidelity
from harness.results import HISTORY, new_folder, run_folder
from harness.serving.cost_model import Costs
from harness.serving.cost_store import CALIBRATED, REMEDY, choose_costs
from harness.serving.leftovers import refuse_leftovers
from harness.suite import Planned, plan_runs, run_all
from harness.verdict_codes import exit_code
from harness.virtual_run import VirtualRun

SCENARIOS = ("healthy", "slow_worker")
MODEL, DEVICE = "tiny", "cpu"  # steps padded as the scenario says; no GPU makes the same steps everywhere
MOST_RUNS = 20
FIDELITY = "fidelity.json"
SIDES = ("real", "virtual")

Pair = tuple[RunResult, RunResult]  # real, virtual


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What the command line asks for, checked: nothing of it can be refused later."""

    plan: Sequence[Planned]
    seeds: Sequence[int]
    costs: Costs
    options: Options

    def virtual(self, folder: Path) -> list[list[RunResult]]:
        """The results of each seed in the order of the plan."""
        with interruptible():
            return [[self._conduct(folder, planned, seed) for planned in self.plan] for seed in self.seeds]

    def real(self, folder: Path) -> list[list[RunResult]]:
        """The same of real runs. An interrupt keeps the files written so far."""
        return [run_all(self.plan, s, self.options, _seed_folder(folder, "real", s)) for s in self.seeds]

    def _conduct(self, folder: Path, planned: Planned, seed: int) -> RunResult:
        scenario, preset, fault = planned.scenario.name, planned.preset.name, planned.ordered
        run = VirtualRun(scenario=scenario, preset=preset, seed=seed, costs=self.costs, fault=fault)
        return run.conduct(run_folder(_seed_folder(folder, "virtual", seed), scenario, preset, fault))


def run_validate(
    scenarios: Sequence[str],
    policies: Sequence[str],
    seed: int,
    out: Path | None,
    toxiproxy: str,
    costs: str,
    runs: int,
    faults: Sequence[str] = (),
) -> ExitCode:
    """PASS within tolerance, FAIL outside, INCONCLUSIVE where a busy machine decided nothing."""
    presets, others = find_presets(policies or COMPARED), find_faults(faults)
    plan = [
        planned
        for scenario in dict.fromkeys(scenarios or SCENARIOS)
        for planned in plan_runs(find_scenario(scenario), presets, others)
    ]
    if not 1 <= runs <= MOST_RUNS:
        raise BadInput(f"--runs must be 1 to {MOST_RUNS}, got {runs}")
    options = Options(model=MODEL, device=DEVICE, toxiproxy=check_toxiproxy(toxiproxy))
    chosen = choose_costs(costs, MODEL, DEVICE)
    _check_padded(chosen.costs)
    refuse_leftovers()
    asked = Validation(plan=plan, seeds=range(seed, seed + runs), costs=chosen.costs, options=options)
    folder = new_folder(out)
    console = PipeConsole(soft_wrap=True, highlight=False)
    console.print(f"virtual: costs {chosen.origin}", markup=False)
    if CALIBRATED not in chosen.costs.name:
        console.print(f"these are not of this machine: {REMEDY} first (a minute) for a fair comparison")
    virtual = asked.virtual(folder)
    found = [compare(pool(pairs, folder)) for pairs in pair(asked.real(folder), virtual)]
    write_fidelity(folder, found)
    PipeConsole().print(render_fidelity(found))
    console.print(f"files: {folder}/", markup=False)
    return code(found)


def pair(real: Sequence[Sequence[RunResult]], virtual: Sequence[Sequence[RunResult]]) -> list[list[Pair]]:
    """From results by seed, each in the order of the plan, to the pairs of each entry of the plan."""
    by_seed = [list(zip(*sides, strict=True)) for sides in zip(real, virtual, strict=True)]
    return [list(pairs) for pairs in zip(*by_seed, strict=True)]


def pool(pairs: Sequence[Pair], folder: Path) -> list[Pair]:
    """Several pairs of one plan with the latencies of all that were decided together, read from `folder`."""
    decided = [pair for pair in pairs if pair[0].verdict is not Verdict.INCONCLUSIVE]
    others = [pair for pair in pairs if pair[0].verdict is Verdict.INCONCLUSIVE]
    if len(decided) < 2:
        return list(pairs)
    sides = [
        pool_latencies(results, (read_history(_place(folder, side, r.setting) / HISTORY) for r in results))
        for side, results in zip(SIDES, zip(*decided, strict=True), strict=True)
    ]
    return [*zip(*sides, strict=True), *others]


def code(found: Sequence[Fidelity]) -> ExitCode:
    """FAIL outranks INCONCLUSIVE; a clean-up that could not be verified outranks both."""
    unclean = [r for each in found for r in (*each.undecided, *(p[0] for p in each.pairs)) if not r.clean]
    verdicts = {"PASS": ExitCode.PASS, "FAIL": ExitCode.FAIL, "INCONCLUSIVE": ExitCode.INCONCLUSIVE}
    return worst(exit_code(unclean), *(verdicts[each.verdict] for each in found))


def write_fidelity(folder: Path, found: Sequence[Fidelity]) -> None:
    """All rows and verdicts as data, for tables elsewhere. Infinity is written as the string "Infinity"."""
    rows = [_plain(each.title, row) for each in found for row in each.rows]
    runs = [
        {
            "run": each.title,
            "verdict": each.verdict,
            "decided": [_verdicts(*pair) for pair in each.pairs],
            "undecided_seeds": [result.setting.seed for result in each.undecided],
        }
        for each in found
    ]
    data = msgspec.json.format(msgspec.json.encode({"schema_version": 1, "runs": runs, "rows": rows}))
    (folder / FIDELITY).write_bytes(data + b"\n")


def _verdicts(real: RunResult, virtual: RunResult) -> dict[str, object]:
    return {"seed": real.setting.seed, "real": real.verdict, "virtual": virtual.verdict}


def _plain(title: str, row: Row) -> dict[str, object]:
    figure = asdict(row.figure)
    values = {"real": row.real, "virtual": row.virtual, "ratio": row.ratio}
    written = {name: "Infinity" if value == float("inf") else value for name, value in values.items()}
    return {
        "run": title,
        "where": row.where,
        "phase": row.phase,
        **figure,
        "floor": row.floor,
        **written,
        "ok": row.ok,
    }


def _seed_folder(folder: Path, side: str, seed: int) -> Path:
    return folder / f"{side}-seed-{seed}"


def _place(folder: Path, side: str, run: Setting) -> Path:
    return run_folder(_seed_folder(folder, side, run.seed), run.scenario, run.preset, run.fault_ordered)


def _check_padded(costs: Costs) -> None:
    if not costs.padded:
        raise BadInput(
            f"costs {costs.name} are of a GPU, but the real side is {MODEL} on {DEVICE}: use auto or tiny_cpu"
        )
