"""Which connections a toxic works on."""

from faults.toxiproxy.placement import Placement
from faults.toxiproxy.toxics.toxic import Toxic

CONNECTIONS = [f"7/proxy/{n}" for n in range(2000)]


def share(toxicity: float, name: str = "t") -> set[str]:
    placement = Placement(name, "downstream", Toxic(), toxicity)
    return {connection for connection in CONNECTIONS if placement.applies(connection)}


def test_toxicity_is_the_share_of_connections() -> None:
    assert 0.26 < len(share(0.3)) / len(CONNECTIONS) < 0.34


def test_zero_is_none_and_one_is_all() -> None:
    assert share(0.0) == set()
    assert share(1.0) == set(CONNECTIONS)


def test_values_beyond_the_range_act_like_its_ends() -> None:
    assert share(-1.0) == set()
    assert share(7.0) == set(CONNECTIONS)


def test_the_decision_about_a_connection_is_always_the_same() -> None:
    assert share(0.3) == share(0.3)


def test_more_toxicity_only_adds_connections() -> None:
    assert share(0.3) < share(0.4)


def test_toxics_and_seeds_decide_apart_from_each_other() -> None:
    assert share(0.3, "other") != share(0.3)
    assert Placement("t", "downstream", Toxic()).chance("1/p/1").random() != (
        Placement("t", "downstream", Toxic()).chance("2/p/1").random()
    )
