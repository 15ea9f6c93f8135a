"""Text that a target wrote, made safe to show: an error body is hostile until proven otherwise."""

import re
import unicodedata

LIMIT = 200  # characters

_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # colours, cursor movement
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f]).*?(?:\x07|\x1b\\|\x9c|$)"  # titles, links, device strings
    r"|\x1b[ -/]*[0-~]?",
    re.DOTALL,
)
_SECRETS = re.compile(
    r"(?i)\b(?:authorization|api[-_ ]?key|password|secret|token)['\"]?\s*[:=]\s*['\"]?"
    r"(?:bearer\s+)?[^\s'\",;]+"
    r"|\bbearer\s+[^\s'\",;]+"
    r"|\b(?:sk|hf|ghp|gho|xox[a-z])[-_][A-Za-z0-9_-]{8,}"
)
_URL_PARTS = re.compile(r"(?<=://)[^/\s@]+@|(?<=[^\s?])\?[^\s?=]+=\S*")  # user and password; the query


def plain(text: str, limit: int = LIMIT) -> str:
    """One line without control characters, text direction marks or anything that looks like a credential."""
    visible = "".join(c if _visible(c) else " " for c in _SEQUENCES.sub("", text))
    line = " ".join(_URL_PARTS.sub("", _SECRETS.sub("[redacted]", visible)).split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def _visible(character: str) -> bool:
    return unicodedata.category(character)[0] != "C"
