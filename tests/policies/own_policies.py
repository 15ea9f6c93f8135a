"""What users may keep in a module of their own, good and bad. Named by tests as `module:attribute`."""

from dataclasses import dataclass
from typing import ClassVar

from policies.bounds import check
from policies.breakers.breaker_window import BreakerWindow
from policies.policy import Gate, Place, Policy


@dataclass(frozen=True)
class Odd(Gate):
    """A gate of one's own."""

    name: ClassVar[str] = "odd"

    share_ratio: float = 0.5
    word: str = "all"

    def __post_init__(self) -> None:
        check(self, "share_ratio", at_least=0, at_most=1)


class Plain(Gate):
    """No dataclass, and no name of its own."""

    def __init__(self, limit: int = 3) -> None:
        self.limit = limit


class OtherPlain(Gate):
    """Has the same inherited name as `Plain`."""


class Late(Policy):
    """A layer's place for what is none."""

    name: ClassVar[str] = "late"
    place: ClassVar[Place | None] = Place.CACHE


class Inside:
    """Holds further ones."""

    @dataclass(frozen=True)
    class Deep(Gate):
        name: ClassVar[str] = "deep"

    @staticmethod
    def made(calls: int = 3) -> BreakerWindow:
        return BreakerWindow(min_calls=calls)


def strict_breaker(calls: int = 3) -> BreakerWindow:
    return BreakerWindow(min_calls=calls)


def liar() -> Policy:
    return "no policy"  # type: ignore[return-value]


def broken() -> Policy:
    raise KeyError("two\nlines")


def leaves() -> Policy:
    raise SystemExit


def silent():
    raise AssertionError("was called")


instance = Plain()


class Wicked:
    """Raises whatever it is asked for."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


wicked = Wicked()
