"""The median of all figures but one."""

from statistics import median

from hypothesis import given, settings
from hypothesis import strategies as st

from policies.ranking import Ranking

VALUES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-1e6, 1e6), max_size=8)


@settings(derandomize=True, deadline=None)
@given(VALUES, st.sampled_from("abcdefghz"))
def test_it_is_the_median_of_the_others(values, left_out):
    others = [value for worker, value in values.items() if worker != left_out]
    found = Ranking(values).median_without(left_out)
    assert found == (median(others) if others else None)
