"""What went wrong at the gateway is the same kind of error for the one who ordered the fault from afar."""

from collections.abc import AsyncIterator

import pytest

from faults.fault import Fault
from harness.errors import BadInput, CleanupUnverified, EnvironmentFault, LimplockError
from harness.exit_codes import ExitCode
from harness.fault_order import lift_fault, order_fault
from harness.serving.fault_desk import FaultDesk
from harness.serving.gateway_server import FaultRequest, GatewayServer
from harness.serving.http_server import application, listen
from policies.call import Call
from policies.outcome import Outcome
from tests.faults.fakes import FakeSite

pytestmark = pytest.mark.real

ORDER = FaultRequest(fault="slow_steps(factor=10)", worker="worker-0", for_s=1.0)


class FailingSite(FakeSite):
    """Takes no fault, because of `failure`."""

    failure: Exception | None = None

    async def inject(self, fault: Fault, lease_s: float) -> None:
        if self.failure:
            raise self.failure


class NoGateway:
    """Serves nobody."""

    async def handle(self, call: Call) -> Outcome:
        raise AssertionError("nobody asks")


@pytest.fixture
def site() -> FailingSite:
    return FailingSite()


@pytest.fixture
async def url(site: FailingSite) -> AsyncIterator[str]:
    desk = FaultDesk({"worker-0": site})
    server = await listen(GatewayServer(NoGateway(), desk, "tiny", {}).application())
    yield server.url
    await server.close()
    for _, task in desk._on.values():
        task.cancel()


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
async def test_a_fault_is_ordered_by_the_gateways_url_however_it_was_printed(url: str, suffix: str) -> None:
    await order_fault(url + suffix, ORDER)


@pytest.mark.parametrize(
    ("failure", "kind", "code"),
    [
        (BadInput("no"), BadInput, ExitCode.BAD_INPUT),
        (ValueError("no"), BadInput, ExitCode.BAD_INPUT),
        (EnvironmentFault("no"), EnvironmentFault, ExitCode.ENVIRONMENT),
        (ConnectionError("no"), EnvironmentFault, ExitCode.ENVIRONMENT),
        (CleanupUnverified("no"), CleanupUnverified, ExitCode.UNCLEAN),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
async def test_a_failure_is_the_same_kind_on_both_sides(
    url: str, site: FailingSite, failure: Exception, kind: type[LimplockError], code: ExitCode
) -> None:
    site.failure = failure
    with pytest.raises(kind, match=r"^the gateway refused: no$") as told:
        await order_fault(url, ORDER)
    assert told.value.exit_code == code


async def test_an_unknown_worker_is_bad_input_on_both_sides(url: str) -> None:
    with pytest.raises(BadInput, match="unknown worker 'worker-7'"):
        await order_fault(url, FaultRequest(fault="slow_steps()", worker="worker-7", for_s=1.0))


async def test_something_else_that_listens_is_not_a_gateway() -> None:
    server = await listen(application(NoGateway().handle))
    with pytest.raises(EnvironmentFault, match="is not a limplock gateway"):
        await order_fault(server.url, ORDER)
    await server.close()


@pytest.mark.parametrize("wrong", ["http://[::1", "http://127.0.0.1", "http://example.org:80"])
async def test_only_a_whole_url_on_loopback_is_talked_to(wrong: str) -> None:
    with pytest.raises(BadInput, match=r"^--gateway "):
        await order_fault(wrong, ORDER)


async def test_a_fault_is_lifted_by_order_too(url: str) -> None:
    await order_fault(url, FaultRequest(fault="slow_steps(factor=3)", worker="worker-0", for_s=600.0))
    assert await lift_fault(url, "worker-0") == "slow_steps(factor=3) on worker-0"
    with pytest.raises(BadInput, match="the gateway refused: worker-0 has no fault"):
        await lift_fault(url, "worker-0")
