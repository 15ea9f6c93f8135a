"""A danger zone in words."""

from collections.abc import Mapping

from harness.judging.danger_zone import Zone


def times(factor: float) -> str:
    """`x2`, `x2.45`: as many digits as there are, three at most."""
    return f"x{float(f'{factor:.3g}'):g}"


def zone_words(zone: Zone) -> str:
    """`contained up to x2, spread from x3`."""
    if zone.most is None or zone.least is None:
        return "undecided"
    if zone.first_spread is None:
        return f"never spread up to {times(zone.most)}{_unsure(zone)}"
    if zone.again:
        return _not_monotone(zone)
    if zone.spread_from == zone.least:
        return f"spread from the smallest factor on ({times(zone.least)})"
    if zone.spread_from is None:
        return f"{_below(zone)}, not all spread at {times(zone.most)}"
    return f"{_below(zone)}, spread from {times(zone.spread_from)}"


def _below(zone: Zone) -> str:
    if zone.contained_to:
        return f"contained up to {times(zone.contained_to)}"
    words = "either way" if zone.least in zone.torn else "undecided"
    return f"{words} from {times(zone.least or 1)}"


def _unsure(zone: Zone) -> str:
    return (
        f", {zone.undecided} {'run' if zone.undecided == 1 else 'runs'} undecided" if zone.undecided else ""
    )


def _not_monotone(zone: Zone) -> str:
    """A worse fault may hurt less: it is easier to see, or to time out."""
    parts = [f"contained up to {times(zone.contained_to)}"] if zone.contained_to else []
    worst = zone.between or zone.torn
    parts += [f"{'spread' if zone.between else 'some spread'} at {_list(worst)}"]
    parts += [f"contained again at {_list(zone.again)}"]
    if zone.spread_from:
        parts += [f"spread from {times(zone.spread_from)}"]
    return ", ".join(parts)


def _list(factors: tuple[float, ...]) -> str:
    return " ".join(map(times, factors))


def zone_summary(zones: Mapping[float, Zone]) -> str:
    """All loads of a policy in one sentence: from which factor on pressure can spread."""
    decided = {load: zone for load, zone in zones.items() if zone.most is not None}
    if not decided:
        return "undecided"
    onsets = {load: zone.first_spread for load, zone in decided.items() if zone.first_spread is not None}
    if not onsets:
        return _never(list(decided.values()), len(zones))
    first, *more = (f"{times(factor)} at load {load:g}" for load, factor in onsets.items())
    onset = ", ".join([first, *(words.replace(" load", "") for words in more)])
    calm = [f"{load:g}" for load in decided if load not in onsets]
    return f"can spread from {onset}" + (f"; never at {', '.join(calm)}" if calm else "")


def _never(zones: list[Zone], loads: int) -> str:
    most = min(zone.most for zone in zones if zone.most)
    few = f", at the {len(zones)} of {loads} loads decided" if len(zones) < loads else ""
    unsure = sum(zone.undecided for zone in zones)
    return f"never spread up to {times(most)}{few}" + (f"; {unsure} runs undecided" if unsure else "")
