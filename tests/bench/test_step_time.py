import pytest

from bench.step_time import Row, law


def test_the_knee_is_that_of_the_law_through_the_steps() -> None:
    """A step of 1 ms with 5 % more for each further sequence: X(n) = n / (1 + 0.05 (n - 1))."""
    steps_s = {batch: 1e-3 * (1 + 0.05 * (batch - 1)) for batch in (1, 2, 4, 8, 16, 32)}
    rows = [Row(batch, step_s, step_s / 1e-3, 0.0) for batch, step_s in steps_s.items()]
    assert law(rows).one_rps == pytest.approx(1000)
    assert law(rows).knee == pytest.approx(0.95 / 0.05)
