"""Intent is on the disk before anything is done, and what cannot be written is not done."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from harness.errors import EnvironmentFault
from harness.serving.journal import Journal
from harness.serving.journal_entries import NeighbourProcess, ProxiesOn, StoppedProcess, ToxicsOn, start_of
from harness.serving.journal_reading import read_journal
from harness.serving.synced_file import unfinished

HOG = NeighbourProcess(123, 4.5)
STOPPED = StoppedProcess(123, 4.5)
PROXIES = ProxiesOn("http://127.0.0.1:8474", "limplock-test")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal("limplock-test", tmp_path / "journals")


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond `size` bytes: what fits is written, as on a disk that fills up."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_what_was_intended_and_not_done_is_read_back_in_order(journal: Journal) -> None:
    for entry in (HOG, STOPPED, PROXIES):
        journal.intend(entry)
    journal.done(STOPPED)
    found = read_journal(journal.path)
    assert found.open == journal.open == (HOG, PROXIES)
    assert (found.run, found.damage, found.owned) == ("limplock-test", "", True)


def test_every_kind_of_entry_keeps_all_that_it_says(journal: Journal) -> None:
    entries = (HOG, STOPPED, PROXIES, ToxicsOn("http://127.0.0.1:1", "theirs", "limplock-test.w"))
    for entry in entries:
        journal.intend(entry)
    assert read_journal(journal.path).open == entries
    assert len({str(entry) for entry in entries}) == len(entries)


def test_an_entry_is_synced_before_intend_returns(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bytes] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(journal.path.read_bytes()))
    journal.intend(HOG)
    assert [b"neighbour" in content for content in synced] == [True]


def test_the_header_is_synced_before_the_file_has_its_name_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Journal.path_of("limplock-test", tmp_path)
    synced: list[tuple[bool, bool]] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append((unfinished(path).exists(), path.exists())))
    Journal("limplock-test", tmp_path)
    assert synced == [(True, False), (False, True)]


def test_intending_again_what_is_open_writes_nothing(journal: Journal) -> None:
    journal.intend(HOG)
    size = journal.path.stat().st_size
    journal.intend(HOG)
    assert journal.path.stat().st_size == size


def test_what_was_done_may_be_intended_again(journal: Journal) -> None:
    for _ in range(2):
        journal.intend(HOG)
        assert read_journal(journal.path).open == (HOG,)
        journal.done(HOG)
        assert read_journal(journal.path).open == ()


def test_a_journal_with_nothing_open_goes_when_it_is_closed(journal: Journal) -> None:
    journal.intend(HOG)
    journal.done(HOG)
    journal.close()
    assert list(journal.path.parent.iterdir()) == []


def test_a_journal_that_is_closed_with_something_open_is_nobodys(journal: Journal) -> None:
    journal.intend(HOG)
    journal.close()
    found = read_journal(journal.path)
    assert (found.open, found.owned) == ((HOG,), False)


def test_without_a_janitor_nothing_is_intended(journal: Journal) -> None:
    journal.guarded = lambda: False
    with pytest.raises(EnvironmentFault, match="the janitor has ended: no fault is started without one"):
        journal.intend(HOG)
    assert read_journal(journal.path).open == ()


# A disk that is full, a folder that cannot be written.


def test_on_a_full_disk_nothing_is_intended_and_what_is_written_stays_whole(journal: Journal) -> None:
    journal.intend(PROXIES)
    with (
        room_for(journal.path.stat().st_size + 10),
        pytest.raises(EnvironmentFault, match=r"cannot write the journal .*make room or set LIMPLOCK_CACHE"),
    ):
        journal.intend(HOG)
    assert journal.open == (PROXIES,)
    journal.intend(STOPPED)
    found = read_journal(journal.path)
    assert (found.open, found.damage) == ((PROXIES, STOPPED), "")


def test_on_a_full_disk_what_was_intended_is_undone_all_the_same(journal: Journal) -> None:
    journal.intend(HOG)
    with room_for(journal.path.stat().st_size + 10):
        journal.done(HOG)
        journal.close()
    assert list(journal.path.parent.iterdir()) == []


def test_without_room_for_a_journal_none_is_begun(tmp_path: Path) -> None:
    with room_for(10), pytest.raises(EnvironmentFault, match="Nothing is injected without one"):
        Journal("limplock-test", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFault, match=r"cannot write the journal .*: File exists") as told:
        Journal("limplock-test", tmp_path / "file")
    assert "\n" not in str(told.value)


def test_a_process_that_is_gone_cannot_be_written_down() -> None:
    with pytest.raises(EnvironmentFault, match="ended before it could be written down"):
        start_of(2**22 + 1)


def test_entries_of_the_same_process_but_of_another_kind_are_different() -> None:
    assert msgspec.json.encode(HOG) != msgspec.json.encode(STOPPED)
    assert len({HOG, STOPPED}) == 2
