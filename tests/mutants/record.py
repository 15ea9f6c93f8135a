"""What became of the mutants of each file: remembered, so that a run can be in parts, and as a page."""

import hashlib
import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.mutants.mutant import Mutant

RESULTS = Path("tests/mutants/results.json")
REASONS = Path("tests/mutants/reasons.json")
START, END = "<!-- mutants -->", "<!-- end of mutants -->"


@dataclass(frozen=True, slots=True)
class Survivor:
    line: int
    was: str
    became: str


@dataclass(slots=True)
class Found:
    """Of one file, as its text was (`of`). `killed` holds the digests of those that a test has noticed."""

    of: str
    mutants: int
    tests: list[str]
    killed: list[str] = field(default_factory=list)
    survivors: list[Survivor] = field(default_factory=list)

    @property
    def done(self) -> bool:
        return len(self.killed) + len(self.survivors) == self.mutants

    @property
    def share(self) -> float:
        return len(self.killed) / max(1, len(self.killed) + len(self.survivors))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def survivor(mutant: Mutant) -> Survivor:
    return Survivor(mutant.line, mutant.was, mutant.became)


def load(path: Path) -> dict[str, Found]:
    if not path.exists():
        return {}
    stored = json.loads(path.read_text())
    return {
        name: Found(**{**each, "survivors": [Survivor(**one) for one in each["survivors"]]})
        for name, each in stored.items()
    }


def save(path: Path, found: Mapping[str, Found]) -> None:
    table = {name: asdict(found[name]) for name in sorted(found)}
    path.write_text(json.dumps(table, indent=1) + "\n")


def reasons(path: Path) -> dict[str, str]:
    """Why a survivor may live, by a pattern of `reason_key`: a star stands for anything."""
    return json.loads(path.read_text()) if path.exists() else {}


def reason_key(source: str, one: Survivor) -> str:
    return f"{source}: {one.was} -> {one.became}"


def outdated(found: Mapping[str, Found], root: Path) -> set[str]:
    """Files that are no longer as they were when they were tried."""
    return {
        name
        for name, each in found.items()
        if not (root / name).exists() or each.of != digest((root / name).read_text())
    }


def page(
    found: Mapping[str, Found], why: Mapping[str, str], missing: Iterable[str], changed: Container[str] = ()
) -> str:
    """Markdown, between the markers of the page."""
    lines = ["| file | mutants | killed | share |", "|---|---:|---:|---:|"]
    for name in sorted(found):
        each = found[name]
        tried = len(each.killed) + len(each.survivors)
        part = "" if each.done else f" of {each.mutants}"
        since = ", changed since" if name in changed else ""
        lines.append(f"| {name}{since} | {tried}{part} | {len(each.killed)} | {each.share:.0%} |")
    lines += ["", "### Survivors", ""]
    for name in sorted(found):
        lines += [_line(name, one, why) for one in found[name].survivors]
    not_run = sorted(missing)
    lines += ["", "### Not run", "", ", ".join(f"`{name}`" for name in not_run) or "None.", ""]
    return "\n".join(lines)


def write(where: Path, text: str) -> None:
    whole = where.read_text()
    before, rest = whole.split(START)
    _, after = rest.split(END)
    where.write_text(f"{before}{START}\n{text}{END}{after}")


def unexplained(found: Mapping[str, Found], why: Mapping[str, str]) -> Sequence[str]:
    keys = (reason_key(name, one) for name in found for one in found[name].survivors)
    return [key for key in keys if not reason_of(key, why)]


def reason_of(key: str, why: Mapping[str, str]) -> str:
    """The first that fits; empty without one. Stars at the ends only: the rest is code, brackets and all."""
    return next((reason for pattern, reason in why.items() if _fits(pattern, key)), "")


def _fits(pattern: str, key: str) -> bool:
    body = pattern.strip("*")
    if pattern.startswith("*"):
        return body in key
    return key.startswith(body) if pattern.endswith("*") else key == pattern


def _line(name: str, one: Survivor, why: Mapping[str, str]) -> str:
    reason = reason_of(reason_key(name, one), why) or "**no reason found yet**"
    return f"- `{name}:{one.line}`: ``{one.was}`` became ``{one.became}``. {reason}"
