import numpy as np
import pytest

from harness.judging import bootstrap
from harness.judging.bootstrap import REPLICATES, bounds, cut
from harness.judging.percentiles import quantile
from harness.judging.windows import Window


def blocks(seed=1, start_s=5.0, end_s=25.0):
    return cut(Window(start_s, end_s), np.random.default_rng(seed))


def test_a_window_is_cut_into_whole_seconds_or_more():
    lengths = np.diff(blocks(start_s=0.0, end_s=7.9).edges)
    assert len(lengths) == 7
    assert lengths == pytest.approx([7.9 / 7] * 7)


def test_every_replicate_draws_as_many_blocks_as_there_are():
    assert set(blocks().weights.sum(axis=1)) == {20}


def test_the_same_seed_gives_the_same_bounds():
    times, values = np.linspace(5, 24.9, 400), np.sin(np.arange(400))
    first, second = (bounds(blocks(seed=7).quantiles(times, values, 0.9)) for _ in range(2))
    assert first == second


def test_a_replicate_that_draws_every_block_once_has_the_plain_quantile():
    whole = blocks()
    once = type(whole)(whole.window, whole.edges, np.ones((1, 20), dtype=np.int32))
    times, values = np.linspace(5, 24.9, 333), np.random.default_rng(2).exponential(1, 333)
    for q in (0.5, 0.9, 0.99):
        assert once.quantiles(times, values, q)[0] == quantile(values, q)


@pytest.mark.parametrize("cells", [4_000_000, 0])
@pytest.mark.parametrize("q", [0.5, 0.9, 0.99])
def test_the_quantile_of_a_replicate_is_that_of_its_values_written_out(q, cells, monkeypatch):
    """With a table and without: the size of a sample changes the way there and not the result."""
    monkeypatch.setattr(bootstrap, "_CELLS", cells)
    whole, random = blocks(), np.random.default_rng(4)
    times, values = np.sort(random.uniform(5, 25, 700)), random.exponential(1, 700).round(2)
    found = whole.quantiles(times, values, q)
    for weights, figure in list(zip(whole.weights, found, strict=True))[:50]:
        written_out = np.sort(np.repeat(values, weights[whole.of(times)]))
        assert figure == written_out[int(np.ceil(q * len(written_out) - 1e-9)) - 1]


def test_a_replicate_that_draws_only_empty_blocks_has_no_quantile():
    whole = blocks()
    draws = np.zeros((2, 20), dtype=np.int32)
    draws[0, 19] = draws[1, 0] = 20
    found = type(whole)(whole.window, whole.edges, draws).quantiles(np.array([24.5]), np.array([3.0]), 0.5)
    assert found[0] == 3.0
    assert np.isnan(found[1])


def test_one_bad_second_widens_the_bounds_far_more_than_as_many_single_requests():
    """Requests of one second share its queue: resampling them one by one would take a hiccup for a fact."""
    times = np.linspace(5, 24.99, 2000)
    together, apart = np.zeros(2000), np.zeros(2000)
    together[700:800] = 1
    apart[::20] = 1
    spread = [
        np.ptp(bounds(blocks().totals(times, bad) / blocks().totals(times, np.ones(2000))))
        for bad in (together, apart)
    ]
    assert spread[0] > 5 * spread[1]


def test_bounds_are_one_in_a_hundred_on_either_side():
    assert bounds(np.arange(float(REPLICATES))) == (10.0, 989.0)


def test_replicates_without_samples_are_left_out():
    assert bounds(np.array([np.nan, 2.0, np.nan])) == (2.0, 2.0)
    assert bounds(np.array([np.nan])) == (-np.inf, np.inf)
