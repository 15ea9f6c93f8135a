"""How a running run is drawn: a table that redraws itself on a terminal, a line now and then elsewhere."""

from rich.console import Console
from rich.live import Live
from rich.text import Text

from harness.judging.plain_text import plain
from harness.reporting.watched import Watched

REDRAW_S = 1.0  # drawing takes milliseconds of the loop that sends requests; under 1 % no p99 can see it
LINE_S = 5.0


class View:
    """Draws nothing."""

    def started(self, run: Watched) -> None:
        """The run has a title and hops now."""

    def phase(self, run: Watched, now_s: float) -> None:
        """Another phase began."""

    def sampled(self, run: Watched, now_s: float) -> None:
        """Some values are newer; called many times a second."""

    def event(self, run: Watched, text: str, now_s: float) -> None:
        """Something happened; it is among `run.events` already."""

    def finished(self, text: str) -> None:
        """The run is over and this is its last line."""

    def close(self) -> None:
        """Leave the screen as it should be left; more than once is fine."""


class PlainView(View):
    """One line per phase and event, and one every five seconds in between: logs must not flood."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last_s = float("-inf")

    def started(self, run: Watched) -> None:
        self._line(run.title)

    def phase(self, run: Watched, now_s: float) -> None:
        self._summary(run, now_s)

    def sampled(self, run: Watched, now_s: float) -> None:
        if run.began_s is not None and now_s - self._last_s >= LINE_S:
            self._summary(run, now_s)

    def event(self, run: Watched, text: str, now_s: float) -> None:
        self._line(f"  {run.clock(now_s)}  {text}")

    def finished(self, text: str) -> None:
        self._line(f"  {text}")

    def _summary(self, run: Watched, now_s: float) -> None:
        self._last_s = now_s
        places = [f"{place} {run.in_use(place)}{_line_of(run, place)}" for place in run.places]
        self._line("  ".join([f"  {run.clock(now_s)}", *places]))

    def _line(self, text: str) -> None:
        self._console.print(Text(text), soft_wrap=True)


class LiveView(View):
    """A table in place, redrawn as samples come, without a thread of its own; gone when the run is over."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._drawn_s = float("-inf")

    def started(self, run: Watched) -> None:
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()
        self._draw(run, self._console.get_time())

    def phase(self, run: Watched, now_s: float) -> None:
        self._draw(run, now_s)

    def sampled(self, run: Watched, now_s: float) -> None:
        if now_s - self._drawn_s >= REDRAW_S:
            self._draw(run, now_s)

    def event(self, run: Watched, _text: str, now_s: float) -> None:
        self._draw(run, now_s)

    def finished(self, text: str) -> None:
        self.close()
        self._console.print(Text(text))

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _draw(self, run: Watched, now_s: float) -> None:
        if self._live is not None:
            self._drawn_s = now_s
            self._live.update(_picture(run, now_s, self._console.width), refresh=True)


def _picture(run: Watched, now_s: float, width: int) -> Text:
    """A table set by hand: rich's own costs three times as much. A long title leaves room for the clock."""
    clock = run.clock(now_s)
    title = plain(run.title, max(width - len(clock) - 2, 20))
    picture = Text.assemble((title, "bold"), f"  {clock}\n", no_wrap=True)
    name = max((len(place) for place in run.places), default=0)
    picture.append(f"{'hop':<{name}}   in use  waiting\n", "dim")
    for place in run.places:
        in_use, waiting = run.in_use(place), run.waiting(place)
        full = in_use == f"{run.slots.get(place)}/{run.slots.get(place)}"
        picture.append(f"{place:<{name}}  {in_use:>7}  {waiting:>7}\n", "bold red" if full else "")
    picture.append("\n".join(run.events), "dim")
    return picture


def _line_of(run: Watched, place: str) -> str:
    waiting = run.waiting(place)
    return "" if waiting in ("-", "0") else f" +{waiting}"
