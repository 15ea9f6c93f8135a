import asyncio

import pytest

from harness.judging.history import Gauge, History, Visit
from harness.serving.openai_api import LOCAL
from harness.serving.recorder import Recorder
from harness.serving.service import Service
from policies.call import Call
from policies.outcome import OK, Outcome


@pytest.fixture
def history() -> History:
    return History()


def service(history: History, slots: int, answer_s: float) -> Service:
    async def answer(call: Call) -> Outcome:
        await asyncio.sleep(answer_s)
        return OK

    return Service("api", slots, answer, Recorder(history), local_work_s=0.002)


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_whoever_waits_for_a_worker_holds_a_slot_that_local_requests_need(history: History) -> None:
    api = service(history, slots=2, answer_s=5.0)
    slow = [asyncio.create_task(api.handle(Call(id=f"slow-{n}", route="/v1/completions"))) for n in range(2)]
    await asyncio.sleep(1.0)
    assert (await api.handle(Call(id="local", route=LOCAL))).answered
    assert now() == pytest.approx(5.002)
    await asyncio.gather(*slow)


async def test_with_a_free_slot_a_local_request_takes_its_own_time_only(history: History) -> None:
    api = service(history, slots=2, answer_s=5.0)
    slow = asyncio.create_task(api.handle(Call(id="slow", route="/v1/completions")))
    await asyncio.sleep(1.0)
    await api.handle(Call(id="local", route=LOCAL))
    assert now() == pytest.approx(1.002)
    await slow


async def test_slots_are_given_in_order_of_arrival(history: History) -> None:
    api = service(history, slots=1, answer_s=1.0)
    await asyncio.gather(*(api.handle(Call(id=str(n), route="/v1/completions")) for n in range(4)))
    visits = list(history.of(Visit))
    assert [v.request for v in visits] == ["0", "1", "2", "3"]
    assert [v.granted_s for v in visits] == pytest.approx([0.0, 1.0, 2.0, 3.0])
    assert all(v.arrived_s == 0.0 for v in visits)


async def test_a_caller_that_leaves_gives_its_slot_or_its_place_back(history: History) -> None:
    api = service(history, slots=1, answer_s=60.0)
    holder, waiter = (asyncio.create_task(api.handle(Call(id=i, route="/v1/completions"))) for i in "ab")
    await asyncio.sleep(1.0)
    for task in (waiter, holder):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    api.sample()
    gauge = list(history.of(Gauge))[-1]
    assert gauge.values == {"in_use": 0, "waiting": 0}
    assert {(v.request, v.granted_s, v.kind) for v in history.of(Visit)} == {
        ("b", None, "abandoned"),
        ("a", 0.0, "abandoned"),
    }
    assert (await api.handle(Call(id="next", route=LOCAL))).answered


async def test_the_gauge_tells_slots_in_use_and_who_waits(history: History) -> None:
    api = service(history, slots=2, answer_s=1.0)
    tasks = [asyncio.create_task(api.handle(Call(id=str(n), route="/v1/completions"))) for n in range(5)]
    await asyncio.sleep(0.5)
    api.sample()
    assert list(history.of(Gauge))[-1].values == {"in_use": 2, "waiting": 3}
    await asyncio.gather(*tasks)


def test_a_service_without_slots_is_refused(history: History) -> None:
    with pytest.raises(ValueError, match="needs at least 1 slot"):
        service(history, slots=0, answer_s=1.0)
