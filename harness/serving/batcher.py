"""Continuous (iteration-level) batching: which sequences run the next step. Pure; knows no clock and no I/O.

A sequence holds one of `max_num_seqs` slots from the step after it was taken until it ends. Whoever finds
no slot waits in a bounded queue, first come first served.
"""

import heapq
from collections import deque

from harness.serving.engine import Sequence


class Batcher:
    """Slots and the queue before them."""

    def __init__(self, max_num_seqs: int, max_queue: int) -> None:
        if max_num_seqs < 1:
            raise ValueError(f"max_num_seqs must be at least 1, got {max_num_seqs}")
        if max_queue < 0:
            raise ValueError(f"max_queue must be at least 0, got {max_queue}")
        self.max_num_seqs = max_num_seqs
        self.usable_slots = max_num_seqs  # fewer, also than run now, while a fault keeps the others
        self.max_queue = max_queue
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []
        self._free = list(range(max_num_seqs))

    def __repr__(self) -> str:
        return f"<Batcher {len(self.running)}/{self.max_num_seqs} running, {len(self.waiting)} waiting>"

    @property
    def has_room(self) -> bool:
        """Whether a slot is free that may be used."""
        return len(self.running) < self.usable_slots

    def offer(self, sequence: Sequence) -> bool:
        """Take a sequence in, or say no: the queue is full. Free slots count as room."""
        if len(self.waiting) >= self.max_queue + max(0, self.usable_slots - len(self.running)):
            return False
        self.waiting.append(sequence)
        return True

    def next_batch(self) -> list[Sequence]:
        """Seat whoever waits while there are slots; all that run now, in slot order of arrival."""
        while self.waiting and self.has_room:
            sequence = self.waiting.popleft()
            sequence.slot = heapq.heappop(self._free)
            self.running.append(sequence)
        return list(self.running)

    def remove(self, sequence: Sequence) -> int | None:
        """Take a sequence out, ended or aborted. The slot it held, None if it was still waiting."""
        if sequence in self.running:
            self.running.remove(sequence)
            slot, sequence.slot = sequence.slot, -1
            heapq.heappush(self._free, slot)
            return slot
        if sequence in self.waiting:
            self.waiting.remove(sequence)
        return None
