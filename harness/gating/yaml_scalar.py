"""What a single value of YAML 1.2 is: without quotes perhaps a number, true, false or nothing, else text."""

import re

from ruamel.yaml.events import ScalarEvent

from harness.gating.file_text import UNSEEN
from harness.gating.problem import Broken

_WHOLE = re.compile(r"[-+]?[0-9]{1,300}", re.ASCII)
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_WORDS: dict[str, object] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan"),
}  # fmt: skip


def scalar(event: ScalarEvent, line: int) -> object:
    text: str = event.value
    if not event.implicit[0]:  # in quotes, or a block of text
        return whole_characters(text, line)
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def whole_characters(text: str, line: int) -> str:
    r"""JSON writes a character beyond U+FFFF as two halves, `\ud83d\ude00`."""
    try:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as wrong:
        raise Broken(line, "this text has half a character in it. Write the character itself") from wrong
    if (found := UNSEEN.search(whole)) is not None:
        raise Broken(line, f"an escape stands for U+{ord(found[0]):04X}, which cannot be seen. Remove it")
    return whole
