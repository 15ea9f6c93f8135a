"""Shut a worker out for a while, by what its attempts came to."""

from policies.breakers.breaker_pybreaker import BreakerPybreaker
from policies.breakers.breaker_window import BreakerWindow
from policies.policy import Policy

POLICIES: tuple[type[Policy], ...] = (BreakerPybreaker, BreakerWindow)
