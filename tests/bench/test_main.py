import aiohttp
import pytest

from bench import __main__ as bench
from bench.report import Figure, Section
from harness.errors import EnvironmentFault
from harness.exit_codes import ExitCode


def good() -> Section:
    missed = Figure(name="ratio", value=3.0, at_most=2.0)
    return Section(title="good: a figure", how="measured", figures=(missed,))


def broken() -> Section:
    raise EnvironmentFault("no worker came up. Free some memory")


def disconnected() -> Section:
    raise aiohttp.ServerDisconnectedError


@pytest.fixture(autouse=True)
def sections(monkeypatch: pytest.MonkeyPatch) -> None:
    sections = {"good": good, "broken": broken, "disconnected": disconnected}
    monkeypatch.setattr(bench, "SECTIONS", sections)


def test_an_aim_that_was_not_met_is_told_and_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["good"]) == ExitCode.PASS
    assert "NOT MET" in capsys.readouterr().out


def test_what_could_not_be_measured_is_told_and_the_rest_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["broken", "good"]) == ExitCode.ENVIRONMENT
    told = capsys.readouterr().out
    assert "broken: could not be measured: no worker came up. Free some memory" in told
    assert "good: a figure" in told


def test_a_process_that_dies_while_it_is_measured_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["disconnected"]) == ExitCode.ENVIRONMENT
    assert "disconnected: could not be measured: ServerDisconnectedError" in capsys.readouterr().out


def test_without_names_everything_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main([]) == ExitCode.ENVIRONMENT
    told = capsys.readouterr().out
    assert "good: a figure" in told
    assert "broken: could not" in told


def test_an_unknown_name_is_one_line_with_the_closest_and_nothing_is_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench.main(["goood", "good"]) == ExitCode.BAD_INPUT
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err == "unknown measurement 'goood'. Closest: good. All: broken, disconnected, good\n"
