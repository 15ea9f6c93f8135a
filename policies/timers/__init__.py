"""How long a call and its attempts may take."""

from policies.policy import Policy
from policies.timers.adaptive_timeout import AdaptiveTimeout
from policies.timers.deadline import Deadline
from policies.timers.timeout import Timeout

POLICIES: tuple[type[Policy], ...] = (Timeout, Deadline, AdaptiveTimeout)
