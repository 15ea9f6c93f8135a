"""A pipeline of 200 characters and more stays readable wherever reports are as narrow as a terminal."""

import io

import pytest
from rich.console import Console

from harness.judging.fidelity import compare
from harness.judging.plain_text import plain
from harness.judging.result import RunResult
from harness.judging.swept import Axes
from harness.reporting.bar import LONGEST as LONGEST_BESIDE_A_BAR
from harness.reporting.fidelity import render_fidelity
from harness.reporting.names import Names
from harness.reporting.progress import Progress
from harness.reporting.seeds import render_seeds
from harness.reporting.sweep import render_sweep
from harness.reporting.tally import tally
from harness.reporting.terminal import render_comparison
from tests.harness.judging.synthetic import judged

LONG = (
    "timeout(connect=1, ttft=1, itl=1, attempt=2, total=9) | retry(max_attempts=2, initial=0.2, max=3)"
    " | breaker_window(window=4, min_calls=5, open=5, max_open=10, slow_ttft=0.5) | bulkhead(8) | random()"
)
LONGER = f"{LONG[:-8]}round_robin()"


def of(preset: str, **plan: object) -> RunResult:
    result = judged(**plan)
    return result.model_copy(update={"setting": result.setting.model_copy(update={"preset": preset})})


def text(renderable: object, width: int = 80) -> str:
    sink = io.StringIO()
    Console(file=sink, width=width).print(renderable)
    return sink.getvalue()


def test_a_short_name_is_shown_and_a_long_one_has_a_letter() -> None:
    names = Names(["none", LONG, "retry(max_attempts=3)", LONGER, LONG])
    assert [names[preset] for preset in ("none", LONG, "retry(max_attempts=3)", LONGER)] == [
        "none", "A", "retry(max_attempts=3)", "B",
    ]  # fmt: skip
    assert names.title(of(LONGER)) == "slow_worker x B"


def test_letters_do_not_run_out() -> None:
    many = [f"{LONG} {number}" for number in range(60)]
    letters = [Names(many)[name] for name in many]
    assert len(set(letters)) == 60
    assert letters[:2] + letters[25:28] + letters[51:53] == ["A", "B", "Z", "AA", "AB", "AZ", "BA"]


def test_without_long_names_there_is_no_legend() -> None:
    assert list(Names(["none", "timeout"]).legend()) == []


def test_a_name_cannot_command_the_terminal() -> None:
    shown = Names(["\x1b[2Jx", LONG + "\x1b[2J"])
    assert shown["\x1b[2Jx"] == "x"
    assert "\x1b" not in "".join(map(text, shown.legend()))


axes = Axes(presets=("none", LONG, LONGER), loads=(0.5,), factors=(2.0,), slow=(1,), first_seed=1, seeds=1)
SHOWN = {
    "a single run": lambda: render_comparison([of(LONG)]),
    "runs side by side": lambda: render_comparison(
        [of("none"), of(LONG), of(LONGER, timeout_s=2.0, benched_after_s=2.0)]
    ),
    "many seeds": lambda: render_seeds([of("none"), of(LONG), of(LONGER)]),
    "a sweep": lambda: render_sweep("slow_worker", 4, axes, []),
    "real beside virtual": lambda: render_fidelity([compare([(of(LONG), of(LONG))])]),
}


@pytest.mark.parametrize("report", SHOWN)
def test_every_report_writes_a_long_pipeline_out_once_and_whole(report: str) -> None:
    shown = text(SHOWN[report]())
    assert all(len(line) <= 80 for line in shown.splitlines())
    words = " ".join(shown.split())
    assert words.count(LONG) == 1
    assert "A timeout(connect=1, " in words
    if report != "real beside virtual":
        assert len(shown.splitlines()) < 120


def test_the_first_line_is_still_enough() -> None:
    first = text(render_comparison([of(LONG)]), 200).splitlines()[0]
    assert first.startswith("FAIL  slow_worker x A: pressure spread to front")


def test_the_live_view_keeps_its_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    sink = io.StringIO()
    with Progress(Console(file=sink, width=80, force_terminal=True)) as progress:
        progress.start(f"slow_worker under {LONG}", [("front", 32)], {"warm_up": 0.0, "drain": 41.0})
        progress.phase("warm_up")
    assert "slow_worker under timeout(" in sink.getvalue()
    assert "...\x1b[0m  warm_up 0/41 s" in sink.getvalue()


def test_a_bar_keeps_its_room(monkeypatch: pytest.MonkeyPatch) -> None:
    with tally(2) as told:
        told.advance(f"slow_worker x {LONG}")
        (task,) = told._bar.tasks
        assert task.description == plain(f"slow_worker x {LONG}", LONGEST_BESIDE_A_BAR)
        assert len(task.description) == LONGEST_BESIDE_A_BAR
