import pytest

from harness.errors import BadInput
from harness.gating.measurable import about_the_fault, check_place, check_when
from harness.judging.metrics import METRICS, Metric
from harness.judging.pairs.objective import Bound, During, Objective, find_metric, metric_names
from harness.scenario import Scenario
from scenarios import SCENARIOS
from tests.harness.judging.synthetic import CONTAINED, judged

SLOW = SCENARIOS["slow_worker"]


def refusal(metric: str, of: str, scenario: Scenario = SLOW) -> str:
    with pytest.raises(BadInput) as refused:
        check_place(find_metric(metric), of, scenario)
    return str(refused.value)


def when(metric: str, during: During = "fault", bound: Bound = "max") -> Objective:
    return Objective(id="a", metric=metric, during=during, bound=bound, limit=1)


def accepted(metric: str, of: str) -> bool:
    try:
        check_place(find_metric(metric), of, SLOW)
    except BadInput:
        return False
    return True


def test_a_place_is_accepted_for_a_metric_if_and_only_if_a_judged_run_has_that_figure_there() -> None:
    result = judged(**CONTAINED)
    places = {place.name.replace(" ", "-"): place.metrics for place in result.places}
    callers = {caller.name: caller.metrics for caller in result.callers if caller.inference}
    assert {*places, *callers} < {
        *SLOW.topology.worker_names(),
        "front",
        "api",
        "gateway",
        "chat",
        "tenant",
        "local_api",
    }
    for of, metrics in (places | callers).items():
        for name in metric_names():
            assert accepted(name, of) == (name in metrics), (name, of)
    for name in metric_names():
        if find_metric(name).of == "run":
            assert accepted(name, "")
            assert name in result.metrics, name


def test_a_local_caller_has_all_but_what_tokens_are_needed_for() -> None:
    local = next(caller for caller in judged(**CONTAINED).callers if not caller.inference)
    refused = {name for name in local.metrics if not accepted(name, "local_api")}
    assert {find_metric(name).name for name in refused} == {
        "ttft_s",
        "tpot_s",
        "max_gap_s",
        "good_tokens_per_s",
    }
    assert all(not local.metrics[name].during for name in refused)
    assert refusal("ttft_s.p99_all", "local_api") == (
        "local_api asks for no tokens and has no ttft_s. Take e2e_s, or of: chat or tenant"
    )


@pytest.mark.parametrize(
    ("metric", "of", "words"),
    [
        (
            "goodput_ratio",
            "",
            "goodput_ratio is of one caller. Add of: chat or tenant or local_front or local_api",
        ),
        ("ttft_s.p90_all", "", "ttft_s is of one caller. Add of: chat or tenant"),
        ("ttft_s.p90_all", "worker-1", "worker-1 has no ttft_s. Those that have: chat, tenant"),
        (
            "waiting",
            "",
            "waiting is of one hop. Add of: front or api or gateway or worker-0 or worker-1 or worker-2"
            " or worker-3",
        ),
        (
            "goodput_ratio",
            "worker-1",
            "worker-1 has no goodput_ratio. Those that have: chat, tenant, local_front, local_api",
        ),
        ("wait_s.p50", "worker-1", "worker-1 has no wait_s. Those that have: front, api, gateway"),
        (
            "waiting",
            "worker-9",
            "unknown place 'worker-9'. Closest: worker-3. All: api, chat, front, gateway,"
            " local_api, local_front, tenant, worker-0, worker-1, worker-2, worker-3",
        ),
        ("retry_amplification", "chat", "retry_amplification is of the whole run and not of chat. Remove of"),
        (
            "latency_inflation",
            "chat",
            "latency_inflation is of all bystanders together and not of chat. Remove of",
        ),
    ],
)
def test_a_place_that_has_no_such_metric_is_told_which_have(metric: str, of: str, words: str) -> None:
    assert refusal(metric, of) == words


def test_a_pair_as_a_whole_has_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Metric("some_pair_s", "s", "pair", "for this test")
    monkeypatch.setitem(METRICS, pair.name, pair)
    assert refusal(pair.name, "chat") == "some_pair_s is of the pair as a whole and not of chat. Remove of"
    check_place(pair, "", SLOW)
    check_when(when(pair.name))
    check_when(when(pair.name, bound="max_vs_baseline"))
    assert about_the_fault(when(pair.name))
    assert when(pair.name).words == "some_pair_s"
    assert unfit(when(pair.name, "after")) == "some_pair_s has no figure for during: after. Write fault"
    assert unfit(when(pair.name, bound="min_vs_control")) == (
        "some_pair_s is about the fault, and a control has none. Write min"
    )


def unfit(objective: Objective) -> str:
    with pytest.raises(BadInput) as refused:
        check_when(objective)
    return str(refused.value)


@pytest.mark.parametrize("during", ["fault", "control", "before", "after"])
def test_most_metrics_have_every_window(during: During) -> None:
    check_when(when("retry_amplification", during))
    check_when(when("goodput_ratio", during, "max_vs_baseline"))


def test_what_is_about_the_fault_is_known_during_it_alone_and_never_of_a_control() -> None:
    assert (
        unfit(when("detection_s", "control")) == "detection_s has no figure for during: control. Write fault"
    )
    assert unfit(when("false_alarms", "before")) == (
        "false_alarms has no figure for during: before. Write fault or control"
    )
    assert unfit(when("blast_radius", "after")) == "blast_radius has no figure for during: after. Write fault"
    assert unfit(when("detection_s", bound="max_vs_control")) == (
        "detection_s is about the fault, and a control has none. Write max"
    )
    check_when(when("false_alarms", "control"))
    check_when(when("false_alarms", bound="max_vs_control"))


def test_a_control_is_not_compared_with_itself() -> None:
    assert unfit(when("goodput_ratio", "control", "min_vs_control")) == (
        "the control compared with itself is always 1. Write min, or during: fault"
    )


def test_it_is_known_what_says_nothing_without_a_fault() -> None:
    assert about_the_fault(when("detection_s"))
    assert about_the_fault(when("hop_growth"))
    assert about_the_fault(when("goodput_ratio", bound="min_vs_control"))
    assert not about_the_fault(when("goodput_ratio", bound="min_vs_baseline"))
    assert not about_the_fault(when("false_alarms"))
