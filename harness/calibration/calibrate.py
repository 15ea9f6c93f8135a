"""`limplock calibrate`: measure, fit, run under load, say how well it fits, store."""

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from harness.calibration.fit import Errors, errors_of, fit_costs
from harness.calibration.plan import MAX_NUM_SEQS, Cycle, affordable, check_cycles, fit_cycles
from harness.calibration.show import render_calibration
from harness.calibration.steps import Timed, time_cycle, time_rounds
from harness.calibration.under_load import add_terms
from harness.config import check_device
from harness.exit_codes import ExitCode
from harness.interrupts import run_to_the_end
from harness.quiet_collector import quiet_collector
from harness.reporting.console import PipeConsole
from harness.serving.cost_model import Costs
from harness.serving.cost_store import CALIBRATED, Stored, model_key, require_writable, save_costs
from harness.serving.fingerprint import fingerprint
from harness.serving.model.names import check_model
from harness.serving.worker_process import in_thread

if TYPE_CHECKING:
    from harness.serving.torch_engine import TorchEngine

ROUNDS_S = 24.0  # all rounds together; the run under load takes as long again
CHECK_RATIO = 1 / 3  # of the time of a round
PROBE = Cycle((32,), ())


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was found. Errors are those of `checks`, which the fit has not seen."""

    costs: Costs
    fitted: list[Timed]
    checks: list[Timed]

    @property
    def errors(self) -> Errors:
        return errors_of(self.costs, self.checks)


def run_calibrate(model: str, device: str) -> ExitCode:
    found, path = calibrate_here(model, device)
    console = PipeConsole()
    console.print(render_calibration(found.costs, found.fitted, found.checks))
    console.print(f"file: {path}", soft_wrap=True, highlight=False, markup=False)
    return ExitCode.PASS


def calibrate_here(model: str, device: str) -> tuple[Calibration, Path]:
    """Measure and store. Everything is checked before anything is measured."""
    check_model(model)
    check_device(device)
    require_writable()
    PipeConsole(stderr=True).print(
        f"timing steps of {model} on {device}, then a run under load; a minute, best on an idle machine",
        soft_wrap=True,
        highlight=False,
    )
    with quiet_collector():
        found, device = run_to_the_end(time_engine(model, device))
    found = replace(found, costs=add_terms(found.costs, model, device))
    return found, save_costs(_stored(found, model, device))


async def time_engine(model: str, device: str) -> tuple[Calibration, str]:
    """What steps of a model cost, and the torch device it ran on. Raises BadInput or EnvironmentFault."""
    from harness.serving.torch_engine import TorchEngine  # torch is loaded for this command only

    with ThreadPoolExecutor(1, thread_name_prefix="engine") as thread:
        loop = asyncio.get_running_loop()
        engine = await loop.run_in_executor(thread, TorchEngine.load, model, device, MAX_NUM_SEQS)
        fitted, checks = await _time(engine, thread)
    name = f"{model_key(model)}_{engine.device}_{CALIBRATED}"
    costs = replace(fit_costs(name, fitted), padded=engine.device == "cpu")
    return Calibration(costs, fitted, checks), engine.device


async def _time(engine: "TorchEngine", thread: ThreadPoolExecutor) -> tuple[list[Timed], list[Timed]]:
    """Steps for the fit, and others to check it, timed in the same rounds."""
    compute = in_thread(thread, engine)
    for _ in range(2):  # the first run of everything is slow
        first, *later = await time_cycle(engine, compute, PROBE)
    guess = first.seconds / first.work.prefill_tokens, min(step.seconds for step in later)
    round_s = ROUNDS_S / 2
    fit = affordable(fit_cycles(), *guess, round_s * (1 - CHECK_RATIO), engine.max_model_len)
    check = affordable(check_cycles(), *guess, round_s * CHECK_RATIO, engine.max_model_len)
    timed = await time_rounds(engine, compute, [*fit, *check], ROUNDS_S)
    return _flat(timed[cycle] for cycle in fit), _flat(timed[cycle] for cycle in check)


def _flat(timed: Iterable[list[Timed]]) -> list[Timed]:
    return [step for steps in timed for step in steps]


def _stored(found: Calibration, model: str, device: str) -> Stored:
    costs, errors = found.costs, found.errors
    return Stored(
        model=model_key(model),
        device=device,
        measured_on=datetime.now(UTC).date().isoformat(),
        machine=fingerprint(device),
        fixed_s=costs.fixed_s,
        sequence_s=costs.sequence_s,
        prefill_token_s=costs.prefill_token_s,
        kv_token_s=costs.kv_token_s,
        hop_s=costs.hop_s,
        link_s=costs.link_s,
        late_s=costs.late_s,
        median_error_ratio=errors.median_ratio,
        p90_error_ratio=errors.p90_ratio,
        worst_error_ratio=errors.worst_ratio,
    )
