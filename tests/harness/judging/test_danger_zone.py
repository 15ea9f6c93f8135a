import pytest

from harness.judging.danger_zone import Split, Zone, find_zone, next_factor

C, S, T = Split(contained=3, seeds=3), Split(spread=3, seeds=3), Split(contained=2, spread=1, seeds=3)
NOTHING, HALF = Split(seeds=3), Split(contained=2, seeds=3)


def test_the_zone_lies_between_the_last_contained_and_the_first_spread():
    zone = find_zone({3: S, 1.5: C, 2: C, 5: S})
    assert (zone.contained_to, zone.spread_from, zone.first_spread) == (2, 3, 3)
    assert (zone.torn, zone.again, zone.undecided) == ((), (), 0)


def test_a_cell_in_which_seeds_disagree_is_inside_the_zone():
    zone = find_zone({2: C, 2.5: T, 3: S})
    assert (zone.contained_to, zone.spread_from, zone.torn, zone.first_spread) == (2, 3, (2.5,), 2.5)


def test_never_spread():
    zone = find_zone({2: C, 20: C})
    assert zone == Zone(contained_to=20, least=2, most=20)


def test_spread_from_the_smallest_factor_on():
    zone = find_zone({1.2: S, 2: S})
    assert (zone.contained_to, zone.spread_from, zone.least) == (None, 1.2, 1.2)


def test_seeds_that_disagree_at_the_top_leave_no_factor_from_which_it_spreads():
    zone = find_zone({2: C, 5: T})
    assert (zone.contained_to, zone.spread_from, zone.first_spread) == (2, None, 5)


def test_a_worse_fault_that_is_contained_again_is_named():
    zone = find_zone({1.5: C, 2: S, 3: S, 5: T, 10: C})
    assert (zone.contained_to, zone.between, zone.again, zone.spread_from) == (1.5, (2, 3), (10,), None)
    zone = find_zone({1.5: C, 2: S, 5: C, 10: S})
    assert (zone.contained_to, zone.between, zone.again, zone.spread_from) == (1.5, (2,), (5,), 10)


def test_cells_without_a_decided_seed_say_nothing_but_are_counted():
    assert find_zone({2: C, 3: NOTHING, 5: S}) == Zone(
        contained_to=2, spread_from=5, least=2, most=5, first_spread=5, undecided=3
    )
    assert find_zone({2: NOTHING}) == Zone(undecided=3)
    assert find_zone({}) == Zone()


def test_a_cell_that_is_not_contained_in_all_seeds_bounds_what_is_contained():
    assert find_zone({2: C, 3: HALF, 5: S}).contained_to == 2


@pytest.mark.parametrize(
    ("cells", "middle"),
    [
        ({2: C, 3: S}, 2.45),
        ({2: C, 3: C, 5: S, 10: S}, 3.87),
        ({2: C, 2.45: T, 5: S}, 3.5),  # the wider of both sides of the disagreement
        ({2: C, 4: T, 5: S}, 2.83),
        ({2: C, 3: NOTHING, 8: S}, 4),
        ({2: C, 3: C}, None),
        ({2: S, 3: S}, None),
        ({2: C, 2.03: S}, None),
        ({2: NOTHING}, None),
        ({}, None),
    ],
)
def test_the_next_factor_halves_the_widest_step_between_neighbours_that_differ(cells, middle):
    assert next_factor(cells) == middle


def test_halving_a_sharp_edge_closes_in_on_it():
    cells = {1: C, 16: S}
    for _ in range(6):
        factor = next_factor(cells)
        cells[factor] = C if factor < 4.2 else S
    zone = find_zone(cells)
    assert zone.contained_to < 4.2 <= zone.spread_from < zone.contained_to * 1.06
