"""When what costs more than a request may is done: once a second, as long as somebody comes."""

EVERY_S = 1.0


class OnceASecond:
    """Says at most once a second that it is time."""

    __slots__ = ("_due_s",)

    def __init__(self) -> None:
        self._due_s = float("-inf")

    def is_due(self, now: float) -> bool:
        if now < self._due_s:
            return False
        self._due_s = now + EVERY_S
        return True
