"""A policy of one's own in front of real processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.exit_codes import ExitCode

pytestmark = pytest.mark.real

MODULE = """
from policies.policy import Layer, Picker


class Breaks(Layer):
    async def run(self, call, next):
        raise RuntimeError("no luck")


class First(Picker):
    name = "first"
"""


@pytest.mark.parametrize(
    ("policy", "code", "words"),
    [
        ("mine:Breaks", ExitCode.BAD_INPUT, "mine:Breaks broke the run, in line 7 of"),
        ("timeout(ttft=1) | mine:First", ExitCode.FAIL, ""),
    ],
)
def test_it_runs_over_http_and_is_named_where_it_breaks(
    policy: str, code: ExitCode, words: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(MODULE)
    program = [sys.executable, str(Path(__file__).with_name("short_run.py")), "--policy", policy]
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [*program, "--out", "out"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode in (code, ExitCode.INCONCLUSIVE if code is ExitCode.FAIL else code), done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
