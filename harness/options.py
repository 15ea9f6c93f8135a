"""Options that several commands share. A typer command names them as the type of its parameter."""

from pathlib import Path
from typing import Annotated

import typer

POLICY_HELP = "Preset, pipeline 'timeout() | retry()' or FILE.policy; again for more."

Faults = Annotated[
    list[str] | None,
    typer.Option(
        "--fault", help="Instead of the scenario's own, 'link_latency(latency=0.95timeout)'; again for more."
    ),
]
Seed = Annotated[
    int, typer.Option(min=0, help="Chance of load and policies. The same seed asks the same requests.")
]
Out = Annotated[Path | None, typer.Option(help="Folder for the files. Default: limplock-results/<time>.")]
Toxiproxy = Annotated[
    str, typer.Option(help="auto (toxiproxy-server on PATH, else embedded), embedded, URL.")
]
Model = Annotated[str, typer.Option(help="tiny, smollm2, or the path of a Llama-architecture checkpoint.")]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]
CostsName = Annotated[
    str | None,
    typer.Option(help="Virtual: auto (calibrated, else tiny_cpu), calibrated, tiny_cpu, a100, h100."),
]
Jobs = Annotated[int | None, typer.Option(help="Virtual: processes at once. Default: one a core.")]
Controls = Annotated[
    str, typer.Option(help="Further arms, removed,dead: the faulted worker removed (for a score), or dead.")
]
