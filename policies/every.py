"""When what costs more than a request may is done: once in a while, as long as somebody comes."""


class Every:
    """Says when it is time again. The first time is at once."""

    __slots__ = ("_due_s",)

    def __init__(self) -> None:
        self._due_s = float("-inf")

    def is_due(self, now: float, every_s: float) -> bool:
        """Whether `every_s` seconds have passed since it last was."""
        if now < self._due_s:
            return False
        self._due_s = now + every_s
        return True
