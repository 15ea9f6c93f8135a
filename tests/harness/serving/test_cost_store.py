"""Calibrated costs on disk: stored whole, used on the machine that they hold for, never believed blindly."""

from pathlib import Path

import msgspec
import pytest

from harness.errors import BadInput, EnvironmentFault
from harness.serving.cost_sets import SHIPPED, TINY_CPU
from harness.serving.cost_store import (
    Stored,
    choose_costs,
    costs_path,
    require_writable,
    save_costs,
)
from harness.serving.fingerprint import fingerprint


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def stored(model: str = "tiny", device: str = "cpu") -> Stored:
    return Stored(
        model=model,
        device=device,
        measured_on="2026-11-30",
        machine=fingerprint(device),
        fixed_s=2e-3,
        sequence_s=1e-4,
        prefill_token_s=3e-5,
        kv_token_s=0.0,
        hop_s=4e-4,
        link_s=5e-3,
        late_s=1e-3,
        median_error_ratio=0.05,
        p90_error_ratio=0.2,
        worst_error_ratio=0.4,
    )


def change(**fields: object) -> Path:
    """Store costs, then write the file anew with other fields, as somebody else might have."""
    path = save_costs(stored())
    path.write_bytes(msgspec.json.encode(msgspec.json.decode(path.read_bytes()) | fields))
    return path


def test_what_is_stored_is_loaded_to_the_last_digit() -> None:
    save_costs(stored())
    costs = choose_costs().costs
    assert (costs.fixed_s, costs.sequence_s, costs.prefill_token_s) == (2e-3, 1e-4, 3e-5)
    assert (costs.kv_token_s, costs.hop_s, costs.link_s, costs.late_s) == (0.0, 4e-4, 5e-3, 1e-3)
    assert costs.padded
    assert choose_costs().origin == "calibrated 2026-11-30 on this machine"
    assert choose_costs("calibrated").costs == costs


def test_nothing_but_the_file_is_left_behind(cache: Path) -> None:
    save_costs(stored())
    save_costs(stored())
    assert [path.name for path in cache.iterdir()] == ["costs-tiny-cpu.json"]


def test_without_a_calibration_the_shipped_costs_are_used_and_say_so() -> None:
    chosen = choose_costs()
    assert chosen.costs is TINY_CPU
    assert chosen.origin == "shipped tiny_cpu: nothing is calibrated here for tiny on cpu"


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_set_can_be_named_whatever_is_calibrated(name: str) -> None:
    save_costs(stored())
    assert choose_costs(name).costs is SHIPPED[name]
    assert choose_costs(name).origin == f"shipped {name}"


def test_an_unknown_set_is_refused_with_the_closest() -> None:
    with pytest.raises(BadInput, match=r"unknown cost set 'h10'. Closest: h100. All: a100, auto, calibrated"):
        choose_costs("h10")


@pytest.mark.parametrize("field", ["cpu", "cores", "python", "torch"])
def test_costs_of_another_machine_are_not_used(field: str) -> None:
    machine = msgspec.to_builtins(fingerprint("cpu"))
    change(machine=machine | {field: 64 if field == "cores" else "another"})
    chosen = choose_costs()
    assert chosen.costs is TINY_CPU
    assert chosen.origin.endswith("was calibrated on another machine or with other versions")


@pytest.mark.parametrize(
    "fields",
    [
        {"fixed_s": -1.0},
        {"fixed_s": 0.0},
        {"kv_token_s": -1e-9},
        {"hop_s": None},
        {"fixed_s": "fast"},
        {"format": 3},
        {"late_s": -1e-3},
        {"measured_on": "yesterday"},
        {"more": 1},
    ],
)
def test_a_file_that_makes_no_sense_is_named_and_not_used(fields: dict[str, object]) -> None:
    path = change(**fields)
    chosen = choose_costs()
    assert chosen.costs is TINY_CPU
    assert f"{path} is damaged or of another version of limplock" in chosen.origin
    assert "\n" not in chosen.origin


def test_a_file_of_an_older_version_counts_as_not_calibrated() -> None:
    """It has not all the constants."""
    path = save_costs(stored())
    older = msgspec.json.decode(path.read_bytes()) | {"format": 1}
    del older["link_s"], older["late_s"]
    path.write_bytes(msgspec.json.encode(older))
    assert choose_costs().costs is TINY_CPU
    assert choose_costs().origin.endswith(
        "costs-tiny-cpu.json is of an older version of limplock, which measured less"
    )
    with pytest.raises(EnvironmentFault, match=r"older version .* run `limplock calibrate`"):
        choose_costs("calibrated")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b'{"fixed_s": 1e999}'])
def test_a_file_cut_short_or_overwritten_is_not_used(data: bytes) -> None:
    save_costs(stored()).write_bytes(data)
    assert choose_costs().costs is TINY_CPU


def test_who_insists_on_calibrated_costs_is_told_what_to_do() -> None:
    with pytest.raises(EnvironmentFault, match=r"nothing is calibrated here .* run `limplock calibrate`"):
        choose_costs("calibrated")
    save_costs(stored()).write_bytes(b"{")
    with pytest.raises(EnvironmentFault, match=r"is damaged .* run `limplock calibrate`"):
        choose_costs("calibrated")


def test_a_folder_in_place_of_the_file_is_not_used(cache: Path) -> None:
    (cache / "costs-tiny-cpu.json").mkdir(parents=True)
    assert choose_costs().origin.endswith("costs-tiny-cpu.json is no file")


def test_a_cache_that_takes_no_files_is_a_fault_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path / "file"))
    with pytest.raises(EnvironmentFault, match="set LIMPLOCK_CACHE to another folder"):
        require_writable()
    with pytest.raises(EnvironmentFault, match="set LIMPLOCK_CACHE to another folder"):
        save_costs(stored())


def test_models_and_devices_do_not_share_a_file(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder / "llama").mkdir(parents=True)
    models = ["tiny", "smollm2", str(tmp_path / "a" / "llama"), str(tmp_path / "b" / "llama")]
    assert len({costs_path(model, device) for model in models for device in ("cpu", "cuda:0")}) == 8
    assert costs_path("tiny", "cuda") == costs_path("tiny", "cuda:0")
