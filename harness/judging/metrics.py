"""Every metric by name, with its unit and one line of meaning. The names are the API: SLOs refer to them.

Metrics marked `quantiles` are written `e2e_s.p95_all` or `e2e_s.p95_ok`. In `_all` a request that was not
answered counts as infinity, so that refusing does not look like speed; `_ok` knows the answered ones only.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.judging.percentiles import QUANTILES, label


@dataclass(frozen=True, slots=True)
class Metric:
    """A name, its unit, where it is found (caller, hop, run, spread or pair), and what it means."""

    name: str
    unit: str
    of: str
    meaning: str
    quantiles: tuple[str, ...] = ()  # suffixes of its percentiles; empty: a single figure

    def names(self) -> Iterator[str]:
        """All names under which values of this metric are stored."""
        if not self.quantiles:
            yield self.name
        for suffix in self.quantiles:
            yield from (f"{self.name}.{label(q)}{suffix}" for q in QUANTILES)


_ALL_OK = ("_all", "_ok")
_PLAIN = ("",)

METRICS = {
    metric.name: metric
    for metric in (
        Metric("offered", "requests", "caller", "requests whose intended send time lies in the window"),
        Metric("goodput_rps", "requests/s", "caller", "answered whole and within the caller's bound"),
        Metric("goodput_ratio", "share", "caller", "good requests of all offered ones"),
        Metric("drop_ratio", "share", "caller", "not answered, for whatever reason, of all offered ones"),
        Metric("shed_ratio", "share", "caller", "refused (overload or rejected) of all offered ones"),
        Metric("e2e_s", "s", "caller", "intended send time to the last byte", _ALL_OK),
        Metric("e2e_service_s", "s", "caller", "actual send time to the last byte", _ALL_OK),
        Metric("ttft_s", "s", "caller", "intended send time to the first content", _ALL_OK),
        Metric("tpot_s", "s", "caller", "mean time per output token after the first", ("_ok",)),
        Metric("max_gap_s", "s", "caller", "longest silence between two tokens of an answer", ("_ok",)),
        Metric("dispatch_delay_s", "s", "caller", "actual minus intended send time: our own lag", _PLAIN),
        Metric("good_tokens_per_s", "tokens/s", "caller", "output tokens of good requests"),
        Metric("in_flight", "requests", "caller", "mean number of its requests under way"),
        Metric("in_use", "slots", "hop", "mean number of slots held"),
        Metric("waiting", "requests", "hop", "mean number waiting for a slot"),
        Metric("wait_s", "s", "hop", "arrival to slot, or to giving up", _PLAIN),
        Metric("hop_s", "s", "hop", "arrival to leaving, however it ended", _PLAIN),
        Metric("queue_growth_rps", "requests/s", "hop", "slope of the waiting line (Theil-Sen)"),
        Metric(
            "retry_amplification", "attempts", "run", "attempts, hedges included, per request that needed one"
        ),
        Metric(
            "load_amplification",
            "attempts",
            "run",
            "attempts per inference request offered; a cache lowers it",
        ),
        Metric(
            "gpus_billed",
            "GPUs",
            "run",
            "workers that were up, slow or idle or not: a fleet is billed for all",
        ),
        Metric("tokens_per_s", "tokens/s", "run", "tokens that the gateway received from workers"),
        Metric("wasted_token_ratio", "share", "run", "tokens of attempts that nobody used, of all tokens"),
        Metric("wasted_tokens", "tokens", "run", "tokens of attempts that nobody used"),
        Metric("touched_goodput_ratio", "share", "run", "goodput of the callers that can reach the fault"),
        Metric(
            "bystander_goodput_ratio", "share", "run", "goodput of the callers that cannot reach the fault"
        ),
        Metric("detection_s", "s", "run", "start of the fault to the first gate that restricts its worker"),
        Metric("false_alarms", "workers", "run", "restricted by a gate, though healthy; a full one is none"),
        Metric(
            "latency_inflation", "factor", "spread", "bystander latency during / before, 0.1 s added to both"
        ),
        Metric(
            "goodput_loss", "share", "spread", "bystander goodput lost, of the share that was good before"
        ),
        Metric(
            "in_flight_growth",
            "factor",
            "spread",
            "bystander requests under way during / before, plus 1 each",
        ),
        Metric(
            "blast_radius",
            "share",
            "spread",
            "bystander callers twice as slow, or with a tenth of goodput lost",
        ),
        Metric(
            "hop_growth", "factor", "spread", "load of a hop, less what the faulted workers hold themselves"
        ),
        Metric("slot_capture", "share", "spread", "slots of a service held by attempts on faulted workers"),
        Metric("contagion", "share", "spread", "bad requests among those whose attempts never met the fault"),
        Metric("hop_depth", "services", "pair", "how many services above the gateway pressure reached"),
        Metric(
            "queue_growth", "factor", "pair", "line of a service at the end of the fault / its usual longest"
        ),
        Metric("healthy_attempts", "factor", "pair", "attempts at healthy workers, against the control"),
        Metric(
            "containment_ratio",
            "share",
            "pair",
            "of the goodput lost, what callers of the fault lost themselves",
        ),
        Metric("excess_loss", "factor", "pair", "goodput lost / the loss that no policy could have saved"),
        Metric("wasted_token_excess", "share", "pair", "unused tokens of all, more than in the control"),
        Metric("untouched_inflation", "factor", "pair", "latency of requests that never met the fault"),
        Metric("sending_stopped_s", "s", "pair", "start of the fault until its worker gets no more attempts"),
        Metric("capture_ended_s", "s", "pair", "start of the fault until its worker holds few slots"),
        Metric("blind_s", "s", "pair", "bystanders wait twice as long while health checks are fine"),
        Metric("time_to_recover_s", "s", "pair", "end of the fault until all is as in the control"),
        Metric("residual_impact", "factor", "pair", "goodput after the recovery, against the control"),
        Metric("metastable", "0 or 1", "pair", "whether it stays broken by itself after the fault has gone"),
    )
}
