"""Range checks of policy parameters, all with the same one line: policy, field, allowed range, value."""

from collections.abc import Collection

from policies.policy import Policy


def check(
    policy: Policy,
    *fields: str,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    whole: bool = False,
) -> None:
    """Raise ValueError unless each of `fields` is a number (`whole`: an integer) within the bounds."""
    for field in fields:
        value = getattr(policy, field)
        if not (_is_number(value, whole) and _within(value, above, at_least, at_most)):
            allowed = _allowed(above, at_least, at_most, whole)
            raise ValueError(f"{policy.name}: {field} must be {allowed}, got {value!r}")


def check_switch(policy: Policy, *fields: str) -> None:
    """Raise ValueError unless each of `fields` is true or false; the word "false" would count as true."""
    for field in fields:
        value = getattr(policy, field)
        if not isinstance(value, bool):
            raise ValueError(f"{policy.name}: {field} must be true or false, got {value!r}")


def check_word(policy: Policy, *fields: str, of: Collection[str]) -> None:
    """Raise ValueError unless each of `fields` is one of the words `of`."""
    for field in fields:
        value = getattr(policy, field)
        if value not in of:
            raise ValueError(f"{policy.name}: {field} must be one of {', '.join(of)}, got {value!r}")


def _is_number(value: object, whole: bool) -> bool:
    return isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)


def _within(value: float, above: float | None, at_least: float | None, at_most: float | None) -> bool:
    # Written so that a NaN, which compares false with everything, is out of range.
    return (
        value == value
        and (above is None or value > above)
        and (at_least is None or value >= at_least)
        and (at_most is None or value <= at_most)
    )


def _allowed(above: float | None, at_least: float | None, at_most: float | None, whole: bool) -> str:
    limits = (("above", above), ("at least", at_least), ("at most", at_most))
    parts = [f"{word} {limit:g}" for word, limit in limits if limit is not None]
    return f"a {'whole ' if whole else ''}number {' and '.join(parts)}"
