"""Which workers a request may reach because of its caller, not because of a picker."""

from dataclasses import replace

import pytest

from faults.fault import Fault
from harness.binding import hottest_owner, owners, prompt_name, reachable
from harness.scenario import Caller, Scenario

CHAT = Caller(name="chat", enters="front", rate_rps=1.0, max_tokens=16)
CACHED = replace(CHAT, distinct_prompts=40, cache_owners=2)
WORKERS = ["worker-0", "worker-1", "worker-2", "worker-3"]
PROMPTS = [prompt_name(CACHED, rank) for rank in range(400)]


def scenario(*faulted: int) -> Scenario:
    return Scenario(name="x", meaning="", fault=Fault(), expects={}, faulted_workers=faulted or (0,))


def test_a_caller_of_no_such_kind_may_reach_every_worker():
    assert reachable(scenario(), CHAT, "") is None


def test_who_avoids_the_fault_reaches_the_others_only():
    assert reachable(scenario(1), replace(CHAT, avoids_fault=True), "") == {
        "worker-0",
        "worker-2",
        "worker-3",
    }


def test_a_pinned_caller_has_one_worker_which_is_the_next_where_that_one_is_left_out():
    pinned = replace(CHAT, pinned_to=3)
    assert reachable(scenario(), pinned, "") == {"worker-3"}
    assert reachable(scenario(3), replace(pinned, avoids_fault=True), "") == {"worker-0"}
    assert reachable(scenario(3, 0), replace(pinned, avoids_fault=True), "") == {"worker-1"}


def test_a_prompt_goes_to_its_owners_and_to_nobody_else():
    found = {prompt: reachable(scenario(), CACHED, prompt) for prompt in PROMPTS}
    assert {len(workers) for workers in found.values()} == {2}
    assert found == {prompt: frozenset(owners(prompt, WORKERS)[:2]) for prompt in PROMPTS}
    first = [owners(prompt, WORKERS)[0] for prompt in PROMPTS]
    assert [first.count(worker) / len(first) for worker in WORKERS] == pytest.approx([0.25] * 4, abs=0.06)


def test_a_worker_more_takes_its_share_and_moves_no_other_prompt():
    more = [*WORKERS, "worker-4"]
    moved = [p for p in PROMPTS if owners(p, more)[0] != owners(p, WORKERS)[0]]
    assert {owners(prompt, more)[0] for prompt in moved} == {"worker-4"}
    assert len(moved) / len(PROMPTS) == pytest.approx(1 / 5, abs=0.06)


def test_owners_are_found_among_those_that_a_caller_may_reach():
    spared = reachable(scenario(2), replace(CACHED, avoids_fault=True), PROMPTS[0])
    assert spared == frozenset(owners(PROMPTS[0], ["worker-0", "worker-1", "worker-3"])[:2])


def test_the_owner_of_the_hottest_prompt_owns_what_is_asked_most():
    assert WORKERS[hottest_owner(CACHED, 4)] == owners("chat 0", WORKERS)[0]
