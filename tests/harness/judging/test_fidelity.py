"""Two results in, rows with ratio and tolerance out."""

import pytest

from harness.judging.fidelity import ANSWERS, GOODPUT, IN_USE, LOCALS, Row, compare
from harness.judging.result import RunResult, Trend, Verdict
from tests.harness.judging.synthetic import CONTAINED, judged

INFINITY = float("inf")
TTFT, P99 = ANSWERS[1], ANSWERS[3]
LOCAL = LOCALS[1]


def row(real: float, virtual: float, figure=TTFT, floor: float = 0.0) -> Row:
    return Row(where="chat", figure=figure, phase="before", real=real, virtual=virtual, floor=floor)


def changed(result: RunResult, caller: str, metric: str, **values: float) -> RunResult:
    """`result`, but with another figure of one caller."""
    callers = [
        one.model_copy(
            update={"metrics": {**one.metrics, metric: one.metrics[metric].model_copy(update=values)}}
        )
        if one.name == caller
        else one
        for one in result.callers
    ]
    return result.model_copy(update={"callers": callers})


def undecided(result: RunResult) -> RunResult:
    return result.model_copy(update={"verdict": Verdict.INCONCLUSIVE})


def test_a_run_is_like_itself_in_every_row() -> None:
    found = compare([(judged(), judged())])
    assert found.title == "slow_worker x none"
    assert found.verdict is Verdict.PASS
    assert found.outside == []
    assert {row.ratio for row in found.rows} == {1.0}


def test_every_caller_and_hop_has_its_rows_in_every_phase() -> None:
    rows = compare([(judged(), judged())]).rows
    assert {row.where for row in rows} == {
        *("chat", "tenant", "local_front", "local_api"),
        *("front", "api", "gateway", "faulted worker", "healthy worker"),
    }
    assert {row.phase for row in rows} == {"before", "during", "after"}
    assert not [row for row in rows if row.where.startswith("local") and "TTFT" in row.figure.label]


def test_percentiles_of_too_few_samples_are_left_out() -> None:
    labels = {row.figure.label for row in compare([(judged(), judged())]).rows if row.where == "tenant"}
    assert "e2e p50" in labels
    assert "e2e p99" not in labels  # 5 requests/s give no 300 in 20 s


@pytest.mark.parametrize("turned", [False, True])
def test_a_figure_that_one_side_lacks_is_outside(turned: bool) -> None:
    pair = (judged(), changed(judged(), "chat", "ttft_s.p50_all", before=None))
    found = compare([pair[::-1] if turned else pair])
    assert [(r.where, r.figure, r.phase, r.ratio) for r in found.outside] == [("chat", TTFT, "before", None)]
    assert found.verdict is Verdict.FAIL


def test_a_figure_that_both_sides_lack_is_left_out() -> None:
    bare = changed(judged(), "chat", "ttft_s.p50_all", before=None)
    found = compare([(bare, bare)])
    assert [r.phase for r in found.rows if r.where == "chat" and r.figure is TTFT] == ["during", "after"]
    assert found.verdict is Verdict.PASS


@pytest.mark.parametrize("turned", [False, True])
def test_a_caller_or_a_hop_that_one_side_lacks_is_outside(turned: bool) -> None:
    kept = {"callers": judged().callers[1:], "places": judged().places[1:]}
    pair = (judged(), judged().model_copy(update=kept))
    found = compare([pair[::-1] if turned else pair])
    assert {row.where for row in found.outside} == {judged().callers[0].name, judged().places[0].name}


def test_where_nothing_was_measured_nothing_is_decided() -> None:
    bare = judged().model_copy(update={"callers": [], "places": []})
    assert compare([(bare, bare)]).verdict is Verdict.INCONCLUSIVE
    other = bare.model_copy(update={"verdict": Verdict.PASS})
    assert compare([(bare, other)]).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("figure", "virtual", "ok"),
    [
        *((TTFT, 1.2, True), (TTFT, 1.21, False), (TTFT, 0.8, True), (TTFT, 0.79, False)),
        *((P99, 1.35, True), (P99, 1.36, False), (P99, 0.65, True), (P99, 0.64, False)),
    ],
)
def test_medians_may_be_a_fifth_apart_and_tails_a_third(figure, virtual: float, ok: bool) -> None:
    assert row(1.0, virtual, figure).ok is ok


