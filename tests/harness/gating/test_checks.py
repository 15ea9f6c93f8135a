from dataclasses import replace
from pathlib import Path

from harness.gating.checks import check
from harness.gating.demand import Demand
from harness.gating.gate_file import Baseline, GateFile, PairsPlan, StopIf
from harness.gating.yaml_text import Place
from harness.judging.pairs.objective import Bound, During, Level, Objective
from scenarios import SCENARIOS

SLOW = SCENARIOS["slow_worker"]
HEALTHY = SCENARIOS["healthy"]
LINES: dict[Place, int] = {("objectives",): 3, ("pairs",): 9}


def objective(
    metric: str = "goodput_ratio",
    of: str = "chat",
    bound: Bound = "min",
    limit: float = 0.5,
    level: Level = "block",
    during: During = "fault",
) -> Objective:
    return Objective(
        id="a", metric=metric, of=of, bound=bound, limit=limit, level=level, during=during, line=4
    )


def gate(*objectives: Objective, **values: object) -> GateFile:
    known = {"path": Path("gate.yaml"), "policy": "contain", "objectives": objectives, "lines": LINES}
    return GateFile(**(known | values))  # type: ignore[arg-type]


def told(gate: GateFile, demand: Demand | None = None) -> list[tuple[int, str]]:
    return [(problem.line, problem.words) for problem in check(gate, SLOW, demand)]


def test_a_gate_that_can_be_decided_has_no_problem() -> None:
    assert told(gate(objective()), Demand.of(SLOW)) == []


def test_a_percentile_is_checked_against_the_demand_once_that_is_known() -> None:
    late = gate(objective("ttft_s.p99_all", bound="max", limit=2))
    assert told(late) == []
    ((line, words),) = told(late, Demand.of(SLOW))
    assert line == 4
    assert words.startswith("a: p99 needs 300 requests; chat, ")
    more = replace(SLOW, callers=tuple(replace(c, rate_rps=3 * c.rate_rps) for c in SLOW.callers))
    assert told(late, Demand.of(more)) == []


def test_of_a_figure_that_is_not_to_be_had_nothing_else_is_told() -> None:
    nowhere = gate(objective("ttft_s.p99_all", of="worker-9", bound="max_vs_baseline", limit=2))
    ((line, words),) = told(nowhere, Demand.of(SLOW))
    assert (line, words.split(".")[0]) == (4, "a: unknown place 'worker-9'")
    ((line, words),) = told(gate(objective(bound="max_vs_control", during="control")))
    assert (line, words.split(".")[0]) == (4, "a: the control compared with itself is always 1")


def test_a_bound_against_a_baseline_needs_one() -> None:
    against = objective(bound="min_vs_baseline")
    assert told(gate(against)) == [
        (4, "a: min_vs_baseline needs a baseline. Add baseline: {policy: libraries}")
    ]
    assert told(gate(against, baseline=Baseline(policy="libraries"))) == []


def test_a_scenario_without_a_fault_has_no_control_to_compare_with_unless_one_is_ordered() -> None:
    against = gate(objective(bound="min_vs_control"))
    ((problem),) = check(against, HEALTHY, None)
    assert problem.words.startswith("a: scenario healthy has no fault for it to be about. Add faults:")
    assert check(replace(against, faults=("slow_steps()",)), HEALTHY, None) == []
    assert check(gate(objective()), HEALTHY, None) == []


def test_a_gate_where_nothing_blocks_asserts_nothing() -> None:
    assert told(gate(objective(level="warn"))) == [
        (3, "nothing is asserted: no objective has level: block. Give one that level")
    ]


def test_contradictions_are_told() -> None:
    twice = gate(objective(), replace(objective(), line=5))
    assert told(twice) == [(5, "id a is there twice, also in line 4. Give each an id of its own")]


def test_pairs_that_cannot_decide_are_refused() -> None:
    assert told(gate(objective(), pairs=PairsPlan(least=12, most=8))) == [
        (9, "pairs: most, 8, is below least, 12. Raise most")
    ]
    few = PairsPlan(least=6, most=6)
    assert told(gate(objective(), pairs=few)) == []
    many = [replace(objective(), id=f"a{number}", limit=number / 10) for number in range(1, 10)]
    levels = [
        replace(each, during=during) for each, during in zip(many, ["fault", "before", "after"], strict=False)
    ]
    ((line, words),) = told(gate(*levels, pairs=few, faults=("slow_steps()", "slow_decode()")))
    assert line == 9
    assert words.startswith(
        "pairs: 6 pairs cannot decide 6 blocking objectives with 95% confidence: it takes 8"
    )


def test_a_guard_watches_a_caller_or_hop_for_less_than_a_run() -> None:
    guard = StopIf(metric="drop_ratio", of="local_api", over=0.5, for_s=3, line=7)

    def refused(**values: object) -> str:
        found = told(gate(objective(), guards=(replace(guard, **values),)), Demand.of(SLOW))  # type: ignore[arg-type]
        assert [line for line, _ in found] in ([], [7])
        return "".join(words for _, words in found)

    assert refused() == ""
    assert refused(metric="waiting", of="worker-0", over=9) == ""
    assert refused(of="x").startswith("unknown place 'x'")
    assert refused(of="") == "drop_ratio is of one caller. Add of: chat or tenant or local_front or local_api"
    assert refused(metric="latency_inflation", of="").startswith(
        "latency_inflation is known when a run is over"
    )
    assert refused(for_s=100).startswith(f"for: a run is {SLOW.phases.load_s:g} s long. Write less")
    assert refused(metric="ttft_s.p99_all", of="chat").startswith("p99 needs 300 requests; chat")
