"""When a fault was as strong as it ever was, as far as the samples can see that."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.judging.windows import Stretch, Window

SEEN_S = 1.0  # a worker is looked at each half second and its link each second: shorter ones show nothing


@dataclass(frozen=True, slots=True)
class Peak:
    """The windows to measure in, none if no sample can tell. `asked` None: what the set-up says."""

    windows: tuple[Window, ...]
    level: float = 1.0
    asked: float | None = None
    words: str = ""


def peak(levels: Sequence[Stretch]) -> Peak:
    """The strongest level that lasts long enough to be seen, and what there is to say of the others."""
    on = [each for each in levels if each.level > 0]
    if len(on) == 1 and on[0].level == 1:
        return Peak((on[0].window,), asked=on[0].asked)
    seen = [each for each in on if each.window.length_s >= SEEN_S]
    if not seen:
        longest_s = max((each.window.length_s for each in on), default=0.0)
        words = (
            f"its strength changed every {longest_s:.2g} s or sooner, too fast to be seen (from {SEEN_S:g} s)"
        )
        return Peak((), words=words)
    strongest = max(seen, key=lambda each: each.level)
    windows = tuple(each.window for each in seen if each.level == strongest.level)
    return Peak(windows, strongest.level, strongest.asked, _words(strongest.level, windows, on))


def _words(level: float, windows: Sequence[Window], on: Sequence[Stretch]) -> str:
    times = "once" if len(windows) == 1 else f"{len(windows)} times"
    words = (
        f"at {level:.0%} of its strength, seen {times} for {sum(w.length_s for w in windows):.1f} s in all"
    )
    most = max(each.level for each in on)
    return words if most == level else f"{words} (at {most:.0%} too short to be seen)"
