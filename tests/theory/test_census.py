"""The census catches books that do not balance: what holds a study to Little's law must be able to fail."""

import asyncio

import pytest

from policies.call import Call
from policies.outcome import OK, Kind, Outcome
from tests.theory.queueing_parts import Census, closed_loop, new_call, open_loop


async def _one_second(_call: Call) -> Outcome:
    await asyncio.sleep(1.0)
    return OK


async def test_two_stays_of_a_second_in_four_seconds_are_half_a_person() -> None:
    census = Census()
    await open_loop([0.0, 2.0], _one_second, census)
    await asyncio.sleep(1.0)
    assert census.mean_inside() == pytest.approx(0.5)
    assert list(census.sojourns_s) == [1.0, 1.0]
    census.assert_little()


async def test_those_still_inside_count_with_the_time_that_they_have_stayed() -> None:
    census = Census()
    staying = asyncio.create_task(census.visit(_one_second(new_call(0))))
    await asyncio.sleep(0.5)
    assert census.mean_inside() == 1.0
    census.assert_little()
    await staying


async def test_a_part_whose_books_differ_is_found() -> None:
    census = Census(lambda: 7)
    await asyncio.sleep(1.0)
    await census.visit(_one_second(new_call(0)))
    with pytest.raises(AssertionError, match="at 1 s 7 inside, 0 seen"):
        census.assert_little()


async def test_an_answer_that_failed_is_found() -> None:
    async def fail(_call: Call) -> Outcome:
        return Outcome(kind=Kind.ERROR)

    with pytest.raises(AssertionError, match="1 requests were not answered"):
        await open_loop([1.0], fail, Census())


async def test_callers_that_never_rest_give_one_answer_each_for_each_stay() -> None:
    census = Census()
    assert await closed_loop(3, _one_second, census, 0.5, 10.0) == pytest.approx(3.0)
    assert census.mean_inside() == pytest.approx(3.0)
