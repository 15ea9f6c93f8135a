"""A cap on the attempts in flight per worker."""

from policies.limits.bulkhead import Bulkhead
from policies.outcome import OK
from policies.policy import Rejection


def test_a_full_worker_has_no_weight_and_refuses_while_others_stay_open(make_attempt):
    gate = Bulkhead(max_in_flight=2)
    for _ in range(2):
        assert not isinstance(gate.enter(make_attempt()), Rejection)
    assert (gate.weight("w0", 0.0), gate.weight("w1", 0.0)) == (0.0, 1.0)
    assert isinstance(gate.enter(make_attempt()), Rejection)
    assert (gate.describe("w0", 0.0), gate.describe("w1", 0.0)) == ("bulkhead full", "")


def test_a_closed_lease_makes_room_again(make_attempt):
    gate = Bulkhead(max_in_flight=1)
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
