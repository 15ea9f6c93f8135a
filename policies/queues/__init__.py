"""Who waits before the pool, in which order, and who is refused."""

from policies.policy import Policy
from policies.queues.queue import Queue
from policies.queues.shed_deadline import ShedDeadline
from policies.queues.shed_queue_delay import ShedQueueDelay
from policies.queues.shed_queue_length import ShedQueueLength

POLICIES: tuple[type[Policy], ...] = (Queue, ShedQueueLength, ShedQueueDelay, ShedDeadline)
