"""From a list of policies to a pipeline: each at its place, and what would not work as written is refused."""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import pytest

from policies.assembly import amplification, assemble
from policies.notation import parse, spell
from policies.pickers.least_request import LeastRequest
from policies.pickers.round_robin import RoundRobin
from policies.policy import Driver, Place, Policy
from policies.timers.deadline import Deadline
from policies.timers.timers import Timers
from tests.policies import own_policies

OWN = own_policies.__name__


@dataclass(frozen=True)
class Thrice(Driver):
    """Makes three attempts of one."""

    name: ClassVar[str] = "thrice"

    stacked: bool = False

    @property
    def most_attempts(self) -> int:
        return 3


@dataclass(frozen=True)
class Twice(Thrice):
    name: ClassVar[str] = "twice"

    @property
    def most_attempts(self) -> int:
        return 2


class Anywhere(Policy):
    """Only listens."""

    name: ClassVar[str] = "anywhere"


class Many(Anywhere):
    name: ClassVar[str] = "many"
    repeatable: ClassVar[bool] = True


class Shorthand(Policy):
    """Stands for a deadline."""

    name: ClassVar[str] = "shorthand"
    place: ClassVar[Place | None] = Place.GATE

    def brings(self):
        return (Deadline(),)


def made(text):
    return assemble(parse(text))


def refusal(policies):
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # the line is what is looked at
        assemble(policies)
    assert len(str(refused.value).splitlines()) == 1
    return str(refused.value)


def names(pipeline):
    return [policy.name for policy in pipeline.policies]


def test_each_policy_comes_to_its_place():
    pipeline = made(
        "timeout(total=inf) | shed_queue_length() | retry() | breaker_window() | bulkhead() | least_request()"
    )
    assert [layer.name for layer in pipeline.layers] == ["shed_queue_length", "retry"]
    assert [gate.name for gate in pipeline.gates] == ["breaker_window", "bulkhead"]
    assert isinstance(pipeline.picker, LeastRequest)
    assert pipeline.timers.name == "timeout"
    assert pipeline.others == ()


def test_without_policies_workers_take_turns_and_nothing_is_bounded():
    for pipeline in (assemble([]), made("none"), made("none | none()")):
        assert isinstance(pipeline.picker, RoundRobin)
        assert pipeline.timers == Timers()
        assert (pipeline.layers, pipeline.gates, pipeline.others) == ((), (), ())


def test_a_policy_that_only_listens_is_heard():
    assert assemble([Anywhere()]).others[0].name == "anywhere"


def test_what_a_policy_brings_along_comes_to_its_own_place():
    pipeline = assemble([*parse("retry()"), Shorthand()])
    assert [layer.name for layer in pipeline.layers] == ["deadline", "retry"]
    assert [policy.name for policy in pipeline.others] == ["shorthand"]
    total = made("timeout(total=30) | retry()")
    assert total.layers[0] == Deadline(total_s=30, reserve_s=0.0)
    assert "deadline" not in names(made(f"timeout(total={inf})"))


def test_what_is_brought_along_and_given_as_well_is_there_twice():
    line = refusal(parse("retry_budget() | retry(budget=0.1)"))
    assert line.startswith("retry brings a retry_budget along, but there is one: leave one out.")


def test_the_order_of_policies_of_one_place_is_kept():
    for text in ("breaker_window() | bulkhead()", "bulkhead() | breaker_window()"):
        assert [gate.name for gate in made(text).gates] == [p.name for p in parse(text)]


@pytest.mark.parametrize(
    ("text", "message", "right"),
    [
        (
            "bulkhead(4) | retry()",
            "retry belongs before bulkhead",
            "retry() | bulkhead(max_in_flight=4)",
        ),
        (
            "round_robin() | breaker_window()",
            "breaker_window belongs before round_robin",
            "breaker_window() | round_robin()",
        ),
        (
            "least_request() | retry() | deadline(9)",
            "retry belongs before least_request",
            "deadline(total_s=9) | retry() | least_request()",
        ),
        (
            "retry() | shed_queue_length()",
            "shed_queue_length belongs before retry",
            "shed_queue_length() | retry()",
        ),
    ],
)
def test_a_wrong_order_is_refused_and_the_right_one_shown_ready_to_use(text, message, right):
    line = refusal(parse(text))
    assert f"wrong order: {message}. Right is: {right}" in line
    assert [spell(policy) for policy in parse(right)] == right.split(" | ")
    assemble(parse(right))


def test_timeout_stands_with_the_deadline_that_it_brings():
    assert made("timeout() | retry() | bulkhead()").timers.name == "timeout"
    assert "timeout belongs before retry" in refusal(parse("retry() | timeout()"))


@pytest.mark.parametrize("name", ["bulkhead", "breaker_window", "shed_queue_length", "timeout"])
def test_a_policy_twice_is_refused_and_both_are_shown(name):
    line = refusal(parse(f"{name}() | {name}()"))
    assert line == f"{name} is there 2 times: leave one out ({name}(), {name}())"


def test_a_policy_that_may_be_there_twice_is():
    assert names(assemble([Many(), Many()])).count("many") == 2
    assert "anywhere is there 2 times" in refusal([Anywhere(), Anywhere()])


def test_two_of_ones_own_without_a_name_are_not_taken_for_the_same():
    assert len(made(f"{OWN}:Plain() | {OWN}:OtherPlain()").gates) == 2


def test_two_pickers_are_refused():
    line = refusal(parse("round_robin() | least_request()"))
    assert line == "round_robin and least_request both pick the worker: leave one out"
    assert "is there 2 times" in refusal(parse("round_robin() | round_robin()"))


def test_two_policies_that_set_the_timers_are_refused():
    @dataclass(frozen=True)
    class Clock(Timers):
        name: ClassVar[str] = "clock"

    line = refusal([*parse("timeout()"), Clock()])
    assert line == "timeout and clock both set the timers of an attempt: leave one out"


# report 20: nanobot#2760
def test_stacked_drivers_are_refused_with_what_they_come_to_unless_asked_for():
    line = refusal([Thrice(), Twice()])
    assert line == (
        "attempts of one call multiply, thrice and twice: 3 x 2 = 6."
        " Leave one out, or ask for it: twice(stacked=true)"
    )
    assert "thrice(stacked=true)" in refusal([Twice(stacked=True), Thrice()]), "the inner one must say so"
    pipeline = assemble([Thrice(), Twice(stacked=True)])
    assert amplification(pipeline.drivers) == 6
    assert [driver.name for driver in pipeline.drivers] == ["thrice", "twice"]


def test_the_same_driver_twice_is_told_of_as_stacked():
    line = refusal(parse("retry(max_attempts=3) | retry(max_attempts=4)"))
    assert "3 x 4 = 12. Leave" in line
    assert "is there 2 times" not in line
    drivers = made("retry(max_attempts=3) | retry(max_attempts=4, stacked=true)").drivers
    assert amplification(drivers) == 12


def test_a_third_driver_has_to_be_asked_for_too():
    line = refusal([Thrice(), Twice(stacked=True), Twice()])
    assert "3 x 2 x 2 = 12" in line
