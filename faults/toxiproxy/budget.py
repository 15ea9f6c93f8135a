"""How much the toxics of one server may hold together: stalled readers must not fill the memory."""

from dataclasses import dataclass

TOGETHER_BYTES = 256 * 1024 * 1024
# For each toxic and direction even then, or one stalled reader would stop all others.
ALWAYS_BYTES = 256 * 1024


@dataclass(slots=True)
class Budget:
    """What all stubs of a server hold. They report every change."""

    limit_bytes: int = TOGETHER_BYTES
    held_bytes: int = 0

    def share(self, wanted_bytes: int) -> int:
        """How much one that wants so much may hold now."""
        return wanted_bytes if self.held_bytes < self.limit_bytes else min(wanted_bytes, ALWAYS_BYTES)
