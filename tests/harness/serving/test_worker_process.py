import asyncio
import multiprocessing
from collections.abc import Sequence as SequenceOf

import pytest

from harness.errors import BadInput
from harness.serving.engine import Sequence
from harness.serving.openai_api import COMPLETIONS
from harness.serving.worker_process import FAILED, end_in_words, step_until
from policies.call import Call
from policies.outcome import Kind
from tests.harness.serving.fakes import FakeEngine, fake_worker


class Breaking(FakeEngine):
    """An engine whose step says one token too few, which the step loop cannot survive."""

    def step(self, batch: SequenceOf[Sequence]) -> list[int]:
        return super().step(batch)[:-1]


def completion() -> Call:
    return Call(id="r1", route=COMPLETIONS, payload=b'{"prompt": "hi"}')


async def test_when_the_step_loop_breaks_the_process_goes_on_to_its_end_with_the_cause() -> None:
    worker = fake_worker(Breaking())
    ended = asyncio.create_task(step_until(asyncio.Event(), worker))
    waiting = [asyncio.create_task(worker.handle(completion())) for _ in range(6)]
    with pytest.raises(ValueError, match="shorter"):
        await ended
    for outcome in await asyncio.gather(*waiting):
        assert (outcome.kind, outcome.status) == (Kind.ERROR, 500)
        assert outcome.cause.startswith("the step loop broke: ValueError: ")


async def test_a_request_that_comes_after_the_step_loop_broke_is_not_left_waiting() -> None:
    worker = fake_worker(Breaking())
    ended = asyncio.create_task(step_until(asyncio.Event(), worker))
    await worker.handle(completion())
    assert (await worker.handle(completion())).kind is Kind.ERROR
    with pytest.raises(ValueError, match="shorter"):
        await ended


async def test_told_to_stop_the_step_loop_ends_in_peace() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(1.0, stop.set)
    await step_until(stop, fake_worker(FakeEngine()))
    assert asyncio.get_running_loop().time() == 1.0


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        (RuntimeError("CUDA out of memory.\nTried to allocate 20 MiB"), "RuntimeError: CUDA out of memory."),
        (OSError(5, "Input/output error"), "OSError: [Errno 5] Input/output error"),
        (RuntimeError(), "RuntimeError"),
        (MemoryError(), "worker-0 ran out of memory"),
        (BadInput("unknown model 'x'"), "unknown model 'x'"),
    ],
)
def test_a_failed_start_is_one_line_to_the_pool_and_an_exit_status(
    broken: Exception, line: str, capfd: pytest.CaptureFixture[str]
) -> None:
    async def start() -> None:
        raise broken

    hear, tell = multiprocessing.Pipe(duplex=False)
    with hear, tell:
        with pytest.raises(SystemExit) as ended:
            end_in_words("worker-0", start(), tell)
        assert hear.recv() == line
    assert ended.value.code == FAILED
    assert capfd.readouterr() == ("", "")


def test_a_worker_that_breaks_when_nobody_listens_any_more_still_ends_without_a_traceback() -> None:
    async def serve() -> None:
        raise RuntimeError("broke")

    hear, tell = multiprocessing.Pipe(duplex=False)
    hear.close()
    with tell, pytest.raises(SystemExit) as ended:
        end_in_words("worker-0", serve(), tell)
    assert ended.value.code == FAILED
