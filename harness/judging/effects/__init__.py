"""How much of each quantity a history shows at one worker, before and while the fault is there.

A fault names the quantity that it must show (`faults/effect.py`). To add one: its function in the file of its
place, its line in that file's table.
"""

from collections.abc import Mapping

from harness.judging.effects import link, process, steps, worker
from harness.judging.effects.measure import Measuring

MEASURES: Mapping[str, Measuring] = {**steps.MEASURES, **link.MEASURES, **process.MEASURES, **worker.MEASURES}
