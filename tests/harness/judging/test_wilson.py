import pytest

from harness.judging.wilson import chance, interval


def test_figures_of_the_score_interval():
    assert interval(0, 10) == (0.0, pytest.approx(0.2775, abs=1e-4))
    assert interval(1, 3) == (pytest.approx(0.0615, abs=1e-4), pytest.approx(0.7923, abs=1e-4))
    assert interval(10, 20) == (pytest.approx(0.2993, abs=1e-4), pytest.approx(0.7007, abs=1e-4))


def test_it_is_symmetric_and_never_leaves_0_to_1():
    for hits in range(11):
        low, high = interval(hits, 10)
        assert 0 <= low <= hits / 10 <= high + 1e-12 <= 1 + 1e-12
        assert interval(10 - hits, 10) == (pytest.approx(1 - high), pytest.approx(1 - low))


def test_without_a_run_everything_is_possible():
    assert interval(0, 0) == (0.0, 1.0)


def test_a_share_is_told_with_its_interval():
    assert chance(7, 20) == "35% (95% sure: 18% to 57%)"
