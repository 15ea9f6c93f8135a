"""`limplock serve` and `limplock fault` as a user runs them, and what is said when they cannot."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import openai
import psutil
import pytest

pytestmark = pytest.mark.real

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return os.environ | {"LIMPLOCK_CACHE": str(tmp_path), "COLUMNS": "200"}


@pytest.fixture
def limplock(env: dict[str, str], tmp_path: Path) -> Command:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "harness", *arguments]
        return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    return run


@pytest.fixture
def serving(env: dict[str, str], tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """A serving layer; what it printed, by the first word of the line."""
    command = [sys.executable, "-m", "harness", "serve", "--workers", "2", "--toxiproxy", "embedded"]
    process = subprocess.Popen(command, env=env, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said: dict[str, str] = {}
    for line in process.stdout:
        if line.strip():
            word, rest = line.split(maxsplit=1)
            said[word] = rest.strip()
        if line.startswith("Ctrl-C"):
            break
    yield process, said
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.wait(30)
    process.stdout.close()


@pytest.fixture
def gateway(serving: tuple[subprocess.Popen[str], dict[str, str]]) -> Iterator[dict[str, str]]:
    """What a serving layer printed. It must end well."""
    process, said = serving
    yield said
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0


def state_of(worker_line: str) -> dict:
    url = worker_line.split()[0]
    with urllib.request.urlopen(f"{url}/admin/state", timeout=10) as answer:
        return json.loads(answer.read())


def test_the_official_client_is_served_through_the_gateway(gateway: dict[str, str]) -> None:
    with openai.OpenAI(base_url=gateway["gateway"], api_key="unused", max_retries=0) as client:
        whole = client.completions.create(model="tiny", prompt="The class ", max_tokens=8, temperature=0)
        stream = client.completions.create(
            model="tiny", prompt="The class ", max_tokens=8, temperature=0, stream=True
        )
        assert "".join(piece.choices[0].text for piece in stream) == whole.choices[0].text
        assert [model.id for model in client.models.list()] == ["tiny"]
        with pytest.raises(openai.NotFoundError):
            client.completions.create(model="gpt-9", prompt="x", max_tokens=4)


def test_the_printed_curl_line_works(gateway: dict[str, str]) -> None:
    url = re.search(r"http://\S+", gateway["curl"])
    body = re.search(r"-d '(.*)'", gateway["curl"])
    assert url
    assert body
    request = urllib.request.Request(
        url[0], data=body[1].encode(), headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert json.loads(answer.read())["choices"][0]["text"]
        assert answer.headers["X-Served-By"].startswith("worker-")


def test_an_ordered_fault_is_on_and_heals_by_itself(gateway: dict[str, str], limplock: Command) -> None:
    done = limplock("fault", "slow_steps", "--worker", "1", "--factor", "10", "--for", "2")
    assert done.returncode == 0, done.stderr
    assert "slow_steps(factor=10) on worker-1 for 2 s" in done.stdout
    assert state_of(gateway["worker-1"])["fault"] == "slow_steps"
    assert state_of(gateway["worker-0"])["fault"] == "none"
    give_up = time.monotonic() + 20
    while state_of(gateway["worker-1"])["fault"] != "none":
        assert time.monotonic() < give_up
        time.sleep(0.1)


def test_a_fault_may_be_ended_early_and_serve_tells_both(
    serving: tuple[subprocess.Popen[str], dict[str, str]], limplock: Command
) -> None:
    process, said = serving
    assert limplock("fault", "slow_steps", "--worker", "1", "--for", "600").returncode == 0
    done = limplock("fault", "--lift", "--worker", "1")
    assert (done.returncode, done.stdout) == (0, "slow_steps(factor=10) on worker-1 has ended\n")
    assert state_of(said["worker-1"])["fault"] == "none"
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(2)]
    assert [line.split(" on worker-1 ")[1] for line in told] == ["for 600 s\n", "has ended\n"]


def test_a_worker_that_is_not_there_is_refused_with_the_closest(
    gateway: dict[str, str], limplock: Command
) -> None:
    done = limplock("fault", "slow_steps", "--worker", "7")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "unknown worker 'worker-7'" in done.stderr


def test_serving_ends_with_exit_6_when_a_worker_does_not_confirm_its_healing(
    serving: tuple[subprocess.Popen[str], dict[str, str]], limplock: Command
) -> None:
    process, said = serving
    done = limplock("fault", "slow_steps", "--worker", "1", "--for", "600")
    assert done.returncode == 0, done.stderr
    port = int(said["worker-1"].split()[0].rpartition(":")[2])
    [worker] = [
        each
        for each in psutil.Process(process.pid).children(recursive=True)
        if any(c.status == psutil.CONN_LISTEN and c.laddr.port == port for c in each.net_connections())
    ]
    worker.suspend()
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 6
    assert not psutil.pid_exists(worker.pid)


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_taken_port_is_exit_4_with_a_remedy(limplock: Command, taken_port: int) -> None:
    done = limplock("serve", "--port", str(taken_port), "--workers", "1", "--toxiproxy", "embedded")
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert f"cannot listen on 127.0.0.1:{taken_port}" in done.stderr


def test_a_toxiproxy_that_is_not_there_is_exit_4_with_a_remedy(limplock: Command) -> None:
    done = limplock("run", "healthy", "--toxiproxy", "http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (4, "")
    assert "http://127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_checkpoint_that_cannot_be_read_is_refused(limplock: Command, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    done = limplock("run", "healthy", "--model", str(tmp_path / "model"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


class Foreign(BaseHTTPRequestHandler):
    """Somebody else's HTTP server. Takes everything that it is sent."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.server.posted = True
        self._answer()

    def _answer(self) -> None:
        body = b'{"hello": "world"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def foreign() -> Iterator[HTTPServer]:
    with HTTPServer(("127.0.0.1", 0), Foreign) as server:
        server.posted = False
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_gateway_that_is_something_else_is_not_talked_into_a_fault(
    limplock: Command, foreign: HTTPServer
) -> None:
    url = f"http://127.0.0.1:{foreign.server_port}"
    done = limplock("fault", "slow_steps", "--gateway", url)
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert f"what listens at {url} is not a limplock gateway" in done.stderr
    assert not foreign.posted


def test_a_gateway_where_nothing_listens_is_exit_4_with_a_remedy(limplock: Command) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # taken, and refusing: it never listens
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        done = limplock("fault", "slow_steps", "--gateway", url)
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert f"no gateway at {url}" in done.stderr
    assert "Start one with `limplock serve`" in done.stderr


@pytest.mark.parametrize("url", ["http://[::1", "http://127.0.0.1", "http://example.org:80", "nonsense"])
def test_a_gateway_url_that_is_none_or_elsewhere_is_exit_2(limplock: Command, url: str) -> None:
    done = limplock("fault", "slow_steps", "--gateway", url)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"--gateway {url}" in done.stderr


def test_a_cache_that_cannot_be_written_is_exit_4_before_anything_stands(
    env: dict[str, str], limplock: Command, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    env["LIMPLOCK_CACHE"] = str(tmp_path / "file")
    done = limplock("serve", "--workers", "1", "--toxiproxy", "embedded")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (4, "", 1)
    assert "LIMPLOCK_CACHE" in done.stderr
    assert "--out" not in done.stderr
