"""What the commands do, once the command line is read. Everything is checked before anything is started."""

import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from faults.notation import spell
from harness.broken_policy import told_as_theirs
from harness.config import check_stand, find_preset, find_presets, find_scenario, stacking
from harness.demo import broken_promises, demo_code, demo_plan
from harness.errors import BadInput, unknown
from harness.exit_codes import ExitCode
from harness.fault_order import lift_fault, order_fault, read_order
from harness.fault_text import NOT_AS_STATED, find_faults
from harness.fleet import Fleet
from harness.interrupts import Interrupted, run_to_the_end
from harness.judging.result import Verdict
from harness.real_deployment import Options, RealDeployment
from harness.reporting.console import PipeConsole, say
from harness.reporting.terminal import render_comparison
from harness.results import new_folder
from harness.scenario import worker_name
from harness.serve import find_gateway, serve
from harness.serving.fault_desk import stays
from harness.serving.gateway_server import FaultRequest
from harness.serving.leftovers import refuse_leftovers
from harness.suite import plan_runs, run_all
from harness.verdict_codes import exit_code

DEMO_DEVICE = "cpu"  # the load is sized for padded steps; a GPU would shrug off a slow factor of 10
DEFAULT_FOR_S = 30.0  # of `limplock fault`
MAX_WORKERS = 64  # more processes than this on one machine measure the machine


def run_scenario(
    scenario: str,
    policies: Sequence[str],
    seed: int,
    out: Path | None,
    toxiproxy: str,
    model: str,
    device: str,
    faults: Sequence[str] = (),
) -> ExitCode:
    plan = plan_runs(find_scenario(scenario), find_presets(policies), find_faults(faults))
    check_stand(model, device, toxiproxy)
    refuse_leftovers()
    folder = new_folder(out)
    console = PipeConsole()
    for note in filter(None, (stacking(planned.preset) for planned in plan)):
        say(console, f"note: {note}")
    if faults:
        say(console, f"note: {NOT_AS_STATED}")
    results = run_all(plan, seed, Options(model=model, device=device, toxiproxy=toxiproxy), folder)
    console.print(render_comparison(results))
    _show_files(console, folder)
    return exit_code(results)


def check_real(engine: str, fleet: Fleet, others: Mapping[str, object]) -> None:
    """BadInput for an unknown engine, and for options that only virtual runs have."""
    if engine != "torch":
        raise unknown("engine", engine, ("torch", "virtual"))
    given = [f"--{name.replace('_', '-')}" for name, value in asdict(fleet).items() if value is not None]
    given += [name for name, value in others.items() if value is not None]
    if given:
        raise BadInput(f"{', '.join(given)}: for virtual runs only. Add --engine virtual")


def run_demo(seed: int, out: Path | None, toxiproxy: str) -> ExitCode:
    """PASS only if all three runs came out as stated."""
    plan = demo_plan()
    check_stand("tiny", DEMO_DEVICE, toxiproxy)
    refuse_leftovers()
    folder = new_folder(out)
    results = run_all(plan, seed, Options(device=DEMO_DEVICE, toxiproxy=toxiproxy), folder)
    console = PipeConsole()
    console.print(render_comparison(results))
    _show_files(console, folder)
    broken = broken_promises(plan, results)
    if any(result.verdict is Verdict.INCONCLUSIVE for result in results):
        console.print(
            "INCONCLUSIVE tells of the machine, not of the policy: close what keeps it busy, then try again."
        )
    for line in broken:
        console.print(f"not as the scenario states: {line}", style="bold red", markup=False, highlight=False)
    if not broken:
        console.print("All three came out as stated.", style="bold green")
    return demo_code(plan, results)


def run_serve(workers: int, policy: str, port: int, toxiproxy: str, model: str, device: str) -> ExitCode:
    preset = find_preset(policy)
    check_stand(model, device, toxiproxy)
    if not 1 <= workers <= MAX_WORKERS:
        raise BadInput(f"--workers must be 1 to {MAX_WORKERS}, got {workers}")
    if not 0 <= port <= 65535:
        raise BadInput(f"--port must be 0 to 65535, got {port}")
    refuse_leftovers()
    options = Options(model=model, device=device, toxiproxy=toxiproxy, gateway_port=port, told=_tell)
    try:
        with told_as_theirs(preset.name):
            run_to_the_end(serve(workers, preset, options, _announce))
    except Interrupted:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one more Ctrl-C must not change the exit code now
        PipeConsole(stderr=True).print("stopped and cleaned up")
    return ExitCode.PASS


def run_fault(
    kind: str, worker: int, for_s: float | None, gateway: str | None, shape: str | None, words: Sequence[str]
) -> ExitCode:
    if not kind:
        raise BadInput("which fault? `limplock list faults` has all, --lift ends the one that is on")
    fault = read_order(kind, words, shape)
    if for_s is not None and not stays(fault):
        raise BadInput(f"--for: {fault.kind} does not heal by itself, whatever its time. Leave it out")
    for_s = DEFAULT_FOR_S if for_s is None else for_s
    if not 0 < for_s < float("inf"):
        raise BadInput(f"--for must be above 0 s and finite, got {for_s}")
    where = gateway or find_gateway()
    request = FaultRequest(fault=spell(fault), worker=worker_name(worker), for_s=for_s)
    run_to_the_end(order_fault(where, request))
    until = f" for {for_s:g} s" if stays(fault) else ", for good"
    say(PipeConsole(), f"{spell(fault)} on {worker_name(worker)}{until}")
    return ExitCode.PASS


def run_lift(worker: int, gateway: str | None, others: Sequence[str]) -> ExitCode:
    """`others`: what else was given, which means nothing here."""
    if others:
        raise BadInput(f"--lift ends what is on a worker and takes --worker alone: leave out {others[0]}")
    lifted = run_to_the_end(lift_fault(gateway or find_gateway(), worker_name(worker)))
    say(PipeConsole(), f"{lifted} has ended")
    return ExitCode.PASS


def run_fetch(name: str) -> ExitCode:
    from harness.serving.model.smollm2_fetch import fetch_smollm2

    if name != "smollm2":
        raise unknown("model", name, ("smollm2",))
    PipeConsole().print(f"smollm2 is at {fetch_smollm2()}", highlight=False)
    return ExitCode.PASS


def _announce(deployment: RealDeployment) -> None:
    console = PipeConsole(highlight=False, soft_wrap=True)
    url = deployment.gateway_server.url
    console.print(f"gateway   {url}/v1", style="bold")
    for name, worker in deployment.workers.items():
        console.print(f"{name}  {worker.url}  through {deployment.link_urls[name]}")
    toxiproxy = deployment.toxiproxy
    console.print(f"toxiproxy {toxiproxy.url} ({toxiproxy.kind} {toxiproxy.version})")
    body = '{"prompt": "A list is", "max_tokens": 64, "temperature": 0.7}'
    console.print(f"\ncurl {url}/v1/completions -H 'Content-Type: application/json' -d '{body}'\n")
    last = len(deployment.workers) - 1
    order = f"limplock fault slow_steps --worker {last} --factor 10 --for 30 --gateway {url}"
    console.print(f"Ctrl-C stops it. Meanwhile: {order}")


def _tell(words: str) -> None:
    with suppress(OSError):  # nobody listens; what serves goes on all the same
        say(PipeConsole(), words)


def _show_files(console: Console, folder: Path) -> None:
    console.print(f"files: {folder}/", soft_wrap=True, highlight=False, markup=False)
