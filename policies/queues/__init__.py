"""Who waits before the pool, in which order, and who is refused."""

from policies.policy import Policy
from policies.queues.shed_queue_length import ShedQueueLength

POLICIES: tuple[type[Policy], ...] = (ShedQueueLength,)
