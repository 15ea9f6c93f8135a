"""Toxics that are somebody's."""

from dataclasses import dataclass, field

import pytest

from faults.toxiproxy.owned import Changes, belongs, changes, orders


@dataclass
class Order:
    type: str = "latency"
    direction: str = "to_caller"
    attributes: dict[str, int] = field(default_factory=dict)


@dataclass
class NamedOrder(Order):
    name: str = "mine"
    toxicity: float = 0.5


@pytest.mark.parametrize(
    ("name", "owner", "whose"),
    [
        ("run.latency", "run", True),
        ("run.w0.latency", "run.w0", True),
        ("run.w0.latency", "run", False),
        ("run2.latency", "run", False),
        ("run", "run", False),
        ("latency", "run", False),
    ],
)
def test_a_toxic_is_its_owner_s_and_nobody_else_s(name: str, owner: str, whose: bool) -> None:
    assert belongs(name, owner) is whose


def test_what_is_not_wanted_goes_what_is_new_comes_and_strangers_stay() -> None:
    there = {"run.a": "latency", "run.b": "latency", "run.c": "latency", "other.a": "latency", "x": "noop"}
    wanted = {"run.b": "latency", "run.c": "timeout", "run.d": "latency"}
    assert changes(there, wanted, "run") == Changes(
        remove=("run.a", "run.c"), add=("run.c", "run.d"), update=("run.b",)
    )


def test_nothing_wanted_removes_all_of_the_owner_and_nothing_else() -> None:
    assert changes({"run.a": 1, "other.a": 1}, {}, "run") == Changes(("run.a",), (), ())


def test_orders_have_names_of_their_own_and_the_words_of_the_wire() -> None:
    wanted = orders("run.w0", [Order(), Order(direction="to_worker"), Order(attributes={"latency": 5})])
    assert list(wanted) == [
        "run.w0.latency_to_caller",
        "run.w0.latency_to_worker",
        "run.w0.latency_to_caller_2",
    ]
    assert [each["stream"] for each in wanted.values()] == ["downstream", "upstream", "downstream"]
    assert all(belongs(name, "run.w0") for name in wanted)


def test_a_name_and_a_toxicity_are_taken_where_there_are_any() -> None:
    assert orders("run", [NamedOrder(attributes={"latency": 5}), Order()])["run.mine"] == {
        "name": "run.mine",
        "type": "latency",
        "stream": "downstream",
        "attributes": {"latency": 5},
        "toxicity": 0.5,
    }


def test_a_suffix_with_a_dot_would_be_somebody_else_s_and_is_refused() -> None:
    with pytest.raises(ValueError, match=r"toxic 'a\.b' of 'run': expected a name without a dot"):
        orders("run", [NamedOrder(name="a.b")])
