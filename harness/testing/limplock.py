"""The fixture `limplock`: runs, and what is expected of them. One for each test."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import get_args

import pytest

from faults.fault import Fault
from harness.config import is_there, make_folder
from harness.errors import BadInput, unknown
from harness.fleet import Fleet
from harness.judging.pairs.objective import During
from harness.real_deployment import Options
from harness.results import file_name
from harness.scenario import Scenario
from harness.testing.conducting import Asked, check_main_thread, conduct
from harness.testing.expectation import Expectation
from harness.testing.gated import TestedGate, conduct_gate, engine_of
from harness.testing.given import check_given
from harness.testing.machine_lock import lock_file, machine_lock
from harness.testing.one_line import in_one_line
from harness.testing.policy_text import Given
from harness.testing.real_signals import cleaned_up_first
from harness.testing.settled import Settled, settle
from harness.testing.tested_run import Engine, TestedRun

ASK_FOR_IT = 'Give --limplock-wallclock, and mark the test @pytest.mark.limplock(engine="torch")'


@dataclass(slots=True, kw_only=True, repr=False)
class Limplock:
    """What `def test_...(limplock)` gets.

    Attributes:
        beside: the folder of the test's file.
        engine: of `run` where it names none.
        wall_clock: whether real runs were asked for.
        wait_s: how long another real run on this machine is waited for.
    """

    node: str
    beside: Path
    folder: Callable[[], Path]
    engine: Engine = "virtual"
    wall_clock: bool = False
    wait_s: float = 600.0
    runs: list[TestedRun] = field(default_factory=list)
    expectations: list[Expectation] = field(default_factory=list)
    gates: list[TestedGate] = field(default_factory=list)
    judged: tuple[int, int, int] = (0, 0, 0)  # of runs, expectations and gates: how many were settled

    @in_one_line
    def run(
        self,
        scenario: str | Scenario = "slow_worker",
        *,
        policy: Given,
        fault: str | Fault | None = None,
        seeds: int = 8,
        seed: int = 1,
        engine: Engine | None = None,
        workers: int | None = None,
        slow: int | None = None,
        load: float | None = None,
        factor: float | None = None,
        max_queue: int | None = None,
        phases: Mapping[str, float] | None = None,
        costs: str = "tiny_cpu",
        model: str = "tiny",
        device: str = "auto",
        toxiproxy: str = "auto",
    ) -> TestedRun:
        """`seeds` pairs, from `seed` on: each a run with the fault and its control without.

        `phases`: lengths in seconds that differ from the scenario's, as {"fault_s": 30}. In virtual time the
        result is the same on every machine. Raises LimplockError in one line.
        """
        chosen = engine or self.engine
        check_given({"scenario": scenario}, str, Scenario)
        check_given({"workers": workers, "slow": slow, "max_queue": max_queue}, int, NoneType)
        check_given({"load": load, "factor": factor}, int, float, NoneType)
        check_given({"phases": phases}, Mapping, NoneType)
        check_given({"costs": costs, "model": model, "device": device, "toxiproxy": toxiproxy}, str)
        fleet = Fleet(workers=workers, slow=slow, load=load, factor=factor, max_queue=max_queue)
        options = Options(model=model, device=device, toxiproxy=toxiproxy) if chosen == "torch" else None
        asked = Asked(
            scenario=scenario,
            policy=policy,
            fault=fault,
            seeds=seeds,
            seed=seed,
            fleet=fleet,
            phases=phases or {},
            costs=costs,
            options=options,
        )
        if chosen not in get_args(Engine):
            raise unknown("engine", str(chosen), get_args(Engine))
        self._check_asked_for(chosen)
        name = f"{asked.written.name}.{file_name(asked.preset)}"
        with self._alone(chosen):
            run = conduct(asked, self._new_folder(name))
        self.runs.append(run)
        return run

    @in_one_line
    def expect(
        self, run: TestedRun, metric: str = "", *, of: str = "", hop: str = "", during: During = "fault"
    ) -> Expectation:
        """Say what must hold of `run`; what does not is told when the test ends, all of it together.

        `of`: a caller, service, worker or the gateway by name; `hop` is another word for it.
        """
        if of and hop:
            raise BadInput(f"of={of!r} and hop={hop!r} say the same thing. Leave one out")
        if not isinstance(run, TestedRun):
            raise BadInput(f"expect takes what limplock.run returned, got a {type(run).__name__}")
        check_given({"metric": metric, "of": of, "hop": hop, "during": during}, str)
        expectation = Expectation(run=run, metric=metric, of=of or hop, during=during)
        self.expectations.append(expectation)
        return expectation

    @in_one_line
    def gate(self, path: str | Path, *, engine: Engine | None = None) -> TestedGate:
        """Run the gate of a file, beside the test's own or in the working folder; all of it is expected.

        `engine`: in place of the file's.
        """
        check_given({"path": path}, str, os.PathLike)
        near = self.beside / path
        file = near if is_there(near) else Path(path)
        chosen = engine_of(file, engine)
        self._check_asked_for(chosen)
        with self._alone(chosen):
            gate = conduct_gate(file, chosen, self._new_folder(f"gate.{file_name(file.stem)}"))
        self.gates.append(gate)
        return gate

    def __repr__(self) -> str:
        return f"<limplock in {self.node}>"  # pytest shows the arguments of a test that failed

    def settle(self) -> Settled:
        """Everything expected so far, judged."""
        self.judged = self._counts()
        return settle(self.runs, self.expectations, self.gates)

    @property
    def open(self) -> bool:
        """Whether something is there that nobody has judged."""
        return self.judged != self._counts()

    def _counts(self) -> tuple[int, int, int]:
        return len(self.runs), len(self.expectations), len(self.gates)

    def _check_asked_for(self, engine: Engine) -> None:
        if engine == "torch" and not self.wall_clock:
            pytest.skip(f"a wall-clock run. {ASK_FOR_IT}")

    def _new_folder(self, name: str) -> Path:
        number = len(self.runs) + len(self.gates)
        return make_folder(self.folder() / f"{number:02d}-{name}")

    @contextmanager
    def _alone(self, engine: Engine) -> Iterator[None]:
        """A real run has the machine to itself, and is cleaned up before anything ends the test."""
        if engine == "virtual":
            yield
            return
        check_main_thread()
        with machine_lock(lock_file(), self.node, self.wait_s), cleaned_up_first():
            yield
