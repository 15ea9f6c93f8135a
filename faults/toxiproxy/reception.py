"""How a proxy receives callers, beyond the original."""

from dataclasses import dataclass

MAX_DELAY_MS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Reception:
    """Holds for connections that come after it is set. ValueError for a delay out of range."""

    accept_delay_ms: int = 0  # before a new connection is read from and the worker dialled
    refuse_when_down: bool = False  # a caller whose worker is down sees a reset, not an orderly end

    def __post_init__(self) -> None:
        if not 0 <= self.accept_delay_ms <= MAX_DELAY_MS:
            given = self.accept_delay_ms
            raise ValueError(
                f"accept_delay_ms: expected a whole number from 0 to {MAX_DELAY_MS}, got {given}"
            )


AT_ONCE = Reception()
