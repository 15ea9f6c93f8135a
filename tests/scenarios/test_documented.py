"""docs/scenarios.md and the scenarios say the same."""

import re
from pathlib import Path

from harness.judging.result import Verdict
from scenarios import SCENARIOS

PAGE = Path(__file__).parents[2] / "docs" / "scenarios.md"
ROW = re.compile(r"^\| `(\w+)` \| (.+) \| (.+) \| (\w+) \| (\w+) \| (.+) \|$", re.MULTILINE)
SHOWN = ("none", "contain")  # have a column each; of the others those that spread are named


def rows():
    return {row[0]: row[1:] for row in ROW.findall(PAGE.read_text())}


def test_the_table_has_every_scenario_once_in_the_order_of_the_list():
    assert [row[0] for row in ROW.findall(PAGE.read_text())] == list(SCENARIOS)


def test_each_row_says_what_each_preset_must_get():
    for name, (_, _, none, contain, others) in rows().items():
        expects = SCENARIOS[name].expects
        assert (none, contain) == (expects["none"].value, expects["contain"].value), name
        failing = [f"`{p}`" for p, v in expects.items() if v is Verdict.FAIL and p not in SHOWN]
        assert others == (", ".join(failing) or "none of them"), name


def test_no_scenario_expects_anything_but_a_verdict_that_decides():
    for name, scenario in SCENARIOS.items():
        assert Verdict.INCONCLUSIVE not in scenario.expects.values(), name
