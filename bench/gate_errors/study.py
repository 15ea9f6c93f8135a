"""What is decided, and on which arms: identical ones, some on their limit, some slow ones that spread."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bench.gate_errors.noise import HIGHEST, Noise, in_pairs
from harness.arms import Arm
from harness.config import find_scenario
from harness.fleet import Fleet, resize
from harness.gating.gate_file import PairsPlan
from harness.scenario import Phases, Scenario
from harness.serving.cost_model import Costs

PAIRS = PairsPlan().most  # that a decision may need
SEEDS = 32  # of the pool: each decision has 12 of them, no one twice; what differs is above all the noise
# Steps of 30 ms that are work and no padding: noise on work that a pad hides would be no noise.
COSTS = Costs(
    name="steps of 30 ms",
    fixed_s=27e-3,
    sequence_s=250e-6,
    prefill_token_s=52e-6,
    kv_token_s=0.42e-6,
    hop_s=1.1e-3,
    link_s=5.0e-3,
    late_s=1.5e-3,
)
SHORT = Phases(warm_up_s=2, baseline_s=10, fault_s=11, recovery_s=3, drain_s=3)
LONGER = replace(SHORT, fault_s=26)  # pressure needs 3 to 11 s to travel
ROOM = 2  # times the slots, where no worker is slow: a slow arm must not fill them
LOCAL = {"local_front": 10.0, "local_api": 10.0}
EVEN = {"chat": 13.0, "tenant": 7.0} | LOCAL  # the tenant has more than 20 requests in each window
MOSTLY_CHAT = {"chat": 17.0, "tenant": 3.0} | LOCAL  # most of the load can meet the slow worker


@dataclass(frozen=True, slots=True)
class Draw:
    """One pair: its seed, and the levels of speed at which its two arms run."""

    seed: int
    fault: int
    control: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Attributes:
    load: share of what the healthy pool can carry.
    factor: of the slow worker, None: the candidate is a control as well.
    slower: levels by which all of the candidate's arms are slower.
    """

    name: str
    load: float
    factor: float | None = None
    slower: int = 0

    @property
    def arm(self) -> Arm:
        return Arm.CONTROL if self.factor is None else Arm.FAULT

    def scenario(self) -> Scenario:
        """slow_worker, with fewer local requests and shorter phases."""
        own = find_scenario("slow_worker")
        rates = EVEN if self.factor is None else MOSTLY_CHAT
        callers = tuple(replace(caller, rate_rps=rates[caller.name]) for caller in own.callers)
        small = resize(replace(own, callers=callers), Fleet(load=self.load, factor=self.factor), COSTS)
        if self.factor is not None:
            return replace(small, phases=LONGER)
        services = tuple(replace(tier, slots=ROOM * tier.slots) for tier in small.topology.services)
        return replace(small, phases=SHORT, topology=replace(small.topology, services=services))

    def decisions(self, count: int, noise: Noise) -> list[list[Draw]]:
        """The draws of each."""
        rng = random.Random(f"{self.name} {count}")
        return [self._decision(noise, rng) for _ in range(count)]

    def _decision(self, noise: Noise, rng: random.Random) -> list[Draw]:
        seeds = rng.sample(range(1, SEEDS + 1), PAIRS)
        levels = in_pairs(noise.draw(2 * PAIRS, rng))
        return [
            Draw(seed, min(HIGHEST, fault + self.slower), control)
            for seed, (fault, control) in zip(seeds, levels, strict=True)
        ]


SAME = Study(name="identical arms", load=0.3)
LIMIT = Study(name="on its limit", load=0.3, slower=2)
SPREADS = Study(name="slowdown of 3 that spreads", load=0.58, factor=3.0)
GROUPS = ((SAME, LIMIT), (SPREADS,))  # those of one group have the same scenario, so they share its arms


def by_seed(decisions: Sequence[Sequence[Draw]]) -> Mapping[int, list[Draw]]:
    """What each seed is needed for, each draw once."""
    found: dict[int, dict[Draw, None]] = {}
    for draw in (draw for decision in decisions for draw in decision):
        found.setdefault(draw.seed, {})[draw] = None
    return {seed: list(draws) for seed, draws in found.items()}
