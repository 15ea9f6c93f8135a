"""`limplock gate`: its options. What it does is in `gate_command.py`, imported when it is asked for."""

from pathlib import Path
from typing import Annotated

import typer

from harness.options import Controls, CostsName, Device, Jobs, Model, Out, Toxiproxy


def gate(
    file: Annotated[Path, typer.Argument(help="The gate's file, YAML. See docs/gate.md.")],
    engine: Annotated[
        str | None, typer.Option(help="torch (real processes) or virtual, instead of the file's.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be run, and end.")] = False,
    budget: Annotated[
        str | None, typer.Option(help="Time that it may take, 5m: as many pairs as that allows.")
    ] = None,
    noise: Annotated[
        str | None, typer.Option(help="Of latencies between like runs here, 5%. Default: 20% is assumed.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="gate.json of an earlier gate, instead of the file's.")
    ] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="First show that a bad policy fails here and a good one passes.")
    ] = False,
    controls: Controls = "",
    out: Out = None,
    toxiproxy: Toxiproxy = "auto",
    model: Model = "tiny",
    device: Device = "auto",
    costs: CostsName = None,
    jobs: Jobs = None,
) -> int:
    """Yes or no before a deploy: all objectives of a file hold (exit 0), or not (1), or undecided (3)."""
    from harness.gate_command import Wanted, run_gate
    from harness.real_deployment import Options

    return run_gate(
        file,
        Wanted(
            engine=engine,
            baseline=baseline,
            budget=budget,
            noise=noise,
            plan_only=plan,
            proves=prove,
            controls=controls,
            costs="auto" if costs is None else costs,
            jobs=jobs,
            out=out,
            options=Options(model=model, device=device, toxiproxy=toxiproxy),
        ),
    )
