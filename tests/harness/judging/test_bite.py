import pytest
from msgspec.structs import replace

from harness.judging.bite import measure_bite
from harness.judging.effects import MEASURES
from harness.judging.effects.measure import Measure
from harness.judging.effects.steps import mean_step_s
from harness.judging.history import Attempted, FaultChanged, FaultSetup, Gauge, History
from harness.judging.windows import Window, timeline
from tests.harness.judging.synthetic import CONTAINED, simulate


def bite(**changes):
    history = simulate(**changes)
    return measure_bite(history, timeline(history))


def counted(*samples):
    return [
        Gauge(at_s=at, place="w", values={"steps": steps, "step_seconds": spent})
        for at, steps, spent in samples
    ]


def test_a_slowdown_is_measured_at_the_worker_within_a_tenth():
    found = bite(size=10.0)
    assert found.measured == pytest.approx(10.0, rel=0.1)
    assert (found.bit, found.as_asked) == (True, True)
    assert found.words == "step time of worker 2: x10 asked, x10 measured"


def test_a_worker_that_is_soon_benched_is_still_measured():
    assert bite(**CONTAINED | {"benched_after_s": 1.0}).as_asked


@pytest.mark.parametrize(
    ("effect", "bit", "as_asked"), [(1.0, False, False), (4.0, False, False), (7.0, True, False)]
)
def test_below_half_of_the_effect_it_did_not_bite(effect, bit, as_asked):
    found = bite(size=10.0, effect=effect)
    assert (found.bit, found.as_asked) == (bit, as_asked)


def test_no_effect_is_no_bite_even_for_a_fault_that_asks_for_little():
    assert not bite(size=1.5, effect=1.0).bit
    assert bite(size=1.5).bit


@pytest.mark.parametrize(
    ("kind", "neutral", "words"),
    [
        ("slow_steps", 1.0, "step time of worker 2: x1 asked, which is no fault at all, x1 measured"),
        ("link_latency", 0.0, "delay of worker 2: 0 s asked, which is no fault at all, 0 s measured"),
    ],
)
def test_a_fault_that_was_asked_to_do_nothing_has_not_bitten(kind, neutral, words):
    found = bite(kind=kind, size=neutral, fault_s=8.0, recovery_s=1.0)
    assert (found.bit, found.words) == (False, words)


@pytest.mark.parametrize(("kind", "size"), [("slow_steps", 1.0000000001), ("stopped", 1e-9)])
def test_a_fault_that_was_asked_for_too_little_to_be_told_has_not_bitten(kind, size):
    found = bite(kind=kind, size=size, fault_s=8.0, recovery_s=1.0)
    assert not found.bit
    assert "which is no fault at all" in found.words


def test_a_delay_is_what_the_probe_through_the_link_takes_longer():
    found = bite(kind="link_latency", size=6.0)
    assert found.measured == pytest.approx(6.0, rel=0.1)
    assert found.bit
    assert not bite(kind="link_latency", size=6.0, effect=0.0).bit


def test_a_kill_bit_if_the_worker_was_gone():
    assert bite(kind="killed").bit
    history = simulate(kind="killed")
    alive = [r for r in history.records if not (isinstance(r, Gauge) and r.values.get("up") == 0)]
    assert not measure_bite(History(alive), timeline(history)).bit


def test_of_several_workers_the_one_that_was_bitten_least_decides():
    history = simulate(faulted=("worker 1", "worker 2"), fault_s=8.0, recovery_s=1.0)
    assert measure_bite(history, timeline(history)).words.endswith("x10 measured (the least of 2 workers)")
    setup = replace(history.setup, fault=replace(history.setup.fault, workers=["worker 1", "worker 3"]))
    spared = measure_bite(History([setup, *history.records[1:]]), timeline(history))
    assert (spared.worker, spared.bit) == ("worker 3", False)


def test_a_worker_of_several_that_nobody_looked_at_was_not_bitten():
    history = simulate(kind="killed", faulted=("worker 1", "worker 2"), fault_s=4.0, recovery_s=1.0)
    assert measure_bite(history, timeline(history)).bit
    seen = [r for r in history.records if not (isinstance(r, Gauge) and r.place == "worker 2")]
    assert measure_bite(History(seen), timeline(history)).words == (
        "worker 2 was not looked at (the least of 2 workers)"
    )


def test_a_fault_that_nobody_confirmed_did_not_bite():
    found = bite(installed=False)
    assert not found.bit
    assert "never installed" in found.words


def test_a_healthy_run_has_no_bite():
    assert bite(kind=None) is None


def test_an_unknown_fault_cannot_prove_itself():
    history = simulate(fault_s=2.0, recovery_s=1.0)
    strange = FaultSetup(kind="gremlin", workers=["worker 2"])
    setup = replace(history.setup, fault=strange)
    found = measure_bite(History([setup, *history.records[1:]]), timeline(history))
    assert not found.bit
    assert "gremlin" in found.words


