"""What a user of the plugin sees, with runs that are made up: their outcome goes by the policy's name.

`contain` contains, `none` spreads, `libraries` contains and has a time to the first token that is all noise.
"""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import pytest

import harness.testing.limplock
from harness.errors import EnvironmentFault
from harness.interrupts import Interrupted
from harness.judging.result import Verdict
from harness.testing.conducting import Asked
from harness.testing.machine_lock import machine_lock
from harness.testing.tested_run import TestedRun
from tests.harness.testing import made

pytest_plugins = ("pytester",)

ROOT = Path(__file__).parents[2]
# Without hypothesis, whose summary would be imported anew in every test.
INI = """
    [pytest]
    filterwarnings = error
    addopts = --strict-markers --strict-config -p no:hypothesispytest
    asyncio_mode = auto
    asyncio_default_fixture_loop_scope = function
"""
KEPT = """
    def test_kept(limplock):
        run = limplock.run(policy="contain")
        limplock.expect(run).contained()
"""
BROKEN = """
    def test_broken(limplock):
        run = limplock.run(policy="none")
        limplock.expect(run).contained()
        limplock.expect(run, "hop_s.p90", hop="api").vs_control(max=1.5)
        limplock.expect(run, "retry_amplification").at_most(1.2)
"""
UNDECIDED = """
    def test_undecided(limplock):
        run = limplock.run(policy="libraries")
        limplock.expect(run, "ttft_s.p95_all", of="chat").vs_control(max=1.5)
"""


@pytest.fixture(autouse=True)
def no_real_run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makeini(INI)
    monkeypatch.setattr(harness.testing.limplock, "conduct", made.conduct)


@pytest.fixture
def in_processes(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for runs of pytest in a process of their own."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeconftest(
        "import harness.testing.limplock as ours\nfrom tests.harness.testing.made import conduct\n"
        "ours.conduct = conduct\n"
    )


def told(pytester: pytest.Pytester, source: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(source)
    return pytester.runpytest_inprocess(*options)


def test_what_is_kept_passes_and_its_files_are_forgotten(pytester: pytest.Pytester) -> None:
    result = told(pytester, KEPT, "--basetemp=files")
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    assert not list(pytester.path.glob("files/limplock-*"))


def test_everything_broken_is_told_in_one_failure(pytester: pytest.Pytester) -> None:
    result = told(pytester, BROKEN, "--basetemp=files")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "slow_worker x none: 2 broken of 3 expectations",
            "  x contained *pressure spread: local_front*(8 pairs), latency_inflation * [[]*..*], mild*",
            "  x hop_s.p90 of api during fault *x* [[]x*..x*], at most x1.50 of the control; 8 of 8 pairs",
            "  + retry_amplification during fault *at most 1.2; 8 of 8 pairs, *",
        ],
        consecutive=True,
    )
    result.stdout.fnmatch_lines(["  worst seed  *: limplock replay lp1-made*", "  files *files/limplock-*"])
    assert list(pytester.path.glob("files/limplock-*/00-slow_worker.none/none/pair-00/fault/history.jsonl"))


def test_a_failure_shows_each_hop_over_time_with_the_fault_in_brackets(pytester: pytest.Pytester) -> None:
    lines = told(pytester, BROKEN).stdout.lines
    drawn = {line.split("  ")[2]: line.split("  ")[-2].strip() for line in lines if "▇" in line}
    assert list(drawn) == ["worker 2", "gateway", "api", "front"]
    bars = drawn["front"]
    assert len(bars) == 40
    before, during = bars.split("[")[0], bars.split("[")[1].split("]")[0]
    assert max(before) < max(during) == "█"


def test_a_failure_has_no_traceback_of_ours(pytester: pytest.Pytester) -> None:
    assert "pytest_plugin.py" not in told(pytester, BROKEN).stdout.str()


def test_a_test_that_ran_something_and_expects_nothing_fails(pytester: pytest.Pytester) -> None:
    result = told(
        pytester, "def test_it(limplock):\n    assert limplock.run(policy='contain').verdict == 'PASS'"
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*it ran, and nothing was expected of it*"])


@pytest.mark.parametrize("metric", ["", "'retry_amplification'"])
def test_an_expectation_without_a_bound_fails(pytester: pytest.Pytester, metric: str) -> None:
    source = (
        f"def test_it(limplock):\n    limplock.expect(limplock.run(policy='contain'), {metric or repr('')})"
    )
    result = told(pytester, source)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["limplock.expect(run* Add .*"])


