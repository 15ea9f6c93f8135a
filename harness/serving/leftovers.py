"""What runs that were killed have left: refused to start on, and undone by `limplock recover`."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from harness.errors import CleanupUnverified
from harness.serving.journal_reading import Found, left_behind
from harness.serving.synced_file import remove
from harness.serving.undoing import undo_all

REMEDY = "Run `limplock recover` first"


def refuse_leftovers(folder: Path | None = None) -> None:
    """CleanupUnverified, in one line, if anything is left of a run that is over. Others may be under way."""
    left = left_behind(folder)
    if left:
        more = f", and of {len(left) - 1} more" if len(left) > 1 else ""
        raise CleanupUnverified(f"{in_words(left[0])}{more}. {REMEDY}")


def in_words(found: Found) -> str:
    """One line on what is left of a run."""
    if found.damage:
        return f"the journal {found.path} is damaged, {found.damage}: what is left of {found.run} is unknown"
    return f"left of run {found.run}: {'; '.join(map(str, found.left))}"


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was done, a line each, and whether nothing is left."""

    lines: tuple[str, ...]
    clean: bool


def recover(folder: Path | None = None, *, forget: bool = False) -> Recovery:
    """Undo what is left of runs that are over, see that it is gone, and take their journals away.

    `forget` drops what could not be undone, too: on the word of the user, who has looked after it.
    """
    left = left_behind(folder)
    if not left:
        return Recovery(("nothing is left of any run",), clean=True)
    each = [_recover_one(found, forget) for found in left]
    return Recovery(tuple(line for one in each for line in one.lines), clean=all(one.clean for one in each))


def _recover_one(found: Found, forget: bool) -> Recovery:
    failed = asyncio.run(undo_all(found.left))
    lines = [
        f"{found.run}: {entry}: {f'NOT undone: {failed[entry]}' if entry in failed else 'gone'}"
        for entry in found.left
    ]
    if found.damage:
        lines.append(f"{in_words(found)}. Look for it yourself")
    clean = not failed and not found.damage
    if not clean and not forget:
        lines.append(f"{found.run}: once you have seen to it yourself: limplock recover --forget")
        return Recovery(tuple(lines), clean=False)
    if not clean:
        lines.append(f"{found.run}: forgotten, as you asked")
    return _without_journal(found, lines)


def _without_journal(found: Found, lines: list[str]) -> Recovery:
    try:
        remove(found.path)
    except OSError as wrong:
        cause = wrong.strerror
        return Recovery((*lines, f"cannot remove {found.path}: {cause}. Remove it by hand"), clean=False)
    return Recovery(tuple(lines), clean=True)
