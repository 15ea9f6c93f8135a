import pytest

from harness.judging.history import Arrived, Attempted, Ended, History
from harness.judging.requests import count_outcomes, join


def arrived(name, intended_s=1.0, at_s=1.0):
    return Arrived(at_s=at_s, request=name, caller="chat", intended_s=intended_s)


def ended(name, kind="ok", at_s=3.0):
    return Ended(at_s=at_s, request=name, kind=kind)


def attempted(name, number, started_s):
    return Attempted(
        at_s=started_s + 1, request=name, number=number, worker="w", started_s=started_s, kind="ok"
    )


def test_latency_counts_from_the_intended_send_time():
    (request,) = join(History([arrived("a", intended_s=1.0, at_s=2.5), ended("a", at_s=3.0)]))
    assert request.e2e_s == 2.0


def test_a_request_without_an_answer_takes_for_ever_but_its_time_is_known():
    (request,) = join(History([arrived("a"), ended("a", "timeout")]))
    assert request.e2e_s == float("inf")
    assert request.elapsed_s == 2.0


def test_attempts_come_with_their_request_in_order():
    history = History([arrived("a"), attempted("a", 2, 1.5), attempted("a", 1, 1.0), ended("a")])
    assert [attempt.number for attempt in join(history)[0].attempts] == [1, 2]


def test_requests_come_in_order_of_their_intended_time():
    history = History([arrived("late", 2.0), arrived("early", 1.0), ended("late"), ended("early")])
    assert [request.arrived.request for request in join(history)] == ["early", "late"]


def test_outcomes_add_up_to_what_was_offered():
    names = [(str(number), kind) for number, kind in enumerate(["ok", "ok", "slow", "hung"])]
    requests = join(History([arrived(n) for n, _ in names] + [ended(n, kind) for n, kind in names]))
    counts = count_outcomes(requests)
    assert counts == {"ok": 2, "slow": 1, "hung": 1}
    assert sum(counts.values()) == len(requests)


@pytest.mark.parametrize(
    ("records", "complaint"),
    [
        ([arrived("a")], "'a' never ended"),
        ([ended("a")], "'a' never arrived"),
        ([arrived("a"), arrived("a"), ended("a")], "'a' arrived twice"),
        ([arrived("a"), ended("a"), ended("a")], "'a' ended twice"),
        ([arrived("a"), ended("a", "vanished")], "unknown outcome 'vanished'"),
        ([arrived("a"), ended("a"), attempted("b", 1, 1.0)], "attempt of request 'b', which never arrived"),
    ],
)
def test_a_history_that_does_not_add_up_is_refused(records, complaint):
    with pytest.raises(ValueError, match=complaint):
        join(History(records))
