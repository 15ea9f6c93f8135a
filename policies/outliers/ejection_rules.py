"""For how long a worker is taken out, and how many at once.

Source of the lengths, the cap and the panic rule: Envoy's outlier detection and gRPC proposal A50.
"""

from dataclasses import dataclass
from math import floor

from policies.bounds import check, check_switch
from policies.policy import Policy

SLACK = 1e-9  # 0.1 x 30 workers is three of them, whatever floating point makes of it


@dataclass(frozen=True, slots=True, kw_only=True)
class EjectionRules:
    """For how long and how many.

    Attributes:
        base_ejection_s, max_ejection_s: the first ejection, and the longest.
        max_ejection_ratio: share of the workers that may be out at once; the last one never is.
        always_eject_one: one may be out whatever share of the workers it is.
        min_healthy_ratio: with a smaller share in, ejections are ignored (panic): a few are no help.
        jitter_ratio: largest share taken off at random, so that workers do not come back in step.
        canary_ratio, canary_s: weight on return, and for how long.
    """

    base_ejection_s: float = 30.0
    max_ejection_s: float = 300.0
    max_ejection_ratio: float = 0.34
    always_eject_one: bool = True
    min_healthy_ratio: float = 0.5
    jitter_ratio: float = 0.0
    canary_ratio: float = 0.1
    canary_s: float = 10.0

    def check_ejection(self, policy: Policy) -> None:
        """ValueError in the name of `policy`, which these rules are a part of."""
        check(policy, "max_ejection_s", above=0)
        check(policy, "base_ejection_s", above=0, at_most=self.max_ejection_s)
        check(policy, "max_ejection_ratio", "canary_ratio", above=0, at_most=1)
        check(policy, "min_healthy_ratio", "jitter_ratio", at_least=0, at_most=1)
        check(policy, "canary_s", at_least=0)
        check_switch(policy, "always_eject_one")

    @property
    def forgiven_s(self) -> float:
        """Time at full weight that takes one ejection off the count."""
        return self.base_ejection_s

    def ejection_s(self, count: int) -> float:
        """Length of the ejection with this number, jitter aside: base x count, up to the longest."""
        return min(self.max_ejection_s, self.base_ejection_s * count)

    def most_out(self, workers: int) -> int:
        """How many of so many workers may be out at once."""
        share = floor(self.max_ejection_ratio * workers + SLACK)
        return min(workers - 1, max(share, int(self.always_eject_one)))
