"""Every public report that a policy must not repeat has its test, marked with `# report <n>: <what>`."""

import pytest

from tests.reports import missing

REPORTS = {
    1: ("pybreaker#7",),
    2: ("tenacity#529",),
    3: ("cpython#86296",),
    4: ("cpython#134471",),
    5: ("resilience4j#1597",),
    6: ("resilience4j#1477",),
    7: ("resilience4j#544", "resilience4j#935"),
    8: ("Polly#216",),
    9: ("Polly#217",),
    10: ("envoy#288", "kuma#1632"),
    11: ("envoy#41985", "envoy#22395"),
    12: ("grpc-java#12834", "grpc-java#13001"),
    13: ("concurrency-limits#137", "failsafe-go#127"),
    14: ("concurrency-limits#134",),
    15: ("envoy#11579",),
    16: ("OmniRoute#10111", "go-concurrency-limits#117"),
    17: ("brpc#3340",),
    18: ("linkerd2#11669",),
    19: ("openai-python#3828",),
    20: ("nanobot#2760",),
    21: ("livekit/agents#6171",),
    22: ("litellm#19909", "litellm#30337"),
    23: ("livekit/agents#1298",),
    24: ("sglang#25811", "sglang#39464"),
    25: ("resilience4j#1656", "resilience4j#2013"),
    26: ("go-zero#5011",),
    27: ("vllm-project/router#197",),
    28: ("smg#2130",),
    29: ("sub2api#4408", "production-stack#867"),
    30: ("istio#20135", "envoy#3263"),
    31: ("remnic#2015",),
    32: ("aiohttp",),
    33: ("litellm#40130",),
    34: ("vllm#2901", "llm-d-semantic-classifier#24"),
}


@pytest.mark.parametrize("number", REPORTS)
def test_every_report_has_a_test(number):
    assert missing(REPORTS, number) == [], f"report {number}: no test is marked with these"