def test_one_run_of_several_without_expectations_fails_though_the_other_is_kept(
    pytester: pytest.Pytester,
) -> None:
    result = told(pytester, KEPT + "        limplock.run(policy='libraries')\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["slow_worker x libraries: it ran, and nothing*", "*1 expectation kept"])


def test_the_fixture_alone_asks_nothing_of_a_test(pytester: pytest.Pytester) -> None:
    told(pytester, "def test_it(limplock):\n    pass").assert_outcomes(passed=1)


def test_what_the_body_raises_comes_first_and_what_it_expected_is_shown(pytester: pytest.Pytester) -> None:
    result = told(pytester, BROKEN + "        assert run.verdict == 'PASS', 'mine'\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*AssertionError: mine", "*Captured limplock call*", "*2 broken of 3*"])


@pytest.mark.parametrize(
    "line",
    [
        "limplock.run('slow_workr', policy='none')",
        "limplock.run(policy='retri()')",
        "limplock.expect(limplock.run(policy='contain'), 'ttft_s.p95_al', of='chat')",
        "limplock.expect(limplock.run(policy='contain'), 'retry_amplification').vs_control(max='150%')",
    ],
)
def test_a_refusal_is_one_line_and_ends_in_the_line_of_the_test(pytester: pytest.Pytester, line: str) -> None:
    result = told(pytester, f"def test_it(limplock):\n    {line}")
    result.assert_outcomes(failed=1)
    assert "def test_it" in result.stdout.str()
    traced = [each for each in result.stdout.lines if each.endswith(": BadInput")]
    assert len(traced) == 1
    assert traced[0].startswith("test_a_refusal")


def test_a_test_that_is_skipped_after_its_run_is_skipped(pytester: pytest.Pytester) -> None:
    source = KEPT + "        import pytest; pytest.skip('enough')\n"
    told(pytester, source).assert_outcomes(skipped=1)


def test_inconclusive_is_an_outcome_of_its_own_that_fails_the_session(pytester: pytest.Pytester) -> None:
    result = told(pytester, KEPT + BROKEN + UNDECIDED)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*.py .FI *", "*= INCONCLUSIVE =*", "_* test_undecided _*"])
    result.stdout.fnmatch_lines(["slow_worker x libraries: 1 undecided of 1 expectation", "  ~ *settle it:*"])
    result.stdout.fnmatch_lines(["*= 1 failed, 1 passed, 1 inconclusive in *"])
    assert told(pytester, UNDECIDED).ret == 1


def test_inconclusive_may_be_skipped_or_fail_instead(pytester: pytest.Pytester) -> None:
    skipped = told(pytester, UNDECIDED, "--limplock-inconclusive=skip", "-rs")
    skipped.assert_outcomes(skipped=1)
    assert skipped.ret == 0
    skipped.stdout.fnmatch_lines(["SKIPPED*inconclusive: *1 undecided*"])
    failed = told(pytester, UNDECIDED, "--limplock-inconclusive=fail")
    failed.assert_outcomes(failed=1)
    assert "inconclusive" not in failed.stdout.lines[-1]


def test_a_failure_outranks_what_is_undecided(pytester: pytest.Pytester) -> None:
    result = told(pytester, UNDECIDED + "        limplock.expect(run).spreads()\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*1 broken and 1 undecided of 2 expectations"])


def test_an_expected_failure_may_also_be_undecided(pytester: pytest.Pytester) -> None:
    source = "import pytest\n@pytest.mark.xfail(reason='noise')\n"
    pytester.makepyfile(source + UNDECIDED.replace("\n    ", "\n").lstrip())
    pytester.runpytest_inprocess().assert_outcomes(xfailed=1)


