"""Answers of very different lengths, and no fault: the longest take ten times as long as the usual one.

A fixed bound on whole answers takes a long one for a slow worker (resilience4j/resilience4j#1477) and cuts it
off (defilantech/LLMKube#734). Judged by the time of a token, nobody is slow, and nobody may be accused.
"""

from harness.judging.verdict import Verdict
from harness.scenario import DEFAULT_CALLERS, Caller, Scenario

SCENARIO = Scenario(
    name="long_answers",
    meaning="no fault: some answers are ten times as long as the usual one, and nobody may be accused",
    fault=None,
    callers=(
        Caller(name="chat", enters="front", rate_rps=32, max_tokens=8, length_sigma=0.8),
        *DEFAULT_CALLERS[1:],
    ),
    expects={
        "none": Verdict.PASS,
        "timeout": Verdict.PASS,
        "libraries": Verdict.PASS,
        "timeout_breaker": Verdict.PASS,
        "timeout_breaker_shed": Verdict.PASS,
        "contain": Verdict.PASS,
        "envoy_defaults": Verdict.PASS,
        "resilience4j_defaults": Verdict.PASS,
        "polly_standard": Verdict.PASS,
        "finagle_defaults": Verdict.PASS,
        "grpc_defaults": Verdict.PASS,
        "openai_client_defaults": Verdict.PASS,
    },
)
