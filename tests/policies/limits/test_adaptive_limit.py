"""What the four limits have in common: counting, admitting, and what each ending teaches."""

import asyncio

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from policies.call import Attempt, Call, Chunk
from policies.limits.adaptive_limit import AdaptiveLimit, Rule
from policies.limits.limit_aimd import LimitAimd
from policies.limits.limit_gradient2 import LimitGradient2
from policies.limits.limit_slo import LimitSlo
from policies.limits.limit_vegas import LimitVegas
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.policy import Rejection

FAILED = Outcome(kind=Kind.ERROR, status=500)
LIMITS = (LimitAimd, LimitVegas, LimitGradient2, LimitSlo)
MEASURED = (LimitAimd, LimitVegas, LimitGradient2)
every_limit = pytest.mark.parametrize("kind", LIMITS)


class Noted(Rule):
    """Keeps what it is told."""

    def __init__(self):
        self.limit, self.told = 20.0, []

    def sample(self, observed, in_flight):
        self.told.append(("sample", observed, in_flight))

    def at_least(self, observed, in_flight):
        self.told.append(("at least", observed, in_flight))

    def drop(self, at_least, in_flight):
        self.told.append(("drop", at_least, in_flight))

    def decrease(self):
        self.told.append(("decrease",))

    def is_too_much(self, observed):
        return observed > 2


class Plain(AdaptiveLimit):
    """Observes ages; hands out one rule, which the test holds."""

    def __init__(self):
        super().__init__()
        object.__setattr__(self, "noted", Noted())

    def rule(self):
        return self.noted

    def observed(self, attempt, now):
        return attempt.age_s(now)

    observed_at_least = observed


def serve(gate, make_attempt, outcome, at_s=0.0, took_s=0.1, worker="w0"):
    """One attempt from entry to its end; its first token comes at the end."""
    attempt = make_attempt(worker, at_s)
    lease = gate.enter(attempt)
    assert not isinstance(lease, Rejection), lease
    if outcome.answered:
        attempt.deliver(Chunk(b""), at_s + took_s)
    lease.close(attempt, outcome, at_s + took_s)


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (OK, [("sample", 1.0, 1)]),
        (Outcome(kind=Kind.SLOW), [("sample", 1.0, 1)]),
        (Outcome(kind=Kind.TIMEOUT, phase="first_token"), [("drop", 1.0, 1)]),
        (Outcome(kind=Kind.TIMEOUT, phase="total"), []),
        (FAILED, [("drop", None, 1)]),
        (Outcome(kind=Kind.OVERLOAD, status=429), [("decrease",)]),
        (Outcome(kind=Kind.ERROR, status=400), []),
        (Outcome(kind=Kind.REJECTED), []),
        (Outcome(kind=Kind.ABANDONED), []),
    ],
)
def test_an_ending_teaches_what_the_table_says(make_attempt, outcome, told):
    gate = Plain()
    serve(gate, make_attempt, outcome, took_s=1.0)
    assert gate.noted.told == told


def test_a_callers_deadline_counts_only_past_what_a_healthy_worker_takes(make_attempt):
    gate = Plain()
    for took_s in (0.01, 3.0):
        serve(gate, make_attempt, Outcome(kind=Kind.TIMEOUT, phase="total"), took_s=took_s)
    assert gate.noted.told == [("drop", 3.0, 1)]


@every_limit
def test_callers_with_tiny_deadlines_lower_no_limit(kind, make_attempt):
    gate = kind()
    for number in range(200):
        serve(gate, make_attempt, OK, at_s=number * 0.1)
    for number in range(200):
        serve(gate, make_attempt, Outcome(kind=Kind.TIMEOUT, phase="total"), 20 + number * 0.1, took_s=0.01)
    assert gate.limit("w0") >= 20


@every_limit
@pytest.mark.parametrize("limit", [1, 4, 20])
def test_neither_a_lower_bound_nor_a_busy_worker_raises_a_limit(kind, limit):
    rule = kind(initial_limit=limit).rule()
    for _ in range(20):
        rule.sample(0.1, in_flight=0)
    before = rule.limit
    rule.at_least(50.0, in_flight=limit)
    assert rule.limit <= before
    before = rule.limit
    rule.decrease()
    assert rule.limit <= before


@every_limit
def test_a_stream_that_broke_off_after_a_quick_first_token_raises_no_limit(kind, make_attempt, give_tokens):
    gate = kind(initial_limit=1)
    for start_s in range(0, 500, 5):
        attempt = make_attempt(started_s=start_s)
        lease = gate.enter(attempt)
        give_tokens(attempt, 0.05, 0.05, 2)
        lease.close(attempt, Outcome(kind=Kind.TIMEOUT, phase="between_tokens"), start_s + 5.0)
    assert gate.limit("w0") == 1


