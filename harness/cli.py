"""The `limplock` command: reads the command line, hands over, and turns every ending into an exit code.

What is slow to import is imported where it is used, so that help and refusals come at once.
"""

import signal
import sys
import tempfile
import traceback
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

from harness.doctoring.command import doctor
from harness.errors import BadFile, LimplockError
from harness.exit_codes import ExitCode
from harness.gating.command import gate
from harness.go_flags import from_go
from harness.interrupts import ENDS
from harness.options import (
    POLICY_HELP,
    Controls,
    CostsName,
    Device,
    Faults,
    Jobs,
    Model,
    Out,
    Seed,
    Toxiproxy,
)
from harness.reporting.console import PipeConsole, say
from harness.sweeping.command import sweep

app = typer.Typer(
    help="Find out, before a deploy, whether one slow GPU worker drags down callers that have nothing to do"
    " with it, and which client policy stops it.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
)
_GO_SWITCHES = ("help", "version", "proxy-metrics", "runtime-metrics", "strict-compat")
_INT64 = 2**63  # one more than the greatest seed of the original

models = typer.Typer(help="Models that are not part of the package.")
app.add_typer(models, name="models")


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Say the version and end.")] = False,
) -> None:
    if version:
        PipeConsole().print(f"limplock {metadata.version('limplock')}", highlight=False)


@app.command()
def demo(seed: Seed = 1, out: Out = None, toxiproxy: Toxiproxy = "auto") -> int:
    """One worker 10 times slower, without and with policies; then the same worker killed. Under 3 minutes."""
    from harness.commands import run_demo

    return run_demo(seed, out, toxiproxy)


@app.command()
def run(
    scenario: str,
    policy: Annotated[
        list[str] | None,
        typer.Option(help=f"{POLICY_HELP} Default: none, the control."),
    ] = None,
    fault: Faults = None,
    seed: Seed = 1,
    out: Out = None,
    toxiproxy: Toxiproxy = "auto",
    model: Model = "tiny",
    device: Device = "auto",
    engine: Annotated[str, typer.Option(help="torch (real processes) or virtual (virtual time).")] = "torch",
    costs: CostsName = None,
    seeds: Annotated[int | None, typer.Option(help="Virtual: this many seeds, from --seed on.")] = None,
    jobs: Jobs = None,
    workers: Annotated[int | None, typer.Option(help="Virtual: size of the pool.")] = None,
    slow: Annotated[int | None, typer.Option(help="Virtual: how many workers the fault is at.")] = None,
    load: Annotated[float | None, typer.Option(help="Virtual: share of the healthy capacity.")] = None,
    factor: Annotated[float | None, typer.Option(help="Virtual: how many times slower.")] = None,
    max_queue: Annotated[int | None, typer.Option(help="Virtual: who may wait inside a worker.")] = None,
    pairs: Annotated[
        int | None, typer.Option(help="Judge so many pairs together: with the fault, and without.")
    ] = None,
    controls: Controls = "",
) -> int:
    """Run one scenario under one or more presets. Contained is exit 0, spread is exit 1."""
    from harness.fleet import Fleet

    fleet = Fleet(workers=workers, slow=slow, load=load, factor=factor, max_queue=max_queue)
    if pairs is not None:
        from harness.pairs_command import Asked, run_pairs
        from harness.real_deployment import Options

        return run_pairs(
            Asked(
                scenario=scenario,
                policies=policy or ["none"],
                pairs=pairs,
                seed=seed,
                faults=fault or [],
                controls=controls,
                engine=engine,
                fleet=fleet,
                costs=costs,
                seeds=seeds,
                jobs=jobs,
                out=out,
                options=Options(model=model, device=device, toxiproxy=toxiproxy),
            )
        )
    if controls:
        raise typer.BadParameter("it is about pairs. Add --pairs 8", param_hint="--controls")
    if engine == "virtual":
        from harness.virtual_commands import Virtual, check_virtual, run_virtually

        check_virtual(model, device, toxiproxy)
        virtual = Virtual(
            costs="auto" if costs is None else costs,
            seeds=1 if seeds is None else seeds,
            jobs=jobs,
            fleet=fleet,
            faults=tuple(fault or ()),
        )
        return run_virtually(scenario, policy or ["none"], seed, out, virtual)
    from harness.commands import check_real, run_scenario

    check_real(engine, fleet, {"--costs": costs, "--seeds": seeds, "--jobs": jobs})
    return run_scenario(scenario, policy or ["none"], seed, out, toxiproxy, model, device, fault or [])


