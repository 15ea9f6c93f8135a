from collections.abc import Awaitable, Callable

import pytest

from bench.interleave import median_ratio, take_turns


def noting(name: str, log: list[str]) -> Callable[[], Awaitable[float]]:
    """A measure that writes its name down and gives how many turns there were before."""

    async def measure() -> float:
        log.append(name)
        return len(log) - 1

    return measure


async def test_measures_take_turns_and_every_second_round_goes_backwards() -> None:
    log: list[str] = []
    await take_turns({"a": noting("a", log), "b": noting("b", log)}, rounds=3)
    assert "".join(log) == "ba" + "ab" + "ba" + "ab"


async def test_the_warm_up_round_is_thrown_away() -> None:
    log: list[str] = []
    results = await take_turns({"a": noting("a", log), "b": noting("b", log)}, rounds=2)
    assert results == {"a": [2, 5], "b": [3, 4]}


async def test_no_rounds_are_refused() -> None:
    with pytest.raises(ValueError, match="rounds must be at least 1, got 0"):
        await take_turns({}, rounds=0)


def test_the_ratio_is_the_median_of_the_ratios_of_each_round() -> None:
    assert median_ratio([2.0, 20.0, 9.0], [1.0, 10.0, 3.0]) == 2.0


def test_a_round_on_a_slower_machine_does_not_move_the_ratio() -> None:
    steady, slowed = median_ratio([4, 4, 4], [2, 2, 2]), median_ratio([4, 40, 4], [2, 20, 2])
    assert steady == slowed == 2


def test_a_ratio_of_unequal_numbers_of_rounds_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        median_ratio([1.0, 2.0], [1.0])
