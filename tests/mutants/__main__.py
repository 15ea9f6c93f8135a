"""`python -m tests.mutants [FILE or FOLDER ...] [--minutes N]`: which small mistakes no test would notice.

What was killed is remembered in results.json and is not tried again as long as the file stays the same, so a
run can be ended at any time and taken up later. Survivors are tried again: the tests may be better now.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.mutants import record
from tests.mutants.mutant import mutants
from tests.mutants.record import Found, digest, survivor
from tests.mutants.relevant import tests_of
from tests.mutants.workshop import PASSED, trial, workshop

ROOT = Path(__file__).parents[2]
DEFAULT = ("harness/judging", "policies")
PAGE = ROOT / "docs/mutants.md"
LEAST_LIMIT_S, TIMES = 20.0, 4  # a mutant may take so many times as long as the original, then it hangs


def main() -> int:
    asked = _arguments()
    until_s = time.monotonic() + 60 * asked.minutes
    found = record.load(ROOT / record.RESULTS)
    with workshop(ROOT) as copy:
        for source in files(asked.files or DEFAULT):
            if time.monotonic() >= until_s or not _examine(copy, source, found, until_s):
                break
    why = record.reasons(ROOT / record.REASONS)
    missing, changed = set(files(DEFAULT)) - set(found), record.outdated(found, ROOT)
    record.write(PAGE, record.page(found, why, missing, changed))
    for key in record.unexplained(found, why):
        say(f"no reason yet: {key}")
    return 0


def files(names: Sequence[str]) -> list[str]:
    """Sources by path or folder, with or without the ending; an empty one has no mutants."""
    chosen: list[Path] = []
    for name in names:
        path = ROOT / name
        chosen += sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    return [path.relative_to(ROOT).as_posix() for path in chosen if path.name != "__init__.py"]


def _examine(copy: Path, source: str, all_found: dict[str, Found], until_s: float) -> bool:
    """False if time is up."""
    text, target, tests = (ROOT / source).read_text(), copy / source, tests_of(ROOT, source)
    if not tests:
        say(f"{source}: no test mirrors or imports it")
        return True
    began_s = time.monotonic()
    if trial(copy, tests, 600) != PASSED:
        say(f"{source}: its tests fail without any mutant: {' '.join(tests)}")
        return True
    limit_s = max(LEAST_LIMIT_S, TIMES * (time.monotonic() - began_s))
    all_of_it = list(mutants(text))
    before = all_found.get(source)
    known = set(before.killed) if before and before.of == digest(text) else set()
    killed = [key for mutant in all_of_it if (key := digest(mutant.source)) in known]
    found = all_found[source] = Found(digest(text), len(all_of_it), tests, killed)
    for mutant in all_of_it:
        if (key := digest(mutant.source)) in known:
            continue
        if time.monotonic() >= until_s:
            break
        target.write_text(mutant.source)
        if trial(copy, tests, limit_s) == PASSED:
            found.survivors.append(survivor(mutant))
            say(f"survived {source}:{mutant.line}: {mutant.was} -> {mutant.became}")
        else:
            found.killed.append(key)
        record.save(ROOT / record.RESULTS, all_found)
    target.write_text(text)
    record.save(ROOT / record.RESULTS, all_found)
    say(f"{source}: {len(found.killed)} of {len(all_of_it)} killed, {len(found.survivors)} survived")
    return found.done


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("files", nargs="*", help=f"files or folders; default: {' '.join(DEFAULT)}")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="end after so long")
    return parser.parse_args()


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
