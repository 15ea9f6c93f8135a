"""More attempts of a call than one, and what pays for them."""

from policies.policy import Policy
from policies.retries.hedge import Hedge
from policies.retries.retry import Retry
from policies.retries.retry_budget import RetryBudget

POLICIES: tuple[type[Policy], ...] = (RetryBudget, Retry, Hedge)
