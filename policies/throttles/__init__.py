"""Refuse calls before they are sent, by what became of those before."""

from policies.policy import Policy
from policies.throttles.admission_control import AdmissionControl
from policies.throttles.priority_shed import PriorityShed
from policies.throttles.rate_limit import RateLimit
from policies.throttles.throttle_sre import ThrottleSre

POLICIES: tuple[type[Policy], ...] = (AdmissionControl, PriorityShed, RateLimit, ThrottleSre)
