"""A virtual run of a scenario that has no name in `scenarios/`: a value that a test made."""

from typing import Any

import msgspec

from harness.errors import BadInput
from harness.scenario import Scenario
from harness.virtual_run import VirtualRun


class ScenarioRun(VirtualRun, frozen=True, kw_only=True):
    """As any virtual run, but no token stands for it: the test that made the scenario must run again."""

    given: Any = msgspec.field(default=None)  # a Scenario, which never becomes JSON

    def written(self) -> Scenario:
        if not isinstance(self.given, Scenario):
            raise BadInput(f"scenario: takes a name or a Scenario, got a {type(self.given).__name__}")
        return self.given

    def token(self) -> str:
        return ""
