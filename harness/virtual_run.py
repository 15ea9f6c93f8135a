"""One virtual run as a value: all that decides it, so that it can be done again anywhere, to the byte."""

import base64
import binascii
import hashlib
import zlib
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Self

import msgspec

from harness.arms import Arm, in_arm
from harness.broken_policy import told_as_theirs
from harness.clock import VirtualLoop
from harness.config import find_preset, find_scenario
from harness.errors import BadInput
from harness.fault_text import check_simulated, sized, with_fault
from harness.fleet import Fleet, resize, with_phases
from harness.interrupts import run_to_the_end
from harness.judging.history import History
from harness.judging.result import RunResult
from harness.judging.verdict import judge
from harness.reporting.progress import NoProgress, Progress
from harness.results import HISTORY, write_result
from harness.runner import Watch, run
from harness.scenario import Scenario
from harness.serving.cost_model import Costs
from harness.virtual_deployment import deploy_virtual

PREFIX = "lp1-"  # the first form of the token
LONGEST_BYTES = 100_000  # of an unpacked token; most have a few hundred, a pipeline may have 10,000 letters


class VirtualRun(msgspec.Struct, frozen=True, kw_only=True, array_like=True, forbid_unknown_fields=True):
    """Two of the same make the same history. `version` is that of limplock, whose code decides too."""

    scenario: str
    preset: str
    seed: Annotated[int, msgspec.Meta(ge=0)]
    costs: Costs
    fleet: Fleet = Fleet()
    version: str = msgspec.field(default_factory=lambda: version("limplock"))
    fault: str = ""  # in place of the scenario's own
    arm: Arm = Arm.FAULT
    phases: dict[str, float] = msgspec.field(default_factory=dict)  # lengths in place of the scenario's

    @property
    def title(self) -> str:
        """`slow_worker x none, seed 1, workers=512`."""
        words = f", {self.fleet.words}" if self.fleet.words else ""
        other = f" with {self.fault}" if self.fault else ""
        other += f" ({self.arm})" if self.arm is not Arm.FAULT else ""
        return f"{self.scenario}{other} x {self.preset}, seed {self.seed}{words}"

    def written(self) -> Scenario:
        """The scenario as it stands in its file."""
        return find_scenario(self.scenario)

    def resized(self) -> Scenario:
        """The scenario at the size of the fleet. BadInput for a name or a size that is not to be had."""
        scenario = with_phases(self.written(), self.phases)
        scenario = resize(with_fault(scenario, self.fault), self.fleet, self.costs)
        check_simulated(scenario.fault)
        sized(scenario, find_preset(self.preset).build(scenario.topology.workers), self.preset)
        return in_arm(scenario, self.arm)

    def token(self) -> str:
        """The run in one word."""
        packed = zlib.compress(msgspec.json.encode(self), 9)
        return PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")

    def is_of(self, token: str) -> bool:
        """Whether `token` stands for this run: its packing may differ from machine to machine."""
        try:
            return token == self.token() or VirtualRun.of(token) == self
        except BadInput:
            return False

    @classmethod
    def of(cls, token: str) -> Self:
        """The run that `token` stands for. BadInput if it is damaged or of another version."""
        token = (token.split() or [""])[-1]  # also the whole line that was printed
        body = token.removeprefix(PREFIX)
        try:
            if body == token:
                raise ValueError(f"it does not begin with {PREFIX}")
            packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
            found = msgspec.json.decode(_unpacked(packed), type=cls)
        except (ValueError, binascii.Error, zlib.error, msgspec.MsgspecError) as damage:
            raise BadInput(
                f"this is no whole replay token ({damage}). It is printed before a run and in its result.json"
            ) from damage
        if found.version != version("limplock"):
            raise BadInput(
                f"this token is of limplock {found.version}, this is {version('limplock')}:"
                " its history would not be the same. Replay it with that version"
            )
        return found

    def conduct(self, folder: Path, progress: Progress | None = None) -> RunResult:
        """Run and judge. `history.jsonl` and `result.json` are in `folder`, made if need be.

        Raises Interrupted or Terminated, with what was recorded so far left in the folder.
        """
        history = self.make(folder, progress)
        result = judge(history).model_copy(update=self.marks(folder))
        write_result(folder, result)
        return result

    def make(self, folder: Path, progress: Progress | None = None, watch: Watch | None = None) -> History:
        """Run, and leave the judging to others. As `conduct`; for `watch` see the runner."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / HISTORY
        scenario, preset = self.resized(), find_preset(self.preset)
        deploy = partial(deploy_virtual, costs=self.costs)
        work = run(scenario, preset, self.seed, deploy, path, progress or NoProgress(), watch)
        with told_as_theirs(self.preset, folder):
            return run_to_the_end(work, VirtualLoop)

    def marks(self, folder: Path) -> dict[str, str]:
        """By which the run whose history is in `folder` can be had again, and known."""
        return {"replay": self.token(), "digest": digest(folder / HISTORY)}


def _unpacked(packed: bytes) -> bytes:
    """ValueError or zlib.error for anything but one whole packing of a run."""
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(packed, LONGEST_BYTES)
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError("it is cut short or has something behind its end")
    return content


def digest(path: Path) -> str:
    """SHA-256 of a stored history."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
