"""What faults of the link have in common: their numbers in Toxiproxy's units, and the range of a share."""

from faults.magnitude import check

LONGEST_S = 1e6  # 11 days: what every toxic can be told, by either unit
WHOLE_BYTES = 2**20  # more than either server reads at once: what is read is passed on as it is


def whole_ms(seconds: float) -> int:
    """Milliseconds, as toxics count."""
    return round(seconds * 1000)


def whole_us(seconds: float) -> int:
    """Microseconds, as the slicer counts."""
    return round(seconds * 1e6)


def check_time(what: str, seconds: float, *, above: bool = False) -> None:
    """ValueError unless a toxic can be told to take so long; `above`: unless it is more than 0, too."""
    check(what, seconds, 0, LONGEST_S, above=above)


def check_share(kind: str, ratio: float) -> None:
    """ValueError unless `ratio` is a share of connections above 0."""
    check(f"{kind}: connections_ratio", ratio, 0, 1, above=True)
