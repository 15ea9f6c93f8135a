"""Whatever a test gives that is of the wrong kind is refused in one line, before anything runs."""

from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.testing.limplock import Limplock
from tests.harness.testing import made


@pytest.fixture
def limplock(tmp_path: Path) -> Limplock:
    return Limplock(node="a test", beside=tmp_path, folder=lambda: tmp_path)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"scenario": None}, "scenario takes text or a Scenario, got None"),
        ({"scenario": ["slow_worker"]}, "scenario takes text or a Scenario, got ['slow_worker']"),
        ({"workers": "4"}, "workers takes a whole number, got '4'"),
        ({"workers": 4.5}, "workers takes a whole number, got 4.5"),
        ({"slow": True}, "slow takes a whole number, got True"),
        ({"max_queue": [1]}, "max_queue takes a whole number, got [1]"),
        ({"load": "half"}, "load takes a number, got 'half'"),
        ({"factor": 1j}, "factor takes a number, got 1j"),
        ({"phases": 3}, 'phases takes a dict such as {"fault_s": 30}, got 3'),
        ({"phases": {1: 1}}, "unknown phase '1'. All: baseline_s, drain_s, fault_s, recovery_s, warm_up_s"),
        ({"phases": {"fault_s": True}}, "phases: fault_s takes a number, got True"),
        ({"phases": {"fault_s": 1e300}}, "phases: fault_s must be above 0 s and at most 3600, got 1e+300"),
        (
            {"phases": {"fault_s": float("nan")}},
            "phases: fault_s must be above 0 s and at most 3600, got nan",
        ),
        ({"costs": 3}, "costs takes text, got 3"),
        ({"seeds": True}, "seeds takes a whole number, got True"),
        ({"seed": "1"}, "seed takes a whole number, got '1'"),
    ],
    ids=str,
)
def test_an_argument_of_a_run(limplock: Limplock, given: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput) as refused:
        limplock.run(**{"policy": "contain", **given})  # type: ignore[arg-type]
    assert str(refused.value) == words


@pytest.mark.parametrize(
    "given", [{"metric": 3}, {"metric": ["x"]}, {"of": 3}, {"of": "", "hop": b"api"}, {"during": None}]
)
def test_what_is_expected(limplock: Limplock, tmp_path: Path, given: dict[str, object]) -> None:
    run = made.as_run(made.pairs(6), tmp_path)
    with pytest.raises(BadInput, match="takes text, got"):
        limplock.expect(run, **{"metric": "ttft_s.p50_all", "of": "chat", **given})  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [None, True, [1], 1j, 10**400, object()])
def test_a_limit(limplock: Limplock, tmp_path: Path, limit: object) -> None:
    expectation = limplock.expect(made.as_run(made.pairs(6), tmp_path), "ttft_s.p50_all", of="chat")
    with pytest.raises(BadInput, match=r"^at_most"):
        expectation.at_most(limit)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [None, 3, "x" * 5000, "x\0"])
def test_the_file_of_a_gate(limplock: Limplock, path: object) -> None:
    with pytest.raises(BadInput, match=r"^(path takes text or a path|cannot read)"):
        limplock.gate(path)  # type: ignore[arg-type]
