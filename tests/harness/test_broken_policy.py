"""Whose fault it is when a run breaks."""

import re
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest

from harness import commands
from harness.broken_policy import told_as_theirs
from harness.errors import BadInput, EnvironmentFault
from tests.policies import own_policies

OWN = f"timeout() | {own_policies.__name__}:Plain(4)"


def test_what_breaks_without_a_policy_of_the_users_own_is_raised_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), told_as_theirs('fallback(text="a:b")', tmp_path):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_what_the_user_can_be_told_already_is_told_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match=r"^no room$"), told_as_theirs(OWN, tmp_path):
        raise EnvironmentFault("no room")


def test_serving_names_a_policy_that_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def serve(*_: object) -> NoReturn:
        raise RuntimeError("no\nluck")

    monkeypatch.setattr(commands, "serve", serve)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(BadInput, match=r"own_policies:Plain returned: RuntimeError: no luck\. The ") as told:
        commands.run_serve(1, OWN, 0, "auto", "tiny", "cpu")
    place = re.search(r"The traceback is in (\S+)$", str(told.value))
    assert place is not None
    assert tmp_path in Path(place[1]).parents
    assert "RuntimeError" in Path(place[1]).read_text()
