"""GET /metrics: Prometheus text, with what it was switched on for."""

from collections.abc import Iterable

from aiohttp import web
from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from faults.toxiproxy.traffic import Traffic

_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"
_LABELS = ("direction", "listener", "proxy", "upstream")


def add_metrics(app: web.Application, traffic: Traffic, *, proxies: bool, runtime: bool) -> None:
    """Without either the page is not there, as in the original. The runtime is Python's here, not Go's."""
    if not proxies and not runtime:
        return
    registry = CollectorRegistry()
    if proxies:
        registry.register(_Bytes(traffic))
    if runtime:
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(body=generate_latest(registry), headers={"Content-Type": _CONTENT_TYPE})

    app.router.add_route("*", "/metrics", metrics)  # with any method, as in the original


class _Bytes(Collector):
    """The original counts a connection when it ends; these count while it runs."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic

    def collect(self) -> Iterable[Metric]:
        for what, totals in zip(("received", "sent"), self._traffic.totals(), strict=True):
            family = CounterMetricFamily(f"toxiproxy_proxy_{what}_bytes_total", "", labels=_LABELS)
            for way in sorted(totals):
                family.add_metric((way.direction, way.listener, way.proxy, way.upstream), totals[way])
            yield family
