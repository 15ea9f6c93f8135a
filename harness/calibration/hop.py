"""What one hop over HTTP costs: a small streamed request to a server in a process of its own."""

import asyncio
import signal
import statistics
import time
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.http_link import HttpLink
from harness.serving.http_server import application, listen
from harness.serving.openai_api import COMPLETIONS
from harness.serving.orphan import die_with_parent
from harness.serving.pool import forkserver_context
from policies.outcome import OK, Outcome
from policies.policy import Call, Chunk

ROUNDS, REQUESTS = 10, 50  # the first round is a warm-up
START_TIMEOUT_S, STOP_TIMEOUT_S = 60.0, 3.0

_PAYLOAD = b'{"prompt": "A list is", "max_tokens": 1, "stream": true}'
_PIECE = b'{"choices": [{"index": 0, "text": " a", "finish_reason": null}]}'


async def time_hop() -> float:
    """Seconds from sending a request to the end of its answer, one at a time, nothing computed.

    The median of the quickest round, the one that other programs disturbed least.
    """
    context = forkserver_context()
    hear, tell = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(tell,), name="hop", daemon=True)
    process.start()
    tell.close()
    try:
        port = await asyncio.to_thread(_hear, hear)
        return await _time_requests(f"http://127.0.0.1:{port}")
    finally:
        process.kill()
        await asyncio.shield(asyncio.to_thread(_end, process))


async def _time_requests(url: str) -> float:
    link = HttpLink(url, "hop")
    try:
        rounds = [[await _time_request(link) for _ in range(REQUESTS)] for _ in range(ROUNDS)]
    finally:
        await link.close()
    return min(map(statistics.median, rounds[1:]))


async def _time_request(link: HttpLink) -> float:
    call = Call(id="hop", route=COMPLETIONS, payload=_PAYLOAD)
    began_s = time.perf_counter()
    outcome = await link.handle(call)
    took_s = time.perf_counter() - began_s
    if not outcome.answered:
        raise EnvironmentFault(f"a request on loopback failed: {outcome.cause}")
    return took_s


def _serve(tell: Connection) -> None:
    """Entry of the child process; ends when killed, or by itself when its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    asyncio.run(_answer_for_ever(tell))


async def _answer_for_ever(tell: Connection) -> None:
    server = await listen(application(_answer))
    tell.send(server.port)
    await asyncio.get_running_loop().create_future()


async def _answer(call: Call) -> Outcome:
    call.sink(Chunk(_PIECE))
    return OK


def _hear(hear: Connection) -> int:
    with hear:
        try:
            if hear.poll(START_TIMEOUT_S):
                return int(hear.recv())
        except EOFError:
            pass
    raise EnvironmentFault("the process that answers requests did not start; try again")


def _end(process: BaseProcess) -> None:
    process.join(STOP_TIMEOUT_S)
    if process.is_alive():
        raise CleanupUnverified(f"{process.name} (process {process.pid}) still runs after SIGKILL")
