"""More attempts of a call than one, and what pays for them."""

from policies.policy import Policy
from policies.retries.retry import Retry

POLICIES: tuple[type[Policy], ...] = (Retry,)
