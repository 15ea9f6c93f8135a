"""`python -m tests.theory [ID ...] [--write PAGE]`: the full studies, in two processes; 1 if a row is off."""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from tests.theory import table
from tests.theory.row import Row
from tests.theory.studies import NAMES, load

PROCESSES = 2


def main() -> int:
    asked = _arguments()
    names = [name for name in NAMES if not asked.ids or load(name).TARGET.id in asked.ids]
    if not names:
        _say("name targets that exist, or none for all")
        return 2
    rows = _run(names)
    if asked.write:
        table.write(asked.write, rows)
    off = sum(not row.ok for row in rows)
    _say(f"{len(rows)} rows, {off} off, {sum(bool(row.finding) for row in rows)} findings")
    return 1 if off else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.theory", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", help="targets, T01 and so on; all if none")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the table between its markers")
    return parser.parse_args()


def _run(names: list[str]) -> list[Row]:
    """The rows of all, printed as they come, returned in the order of `names`."""
    rows: dict[str, list[Row]] = {}
    with ProcessPoolExecutor(PROCESSES) as processes:
        running = {processes.submit(_full, name): name for name in names}
        for ended in as_completed(running):
            rows[running[ended]], cpu_s = ended.result()
            _say(*map(str, rows[running[ended]]), f"  ({running[ended]}: {cpu_s:.0f} s CPU)")
    return [row for name in names for row in rows[name]]


def _full(name: str) -> tuple[list[Row], float]:
    began_s = time.process_time()
    return load(name).full(), time.process_time() - began_s


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
