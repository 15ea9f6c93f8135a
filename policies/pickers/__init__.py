"""Which of the open workers takes an attempt."""

from policies.pickers.hcl import Hcl
from policies.pickers.least_request import LeastRequest
from policies.pickers.peak_ewma import PeakEwma
from policies.pickers.pin_until_error import PinUntilError
from policies.pickers.random_choice import RandomChoice
from policies.pickers.round_robin import RoundRobin
from policies.policy import Policy

POLICIES: tuple[type[Policy], ...] = (RandomChoice, RoundRobin, LeastRequest, PeakEwma, Hcl, PinUntilError)
