import pytest

from harness.judging.pairs.score import goodput, policy_score
from harness.judging.result import Trend
from tests.harness.judging.pairs.made import objective
from tests.harness.judging.synthetic import judged

BASE = judged()
ERROR = 0.05


def run(good, *, latency_s=0.5):
    """A result in which each caller has this share of good answers during the fault, or each its own."""
    callers = []
    for caller in BASE.callers:
        ratio = good.get(caller.name, 1.0) if isinstance(good, dict) else good
        metrics = caller.metrics | {
            "goodput_ratio": Trend(during=ratio),
            "offered": Trend(during=300.0 if caller.name == "chat" else 100.0),
            "e2e_s.p50_all": Trend(during=latency_s),
        }
        callers.append(caller.model_copy(update={"metrics": metrics}))
    return BASE.model_copy(update={"callers": callers})


def score(candidate, none, removed=1.0, control=1.0, pairs=6):
    arms = (candidate, none, removed, control)
    return policy_score(*([run(arm) if not hasattr(arm, "callers") else arm] * pairs for arm in arms), ERROR)


def test_the_score_is_the_share_of_what_removing_the_worker_saves():
    found = score(candidate=0.8, none=0.2, removed=1.0)
    assert found.answer == "scored"
    assert found.value == found.lower == found.upper == pytest.approx(0.75)
    assert found.pairs == 6
    assert found.words == "score 0.75 [0.75..0.75], where 0 is no policy and 1 is worker 2 removed (6 pairs)"


@pytest.mark.parametrize(("candidate", "value"), [(0.2, 0.0), (0.99, 1.0), (0.1, -0.127)])
def test_no_policy_scores_0_and_who_knows_the_worker_scores_1(candidate, value):
    assert score(candidate, none=0.2, removed=0.99).value == pytest.approx(value, abs=0.001)


def test_goodput_is_of_all_requests_and_not_of_all_callers():
    assert goodput(run({"chat": 0.5})) == pytest.approx((0.5 * 300 + 300) / 600)


def test_the_interval_is_over_the_pairs():
    candidates = [run(0.2 + 0.8 * share) for share in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)]
    arms = [run(0.2)] * 6, [run(1.0)] * 6, [run(1.0)] * 6
    found = policy_score(candidates, *arms, ERROR)
    assert found.value == pytest.approx(0.75)
    assert (found.lower, found.upper) == (pytest.approx(0.5), pytest.approx(1.0))


def test_where_the_worker_can_be_spared_only_by_missing_the_goodput_no_client_policy_can_help():
    found = score(candidate=0.8, none=0.2, removed=run({"chat": 0.7}))
    assert found.answer == "undersized"
    assert found.value is None
    assert found.words == (
        "UNDERSIZED: with worker 2 removed chat has 70% of its answers in time, 100% with it:"
        " no client policy can help"
    )


def test_a_loss_as_small_as_mild_leaves_a_score():
    assert score(candidate=0.8, none=0.2, removed=run({"chat": 0.985})).answer == "scored"


def test_where_everybody_waits_longer_without_the_worker_no_client_policy_can_help():
    slow = score(candidate=0.8, none=0.2, removed=run(1.0, latency_s=0.7))  # (0.7 + 0.1) / (0.5 + 0.1)
    assert slow.answer == "undersized"
    assert "waits 0.70s, 0.50s with it" in slow.words
    assert score(candidate=0.8, none=0.2, removed=run(1.0, latency_s=0.64)).answer == "scored"


def test_nobody_is_undersized_by_chance():
    removed = [run({"chat": 0.7})] * 3 + [run(1.0)] * 3
    found = policy_score([run(0.8)] * 6, [run(0.2)] * 6, removed, [run(1.0)] * 6, ERROR)
    assert found.answer == "scored"


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ({}, "undersized"),
        ({"limit": 0.6}, "scored"),
        ({"level": "warn"}, "scored"),
        ({"bound": "max_vs_control"}, "scored"),
    ],
)
def test_an_objective_that_is_missed_without_the_worker_is_enough(changes, answer):
    """0.55 s instead of 0.5 s is no more than mild."""
    bound = objective(**{"bound": "max", "limit": 0.52, "metric": "e2e_s.p50_all", "of": "chat"} | changes)
    arms = ([each] * 6 for each in (run(0.8), run(0.2), run(1.0, latency_s=0.55), run(1.0)))
    found = policy_score(*arms, ERROR, [bound])
    assert found.answer == answer
    missed = "with worker 2 removed it misses calm: e2e_s.p50_all of chat during fault 0.55s"
    assert (missed in found.words) == (answer == "undersized")


def test_where_no_policy_loses_nothing_there_is_no_score():
    found = score(candidate=0.9, none=0.996, removed=1.0)
    assert found.answer == "undefined"
    assert found.value is None
    assert "without a policy as much is answered in time as with worker 2 removed" in found.words


def test_arms_of_different_lengths_are_no_arms_of_the_same_pairs():
    with pytest.raises(ValueError, match="as many runs of each arm"):
        policy_score([BASE], [BASE], [], [BASE], ERROR)
