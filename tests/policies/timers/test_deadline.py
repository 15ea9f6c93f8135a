"""One instant by which a call must end."""

import asyncio
import math

import pytest

from harness.serving.http_link import _headers
from harness.serving.incoming import read_call
from policies.call import Call
from policies.outcome import OK, Kind
from policies.pipeline import Pipeline
from policies.policy import Observer
from policies.timers.deadline import Deadline


class Inner:
    """Stands for everything inside the layer."""

    def __init__(self, takes_s):
        self.takes_s = takes_s
        self.calls = 0

    async def __call__(self, call):
        self.calls += 1
        await asyncio.sleep(self.takes_s)
        return OK


def now():
    return asyncio.get_running_loop().time()


async def test_a_call_that_is_quick_enough_passes_untouched():
    assert await Deadline(total_s=1).run(Call(id="c"), Inner(0.9)) is OK


async def test_a_call_that_takes_too_long_ends_at_the_deadline():
    outcome = await Deadline(total_s=1).run(Call(id="c"), Inner(5))
    assert (outcome.kind, outcome.phase, outcome.status) == (Kind.TIMEOUT, "total", 504)
    assert now() == 1.0


@pytest.mark.parametrize(("callers_s", "expected_s"), [(math.inf, 2.0), (1.0, 1.0), (3.0, 2.0)])
async def test_the_earlier_of_the_callers_and_its_own_deadline_holds(callers_s, expected_s):
    call = Call(id="c", deadline_s=callers_s)
    await Deadline(total_s=2).run(call, Inner(5))
    assert (call.deadline_s, now()) == (expected_s, expected_s)


async def test_without_any_bound_the_call_may_take_for_ever():
    assert await Deadline(total_s=math.inf).run(Call(id="c"), Inner(1e6)) is OK


@pytest.mark.parametrize("deadline_s", [-1.0, 0.0, 0.05])
async def test_a_call_too_late_for_any_answer_is_refused_unsent(deadline_s):
    inner = Inner(0)
    outcome = await Deadline(reserve_s=0.05).run(Call(id="c", deadline_s=deadline_s), inner)
    assert (outcome.kind, outcome.phase, inner.calls) == (Kind.TIMEOUT, "total", 0)


# report 4: cpython#134471
async def test_a_pending_cancellation_wins_over_a_deadline_that_has_passed():
    inner = Inner(1)

    async def late():
        asyncio.current_task().cancel()
        return await Deadline().run(Call(id="c", deadline_s=-1.0), inner)

    task = asyncio.create_task(late())
    await asyncio.wait([task])
    assert task.cancelled()
    assert inner.calls == 0


async def test_a_pending_cancellation_wins_over_a_deadline_about_to_pass():
    async def tight():
        asyncio.current_task().cancel()
        return await Deadline(reserve_s=0).run(Call(id="c", deadline_s=1e-12), Inner(1))

    task = asyncio.create_task(tight())
    await asyncio.wait([task])
    assert task.cancelled()


async def test_a_cancellation_in_the_tick_of_the_deadline_wins():
    task = asyncio.create_task(Deadline(total_s=1).run(Call(id="c"), Inner(5)))
    asyncio.get_running_loop().call_at(1.0, task.cancel)
    await asyncio.wait([task])
    assert task.cancelled()


async def test_a_timeout_from_further_in_is_not_taken_for_its_own():
    async def broken(call):
        raise TimeoutError("from further in")

    with pytest.raises(TimeoutError, match="from further in"):
        await Deadline().run(Call(id="c"), broken)


async def test_an_attempt_cut_off_by_it_is_recorded_as_such():
    endings = []

    async def hang(attempt):
        await asyncio.sleep(100)

    class Heard(Observer):
        def attempt_ended(self, attempt, outcome, now):
            endings.append((outcome.phase, now))

    bound = Pipeline(layers=(Deadline(total_s=1),)).over(["w0"], hang, Heard())
    await bound.run(Call(id="c"))
    assert endings == [("total", 1.0)]


async def test_what_is_left_of_a_deadline_shrinks_hop_by_hop_whatever_the_clocks_say():
    """Each hop forwards the time that remains, so a hop whose clock is off by an hour changes nothing."""
    call, left_ms = Call(id="c", deadline_s=now() + 2.0), []
    for _hop in range(3):
        await asyncio.sleep(0.5)
        headers = _headers(call)
        left_ms.append(int(headers["X-Deadline-Ms"]))
        far_clock_s = now() + 3600.0
        call = read_call("/v1/completions", headers, b"", far_clock_s)
        call.deadline_s -= 3600.0  # the test has one clock only
    assert left_ms == [1500, 1000, 500]
    assert call.deadline_s == pytest.approx(2.0)


@pytest.mark.parametrize(("left_s", "sent"), [(0.049, 0), (0.051, 1)])
async def test_a_hop_keeps_a_reserve_in_which_an_answer_can_get_back(left_s, sent):
    inner = Inner(0)
    headers = {"X-Deadline-Ms": str(left_s * 1000)}
    outcome = await Deadline(total_s=math.inf).run(read_call("/v1/completions", headers, b"", now()), inner)
    assert (inner.calls, outcome.kind is Kind.OK) == (sent, bool(sent))


async def test_a_call_without_a_deadline_carries_none_on_and_a_late_one_carries_nothing_left():
    assert "X-Deadline-Ms" not in _headers(Call(id="c"))
    assert _headers(Call(id="c", deadline_s=now() - 5))["X-Deadline-Ms"] == "0"


async def test_the_deadline_that_goes_on_is_the_earlier_of_the_callers_and_its_own():
    seen = []

    async def send(attempt):
        seen.append(_headers(attempt.call)["X-Deadline-Ms"])
        return OK

    bound = Pipeline(layers=(Deadline(total_s=1),)).over(["w0"], send)
    for callers_s in (0.4, 5.0, math.inf):
        await bound.run(Call(id="c", deadline_s=callers_s))
    assert seen == ["400", "1000", "1000"]


# report 4: cpython#134471
async def test_with_a_deadline_that_has_passed_a_pending_cancellation_wins_and_no_attempt_is_sent():
    sent = []

    async def send(attempt):
        sent.append(attempt)
        return OK

    bound = Pipeline(layers=(Deadline(),)).over(["w0"], send)

    async def late():
        asyncio.current_task().cancel()
        return await bound.run(Call(id="c", deadline_s=-1.0))

    task = asyncio.create_task(late())
    await asyncio.wait([task])
    assert (task.cancelled(), sent) == (True, [])
