"""Every answer begins and then stands still: the cruellest one for whoever only bounds the first token.

A decode stage that has lost its peer, a stream that is stuck after its header. The worker looks busy and
quick: it takes requests and answers their prompts until its batch is full of answers that do not move.
"""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import WorkerFault


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezeAfterFirstToken(WorkerFault):
    """An answer with a token gets no further one and keeps its slot until its caller leaves.

    When the fault is gone answers go on where they stood.
    """

    kind: ClassVar[str] = "freeze_after_first_token"
    meaning: ClassVar[str] = "answers get their first token and then nothing; their slots stay held"
    only_first_tokens: ClassVar[bool] = True

    def effect(self) -> Effect:
        return Effect("later tokens lost", 1.0, "")
