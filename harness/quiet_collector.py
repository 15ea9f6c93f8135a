"""Keep the garbage collector out of a measurement."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_collector() -> Iterator[None]:
    """What is loaded now is not looked at again: a full collection would stall the callers."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
