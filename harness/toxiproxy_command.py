"""`limplock toxiproxy`: the embedded server on its own, with the options of `toxiproxy-server`."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from faults.toxiproxy.address import is_loopback, join
from faults.toxiproxy.api import VERSION
from faults.toxiproxy.errors import Refused
from faults.toxiproxy.mode import Mode
from faults.toxiproxy.server import serve
from harness.errors import BadInput, EnvironmentFault
from harness.exit_codes import ExitCode
from harness.interrupts import run_to_the_end
from harness.reporting.console import PipeConsole, say
from harness.toxiproxy_config import read_config

_TELLS = ("trace", "debug", "info")  # levels of LOG_LEVEL, the original's words
_SILENT = ("warn", "error", "fatal", "panic", "disabled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks for."""

    host: str
    port: int
    config: Path | None
    seed: int
    strict_compat: bool
    proxy_metrics: bool
    runtime_metrics: bool


def say_version() -> ExitCode:
    """In the original's form."""
    say(PipeConsole(), f"toxiproxy-server version {VERSION}")
    return ExitCode.PASS


def run_toxiproxy(wanted: Wanted) -> ExitCode:
    """Serve until Ctrl-C or SIGTERM, which raise Interrupted or Terminated after all is closed.

    BadInput before anything is started; EnvironmentFault if a port is not to be had.
    """
    if not (wanted.host and is_loopback(wanted.host)):
        raise BadInput(f"-host: only loopback is served, got '{wanted.host}'. Use -host 127.0.0.1")
    if not 0 <= wanted.port <= 65535:
        raise BadInput(f"-port must be 0 to 65535, got {wanted.port}")
    config = _config(wanted)
    run_to_the_end(_serve(wanted, config, _announcer(wanted)))
    return ExitCode.PASS


def _config(wanted: Wanted) -> bytes | None:
    """The file's bytes. In strict_compat one that cannot be read is a log line, as in the original."""
    if wanted.config is None:
        return None
    if not wanted.strict_compat:
        return read_config(wanted.config)
    try:
        return wanted.config.read_bytes()
    except OSError as wrong:
        _warn(f"-config: cannot read '{wanted.config}': {wrong.strerror}. Serving without it")
        return None


async def _serve(wanted: Wanted, config: bytes | None, announce: Callable[[int], None]) -> None:
    try:
        async with serve(
            wanted.port,
            wanted.seed,
            Mode(strict_compat=wanted.strict_compat),
            host=wanted.host,
            config=config,
            proxy_metrics=wanted.proxy_metrics,
            runtime_metrics=wanted.runtime_metrics,
        ) as port:
            announce(port)
            await asyncio.Event().wait()
    except Refused as refused:  # the file was checked: what is left is a port of its own
        raise EnvironmentFault(f"{wanted.config}: {refused.text}. Choose another port there") from refused
    except OSError as wrong:
        where = join(wanted.host, wanted.port)
        why = os.strerror(wrong.errno).lower() if wrong.errno else str(wrong)
        raise EnvironmentFault(
            f"cannot listen on {where}: {why}. Choose another -port, or end what is there"
        ) from wrong


def _announcer(wanted: Wanted) -> Callable[[int], None]:
    """Says where the server listens, unless LOG_LEVEL asks for silence."""
    level = os.environ.get("LOG_LEVEL", "info").lower()
    if level not in (*_TELLS, *_SILENT):
        _warn(f"LOG_LEVEL: expected one of {', '.join((*_TELLS, *_SILENT))}, got '{level}'; taken as info")

    def announce(port: int) -> None:
        if level not in _SILENT:
            where = join(wanted.host, port)
            how = ", strict compat" if wanted.strict_compat else ""
            say(
                PipeConsole(),
                f"Toxiproxy {VERSION} (seed {wanted.seed}{how}) listens on http://{where}."
                " Ctrl-C stops it. How it differs: docs/toxiproxy.md",
            )

    return announce


def _warn(line: str) -> None:
    say(PipeConsole(stderr=True), f"limplock: {line}")
