"""How much of ours one worker may hold at once."""

from policies.limits.bulkhead import Bulkhead
from policies.policy import Policy

POLICIES: tuple[type[Policy], ...] = (Bulkhead,)
