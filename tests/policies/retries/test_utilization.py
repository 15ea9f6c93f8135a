"""Places taken in a pool, whatever waits at a full worker."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from policies.pool import Pool
from policies.retries.utilization import Utilization


def test_a_worker_that_gathers_attempts_counts_as_full_and_no_more():
    pending = Counter()
    used = Utilization(capacity=8)
    used.bind(Pool(workers=("w0", "w1", "w2", "w3"), pending=pending))
    for _ in range(100):
        pending["w0"] += 1
        used.started("w0")
    assert used.ratio == 0.25


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["w0", "w1", "w2"]), st.booleans()), max_size=60))
def test_the_places_taken_are_what_the_pool_says_after_every_start_and_end(events):
    pending = Counter()
    used = Utilization(capacity=3)
    used.bind(Pool(workers=("w0", "w1", "w2"), pending=pending))
    for worker, starts in events:
        if starts:
            pending[worker] += 1
            used.started(worker)
        elif pending[worker]:
            pending[worker] -= 1
            used.ended(worker)
        assert used.taken == sum(min(number, 3) for number in pending.values())
