"""One hop over HTTP, both sides of it, for tests."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from harness.serving.http_link import HttpLink
from harness.serving.http_server import application, listen
from policies.policy import Next

Open = Callable[[Next], Awaitable[HttpLink]]


@asynccontextmanager
async def hops() -> AsyncIterator[Open]:
    """Serves a handler and gives the link to it; as often as called, until the block ends."""
    async with AsyncExitStack() as stack:

        async def open_hop(handler: Next) -> HttpLink:
            server = await listen(application(handler))
            stack.push_async_callback(server.close)
            link = HttpLink(server.url, "worker-0")
            stack.push_async_callback(link.close)
            return link

        yield open_hop
