"""The pytest plugin: the fixture `limplock`. Nothing is imported and nothing happens until it is used.

A test says what it expects with `limplock.expect`, and what does not hold is raised together when its body
ends. INCONCLUSIVE is an outcome of its own: the machine, the load or the number of pairs cannot decide.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # torch, numpy and scipy are far below
    from harness.testing.limplock import Limplock
    from harness.testing.tested_run import Engine

INCONCLUSIVE = "inconclusive"
ENGINES = ("virtual", "torch")
_USED = pytest.StashKey["Limplock"]()
_REASON = pytest.StashKey[str]()  # why the test is inconclusive
_FAILED = pytest.StashKey[bool]()
_PASSED = pytest.StashKey[bool]()  # its body


class Inconclusive(Exception):
    """Raised when the body ends. What is shown is its text."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("limplock", "limplock: does one slow GPU worker drag down everybody?")
    group.addoption(
        "--limplock-wallclock",
        action="store_true",
        help="run the tests on real processes, too: those marked limplock(engine='torch')",
    )
    group.addoption(
        "--limplock-inconclusive",
        choices=("keep", "skip", "fail"),
        default="keep",
        help="what a test that cannot decide is: an outcome of its own that fails the session, or another",
    )
    group.addoption(
        "--limplock-out",
        type=Path,
        metavar="DIR",
        help="keep the files of all runs here; default: of failed tests, in pytest's temporary folder",
    )
    group.addoption(
        "--limplock-wait",
        type=float,
        default=600.0,
        metavar="SECONDS",
        help="for another wall-clock run on this machine to end (default: 600)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "limplock(engine='virtual'): the engine of limplock.run; those on 'torch' take real time and are left"
        " out unless asked for with --limplock-wallclock",
    )


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Wall-clock tests are left out, or put on one worker of xdist, for `--dist loadgroup`."""
    real = [item for item in items if _engine(item) == "torch"]
    if not config.getoption("--limplock-wallclock"):
        if real:
            config.hook.pytest_deselected(items=real)
            items[:] = [item for item in items if item not in real]
        return
    if config.pluginmanager.hasplugin("xdist"):
        for item in real:
            item.add_marker(pytest.mark.xdist_group("limplock-wallclock"))


@pytest.fixture
def limplock(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Limplock]:
    """Runs scenarios and says what must hold: see docs/pytest.md."""
    from harness.testing.limplock import Limplock
    from harness.testing.out import OutFolder

    config, item = request.config, request.node
    out = OutFolder(config.getoption("--limplock-out"), tmp_path_factory, item.nodeid)
    used = Limplock(
        node=item.nodeid,
        beside=item.path.parent,
        folder=out.folder,
        engine=_engine(item) or "virtual",
        wall_clock=config.getoption("--limplock-wallclock"),
        wait_s=config.getoption("--limplock-wait"),
    )
    item.stash[_USED] = used
    yield used
    if used.open and item.stash.get(_PASSED, False):
        _judge(item, used)  # of a unittest.TestCase, or expected by a fixture after the body
    if not item.stash.get(_FAILED, False):
        out.forget()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """What the test expected is judged as its body ends. What the body itself raises comes first."""
    used = pyfuncitem.stash.get(_USED, None)
    if used is None:
        return (yield)
    try:
        result = yield
    except (Exception, pytest.fail.Exception):
        if text := used.settle().text:
            pyfuncitem.add_report_section("call", "limplock", text)
        raise
    _judge(pyfuncitem, used)
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
    if report.when == "call":
        item.stash[_PASSED] = report.passed
    if call.excinfo is not None and call.excinfo.errisinstance(Inconclusive) and report.failed:
        _as_inconclusive(report, item)
    return report


def pytest_report_teststatus(report: pytest.CollectReport | pytest.TestReport) -> Any:
    """`I` among the dots, and a count of its own. For pytest it has failed: exit code and JUnit say so."""
    if getattr(report, "limplock", "") == INCONCLUSIVE:
        return INCONCLUSIVE, "I", ("INCONCLUSIVE", {"yellow": True})
    return None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """As pytest's own for failures, which knows of none but its own."""
    reports = terminalreporter.stats.get(INCONCLUSIVE, [])
    if not reports or terminalreporter.config.option.tbstyle == "no":
        return
    terminalreporter.section("INCONCLUSIVE")
    for report in reports:
        terminalreporter.write_sep("_", report.head_line or report.nodeid, yellow=True, bold=True)
        terminalreporter.line(str(report.longrepr))


def _judge(item: pytest.Item, used: Limplock) -> None:
    settled = used.settle()
    item.user_properties.extend(settled.properties)
    if settled.verdict == "FAIL":
        pytest.fail(settled.text, pytrace=False)
    if settled.verdict == "INCONCLUSIVE":
        item.stash[_REASON] = settled.text
        raise Inconclusive(settled.text)


def _as_inconclusive(report: pytest.TestReport, item: pytest.Item) -> None:
    """The text alone, in whatever outcome it is to be."""
    text = item.stash[_REASON]
    report.longrepr = text
    match item.config.getoption("--limplock-inconclusive"):
        case "skip":
            path, line, _ = item.location
            report.outcome = "skipped"
            report.longrepr = (path, (line or 0) + 1, f"inconclusive: {text}")
        case "keep":
            report.__dict__["limplock"] = INCONCLUSIVE  # goes with it to the main process of xdist


def _engine(item: pytest.Item) -> Engine | None:
    """As its marker says. UsageError for a marker that says nothing that is known."""
    marker = item.get_closest_marker("limplock")
    if marker is None:
        return None
    unknown = [name for name in marker.kwargs if name != "engine"]
    engine = marker.kwargs.get("engine", ENGINES[0])
    if marker.args or unknown or engine not in ENGINES:
        said = [*map(repr, marker.args), *(f"{name}={value!r}" for name, value in marker.kwargs.items())]
        raise pytest.UsageError(
            f"{item.nodeid}: mark it limplock(engine='virtual') or limplock(engine='torch'), got"
            f" limplock({', '.join(said)})"
        )
    return "torch" if engine == "torch" else "virtual"