app.command()(sweep)
app.command()(doctor)
app.command()(gate)


@app.command()
def replay(
    token: str,
    out: Out = None,
    against: Annotated[Path | None, typer.Option(help="result.json, or its folder. Default: search.")] = None,
) -> int:
    """Do a virtual run again from its token and check that its history is the same to the byte."""
    from harness.virtual_commands import run_replay

    return run_replay(token, out, against)


@app.command("list")
def list_(
    kind: Annotated[
        str,
        typer.Argument(
            help="scenarios, policies, presets, pipelines, faults, shapes, metrics. Default: what these are."
        ),
    ] = "",
) -> int:
    """List what there is, with one line of meaning each."""
    from harness.catalogue import catalogue, fault_families
    from harness.reporting.entries import render_entries, render_families

    console = PipeConsole()
    if kind == "faults":
        say(console, render_families(fault_families(), console.width))
    else:
        console.print(render_entries(catalogue(kind)))
    return ExitCode.PASS


@app.command()
def serve(
    workers: Annotated[int, typer.Option(help="How many worker processes.")] = 4,
    policy: Annotated[str, typer.Option(help="Preset, pipeline or FILE.policy.")] = "none",
    port: Annotated[int, typer.Option(help="Port of the gateway. 0 takes a free one.")] = 0,
    toxiproxy: Toxiproxy = "auto",
    model: Model = "tiny",
    device: Device = "auto",
) -> int:
    """Serve the OpenAI-style API through the gateway until Ctrl-C, for any client to be pointed at."""
    from harness.commands import run_serve

    return run_serve(workers, policy, port, toxiproxy, model, device)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def fault(
    context: typer.Context,
    kind: Annotated[
        str, typer.Argument(help="A name of `limplock list faults`, or 'slow_decode(5, shape=ramp(rise=5))'.")
    ] = "",
    worker: Annotated[int, typer.Option(help="Index of the worker, from 0.")] = 0,
    for_: Annotated[
        float | None, typer.Option("--for", help="Seconds until it heals by itself. Default: 30.")
    ] = None,
    gateway: Annotated[str | None, typer.Option(help="URL. Default: the one `limplock serve` here.")] = None,
    shape: Annotated[str | None, typer.Option(help="How strong as time goes by: 'ramp(rise=5)'.")] = None,
    lift: Annotated[bool, typer.Option("--lift", help="End the fault of the worker now.")] = False,
) -> int:
    """Make a worker of a running `limplock serve` slow: limplock fault slow_steps --worker 2 --factor 10.

    `limplock list faults` has all faults with their parameters, each of which is an option here: --factor 10.
    The whole may be one text instead, as in `run --fault`. A duration may be a share of the policy's timeout
    of attempts: --latency 0.95timeout.
    """
    from harness.commands import run_fault, run_lift

    if lift:
        given = {kind: bool(kind), "--for": for_ is not None, "--shape": shape is not None}
        return run_lift(worker, gateway, [name for name, was in given.items() if was] + context.args)
    return run_fault(kind, worker, for_, gateway, shape, context.args)


@app.command()
def recover(
    forget: Annotated[
        bool, typer.Option("--forget", help="Drop what could not be undone: you have seen to it yourself.")
    ] = False,
) -> int:
    """Undo what a run has left that was killed together with its janitor, as by a power cut."""
    from harness.recover import run_recover

    return run_recover(forget)


@app.command()
def calibrate(
    model: Model = "tiny",
    device: Device = "cpu",
) -> int:
    """Measure what steps of the model cost here, for virtual runs. Takes under a minute."""
    from harness.calibration.calibrate import run_calibrate

    return run_calibrate(model, device)


@app.command()
def validate(
    scenarios: Annotated[list[str] | None, typer.Argument(help="Default: healthy and slow_worker.")] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(help=f"{POLICY_HELP} Default: none and timeout_breaker_shed."),
    ] = None,
    fault: Faults = None,
    seed: Seed = 1,
    out: Out = None,
    toxiproxy: Toxiproxy = "auto",
    costs: CostsName = None,
    runs: Annotated[int, typer.Option(help="Seeds, from --seed on, compared together.")] = 1,
) -> int:
    """Run the same plans virtual and real and compare each figure. Within tolerance is exit 0, outside 1.

    A real run takes 42 s and wants an idle machine.
    """
    from harness.validate import run_validate

    return run_validate(
        scenarios or [],
        policy or [],
        seed,
        out,
        toxiproxy,
        "auto" if costs is None else costs,
        runs,
        fault or [],
    )