@pytest.mark.usefixtures("in_processes")
def test_inconclusive_survives_xdist(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(KEPT + BROKEN + UNDECIDED)
    result = pytester.runpytest_subprocess("-n2")
    result.stdout.fnmatch_lines(["*= INCONCLUSIVE =*", "*slow_worker x libraries: 1 undecided*"])
    result.stdout.fnmatch_lines(["*= 1 failed, 1 passed, 1 inconclusive in *"])
    assert result.ret == 1


def test_junit_has_the_reason_as_a_failure_and_the_figures_as_properties(pytester: pytest.Pytester) -> None:
    told(pytester, KEPT + UNDECIDED, "--junitxml=junit.xml")
    kept, undecided = ET.parse(pytester.path / "junit.xml").iter("testcase")  # noqa: S314  # ours
    assert kept.find("failure") is None
    failure = undecided.find("failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("slow_worker x libraries: 1 undecided")
    found = {each.attrib["name"]: each.attrib["value"] for each in undecided.iter("property")}
    assert found["limplock.verdict slow_worker x libraries"] == "PASS"
    assert found["limplock.replay slow_worker x libraries"] == "lp1-made0"
    verdict, value, lower, upper = found["limplock.ttft_s.p95_all of chat during fault"].split()
    assert verdict == "INCONCLUSIVE"
    assert 0.5 <= float(lower) < float(value) < float(upper) <= 2.0


MARKED = """
    import pytest

    @pytest.mark.limplock(engine="torch")
    def test_real(limplock):
        run = limplock.run(policy="contain")
        limplock.expect(run).contained()
"""


def test_wall_clock_tests_are_left_out_unless_asked_for(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(harness.testing.limplock, "lock_file", lambda: pytester.path / "lock")
    monkeypatch.setattr(
        harness.testing.limplock, "conduct", lambda a, folder: asked.append(a) or made.conduct(a, folder)
    )
    told(pytester, MARKED).assert_outcomes(deselected=1)
    assert not asked
    told(pytester, MARKED, "--limplock-wallclock").assert_outcomes(passed=1)
    assert [each.options is not None for each in asked] == [True]


def test_a_wall_clock_run_that_no_marker_announced_is_skipped_aloud(pytester: pytest.Pytester) -> None:
    result = told(pytester, KEPT.replace('"contain"', '"contain", engine="torch"'), "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*a wall-clock run. Give --limplock-wallclock, and mark the test*"])


def test_a_wall_clock_run_waits_for_another_one_no_longer_than_it_may(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness.testing.limplock, "lock_file", lambda: pytester.path / "lock")
    with machine_lock(pytester.path / "lock", "test_other.py::test_other", 0):
        result = told(pytester, MARKED, "--limplock-wallclock", "--limplock-wait=0")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*another wall-clock run has this machine*test_other.py::test_other*"])


def test_wall_clock_tests_are_of_one_group_of_xdist(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "def pytest_collection_finish(session):\n"
        "    print([(i.name, m.args) for i in session.items for m in i.iter_markers('xdist_group')])"
    )
    result = told(pytester, MARKED + KEPT, "--limplock-wallclock", "--collect-only", "-s")
    result.stdout.fnmatch_lines(["[[](*test_real*, (*limplock-wallclock*,))[]]"])


def test_nobody_else_has_the_machine_during_a_wall_clock_run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pytester.path / "lock"

    def while_it_runs(asked: Asked, folder: Path) -> TestedRun:
        with pytest.raises(EnvironmentFault), machine_lock(path, "another", 0):
            pass
        return made.conduct(asked, folder)

    monkeypatch.setattr(harness.testing.limplock, "lock_file", lambda: path)
    monkeypatch.setattr(harness.testing.limplock, "conduct", while_it_runs)
    told(pytester, MARKED, "--limplock-wallclock").assert_outcomes(passed=1)
    with machine_lock(path, "another", 0):
        assert path.exists()


@pytest.mark.parametrize("words", ["engine='turch'", "'torch'", "motor='torch'"])
def test_a_marker_that_says_nothing_known_is_refused(pytester: pytest.Pytester, words: str) -> None:
    result = told(pytester, MARKED.replace('engine="torch"', words))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*mark it limplock(engine='virtual')*got limplock({words})"])


def test_a_test_with_a_loop_of_its_own_may_run_virtual_scenarios(pytester: pytest.Pytester) -> None:
    told(pytester, KEPT.replace("def ", "async def ")).assert_outcomes(passed=1)
    broken = told(pytester, BROKEN.replace("def ", "async def "))
    broken.assert_outcomes(failed=1)
    broken.stdout.fnmatch_lines(["slow_worker x none: 2 broken of 3 expectations"])


def test_ctrl_c_in_a_run_ends_the_session(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_):
        raise Interrupted("stopped and cleaned up")

    monkeypatch.setattr(harness.testing.limplock, "lock_file", lambda: pytester.path / "lock")
    monkeypatch.setattr(harness.testing.limplock, "conduct", interrupted)
    pytester.makepyfile(MARKED)
    result = pytester.runpytest_inprocess("--limplock-wallclock", no_reraise_ctrlc=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_loading_the_plugin_loads_nothing_heavy() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import harness.pytest_plugin\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    ours = [name for name in ran.stdout.split() if name not in sys.stdlib_module_names]
    assert ours == ["harness", "harness.pytest_plugin"]


def test_it_is_inert_in_a_suite_that_does_not_use_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import sys\ndef test_it():\n    assert 'harness.pytest_plugin' in sys.modules\n"
        "    assert not {'numpy', 'torch', 'scipy', 'harness.testing'} & set(sys.modules)"
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_it_can_be_switched_off(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "def test_it(request):\n    assert not request.config.pluginmanager.hasplugin('limplock')"
    )
    pytester.runpytest_subprocess("-p", "no:limplock").assert_outcomes(passed=1)


def gate_file(pytester: pytest.Pytester, engine: str) -> None:
    pytester.makefile(
        ".yaml",
        slo=f"version: 1\nengine: {engine}\npolicy: contain\nobjectives:\n"
        "  - {id: no-storm, metric: retry_amplification, max: 1.2}\n",
    )


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_gate_is_an_expectation_by_itself(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, verdict: Verdict
) -> None:
    said = SimpleNamespace(verdict=verdict, lines=[f"{verdict}  the gate's own line"], properties=[])
    monkeypatch.setattr(harness.testing.limplock, "conduct_gate", lambda *asked: said)
    gate_file(pytester, "virtual")
    result = told(pytester, "def test_it(limplock):\n    limplock.gate('slo.yaml')")
    outcomes = result.parseoutcomes()
    expected = {Verdict.PASS: "passed", Verdict.FAIL: "failed", Verdict.INCONCLUSIVE: "inconclusive"}
    assert outcomes == {expected[verdict]: 1}
    assert ("the gate's own line" in result.stdout.str()) == (verdict is not Verdict.PASS)


def test_a_gate_on_real_processes_is_skipped_unless_asked_for(pytester: pytest.Pytester) -> None:
    gate_file(pytester, "torch")
    told(pytester, "def test_it(limplock):\n    limplock.gate('slo.yaml')").assert_outcomes(skipped=1)


def test_a_gate_whose_file_is_wrong_is_refused_with_its_line(pytester: pytest.Pytester) -> None:
    gate_file(pytester, "turch")
    result = told(pytester, "def test_it(limplock):\n    limplock.gate('slo.yaml')")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *BadFile: *slo.yaml:2: *"])


def test_what_is_expected_of_a_run_of_another_test_is_told(pytester: pytest.Pytester) -> None:
    result = told(
        pytester,
        """
        import pytest
        RUNS = []
        def test_runs(limplock):
            RUNS.append(limplock.run(policy="none"))
            limplock.expect(RUNS[0]).spreads()
        def test_expects(limplock):
            limplock.expect(RUNS[0]).contained()
        """,
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["slow_worker x none: 1 broken of 1 expectation", "  x contained *"])


@pytest.mark.parametrize(("policy", "errors"), [("none", 1), ("contain", 0)])
def test_a_unittest_is_judged_when_it_has_passed(pytester: pytest.Pytester, policy: str, errors: int) -> None:
    result = told(
        pytester,
        f"""
        import unittest
        import pytest
        class TestIt(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def given(self, limplock):
                self.limplock = limplock
            def test_it(self):
                self.limplock.expect(self.limplock.run(policy="{policy}")).contained()
            def test_skipped(self):
                self.limplock.expect(self.limplock.run(policy="none")).contained()
                self.skipTest("not today")
        """,
    )
    result.assert_outcomes(passed=1, errors=errors, skipped=1)
    assert result.ret == errors


def test_what_a_fixture_expects_after_the_body_is_judged_as_well(pytester: pytest.Pytester) -> None:
    result = told(
        pytester,
        """
        import pytest
        @pytest.fixture
        def late(limplock):
            run = limplock.run(policy="none")
            limplock.expect(run).spreads()
            yield
            limplock.expect(run).contained()
        def test_it(late):
            pass
        """,
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["slow_worker x none: 1 broken of 2 expectations"])


def test_contained_and_spread_are_not_both_expected(pytester: pytest.Pytester) -> None:
    result = told(
        pytester,
        """
        def test_it(limplock):
            limplock.expect(limplock.run(policy="none")).contained().spreads()
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*BadInput: a run cannot be contained and spread. Leave one of them out"])
