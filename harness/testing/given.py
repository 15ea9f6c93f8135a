"""What a test gives is of the kind that is meant: told in one line, in the test's own."""

import os
from collections.abc import Mapping
from typing import Any

from harness.errors import BadInput
from harness.scenario import Scenario

WORDS: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    Mapping: 'a dict such as {"fault_s": 30}',
    Scenario: "a Scenario",
    os.PathLike: "a path",
}


def check_given(values: Mapping[str, Any], *kinds: type) -> None:
    """BadInput for a value that is of none of the `kinds`. True and False are no numbers."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, kinds):
            meant = " or ".join(
                WORDS[kind] for kind in kinds if kind in WORDS and not (kind is int and float in kinds)
            )
            raise BadInput(f"{name} takes {meant}, got {value!r:.60}")
