"""`python -m bench [NAME]...`: measure speed and memory here, and print one report.

It is a report and no test: an aim that was not met does not change the exit status, a figure that could not
be measured does.
"""

import os
import platform
import sys
from collections.abc import Sequence

import aiohttp

from bench.report import render
from bench.sections import SECTIONS
from harness.errors import LimplockError, unknown
from harness.exit_codes import ExitCode, worst


def main(names: Sequence[str]) -> ExitCode:
    """Print the sections that are named, all if none is. Returns the exit status."""
    try:
        chosen = _choose(names)
        print(_machine(), flush=True)
        return worst(*[_report(name) for name in chosen])
    except LimplockError as wrong:
        print(wrong, file=sys.stderr)
        return wrong.exit_code
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED


def _choose(names: Sequence[str]) -> list[str]:
    for name in names:
        if name not in SECTIONS:
            raise unknown("measurement", name, SECTIONS)
    return list(dict.fromkeys(names)) or list(SECTIONS)


def _machine() -> str:
    load = os.getloadavg()[0]
    python = platform.python_version()
    return (
        f"{os.cpu_count()} cores, {platform.machine()}, Python {python}, load average {load:.1f} at the start"
    )


def _report(name: str) -> ExitCode:
    try:
        print(f"\n{render(SECTIONS[name]())}", flush=True)
    except LimplockError as wrong:
        return _missing(name, str(wrong), wrong.exit_code)
    except (
        OSError,
        EOFError,
        aiohttp.ClientError,
    ) as broken:  # what was measured has died
        return _missing(name, f"{type(broken).__name__}: {broken}", ExitCode.ENVIRONMENT)
    return ExitCode.PASS


def _missing(name: str, cause: str, code: ExitCode) -> ExitCode:
    print(f"\n{name}: could not be measured: {cause}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
