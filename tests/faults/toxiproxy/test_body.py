"""How leniently request bodies are read."""

import ctypes
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faults.toxiproxy import body
from faults.toxiproxy.errors import Refused


def test_keys_are_read_in_any_case_and_the_last_one_counts() -> None:
    assert body.parse(b'{"Name": "a", "NAME": "b"}') == {"name": "b"}


def test_what_follows_the_first_value_is_ignored() -> None:
    assert body.parse(b' {"a": 1} and more') == {"a": 1}


def test_an_empty_body_is_refused_in_the_original_s_words() -> None:
    with pytest.raises(Refused, match=r"^bad request body: EOF$"):
        body.parse(b"  ")


@pytest.mark.parametrize("raw", [b"{", b"nonsense", b"NaN", b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_refused(raw: bytes) -> None:
    with pytest.raises(Refused, match=r"^bad request body: ") as refused:
        body.parse(raw)
    assert refused.value.status == 400


@pytest.mark.parametrize("value", ["1.5", "1e3", '"100"', "true", "[]"])
def test_a_whole_number_is_a_whole_number(value: str) -> None:
    with pytest.raises(Refused, match="rate: expected a whole number"):
        body.whole(body.parse(b'{"rate": %s}' % value.encode()), "rate", 0)


@pytest.mark.parametrize("read", [body.text, body.flag, body.number, body.whole])
def test_null_and_absence_mean_the_default(read: object) -> None:
    marker = object()
    assert read({"key": None}, "key", marker) is marker
    assert read({}, "key", marker) is marker


@pytest.mark.parametrize(
    ("read", "value", "complaint"),
    [
        (body.text, 5, "expected a string, got 5"),
        (body.flag, "yes", 'expected true or false, got "yes"'),
        (body.number, True, "expected a number, got true"),
        (body.number, float("inf"), "expected a number"),
        (body.number, 10**400, "expected a number"),
        (body.single, 1e300, "expected a number of 32 bits"),
    ],
)
def test_a_value_of_another_kind_is_named(read: object, value: object, complaint: str) -> None:
    with pytest.raises(Refused, match=re.escape(complaint)):
        read({"key": value}, "key", None)


@pytest.mark.parametrize(
    ("given", "kept"),
    [(0.2, 0.2), (0.1234567891, 0.12345679), (1, 1), (-1.5, -1.5), (1e-9, 1e-9), (7e22, 7e22)],
)
def test_a_number_of_32_bits_is_kept_in_the_digits_that_it_has(given: float, kept: float) -> None:
    assert body.single({"key": given}, "key", 1.0) == kept


def test_a_field_that_is_not_known_is_named_with_those_that_are() -> None:
    body.only({"rate": 1}, ("rate", "delay"), "toxic")
    with pytest.raises(Refused, match=r'toxic: unknown field "rat"; known are rate, delay'):
        body.only({"rat": 1}, ("rate", "delay"), "toxic")


def test_null_is_an_empty_object_and_an_array_is_none() -> None:
    assert body.as_object(None) == {}
    with pytest.raises(Refused, match="expected an object"):
        body.as_object([])


def test_null_is_an_empty_array_and_an_object_is_none() -> None:
    assert body.as_array(None, "toxics") == []
    with pytest.raises(Refused, match="toxics: expected an array"):
        body.as_array({}, "toxics")


def test_half_a_surrogate_pair_is_replaced_and_whole_ones_and_escaped_backslashes_stay() -> None:
    given = rb'["\ud83d\ude00", "\ud83d", "\ude00!", "\\ud83d", "\ud83d\ud83d\ude00"]'
    assert body.parse(given) == ["\U0001f600", "\ufffd", "\ufffd!", "\\ud83d", "\ufffd\U0001f600"]


@given(st.floats(allow_nan=False, allow_infinity=False, width=64).filter(lambda value: abs(value) < 3.4e38))
@example(1_713_287_356)
def test_any_number_is_kept_as_one_of_32_bits(value: float) -> None:
    """Also one that lies so near the middle of two that its own nine digits would be the other one."""
    kept = body.single({"key": value}, "key", 1.0)
    assert ctypes.c_float(kept).value == ctypes.c_float(value).value
    assert float(f"{kept:.9g}") == kept
