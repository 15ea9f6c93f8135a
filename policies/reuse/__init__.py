"""Answers that need no worker: given before, or on their way for somebody else."""

from policies.policy import Policy
from policies.reuse.cache_exact import CacheExact
from policies.reuse.single_flight import SingleFlight

POLICIES: tuple[type[Policy], ...] = (CacheExact, SingleFlight)
