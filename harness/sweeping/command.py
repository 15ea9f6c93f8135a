"""The command line of `limplock sweep`. What is slow to import is imported when it is called."""

from pathlib import Path
from typing import Annotated

import typer

from harness.options import POLICY_HELP, CostsName, Jobs, Seed


def sweep(
    scenario: str,
    policy: Annotated[
        list[str] | None,
        typer.Option(help=f"{POLICY_HELP} Default: none and timeout_breaker_shed."),
    ] = None,
    fault: Annotated[
        str | None, typer.Option(help="Instead of the scenario's own; one with a factor.")
    ] = None,
    load: Annotated[
        str | None,
        typer.Option(help="Shares of the healthy capacity: 0.3,0.5,0.7 (default) or 0.3:0.9:0.1."),
    ] = None,
    factor: Annotated[str | None, typer.Option(help="How many times slower. Default: 1.5,2,3,5,10.")] = None,
    slow: Annotated[
        str | None, typer.Option(help="How many workers are slow: 1,2,4. Default: as the scenario.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Size of the pool.")] = None,
    max_queue: Annotated[int | None, typer.Option(help="Who may wait inside a worker.")] = None,
    seeds: Annotated[int, typer.Option(help="Runs of each cell, from --seed on.")] = 3,
    seed: Seed = 1,
    refine: Annotated[
        int, typer.Option(help="Halve the step in which contained turns into spread, so many times.")
    ] = 2,
    jobs: Jobs = None,
    costs: CostsName = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the results; that of an interrupted sweep goes on with it."),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the history of every run.")] = False,
) -> int:
    """Find the danger zone: the slow factors, for each load, in which contained turns into spread. Virtual.

    Exit 0 when it is complete, whatever it found; 3 if every run was inconclusive; 130 or 143 when
    interrupted: what is finished is shown and kept.
    """
    from harness.sweeping.sweep import Asked, run_sweep

    asked = Asked(
        presets=tuple(policy or ()),
        load=load,
        factor=factor,
        slow=slow,
        workers=workers,
        max_queue=max_queue,
        seeds=seeds,
        seed=seed,
        costs="auto" if costs is None else costs,
        fault=fault,
    )
    return run_sweep(scenario, asked, refine, jobs, out, keep)
