"""What the judge makes of the counts of one worker before and while a fault is there."""

import pytest

from harness.judging.effects import MEASURES
from harness.judging.history import (
    FaultChanged,
    FaultSetup,
    Finished,
    Gauge,
    History,
    PhaseStarted,
    Setup,
)
from harness.judging.windows import timeline

EVERY_S = 0.5


def seen(quantity: str, before: dict[str, float], during: dict[str, float], place: str = "w") -> History:
    """Gauges of which each value rises by so much a second, before and during the fault from 10 to 20 s."""
    fault = FaultSetup(kind="f", workers=["w"], quantity=quantity, asked=1.0)
    setup = Setup(
        scenario="s", preset="p", seed=1, version="0", hops=[], workers=["w"], callers=[], fault=fault
    )
    history = History([setup, PhaseStarted(at_s=0, phase="baseline"), PhaseStarted(at_s=10, phase="fault")])
    history.append(FaultChanged(at_s=10, active=True))
    values = dict.fromkeys(before, 0.0)
    for look in range(1, 40):
        at_s = look * EVERY_S
        rates = before if at_s <= 10 else during
        values = {name: value + EVERY_S * rates[name] for name, value in values.items()}
        history.append(Gauge(at_s=at_s, place=place, values=values))
    history.append(FaultChanged(at_s=20, active=False))
    history.append(PhaseStarted(at_s=20, phase="recovery"))
    history.append(Finished(at_s=25, clean=True))
    return history


def measure(quantity: str, history: History) -> float | None:
    return MEASURES[quantity](history, "w", timeline(history)).measured


@pytest.mark.parametrize(
    ("quantity", "part", "of"),
    [
        ("failed share", "failed", "arrived"),
        ("unanswered share", "unanswered", "arrived"),
        ("stalled share", "stalled_seconds", "busy_seconds"),
    ],
)
def test_a_share_is_of_what_happened_while_the_fault_was_there(quantity: str, part: str, of: str) -> None:
    history = seen(quantity, {of: 8.0, part: 4.0}, {of: 8.0, part: 2.0})
    assert measure(quantity, history) == pytest.approx(0.25)


def test_who_left_since_the_last_look_need_not_have_been_computed_for_yet() -> None:
    history = seen("kept after leaving", {"left_early": 2.0, "kept": 0.0}, {"left_early": 2.0, "kept": 2.0})
    late = [g for g in history.gauges("w") if 10 < g.at_s <= 20][-1]
    late.values["left_early"] += 3
    assert measure("kept after leaving", history) == 1.0


def test_a_share_of_those_who_left_is_kept() -> None:
    history = seen("kept after leaving", {"left_early": 8.0, "kept": 4.0}, {"left_early": 8.0, "kept": 2.0})
    assert measure("kept after leaving", history) == pytest.approx(0.25, rel=0.1)


def test_who_left_the_queue_and_has_not_had_its_turn_shows_nothing_yet() -> None:
    before = {"left_early": 0.0, "kept": 0.0, "left_waiting": 0.0}
    during = {"left_early": 8.0, "kept": 2.0, "left_waiting": 6.0}
    assert measure("kept after leaving", seen("kept after leaving", before, during)) == 1.0
    half = during | {"left_waiting": 4.0}
    assert measure("kept after leaving", seen("kept after leaving", before, half)) == pytest.approx(
        0.5, rel=0.1
    )


@pytest.mark.parametrize("quantity", ["failed share", "unanswered share", "kept after leaving"])
def test_a_share_of_nothing_is_not_known_and_says_why(quantity: str) -> None:
    idle = dict.fromkeys(("failed", "unanswered", "kept", "arrived", "left_early"), 0.0)
    history = seen(quantity, idle, idle)
    found = MEASURES[quantity](history, "w", timeline(history))
    assert found.measured is None
    assert "w while it was on" in found.words


def test_steps_with_prompts_and_steps_without_are_told_apart() -> None:
    healthy = {"steps": 10.0, "step_seconds": 0.5, "prefill_steps": 2.0, "prefill_seconds": 0.1}
    slow = {"steps": 10.0, "step_seconds": 0.9, "prefill_steps": 2.0, "prefill_seconds": 0.5}
    history = seen("prefill step time", healthy, slow)
    assert measure("prefill step time", history) == pytest.approx(5)
    assert measure("decode step time", history) == pytest.approx(1)
    assert measure("added step time", history) == pytest.approx(0.04)


def test_tokens_after_the_first_are_counted_for_each_second_that_an_answer_runs() -> None:
    history = seen("later tokens lost", {"tokens": 10.0, "first_tokens": 1.0, "running": 0.1}, {
        "tokens": 1.0, "first_tokens": 1.0, "running": 0.1
    })  # fmt: skip
    assert measure("later tokens lost", history) == pytest.approx(1)


def test_a_report_that_is_made_anew_does_not_age_and_one_that_stands_still_ages_a_second_a_second() -> None:
    fresh, frozen = {"report_age_s": 0.0}, {"report_age_s": 1.0}
    assert measure("ageing of reports", seen("", fresh, frozen)) == pytest.approx(1)
    assert measure("ageing of reports", seen("", fresh, fresh)) == 0


@pytest.mark.parametrize(
    "quantity",
    [
        "failed share",
        "kept after leaving",
        "stalled share",
        "prefill step time",
        "added step time",
        "later tokens lost",
        "usable slots",
        "slots lost",
        "ageing of reports",
        "health delay",
    ],
)
def test_nothing_is_known_of_a_worker_that_nobody_looked_at(quantity: str) -> None:
    assert measure(quantity, seen(quantity, {"steps": 1.0}, {"steps": 1.0}, place="another")) is None
    assert measure(quantity, seen(quantity, {"up": 1.0}, {"up": 1.0})) is None
