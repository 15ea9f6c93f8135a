"""Affinity asks for the slow owner again and again, and the other owner is there."""

from harness.asking import counted_call
from harness.binding import owners
from harness.judging.history import Attempted
from harness.judging.verdict import judge
from harness.judging.windows import Window
from scenarios.cache_owner_slow import CHAT, SCENARIO
from tests.scenarios.conducted import conduct, during, sent

OWNER = SCENARIO.faulted_names()[0]


def test_every_request_goes_to_an_owner_of_its_prompt_and_the_slow_worker_is_one_of_the_most_wanted(tmp_path):
    workers, seed = SCENARIO.topology.worker_names(), 1
    assert owners("chat 0", workers)[0] == OWNER
    history = conduct(SCENARIO, "none", tmp_path, seed=seed)
    asked = [attempt for attempt in history.of(Attempted) if attempt.request.startswith(CHAT.name)]
    prompts = [counted_call(CHAT, attempt.request, seed).payload.decode() for attempt in asked]
    pairs = list(zip(asked, prompts, strict=True))
    assert all(attempt.worker in owners(prompt, workers)[:2] for attempt, prompt in pairs)
    hottest = [attempt.worker == OWNER for attempt, prompt in pairs if prompt == "chat 0"]
    assert len(hottest) > 0.25 * len(asked)
    assert 0.3 * len(hottest) < sum(hottest) < 0.7 * len(hottest)


def test_who_knows_load_gives_its_prompts_to_their_other_owner(tmp_path):
    history = conduct(SCENARIO, "contain", tmp_path)
    fault = during(history)
    late = Window(fault.start_s + fault.length_s / 2, fault.end_s)
    attempts = [
        a for a in history.of(Attempted) if a.request.startswith(CHAT.name) and late.holds(a.started_s)
    ]
    assert len(sent(history, late, OWNER)) < 0.05 * len(attempts)
    assert judge(history).metrics["touched_goodput_ratio"].during > 0.97
