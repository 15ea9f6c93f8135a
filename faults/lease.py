"""A fault's lease: it holds only while its controller renews it, so a dead controller leaves no fault."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

LEASE_S = 3.0  # long enough to miss one renewal on a busy machine, short enough not to outlive anybody


@asynccontextmanager
async def renewed(renew: Callable[[], Awaitable[None]], lease_s: float = LEASE_S) -> AsyncIterator[None]:
    """Call `renew` three times a lease until the block ends."""
    task = asyncio.create_task(_keep(renew, lease_s / 3))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _keep(renew: Callable[[], Awaitable[None]], every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        with suppress(OSError):  # a renewal may be lost; the next one comes before the lease ends
            await renew()
