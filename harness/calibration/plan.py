"""Which steps are timed: batches of several sizes and lengths, some for the fit, others to check it."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.errors import BadInput

DECODES = 3  # steps between the prompts and the joining sequences of a cycle
MAX_NUM_SEQS = 16  # twice what a worker runs by default
LARGEST_PREFILL = 4096  # tokens in one step; more would need prompts that no scenario sends


@dataclass(frozen=True, slots=True)
class Cycle:
    """A batch from start to end: its prompts in one step, some decode steps, then new sequences that join.

    Attributes:
        prompts: tokens of each sequence.
        joins: tokens of each sequence that is prefilled while the others decode.
    """

    prompts: tuple[int, ...]
    joins: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """Prompt tokens in all, which is nearly all that a cycle costs."""
        return sum(self.prompts) + sum(self.joins)

    @property
    def steps(self) -> int:
        return 1 + DECODES + bool(self.joins)

    def fits(self, max_model_len: int) -> bool:
        longest = max((*self.prompts, *self.joins))
        return longest + 1 + DECODES <= max_model_len and self.tokens <= LARGEST_PREFILL


def fit_cycles() -> list[Cycle]:
    """Every batch size at every length, with one or two sequences joining where there are slots."""
    sizes, lengths = (1, 2, 4, 8, 16), (8, 32, 128, 512)
    joins = {1: (16,), 2: (64, 64), 4: (256,), 8: (32,), 16: ()}
    return [Cycle((length,) * size, joins[size]) for size in sizes for length in lengths]


def check_cycles() -> list[Cycle]:
    """Sizes and lengths between those of the fit, and batches of unequal lengths, as real ones are."""
    return [
        Cycle((20,), (24,)),
        Cycle((200,), (48, 12)),
        Cycle((16,) * 3, (40,)),
        Cycle((64,) * 3, (100,)),
        Cycle((48,) * 6, (20, 30)),
        Cycle((160,) * 6, (16,)),
        Cycle((10,) * 12, (36,)),
        Cycle((96,) * 12, (20,)),
        Cycle((12, 40, 90, 150), (25,)),
        Cycle((8, 16, 24, 32, 64, 128, 256), (48,)),
    ]


def affordable(
    cycles: Sequence[Cycle], token_s: float, step_s: float, limit_s: float, max_model_len: int
) -> list[Cycle]:
    """The cheapest of `cycles` that fit the model and take `limit_s` together, by a first guess at the costs.

    Raises BadInput if there is not even one.
    """
    kept: list[Cycle] = []
    for cycle in sorted((c for c in cycles if c.fits(max_model_len)), key=lambda c: c.tokens):
        limit_s -= cycle.tokens * token_s + cycle.steps * step_s
        if limit_s < 0:
            break
        kept.append(cycle)
    if not kept:
        raise BadInput(
            f"this model is too slow or too short to calibrate: {token_s * 1e3:.3g} ms a prompt token,"
            f" {step_s * 1e3:.3g} ms a step, {max_model_len} tokens at most. Take a smaller one, or a GPU"
        )
    return kept
