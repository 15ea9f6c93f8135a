"""What keeps a process from being started is told in one line."""

import errno
import os
from multiprocessing.process import BaseProcess

import pytest

from harness.errors import EnvironmentFault
from harness.serving.process_start import begin


class Unwilling(BaseProcess):
    """Cannot be started, for whatever reason it is given."""

    def __init__(self, why: Exception) -> None:
        super().__init__(name="worker-0")
        self._why = why

    def start(self) -> None:
        raise self._why


@pytest.mark.parametrize(
    ("why", "words"),
    [
        (EOFError("unexpected EOF"), "the process that forks ours has ended"),
        (BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)), "Broken pipe"),
        (BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)), "Resource temporarily unavailable"),
    ],
)
def test_what_cannot_be_started_is_named_with_the_cause(why: Exception, words: str) -> None:
    with pytest.raises(EnvironmentFault, match=f"worker-0 could not be started: {words}. See whether"):
        begin(Unwilling(why))
