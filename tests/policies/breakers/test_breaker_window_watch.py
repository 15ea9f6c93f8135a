"""The breaker looks at attempts in flight only when it may matter: as good as looking at all, always."""

import math
import random
from heapq import heapify, heappop, heappush
from itertools import count

from policies.breakers.breaker_window import BreakerWindow
from policies.call import Chunk
from policies.outcome import OK, Kind, Outcome
from policies.policy import Rejection

FAILED = Outcome(kind=Kind.ERROR, status=500)
ABANDONED = Outcome(kind=Kind.ABANDONED)


class SettlesAlways(BreakerWindow):
    """The rule without the watch: every attempt settles every circuit."""

    def _settle(self, now):
        for guard in self._guards.values():
            guard.settle(now)


def random_life(rng, make_attempt, worker, now):
    """An attempt and what happens to it: (time, chunk), ascending, and (time, outcome) at the end."""
    stream = rng.random() < 0.8
    attempt = make_attempt(worker, now, stream=stream, max_tokens=16)
    slowness = rng.choice([0.1, 1.0, 4.0])
    times_s = [now + rng.expovariate(1 / slowness)]
    for _ in range(rng.randrange(16)):
        times_s.append(times_s[-1] + rng.expovariate(4 / slowness))
    if rng.random() < 0.2:
        times_s = times_s[: rng.randrange(len(times_s))]
    chunks = [(time_s, Chunk(b"")) for time_s in times_s]
    end_s = times_s[-1] if times_s else now + rng.expovariate(1 / slowness)
    if not stream:  # all at once, which is the end
        chunks = [(end_s, Chunk(b"", tokens=len(times_s)))]
    outcome = rng.choice([OK, OK, OK, FAILED, ABANDONED])
    return attempt, [*chunks, (end_s, outcome)]


def states(kind, seed, make_attempt):
    """What a gate says at every event of a random schedule under random legal rules."""
    rng = random.Random(seed)
    gate = kind(
        jitter_ratio=0,
        window_s=rng.uniform(0.5, 20),
        min_calls=rng.randint(1, 4),
        slow_ttft_s=rng.choice([rng.uniform(0.1, 12), math.inf]),
        slow_tpot_s=rng.choice([rng.uniform(0.01, 1.5), math.inf]),
        open_s=rng.uniform(0.2, 10),
        half_open_permits=rng.randint(1, 3),
    )
    workers = ("w0", "w1", "w2")
    events = [(rng.uniform(0, 40), number, rng.choice(workers)) for number in range(100)]
    heapify(events)
    numbers = count(len(events))
    seen = []
    while events:
        now, _, event = heappop(events)
        if isinstance(event, str):
            attempt, life = random_life(rng, make_attempt, event, now)
            lease = gate.enter(attempt)
            if not isinstance(lease, Rejection):
                for time_s, what in life:
                    heappush(events, (time_s, next(numbers), (lease, attempt, what)))
        else:
            lease, attempt, what = event
            if isinstance(what, Chunk):
                attempt.deliver(what, now)
            else:
                lease.close(attempt, what, now)
        seen.append([(gate.weight(worker, now), gate.describe(worker, now)) for worker in workers])
    return seen


def test_looking_only_when_it_may_matter_is_as_good_as_looking_always(make_attempt):
    shut = 0
    for seed in range(120):
        watched = states(BreakerWindow, seed, make_attempt)
        assert watched == states(SettlesAlways, seed, make_attempt), seed
        shut += any(weight == 0 for moment in watched for weight, _ in moment)
    assert shut > 60
