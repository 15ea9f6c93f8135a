import io
import re

import pytest
from msgspec.structs import replace
from rich.console import Console

from harness.judging.history import History
from harness.judging.result import Cause, Reached, RunResult, Trend
from harness.judging.verdict import judge
from harness.reporting.terminal import render_comparison, render_run
from tests.harness.judging.synthetic import CONTAINED, judged, simulate

ANSI = re.compile(r"\x1b")


def text(renderable, width=80, **console):
    sink = io.StringIO()
    Console(file=sink, width=width, **console).print(renderable)
    return sink.getvalue()


def trio():
    return [judged(), judged(**CONTAINED), judged(kind="killed")]


def row(shown, label):
    """The cells of the first line that begins with `label`."""
    line = next(line for line in shown.splitlines() if line.startswith(label))
    return re.split(r"\s{2,}", line.removeprefix(label).strip())


def joined(shown):
    """The text without its line breaks."""
    return " ".join(shown.split())


def test_the_first_line_alone_is_enough():
    assert text(render_run(judged()), 200).splitlines()[0] == (
        "FAIL  slow_worker x none: pressure spread to front (2 hops up): local_front p50 2ms -> 5.5s"
    )


def test_an_inconclusive_run_says_why_in_its_first_line():
    first = text(render_run(judged(effect=1.0)), 200).splitlines()[0]
    assert first == "INCONCLUSIVE  slow_worker x none: step time of worker 2: x10 asked, x1 measured"


def test_hops_are_shown_before_during_and_after():
    shown = text(render_run(judged()))
    slots, waiting, through = row(shown, "front /32")
    assert re.fullmatch(r"9\.1 \| 3[12] \| 3[12]", slots)
    assert waiting.startswith("0 | ")
    assert through.startswith("2ms | ")
    assert "worker 2 /8 *" in shown


def test_of_several_faulted_workers_one_is_shown_and_the_rest_counted():
    shown = text(render_run(judged(faulted=("worker 1", "worker 2"))), 110)
    assert "* is one of 2 faulted workers" in shown
    assert "worker 1 /8 *" in shown
    assert "worker 2" not in shown.split("caller")[0]
    assert "2 workers held" in shown
    both = text(render_comparison([judged(), judged(faulted=("worker 1", "worker 2"))]), 110)
    assert "callers of the faulted workers: answered in time" in both


def test_the_law_stands_beside_what_was_measured():
    shown = joined(text(render_run(judged())))
    law = judged().law
    assert "rho*s = 0.22 * 10.0 = 2.2 > 1: it must saturate" in shown
    assert f"predicted {law.full_low_s:.1f}-{law.full_high_s:.1f} s, measured {law.measured_s:.1f} s" in shown


def test_padded_steps_are_always_declared():
    assert "steps take at least 30 ms" in joined(text(render_run(judged())))
    honest = judged().model_copy(
        update={"setting": judged().setting.model_copy(update={"padded_step_s": 0.0})}
    )
    assert "padded" not in text(render_run(honest))


def test_the_conservation_of_requests_is_shown():
    shown = text(render_run(judged(kind="killed")))
    assert "4,155 offered = 4,034 ok + 121 error" in shown
    assert "121 x error: connection refused" in shown


def test_broken_checks_are_named():
    shown = joined(text(render_run(judged(lag_s=0.05, kind=None))))
    assert "held; not: generator on time" in shown


def test_a_contradicted_law_cannot_be_overlooked():
    result = judged()
    law = result.law.model_copy(update={"contradicted": "it had to fill"})
    shown = joined(text(render_run(result.model_copy(update={"law": law}))))
    assert "CONTRADICTED: it had to fill. Please report this as a bug." in shown


def test_more_room_shows_the_tail_of_the_latency():
    assert "p95" not in text(render_run(judged(**CONTAINED)), 80).splitlines()[4]
    assert "first token" in text(render_run(judged(**CONTAINED)), 120)


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_wider_than_the_terminal_and_no_word_is_torn(width):
    for renderable in (render_comparison(trio()), *(render_run(result) for result in trio())):
        shown = text(renderable, width)
        assert max(len(line) for line in shown.splitlines()) <= width
        assert "local_front" in re.findall(r"\w+", shown)


def test_three_runs_stand_side_by_side_on_80_columns():
    shown = text(render_comparison(trio()), 80)
    assert row(shown, "                 FAIL spread") == ["PASS contained", "PASS contained"]
    assert len(re.findall(r"^slots in use", shown, re.MULTILINE)) == 1
    assert row(shown, "local_front")[0].startswith("2ms | 5.5s")


