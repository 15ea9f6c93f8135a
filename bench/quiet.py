"""The state in which things are measured."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_collector() -> Iterator[None]:
    """Keep what is loaded out of the collector's way, as a run does: a full collection is a long pause."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