def test_a_callers_deadline_counts_where_tokens_stopped_coming_long_before(make_attempt, give_tokens):
    gate = LimitSlo()
    for start_s in range(0, 1800, 60):
        attempt = make_attempt(started_s=start_s)
        lease = gate.enter(attempt)
        give_tokens(attempt, 0.05, 0.05, 2)
        lease.close(attempt, Outcome(kind=Kind.TIMEOUT, phase="total"), start_s + 60.0)
    assert gate.limit("w0") == 1


def test_in_flight_is_counted_at_admission_with_the_attempt_itself(make_attempt):
    gate, held = Plain(), []
    for _ in range(3):
        attempt = make_attempt()
        held.append((gate.enter(attempt), attempt))
    for lease, attempt in held:
        lease.close(attempt, OK, 1.0)
    assert [in_flight for _, _, in_flight in gate.noted.told] == [1, 2, 3]


def test_once_a_second_the_worst_attempt_in_flight_counts_as_a_lower_bound(make_attempt):
    gate = Plain()
    for started_s in (0.0, 0.5, 0.9):
        gate.sweep(started_s)
        gate.enter(make_attempt(started_s=started_s))
    for now in (1.0, 1.2, 1.9, 2.0, 30.0):
        gate.sweep(now)
    assert gate.noted.told == [("at least", 1.0, 3), ("at least", 2.0, 3), ("at least", 30.0, 3)]


@every_limit
def test_hung_attempts_lower_the_limit_with_nothing_ended(kind, make_attempt):
    gate = kind()
    for number in range(100):
        serve(gate, make_attempt, OK, at_s=number * 0.1)
    before = gate.limit("w0")
    while not isinstance(gate.enter(make_attempt(started_s=10.0)), Rejection):
        pass
    for second in range(10, 30):
        gate.sweep(float(second))
    assert gate.limit("w0") < before / 2 + 4


@pytest.mark.parametrize("kind", MEASURED)
@pytest.mark.parametrize(("metric", "seconds"), [("ttft", 0.25), ("e2e", 3.0)])
def test_the_metric_says_which_time_counts(kind, metric, seconds, make_attempt, give_tokens):
    gate, attempt = kind(metric=metric), make_attempt(started_s=5.0)
    give_tokens(attempt, 0.25, 0.1, 3)
    assert gate.observed(attempt, 8.0) == pytest.approx(seconds)


@pytest.mark.parametrize("kind", MEASURED)
def test_an_answer_in_one_piece_counts_whole(kind, make_attempt):
    attempt = make_attempt(stream=False)
    attempt.deliver(Chunk(b"", tokens=16), 3.0)
    assert kind().observed(attempt, 3.0) == 3.0


@pytest.mark.parametrize("kind", MEASURED)
def test_a_known_first_token_counts_at_the_end_and_not_every_second(kind, make_attempt, give_tokens):
    attempt = make_attempt()
    assert kind().observed_at_least(attempt, 7.0) == 7.0
    give_tokens(attempt, 6.0, 0.1, 1)
    assert kind().observed_at_least(attempt, 7.0) is None


@pytest.mark.parametrize("kind", MEASURED)
def test_an_unknown_metric_is_refused(kind):
    with pytest.raises(ValueError, match=f"^{kind.name}: metric must be one of ttft, e2e, got 'p99'$"):
        kind(metric="p99")


@every_limit
@pytest.mark.parametrize(("initial", "most"), [(5, 4), (0, 4)])
def test_limits_out_of_order_are_refused(kind, initial, most):
    with pytest.raises(ValueError, match=f"^{kind.name}: initial_limit must be a whole number at least 1"):
        kind(initial_limit=initial, max_limit=most)


@every_limit
def test_a_full_worker_is_shut_and_says_its_limit_while_others_stay_open(kind, make_attempt):
    gate = kind(initial_limit=2)
    for _ in range(2):
        gate.enter(make_attempt())
    assert [gate.weight(worker, 0.0) for worker in ("w0", "w1")] == [0, 1]
    assert gate.describe("w0", 0.0) == f"{kind.name} full at 2"
    assert gate.enter(make_attempt()).reason == "w0 already holds 2 of our attempts, its limit is 2"


# report 15: envoy#11579
def test_attempts_admitted_before_a_baseline_is_measured_afresh_have_no_part_in_it(make_attempt):
    gate = LimitVegas(initial_limit=4, probe_multiplier=2)
    before = [make_attempt() for _ in range(2)]
    leases = [gate.enter(attempt) for attempt in before]
    rule = leases[0].worker.rule
    while rule.epoch == 0:
        serve(gate, make_attempt, OK, at_s=1.0, took_s=0.1)
    assert rule.base_s is None
    for lease, attempt in zip(leases, before, strict=True):  # waited in the queue of the time before
        attempt.deliver(Chunk(b""), 9.0)
        lease.close(attempt, OK, 9.0)
    assert rule.base_s is None
    serve(gate, make_attempt, OK, at_s=9.0, took_s=0.2)
    assert rule.base_s == pytest.approx(0.2)


