"""How a serving process is found by `limplock fault`."""

import os
from pathlib import Path

import msgspec
import psutil
import pytest

from harness import serve as serving
from harness.errors import BadInput, EnvironmentFault
from harness.real_deployment import Options
from harness.serve import Announcement, find_gateway, serve
from policies.presets import PRESETS

URL = "http://127.0.0.1:4711"
NOBODY = 2**22 + 1  # above the highest process id that Linux hands out


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def announce(cache: Path, pid: int, started_s: float, gateway: str = URL) -> Path:
    (cache / "serve").mkdir(parents=True, exist_ok=True)
    path = cache / "serve" / f"{pid}.json"
    path.write_bytes(msgspec.json.encode(Announcement(pid, started_s, gateway)))
    return path


@pytest.mark.parametrize("off_s", [-3.0, 0.0, 0.01, 3.0])
def test_a_process_is_known_although_its_start_is_told_a_little_differently(
    cache: Path, off_s: float
) -> None:
    path = announce(cache, os.getpid(), psutil.Process().create_time() + off_s)
    assert find_gateway() == URL
    assert path.exists()


def test_a_reused_process_id_is_not_taken_for_the_gateway_and_its_file_is_left_alone(cache: Path) -> None:
    path = announce(cache, os.getpid(), psutil.Process().create_time() - 3600)
    with pytest.raises(EnvironmentFault, match="no `limplock serve` is running here"):
        find_gateway()
    assert path.exists()


def test_what_a_dead_process_left_is_taken_away(cache: Path) -> None:
    path = announce(cache, NOBODY, 0.0)
    with pytest.raises(EnvironmentFault, match="no `limplock serve` is running here"):
        find_gateway()
    assert not path.exists()


def test_of_several_gateways_one_must_be_named(cache: Path) -> None:
    started_s = psutil.Process().create_time()
    announce(cache, os.getpid(), started_s)
    parent = psutil.Process(os.getppid())
    announce(cache, parent.pid, parent.create_time(), "http://127.0.0.1:4712")
    with pytest.raises(BadInput, match=r"--gateway: http://127.0.0.1:4711, http://127.0.0.1:4712"):
        find_gateway()


def test_looking_for_a_gateway_makes_no_folder(cache: Path) -> None:
    with pytest.raises(EnvironmentFault):
        find_gateway()
    assert not cache.exists()


@pytest.fixture
def unwritable(cache: Path) -> None:
    cache.write_text("a file where the folder should be")


@pytest.mark.usefixtures("unwritable")
async def test_a_cache_that_cannot_be_written_is_found_before_anything_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stood(*args: object, **kwargs: object) -> None:
        raise AssertionError("something was started")

    monkeypatch.setattr(serving, "deploy", stood)
    with pytest.raises(EnvironmentFault, match=r"cannot write to .*Set LIMPLOCK_CACHE"):
        await serve(1, PRESETS["none"], Options(), stood)
