"""Whatever a power cut makes of a journal, it is read in one way or called damaged in one line."""

import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.serving.journal import Header, Journal
from harness.serving.journal_entries import NeighbourProcess, ProxiesOn, ServerProcess
from harness.serving.journal_reading import left_behind, read_journal
from harness.serving.process_identity import boot, started_s

HOG = NeighbourProcess(123, 4.5)
PROXIES = ProxiesOn("http://127.0.0.1:8474", "limplock-test")


def header(
    pid: int = os.getpid(), start_s: float | None = None, where: str | None = None, janitor: int = 0
) -> bytes:
    start_s = started_s(os.getpid()) if start_s is None else start_s
    return msgspec.json.encode(
        Header(
            run="limplock-test",
            pid=pid,
            started_s=start_s or 0.0,
            boot=boot() if where is None else where,
            janitor=(janitor, started_s(janitor) or 0.0) if janitor else None,
        )
    )


def opened(entry: NeighbourProcess | ProxiesOn) -> bytes:
    return b'{"op":"open","entry":' + msgspec.json.encode(entry) + b"}"


def write(folder: Path, *lines: bytes, end: bytes = b"\n") -> Path:
    path = folder / "limplock-test.journal"
    path.write_bytes(b"\n".join(lines) + end)
    return path


@pytest.mark.parametrize(
    "entry",
    [
        b'{"type":"worker","pid":1099511627776,"started_s":1}',
        b'{"type":"stopped","pid":-1,"started_s":1}',
        b'{"type":"proxies","url":"::","run_name":"r"}',
        b'{"type":"proxies","url":"http://127.0.0.1:99999","run_name":"r"}',
        b'{"type":"toxics","url":"http://203.0.113.7:8474","proxy":"p","owner":"o"}',
    ],
)
def test_what_no_run_can_have_meant_is_damage_and_nothing_is_done_about_it(
    tmp_path: Path, entry: bytes
) -> None:
    found = read_journal(write(tmp_path, header(), opened(HOG), b'{"op":"open","entry":' + entry + b"}"))
    assert (found.open, found.damage) == ((HOG,), "line 3 is not understood")


def test_a_run_of_another_version_is_left_alone_while_it_is_under_way(tmp_path: Path) -> None:
    ours = msgspec.json.decode(header())
    write(tmp_path, msgspec.json.encode(ours | {"version": 2}))
    assert left_behind(tmp_path, wait_s=0) == []
    write(tmp_path, msgspec.json.encode(ours | {"version": 2, "started_s": 1.0}))
    assert [found.damage for found in left_behind(tmp_path, wait_s=0)] == [
        "it is of version 2, 1 is understood"
    ]


def test_what_is_no_file_is_damage_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "limplock-pipe.journal")
    (tmp_path / "limplock-folder.journal").mkdir()
    assert [found.damage for found in left_behind(tmp_path, wait_s=0)] == ["it is no file"] * 2


def test_half_a_last_line_was_never_acted_on(tmp_path: Path) -> None:
    found = read_journal(write(tmp_path, header(), opened(HOG), opened(PROXIES)[:30], end=b""))
    assert (found.open, found.damage) == ((HOG,), "")


@pytest.mark.parametrize(
    ("lines", "end", "damage"),
    [
        ((), b"", "it is empty"),
        ((b'{"run":"limpl',), b"", "its first line is not complete"),
        ((b"\0" * 40,), b"\n", "line 1 is no header"),
        ((b'{"run":"r","pid":1,"started_s":1,"boot":"b","version":2}',), b"\n", "version 2, 1 is understood"),
        ((header(), b"\0\0\0", opened(HOG)), b"\n", "line 2 is not understood"),
        (
            (header(), opened(HOG), b'{"op":"open","entry":{"type":"satellite"}}'),
            b"\n",
            "line 3 is not underst",
        ),
    ],
    ids=["empty", "cut", "zeros", "version", "middle", "kind"],
)
def test_damage_is_told_with_its_line(
    tmp_path: Path, lines: tuple[bytes, ...], end: bytes, damage: str
) -> None:
    assert damage in read_journal(write(tmp_path, *lines, end=end)).damage


@given(st.binary(max_size=200))
def test_no_bytes_at_all_break_the_reading(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("journals") / "limplock-test.journal"
    path.write_bytes(header() + b"\n" + content)
    found = read_journal(path)
    assert found.damage or found.open == ()


# Whose it is.


def test_a_journal_of_a_run_that_is_alive_is_not_left_behind(tmp_path: Path) -> None:
    write(tmp_path, header(), opened(HOG))
    assert left_behind(tmp_path, wait_s=0) == []


@pytest.mark.parametrize(
    "first",
    [header(pid=2**22 + 1), header(start_s=1.0), header(where="another boot")],
    ids=["gone", "number given to another", "another boot"],
)
def test_a_journal_is_left_behind_unless_that_very_process_runs(tmp_path: Path, first: bytes) -> None:
    write(tmp_path, first, opened(PROXIES))
    (found,) = left_behind(tmp_path, wait_s=0)
    assert found.left == (PROXIES,)


def test_no_process_has_outlived_its_boot(tmp_path: Path) -> None:
    ours = ProxiesOn("http://127.0.0.1:1", "limplock-test", ServerProcess(5, 6.0))
    write(tmp_path, header(where="another boot"), opened(HOG), opened(ours), opened(PROXIES))
    (found,) = left_behind(tmp_path, wait_s=0)
    assert found.left == (PROXIES,)


def test_a_dead_journal_with_nothing_open_is_taken_away(tmp_path: Path) -> None:
    path = write(tmp_path, header(pid=2**22 + 1))
    assert left_behind(tmp_path, wait_s=0) == []
    assert not path.exists()


def test_a_damaged_journal_of_a_run_that_is_alive_is_in_nobodys_way(tmp_path: Path) -> None:
    write(tmp_path, header(), b"\0\0")
    assert left_behind(tmp_path, wait_s=0) == []


def test_without_a_folder_nothing_is_left(tmp_path: Path) -> None:
    assert left_behind(tmp_path / "none", wait_s=0) == []


def test_a_janitor_that_is_still_at_it_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, header(pid=2**22 + 1, janitor=os.getpid()), opened(HOG))
    monkeypatch.setattr("harness.serving.journal_reading.time.sleep", lambda _: path.unlink(missing_ok=True))
    assert left_behind(tmp_path, wait_s=60) == []


def test_nobody_is_waited_for_where_the_janitor_is_gone_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, header(pid=2**22 + 1, janitor=2**22 + 2), opened(HOG))
    monkeypatch.setattr("harness.serving.journal_reading.time.sleep", lambda _: pytest.fail("waited"))
    assert len(left_behind(tmp_path, wait_s=60)) == 1


def test_a_journal_is_private_to_its_user(tmp_path: Path) -> None:
    assert Journal("limplock-test", tmp_path).path.stat().st_mode & 0o077 == 0
