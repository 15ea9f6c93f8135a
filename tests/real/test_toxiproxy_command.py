"""`limplock toxiproxy` as a user runs it, in place of `toxiproxy-server`; and a proxy at once."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import psutil
import pytest

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.server import serve
from tests.faults.toxiproxy.servers import connect, echo, hang_up, worker

pytestmark = pytest.mark.real

TOXIC = {"type": "latency", "attributes": {"latency": 7}}
PROXY = {"name": "a", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:9", "toxics": [TOXIC]}

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the command in a folder of its own; what still runs in the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        program = subprocess.Popen(
            [sys.executable, "-m", "harness", "toxiproxy", *arguments],
            cwd=tmp_path,
            env={"PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": "60", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(program)
        return program

    yield run
    for program in started:
        program.kill()
        program.communicate()


def url_of(program: subprocess.Popen[str]) -> str:
    """Where it says that it listens, in its one line."""
    assert program.stdout is not None
    line = program.stdout.readline()
    assert "Ctrl-C stops it" in line
    assert "docs/toxiproxy.md" in line
    found = re.search(r"http://\S+:\d+", line)
    assert found, line
    return found[0]


def get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.loads(answer.read())


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_serves_its_file_until_a_signal_closes_all(
    start: Start, tmp_path: Path, number: int, code: int
) -> None:
    (tmp_path / "proxies.json").write_text(json.dumps([PROXY]))
    program = start("-host", "127.0.0.1", "-port=0", "-config", "proxies.json", "-seed", "-5")
    url = url_of(program)
    assert get(f"{url}/version")["version"].startswith("2.12.0")
    shown = get(f"{url}/proxies")["a"]
    assert shown["toxics"][0]["attributes"] == {"latency": 7, "jitter": 0}
    host, port = shown["listen"].split(":")
    with socket.create_connection((host, int(port))) as caller:
        program.send_signal(number)
        assert program.wait(10) == code
        caller.settimeout(5)
        assert caller.recv(1) == b""
    assert program.communicate() == ("", "limplock: stopped and cleaned up\n")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))


def test_a_port_that_is_taken_is_one_line_and_exit_4(start: Start, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = start("-port", str(port)).communicate(timeout=20)
        assert said[0] == ""
        assert said[1].startswith(f"limplock: cannot listen on localhost:{port}: address already in use")
        (tmp_path / "proxies.json").write_text(json.dumps([PROXY | {"listen": f"127.0.0.1:{port}"}]))
        program = start("-port", "0", "-config", "proxies.json")
        said = program.communicate(timeout=20)
        assert (said[0], program.returncode) == ("", 4)
        assert said[1].startswith(
            f"limplock: proxies.json: listen tcp 127.0.0.1:{port}: bind: address already"
        )
        assert said[1].count("\n") == 1


def test_in_strict_compat_a_wrong_file_is_logged_and_toxics_in_it_are_ignored(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "good.json").write_text(json.dumps([PROXY]))
    assert (
        get(url_of(start("--strict-compat", "-port", "0", "-config", "good.json")) + "/proxies/a")["toxics"]
        == []
    )
    (tmp_path / "wrong.json").write_text(json.dumps([PROXY, {"name": "b"}]))
    for name, why in (("wrong.json", "upstream at proxy 2"), ("none.json", "No such file")):
        program = start("--strict-compat", "-port", "0", "-config", name)
        assert get(url_of(program) + "/proxies") == {}
        program.terminate()
        assert why in program.communicate(timeout=10)[1]


@pytest.mark.parametrize(
    ("options", "present", "absent"),
    [
        (["-proxy-metrics=true"], "toxiproxy_proxy_received_bytes_total", "process_"),
        (["-proxy-metrics=false", "--runtime-metrics"], "process_resident_memory_bytes", "toxiproxy_"),
    ],
)
def test_metrics_are_served_as_asked(start: Start, options: list[str], present: str, absent: str) -> None:
    url = url_of(start(*options, "-port=0"))
    with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    assert present in text
    assert absent not in text


def test_a_log_level_of_the_original_silences_it_and_an_unknown_one_is_told(start: Start) -> None:
    program = start("-port", "0", LOG_LEVEL="loud")
    url_of(program)
    program.terminate()
    assert "LOG_LEVEL: expected one of trace, debug" in program.communicate(timeout=10)[1]
    program = start("-port", "0", LOG_LEVEL="error")
    while not psutil.Process(program.pid).net_connections("tcp"):
        time.sleep(0.01)
        assert program.poll() is None
    program.terminate()
    assert program.communicate(timeout=10)[0] == ""


async def test_a_proxy_is_ready_in_a_fifth_of_a_second_without_any_installation() -> None:
    # report 33: testcontainers-python#1104
    async def ready_s(address: str) -> float:
        start_s = time.perf_counter()
        async with serve() as port:
            proxy = await ToxiproxyClient(f"http://127.0.0.1:{port}").create("p", "127.0.0.1:0", address)
            reader, writer = await connect(proxy.listen)
            writer.write(b"x")
            assert await asyncio.wait_for(reader.read(1), 5) == b"x"
            took_s = time.perf_counter() - start_s
            await hang_up(writer)
            return took_s

    async with worker(echo) as address:
        assert median([await ready_s(address) for _ in range(20)]) < 0.2
