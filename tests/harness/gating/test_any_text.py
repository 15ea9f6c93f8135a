"""Whatever a file holds: it is a gate, or refused in lines that name it."""

import string
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import BadInput
from harness.gating.file_text import UNSEEN
from harness.gating.problem import MOST
from harness.gating.reading import read_gate_file
from tests.harness.gating.files import written

EXAMPLE = (Path(__file__).parents[3] / "docs" / "gate.example.yaml").read_text()
MARKS = st.text(alphabet=string.printable + "\x00\x1b\x85\u2028\ud7ff😀", max_size=6)
SMALL = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def is_read_or_refused(folder: Path, content: bytes) -> None:
    path = written(folder, content)
    try:
        read_gate_file(path)
    except BadInput as refused:
        lines = str(refused).split("\n")
        assert len(lines) <= MOST + 1
        assert all(line.startswith(str(path)) for line in lines)
        assert not any(UNSEEN.search(line) for line in lines)


@SMALL
@given(at=st.integers(0, len(EXAMPLE)), gone=st.integers(0, 30), put=MARKS)
def test_a_gate_with_something_cut_out_or_put_in(tmp_path: Path, at: int, gone: int, put: str) -> None:
    changed = EXAMPLE[:at] + put + EXAMPLE[at + gone :]
    is_read_or_refused(tmp_path, changed.encode())


@SMALL
@given(content=st.binary(max_size=60))
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    is_read_or_refused(tmp_path, content)


VALUES = st.recursive(
    st.sampled_from(["no", "1e3", "-1", "2 s", "5%", ".nan", "'x'", "", "chat", "9" * 40, '"\\n"', "true"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda each: f"[{', '.join(each)}]"),
        st.lists(inner, max_size=2).map(lambda each: "{" + ", ".join(f"max: {one}" for one in each) + "}"),
    ),
    max_leaves=4,
)
KEYS = (
    "version engine scenario workers load phases faults policy baseline pairs seed objectives guards".split()
)


@SMALL
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6))
def test_any_value_behind_any_key(tmp_path: Path, entries: dict[str, str]) -> None:
    is_read_or_refused(tmp_path, "\n".join(f"{key}: {value}" for key, value in entries.items()).encode())
