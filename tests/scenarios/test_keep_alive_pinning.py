"""A client that no picker can move, and who pays for it."""

from collections.abc import Sequence

from harness.judging.history import Attempted, Ended, History
from policies.outcome import Kind
from scenarios.keep_alive_pinning import SCENARIO
from tests.scenarios.conducted import conduct, during


def of(history: History, caller: str) -> Sequence[Attempted]:
    """Its attempts while the fault was there."""
    window = during(history)
    return [a for a in history.of(Attempted) if a.request.startswith(caller) and window.holds(a.started_s)]


def test_a_picker_moves_all_but_the_pinned_client(tmp_path):
    history = conduct(SCENARIO, "finagle_defaults", tmp_path)
    assert {attempt.worker for attempt in of(history, "pinned")} == {"worker-0"}
    chat = of(history, "chat")
    assert sum(attempt.worker == "worker-0" for attempt in chat) < 0.2 * len(chat)


def test_where_its_worker_is_left_alone_it_is_refused_and_the_others_are_served(tmp_path):
    history = conduct(SCENARIO, "contain", tmp_path)
    window = during(history)
    ends = [ended for ended in history.of(Ended) if window.holds(ended.at_s)]
    pinned = [ended.kind for ended in ends if ended.request.startswith("pinned")]
    chat = [ended.kind for ended in ends if ended.request.startswith("chat")]
    assert pinned.count(Kind.REJECTED) > 0.6 * len(pinned)
    assert chat.count(Kind.OK) > 0.98 * len(chat)
