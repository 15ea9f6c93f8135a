"""Every public report about faults, proxies and clean-up has its test, marked with `# report <n>: <what>`."""

import pytest

from tests.policies.test_reports import REPORTS as OF_POLICIES
from tests.reports import MARKS, missing, names, stands_over_a_test, unknown

REPORTS = {
    1: ("toxiproxy#558",),
    2: ("toxiproxy#603",),
    3: ("toxiproxy#148",),
    4: ("toxiproxy#447",),
    5: ("toxiproxy#610",),
    6: ("toxiproxy#195",),
    7: ("toxiproxy#123", "toxiproxy#265"),
    8: ("toxiproxy#613",),
    9: ("toxiproxy#556",),
    10: ("envoy#2067",),
    11: ("chaostoolkit-lib#189",),
    12: ("chaostoolkit-lib#94",),
    13: ("litmus#4934",),
    14: ("litmus#3573", "chaos-operator#346"),
    15: ("litmus#5351",),
    16: ("chaos-mesh#4535",),
    17: ("chaos-mesh#1478",),
    18: ("chaos-mesh#4392",),
    19: ("istio#13705",),
    20: ("envoy#13069",),
    21: ("pumba#166",),
    22: ("jepsen#602", "openraft#1934"),
    23: ("vllm#36960", "vllm#39863"),
    24: ("ray#54070", "cluster#4593"),
    25: ("ray#21578",),
    26: ("LLMKube#1812",),
    27: ("Camelid#675",),
    28: ("maxx#833",),
    29: ("PraisonAI#4969",),
    30: ("browser-use#5418",),
    31: ("resilience4j#667",),
    33: ("testcontainers-python#1104",),
}
OTHER = {32: "aicr#1197 is about a gate that flaps; there is no gate yet whose runs could be repeated"}


@pytest.mark.parametrize("number", REPORTS)
def test_every_report_has_a_test(number: int) -> None:
    assert missing(REPORTS, number) == [], f"report {number}: no test is marked with these"


def test_all_reports_are_listed_with_a_test_or_a_reason() -> None:
    assert sorted({*REPORTS, *OTHER}) == list(range(1, 34))


def test_every_mark_names_a_report_of_one_of_the_lists() -> None:
    assert unknown(REPORTS, OF_POLICIES) == []


def test_every_mark_stands_over_a_test() -> None:
    for places in MARKS.values():
        for words, path, line in places:
            assert stands_over_a_test(path, line), f"{path}:{line}: {words}"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("toxiproxy#610", True),
        ("Shopify/toxiproxy#610: seed", True),
        ("toxiproxy PR #610, #274", True),
        ("toxiproxy#447, #610", True),
        ("toxiproxy#6101", False),
        ("nottoxiproxy#610", False),
        ("other#610", False),
    ],
)
def test_a_report_is_known_however_it_is_written(words: str, named: bool) -> None:
    assert names(words, "toxiproxy#610") is named
