"""Callers who ask the same again, in whole virtual runs: what the workers are spared."""

from collections import Counter
from dataclasses import replace
from functools import partial

import pytest

from harness.clock import run_virtual
from harness.config import find_preset, find_scenario
from harness.judging.history import Attempted, Ended
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.scenario import Phases
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_deployment import deploy_virtual

PROMPTS = 20


@pytest.fixture
def play(tmp_path):
    """Runs the slow worker with callers of few prompts under a pipeline. Gives attempts and endings."""

    def play(text, distinct_prompts=PROMPTS):
        scenario = find_scenario("slow_worker")
        asking = [caller for caller in scenario.callers if caller.inference]
        callers = tuple(replace(caller, distinct_prompts=distinct_prompts) for caller in asking)
        phases = Phases(warm_up_s=1, baseline_s=4, fault_s=8, recovery_s=1)
        scenario = replace(scenario, callers=callers, phases=phases)
        deploy = partial(deploy_virtual, costs=TINY_CPU)
        work = run(scenario, find_preset(text), 1, deploy, tmp_path / "history.jsonl", NoProgress())
        records = list(run_virtual(work).records)
        return (
            [record for record in records if isinstance(record, Attempted)],
            [record for record in records if isinstance(record, Ended)],
        )

    return play


def test_a_cache_leaves_one_attempt_for_each_prompt_and_a_few_for_those_asked_meanwhile(play):
    attempts, endings = play("cache_exact() | round_robin()")
    by = Counter((ended.kind, ended.by) for ended in endings)
    assert by[("ok", "cache_exact")] > 0.7 * len(endings)
    assert len(attempts) + by[("ok", "cache_exact")] == len(endings)
    alone, endings_alone = play("round_robin()")
    assert len(alone) == len(endings_alone) == len(endings)


def test_with_single_flight_behind_it_each_prompt_of_each_kind_of_caller_is_sent_once(play):
    attempts, endings = play("cache_exact() | single_flight() | round_robin()")
    assert {ended.kind for ended in endings} == {"ok"}
    assert len(attempts) <= 2 * PROMPTS, "chat, and the tenant that may reach other workers only"
    assert {ended.tokens for ended in endings} == {16}, "whole answers, however they came"


def test_single_flight_alone_spares_the_attempts_of_those_who_ask_meanwhile(play):
    attempts, endings = play("single_flight() | round_robin()")
    by = Counter(ended.by for ended in endings)
    assert by["single_flight"] > 0.1 * len(endings)
    assert len(attempts) + by["single_flight"] == len(endings)


def test_where_no_prompt_comes_twice_nothing_is_saved(play):
    attempts, endings = play("cache_exact() | single_flight() | round_robin()", distinct_prompts=0)
    assert len(attempts) == len(endings)
