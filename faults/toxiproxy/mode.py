"""How close to the original a server keeps where the original's way is a defect."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mode:
    """Settings that hold for a whole server. docs/toxiproxy.md lists what `strict_compat` restores."""

    strict_compat: bool = False  # the original's way wherever a client could depend on it


SANE = Mode()
