"""Whatever a client sends is refused in words, by gateway and worker alike, and nothing is printed."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator

import pytest

from harness.serving.fault_desk import FaultDesk
from harness.serving.gateway_server import GatewayServer
from harness.serving.http_link import HttpLink
from harness.serving.http_server import MAX_BODY_BYTES, RunningServer, application, listen
from harness.serving.worker_metrics import PrometheusMeter
from harness.serving.worker_server import WorkerServer
from policies.call import Call, Chunk
from policies.outcome import Outcome
from tests.faults.fakes import FakeSite
from tests.harness.serving.fakes import FakeEngine, fake_worker

pytestmark = pytest.mark.real

COMPLETIONS = "POST /v1/completions"
FAULT = "POST /admin/fault"
DEEP = b'{"x":' + b"[" * 100_000


class PassOn:
    """A gateway without policies."""

    def __init__(self, link: HttpLink) -> None:
        self.handle = link.handle


@pytest.fixture
async def tiers() -> AsyncIterator[dict[str, RunningServer]]:
    worker = fake_worker(FakeEngine(), step_s=0.0)
    running = asyncio.create_task(worker.run())
    server = await listen(WorkerServer(worker, PrometheusMeter("fake")).application())
    link = HttpLink(server.url, "worker-0")
    desk = FaultDesk({"worker-0": FakeSite()})
    gateway = await listen(GatewayServer(PassOn(link), desk, "fake", {"worker-0": server.url}).application())
    yield {"worker": server, "gateway": gateway}
    await desk.close()
    for each in (gateway, link, server):
        await each.close()
    running.cancel()


async def ask(port: int, request: str, body: bytes = b"", *headers: bytes) -> tuple[int, dict]:
    """Status and JSON of one request, written byte by byte so that it can be wrong."""
    lines = [f"{request} HTTP/1.1".encode(), b"Host: x", b"Connection: close", *headers]
    lines.append(b"Content-Length: %d" % len(body))
    status, answer = await say(port, b"\r\n".join(lines) + b"\r\n\r\n" + body)
    return status, json.loads(answer)


async def say(port: int, data: bytes) -> tuple[int, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    head, _, body = (await asyncio.wait_for(reader.read(), 10)).partition(b"\r\n\r\n")
    writer.close()
    return int(head.split()[1]), body


@pytest.mark.parametrize("tier", ["worker", "gateway"])
@pytest.mark.parametrize(
    ("request_line", "body", "headers", "status"),
    [
        (COMPLETIONS, b'{"prompt":' + b"[" * 100_000, [], 400),
        (COMPLETIONS, DEEP, [], 400),
        (COMPLETIONS, b'{"prompt":"hi"}', [b"Content-Encoding: gzip"], 400),
        (COMPLETIONS, b'{"prompt":"hi"}', [b"Content-Encoding: deflate"], 400),
        (COMPLETIONS, b"x" * (MAX_BODY_BYTES + 1), [], 413),
        ("GET /v1/completions", b"", [], 405),
        ("GET /nowhere", b"", [], 404),
        (FAULT, DEEP, [], 400),
        (FAULT, b"{}", [b"Content-Encoding: gzip"], 400),
    ],
    ids=[
        "deep",
        "deep-unknown",
        "gzip",
        "deflate",
        "large",
        "method",
        "path",
        "fault",
        "fault-gzip",
    ],
)
async def test_a_bad_request_is_answered_with_an_error_object_and_nothing_is_printed(
    tiers: dict[str, RunningServer],
    capfd: pytest.CaptureFixture[str],
    tier: str,
    request_line: str,
    body: bytes,
    headers: list[bytes],
    status: int,
) -> None:
    got, answer = await ask(tiers[tier].port, request_line, body, *headers)
    assert (got, answer["error"]["code"]) == (status, status)
    assert capfd.readouterr() == ("", "")


async def test_an_id_of_wrong_bytes_is_served_through_both_tiers(tiers: dict[str, RunningServer]) -> None:
    for tier in tiers.values():
        status, answer = await ask(
            tier.port, COMPLETIONS, b'{"prompt":"hi"}', b"X-Request-Id: \xff\xfe", b"X-Caller: \xff"
        )
        assert (status, answer["choices"][0]["text"][:3]) == (200, "abc")


@pytest.mark.parametrize(
    "data",
    [
        b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi",
        b"\x16\x03\x01\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost x\r\n\r\n",
    ],
    ids=["length", "chunk", "tls", "header"],
)
async def test_what_is_no_http_is_refused_without_a_word_on_the_terminal(
    tiers: dict[str, RunningServer], capfd: pytest.CaptureFixture[str], data: bytes
) -> None:
    """The quiet logger passes on to whoever set logging up, and prints nothing itself."""
    status, _ = await say(tiers["worker"].port, data)
    assert status == 400
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("limplock.http").handlers


@pytest.mark.parametrize("after", [0, 1])
async def test_a_bug_of_ours_is_answered_in_words_also_in_mid_stream(after: int) -> None:
    async def breaks(call: Call) -> Outcome:
        for _ in range(after):
            call.sink(Chunk(b'{"choices":[{"text":"x"}]}'))
            await asyncio.sleep(0.01)
        raise KeyError("forgotten")

    server = await listen(application(breaks))
    link = HttpLink(server.url, "worker-0")
    outcome = await link.handle(
        Call(id="r1", route="/v1/completions", payload=b'{"stream":true}', stream=True)
    )
    await link.close()
    await server.close()
    assert outcome.cause == "internal error: KeyError: 'forgotten'"


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ({"kind": "slow_steps", "lease_s": 0}, "lease_s must be above 0"),
        ({"kind": "slow_steps", "lease_s": 3601}, "at most 3600"),
        ({"kind": "killed", "lease_s": 3}, "no fault inside a worker"),
        ({"kind": "link_latency", "lease_s": 3}, "no fault inside a worker"),
        ({"kind": "nap", "lease_s": 3}, "unknown fault"),
    ],
    ids=["now", "hours", "killed", "link", "unknown"],
)
async def test_a_worker_takes_only_faults_of_its_own_that_end(
    tiers: dict[str, RunningServer], order: dict, says: str
) -> None:
    status, answer = await ask(tiers["worker"].port, FAULT, json.dumps(order).encode())
    assert status == 400
    assert says in answer["error"]["message"]


@pytest.mark.parametrize("for_s", [0, -1, 86401, 1e300])
async def test_a_gateway_takes_only_faults_that_end_within_a_day(
    tiers: dict[str, RunningServer], for_s: float
) -> None:
    order = {"fault": "slow_steps()", "worker": "worker-0", "for_s": for_s}
    status, answer = await ask(tiers["gateway"].port, FAULT, json.dumps(order).encode())
    assert status == 400
    assert "above 0 s and at most 86400 s" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("slow_stps", "unknown fault 'slow_stps'. Closest: slow_steps"),
        ("slow_steps(factor=0)", "factor must be 1 or more"),
        ("link_latency(2timeout)", "needs a policy with a timeout"),
    ],
)
async def test_a_gateway_says_what_is_wrong_with_the_text_of_a_fault(
    tiers: dict[str, RunningServer], fault: str, says: str
) -> None:
    order = {"fault": fault, "worker": "worker-0", "for_s": 1}
    status, answer = await ask(tiers["gateway"].port, FAULT, json.dumps(order).encode())
    assert status == 400
    assert says in answer["error"]["message"]


async def test_the_gateway_shows_the_model_as_its_workers_do(tiers: dict[str, RunningServer]) -> None:
    _, shown = await ask(tiers["worker"].port, "GET /v1/models")
    assert shown["data"][0]["max_model_len"] == 64
    assert shown["data"][0]["created"] > 1_700_000_000
    assert await ask(tiers["gateway"].port, "GET /v1/models") == (200, shown)
