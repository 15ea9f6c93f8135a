"""One wall-clock run at a time, and whoever waits learns for whom."""

import os

import pytest

from harness.errors import EnvironmentFault
from harness.testing.machine_lock import machine_lock


class Watch:
    """A clock that goes on by sleeping."""

    def __init__(self, on_sleep=lambda: None):
        self.now_s, self.on_sleep, self.slept = 0.0, on_sleep, 0

    def clock(self):
        return self.now_s

    def sleep(self, seconds):
        self.now_s, self.slept = self.now_s + seconds, self.slept + 1
        self.on_sleep()


def locked(path, who, wait_s, watch):
    return machine_lock(path, who, wait_s, watch.clock, watch.sleep)


def test_nobody_waits_for_a_free_machine(tmp_path):
    watch = Watch()
    with locked(tmp_path / "lock", "a", 0, watch):
        pass
    with locked(tmp_path / "lock", "b", 0, watch):
        pass
    assert watch.slept == 0


def test_waiting_is_bounded_and_says_who_holds_it(tmp_path):
    watch = Watch()
    said = rf"process {os.getpid()}, test_a.py::test_it\. Wait"
    with (
        locked(tmp_path / "lock", "test_a.py::test_it", 0, Watch()),
        pytest.raises(EnvironmentFault, match=said),
        locked(tmp_path / "lock", "b", 3.0, watch),
    ):
        pass
    assert 3.0 <= watch.now_s < 3.5


def test_it_is_taken_as_soon_as_it_is_free(tmp_path):
    first = locked(tmp_path / "lock", "a", 0, Watch())
    first.__enter__()
    watch = Watch(lambda: first.__exit__(None, None, None) if watch.slept == 2 else None)
    with locked(tmp_path / "lock", "b", 60.0, watch):
        assert watch.slept == 2


def test_it_is_free_again_after_a_run_that_failed(tmp_path):
    with pytest.raises(ZeroDivisionError), locked(tmp_path / "lock", "a", 0, Watch()):
        raise ZeroDivisionError
    with locked(tmp_path / "lock", "b", 0, Watch()):
        assert "b" in (tmp_path / "lock").read_text()


def test_what_others_wrote_there_is_shown_in_one_line(tmp_path):
    with (
        locked(tmp_path / "lock", "evil\n\x1b[31mname" + "x" * 1000, 0, Watch()),
        pytest.raises(EnvironmentFault) as told,
        locked(tmp_path / "lock", "b", 0, Watch()),
    ):
        pass
    assert str(told.value).isprintable()
    assert len(str(told.value)) < 600


def test_every_user_of_the_machine_may_take_it(tmp_path):
    before = os.umask(0o077)
    try:
        with locked(tmp_path / "lock", "a", 0, Watch()):
            assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o666
    finally:
        os.umask(before)


def test_a_lock_that_cannot_be_opened_says_what_to_do(tmp_path):
    (tmp_path / "lock").mkdir()
    with (
        pytest.raises(EnvironmentFault, match="remove it, or set TMPDIR"),
        locked(tmp_path / "lock", "a", 0, Watch()),
    ):
        pass
