"""What every fault of the link shows through the original Toxiproxy, where there is one, all side by side.

tests/real/test_fault_effects.py has the same through the embedded one, a fault at a time.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from faults.fault import Fault
from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.toxics import ORIGINALS
from harness import sampling
from harness.deployment import About, Deployment
from harness.errors import EnvironmentFault
from harness.judging.effects import MEASURES
from harness.judging.history import FaultChanged, Finished, History, PhaseStarted, Setup
from harness.judging.windows import Timeline, timeline
from harness.reporting.progress import NoProgress
from harness.serving.gateway import Gateway
from harness.serving.http_link import HttpLink
from harness.serving.real_site import RealSite
from harness.serving.recorder import Recorder
from harness.serving.worker_admin import WorkerAdmin
from policies.pipeline import Pipeline
from tests.faults.cases import CASES, TOLERANCE_RATIO
from tests.faults.effect_contract import WITHIN_RATIO
from tests.faults.toxiproxy.servers import needs_program, running
from tests.real.test_link_parity import served_worker

pytestmark = [pytest.mark.real, needs_program]

BEFORE_S, DURING_S, SETTLE_S, AFTER_S = 0.8, 1.6, 0.6, 0.6
TRIES = 2  # another program may take the processor at the wrong moment
BUSY_S = 0.02  # what probes of ten links at once make each other wait

FAULTS: dict[str, Fault] = {
    kind: faults[0]
    for kind, faults in CASES.items()
    if kind.startswith("link_") and all(toxic.type in ORIGINALS for toxic in faults[0].toxics())
}
BEYOND: dict[str, Fault] = {
    kind: faults[0] for kind, faults in CASES.items() if kind.startswith("link_") and kind not in FAULTS
}


@asynccontextmanager
async def links(recorder: Recorder) -> AsyncIterator[Deployment]:
    """A link for each fault, named after it, to one worker that serves them all."""
    async with AsyncExitStack() as stack:
        client = ToxiproxyClient(await stack.enter_async_context(running("real")))
        server, _ = await stack.enter_async_context(served_worker())
        admin = await stack.enter_async_context(WorkerAdmin("worker-0", server.url))
        ways: dict[str, HttpLink] = {}
        sites: dict[str, RealSite] = {}
        for kind in (*FAULTS, *BEYOND):
            proxy = await client.create(f"effects.{kind}", "127.0.0.1:0", f"127.0.0.1:{server.port}")
            ways[kind] = HttpLink(f"http://{proxy.listen}", kind)
            sites[kind] = RealSite(kind, admin, None, client, proxy)
        gateway = Gateway(Pipeline(), ways, recorder, 0)
        yield Deployment(
            about=About(engine="", model="", device="", step_floor_s=0.0, toxiproxy=""),
            gateway=gateway,
            services={},
            entries={},
            links=ways,
            admins=dict.fromkeys(ways, admin),
            sites=sites,
            compose=None,
        )
        await gateway.close()


async def observe() -> tuple[History, Timeline]:
    """All of them at once, each on its link."""
    hops = {"hops": [], "workers": list(FAULTS), "callers": []}
    history = History([Setup(scenario="effects", preset="none", seed=1, version="0", **hops)])
    recorder = Recorder(history)
    recorder.start()
    async with (
        links(recorder) as stand,
        sampling.sample_forever(stand, recorder, list(FAULTS), NoProgress()),
        AsyncExitStack() as faults,
    ):
        await asyncio.sleep(0.2)
        history.append(PhaseStarted(at_s=recorder.now(), phase="baseline"))
        await asyncio.sleep(BEFORE_S)
        history.append(PhaseStarted(at_s=recorder.now(), phase="fault"))
        for kind, fault in FAULTS.items():
            await faults.enter_async_context(fault.install(stand.sites[kind]))
        history.append(FaultChanged(at_s=recorder.now(), active=True))
        await asyncio.sleep(DURING_S)
        history.append(FaultChanged(at_s=recorder.now(), active=False))
        await faults.aclose()
        await asyncio.sleep(SETTLE_S)
        history.append(PhaseStarted(at_s=recorder.now(), phase="recovery"))
        await asyncio.sleep(AFTER_S)
    history.append(Finished(at_s=recorder.now(), clean=True))
    return history, timeline(history)


async def test_every_fault_of_the_link_shows_through_the_original_what_was_asked_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sampling, "PROBE_EVERY_S", 0.1)
    wrong: dict[str, tuple[float, float | None]] = {}
    for _ in range(TRIES):
        history, when = await observe()
        wrong = {
            kind: (fault.effect().asked, MEASURES[fault.effect().quantity](history, kind, when).measured)
            for kind, fault in FAULTS.items()
        }
        wrong = {kind: seen for kind, seen in wrong.items() if not _is_near(kind, *seen)}
        if not wrong:
            break
    assert not wrong


def _is_near(kind: str, asked: float, measured: float | None) -> bool:
    within = max(
        TOLERANCE_RATIO.get(kind, WITHIN_RATIO) * asked, BUSY_S if FAULTS[kind].effect().unit == "s" else 0
    )
    return measured is not None and abs(measured - asked) <= within


@pytest.mark.parametrize("kind", BEYOND)
async def test_what_the_original_cannot_do_is_refused_in_one_line_before_anything(kind: str) -> None:
    async with links(Recorder(History())) as stand:
        with pytest.raises(
            EnvironmentFault, match=r"has no toxic '\w+': use --toxiproxy embedded"
        ) as refused:
            await BEYOND[kind].check(stand.sites[kind])
        assert "\n" not in str(refused.value)
