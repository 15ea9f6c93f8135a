"""A cap on the attempts in flight per worker."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from policies.call import Attempt, Call
from policies.limits.bulkhead import Bulkhead
from policies.outcome import OK, Kind, Outcome
from policies.policy import Rejection

WORKERS = ("w0", "w1", "w2", "w3")


def test_a_full_worker_has_no_weight_and_refuses_while_others_stay_open(make_attempt):
    gate = Bulkhead(max_in_flight=2)
    for _ in range(2):
        assert not isinstance(gate.enter(make_attempt()), Rejection)
    assert (gate.weight("w0", 0.0), gate.weight("w1", 0.0)) == (0.0, 1.0)
    assert isinstance(gate.enter(make_attempt()), Rejection)
    assert (gate.describe("w0", 0.0), gate.describe("w1", 0.0)) == ("bulkhead full", "")


def test_a_closed_lease_makes_room_again(make_attempt):
    gate = Bulkhead(max_in_flight=1, client_cap=1)
    for _ in range(10):
        attempt = make_attempt()
        gate.enter(attempt).close(attempt, OK, 1.0)
    assert gate.weight("w0", 1.0) == 1.0


def test_a_refusal_takes_no_place(make_attempt):
    gate = Bulkhead(max_in_flight=1)
    attempt = make_attempt()
    lease = gate.enter(attempt)
    for _ in range(100):
        gate.enter(make_attempt())
    lease.close(attempt, OK, 1.0)
    assert gate.weight("w0", 1.0) == 1.0


def test_the_client_cap_counts_the_attempts_on_all_workers_together(make_attempt):
    gate = Bulkhead(max_in_flight=2, client_cap=3)
    held = [make_attempt(worker) for worker in ("w0", "w1", "w2")]
    leases = [gate.enter(attempt) for attempt in held]
    assert [gate.weight(worker, 0.0) for worker in WORKERS] == [0.0] * 4
    refused = gate.enter(make_attempt("w3"))
    assert isinstance(refused, Rejection)
    assert refused.reason == "3 of our attempts are in flight already"
    leases[0].close(held[0], OK, 1.0)
    assert [gate.weight(worker, 1.0) for worker in WORKERS] == [1.0] * 4


@pytest.mark.parametrize(
    ("parameters", "line"),
    [
        ({"auto_ratio": 0.5}, "bulkhead: auto_ratio must be a number at least 1 and at most 100, got 0.5"),
        (
            {"auto_ratio": float("inf")},
            "bulkhead: auto_ratio must be a number at least 1 and at most 100, got inf",
        ),
        ({"client_cap": 0}, "bulkhead: client_cap must be a whole number at least 1, got 0"),
    ],
)
def test_what_is_out_of_range_is_refused(parameters, line):
    with pytest.raises(ValueError, match=line):
        Bulkhead(**parameters)


def run_load(gate, make_attempt, in_flight, seconds):
    """Hold so many on each worker, turning over twice a second, and sweep as the pipeline does."""
    refused = dict.fromkeys(in_flight, 0)
    for step in range(2 * seconds):
        now, held = step / 2, []
        gate.sweep(now)
        for worker, count in in_flight.items():
            for _ in range(count):
                attempt = make_attempt(worker, now)
                lease = gate.enter(attempt)
                if isinstance(lease, Rejection):
                    refused[worker] += 1
                else:
                    held.append((lease, attempt))
        for lease, attempt in held:
            lease.close(attempt, OK, now + 0.499)
    return refused


def test_until_the_peers_are_known_the_fixed_cap_holds(make_attempt):
    gate = Bulkhead(auto_ratio=2, max_in_flight=5)
    run_load(gate, make_attempt, {"w0": 1, "w1": 1}, 5)
    assert (gate.cap("w0"), gate.cap("unknown")) == (5, 5)


def test_the_cap_is_so_many_times_what_the_peers_have_in_flight(make_attempt):
    gate = Bulkhead(auto_ratio=1.5)
    refused = run_load(gate, make_attempt, {"w0": 3, "w1": 3, "w2": 3, "w3": 3}, 20)
    assert {gate.cap(worker) for worker in WORKERS} == {5}
    assert sum(refused.values()) == 0


def test_a_worker_that_piles_up_attempts_cannot_raise_its_own_cap(make_attempt):
    gate = Bulkhead(auto_ratio=2, max_in_flight=100)
    run_load(gate, make_attempt, {"w0": 60, "w1": 3, "w2": 3, "w3": 3}, 30)
    assert [gate.cap(worker) for worker in WORKERS] == [6, 6, 6, 6]


def test_the_cap_never_falls_below_its_least(make_attempt):
    gate = Bulkhead(auto_ratio=1, min_in_flight=4)
    run_load(gate, make_attempt, dict.fromkeys(WORKERS, 1), 20)
    assert gate.cap("w0") == 4


def test_the_workers_are_looked_over_once_a_second_at_most(make_attempt, monkeypatch):
    gate, times = Bulkhead(auto_ratio=2), []
    monkeypatch.setattr(type(gate._typical), "refresh", lambda _, now: times.append(now))
    for now in (0.0, 0.2, 0.9, 1.0, 1.5, 5.0, 5.5, 6.0):
        gate.sweep(now)
    assert times == [0.0, 1.0, 5.0, 6.0]


class Interleavings(RuleBasedStateMachine):
    """Whatever ends in whatever order and way: permits neither leak nor go negative."""

    def __init__(self):
        super().__init__()
        self.gate = Bulkhead(max_in_flight=3, client_cap=6)
        self.now = 0.0
        self.held = []

    @rule(worker=st.sampled_from(WORKERS))
    def enter(self, worker):
        own = sum(attempt.worker == worker for _, attempt in self.held)
        attempt = Attempt(call=Call(id="c"), worker=worker, number=1, started_s=self.now)
        room = self.gate.weight(worker, self.now) > 0
        lease = self.gate.enter(attempt)
        assert room is (not isinstance(lease, Rejection)) is (own < 3 and len(self.held) < 6)
        if room:
            self.held.append((lease, attempt))

    @rule(data=st.data(), kind=st.sampled_from(Kind), after_s=st.floats(0, 5))
    def end(self, data, kind, after_s):
        if self.held:
            lease, attempt = self.held.pop(data.draw(st.integers(0, len(self.held) - 1)))
            self.now += after_s
            lease.close(attempt, Outcome(kind=kind), self.now)

    @invariant()
    def all_counts_are_true(self):
        for worker in WORKERS:
            own = sum(attempt.worker == worker for _, attempt in self.held)
            assert (self.gate.weight(worker, self.now) == 0) is (own >= 3 or len(self.held) >= 6)

    def teardown(self):
        for lease, attempt in self.held:  # shutdown
            lease.close(attempt, Outcome(kind=Kind.ABANDONED), self.now)
        assert all(self.gate.weight(worker, self.now) == 1 for worker in WORKERS)


TestInterleavings = Interleavings.TestCase
TestInterleavings.settings = settings(
    derandomize=True, max_examples=60, stateful_step_count=30, deadline=None
)
