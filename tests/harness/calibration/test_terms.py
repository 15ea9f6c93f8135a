"""The terms of a run under load: a virtual run with known ones must give them back."""

from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from harness.calibration import under_load
from harness.calibration.terms import hop_s, late_s, link_s, ways
from harness.calibration.under_load import TooBusy, add_terms, healthy, require_idle, require_quiet
from harness.clock import run_virtual
from harness.errors import CleanupUnverified
from harness.exit_codes import ExitCode
from harness.judging.history import Arrived, Attempted, Finished, Gauge, History, Visit
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.scenario import Scenario, Tier
from harness.serving.cost_model import Costs
from harness.serving.cost_sets import SHIPPED, TINY_CPU
from harness.virtual_deployment import deploy_virtual
from policies.presets import PRESETS

KNOWN = replace(TINY_CPU, hop_s=1.9e-3, link_s=5e-3, late_s=1.5e-3)
NEAR_S = 1e-6


@cache
def history(costs: Costs) -> History:
    return played(costs, healthy())


def played(costs: Costs, scenario: Scenario) -> History:
    deploy = partial(deploy_virtual, costs=costs)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "history.jsonl"
        return run_virtual(run(scenario, PRESETS["none"], 1, deploy, path, NoProgress()))


ALL = [
    replace(KNOWN, hop_s=hop, link_s=link, late_s=late)
    for hop, link, late in product((0.0, KNOWN.hop_s), (0.0, KNOWN.link_s), (0.0, KNOWN.late_s))
]


@pytest.mark.parametrize("costs", ALL, ids=lambda c: f"{c.hop_s:g} {c.link_s:g} {c.late_s:g}")
def test_a_run_with_known_terms_gives_them_back(costs: Costs) -> None:
    found, without = history(costs), history(replace(costs, link_s=0.0))
    assert hop_s(found) == pytest.approx(costs.hop_s, abs=NEAR_S)
    assert late_s(found) == pytest.approx(costs.late_s, abs=NEAR_S)
    assert link_s(found, without) == pytest.approx(costs.link_s, abs=NEAR_S)


def test_the_terms_of_a_gpu_are_found_the_same_way_and_nothing_is_late() -> None:
    costs = SHIPPED["a100"]
    found, without = history(costs), history(replace(costs, link_s=0.0))
    assert hop_s(found) == pytest.approx(costs.hop_s, abs=NEAR_S)
    assert link_s(found, without) == pytest.approx(costs.link_s, abs=NEAR_S)
    assert late_s(found) == 0.0


def test_waiting_for_a_slot_is_no_part_of_a_hop() -> None:
    tight = tuple(Tier(name=tier.name, slots=10) for tier in healthy().topology.services)
    crowded = replace(healthy(), topology=replace(healthy().topology, services=tight))
    found = played(KNOWN, crowded)
    assert max(visit.granted_s - visit.arrived_s for visit in found.of(Visit)) > 0.1
    assert hop_s(found) == pytest.approx(KNOWN.hop_s, abs=NEAR_S)


def test_the_warm_up_counts_for_nothing() -> None:
    found = history(KNOWN)
    asked_rps = sum(caller.rate_rps for caller in healthy().callers if caller.inference)
    loaded_s = healthy().phases.load_s - healthy().phases.warm_up_s
    assert len(ways(found)) == pytest.approx(asked_rps * loaded_s, rel=0.2)


def test_a_run_that_nothing_came_of_is_refused() -> None:
    found = history(KNOWN)
    with pytest.raises(ValueError, match="no request was answered under load"):
        hop_s(History(r for r in found.records if not isinstance(r, Attempted)))
    with pytest.raises(ValueError, match="no worker took a step under load"):
        late_s(History(r for r in found.records if not isinstance(r, Gauge)))


def test_a_quiet_run_is_accepted() -> None:
    require_quiet(history(KNOWN))


def test_other_programs_tell_of_a_busy_machine_before_anything_is_run() -> None:
    require_idle(20.0)
    with pytest.raises(TooBusy, match=r"too busy: other programs take 50 % of it, 20 % are harmless"):
        require_idle(50.0)


def test_steps_that_end_very_late_tell_of_a_busy_machine() -> None:
    with pytest.raises(
        TooBusy, match=r"too busy: steps ended 4\.0 ms late, up to 3\.0 ms are normal"
    ) as busy:
        require_quiet(history(replace(KNOWN, late_s=4e-3)))
    assert busy.value.exit_code == ExitCode.INCONCLUSIVE
    assert "Nothing is stored" in str(busy.value)
    assert "calibrate again" in str(busy.value)


def test_a_run_that_its_judge_cannot_use_tells_of_a_busy_machine() -> None:
    late = History(
        msgspec.structs.replace(record, at_s=record.at_s + 0.1) if isinstance(record, Arrived) else record
        for record in history(KNOWN).records
    )
    with pytest.raises(TooBusy, match=r"too busy: requests left up to 100\.0 ms late"):
        require_quiet(late)


def test_a_run_that_was_not_cleaned_up_says_what_is_left() -> None:
    *records, last = history(KNOWN).records
    left = Finished(at_s=last.at_s, clean=False, note="worker-0 still runs")
    with pytest.raises(CleanupUnverified, match="worker-0 still runs"):
        require_quiet(History([*records, left]))


@pytest.mark.parametrize(
    ("model", "device", "served"),
    [
        ("tiny", "cpu", "tiny"),
        ("smollm2", "cpu", "tiny"),
        ("smollm2", "cuda:0", "smollm2"),
    ],
)
def test_terms_are_added_to_the_costs_and_change_nothing_else(
    model: str, device: str, served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a virtual run in the place of the real one."""
    asked = []

    def real_run(model: str, device: str) -> History:
        asked.append(model)
        return history(KNOWN)

    monkeypatch.setattr(under_load, "_real_run", real_run)
    monkeypatch.setattr(under_load.psutil, "cpu_percent", lambda _: 0.0)
    found = add_terms(replace(TINY_CPU, name="other", hop_s=0.0, link_s=0.0, late_s=0.0), model, device)
    assert asked == [served]
    terms = (found.hop_s, found.link_s, found.late_s)
    assert terms == pytest.approx((KNOWN.hop_s, KNOWN.link_s, KNOWN.late_s), abs=NEAR_S)
    assert replace(found, hop_s=0, link_s=0, late_s=0) == replace(
        TINY_CPU, name="other", hop_s=0, link_s=0, late_s=0
    )
