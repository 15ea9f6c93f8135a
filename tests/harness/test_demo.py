import pytest

from harness.demo import broken_promises, demo_code, demo_plan
from harness.judging.result import RunResult, Trend, Verdict
from tests.harness.judging.synthetic import judged


def came_out(verdict: Verdict, good_ratio: float = 0.75) -> RunResult:
    run = judged()
    metrics = run.metrics | {"touched_goodput_ratio": Trend(before=1.0, during=good_ratio)}
    return run.model_copy(update={"verdict": verdict, "metrics": metrics})


AS_STATED = [came_out(Verdict.FAIL), came_out(Verdict.PASS), came_out(Verdict.PASS)]


def test_the_demo_is_slow_and_bare_slow_and_protected_dead_and_bare() -> None:
    assert [(p.scenario.name, p.preset.name, p.expected) for p in demo_plan()] == [
        ("slow_worker", "none", Verdict.FAIL),
        ("slow_worker", "timeout_breaker_shed", Verdict.PASS),
        ("dead_worker", "none", Verdict.PASS),
    ]


def test_all_as_stated_breaks_no_promise() -> None:
    assert broken_promises(demo_plan(), AS_STATED) == []


def test_each_verdict_that_came_out_otherwise_is_named() -> None:
    otherwise = [came_out(Verdict.PASS), came_out(Verdict.INCONCLUSIVE), came_out(Verdict.FAIL)]
    assert broken_promises(demo_plan(), otherwise) == [
        "slow_worker under none: expected FAIL, got PASS",
        "slow_worker under timeout_breaker_shed: expected PASS, got INCONCLUSIVE",
        "dead_worker under none: expected PASS, got FAIL",
    ]


def test_a_dead_worker_that_takes_most_callers_with_it_breaks_the_promise() -> None:
    few = came_out(Verdict.PASS, good_ratio=0.4)
    assert broken_promises(demo_plan(), [*AS_STATED[:2], few]) == [
        "with the worker dead only 40% of its callers' requests were good"
    ]


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ((Verdict.FAIL, Verdict.PASS, Verdict.PASS), 0),
        ((Verdict.INCONCLUSIVE, Verdict.PASS, Verdict.PASS), 3),
        ((Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE), 3),
        ((Verdict.INCONCLUSIVE, Verdict.FAIL, Verdict.PASS), 1),
        ((Verdict.PASS, Verdict.PASS, Verdict.PASS), 1),
    ],
)
def test_the_exit_code_is_0_only_when_all_came_out_as_stated(
    verdicts: tuple[Verdict, ...], code: int
) -> None:
    assert demo_code(demo_plan(), [came_out(verdict) for verdict in verdicts]) == code


def test_a_clean_up_in_doubt_outranks_what_came_out() -> None:
    left = AS_STATED[0].model_copy(update={"clean": False})
    assert demo_code(demo_plan(), [left, *AS_STATED[1:]]) == 6
