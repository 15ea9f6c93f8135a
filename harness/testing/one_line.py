"""A refusal ends in the user's own line: their traceback has no frame of ours."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from harness.errors import LimplockError

P = ParamSpec("P")
R = TypeVar("R")


def in_one_line(call: Callable[P, R]) -> Callable[P, R]:
    """For what a test calls."""

    @wraps(call)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True  # pytest leaves this frame out
        try:
            return call(*args, **kwargs)
        except LimplockError as wrong:
            raise wrong.with_traceback(None) from None

    return told
