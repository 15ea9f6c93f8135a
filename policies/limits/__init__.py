"""How much of ours one worker may hold at once."""

from policies.limits.bulkhead import Bulkhead
from policies.limits.limit_aimd import LimitAimd
from policies.limits.limit_gradient2 import LimitGradient2
from policies.limits.limit_slo import LimitSlo
from policies.limits.limit_vegas import LimitVegas
from policies.policy import Policy

POLICIES: tuple[type[Policy], ...] = (Bulkhead, LimitAimd, LimitVegas, LimitGradient2, LimitSlo)
