from math import inf

import pytest
from pydantic import ValidationError

from harness.judging.result import Bite, Law, Measure, RunResult, Trend
from tests.harness.judging.synthetic import CONTAINED, judged


@pytest.mark.parametrize("changes", [{}, CONTAINED, {"kind": "killed"}, {"kind": None}])
def test_a_result_comes_back_from_json_as_it_was(changes):
    result = judged(**changes)
    assert RunResult.from_json(result.to_json()) == result


def test_infinity_and_nothing_survive_json_and_stay_apart():
    trend = Trend(before=0.5, during=inf, after=None)
    assert Trend.model_validate_json(trend.model_dump_json()) == trend
    assert "Infinity" in trend.model_dump_json()
    assert Law.model_validate_json(Law(words="", slots_needed=inf).model_dump_json()).slots_needed == inf


def test_json_names_its_schema_and_version():
    text = judged().to_json()
    assert '"schema_id": "limplock.result"' in text
    assert '"schema_version": 2' in text


def test_an_unknown_field_or_another_version_is_refused():
    text = judged().to_json()
    with pytest.raises(ValidationError):
        RunResult.from_json(text.replace('"schema_version": 2', '"schema_version": 3'))
    with pytest.raises(ValidationError):
        RunResult.from_json(text.replace('"headline"', '"headlin"'))


def test_a_result_cannot_be_changed():
    bite = Bite(
        kind="k", worker="w", quantity="q", unit="", asked=1, measured=1, bit=True, as_asked=True, words=""
    )
    with pytest.raises(ValidationError):
        bite.bit = False


@pytest.mark.parametrize(
    ("less", "lower", "value", "upper", "proved", "suspected"),
    [
        (False, 1.3, 1.4, 1.5, True, True),
        (False, 1.2, 1.4, 1.5, False, True),
        (False, 1.1, 1.2, 1.5, False, False),
        (True, 0.9, 1.0, 1.2, True, True),
        (True, 0.9, 1.0, 1.3, False, True),
        (True, 0.9, 1.3, 1.4, False, False),
    ],
)
def test_what_is_worse_the_smaller_it_is_is_beyond_mild_below_it(
    less, lower, value, upper, proved, suspected
):
    found = Measure(
        name="n",
        about="a",
        value=value,
        lower=lower,
        upper=upper,
        mild=1.25,
        severe=2,
        deciding=True,
        less=less,
    )
    assert (found.proved, found.suspected) == (proved, suspected)
