"""Who may be taken out, for how long, and how a worker comes back."""

import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from policies.outliers.ejection import Ejector, Standing
from policies.outliers.ejection_rules import EjectionRules
from policies.pool import Pool


def ejector(workers=4, **rules):
    defaults = {"base_ejection_s": 10, "max_ejection_s": 35, "canary_s": 4, "canary_ratio": 0.1}
    made = Ejector()
    names = tuple(f"w{number}" for number in range(workers))
    made.bind("ejector", EjectionRules(**(defaults | rules)), Pool(workers=names, seed=1))
    return made


def test_a_worker_is_out_then_a_canary_then_in():
    pool = ejector()
    assert pool.eject("w0", 100.0)
    assert [pool.weight("w0", t) for t in (100.0, 109.9, 110.0, 113.9, 114.0)] == [0, 0, 0.1, 0.1, 1]
    assert [pool.describe("w0", t) for t in (100.0, 110.0, 114.0)] == [
        "ejector ejected",
        "ejector canary",
        "",
    ]
    assert pool.weight("w1", 100.0) == 1


def test_an_ejection_of_no_length_to_speak_of_is_forgiven_at_once():
    pool = ejector(base_ejection_s=1e-320)
    for now in (0.0, 1e6):
        assert pool.eject("w0", now)
    assert pool.count("w0", 2e6) == 0


def test_each_ejection_is_longer_up_to_the_longest():
    pool = ejector()
    now, lengths = 0.0, []
    for _ in range(5):
        pool.eject("w0", now)
        lengths.append(pool.until_s("w0") - now)
        now = pool.until_s("w0")
    assert lengths == [10, 20, 30, 35, 35]


def test_clean_time_at_full_weight_takes_ejections_off_the_count_and_the_canary_does_not():
    pool = ejector()
    pool.eject("w0", 0.0)
    pool.eject("w0", 10.0)  # until 30, canary until 34
    assert [pool.count("w0", t) for t in (30.0, 43.9, 44.1, 54.1, 1000.0)] == [2, 2, 1, 0, 0]
    pool.eject("w0", 1000.0)
    assert pool.until_s("w0") == 1010.0


def test_jitter_takes_off_at_most_its_share():
    lengths = []
    for seed in range(50):
        pool = ejector(jitter_ratio=0.2)
        pool.rng = random.Random(seed)
        pool.eject("w0", 0.0)
        lengths.append(pool.until_s("w0"))
    assert 8 <= min(lengths) < 8.5
    assert 9.5 < max(lengths) <= 10


# report 33: litellm#40130
def test_a_second_longer_ejection_extends_the_first_deadline_and_none_shortens_it():
    pool = ejector(base_ejection_s=10, max_ejection_s=1000)
    pool.eject("w0", 0.0)
    pool.eject("w0", 1.0)
    assert pool.until_s("w0") == 21.0
    shorter = ejector(jitter_ratio=1.0)
    shorter.rng = random.Random(0)
    ends = []
    for now in range(8):
        shorter.eject("w0", float(now))
        ends.append(shorter.until_s("w0"))
    assert ends == sorted(ends)


@pytest.mark.parametrize(
    ("workers", "share", "most"),
    [(1, 1.0, 0), (2, 0.34, 1), (3, 0.34, 1), (4, 0.34, 1), (6, 0.34, 2), (30, 0.1, 3), (4, 1.0, 3)],
)
def test_at_most_a_share_is_out_yet_one_may_go_and_the_last_never(workers, share, most):
    pool = ejector(workers, max_ejection_ratio=share)
    assert sum(pool.eject(f"w{number}", 0.0) for number in range(workers)) == most
    assert len(pool.out(0.0)) == most
    assert pool.eject("w9999", 0.0) is False


def test_envoys_own_rule_lets_nobody_go_from_a_pool_too_small_for_the_share():
    strict = {"max_ejection_ratio": 0.1, "always_eject_one": False}
    assert not ejector(4, **strict).eject("w0", 0.0)
    assert ejector(10, **strict).eject("w0", 0.0)


def test_room_is_made_when_the_first_comes_back():
    pool = ejector()
    pool.eject("w0", 0.0)
    assert not pool.eject("w1", 9.9)
    assert pool.eject("w1", 10.0)


def test_with_too_few_in_ejections_are_ignored_until_enough_are_back():
    pool = ejector(max_ejection_ratio=1.0, canary_s=0)
    for number, now in enumerate((0.0, 1.0, 2.0)):
        pool.eject(f"w{number}", now)
    assert pool.panics(2.0)
    assert [pool.weight(f"w{number}", 9.9) for number in range(4)] == [1, 1, 1, 1]
    assert not pool.panics(10.0)
    assert [pool.weight(f"w{number}", 10.0) for number in range(4)] == [1, 0, 0, 1]


WORKERS = [f"w{number}" for number in range(5)]


class EjectorMachine(RuleBasedStateMachine):
    """Any workers are ejected at any times."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.deadlines: dict[str, float] = {}

    @initialize(share=st.sampled_from([0.1, 0.34, 0.6, 1.0]), healthy=st.sampled_from([0.0, 0.5, 1.0]))
    def start(self, share, healthy):
        self.pool = ejector(
            5, max_ejection_ratio=share, min_healthy_ratio=healthy, jitter_ratio=0.3, canary_s=5
        )

    @rule(seconds=st.sampled_from([0.0, 0.5, 3.0, 10.0, 60.0]))
    def wait(self, seconds):
        self.now += seconds

    @rule(worker=st.sampled_from([*WORKERS, "a stranger"]))
    def eject(self, worker):
        before = set(self.pool.out(self.now))
        done = self.pool.eject(worker, self.now)
        assert done == (worker in self.pool.out(self.now)) or worker in before
        assert done or set(self.pool.out(self.now)) == before

    @invariant()
    def never_more_than_allowed_and_never_all(self):
        out = self.pool.out(self.now)
        assert len(out) <= self.pool.rules.most_out(5) < 5

    @invariant()
    def deadlines_never_come_nearer(self):
        for worker in WORKERS:
            until_s = self.pool.until_s(worker)
            assert until_s >= self.deadlines.get(worker, 0.0)
            assert until_s <= self.now + self.pool.rules.max_ejection_s
            self.deadlines[worker] = until_s

    @invariant()
    def somebody_is_always_open_and_enough_are_unless_it_panics(self):
        weights = [self.pool.weight(worker, self.now) for worker in WORKERS]
        assert max(weights) > 0
        enough = 5 - len(self.pool.out(self.now)) >= self.pool.rules.min_healthy_ratio * 5
        assert self.pool.panics(self.now) != enough
        assert enough or weights == [1.0] * 5

    @invariant()
    def left_alone_all_come_back(self):
        later = self.now + self.pool.rules.max_ejection_s + self.pool.rules.canary_s
        assert {self.pool.weight(worker, later) for worker in WORKERS} == {1.0}
        assert {self.pool.standing(worker, later) for worker in WORKERS} == {Standing.IN}
        assert {self.pool.count(worker, later + 1e6) for worker in WORKERS} == {0}


TestEjectorMachine = EjectorMachine.TestCase
TestEjectorMachine.settings = settings(
    derandomize=True, max_examples=60, stateful_step_count=30, deadline=None
)
