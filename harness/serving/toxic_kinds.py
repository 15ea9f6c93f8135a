"""Which kinds of toxics a Toxiproxy server has: the original some, our own more."""

from collections.abc import Iterable

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError
from faults.toxiproxy.toxics import ORIGINALS, TOXICS
from harness.errors import EnvironmentFault


async def check_kinds(client: ToxiproxyClient, kinds: Iterable[str]) -> None:
    """EnvironmentFault if the server does not know one of them. It is asked only when it matters."""
    wanted = [kind for kind in kinds if kind not in ORIGINALS]
    try:
        known = TOXICS if wanted and await client.has_extensions() else ORIGINALS
    except ToxiproxyError as lost:
        raise EnvironmentFault(str(lost)) from lost
    for kind in wanted:
        if kind not in known:
            remedy = "use --toxiproxy embedded" if kind in TOXICS else f"it has {', '.join(known)}"
            raise EnvironmentFault(f"Toxiproxy at {client.url} has no toxic '{kind}': {remedy}")