def test_step_time_is_that_of_the_steps_finished_in_the_window():
    gauges = counted((0, 0, 0.0), (1, 100, 5.0), (2, 200, 8.0), (3, 300, 99.0))
    assert mean_step_s(gauges, Window(1, 3)) == pytest.approx(0.03)


def test_a_worker_that_was_restarted_counts_up_to_there():
    gauges = counted((1, 100, 5.0), (2, 200, 8.0), (3, 5, 0.1), (4, 9, 9.0))
    assert mean_step_s(gauges, Window(0, 5)) == pytest.approx(0.03)


def test_an_idle_or_unseen_worker_has_no_step_time():
    assert mean_step_s(counted((1, 7, 1.0), (2, 7, 1.0)), Window(0, 5)) is None
    assert mean_step_s([], Window(0, 5)) is None


def measuring(monkeypatch, found):
    """A quantity `rate` that is `found` of the window that is looked at."""
    monkeypatch.setitem(MEASURES, "rate", lambda _h, _w, times: Measure(found(times.fault)))


def rated(asked, **changes):
    history = simulate(fault_s=8.0, recovery_s=1.0)
    fault = replace(history.setup.fault, quantity="rate", asked=asked, unit="kB/s", less=True, **changes)
    setup = replace(history.setup, fault=fault)
    history = History([setup, *history.records[1:]])
    return measure_bite(history, timeline(history))


@pytest.mark.parametrize(
    ("during", "bit", "as_asked"), [(50.0, True, True), (300.0, True, False), (700.0, False, False)]
)
def test_where_less_is_worse_the_effect_is_what_is_missing_of_before(monkeypatch, during, bit, as_asked):
    measuring(monkeypatch, lambda window: during if window.start_s >= 13.0 else 1000.0)
    found = rated(50.0)
    assert (found.bit, found.as_asked) == (bit, as_asked)
    assert found.words.endswith(f"{during:.3g} kB/s measured, 1,000 kB/s before")


def test_a_limit_above_what_there_was_before_is_no_fault(monkeypatch):
    measuring(monkeypatch, lambda _: 1000.0)
    found = rated(2000.0)
    assert not found.bit
    assert "which is no fault at all" in found.words


def test_what_was_not_seen_before_cannot_be_compared(monkeypatch):
    measuring(monkeypatch, lambda window: 50.0 if window.start_s >= 13.0 else None)
    assert rated(50.0).words == "rate of worker 2 was not seen before the fault"


def test_a_fault_that_comes_and_goes_is_measured_while_it_is_on():
    history = simulate(fault_s=16.0, recovery_s=1.0)
    start_s = timeline(history).fault.start_s
    changes = [
        FaultChanged(at_s=start_s + 4.0 * n, active=True, level=float(n % 2 == 0), asked=10.0 - 9.0 * (n % 2))
        for n in range(4)
    ]
    records = [r for r in history.records if not (isinstance(r, FaultChanged) and r.active)]
    flapping = History([*records[:-1], *changes, records[-1]])
    times = timeline(flapping)
    found = measure_bite(flapping, times)
    assert len(times.levels) == 4
    assert found.as_asked
    assert found.words.endswith("measured at 100% of its strength, seen 2 times for 8.0 s in all")


def test_attempts_at_the_worker_while_the_fault_is_on_are_counted():
    history = simulate(fault_s=8.0, recovery_s=1.0)
    found = measure_bite(history, timeline(history))
    assert found.touched == pytest.approx(8 * 3.75, rel=0.5)
    spared = [r for r in history.records if not (isinstance(r, Attempted) and r.worker == "worker 2")]
    assert measure_bite(History(spared), timeline(history)).touched == 0


def test_how_much_slower_the_engine_was_is_known_whatever_the_quantity():
    assert bite(kind="link_latency", size=6.0).slow_factor == pytest.approx(1.0, rel=0.05)
    assert bite(size=10.0).slow_factor == pytest.approx(10.0, rel=0.1)


def test_what_nobody_met_at_its_strongest_says_so_though_attempts_met_it_weaker():
    history = simulate(fault_s=8.0, recovery_s=1.0)
    start_s = timeline(history).fault.start_s
    records = [
        replace(r, level=0.5) if isinstance(r, FaultChanged) and r.active else r
        for r in history.records
        if getattr(r, "at_s", 0.0) < start_s + 4.0 or not isinstance(r, (Attempted, Gauge))
    ]
    late = FaultChanged(at_s=start_s + 4.0, active=True)
    left = History([*records[:-1], late, records[-1]])
    found = measure_bite(left, timeline(left))
    assert found.touched > 0
    assert found.words.endswith(
        "not measured: no sample in the 4 s at its strongest, when no attempt was there"
    )
