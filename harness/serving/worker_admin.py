"""The admin side of one worker, from outside: its state, and the faults inside it. Straight to the worker,
never through the link, so that a broken link neither hides the worker nor keeps a fault from healing.
"""

import aiohttp
import msgspec

from faults.fault import WorkerFault
from harness.errors import EnvironmentFault
from harness.serving.worker_server import FAULT, STATE, FaultOrder
from harness.serving.worker_state import WorkerState

TIMEOUT_S = 2.0
HEALTH_TIMEOUT_S = 60.0  # longer than any delay worth injecting


class WorkerAdmin:
    """Use `async with`."""

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self.url = url
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=TIMEOUT_S), connector=aiohttp.TCPConnector(limit=0)
        )

    async def __aenter__(self) -> "WorkerAdmin":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._session.close()

    async def state(self) -> WorkerState | None:
        """The worker's own account, None if it does not answer."""
        try:
            async with self._session.get(self.url + STATE) as response:
                return msgspec.json.decode(await response.read(), type=WorkerState)
        except (aiohttp.ClientError, TimeoutError, OSError):
            return None

    async def health(self) -> bool:
        """Whether the worker says that it is well, within HEALTH_TIMEOUT_S."""
        timeout = aiohttp.ClientTimeout(total=HEALTH_TIMEOUT_S)
        try:
            async with self._session.get(self.url + "/health", timeout=timeout) as response:
                return response.status == 200
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False

    async def inject(self, fault: WorkerFault, lease_s: float) -> None:
        """Install a fault or renew its lease. ConnectionError if the worker cannot be reached."""
        order = FaultOrder(kind=fault.kind, lease_s=lease_s, parameters=fault.parameters())
        try:
            async with self._session.post(self.url + FAULT, data=msgspec.json.encode(order)) as response:
                if response.status != 200:
                    raise EnvironmentFault(f"{self.name} refused the fault: {await response.text()}")
        except (aiohttp.ClientError, TimeoutError) as lost:
            raise ConnectionError(f"{self.name} did not take the fault: {type(lost).__name__}") from lost

    async def heal(self) -> bool:
        """Take the fault out. Whether the worker confirms that it has none."""
        try:
            async with self._session.delete(self.url + FAULT):
                pass
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False
        state = await self.state()
        return state is not None and state.fault == "none"
