"""What a model may be called, answered before anything is started."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import BadInput, EnvironmentFault
from harness.serving.model.device import pick_device, pick_dtype
from harness.serving.model.names import MODEL_NAMES, Source, check_model, locate
from tests.harness.serving.model.checkpoints import write_checkpoint


def test_every_listed_name_is_known() -> None:
    for name in MODEL_NAMES:
        try:
            check_model(name)
        except EnvironmentFault as not_fetched:
            assert "limplock models fetch" in str(not_fetched)  # noqa: PT017  # it may be fetched or not


def test_an_unknown_name_gets_the_closest_one() -> None:
    with pytest.raises(BadInput, match=r"unknown model 'tinny'. Closest: tiny. .*or a checkpoint folder"):
        check_model("tinny")


def test_a_path_that_is_no_folder_says_what_was_expected(tmp_path: Path) -> None:
    for path in (tmp_path / "absent", Path(__file__)):
        with pytest.raises(BadInput, match=r"is not a folder; expected one with config.json"):
            check_model(str(path))


def test_a_folder_is_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_checkpoint(tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    for spelling in ("mine", "./mine", str(tmp_path / "mine")):
        found = locate(spelling)
        assert (found.source, found.name) == (Source.CHECKPOINT, "mine")
        check_model(spelling)


@pytest.mark.real
def test_checking_a_name_needs_no_torch() -> None:
    modules = "harness.serving.model.names, harness.serving.model.smollm2_fetch"
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_devices_are_named_or_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert pick_device("auto") == pick_device("cpu") == "cpu"
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    assert [pick_device(name) for name in ("auto", "cuda", "cuda:1")] == ["cuda", "cuda", "cuda:1"]


@pytest.mark.parametrize("name", ["gpu", "cpu:1", "cuda:x", ""])
def test_an_unknown_device_is_bad_input(name: str) -> None:
    with pytest.raises(BadInput, match="unknown device"):
        pick_device(name)


@pytest.mark.parametrize(("name", "gpus"), [("cuda", 0), ("cuda:2", 2)])
def test_a_gpu_that_is_not_there_is_one_line_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch, name: str, gpus: int
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: gpus > 0)
    monkeypatch.setattr("torch.cuda.device_count", lambda: gpus)
    with pytest.raises(EnvironmentFault, match=f"torch sees {gpus}; try --device auto"):
        pick_device(name)


def test_only_large_models_on_a_gpu_are_rounded() -> None:
    chosen = [str(pick_dtype(device, size)) for device, size in (("cpu", 8e9), ("cuda", 1e8), ("cuda", 8e9))]
    assert chosen == ["torch.float32", "torch.float32", "torch.bfloat16"]
