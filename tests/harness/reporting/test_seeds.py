"""Many seeds in one table: counts, medians with ranges, and which seeds stand out."""

import io
import re

from rich.console import Console

from harness.judging.result import RunResult, Verdict
from harness.reporting.seeds import ODD, alike, odd_ones, render_seeds
from tests.harness.judging.synthetic import CONTAINED, judged


def text(*results: RunResult, width: int = 200) -> str:
    sink = io.StringIO()
    Console(file=sink, width=width).print(render_seeds(results))
    return sink.getvalue()


def seeded(result: RunResult, seed: int, **update: object) -> RunResult:
    setting = result.setting.model_copy(update={"seed": seed})
    return result.model_copy(update={"setting": setting, "replay": f"lp1-token{seed}"} | update)


def spread(seed: int, **update: object) -> RunResult:
    return seeded(judged(), seed, **update)


def contained(seed: int, **update: object) -> RunResult:
    return seeded(judged(**CONTAINED), seed, **update)


def test_the_first_line_counts_the_verdicts_and_shows_the_worst() -> None:
    results = [spread(1), spread(2), seeded(judged(), 4, verdict=Verdict.INCONCLUSIVE)]
    assert text(*results).splitlines()[0] == "FAIL  slow_worker x none: of 3 seeds 2 spread, 1 inconclusive"


def test_where_seeds_went_both_ways_the_first_line_is_the_chance_of_spread_with_its_interval() -> None:
    results = torn(spreads=7, contains=13)
    assert text(*results).splitlines()[0] == (
        "FAIL  slow_worker x none: spread in 7 of 20 runs, 35% (95% sure: 18% to 57%)"
    )


def test_undecided_seeds_are_no_part_of_that_chance() -> None:
    results = [*torn(spreads=1, contains=2), seeded(judged(), 4, verdict=Verdict.INCONCLUSIVE)]
    assert text(*results).splitlines()[0] == (
        "FAIL  slow_worker x none: spread in 1 of 3 runs, 33% (95% sure: 6% to 79%); 1 more inconclusive"
    )


def test_no_figure_is_taken_over_two_verdicts() -> None:
    bad, good = torn(spreads=3, contains=2)[:3], torn(spreads=3, contains=2)[3:]
    results = [with_goodput(r, ratio) for r, ratio in zip(bad, (0.1, 0.2, 0.3), strict=True)]
    results += [with_goodput(r, ratio) for r, ratio in zip(good, (0.96, 0.98), strict=True)]
    shown = [line.rstrip() for line in text(*results).splitlines()]
    first, second = (at for at, line in enumerate(shown) if line.startswith("none,"))
    assert "20% (10% to 30%)" in shown[first]
    assert "97% (96% to 98%)" in shown[second]
    assert [shown[first + 1], shown[second + 1]] == ["3 spread", "2 contained"]


def test_every_preset_has_its_line_and_its_row_in_the_order_they_came() -> None:
    shown = text(spread(1), contained(1), spread(2), contained(2)).splitlines()
    assert shown[0] == "FAIL  slow_worker x none: of 2 seeds 2 spread"
    assert shown[1] == "PASS  slow_worker x timeout_breaker_shed: of 2 seeds 2 contained"
    rows = [line.split()[0] for line in shown if re.match(r"\s*(none|timeout_breaker_shed)\b", line)]
    assert rows == ["none", "timeout_breaker_shed"]


def test_a_figure_is_its_median_and_its_range() -> None:
    results = [with_goodput(spread(seed), ratio) for seed, ratio in ((1, 0.5), (2, 0.25), (3, 0.75))]
    assert "50% (25% to 75%)" in text(*results)


def test_a_figure_that_some_seeds_lack_says_how_many_have_it() -> None:
    lacking = spread(1, law=judged().law.model_copy(update={"measured_s": None}))
    assert re.search(r"\(\S+ to \S+, 2 of 3\)", text(lacking, spread(2), spread(3)))
    assert " -" in text(lacking)


def test_seeds_that_came_out_otherwise_are_shown() -> None:
    results = [contained(seed) for seed in range(5)] + [contained(9, verdict=Verdict.FAIL)]
    (line,) = [line for line in text(*results, width=400).splitlines() if "odd one" in line]
    assert "timeout_breaker_shed seed 9: FAIL" in line
    assert [result.replay for result in odd_ones(alike(results))] == ["lp1-token9"]


def test_no_more_than_a_few_odd_ones_are_shown() -> None:
    results = [contained(seed) for seed in range(20)]
    results += [contained(seed, verdict=Verdict.FAIL) for seed in range(50, 60)]
    assert text(*results, width=400).count("odd one") == ODD


def test_seeds_that_agree_have_no_odd_ones() -> None:
    assert "odd one" not in text(spread(1), spread(2))


def torn(*, spreads: int, contains: int) -> list[RunResult]:
    """The same preset both ways."""
    both = [spread(seed) for seed in range(spreads)]
    return both + [spread(seed, verdict=Verdict.PASS) for seed in range(spreads, spreads + contains)]


def with_goodput(result: RunResult, ratio: float) -> RunResult:
    trend = result.metrics["bystander_goodput_ratio"].model_copy(update={"during": ratio})
    return result.model_copy(update={"metrics": result.metrics | {"bystander_goodput_ratio": trend}})