def test_more_runs_than_fit_go_below_each_other_and_none_is_lost():
    shown = text(render_comparison([*trio(), judged(kind=None), judged(seed=2)]), 80)
    assert len(re.findall(r"^slots in use", shown, re.MULTILINE)) == 2
    assert len(re.findall(r"(?:FAIL|PASS) (?:spread|contained)", shown)) == 5


def test_a_narrow_terminal_still_gets_every_run():
    shown = text(render_comparison(trio()), 40)
    assert len(re.findall(r"^slots in use", shown, re.MULTILINE)) == 3


def test_a_comparison_of_one_is_that_run():
    assert text(render_comparison([judged()])) == text(render_run(judged()))


def test_every_verdict_comes_before_the_tables():
    lines = text(render_comparison(trio()), 200).splitlines()[:3]
    assert [line.split()[0] for line in lines] == ["FAIL", "PASS", "PASS"]


def test_a_pipe_gets_plain_ascii():
    shown = text(render_comparison(trio()))
    assert shown.isascii()
    assert not ANSI.search(shown)


@pytest.mark.parametrize("variable", [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_colour_where_none_is_wanted(monkeypatch, variable):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv(*variable)
    shown = text(render_run(judged()), force_terminal=True)
    assert not re.search(r"\x1b\[[\d;]*3[0-7]m", shown)
    assert "FAIL" in shown


def test_a_terminal_gets_colour(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;31mFAIL" in text(render_run(judged()), force_terminal=True)


def test_target_text_is_neither_markup_nor_control():
    words = "\x1b]0;gotcha\x07[bold red]x[/] [link=http://evil]"
    cause = Cause(kind="error", phase="", by="worker", cause=words, count=1)
    shown = text(render_run(judged().model_copy(update={"causes": [cause]})), force_terminal=True)
    assert "[bold red]x[/] [link=http://evil]" in shown
    assert "gotcha" not in shown


def test_hostile_causes_are_made_safe_when_they_are_judged():
    history = simulate(kind="killed", fault_s=5.0)
    records = [_with_cause(r, "\x1b[31mtoken=CANARY" + "x" * 999) for r in history.records]
    result = judge(History(records))
    assert result.causes
    assert "CANARY" not in result.to_json()
    assert "\\u001b" not in result.to_json()
    assert max(len(cause.cause) for cause in result.causes) <= 200


def _with_cause(record, cause):
    if type(record).__name__ != "Ended" or record.kind == "ok":
        return record
    return replace(record, cause=cause)


def test_no_setting_or_prompt_of_the_history_gets_into_a_result():
    history = simulate(kind="killed", fault_s=5.0)
    secret = replace(history.setup, settings={"token": "CANARY"})
    assert "CANARY" not in judge(History([secret, *history.records[1:]])).to_json()


def test_rendering_works_from_stored_json():
    stored = RunResult.from_json(judged().to_json())
    assert text(render_run(stored)) == text(render_run(judged()))


def gated(detection_s, false_alarms, **plan):
    """A run in which the gates did so."""
    result = judged(**plan)
    told = {"detection_s": Trend(during=detection_s), "false_alarms": Trend(during=false_alarms)}
    return result.model_copy(update={"metrics": result.metrics | told})


def test_when_the_gates_found_the_fault_is_told_with_whom_else_they_accused():
    for shown in (render_run(gated(1.2, 0.0)), render_comparison([gated(1.2, 0.0), judged()])):
        assert "gates detected 1.2s after the fault began; healthy workers shut out: 0" in joined(text(shown))


def test_a_fault_that_no_gate_found_is_told_as_well():
    shown = joined(text(render_run(gated(None, 2.0))))
    assert "no gate told the faulted worker from the others; healthy workers shut out: 2" in shown


def test_without_a_fault_the_gates_are_told_of_only_if_they_shut_somebody_out():
    assert "healthy workers shut out: 3" in joined(text(render_run(gated(None, 3.0, kind=None))))
    assert "shut out" not in text(render_run(gated(None, 0.0, kind=None)))


def test_a_result_of_before_gates_were_judged_is_shown_without_them():
    result = judged()
    old = {n: trend for n, trend in result.metrics.items() if n not in ("detection_s", "false_alarms")}
    assert "gates" not in text(render_run(result.model_copy(update={"metrics": old})))


def test_how_pressure_travelled_is_one_line_in_order():
    order = [("worker 2", "worker", 0.75), ("api", "service", 3.5), ("front", "service", 4.25)]
    reached = [Reached(place=place, kind=kind, after_s=after_s) for place, kind, after_s in order]
    shown = joined(text(render_run(judged().model_copy(update={"order": reached})), 120))
    assert " travel worker 2 +0.8 s > api +3.5 s > front +4.2 s law " in shown
    assert "travel" not in text(render_run(judged()))
