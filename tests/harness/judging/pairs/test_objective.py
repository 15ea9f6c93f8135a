from math import inf, nan

import pytest

from harness.judging.metrics import METRICS
from harness.judging.pairs.objective import BOUNDS, Bound, Objective, find_metric, metric_names


def objective(bound: Bound = "max", limit: float = 2.0, metric: str = "e2e_s.p95_all") -> Objective:
    return Objective(id="fast", metric=metric, of="chat", bound=bound, limit=limit)


def test_the_limit_itself_is_inside_and_what_lies_beyond_is_not() -> None:
    for bound in BOUNDS:
        assert objective(bound).holds(2.0)
        assert objective(bound).holds(1.9) == bound.startswith("max")
        assert objective(bound).holds(2.1) == bound.startswith("min")
        assert objective(bound).upper == bound.startswith("max")
    assert not objective("max").holds(inf)
    assert objective("min").holds(inf)
    assert not objective("max").holds(nan)


def test_a_bound_is_absolute_or_against_one_arm_and_has_a_unit_accordingly() -> None:
    assert [objective(bound).against for bound in BOUNDS] == [
        "", "", "control", "control", "baseline", "baseline",
    ]  # fmt: skip
    assert [objective(bound).unit for bound in BOUNDS] == ["s", "s", *["factor"] * 4]


def test_only_the_level_block_fails_the_gate() -> None:
    assert objective().blocks
    assert not Objective(id="a", metric="e2e_s.p95_all", bound="max", limit=2, level="warn").blocks
    assert not Objective(id="a", metric="e2e_s.p95_all", bound="max", limit=2, level="info").blocks


def test_an_objective_says_what_it_is_about_and_when() -> None:
    assert objective().words == "e2e_s.p95_all of chat during fault"
    whole = Objective(id="a", metric="retry_amplification", during="control", bound="max", limit=1.2)
    assert whole.words == "retry_amplification in the control"


@pytest.mark.parametrize("limit", [inf, nan, -1.0])
def test_a_limit_is_a_number_from_0_on(limit: float) -> None:
    with pytest.raises(ValueError, match=r"max: -?\w+ is no limit\. Write a number from 0 on"):
        objective(limit=limit)


def test_every_name_of_every_metric_is_found() -> None:
    names = list(metric_names())
    assert len(names) == len(set(names)) > len(METRICS)
    for name in names:
        assert name in find_metric(name).names()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ttft_s", "ttft_s is known by its percentiles. Write ttft_s.p99_all or ttft_s.p99_ok"),
        ("hop_s", "hop_s is known by its percentiles. Write hop_s.p99"),
        ("ttft.p99", "unknown metric 'ttft.p99'. Closest: ttft_s.p99_all. All: limplock list metrics"),
        (
            "TTFT_S.P95_OK",
            "unknown metric 'TTFT_S.P95_OK'. Closest: ttft_s.p95_ok. All: limplock list metrics",
        ),
        ("ttft_s.p99 ", "unknown metric 'ttft_s.p99 '. Closest: ttft_s.p99_all. All: limplock list metrics"),
        (
            "ttft_s.p999_all",
            "unknown metric 'ttft_s.p999_all'. Closest: ttft_s.p99_all. All: limplock list metrics",
        ),
        ("zzz", "unknown metric 'zzz'. All: limplock list metrics"),
        ("z" * 90, f"unknown metric '{'z' * 57}...'. All: limplock list metrics"),
    ],
)  # fmt: skip
def test_an_unknown_metric_is_refused_with_the_closest(name: str, words: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # its words are compared
        Objective(id="a", metric=name, bound="max", limit=1)
    assert str(refused.value) == words