@app.command()
def toxiproxy(
    host: Annotated[str, typer.Option("-host", "--host", help="Loopback only.")] = "localhost",
    port: Annotated[int, typer.Option("-port", "--port", help="0 takes a free one.")] = 8474,
    config: Annotated[
        Path | None, typer.Option("-config", "--config", help="JSON array of proxies, perhaps with toxics.")
    ] = None,
    seed: Annotated[
        int,
        typer.Option("-seed", "--seed", help="Chance of toxicity and jitter.", min=-_INT64, max=_INT64 - 1),
    ] = 1,
    version: Annotated[bool, typer.Option("-version", "--version", help="Say the version and end.")] = False,
    proxy_metrics: Annotated[
        bool, typer.Option("-proxy-metrics", "--proxy-metrics", help="Bytes of each proxy at /metrics.")
    ] = False,
    runtime_metrics: Annotated[
        bool, typer.Option("-runtime-metrics", "--runtime-metrics", help="This process at /metrics.")
    ] = False,
    strict_compat: Annotated[
        bool, typer.Option("--strict-compat", help="The original's way even where ours is saner.")
    ] = False,
) -> int:
    """Run the embedded Toxiproxy on its own, for any Toxiproxy client: takes the options of the original."""
    from harness.toxiproxy_command import Wanted, run_toxiproxy, say_version

    if version:
        return say_version()
    return run_toxiproxy(
        Wanted(
            host=host,
            port=port,
            config=config,
            seed=seed,
            strict_compat=strict_compat,
            proxy_metrics=proxy_metrics,
            runtime_metrics=runtime_metrics,
        )
    )


@models.command()
def fetch(name: Annotated[str, typer.Argument(help="smollm2")]) -> int:
    """Download a model into the cache."""
    from harness.commands import run_fetch

    return run_fetch(name)


def main() -> None:
    """Entry of the console script."""
    sys.exit(run_command_line(sys.argv[1:]))


def run_command_line(arguments: list[str]) -> int:
    """Exit code of a command line. Nothing but one line reaches the user when something is wrong."""
    try:
        return int(app(_read(arguments), standalone_mode=False) or 0)
    except LimplockError as known:
        if type(known) in ENDS.values():
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # one more Ctrl-C must not change the exit code now
        _say(str(known), named=not isinstance(known, BadFile))
        return known.exit_code
    except typer.exceptions.TyperException as wrong:  # the command line itself
        said = getattr(wrong, "format_message", wrong.__str__)().rstrip(".")
        _say(f"{said}. See: {' '.join(['limplock', *_commands(wrong), '--help'])}")
        return ExitCode.BAD_INPUT
    except OSError as full:  # our own output or files; what the work may raise, it has mapped itself
        where = f" with {full.filename}" if full.filename else ""
        _say(f"cannot go on{where}: {full.strerror or full}. See where the output and the files go")
        return ExitCode.ENVIRONMENT
    except Exception:  # whatever is left is a bug of ours: the user gets one line, we get the traceback
        return _report_bug()


def _commands(wrong: Exception) -> list[str]:
    """The commands within which something was wrong, without the program: `models`, `fetch`."""
    names: list[str] = []
    context = getattr(wrong, "ctx", None)
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    return names


def _read(arguments: list[str]) -> list[str]:
    """In our form, also where another program's is usual; without any, the help."""
    if arguments[:1] == ["toxiproxy"]:
        return ["toxiproxy", *from_go(arguments[1:], _GO_SWITCHES)]
    return arguments or ["--help"]


def _say(line: str, *, named: bool = True) -> None:
    """`named`: with the name of the program before it."""
    with suppress(OSError):  # nobody can be told; the exit code still says it
        PipeConsole(stderr=True, soft_wrap=True).print(
            f"limplock: {line}" if named else line, style="bold red", markup=False, highlight=False
        )


def _report_bug() -> ExitCode:
    with tempfile.NamedTemporaryFile("w", prefix="limplock-bug-", suffix=".txt", delete=False) as file:
        traceback.print_exc(file=file)
    _say(f"this is a bug in limplock. Please report it with the file {file.name}")
    return ExitCode.BUG
