"""Keep the garbage collector out of a run."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = (50_000, 20, 50)  # the defaults look through a long history again and again


@contextmanager
def quiet_collector() -> Iterator[None]:
    """What is loaded now is not looked at again: a full collection would stall the callers.

    What the run makes is nearly all freed by its last user, or kept: looking through it seldom is enough.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
