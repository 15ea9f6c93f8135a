"""The text of a small file that a person wrote, with nothing in it that cannot be seen."""

import re
import stat
from pathlib import Path

from harness.errors import BadFile, BadInput
from harness.gating.problem import Problem, refuse

LONGEST = 100_000  # bytes
UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u2069\ufeff]")
_LINE_END = re.compile(r"\r\n|\r|\n")


def read_text(path: Path, what: str) -> str:
    """`what` it is to hold, for the message. A byte order mark is left out. BadInput says what is wrong."""
    raw = _read(path, what)
    if len(raw) > LONGEST:
        raise BadInput(f"{path} is longer than {LONGEST // 1000} kB. {what}")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadFile(f"{path}:1: this is UTF-16. Save it as UTF-8")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = len(_LINE_END.findall(raw[: wrong.start].decode("latin-1"))) + 1
        raise BadFile(
            f"{path}:{line}: byte 0x{raw[wrong.start]:02x} is no UTF-8. Save it as UTF-8"
        ) from wrong
    if (found := UNSEEN.search(text)) is not None:
        line = len(_LINE_END.findall(text, 0, found.start())) + 1
        refuse(
            path,
            [Problem(line, f"character U+{ord(found[0]):04X} cannot be seen. Remove it, or write a space")],
        )
    return text


def _read(path: Path, what: str) -> bytes:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise BadInput(f"{path} is a folder. {what}")
        if not stat.S_ISREG(mode):  # a pipe would be waited for
            raise BadInput(f"{path} is no plain file. {what}")
        with path.open("rb") as file:
            return file.read(LONGEST + 1)
    except (OSError, ValueError) as wrong:  # ValueError: a path that no file can have
        cause = getattr(wrong, "strerror", None) or wrong
        raise BadInput(f"cannot read {str(path)!r}: {cause}. {what}") from wrong
