"""From a list of policies, outermost first, to a pipeline. What would not work as written is refused."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import prod

from policies.notation import spell
from policies.pickers.round_robin import RoundRobin
from policies.pipeline import Pipeline
from policies.policy import Driver, Gate, Layer, Picker, Place, Policy
from policies.timers.timers import Timers


def assemble(policies: Sequence[Policy]) -> Pipeline:
    """The pipeline of `policies` and of what they bring along. Without a picker, workers take turns.

    ValueError in one line, with the remedy.
    """
    policies = [policy for policy in policies if type(policy) is not Policy]
    _check_once(policies)
    _check_order(policies)
    _check_stacking(policies)
    whole = _in_order([*policies, *_brought(policies)])
    return Pipeline(
        layers=tuple(policy for policy in whole if isinstance(policy, Layer)),
        gates=tuple(policy for policy in whole if isinstance(policy, Gate)),
        picker=next((policy for policy in whole if isinstance(policy, Picker)), RoundRobin()),
        timers=next((policy for policy in whole if isinstance(policy, Timers)), Timers()),
        others=tuple(p for p in whole if not isinstance(p, Layer | Gate | Picker | Timers)),
    )


def amplification(drivers: Sequence[Driver]) -> int:
    """The most attempts that a call can come to, budgets aside."""
    return prod(driver.most_attempts for driver in drivers)


def multiplied(drivers: Sequence[Driver]) -> str:
    """`retry and hedge: 3 x 2 = 6`: the amplification in words."""
    names = " and ".join(driver.name for driver in drivers)
    factors = " x ".join(str(driver.most_attempts) for driver in drivers)
    return f"{names}: {factors} = {amplification(drivers)}"


def _brought(policies: Sequence[Policy]) -> list[Policy]:
    """What they bring along. ValueError if it is there already."""
    there = [policy for policy in policies if not policy.repeatable]
    brought: list[Policy] = []
    for policy in policies:
        for more in policy.brings():
            if any(type(more) is type(other) for other in there):
                raise ValueError(
                    f"{policy.name} brings a {more.name} along, but there is one: leave one out. To share the"
                    f" one that is there: {policy.name}(budget=none)"
                )
            brought.append(more)
            there += [] if more.repeatable else [more]
    return brought


def _check_once(policies: Sequence[Policy]) -> None:
    for kind, times in Counter(type(policy) for policy in policies if not policy.repeatable).items():
        if times > 1 and not issubclass(kind, Driver):  # `_check_stacking` has more to say of those
            raise ValueError(f"{kind.name} is there {times} times: leave one out ({_all_of(policies, kind)})")
    for kind, what in ((Picker, "pick the worker"), (Timers, "set the timers of an attempt")):
        names = [policy.name for policy in policies if isinstance(policy, kind)]
        if len(names) > 1:
            raise ValueError(f"{' and '.join(names)} both {what}: leave one out")


def _check_order(policies: Sequence[Policy]) -> None:
    placed = [policy for policy in policies if policy.place is not None]
    for outer, inner in pairwise(placed):
        if _place(outer) > _place(inner):
            right = " | ".join(map(spell, _in_order(policies)))
            raise ValueError(f"wrong order: {inner.name} belongs before {outer.name}. Right is: {right}")


def _check_stacking(policies: Sequence[Policy]) -> None:
    drivers = [policy for policy in policies if isinstance(policy, Driver)]
    for driver in drivers[1:]:
        if not driver.stacked:
            raise ValueError(
                f"attempts of one call multiply, {multiplied(drivers)}. Leave one out, or ask for it:"
                f" {driver.name}(stacked=true)"
            )


def _in_order(policies: Sequence[Policy]) -> list[Policy]:
    """As they belong; those of one place as they were given."""
    return sorted(policies, key=_place)


def _place(policy: Policy) -> int:
    return Place.GATE if policy.place is None else policy.place


def _all_of(policies: Sequence[Policy], kind: type[Policy]) -> str:
    return ", ".join(spell(policy) for policy in policies if type(policy) is kind)
