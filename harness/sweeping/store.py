"""The results of a sweep on disk: `sweep.json` is the plan, `sweep.jsonl` has a line for each finished run.

An interrupted sweep goes on from there. A last line that was torn is dropped, and its run done again.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from harness.errors import BadInput, EnvironmentFault
from harness.history_file import cannot_write
from harness.judging.swept import Swept
from harness.sweeping.plan import Plan

PLAN, ROWS = "sweep.json", "sweep.jsonl"


class Store:
    """Rows in the order in which they were finished, here and in the file."""

    def __init__(self, file: BinaryIO, path: Path, rows: list[Swept]) -> None:
        self._file = file
        self._path = path
        self.rows = rows

    def add(self, row: Swept) -> None:
        """It is with the system when this returns. EnvironmentFault if it cannot be kept."""
        try:
            self._file.write(msgspec.json.encode(row) + b"\n")
            self._file.flush()
        except OSError as wrong:
            raise cannot_write(self._path, wrong) from wrong
        if os.fstat(self._file.fileno()).st_nlink == 0:
            raise EnvironmentFault(f"{self._path} was deleted while the sweep ran, and its results with it")
        self.rows.append(row)


@contextmanager
def open_store(folder: Path, plan: Plan) -> Iterator[Store]:
    """The store in `folder`, with what it has of the same plan. BadInput if it holds another sweep."""
    _check_plan(folder, plan)
    path = folder / ROWS
    with path.open("a+b") as file:
        _lock(file, folder)
        file.seek(0)
        rows, whole = _read(file.read(), path)
        file.truncate(whole)
        _check_rows(rows, plan, path)
        yield Store(file, path, rows)


def _check_plan(folder: Path, plan: Plan) -> None:
    path = folder / PLAN
    if not path.exists():
        if (folder / ROWS).exists():
            raise BadInput(f"{folder} has a {ROWS} but no {PLAN}. Choose another folder with --out")
        new = path.with_suffix(".new")
        new.write_bytes(msgspec.json.format(msgspec.json.encode(plan)) + b"\n")
        new.replace(path)
        return
    try:
        known = msgspec.json.decode(path.read_bytes(), type=Plan)
    except msgspec.MsgspecError as damage:
        raise BadInput(f"{path} is not the plan of a sweep ({damage}). Choose another --out") from damage
    if known != plan:
        raise BadInput(
            f"{folder} holds another sweep: {_difference(known, plan)}."
            " Choose another folder with --out, or ask for the same"
        )


def _difference(known: Plan, plan: Plan) -> str:
    """The first thing that differs, both ways."""
    before, now = (msgspec.to_builtins(each) for each in (known, plan))
    before, now = before | before.pop("axes"), now | now.pop("axes")
    before["costs"], now["costs"] = known.costs.name, plan.costs.name
    name = next((name for name in now if before[name] != now[name]), None)
    return f"{name} {_words(before[name])}, not {_words(now[name])}" if name else "other costs of one name"


def _words(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _lock(file: BinaryIO, folder: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as busy:
        raise BadInput(
            f"another sweep is writing to {folder}. Wait for it, or choose another --out"
        ) from busy


def _read(content: bytes, path: Path) -> tuple[list[Swept], int]:
    """The rows, and how many bytes they take up: what follows the last line end is torn."""
    whole = content.rfind(b"\n") + 1
    rows = []
    for number, line in enumerate(content[:whole].splitlines(), 1):
        try:
            rows.append(msgspec.json.decode(line, type=Swept))
        except msgspec.MsgspecError as damage:
            raise BadInput(
                f"{path} line {number} is not of a sweep ({damage}). Delete it, or choose another --out"
            ) from damage
    return rows, whole


def _check_rows(rows: list[Swept], plan: Plan, path: Path) -> None:
    """A row carries the token of its run, which says all that decides it."""
    for number, row in enumerate(rows, 1):
        if not plan.run(row.cell, row.seed).is_of(row.replay):
            raise BadInput(f"{path} line {number} is of another sweep. Choose another folder with --out")
