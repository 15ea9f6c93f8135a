"""A larger fault need not do more damage, and where it does not one sentence says so."""

from harness.judging.result import Measure, RunResult, Trend
from harness.judging.severity import not_monotonic
from tests.harness.judging.synthetic import judged


def run(asked: float, *, lost: float = 0.0, held: float = 0.0, less: bool = False, preset: str = "timeout"):
    """A run with a delay of `asked` in which a share of the requests was lost."""
    plain = judged(kind="link_latency", size=1.0)
    bite = plain.bite.model_copy(update={"asked": asked, "less": less})
    metrics = plain.metrics | {"touched_goodput_ratio": Trend(before=1.0, during=1 - lost)}
    setting = plain.setting.model_copy(
        update={"fault_text": f"link_latency(latency_s={asked:g})", "preset": preset}
    )
    capture = Measure(
        name="slot_capture", about="worker 2", value=held, lower=0, upper=1, mild=1, severe=1, deciding=False,
        during=held,
    )  # fmt: skip
    return plain.model_copy(
        update={"bite": bite, "metrics": metrics, "setting": setting, "measures": [capture], "callers": []}
    )


def told(*results: RunResult) -> list[str]:
    return not_monotonic([[result] for result in results])


def test_damage_that_grows_with_the_fault_is_not_worth_a_word() -> None:
    assert told(run(0.5), run(0.95, lost=0.1), run(1.05, lost=0.24), run(3, lost=0.24)) == []
    assert told(run(1.0, lost=0.5)) == []


def test_less_damage_by_the_larger_fault_is_said_in_one_sentence_in_whatever_order_they_ran() -> None:
    assert told(run(1.05, lost=0.02), run(0.5), run(0.95, lost=0.3)) == [
        "damage is not monotonic under timeout: requests that may meet it fail or are late: 30% with"
        " link_latency(latency_s=0.95), 2% with the larger link_latency(latency_s=1.05)"
    ]


def test_a_little_less_is_chance() -> None:
    assert told(run(0.95, lost=0.30), run(1.05, lost=0.28)) == []
    assert told(run(0.95, lost=0.01), run(1.05, lost=0.0)) == []


def test_slots_that_are_held_are_damage_too() -> None:
    (words,) = told(run(0.95, lost=0.2, held=0.4), run(1.05, lost=0.24, held=0.2))
    assert "of the slots that fill first the faulted worker holds 40%" in words


def test_where_less_is_worse_the_smaller_number_is_the_larger_fault() -> None:
    assert told(run(10, lost=0.3, less=True), run(100, lost=0.1, less=True)) == []
    (words,) = told(run(10, lost=0.1, less=True), run(100, lost=0.3, less=True))
    assert words.endswith("10% with the larger link_latency(latency_s=10)")


def test_seeds_that_went_both_ways_have_no_middle_to_compare() -> None:
    torn = [
        run(0.95, lost=lost).model_copy(update={"verdict": v}) for lost, v in ((0.9, "FAIL"), (0.1, "PASS"))
    ]
    alike = [result.model_copy(update={"verdict": "FAIL"}) for result in torn]
    assert not_monotonic([torn, [run(1.05, lost=0.02)]]) == []
    assert len(not_monotonic([alike, [run(1.05, lost=0.02)]])) == 1


def test_presets_are_not_mixed() -> None:
    assert told(run(0.95, lost=0.3), run(1.05, lost=0.0, preset="none")) == []


def test_of_several_seeds_the_median_counts() -> None:
    small = [run(0.95, lost=lost) for lost in (0.0, 0.3, 0.4)]
    large = [run(1.05, lost=lost) for lost in (0.0, 0.0, 0.9)]
    assert len(not_monotonic([small, large])) == 1


def waiting(asked: float, seconds: float) -> RunResult:
    """A run in which a bystander waits."""
    plain = run(asked)
    caller = next(caller for caller in judged(kind="link_latency", size=1.0).callers if caller.bystander)
    metrics = caller.metrics | {"e2e_s.p50_all": Trend(during=seconds)}
    return plain.model_copy(update={"callers": [caller.model_copy(update={"metrics": metrics})]})


def test_bystanders_that_wait_less_are_damage_from_a_twentieth_of_a_second_on() -> None:
    (words,) = told(waiting(0.95, 0.3), waiting(1.05, 0.1))
    assert "bystanders wait 0.30s with" in words
    assert told(waiting(0.95, 0.05), waiting(1.05, 0.01)) == []


def test_less_than_nine_tenths_is_clearly_less_and_nine_tenths_are_not() -> None:
    assert told(run(0.95, held=0.5), run(1.05, held=0.45)) == []
    assert len(told(run(0.95, held=0.5), run(1.05, held=0.44))) == 1


def test_damage_as_small_as_its_floor_is_none() -> None:
    assert told(run(0.95, held=0.02), run(1.05, held=0.0)) == []
    assert len(told(run(0.95, held=0.03), run(1.05, held=0.0))) == 1


def test_the_first_run_of_a_group_stands_for_its_size_its_kind_and_its_name() -> None:
    small = [run(0.95, lost=0.3), run(9.0, lost=0.3, preset="none")]
    large = [run(1.05), run(0.1, preset="none").model_copy(update={"bite": None})]
    (words,) = not_monotonic([large, small])
    assert words.startswith("damage is not monotonic under timeout")
    assert words.endswith("0% with the larger link_latency(latency_s=1.05)")