def test_infinity_is_like_infinity_only() -> None:
    assert row(INFINITY, INFINITY).ok
    assert row(INFINITY, INFINITY).ratio == 1.0
    assert not row(INFINITY, 1.0).ok
    assert row(INFINITY, 1.0).ratio == 0.0
    assert not row(1.0, INFINITY).ok


def test_zero_is_like_zero_only_where_there_is_no_floor() -> None:
    assert row(0.0, 0.0).ok
    assert row(0.0, 0.5).ratio == INFINITY
    assert not row(0.0, 0.5).ok


def test_under_the_noise_floor_the_difference_counts() -> None:
    assert row(0.002, 0.004, LOCAL, floor=0.1).small
    assert row(0.002, 0.004, LOCAL, floor=0.1).ok
    assert not row(0.001, 0.09, LOCAL, floor=0.1).ok


def test_one_side_over_the_noise_floor_is_no_noise() -> None:
    assert not row(0.09, 0.13, LOCAL, floor=0.1).small
    assert not row(0.09, 0.13, LOCAL, floor=0.1).ok


def test_requests_that_need_a_worker_have_no_floor_and_local_ones_have() -> None:
    rows = compare([(judged(), judged())]).rows
    assert {r.floor for r in rows if r.where == "chat" and r.figure.unit == "s"} == {0.0}
    assert {r.floor for r in rows if r.where == "local_api" and r.figure.unit == "s"} == {0.1}
    assert {r.floor for r in rows if r.figure is IN_USE} == {1.0}


def test_the_floor_of_goodput_is_twenty_good_requests_of_its_phase() -> None:
    rows = [r for r in compare([(judged(), judged())]).rows if r.figure is GOODPUT and r.where == "chat"]
    offered = next(c for c in judged().callers if c.name == "chat").metrics["offered"]
    for row in rows:
        length_s = 20 / row.floor
        assert getattr(offered, row.phase) / length_s == pytest.approx(15, rel=0.35)  # its rate


def test_a_figure_apart_is_outside_and_fails() -> None:
    found = compare([(judged(), changed(judged(), "chat", "ttft_s.p50_all", before=9.0))])
    assert [(row.where, row.figure.label, row.phase) for row in found.outside] == [
        ("chat", "TTFT p50", "before")
    ]
    assert found.verdict is Verdict.FAIL


def test_another_verdict_fails_even_where_every_figure_is_alike() -> None:
    other = judged().model_copy(update={"verdict": Verdict.PASS})
    found = compare([(judged(), other)])
    assert found.outside == []
    assert not found.verdicts_agree
    assert found.verdict is Verdict.FAIL


def test_a_real_run_that_decided_nothing_is_shown_and_judges_nothing() -> None:
    found = compare([(undecided(judged()), changed(judged(), "chat", "ttft_s.p50_all", before=9.0))])
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.outside == []
    assert len(found.rows) > 0


def test_of_several_runs_the_decided_ones_count_with_their_median() -> None:
    reals = [changed(judged(), "chat", "ttft_s.p50_all", before=value) for value in (1.0, 2.0, 6.0)]
    spoilt = undecided(changed(judged(), "chat", "ttft_s.p50_all", before=99.0))
    found = compare([(real, judged()) for real in (*reals, spoilt)])
    first = next(row for row in found.rows if row.where == "chat" and row.figure is TTFT)
    assert first.real == 2.0
    assert len(found.pairs) == 3
    assert found.undecided == [spoilt]


def test_healthy_workers_are_one_group_and_their_mean_counts() -> None:
    places = [
        place.model_copy(update={"metrics": {"in_use": Trend(before=number)}})
        for number, place in enumerate(judged().places)
    ]
    mixed = judged().model_copy(update={"places": places})
    found = {r.where: r.real for r in compare([(mixed, mixed)]).rows if r.figure is IN_USE}
    healthy = [n for n, p in enumerate(judged().places) if p.kind == "worker" and not p.faulted]
    assert found["healthy worker"] == pytest.approx(sum(healthy) / len(healthy))


def test_runs_of_different_plans_are_no_pair() -> None:
    with pytest.raises(ValueError, match="are no pair"):
        compare([(judged(), judged(**CONTAINED))])
