"""The best we know against one slow worker. No number in it is sized for a pool or a model.

What each part is for, and what is worse without it, is measured by `python -m bench containment`; see
docs/policies/presets.md.
"""

from policies.presets.preset import Preset

TEXT = "timeout() | retry(max_attempts=2, budget=0.1) | outlier_latency(latency_ratio=1.5) | peak_ewma()"

CONTAIN = Preset(
    "contain",
    "workers compared with their peers, ejected when slower; one retry elsewhere under a budget",
    "chosen from measured comparisons: docs/policies/presets.md",
    lambda _: TEXT,
)
