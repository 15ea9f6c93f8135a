"""Where tasks stand still, in words: what an error says when a loop cannot go on."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

_PLACES = 10  # that are named
_NAMES = 3  # of tasks at one place
_ASYNCIO = asyncio.__file__.removesuffix("__init__.py")


def who_waits(tasks: "Iterable[asyncio.Task[Any]]") -> str:
    """`2 waiting: front-0, front-1 in Service._slot (service.py:55) > Event.wait (locks.py:213)`.

    The rarest places come first: what is stuck is seldom where hundreds idle.
    """
    names: defaultdict[str, list[str]] = defaultdict(list)
    for task in tasks:
        names[_place(task)].append(task.get_name())
    if not names:
        return "No task waits: a future is awaited that nobody will set"
    places = sorted(names, key=lambda place: (len(names[place]), place))
    told = [f"{_cut(names[place])} in {place}" for place in places[:_PLACES]]
    if len(places) > _PLACES:
        told.append(f"{len(places) - _PLACES} more places")
    return f"{sum(map(len, names.values()))} waiting: {'; '.join(told)}"


def _cut(names: list[str]) -> str:
    names.sort(key=lambda name: (len(name), name))  # worker-9 before worker-10
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + more


def _place(task: "asyncio.Task[Any]") -> str:
    """The last frame outside asyncio, and after it the last one of all."""
    chain = list(_awaits(task.get_coro()))
    if not chain:
        return repr(task.get_coro())
    ours = [(name, frame) for name, frame in chain if not frame.f_code.co_filename.startswith(_ASYNCIO)]
    ends = dict.fromkeys((*ours[-1:], chain[-1]))
    return " > ".join(
        f"{name} ({frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno})" for name, frame in ends
    )


def _awaits(inner: Any) -> Iterator[tuple[str, FrameType]]:
    """From the task's own coroutine inwards, by what awaits what, as far as it can be seen."""
    while inner is not None:
        frame = getattr(inner, "cr_frame", None) or getattr(inner, "gi_frame", None)
        if frame is not None:
            yield inner.__qualname__, frame
        inner = getattr(inner, "cr_await", None) or getattr(inner, "gi_yieldfrom", None)
