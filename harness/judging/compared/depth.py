"""How many services above the gateway pressure reached beyond doubt, as a measure of a pair.

One is mild, two are severe (the levels of limplock: Do et al., Limplock, SoCC 2013); the bounds lie between.
"""

from harness.judging.compared.certain import certain
from harness.judging.result import Measure

HOPS = (0.5, 1.5)


def depth_measure(depth: int) -> Measure:
    return certain("hop_depth", "services", float(depth), HOPS)
