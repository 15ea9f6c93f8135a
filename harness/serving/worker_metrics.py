"""A worker's /metrics, with vLLM's names and labels so that existing dashboards and pickers read it.

vLLM's stock buckets start at 0.3 s for whole requests; ours start lower, since small models are faster.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from harness.serving.meter import Meter
from harness.serving.worker import Worker
from policies.outcome import Outcome

_TOKEN_BUCKETS = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 10.0)
_REQUEST_BUCKETS = (0.01, 0.05, 0.1, 0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0)
_BATCH_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)


class PrometheusMeter(Meter):
    """Keeps what the worker measures in a registry of its own."""

    def __init__(self, model: str) -> None:
        self.registry = CollectorRegistry()
        self._labels = {"model_name": model}
        self._running = self._gauge("vllm:num_requests_running", "requests in the batch")
        self._waiting = self._gauge("vllm:num_requests_waiting", "requests in the queue")
        self._kv = self._gauge("vllm:kv_cache_usage_perc", "share of the KV cache in use, 0 to 1")
        self._fault = self._gauge("limplock:fault_active", "1 while a fault is injected")
        self._prompt = self._counter("vllm:prompt_tokens", "prompt tokens taken in")
        self._generated = self._counter("vllm:generation_tokens", "tokens generated")
        self._success = self._counter("vllm:request_success", "requests answered whole")
        self._aborted = self._counter("limplock:request_aborted", "requests that did not end in an answer")
        self._step = self._histogram("limplock:step_seconds", "one engine step", _TOKEN_BUCKETS)
        self._tokens = self._histogram("vllm:iteration_tokens_total", "tokens per step", _BATCH_BUCKETS)
        self._ttft = self._histogram(
            "vllm:time_to_first_token_seconds", "arrival to first token", _TOKEN_BUCKETS
        )
        self._itl = self._histogram("vllm:inter_token_latency_seconds", "gap between tokens", _TOKEN_BUCKETS)
        self._queue = self._histogram(
            "vllm:request_queue_time_seconds", "wait for a batch slot", _REQUEST_BUCKETS
        )
        self._e2e = self._histogram(
            "vllm:e2e_request_latency_seconds", "arrival to last token", _REQUEST_BUCKETS
        )

    def stepped(self, seconds: float, batch: int, tokens: int) -> None:
        self._step.observe(seconds)
        self._tokens.observe(tokens)
        self._generated.inc(batch)

    def queued(self, seconds: float) -> None:
        self._queue.observe(seconds)

    def first_token(self, seconds: float) -> None:
        self._ttft.observe(seconds)

    def token_gap(self, seconds: float) -> None:
        self._itl.observe(seconds)

    def ended(self, outcome: Outcome, seconds: float, prompt_tokens: int, tokens: int) -> None:
        self._prompt.inc(prompt_tokens)
        self._e2e.observe(seconds)
        (self._success if outcome.answered else self._aborted).inc()

    def exposition(self, worker: Worker, now: float) -> bytes:
        """The text format, with the gauges read now."""
        shown = worker.shown.read(now)
        self._running.set(shown.running)
        self._waiting.set(shown.waiting)
        self._kv.set(shown.kv_usage_ratio)
        self._fault.set(worker.pace.active(now).kind != "none")
        return generate_latest(self.registry)

    def _gauge(self, name: str, meaning: str) -> Gauge:
        return Gauge(name, meaning, list(self._labels), registry=self.registry).labels(**self._labels)

    def _counter(self, name: str, meaning: str) -> Counter:
        return Counter(name, meaning, list(self._labels), registry=self.registry).labels(**self._labels)

    def _histogram(self, name: str, meaning: str, buckets: tuple[float, ...]) -> Histogram:
        made = Histogram(name, meaning, list(self._labels), registry=self.registry, buckets=buckets)
        return made.labels(**self._labels)
