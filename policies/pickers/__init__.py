"""Which of the open workers takes an attempt."""

from policies.pickers.least_request import LeastRequest
from policies.pickers.round_robin import RoundRobin
from policies.policy import Policy

POLICIES: tuple[type[Policy], ...] = (RoundRobin, LeastRequest)
