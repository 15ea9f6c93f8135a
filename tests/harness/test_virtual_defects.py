"""A defect of ours in a virtual run is raised as it is, and never becomes a verdict."""

import base64
import zlib
from pathlib import Path

import msgspec
import pytest

from harness.errors import BadInput
from harness.fleet import Fleet
from harness.serving.cost_model import CostModel, Costs
from harness.serving.cost_sets import SHIPPED
from harness.virtual_run import VirtualRun

TINY = SHIPPED["tiny_cpu"]


def test_a_step_loop_that_breaks_ends_the_run_with_its_own_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = 0

    def foresee(self: CostModel, batch: object, steps: int) -> list[float]:
        nonlocal asked
        asked += 1
        if asked > 50:
            raise ZeroDivisionError("a defect")
        return [0.001] * steps

    monkeypatch.setattr(CostModel, "foresee", foresee)
    run = VirtualRun(scenario="slow_worker", preset="none", seed=1, costs=TINY)
    with pytest.raises(ZeroDivisionError, match="a defect"):
        run.conduct(tmp_path)


@pytest.mark.parametrize("wrong", [{"fixed_s": 0.0}, {"fixed_s": -1.0}, {"late_s": float("nan")}])
def test_costs_that_no_machine_has_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="s"):
        Costs(**{"name": "x", "fixed_s": 1.0, "sequence_s": 0, "prefill_token_s": 0, "kv_token_s": 0} | wrong)


def test_naming_the_size_that_a_scenario_has_anyway_changes_nothing(tmp_path: Path) -> None:
    runs = [
        VirtualRun(scenario="healthy", preset="none", seed=1, costs=TINY, fleet=f)
        for f in (Fleet(), Fleet(workers=4))
    ]
    first, second = (run.conduct(tmp_path / str(n)).digest for n, run in enumerate(runs))
    assert first == second


def test_a_token_of_another_packing_stands_for_the_same_run() -> None:
    run = VirtualRun(scenario="healthy", preset="none", seed=1, costs=TINY)
    other = "lp1-" + base64.urlsafe_b64encode(zlib.compress(msgspec.json.encode(run), 1)).decode().rstrip("=")
    assert other != run.token()
    assert run.is_of(other)
    assert not run.is_of(VirtualRun(scenario="healthy", preset="none", seed=2, costs=TINY).token())


@pytest.mark.parametrize("change", [{"seed": -5}, {"costs": {"name": "x", "fixed_s": -1.0}}])
def test_a_forged_token_is_refused(change: dict[str, object]) -> None:
    run = VirtualRun(scenario="healthy", preset="none", seed=1, costs=TINY)
    fields = dict(zip(run.__struct_fields__, msgspec.to_builtins(run), strict=True)) | change
    body = base64.urlsafe_b64encode(zlib.compress(msgspec.json.encode(list(fields.values())), 9)).decode()
    with pytest.raises(BadInput, match="no whole replay token"):
        VirtualRun.of("lp1-" + body.rstrip("="))
