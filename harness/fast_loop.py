"""uvloop where it is installed (extra `fast`), the standard library's loop elsewhere."""

import asyncio


def new_loop() -> asyncio.AbstractEventLoop:
    """For processes that only move bytes."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
