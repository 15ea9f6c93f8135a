import io

import pytest
from rich.console import Console

from harness.reporting.console import PipeConsole
from harness.reporting.progress import Progress

HOPS = [("front", 32), ("api", 24), ("gateway", None)]
PHASES = {"warm_up": 0.0, "baseline": 3.0, "fault": 13.0, "recovery": 33.0, "drain": 41.0}


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("CI", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def watch(sink, clock, *, terminal=False, seconds=20.0):
    """A run of `seconds` with four samples a second."""
    console = Console(file=sink, width=100, get_time=clock, force_terminal=terminal or None)
    with Progress(console) as progress:
        progress.start("slow_worker under none", HOPS, PHASES)
        progress.phase("warm_up")
        for tick in range(int(seconds * 4)):
            clock.now += 0.25
            if tick == 11:
                progress.phase("baseline")
            progress.sample("front", {"in_use": 32, "waiting": tick})
            progress.sample("api", {"in_use": 9, "waiting": 0})
            progress.sample("gateway", {"in_flight": 9, "pending.worker-0": 3})
            progress.sample("worker-0", {"up": 0})
        progress.event("slow_steps on: worker-0")
        progress.finish("contained")
    return sink.getvalue()


def test_a_pipe_gets_a_line_per_phase_and_one_every_five_seconds(clock):
    lines = watch(io.StringIO(), clock).splitlines()
    assert lines[0] == "slow_worker under none"
    assert lines[1].split("  front")[0] == "  warm_up 0/41 s"
    assert [line.split("  front")[0].strip() for line in lines[2:6]] == [
        "baseline 3/41 s",
        "baseline 8/41 s",
        "baseline 13/41 s",
        "baseline 18/41 s",
    ]
    assert lines[6:] == ["  baseline 20/41 s  slow_steps on: worker-0", "  contained"]


def test_a_line_shows_slots_lines_and_what_is_down(clock):
    line = watch(io.StringIO(), clock).splitlines()[4]
    assert line.endswith("front 32/32 +51  api 9/24  gateway 9  worker-0 down")


def test_a_pipe_gets_no_control_characters(clock):
    assert "\x1b" not in watch(io.StringIO(), clock)


def test_a_terminal_gets_one_table_that_redraws_itself_and_leaves_one_line(clock):
    shown = watch(io.StringIO(), clock, terminal=True)
    assert "\x1b[2K" in shown
    assert shown.endswith("contained\n")
    assert "slow_steps on: worker-0" in shown
    assert shown.count("slow_worker under none") < 30  # at most once a second and once per event
    assert shown.rstrip().count("\x1b[?25l") == shown.count("\x1b[?25h") == 1  # the cursor is back


@pytest.mark.parametrize("variable", [("CI", "true"), ("NO_COLOR", "1"), ("TERM", "dumb")])
def test_lines_are_never_rewritten_where_that_would_flood_a_log(clock, monkeypatch, variable):
    monkeypatch.setenv(*variable)
    assert "\x1b[2K" not in watch(io.StringIO(), clock, terminal=True)


def test_leaving_by_an_exception_gives_the_terminal_back(clock):
    sink = io.StringIO()
    console = Console(file=sink, get_time=clock, force_terminal=True)
    with pytest.raises(KeyboardInterrupt):
        _interrupted(Progress(console))
    assert sink.getvalue().count("\x1b[?25h") == 1


def _interrupted(progress):
    with progress:
        progress.start("a run", HOPS, PHASES)
        raise KeyboardInterrupt


class Broken(io.StringIO):
    def write(self, _text):
        raise BrokenPipeError


@pytest.mark.parametrize("terminal", [False, True])
def test_a_closed_pipe_does_not_reach_the_run(clock, terminal):
    console = PipeConsole(file=Broken(), get_time=clock, force_terminal=terminal or None)
    with Progress(console) as progress:
        progress.start("a run", HOPS, PHASES)
        progress.phase("baseline")
        progress.sample("front", {"in_use": 1})
        progress.event("something")
        progress.finish("done")


def test_calls_in_any_order_are_harmless(clock):
    sink = io.StringIO()
    with Progress(Console(file=sink, get_time=clock)) as progress:
        progress.finish("done")
        progress.sample("nowhere", {"strange": 1.0})
        progress.phase("unheard_of")
    assert "unheard_of 0/0 s  nowhere -" in sink.getvalue()


def test_texts_are_shown_as_they_are_and_without_control_sequences(clock):
    sink = io.StringIO()
    with Progress(Console(file=sink, get_time=clock)) as progress:
        progress.start("[red]title[/]", HOPS, PHASES)
        progress.event("\x1b]0;gotcha\x07killed [bold]worker-0")
    assert sink.getvalue() == "[red]title[/]\n  starting  killed [bold]worker-0\n"


def test_progress_goes_to_standard_error(capsys):
    with Progress() as progress:
        progress.start("a run", HOPS, PHASES)
        progress.finish("done")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "a run\n  done\n"
