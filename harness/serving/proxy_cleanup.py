"""Taking one run's proxies off a Toxiproxy server, and seeing that they are gone."""

from faults.toxiproxy.client import ToxiproxyClient


async def clear(client: ToxiproxyClient, run_name: str) -> tuple[str, ...]:
    """Delete every proxy whose name starts with `run_name`. The names of those that are still there after.

    Nothing else on the server is touched. Raises ToxiproxyError when the server does not answer.
    """
    await client.settled()  # a call that was given up may still have made a proxy
    for name in await _of_run(client, run_name):
        await client.delete(name)
    return await _of_run(client, run_name)


async def _of_run(client: ToxiproxyClient, run_name: str) -> tuple[str, ...]:
    return tuple(name for name in await client.list() if name.startswith(run_name))
