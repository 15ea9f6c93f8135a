"""One control in virtual time and the runs that are held against it, each with a fault of its own."""

from pathlib import Path

import msgspec

from harness.arms import Arm, control_names
from harness.gating.gate_file import StopIf
from harness.gating.rounds import fault_name, first_of, write_pair
from harness.gating.stop import guarded
from harness.judging.history import History
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.result import Part
from harness.virtual_run import VirtualRun


class RoundResult(Part):
    """In the order of the runs."""

    pairs: list[PairResult]


class VirtualRound(msgspec.Struct, frozen=True):
    """`runs`: arms with the fault, alike in all but the fault. `number`: that of their pairs."""

    runs: tuple[VirtualRun, ...]
    number: int
    guards: tuple[StopIf, ...] = ()

    def conduct(self, folder: Path) -> RoundResult:
        """Each run is in a folder of its own with its pair, the controls beside them.

        A fault whose shape wants a longer run has a control as long, all others share one.
        """
        calm: dict[str, tuple[VirtualRun, History]] = {}
        pairs = []
        for run, beside in zip(self.runs, control_names([run.resized() for run in self.runs]), strict=True):
            control = msgspec.structs.replace(run, arm=Arm.CONTROL)
            if beside not in calm:
                calm[beside] = control, self._make(control, folder / beside)
            pairs.append(self._pair(run, *calm[beside], folder, folder / beside))
        return RoundResult(pairs=pairs)

    def _make(self, run: VirtualRun, where: Path) -> History:
        return run.make(where, watch=guarded(self.guards))

    def _pair(
        self, run: VirtualRun, control: VirtualRun, calm: History, folder: Path, beside: Path
    ) -> PairResult:
        where = folder / fault_name(run.fault)
        pair = judge_pair(self._make(run, where), calm, first_of(self.number))
        pair = pair.model_copy(
            update={
                "fault": pair.fault.model_copy(update=run.marks(where)),
                "control": pair.control.model_copy(update=control.marks(beside)),
            }
        )
        write_pair(where, pair)
        return pair
