"""Retries, a retry budget and a breaker on retries against a server that fails at random.

The source's code, not its prose, is followed: the bucket refills with every first try and has no cap per
call, and the breaker counts failed attempts over first tries for the whole life of its client.
"""

from math import sqrt

from harness.clock import run_virtual
from tests.theory.failing_server import Clients, Layers, Tally
from tests.theory.retry_rules import UNBOUNDED, Bucket, LifetimeBreaker, resend
from tests.theory.row import Row, Target

TARGET = Target("T09", "Brooker 2022-02-28, retries")
OWN = Target("T09", f"{TARGET.source}; with a layer of the study's own")

POLICIES: dict[str, Layers] = {
    "no retry": lambda: (),
    "3 retries": lambda: (resend(3),),
    "bucket": lambda: (resend(UNBOUNDED), Bucket()),
    "breaker": lambda: (resend(3), LifetimeBreaker()),
}
PUBLISHED = {  # failure ratio: policy: (share of calls that succeed, attempts per call)
    0.1: {
        "no retry": (0.902, 1.0),
        "3 retries": (0.9999, 1.113),
        "bucket": (0.992, 1.101),
        "breaker": (0.931, 1.033),
    },
    0.3: {
        "no retry": (0.699, 1.0),
        "3 retries": (0.992, 1.415),
        "bucket": (0.798, 1.140),
        "breaker": (0.697, 1.001),
    },
    0.5: {
        "no retry": (0.499, 1.0),
        "3 retries": (0.939, 1.867),
        "bucket": (0.572, 1.142),
        "breaker": (0.501, 1.0),
    },
}


def measure(policy: str, ratio: float, clients: int, seconds: float, seeds: int) -> Tally:
    tally = Tally()
    for seed in range(seeds):
        run_virtual(_run(policy, ratio, clients, seconds, seed, tally))
    return tally


async def _run(policy: str, ratio: float, clients: int, seconds: float, seed: int, tally: Tally) -> None:
    await Clients(POLICIES[policy], ratio, clients, seed, tally).send_open_loop(seconds)


def fast() -> list[Row]:
    """A quarter of the published clients for one seed: 4 standard deviations of that many calls."""
    return [row for ratio in (0.1, 0.5) for row in _rows(ratio, clients=25, seeds=1, chance=4.0)]


def full() -> list[Row]:
    rows = [row for ratio in PUBLISHED for row in _rows(ratio, clients=100, seeds=4, chance=0.0)]
    long = measure("bucket", 0.5, clients=20, seconds=200.0, seeds=1)
    return [*rows, OWN.relative("p = 0.5, bucket, 200 s: attempts per call", 1.1, long.load, 0.01)]


def _rows(ratio: float, *, clients: int, seeds: int, chance: float) -> list[Row]:
    """`chance`: standard deviations of the sample allowed beside the source's own tolerance."""
    rows = []
    for policy, (success, load) in PUBLISHED[ratio].items():
        tally = measure(policy, ratio, clients, 10.0, seeds)
        target = OWN if policy in ("bucket", "breaker") else TARGET
        source_ratio = 0.02 if (policy, ratio) == ("breaker", 0.1) else 0.01
        # The number of attempts of a call varies less than one without a bound, p / (1 - p)^2.
        success_off = success * source_ratio + chance * sqrt(success * (1 - success) / tally.calls)
        load_off = load * source_ratio + chance * sqrt(ratio / tally.calls) / (1 - ratio)
        what = f"p = {ratio}, {policy}"
        rows += [
            target.absolute(f"{what}: share that succeeds", success, tally.success_ratio, success_off),
            target.absolute(f"{what}: attempts per call", load, tally.load, load_off),
        ]
        if policy == "3 retries":
            law = (1 - ratio**4) / (1 - ratio)
            rows += [
                TARGET.absolute(
                    f"{what}: success, law 1 - p^4", 1 - ratio**4, tally.success_ratio, success_off
                ),
                TARGET.absolute(f"{what}: attempts, law (1 - p^4)/(1 - p)", law, tally.load, load_off),
            ]
    return rows
