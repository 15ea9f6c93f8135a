"""Answers that begin and stand still: a bound on the first token sees nothing of them."""

from scenarios.freeze_mid_stream import SCENARIO
from tests.scenarios.conducted import conduct, during, sent

BY_FIRST_ALONE = "timeout(ttft=1, itl=inf, total=inf) | round_robin()"
BY_GAPS_TOO = "timeout(ttft=1, itl=1, total=inf) | round_robin()"


def begun(history):
    """Attempts at the faulted worker that had their first token while the fault was there."""
    window = during(history)
    return [a for a in sent(history, window) if a.first_token_s is not None and window.holds(a.first_token_s)]


def test_answers_begin_as_quickly_as_ever_and_get_no_second_token_before_the_fault_is_gone(tmp_path):
    history = conduct(SCENARIO, "none", tmp_path)
    window = during(history)
    frozen = begun(history)
    peers = [a.first_token_s - a.started_s for a in sent(history, window, "worker-1")]
    assert len(frozen) >= 5
    assert max(a.first_token_s - a.started_s for a in frozen) < 2 * max(peers)
    assert all(a.token_times_s[1] >= window.end_s for a in frozen)


def test_a_bound_on_the_first_token_holds_none_of_them_and_one_between_tokens_does(tmp_path):
    history = conduct(SCENARIO, BY_FIRST_ALONE, tmp_path / "first")
    assert begun(history)
    assert all(a.at_s > during(history).end_s for a in begun(history))
    history = conduct(SCENARIO, BY_GAPS_TOO, tmp_path / "between")
    assert len(begun(history)) > 20, "each gives its place to the next"
    assert all(a.kind == "timeout" for a in begun(history)[:-3])
