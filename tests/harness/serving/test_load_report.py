"""What a worker says of itself."""

import asyncio

import pytest

from harness.serving.load_report import FORGET_S, KEEP, LatencyByLoad, LoadReport
from policies.call import Call
from policies.outcome import Kind
from tests.harness.serving.memory_stand import STEP_S, memory_stand


def latencies(*samples: tuple[int, float]) -> LatencyByLoad:
    made = LatencyByLoad()
    for in_flight, seconds in samples:
        made.add(in_flight, seconds, 0.0)
    return made


@pytest.mark.parametrize(
    ("in_flight", "typical_s"),
    [(0, 0.1), (2, 0.1), (3, 0.1), (5, pytest.approx(0.55)), (8, 1.0), (10, 1.0), (99, 1.0)],
)
def test_the_latency_is_that_of_requests_that_came_to_about_as_many(in_flight: int, typical_s: float) -> None:
    assert latencies((2, 0.1), (2, 0.1), (8, 1.0), (8, 1.0)).typical_s(in_flight, 0.0) == typical_s


def test_one_more_or_less_is_about_as_many_and_the_median_of_them_counts() -> None:
    assert latencies((3, 0.1), (4, 0.2), (5, 9.0), (7, 50.0)).typical_s(4, 0.0) == 0.2


def test_without_a_request_there_is_no_latency() -> None:
    assert LatencyByLoad().typical_s(0, 0.0) is None


def test_what_is_old_is_forgotten_by_time_and_by_number() -> None:
    made = latencies((0, 5.0))
    assert made.typical_s(0, FORGET_S) == 5.0
    assert made.typical_s(0, FORGET_S + 0.1) is None
    assert latencies(*[(0, 5.0)] * KEEP, *[(0, 1.0)] * KEEP).typical_s(0, 0.0) == 1.0


def test_a_request_that_was_given_up_counts_only_if_it_took_longer_than_is_usual() -> None:
    made = latencies((0, 1.0))
    made.add_at_least(0, 0.5, 0.0)
    assert made.typical_s(0, 0.0) == 1.0
    made.add_at_least(0, 3.0, 0.0)
    assert made.typical_s(0, 0.0) == 2.0


def call(name: str, tokens: int = 8, prompt: int = 4) -> Call:
    return Call(id=name, prompt_tokens=prompt, max_tokens=tokens)


async def test_running_and_waiting_requests_are_in_flight_and_answers_are_timed() -> None:
    async with memory_stand(seats=2) as stand:
        report = LoadReport(stand.worker)
        tasks = [asyncio.create_task(report.handle(call(str(n)))) for n in range(3)]
        await asyncio.sleep(0.01)
        assert report.load(0.01).in_flight == 3
        await asyncio.gather(*tasks)
        now = asyncio.get_running_loop().time()
        assert report.load(now).in_flight == 0
        assert report.load(now).latency_s == pytest.approx(8 * STEP_S), "of those that came to none and one"


async def test_a_caller_that_gives_up_after_long_is_evidence_and_one_that_leaves_soon_is_not() -> None:
    async with memory_stand() as stand:
        report, loop = LoadReport(stand.worker), asyncio.get_running_loop()
        await report.handle(call("whole"))
        for after_s, expected_s in ((0.01, 8 * STEP_S), (5.0, (8 * STEP_S + 5.0) / 2)):
            task = asyncio.create_task(report.handle(call("left", tokens=400)))
            await asyncio.sleep(after_s)
            task.cancel()
            await asyncio.wait([task])
            assert report.load(loop.time()).latency_s == pytest.approx(expected_s)
            await asyncio.sleep(2 * STEP_S)


async def test_a_refusal_is_no_quick_answer() -> None:
    async with memory_stand() as stand:
        report = LoadReport(stand.worker)
        assert (await report.handle(call("wrong", prompt=0))).kind is Kind.ERROR
        assert report.load(0.0).latency_s is None
