"""Where one message ends and the next begins, told from who speaks: no toxic knows what the bytes mean."""

from faults.toxiproxy.chunk import Chunk
from faults.toxiproxy.stub import Stub


class Turns:
    """Messages one way. One begins when the other way has spoken since, or after `quiet_s` of silence.

    `quiet_s` 0 leaves silence out of it. A toxic that takes over in the middle of a message goes on with it.
    """

    def __init__(self, stub: Stub, quiet_s: float) -> None:
        self._course = stub.course
        self._quiet_s = quiet_s
        self._heard_bytes = self._course.heard_bytes if stub.passed_bytes else -1
        self._last_s: float | None = None

    def begins(self, chunk: Chunk) -> bool:
        """Whether the chunk is the first of a message. To be asked once for each chunk, in order."""
        heard_bytes = self._course.heard_bytes
        silence_s = 0.0 if self._last_s is None else chunk.received_s - self._last_s
        begins = heard_bytes != self._heard_bytes or 0 < self._quiet_s <= silence_s
        self._heard_bytes, self._last_s = heard_bytes, chunk.received_s
        return begins
