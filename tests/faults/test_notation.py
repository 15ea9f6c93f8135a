"""Faults as text: read, written, and refused in one line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faults.call_text import read_number
from faults.engine.slow_steps import SlowSteps
from faults.link.link_latency import LinkLatency
from faults.magnitude import MOST, OfTimeout
from faults.notation import read_fault, read_shape, spell, spell_shape
from faults.registry import FAULTS
from faults.shape import SHAPES, Flapping, Intermittent, Ramp

READ = {
    "slow_steps": SlowSteps(),
    "slow_steps()": SlowSteps(),
    " slow_steps ( 3 ) ": SlowSteps(factor=3),
    "slow_steps(factor=3,)": SlowSteps(factor=3),
    "link_latency(latency=2)": LinkLatency(latency_s=2),
    "link_latency(latency_s=0.95timeout)": LinkLatency(latency_s=OfTimeout(0.95)),
    "slow_steps(1e1, shape=ramp(rise=2, fall_s=3))": SlowSteps(shape=Ramp(rise_s=2, fall_s=3)),
    "slow_steps(shape=flapping(1, 2))": SlowSteps(shape=Flapping(on_s=1, off_s=2)),
    "slow_steps(shape=intermittent(seed=7))": SlowSteps(shape=Intermittent(seed=7)),
    "slow_steps(shape=constant)": SlowSteps(),
}

REFUSED = {
    "": "it is empty",
    "(": "it does not begin with a name",
    "slow_steps(": "it ends too soon",
    "slow_steps(3": "the parentheses do not match",
    "slow_steps(3))": "something follows the last parenthesis",
    "slow_steps(1 2)": "a comma is missing",
    "slow_steps(factor=)": "')' is no number",
    "slow_steps(factor 3)": "'factor' is no number and has no value",
    "slow_steps(factor=3s)": "a number has no unit: durations are seconds, 3 and not 3s",
    "link_latency(500ms)": "a number has no unit: durations are seconds, 0.5 and not 500ms",
    "link_latency(latency=2 s)": "a number has no unit, and 's' follows one: durations are seconds",
    "link_latency(2min)": "durations are seconds, 120 and not 2min",
    "stopped(50%)": "a number has no unit: shares are 0 to 1, 0.5 and not 50%",
    "slow_steps(10x)": "a factor is a plain number, 10 and not 10x",
    "link_bandwidth(2kB)": "it is in the unit of its parameter",
    "slow_steps(3apples)": "only 'timeout' may follow one, 3 and not 3apples",
    "link_latency(0.9 timeout)": "a number and 'timeout' are written together, as in 0.9timeout",
    "slow_decode factor=5": "the parentheses are missing, as in slow_decode(factor=5)",
    "slow_decode 5": "the parentheses are missing, as in slow_decode(5)",
    "slow_steps(10, flapping(5, 5))": "a shape is named, as in shape=flapping(...)",
    "flapping(5, 5)": "flapping is a shape of a fault, as in slow_steps(10, shape=flapping())",
    "slow_steps(shape=freeze)": "freeze is a fault and no shape",
    "xyz(1)": "unknown fault 'xyz'. `limplock list faults` has all",
    "slow_steps(factor=1, 2)": "a value without a name follows one with a name",
    "slow_steps(factor=1, factor=2)": "factor is given twice",
    "slow_steps(2, factor=2)": "factor is given twice",
    "slow_steps(1, 2)": "2 values, but it takes factor",
    "slow_steps(faktor=3)": "slow_steps has no parameter 'faktor'. It has: factor",
    "slow_steps(factor=0.5)": "factor must be 1 or more",
    "slow_steps(factor=nan)": "factor must be 1 or more",
    "slow_steps(factor=2timeout)": "factor is no duration",
    "slow_steps(factor=ramp())": "factor takes a number",
    "link_latency(latency=0timeout)": "expected a share of the timeout above 0",
    "slow_stps(3)": "unknown fault 'slow_stps'. Closest: slow_steps.",
    "slow_steps(shape=3)": "shape takes a shape",
    "slow_steps(shape=rmp(1))": "unknown shape 'rmp'. Closest: ramp.",
    "slow_steps(shape=ramp(rise=ramp()))": "'ramp' is no number",
    "slow_steps(shape=ramp(rise=-1))": "ramp: rise_s must be 0 s or more",
    "slow_steps(shape=intermittent(seed=1.5))": "seed must be a whole number, got 1.5",
    "slow_steps" + "(" * 2000: "at most 1,000 are accepted",
}


@pytest.mark.parametrize("text", READ)
def test_a_fault_is_read_as_it_is_meant_and_written_so_that_it_is_read_again(text: str) -> None:
    fault = read_fault(text)
    assert fault == READ[text]
    assert read_fault(spell(fault)) == fault


@pytest.mark.parametrize("text", REFUSED)
def test_a_wrong_text_is_one_line_that_says_what_is_wrong(text: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        read_fault(text)
    assert REFUSED[text] in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", FAULTS)
def test_every_fault_comes_back_from_its_text_with_every_shape(kind: str) -> None:
    for shape in SHAPES.values():
        fault = FAULTS[kind](shape=shape())
        assert read_fault(spell(fault)) == fault
        assert read_shape(spell_shape(shape())) == shape()


def test_a_fault_is_written_with_all_its_numbers() -> None:
    assert spell(SlowSteps()) == "slow_steps(factor=10)"
    written = spell(LinkLatency(latency_s=OfTimeout(1 / 3), shape=Ramp(rise_s=0.1 + 0.2)))
    shape = "ramp(rise_s=0.30000000000000004, from_ratio=0, hold_s=inf, fall_s=0)"
    assert written == (
        f"link_latency(latency_s=0.3333333333333333timeout, connections_ratio=1, shape={shape})"
    )


@given(st.floats(1, MOST))
def test_a_size_comes_back_to_the_last_digit(factor: float) -> None:
    assert read_fault(spell(SlowSteps(factor=factor))).parameters() == {"factor": factor}


PIECES = [
    "slow_steps",
    "link_latency",
    "shape",
    "ramp",
    "factor",
    "latency",
    "(",
    ")",
    "=",
    ",",
    "0.95timeout",
]


@given(
    st.one_of(
        st.text(max_size=40), st.lists(st.sampled_from([*PIECES, "3", "-1", " ", "inf", "x"])).map("".join)
    )
)
@settings(max_examples=500)
def test_any_text_is_a_fault_or_one_line(text: str) -> None:
    refused = ""
    try:
        fault = read_fault(text)
        assert read_fault(spell(fault)) == fault
    except ValueError as wrong:
        refused = str(wrong)
    assert refused.isprintable()


@pytest.mark.parametrize(("text", "value"), [("2", 2.0), (" .5 ", 0.5), ("inf", float("inf"))])
def test_a_number_alone_is_read_the_same_way(text: str, value: float) -> None:
    assert read_number(text) == value
    assert read_number("1.05timeout") == OfTimeout(1.05)


@pytest.mark.parametrize("text", ["", "ten", "3s", "1 2", "2timeouts", "timeout"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"number"):
        read_number(text)
