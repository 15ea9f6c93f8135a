"""One attempt on its way over a connection in memory."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from faults.toxiproxy.chunk import End
from harness.serving.memory_connection import MemoryConnection
from harness.serving.wire import Wire
from policies.call import Attempt, Call, Chunk
from policies.outcome import Kind, Outcome
from policies.policy import Next

if TYPE_CHECKING:
    from harness.serving.memory_link import MemoryLink

# What HTTP sends, measured on a real link (tests/real/test_link_parity.py compares).
REQUEST_BYTES = 418  # without its prompt
HEAD_BYTES = 404  # of an answer that streams
PIECE_BYTES = 181  # an event with one token
LAST_BYTES = 252  # how much was used, and the mark at the end
WHOLE_BYTES = 474  # an answer that does not stream, without its text
TOKEN_BYTES = 6  # of text
REFUSAL_BYTES = 407


class Carried:
    """Carries `attempt` there and its answer back. `is_complete`: the connection can be used again."""

    __slots__ = (
        "_attempt",
        "_clock",
        "_connection",
        "_ended",
        "_head_bytes",
        "_link",
        "_task",
        "is_complete",
    )

    def __init__(self, link: "MemoryLink", connection: MemoryConnection, attempt: Attempt) -> None:
        self._link = link
        self._connection = connection
        self._attempt = attempt
        self._task: asyncio.Task[object] | None = asyncio.current_task()
        self._ended: End | None = None  # how the connection broke under it
        self._clock = asyncio.get_running_loop().time
        self._head_bytes = HEAD_BYTES
        self.is_complete = False

    async def run(self, handle: Next) -> Outcome:
        """Carry the attempt to `handle` and its answer back."""
        if self._task is None:
            raise RuntimeError("a link is used from within a task")
        self._connection.on_lost = self._lost
        before = self._task.cancelling()
        try:
            outcome = await self._carry(handle)
            self.is_complete = self._ended is None and self._connection.is_open
            return outcome
        except asyncio.CancelledError:
            if self._ended is not None and self._task.uncancel() <= before:
                return self._broke()
            raise

    def _lost(self, how: End) -> None:
        """End the attempt as by a broken connection."""
        if self._task is not None:
            self._ended = how
            self._task.cancel()

    async def _carry(self, handle: Next) -> Outcome:
        if self._link.link_s:
            await asyncio.sleep(self._link.link_s)
        if self._link.down:
            self._ended = End.CLOSE
            return self._broke()
        if self._connection.there is not None:
            await self._pass(self._connection.there, REQUEST_BYTES + self._attempt.call.prompt_tokens)
        halt = self._link.halt
        if halt.cycle is not None:
            await halt.over()
        self._attempt.catch_up = self._link.worker.catch_up
        try:
            outcome = await handle(self._call())
        finally:
            self._attempt.catch_up = None
        if self._connection.back is not None:
            await self._pass(self._connection.back, self._last_bytes(outcome))
        return outcome

    def _call(self) -> Call:
        call = self._attempt.call
        return Call(
            id=call.id,
            caller=call.caller,
            route=call.route,
            payload=call.payload,
            stream=call.stream,
            prompt_tokens=call.prompt_tokens,
            max_tokens=call.max_tokens,
            deadline_s=call.deadline_s,
            sink=self._take,
        )

    def _take(self, chunk: Chunk) -> None:
        back = self._connection.back
        if back is None:
            self._head_bytes = 0
            self._attempt.deliver(chunk, self._clock())
        else:
            back.send(self._size(chunk), partial(self._deliver, chunk))

    def _deliver(self, chunk: Chunk) -> None:
        self._attempt.deliver(chunk, self._clock())

    def _size(self, chunk: Chunk) -> int:
        head_bytes, self._head_bytes = self._head_bytes, 0
        if self._attempt.call.stream:
            return head_bytes + PIECE_BYTES
        return WHOLE_BYTES + TOKEN_BYTES * chunk.tokens

    def _last_bytes(self, outcome: Outcome) -> int:
        """What ends the answer: the mark of a stream, or the refusal that is all of it."""
        if not outcome.answered:
            return REFUSAL_BYTES
        return LAST_BYTES if self._attempt.call.stream else 1  # the last one of the text

    async def _pass(self, wire: Wire, size: int) -> None:
        """Send something and wait until it has arrived."""
        arrived = asyncio.Event()
        wire.send(size, arrived.set)
        await arrived.wait()

    def _broke(self) -> Outcome:
        by = self._link.worker.name
        cause = f"the connection to {by} {'was reset' if self._ended is End.RESET else 'broke'}"
        return Outcome(kind=Kind.ERROR, phase="stream", cause=cause, by=by)
