"""One side of a comparison: a window of a run, and what the run did."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.judging.bootstrap import Blocks
from harness.judging.cohort import Cohort, Part
from harness.judging.pressure import HopTraffic
from harness.judging.requests import Request


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Hops and cohorts in the order of the set-up, requests in that of their intended send times."""

    blocks: Blocks
    requests: Sequence[Request]
    hops: Sequence[HopTraffic]
    cohorts: Sequence[Cohort]

    @property
    def parts(self) -> list[Part]:
        """One a cohort."""
        return [Part(cohort, self.blocks) for cohort in self.cohorts]
