"""What a measured time depends on."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.serving import fingerprint as module
from harness.serving.fingerprint import fingerprint


def test_it_names_the_machine_and_is_the_same_twice() -> None:
    found = fingerprint("cpu")
    assert found == fingerprint("cpu")
    assert found.cpu
    assert found.cores >= 1
    assert found.gpu == ""


def test_a_gpu_counts_only_where_the_model_runs_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "0000:01:00.0").mkdir()
    (tmp_path / "0000:01:00.0" / "information").write_text("Model: \t\t NVIDIA H100\nIRQ:   \t 17\n")
    monkeypatch.setattr(module, "_GPU_INFO", tmp_path)
    assert fingerprint("cuda:0").gpu == "NVIDIA H100"
    assert fingerprint("cpu").gpu == ""


def test_a_machine_that_tells_nothing_has_a_fingerprint_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CPU_INFO", tmp_path / "no")
    monkeypatch.setattr(module, "_GPU_INFO", tmp_path / "no")
    assert fingerprint("cuda:0").gpu == ""


def test_costs_are_found_without_loading_torch() -> None:
    code = "import sys, harness.serving.cost_store as s; s.choose_costs(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
