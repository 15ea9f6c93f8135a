"""Names of presets that fit a table: the text of a pipeline may fill pages, so a letter stands for it."""

from collections.abc import Iterable, Iterator
from string import ascii_uppercase

from rich.console import RenderableType

from harness.judging.plain_text import plain
from harness.judging.result import RunResult
from harness.reporting.cells import facts

LONGEST = 32  # characters of a name that is shown as it is
LONGEST_TEXT = 2_000  # of a pipeline in the legend; result.json has all of it


class Names:
    """`timeout` is itself; `timeout(connect=2, ttft=1) | retry()` is `A`, and the next long one `B`."""

    def __init__(self, presets: Iterable[str]) -> None:
        every = list(dict.fromkeys(presets))
        long = [preset for preset in every if len(preset) > LONGEST]
        self._short = {preset: plain(preset) for preset in every}
        self._letters = {preset: _letter(number) for number, preset in enumerate(long)}
        self._short |= self._letters

    def __getitem__(self, preset: str) -> str:
        return self._short[preset]

    def title(self, result: RunResult) -> str:
        """`slow_worker x A`, or `slow_worker with slow_decode(factor=10) x A`."""
        setting = result.setting
        other = f" with {plain(setting.fault_ordered)}" if setting.fault_ordered else ""
        return f"{setting.scenario}{other} x {self[setting.preset]}"

    def label(self, result: RunResult) -> str:
        """The same without the scenario, for tables in which it is one."""
        setting = result.setting
        other = f"{plain(setting.fault_ordered)} x " if setting.fault_ordered else ""
        return f"{other}{self[setting.preset]}"

    def legend(self) -> Iterator[RenderableType]:
        """What the letters stand for, if there are any."""
        if self._letters:
            yield facts((letter, plain(text, LONGEST_TEXT)) for text, letter in self._letters.items())


def _letter(number: int) -> str:
    """A to Z, then AA."""
    more, which = divmod(number, len(ascii_uppercase))
    return (_letter(more - 1) if more else "") + ascii_uppercase[which]
