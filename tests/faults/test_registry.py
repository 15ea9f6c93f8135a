import pytest

from faults.registry import FAULTS, make_fault


@pytest.mark.parametrize("kind", FAULTS)
def test_every_fault_is_data_and_comes_back_from_its_parameters(kind: str) -> None:
    fault = FAULTS[kind]()
    assert make_fault(kind, fault.parameters()) == fault
    assert hash(fault) == hash(FAULTS[kind]())


@pytest.mark.parametrize("kind", FAULTS)
def test_an_unknown_parameter_is_refused_with_the_known_ones(kind: str) -> None:
    with pytest.raises(ValueError, match=f"{kind} has no parameter 'colour'. It has: "):
        make_fault(kind, {"colour": 1.0})


def test_an_unknown_kind_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        make_fault("slow_stps", {})
