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
    """What a worker has done since it started.

    Attributes:
        compute_seconds: of the steps, what they took before floor and fault.
        prefill_steps, prefill_seconds: steps with at least one prompt in them.
        first_tokens: of `tokens`.
        arrived: requests that came, whatever became of them.
        failed, unanswered: of these, turned away with an error or taken in and held by a fault.
        aborted: whose caller left.
        left_early: of these, with more to come than the step under way.
        kept: of these, for whom a step was begun after that.
        kept_seconds: of those steps, summed over such requests: slots that served nobody.
    """

    steps: int = 0
    step_seconds: float = 0.0
    compute_seconds: float = 0.0
    prefill_steps: int = 0
    prefill_seconds: float = 0.0
    tokens: int = 0
    first_tokens: int = 0
    arrived: int = 0
    failed: int = 0
    unanswered: int = 0
    aborted: int = 0
    left_early: int = 0
    kept: int = 0
    kept_seconds: float = 0.0

    def step(self, seconds: float, tokens: int, computed_s: float, first_tokens: int = 0) -> None:
        """One more step."""
        self.steps += 1
        self.step_seconds += seconds
        self.compute_seconds += computed_s
        self.tokens += tokens
        if first_tokens:
            self.prefill_steps += 1
            self.prefill_seconds += seconds
            self.first_tokens += first_tokens
