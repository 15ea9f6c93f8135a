import asyncio
import gc
from typing import NoReturn

import pytest

from harness.load.callers import Planned, cancel_all, send_open_loop

PLAN = [Planned(0.1 * n, "chat", n) for n in range(1, 11)]


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_requests_go_out_on_schedule_however_long_the_others_take() -> None:
    sent: list[float] = []

    async def send(planned: Planned) -> None:
        sent.append(now())
        await asyncio.sleep(5.0)

    left = await send_open_loop(PLAN, send, zero_s=now())
    assert sent == pytest.approx([p.intended_s for p in PLAN])
    assert len(left) == 10
    await cancel_all(left)


async def test_a_freeze_delays_no_arrival_after_it() -> None:
    """Arrivals continue on schedule: the next one is due at its own time, not a gap after the late one."""
    sent: list[float] = []

    async def send(planned: Planned) -> None:
        sent.append(now())

    asyncio.get_running_loop().call_at(0.35, setattr, asyncio.get_running_loop(), "_now", 0.62)
    await send_open_loop(PLAN, send, zero_s=0.0)
    assert sent[-4:] == pytest.approx([0.7, 0.8, 0.9, 1.0])
    assert sum(s > p.intended_s + 1e-9 for s, p in zip(sent, PLAN, strict=True)) == 3


async def test_the_first_error_is_handed_over_and_no_other_is_printed() -> None:
    unheard: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: unheard.append(str(context["message"])))
    broken: asyncio.Future[NoReturn] = loop.create_future()

    async def send(planned: Planned) -> None:
        raise RuntimeError(str(planned.number))

    await send_open_loop(PLAN, send, zero_s=0.0, broken=broken)
    await asyncio.sleep(1)
    gc.collect()
    assert str(broken.exception()) == "1"
    assert unheard == []


async def test_what_has_ended_is_not_returned() -> None:
    async def send(planned: Planned) -> None:
        await asyncio.sleep(0.05)

    left = await send_open_loop(PLAN, send, zero_s=0.0)
    assert len(left) == 1
    await cancel_all(left)


async def test_stopping_the_load_ends_every_request_that_was_sent() -> None:
    ended: list[int] = []

    async def send(planned: Planned) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(planned.number)

    task = asyncio.create_task(send_open_loop(PLAN, send, zero_s=0.0))
    await asyncio.sleep(0.55)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == [1, 2, 3, 4, 5]


async def test_the_first_error_of_a_request_is_passed_on_when_it_comes() -> None:
    async def send(planned: Planned) -> None:
        await asyncio.sleep(0.05)
        if planned.number in (3, 5):
            raise ZeroDivisionError(planned.number)

    broken: asyncio.Future[NoReturn] = asyncio.get_running_loop().create_future()
    sending = asyncio.create_task(send_open_loop(PLAN, send, 0.0, broken))
    with pytest.raises(ZeroDivisionError, match="3"):
        await broken
    assert now() == pytest.approx(0.35)
    await cancel_all(await sending)


async def test_a_request_that_was_cancelled_is_no_error() -> None:
    async def send(planned: Planned) -> None:
        raise asyncio.CancelledError

    broken: asyncio.Future[NoReturn] = asyncio.get_running_loop().create_future()
    await send_open_loop(PLAN, send, 0.0, broken)
    await asyncio.sleep(1)
    assert not broken.done()
