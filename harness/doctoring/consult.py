"""What `limplock doctor` says and returns."""

import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from harness.doctoring.controls import really
from harness.doctoring.examine import examine_really, examine_virtually
from harness.doctoring.machine import Finding, inspect
from harness.doctoring.oracle import Oracle
from harness.errors import BadInput, unknown
from harness.exit_codes import ExitCode
from harness.real_deployment import Options
from harness.reporting.console import PipeConsole, say
from harness.serving.leftovers import refuse_leftovers

ENGINES = ("torch", "virtual")
DEVICE = "cpu"  # as the demo: a GPU would shrug off a slow factor of 10


def run_doctor(engine: str = "virtual") -> ExitCode:
    """PASS unless something is missing without which no run can be."""
    if engine != "virtual":
        raise BadInput("--engine: an option of --oracles. Add --oracles")
    findings = []
    for finding in inspect():
        findings.append(finding)
        say(PipeConsole(), told(finding))
    return ExitCode.ENVIRONMENT if any(each.state == "fail" for each in findings) else ExitCode.PASS


def run_oracles(engine: str = "virtual") -> ExitCode:
    """BUG if the judge is wrong in virtual time, INCONCLUSIVE if real processes cannot show it here."""
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    if engine == "torch":
        refuse_leftovers()
    if not all_hold("virtual", examine_virtually()):
        say(PipeConsole(), "the judge of this version is wrong: trust no verdict of it, and report this")
        return ExitCode.BUG
    if engine == "torch" and not _hold_really():
        say(PipeConsole(), "this machine cannot tell a slow worker from its own noise, or is too busy to")
        return ExitCode.INCONCLUSIVE
    say(PipeConsole(), "all oracles hold")
    return ExitCode.PASS


def all_hold(where: str, oracles: Iterable[Oracle]) -> bool:
    """Say each as it comes. None at all hold nothing."""
    said = []
    for oracle in oracles:
        said.append(oracle.holds)
        say(PipeConsole(), f"{'ok  ' if oracle.holds else 'FAIL'}  {where}: {oracle.name}: {oracle.words}")
    return bool(said) and all(said)


def told(finding: Finding) -> str:
    """`warn  cores: 1. Take ...`."""
    fix = f". {finding.fix[:1].upper()}{finding.fix[1:]}" if finding.fix else ""
    return f"{finding.state:<4}  {finding.name}: {finding.words}{fix}"


def _hold_really() -> bool:
    with tempfile.TemporaryDirectory(prefix="limplock-doctor-") as folder:
        make = really(Options(device=DEVICE), Path(folder), partial(say, PipeConsole(stderr=True)))
        return all_hold("torch", examine_really(make))
