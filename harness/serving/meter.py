"""What a worker measures, and who hears of it."""

from dataclasses import dataclass

from policies.outcome import Outcome


class Meter:
    """Hears what a worker measures. This one keeps nothing."""

    def stepped(self, seconds: float, batch: int, tokens: int) -> None: ...
    def queued(self, seconds: float) -> None: ...
    def first_token(self, seconds: float) -> None: ...
    def token_gap(self, seconds: float) -> None: ...
    def ended(self, outcome: Outcome, seconds: float, prompt_tokens: int, tokens: int) -> None: ...


@dataclass(slots=True)
class Counts:
    """What a worker has done since it started."""

    steps: int = 0
    step_seconds: float = 0.0
    compute_seconds: float = 0.0  # of the steps, what they took before floor and fault
    tokens: int = 0
    aborted: int = 0

    def step(self, seconds: float, tokens: int, computed_s: float) -> None:
        """One more step."""
        self.steps += 1
        self.step_seconds += seconds
        self.compute_seconds += computed_s
        self.tokens += tokens
