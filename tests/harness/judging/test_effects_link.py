"""What the judge makes of probes: each quantity from gauges that are written by hand."""

from statistics import fmean

import pytest

from faults.effect import Effect
from harness.judging.bite import measure_bite
from harness.judging.effects import MEASURES, link
from harness.judging.history import FaultChanged, FaultSetup, Finished, Gauge, History, PhaseStarted, Setup
from harness.judging.windows import timeline

BASELINE_S, FAULT_S, RECOVERY_S, END_S = 0.0, 10.0, 30.0, 40.0
HEALTHY = {
    "took_s": 0.02,
    "connect_s": 0.001,
    "first_s": 0.002,
    "rest_s": 0.018,
    "gap_s": 0.005,
    "close_s": 0.001,
}
HEALTHY |= {"close_s": 0.001, "received_bytes": 33_000, "rate_kb_per_s": 90_000}


class Written:
    """A history with a probe each second."""

    def __init__(self, effect: Effect | None = None) -> None:
        fault = None
        if effect is not None:
            fault = FaultSetup(
                kind="link", workers=["w"], quantity=effect.quantity, asked=effect.asked, unit=effect.unit
            )
        setup = Setup(
            scenario="s", preset="none", seed=1, version="0", hops=[], workers=["w"], callers=[], fault=fault
        )
        self.history = History([setup])
        self._left = [
            PhaseStarted(at_s=BASELINE_S, phase="baseline"),
            PhaseStarted(at_s=FAULT_S, phase="fault"),
            FaultChanged(at_s=FAULT_S, active=True),
            FaultChanged(at_s=RECOVERY_S, active=False),
            PhaseStarted(at_s=RECOVERY_S, phase="recovery"),
            Finished(at_s=END_S, clean=True),
        ]
        for second in range(10):
            self.probe(second + 0.1)

    def probe(self, begun_s: float, ended: str = "whole", **values: float) -> None:
        """One that began then; values that are not said are as ever, those below 0 were not seen."""
        seen = {name: value for name, value in {**HEALTHY, **values}.items() if value >= 0}
        self._left.append(Gauge(at_s=begun_s, place="link w", values={"begun": 1.0}))
        ended_s = begun_s + seen["took_s"] + seen.get("close_s", 0.0)
        self._left.append(Gauge(at_s=ended_s, place="link w", values=seen, states={"ended": ended}))

    def begin(self, begun_s: float) -> None:
        """One of which nothing was heard."""
        self._left.append(Gauge(at_s=begun_s, place="link w", values={"begun": 1.0}))

    def measured(self, quantity: str) -> float | None:
        return MEASURES[quantity](self._whole(), "w", timeline(self._whole())).measured

    def _whole(self) -> History:
        for record in sorted(self._left, key=lambda record: record.at_s):
            self.history.append(record)
        self._left = []
        return self.history


@pytest.fixture
def written() -> Written:
    return Written()


def test_a_delay_is_the_rise_of_the_median_first_byte(written: Written) -> None:
    for second in range(5):
        written.probe(FAULT_S + second, first_s=2.002 if second < 4 else 9.0, took_s=2.02)
    assert written.measured("delay") == pytest.approx(2.0)


def test_a_mean_delay_counts_those_that_were_spared(written: Written) -> None:
    late_s = [2.002, 0.002, 0.002, 0.002]
    for second, first_s in enumerate(late_s):
        written.probe(FAULT_S + second, first_s=first_s)
    assert written.measured("mean delay") == pytest.approx(fmean(late_s) - 0.002)


def test_a_history_of_old_has_its_round_trips() -> None:
    written = Written()
    written._left = [record for record in written._left if not isinstance(record, Gauge)]
    for at_s, probe_s in ((1.0, 0.01), (2.0, 0.01), (12.0, 1.01), (13.0, 1.01)):
        written._left.append(Gauge(at_s=at_s, place="link w", values={"probe_s": probe_s}))
    assert written.measured("delay") == pytest.approx(1.0)


def test_jitter_is_half_the_range_as_far_as_so_many_samples_tell(written: Written) -> None:
    for second, first_s in enumerate((0.1, 0.5, 0.3)):
        written.probe(FAULT_S + second, first_s=first_s)
    assert written.measured("jitter") == pytest.approx(0.2 * 4 / 2)


def test_a_rate_is_that_of_what_came_and_of_what_came_at_once_the_fastest_that_can_be_told(
    written: Written,
) -> None:
    for second in range(3):
        written.probe(FAULT_S + second, rate_kb_per_s=40 + second)
    assert written.measured("rate") == 41
    at_once = Written()
    at_once.probe(FAULT_S + 1, rate_kb_per_s=-1)
    assert at_once.measured("rate") == 1000


