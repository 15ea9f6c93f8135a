"""The breakers against a plain model of themselves, under any order of entries, endings and waiting.

What the model says: half open admits exactly the allowed probes of however many come; an ending without a
verdict changes no state and gives its permit back; who started in another epoch changes nothing at all.
"""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from policies.breakers.breaker_pybreaker import BreakerPybreaker
from policies.breakers.breaker_window import BreakerWindow
from policies.call import Attempt, Call
from policies.outcome import Kind, Outcome
from policies.policy import Rejection

OPEN_S, LONGEST_S, LEASE_S = 10.0, 40.0, 5.0
GOOD, SLOW, BAD = Outcome(kind=Kind.OK), Outcome(kind=Kind.SLOW), Outcome(kind=Kind.ERROR, status=500)
VOID = (
    Outcome(kind=Kind.ABANDONED),  # cancelled, hedge lost, shutdown
    Outcome(kind=Kind.REJECTED),
    Outcome(kind=Kind.OVERLOAD, status=503),
    Outcome(kind=Kind.TIMEOUT, phase="total"),
)


class Model:
    """`permits`: probes at once; `needed`: successes of probes to close; `lease_s`: of a probe."""

    def __init__(self, permits, needed, lease_s):
        self.permits, self.needed, self.lease_s = permits, needed, lease_s
        self.epoch = self.openings = self.successes = 0
        self.until_s = None

    def room(self, now, held):
        """How many may enter. `held`: epoch and start of those in flight."""
        if self.until_s is None:
            return float("inf")
        if now < self.until_s:
            return 0
        probes = sum(epoch == self.epoch and now - start < self.lease_s for epoch, start in held)
        return max(0, self.allowed() - probes)

    def ended(self, epoch, outcome, now):
        if outcome in VOID or epoch != self.epoch:
            return
        bad = self.is_bad(outcome)
        if self.until_s is None:
            if self.trips(bad):
                self.open(now)
        elif bad:
            self.open(now)
        else:
            self.successes += 1
            if self.successes >= self.needed:
                self.until_s, self.openings = None, 0
                self.begin()

    def open(self, now):
        self.until_s = now + self.open_s()
        self.openings += 1
        self.begin()

    def begin(self):
        self.epoch += 1
        self.successes = 0


class WindowModel(Model):
    def __init__(self, permits):
        super().__init__(permits, permits, LEASE_S)
        self.calls = self.bad = 0

    def allowed(self):
        return self.permits - self.successes

    def is_bad(self, outcome):
        return outcome in (SLOW, BAD)

    def trips(self, bad):
        self.calls, self.bad = self.calls + 1, self.bad + bad
        return self.calls >= 3 and self.bad * 2 >= self.calls

    def open_s(self):
        return min(LONGEST_S, OPEN_S * 2**self.openings)

    def begin(self):
        super().begin()
        self.calls = self.bad = 0


class PybreakerModel(Model):
    def __init__(self, needed):
        super().__init__(1, needed, OPEN_S)
        self.row = 0

    def allowed(self):
        return 1

    def is_bad(self, outcome):
        return outcome is BAD

    def trips(self, bad):
        self.row = self.row + 1 if bad else 0
        return self.row >= 3

    def open_s(self):
        return OPEN_S

    def begin(self):
        super().begin()
        self.row = 0


class Interleavings(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.now, self.held = 0.0, []  # lease, attempt, epoch

    def in_flight(self):
        return [(epoch, attempt.started_s) for _, attempt, epoch in self.held]

    @rule(count=st.sampled_from([1, 1, 2, 3, 50]))
    def come(self, count):
        room, admitted = self.model.room(self.now, self.in_flight()), 0
        for _ in range(count):
            attempt = Attempt(call=Call(id="c"), worker="w0", number=1, started_s=self.now)
            lease = self.gate.enter(attempt)
            if not isinstance(lease, Rejection):
                admitted += 1
                self.held.append((lease, attempt, self.model.epoch))
        assert admitted == min(room, count)

    @rule(place=st.integers(0, 60), outcome=st.sampled_from((GOOD, GOOD, SLOW, BAD, BAD, *VOID)))
    def one_ends(self, place, outcome):
        if self.held:
            self.end(self.held.pop(place % len(self.held)), outcome)

    @rule(outcome=st.sampled_from((GOOD, BAD)), count=st.integers(2, 4))
    def the_latest_end(self, outcome, count):
        for _ in range(min(count, len(self.held))):
            self.end(self.held.pop(), outcome)

    def end(self, held, outcome):
        lease, attempt, epoch = held
        self.model.ended(epoch, outcome, self.now)
        lease.close(attempt, outcome, self.now)

    @rule(quarters=st.sampled_from([1, 4, 19, 20, 40, 160]))
    def wait(self, quarters):
        self.now += quarters / 4

    @invariant()
    def it_is_open_as_the_model_says(self):
        if hasattr(self, "model"):
            room = self.model.room(self.now, self.in_flight())
            assert (self.gate.weight("w0", self.now) > 0) is (room > 0)

    def teardown(self):
        before = getattr(self, "model", None) and self.model.until_s
        for held in self.held:  # shutdown
            self.end(held, VOID[0])
        self.held.clear()
        if hasattr(self, "model"):
            assert self.model.until_s == before
            self.now += LONGEST_S
            self.come(50)


class Window(Interleavings):
    @initialize(permits=st.integers(1, 3))
    def begin(self, permits):
        self.gate = BreakerWindow(
            window_s=1e9, min_calls=3, open_s=OPEN_S, max_open_s=LONGEST_S, jitter_ratio=0,
            slow_ttft_s=1e9, slow_tpot_s=1e9, half_open_permits=permits, half_open_lease_s=LEASE_S,
        )  # fmt: skip
        self.model = WindowModel(permits)


class Pybreaker(Interleavings):
    @initialize(needed=st.integers(1, 3))
    def begin(self, needed):
        self.gate = BreakerPybreaker(fail_max=3, reset_timeout_s=OPEN_S, success_threshold=needed)
        self.model = PybreakerModel(needed)


TestWindow = Window.TestCase
TestPybreaker = Pybreaker.TestCase
TestWindow.settings = TestPybreaker.settings = settings(
    derandomize=True, max_examples=60, stateful_step_count=30, deadline=None
)
