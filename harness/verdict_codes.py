"""From verdicts to the exit code."""

from collections.abc import Iterable

from harness.exit_codes import ExitCode, worst
from harness.judging.result import RunResult, Verdict

_CODES = {
    Verdict.PASS: ExitCode.PASS,
    Verdict.FAIL: ExitCode.FAIL,
    Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
}


def code_of(verdict: Verdict) -> ExitCode:
    return _CODES[verdict]


def exit_code(results: Iterable[RunResult]) -> ExitCode:
    """The worst of the verdicts; a clean-up that could not be verified outranks them all."""
    return worst(*(_CODES[result.verdict] if result.clean else ExitCode.UNCLEAN for result in results))
