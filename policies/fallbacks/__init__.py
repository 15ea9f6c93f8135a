"""What a caller gets when the answer it asked for is not to be had."""

from policies.fallbacks.brownout import Brownout
from policies.fallbacks.fallback import Fallback
from policies.policy import Policy

POLICIES: tuple[type[Policy], ...] = (Fallback, Brownout)
