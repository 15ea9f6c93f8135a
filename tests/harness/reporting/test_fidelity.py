"""What `limplock validate` prints."""

import io

from rich.console import Console

from harness.judging.fidelity import compare
from harness.judging.result import RunResult, Trend, Verdict
from harness.reporting.fidelity import render_fidelity, summary
from tests.harness.judging.synthetic import CONTAINED, judged


def text(renderable, width=80) -> str:
    sink = io.StringIO()
    Console(file=sink, width=width).print(renderable)
    return sink.getvalue()


def with_ttft(seconds: float | None, result: RunResult | None = None) -> RunResult:
    """A run whose callers wait so long for their first token before the fault."""
    result = result or judged()
    callers = [
        caller.model_copy(update={"metrics": {**caller.metrics, "ttft_s.p50_all": Trend(before=seconds)}})
        if caller.inference
        else caller
        for caller in result.callers
    ]
    return result.model_copy(update={"callers": callers})


def undecided() -> RunResult:
    return judged().model_copy(update={"verdict": Verdict.INCONCLUSIVE, "headline": "too busy"})


def test_the_summary_counts_and_names_nothing_where_all_is_alike() -> None:
    found = compare([(judged(), judged())])
    total = len(found.rows) + 1
    assert summary([found]) == (
        "virtual is within 20% of real on goodput, medians and slots, within 35% on p95 and p99,"
        f" in {total} of {total} figures"
    )


def test_the_summary_names_what_is_outside_the_worst_first() -> None:
    found = [
        compare([(with_ttft(0.06), with_ttft(0.04))]),
        compare([(judged(**CONTAINED), judged(**CONTAINED))]),
    ]
    words = summary(found)
    assert "outside: chat TTFT p50 before x0.67 (slow_worker x none), tenant TTFT p50" in words


def test_the_summary_names_a_few_and_counts_the_rest() -> None:
    found = compare([(with_ttft(0.06), with_ttft(0.04))])
    words = summary([found, found, found])
    assert words.count("x0.67") == 4
    assert words.endswith(" and 2 more")


def test_the_summary_names_another_verdict_first() -> None:
    other = judged().model_copy(update={"verdict": Verdict.PASS})
    assert "; outside: verdict (slow_worker x none)" in summary([compare([(judged(), other)])])


def test_a_figure_outside_is_marked_without_colour_too() -> None:
    shown = text(render_fidelity([compare([(with_ttft(0.06), with_ttft(0.04))])]))
    line = next(line for line in shown.splitlines() if line.startswith("  TTFT p50"))
    assert line.split()[2:5] == ["60ms", "40ms", "x0.67!"]


def test_small_differences_of_local_requests_are_no_ratio() -> None:
    shown = text(render_fidelity([compare([(judged(kind=None), judged(kind=None))])]))
    lines = shown[shown.index("local_front") :].splitlines()
    assert lines[2].split()[:5] == ["e2e", "p50", "2ms", "2ms", "same"]


def test_the_table_fits_eighty_columns() -> None:
    shown = text(render_fidelity([compare([(with_ttft(0.06), with_ttft(float("inf")))])]))
    for line in shown.splitlines():
        assert len(line) <= 80
    assert "never" in shown
    assert "xinf!" in shown


def test_verdicts_of_both_sides_are_told() -> None:
    one = text(render_fidelity([compare([(judged(), judged())])]))
    assert "real FAIL, virtual FAIL" in one
    three = text(render_fidelity([compare([(judged(), judged())] * 3)]))
    assert "real 3 FAIL, virtual 3 FAIL" in three


def test_a_run_that_decided_nothing_says_why_and_marks_nothing() -> None:
    found = compare([(undecided(), with_ttft(9.0))])
    shown = " ".join(text(render_fidelity([found])).split())
    assert shown.startswith("nothing was compared; undecided: slow_worker x none")
    assert "is the machine busy?" in shown
    assert "seed 1: too busy" in shown
    assert "!" not in shown


def test_a_broken_guard_speaks_for_itself() -> None:
    late = judged().guards[0].model_copy(update={"ok": False, "words": "requests left 99 ms late"})
    real = undecided().model_copy(update={"guards": [late]})
    assert "requests left 99 ms late" in text(render_fidelity([compare([(real, judged())])]))


def test_a_figure_that_one_side_lacks_is_marked_and_named() -> None:
    bare = with_ttft(0.06)
    found = compare([(with_ttft(0.06), with_ttft(None)), (bare, with_ttft(None))])
    assert "outside: chat TTFT p50 before real (" in summary([found])
    assert " 60ms     -   real!" in text(render_fidelity([found]))


def test_where_neither_side_measured_anything_it_is_said() -> None:
    bare = judged().model_copy(update={"callers": [], "places": []})
    words = text(render_fidelity([compare([(bare, bare)])]), width=200)
    assert "nothing was compared; undecided: slow_worker x none" in words
    assert "neither side measured anything that could be compared" in words
