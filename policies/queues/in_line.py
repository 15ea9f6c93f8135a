"""What the policies with a line have in common: their calls pass it."""

from policies.call import Call
from policies.outcome import Outcome
from policies.policy import Layer, Next
from policies.queues.line import Line


class InLine(Layer):
    """A layer with a line of its own, which the policy makes from its parameters."""

    _line: Line

    @property
    def waiting(self) -> int:
        """Calls in line now."""
        return len(self._line.waiters)

    async def run(self, call: Call, next: Next) -> Outcome:
        return await self._line.run(call, next)
