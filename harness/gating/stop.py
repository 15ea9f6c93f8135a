"""Guards of a running run: each second a look at what was recorded, and the end if one is broken."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from harness.errors import Aborted
from harness.gating.gate_file import StopIf
from harness.judging.live import Live
from harness.runner import Watch
from harness.serving.recorder import Recorder

EVERY_S = 1.0


def guarded(guards: Sequence[StopIf]) -> Watch | None:
    """What a run is watched by; nothing without guards."""
    return partial(stop_if, guards) if guards else None


async def stop_if(guards: Sequence[StopIf], recorder: Recorder) -> NoReturn:
    """Aborted once one is broken: a system in danger is worth more than a verdict."""
    looks = [(guard, Live(guard.for_s)) for guard in guards]
    seen = 0
    while True:
        await asyncio.sleep(EVERY_S)
        records, now_s = recorder.history.records[seen:], recorder.now()
        seen += len(records)
        for guard, live in looks:
            live.take(records)
            figure = live.figure(guard.metric, guard.of, now_s)
            if figure is not None and figure > guard.over and now_s >= guard.for_s:
                raise Aborted(_told(guard, figure, now_s))


def _told(guard: StopIf, figure: float, now_s: float) -> str:
    return (
        f"a guard (line {guard.line}) stopped the job {now_s:.0f} s into a run: {guard.metric} of {guard.of}"
        f" was {figure:.3g} over the last {guard.for_s:g} s, {guard.over:g} is allowed."
        " What was ours is gone; look at the system before the next try"
    )
