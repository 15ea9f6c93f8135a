"""A virtual run as one word: the token, and the bytes that the same word always makes."""

import base64
import zlib
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from harness.errors import BadInput
from harness.fleet import Fleet
from harness.judging.result import Verdict
from harness.results import HISTORY
from harness.serving.cost_sets import SHIPPED, TINY_CPU
from harness.virtual_run import PREFIX, VirtualRun, digest

RUN = VirtualRun(scenario="slow_worker", preset="none", seed=3, costs=TINY_CPU)


def packed(content: object) -> str:
    whole = zlib.compress(msgspec.json.encode(content), 9)
    return PREFIX + base64.urlsafe_b64encode(whole).decode().rstrip("=")


@pytest.mark.parametrize("costs", SHIPPED.values(), ids=list(SHIPPED))
@pytest.mark.parametrize("fleet", [Fleet(), Fleet(workers=512, slow=1, load=0.7), Fleet(factor=1 / 3 + 2)])
def test_a_token_is_the_run_to_the_last_digit(costs, fleet) -> None:
    run = VirtualRun(scenario="healthy", preset="timeout", seed=2**40, costs=costs, fleet=fleet)
    token = run.token()
    assert VirtualRun.of(token) == run
    assert VirtualRun.of(f" {token}\n") == run
    assert token.isascii()
    assert len(token) < 450


def test_other_runs_have_other_tokens() -> None:
    others = [
        RUN,
        msgspec.structs.replace(RUN, seed=4),
        msgspec.structs.replace(RUN, preset="timeout"),
        msgspec.structs.replace(RUN, fleet=Fleet(workers=4)),
        msgspec.structs.replace(RUN, costs=replace(TINY_CPU, hop_s=0.0)),
    ]
    assert len({run.token() for run in others}) == len(others)


TOKEN = RUN.token()
FIELDS = msgspec.json.decode(msgspec.json.encode(RUN))


@pytest.mark.parametrize(
    "token",
    [
        "",
        "lp1-",
        "lp2-" + TOKEN[4:],
        TOKEN[4:],
        TOKEN[:-3],
        TOKEN[:40],
        TOKEN[:20] + "A" + TOKEN[21:] if TOKEN[20] != "A" else TOKEN[:20] + "B" + TOKEN[21:],
        TOKEN + "AAAA",
        PREFIX + "é",
        PREFIX + "/etc/passwd",
        packed([]),
        packed({"scenario": "slow_worker"}),
        packed([*FIELDS, "more"]),
        packed(["slow_worker", "none", "three", *FIELDS[3:]]),
    ],
    ids=lambda token: token[:12] or "empty",
)
def test_a_damaged_token_is_refused_in_one_line(token: str) -> None:
    with pytest.raises(BadInput, match="no whole replay token") as refused:
        VirtualRun.of(token)
    assert "\n" not in str(refused.value)


def test_a_token_of_another_version_is_refused_and_named() -> None:
    other = msgspec.structs.replace(RUN, version="0.0.9")
    with pytest.raises(BadInput, match=r"of limplock 0\.0\.9, this is .*Replay it with that version"):
        VirtualRun.of(other.token())


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"scenario": "slow_wroker"}, "unknown scenario 'slow_wroker'. Closest: slow_worker"),
        ({"preset": "timeot"}, "unknown policy preset 'timeot'. Closest: timeout"),
        ({"fleet": Fleet(workers=0)}, "--workers must be 1 to"),
    ],
)
def test_a_token_of_what_there_is_not_is_refused_before_it_runs(changed, says: str, tmp_path: Path) -> None:
    run = VirtualRun.of(msgspec.structs.replace(RUN, **changed).token())
    with pytest.raises(BadInput, match=says):
        run.conduct(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_title_says_what_differs_from_the_scenario() -> None:
    assert RUN.title == "slow_worker x none, seed 3"
    assert msgspec.structs.replace(RUN, fleet=Fleet(workers=512, load=0.7)).title == (
        "slow_worker x none, seed 3, workers=512 load=0.7"
    )


def test_a_result_has_its_token_and_the_digest_of_its_history(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    first, again = (RUN.conduct(folder) for folder in folders)
    assert first == again
    assert first.replay == TOKEN
    assert first.digest == digest(folders[0] / HISTORY) == digest(folders[1] / HISTORY)


def test_a_fleet_has_the_time_for_its_verdict_and_keeps_to_its_law(tmp_path: Path) -> None:
    fleet = Fleet(workers=8, slow=2, load=0.7)
    result = VirtualRun(scenario="slow_worker", preset="none", seed=1, costs=TINY_CPU, fleet=fleet).conduct(
        tmp_path
    )
    (guard,) = [guard for guard in result.guards if guard.name == "fault long enough"]
    assert guard.ok, guard.words
    assert result.verdict is Verdict.FAIL
    assert result.setting.faulted_workers == ["worker-0", "worker-1"]
    assert not result.law.contradicted