def test_a_gap_is_one_only_beyond_those_that_the_answer_has_anyway(written: Written) -> None:
    written.probe(FAULT_S + 1, gap_s=0.0051)
    assert written.measured("gap") == 0.0
    slow = Written()
    slow.probe(FAULT_S + 1, gap_s=0.05)
    assert slow.measured("gap") == 0.05


def test_the_closing_is_told_from_the_answer(written: Written) -> None:
    written.probe(FAULT_S + 1, close_s=0.501)
    assert written.measured("close delay") == pytest.approx(0.5)
    assert written.measured("delay") == pytest.approx(0.0)


def test_the_time_to_a_cut_begins_where_the_answer_should_have_been_whole(written: Written) -> None:
    for second in range(4):
        written.probe(FAULT_S + second, "cut", took_s=1.52, first_s=-1, close_s=-1)
    assert written.measured("time to the cut") == pytest.approx(1.5)
    assert written.measured("time to the reset") == 0.0


def test_the_time_to_a_reset_begins_with_the_answer(written: Written) -> None:
    written.probe(FAULT_S, "reset", took_s=0.502, first_s=-1, close_s=-1)
    assert written.measured("time to the reset") == pytest.approx(0.5)
    assert written.measured("reset share") == 1.0


def test_where_nothing_was_cut_the_judge_says_so(written: Written) -> None:
    written.probe(FAULT_S + 1)
    history = written._whole()
    found = MEASURES["bytes to the cut"](history, "w", timeline(history))
    assert (found.measured, found.words) == (0.0, "no probe of w was cut: they take no more bytes than that")


def test_bytes_to_the_cut_are_those_of_the_cut_ones(written: Written) -> None:
    written.probe(FAULT_S, "cut", received_bytes=5000)
    written.probe(FAULT_S + 1)
    assert written.measured("bytes to the cut") == 5000


def test_silent_are_those_that_were_begun_in_time_and_heard_nothing(written: Written) -> None:
    for second in range(8):
        written.begin(FAULT_S + second)
    for second in range(8, 10):
        written.probe(FAULT_S + second, "cut", took_s=0.5)
    written.begin(RECOVERY_S - 1.0)  # may still be heard
    assert written.measured("silent share") == pytest.approx(0.8)


def test_one_that_ends_after_the_fault_was_silent_in_it(written: Written) -> None:
    written.probe(FAULT_S + 1, "cut", took_s=RECOVERY_S - FAULT_S)
    written.probe(FAULT_S + 2)
    assert written.measured("silent share") == 0.5


@pytest.mark.parametrize("quantity", link.MEASURES)
def test_without_a_sample_nothing_is_measured(quantity: str) -> None:
    written = Written()
    written._left = [record for record in written._left if not isinstance(record, Gauge)]
    assert written.measured(quantity) is None


# report 13: litmuschaos/litmus#4934
def test_latency_that_was_put_on_another_link_has_not_bitten() -> None:
    written = Written(Effect("delay", 2.0, "s"))
    for second in range(18):
        written.probe(FAULT_S + second)
    history = written._whole()
    bite = measure_bite(history, timeline(history))
    assert bite is not None
    assert (bite.bit, bite.as_asked, bite.measured) == (False, False, 0.0)


# report 9: Shopify/toxiproxy#556
def test_the_effective_delay_is_reported_beside_the_one_that_was_asked_for() -> None:
    written = Written(Effect("delay", 0.2, "s"))
    for second in range(18):
        written.probe(FAULT_S + second, first_s=0.424, took_s=0.45)
    history = written._whole()
    bite = measure_bite(history, timeline(history))
    assert bite is not None
    assert (bite.bit, bite.as_asked) == (True, False)
    assert bite.words == "delay of w: 0.2 s asked, 0.422 s measured"


def test_a_share_that_luck_explains_is_as_it_was_asked_for_and_one_that_it_does_not_is_not() -> None:
    """Two standard errors: of twenty connections at a half they are 0.22."""
    for hit, as_asked in ((7, True), (2, False), (20, False)):
        written = Written(Effect("reset share", 0.5, ""))
        for second in range(20):
            ended = "reset" if second < hit else "whole"
            written.probe(FAULT_S + second * 0.9, ended)
        history = written._whole()
        bite = measure_bite(history, timeline(history))
        assert bite is not None
        assert bite.as_asked is as_asked
