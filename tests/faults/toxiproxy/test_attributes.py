"""Attributes as they are given, and what becomes of those that are wrong."""

from typing import Any

import pytest

from faults.toxiproxy.attributes import Reading, read
from faults.toxiproxy.mode import SANE, Mode
from faults.toxiproxy.toxics.bandwidth import Bandwidth
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.slicer import Slicer
from faults.toxiproxy.toxics.toxic import Toxic

STRICT = Mode(strict_compat=True)


def why(reading: Reading) -> str:
    assert reading.refused is not None
    assert reading.refused.status == 400
    return reading.refused.text


@pytest.mark.parametrize("mode", [SANE, STRICT])
def test_what_is_not_given_stays(mode: Mode) -> None:
    reading = read(Latency(latency=5, jitter=3), {}, {"latency": 9, "other": "x"}, mode)
    assert reading == Reading(Latency(latency=9, jitter=3), {}, None)
    assert read(Latency(latency=5), {}, None, mode).toxic == Latency(latency=5)


def test_a_number_out_of_range_is_refused() -> None:
    assert why(read(Latency(), {}, {"latency": -1}, SANE)).startswith(
        "bad request body: latency: expected a whole"
    )


def test_strictly_it_works_as_the_nearest_in_range_and_is_shown_as_typed() -> None:
    reading = read(Latency(), {}, {"latency": -4, "jitter": 2**40}, STRICT)
    assert reading == Reading(Latency(jitter=2**31 - 1), {"latency": -4, "jitter": 2**40}, None)


def test_strictly_what_was_typed_before_stays_until_it_is_typed_anew() -> None:
    typed = {"latency": -4}
    assert read(Latency(), typed, {"jitter": 2}, STRICT) == Reading(Latency(jitter=2), typed, None)
    assert read(Latency(), typed, {"latency": 2}, STRICT) == Reading(Latency(latency=2), {}, None)


@pytest.mark.parametrize(
    ("toxic", "given"),
    [
        (Bandwidth(), {"rate": -1}),
        (Slicer(), {"average_size": -1}),
        (Slicer(), {"average_size": 1, "size_variation": 2}),
        (Latency(), {"latency": 2**63}),
        (Latency(), {"latency": -(2**63) - 1}),
    ],
)
def test_even_strictly_nothing_is_taken_that_crashes_the_original(
    toxic: Toxic, given: dict[str, int]
) -> None:
    reading = read(toxic, {}, given, STRICT)
    assert reading.toxic == toxic
    assert why(reading).startswith("bad request body: ")


@pytest.mark.parametrize("given", [[], 5, "x", {"latency": 1.5}, {"latency": "5"}])
@pytest.mark.parametrize("mode", [SANE, STRICT])
def test_attributes_of_the_wrong_form_are_refused(given: Any, mode: Mode) -> None:
    assert why(read(Latency(), {}, given, mode)).startswith("bad request body: ")


def test_the_attributes_beside_the_wrong_one_are_read_all_the_same() -> None:
    reading = read(Latency(latency=5), {}, {"latency": 1.5, "jitter": 7}, STRICT)
    assert reading.toxic == Latency(latency=5, jitter=7)
    assert "latency" in why(reading)