# report 16: OmniRoute#10111
# report 16: go-concurrency-limits#117
@every_limit
def test_a_limit_that_has_collapsed_still_admits_one_to_an_idle_worker_and_recovers(kind, make_attempt):
    gate = kind()
    for number in range(50):
        serve(gate, make_attempt, OK, at_s=number * 0.1)
    for number in range(300):
        outcome = Outcome(kind=Kind.OVERLOAD, status=503) if kind is LimitGradient2 else FAILED
        serve(gate, make_attempt, outcome, at_s=10 + number * 0.1)
    # what gradient2 adds for a queue keeps it at twice as much at least
    assert gate.limit("w0") <= (8 if kind is LimitGradient2 else 1)
    for number in range(100):
        now, held = 50.0 + number, []
        while gate.weight("w0", now) > 0:
            attempt = make_attempt(started_s=now)
            held.append((gate.enter(attempt), attempt))
        assert held
        for lease, attempt in held:
            attempt.deliver(Chunk(b""), now + 0.1)
            lease.close(attempt, OK, now + 0.1)
    assert gate.limit("w0") > 20


@pytest.mark.parametrize("limit", [0.0, 0.3, -5.0])
def test_whatever_the_rule_says_an_idle_worker_admits_exactly_one(limit, make_attempt):
    gate = Plain()
    gate.noted.limit = limit
    assert not isinstance(gate.enter(make_attempt()), Rejection)
    assert isinstance(gate.enter(make_attempt()), Rejection)


async def test_a_slow_worker_keeps_few_attempts_under_a_promise_and_the_others_keep_theirs():
    async def send(attempt):
        await asyncio.sleep(5.0 if attempt.worker == "w0" else 0.1)
        attempt.deliver(Chunk(b""), asyncio.get_running_loop().time())
        return OK

    gate = LimitSlo(ttft_target_s=1)
    bound = Pipeline(gates=(gate,)).over(("w0", "w1", "w2"), send)
    tasks = []
    for _ in range(600):
        tasks.append(asyncio.create_task(bound.run(Call(id="c"))))
        await asyncio.sleep(0.05)
    assert bound.pending["w0"] <= 2
    assert gate.limit("w1") >= 20
    await asyncio.gather(*tasks)
    assert bound.pending.total() == 0


class Interleavings(RuleBasedStateMachine):
    """Whatever ends in whatever order: permits neither leak nor go negative, limits stay in bounds."""

    @initialize(kind=st.sampled_from(LIMITS), most=st.integers(1, 12), data=st.data())
    def begin(self, kind, most, data):
        self.least = data.draw(st.integers(1, most))
        lowest = {"floor" if kind is LimitSlo else "min_limit": self.least}
        self.most = most
        self.gate = kind(initial_limit=data.draw(st.integers(self.least, most)), max_limit=most, **lowest)
        self.now = 0.0
        self.held = {"w0": [], "w1": []}

    @rule(worker=st.sampled_from(["w0", "w1"]))
    def enter(self, worker):
        attempt = Attempt(call=Call(id="c"), worker=worker, number=1, started_s=self.now)
        limit, held = self.gate.limit(worker), self.held[worker]
        lease = self.gate.enter(attempt)
        assert isinstance(lease, Rejection) is (len(held) >= limit)
        if not isinstance(lease, Rejection):
            held.append((lease, attempt))

    @rule(after_s=st.floats(0, 30))
    def wait_and_sweep(self, after_s):
        self.now += after_s
        self.gate.sweep(self.now)

    @rule(worker=st.sampled_from(["w0", "w1"]), place=st.integers(0, 20))
    def give_a_token(self, worker, place):
        if held := self.held[worker]:
            held[place % len(held)][1].deliver(Chunk(b""), self.now)

    @rule(
        worker=st.sampled_from(["w0", "w1"]),
        place=st.integers(0, 20),
        kind=st.sampled_from(Kind),
        phase=st.sampled_from(["first_token", "total"]),
    )
    def end(self, worker, place, kind, phase):
        if held := self.held[worker]:
            lease, attempt = held.pop(place % len(held))
            lease.close(attempt, Outcome(kind=kind, phase=phase), self.now)

    @invariant()
    def limits_stay_in_bounds_and_counts_are_true(self):
        for worker, held in getattr(self, "held", {}).items():
            limit = self.gate.limit(worker)
            assert self.least <= limit <= self.most
            assert (self.gate.weight(worker, self.now) == 0) is (len(held) >= limit)

    def teardown(self):
        for worker, held in getattr(self, "held", {}).items():
            for lease, attempt in held:  # shutdown
                lease.close(attempt, Outcome(kind=Kind.ABANDONED), self.now)
            assert self.gate.weight(worker, self.now) == 1


TestInterleavings = Interleavings.TestCase
TestInterleavings.settings = settings(
    derandomize=True, max_examples=80, stateful_step_count=30, deadline=None
)
