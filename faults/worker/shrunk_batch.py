"""The batch is smaller than it was: a KV cache that was cut, a wrong setting in a rollout.

Steps are as fast as ever and fewer requests share each, so the queue grows where load was fine before.
"""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect, Fidelity
from faults.fault import WorkerFault
from faults.magnitude import check


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrunkBatch(WorkerFault):
    """At most `max_num_seqs` requests run at once, at least 1. Those that run already end normally."""

    kind: ClassVar[str] = "shrunk_batch"
    meaning: ClassVar[str] = "at most `max_num_seqs` requests run at once"
    fidelity: ClassVar[Fidelity] = Fidelity.BEHAVIOUR

    max_num_seqs: int = 2

    def __post_init__(self) -> None:
        check("shrunk_batch: max_num_seqs", self.max_num_seqs, 1)

    def effect(self) -> Effect:
        return Effect("usable slots", self.max_num_seqs, "", less=True)

    def usable_slots(self, max_num_seqs: int) -> int:
        return min(max_num_seqs, self.max_num_seqs)
