"""`limplock doctor`: its option. What it does is imported when it is asked for."""

from typing import Annotated

import typer


def doctor(
    oracles: Annotated[
        bool, typer.Option("--oracles", help="Show that the judge tells right from wrong. Seconds.")
    ] = False,
    engine: Annotated[
        str, typer.Option(help="Of --oracles: virtual, or torch for controls on real processes too: minutes.")
    ] = "virtual",
) -> int:
    """Say what this machine lacks, and what to do. With --oracles: whether the judge is to be trusted."""
    from harness.doctoring.consult import run_doctor, run_oracles

    return run_oracles(engine) if oracles else run_doctor(engine)
