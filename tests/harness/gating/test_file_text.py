import os
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.gating.file_text import LONGEST, read_text
from tests.harness.gating.files import written

WHAT = "It is to hold a gate"


def refused(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read_text(path, WHAT)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_text_is_read_without_its_byte_order_mark(tmp_path: Path) -> None:
    assert read_text(written(tmp_path, b"\xef\xbb\xbfa: \xc3\xa9\r\n"), WHAT) == "a: é\r\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a: 1\nb: \x00", ":2: character U+0000 cannot be seen. Remove it, or write a space"),
        (b"a: 1\r\nb\r\nc: \x1b[31m", ":3: character U+001B"),
        (b"a: 1\rb: \x07", ":2: character U+0007"),
        ("a: \u202e1".encode(), ":1: character U+202E"),
        ("a: 1\u20282".encode(), ":1: character U+2028"),
        ("a: \x85".encode(), ":1: character U+0085"),
        ("a:\xa01".encode(), ":1: character U+00A0"),
        ("a: 1\u200b".encode(), ":1: character U+200B"),
        (b"\xff\xfea\x00", ":1: this is UTF-16. Save it as UTF-8"),
        (b"a: 1\r\nb: caf\xe9", ":2: byte 0xe9 is no UTF-8. Save it as UTF-8"),
        (b"a" * (LONGEST + 1), " is longer than 100 kB. It is to hold a gate"),
    ],
)
def test_what_cannot_be_seen_or_read_is_named_with_its_line(
    content: bytes, words: str, tmp_path: Path
) -> None:
    path = written(tmp_path, content)
    assert refused(path).startswith(f"{path}{words}")


def test_as_long_as_it_may_be_is_read(tmp_path: Path) -> None:
    assert len(read_text(written(tmp_path, b"a" * LONGEST), WHAT)) == LONGEST


def test_a_huge_file_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = written(tmp_path, b"")
    os.truncate(path, 10**11)
    assert "longer than" in refused(path)


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path) == f"{tmp_path} is a folder. {WHAT}"
    assert refused(tmp_path / "pipe") == f"{tmp_path / 'pipe'} is no plain file. {WHAT}"
    assert refused(tmp_path / "none").endswith(f"No such file or directory. {WHAT}")
    assert refused(Path("a\0b")).endswith(f"embedded null byte. {WHAT}")
    assert "too long" in refused(Path("a" * 5000))
