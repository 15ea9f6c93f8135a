import pytest

from harness.judging.attempts import cost
from harness.judging.history import Arrived, Attempted, Ended, History
from harness.judging.requests import join
from harness.judging.windows import Window

CHAT = frozenset({"chat"})


def request(name, end, *attempts, caller="chat", satisfied=False):
    yield Arrived(at_s=1, request=name, caller=caller, intended_s=1)
    for number, (kind, tokens) in enumerate(attempts, start=1):
        yield Attempted(
            at_s=2, request=name, number=number, worker="w", started_s=number, kind=kind, tokens=tokens
        )
    yield Ended(at_s=3, request=name, kind=end, satisfied=satisfied)


def costs(*requests):
    records = [record for each in requests for record in each]
    return cost(join(History(records)), CHAT, Window(0, 10), workers_up=4.0)


def test_amplification_is_attempts_per_request_that_needed_one():
    found = costs(
        request("a", "ok", ("ok", 16)),
        request("b", "ok", ("timeout", 3), ("ok", 16)),
        request("c", "rejected"),
        request("d", "ok", caller="local"),
    )
    assert found["retry_amplification"] == pytest.approx(3 / 2)
    assert found["load_amplification"] == pytest.approx(3 / 3)


def test_tokens_of_requests_without_an_answer_are_wasted():
    found = costs(request("a", "ok", ("ok", 16)), request("b", "timeout", ("timeout", 4)))
    assert found["wasted_tokens"] == 4
    assert found["wasted_token_ratio"] == pytest.approx(4 / 20)


def test_what_was_read_by_who_then_hung_up_is_not_wasted():
    left = ("abandoned", 5)
    assert costs(request("a", "abandoned", ("timeout", 3), left, satisfied=True))["wasted_tokens"] == 3
    assert costs(request("a", "abandoned", ("timeout", 3), left))["wasted_tokens"] == 8
    assert costs(request("a", "abandoned", satisfied=True))["wasted_tokens"] == 0


def test_tokens_of_a_retried_attempt_and_of_a_beaten_hedge_are_wasted_too():
    found = costs(request("a", "ok", ("error", 5), ("ok", 16), ("ok", 7)))
    assert found["wasted_tokens"] == 12


def test_an_answer_that_came_when_its_caller_had_left_is_wasted():
    assert costs(request("a", "abandoned", ("ok", 16)))["wasted_token_ratio"] == 1.0


def test_every_worker_that_is_up_is_billed_and_tokens_are_those_that_came():
    found = costs(request("a", "ok", ("ok", 16)), request("b", "timeout", ("timeout", 4)))
    assert found["gpus_billed"] == 4.0
    assert found["tokens_per_s"] == pytest.approx(20 / 10)


def test_without_inference_there_is_nothing_to_say():
    found = costs(request("a", "ok", caller="local"))
    assert found["retry_amplification"] is None
    assert found["wasted_token_ratio"] is None
