"""Pipelines with a name, the ones that reports compare."""

from policies.presets.contain import CONTAIN
from policies.presets.preset import Preset
from policies.presets.published import PUBLISHED
from policies.presets.sized import SIZED

PRESETS: dict[str, Preset] = {preset.name: preset for preset in (*SIZED, CONTAIN, *PUBLISHED)}
