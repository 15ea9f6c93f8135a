"""A stored history, read back."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from harness.judging.history import FORMAT, AnyRecord, History


def read_history(path: Path) -> History:
    """A stored history. ValueError, naming the line, for one that is damaged or of another format."""
    decoder = msgspec.json.Decoder(AnyRecord)
    records = []
    lines = path.read_bytes().splitlines()
    _check_format(path, lines)
    for number, line in enumerate(lines, start=1):
        try:
            records.append(decoder.decode(line))
        except msgspec.DecodeError as damage:
            raise ValueError(f"{path}:{number}: not a history record: {damage}") from damage
    history = History(records)
    _ = history.setup
    return history


class _Header(msgspec.Struct):
    """What a set-up of any format says of itself; the first format did not."""

    format: int = 1


def _check_format(path: Path, lines: Sequence[bytes]) -> None:
    """Before a set-up is read whole: another format's may have other fields."""
    try:
        found = msgspec.json.decode(lines[0] if lines else b"", type=_Header).format
    except msgspec.DecodeError:
        return  # damaged, or nothing at all: told with its line
    if found != FORMAT:
        age = "newer" if found > FORMAT else "older"
        raise ValueError(f"{path}: format {found} is {age} than this version reads ({FORMAT})")
