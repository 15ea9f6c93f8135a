"""`python -m bench.gate_errors [--engine torch] [--write PAGE]`: how often a gate is wrong."""

import argparse
import sys
from pathlib import Path

from bench.gate_errors import DECISIONS, measure
from bench.gate_errors.study import PAIRS
from bench.report import render
from harness.errors import LimplockError

REAL_DECISIONS = 40


def main() -> int:
    asked = _arguments()
    try:
        if asked.engine == "torch":
            from bench.gate_errors.real import measure_real

            section = measure_real(asked.decisions or REAL_DECISIONS, asked.seeds, asked.arms, asked.pairs)
        else:
            section = measure(asked.decisions or DECISIONS, asked.jobs)
    except LimplockError as wrong:
        print(wrong, file=sys.stderr)
        return wrong.exit_code
    print(render(section), flush=True)
    if asked.write:
        write(asked.write, asked.engine, section.notes)
    return 0


def write(page: Path, engine: str, lines: tuple[str, ...]) -> None:
    """The table between the markers of this engine."""
    start, end = f"<!-- gate_errors {engine} -->", f"<!-- end of gate_errors {engine} -->"
    before, rest = page.read_text().split(start)
    _, after = rest.split(end)
    page.write_text(f"{before}{start}\n" + "\n".join(lines) + f"\n{end}{after}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.gate_errors", description=__doc__)
    parser.add_argument("--engine", choices=("virtual", "torch"), default="virtual")
    parser.add_argument("--decisions", type=int, help=f"default: {DECISIONS}, real {REAL_DECISIONS}")
    parser.add_argument("--jobs", type=int, help="virtual: processes; default: as many as cores")
    parser.add_argument("--seeds", type=int, default=14, help="real: seeds of the pool; default: 14")
    parser.add_argument("--arms", type=int, default=3, help="real: of each seed; default: 3")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="real: of a decision; fewer only to try it")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table between its markers")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
