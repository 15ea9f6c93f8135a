"""The link contract: the way from the gateway to one worker. Link faults act here."""

from typing import Protocol

from harness.serving.probe import Probe
from policies.call import Attempt
from policies.outcome import Outcome
from policies.pool import Load

LOAD = "/load"  # the route at which a worker says what it has to do
LOAD_TIMEOUT_S = 5.0  # a load of longer ago helps nobody to choose


class Link(Protocol):
    """Carries attempts. Failures of the way or of the worker are outcomes, never exceptions."""

    async def send(self, attempt: Attempt) -> Outcome:
        """Send, deliver the answer's pieces to the attempt, and say how it ended.

        Cancellation gives up on the answer and lets the worker know.
        """
        ...

    async def probe(self) -> Probe:
        """What a small request over a connection of its own sees, which no model works for.

        Never raises, and takes no longer than the limits in `harness/serving/probe.py` together.
        """
        ...

    async def load(self) -> Load | None:
        """What the worker says of its load. None if nothing comes back, or not within `LOAD_TIMEOUT_S`."""
        ...
