"""Which steps are timed: batches of several sizes and lengths, some for the fit, others to check it."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.errors import BadInput

DECODES = 6  # steps between the prompts and the joining sequences of a cycle
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
    """Every batch size at every length, with one or two sequences joining where there are slots.

    Lengths within a batch differ, as real ones do: the torch engine reads the cache up to the longest of the
    batch for each of its sequences, so equal lengths would tell it better than it is.
    """
    sizes, lengths = (1, 2, 4, 8, 16), (8, 24, 64, 160, 400)
    joins = {1: (16,), 2: (64, 64), 4: (256,), 8: (32,), 16: ()}
    return [Cycle(spread(length, size), joins[size]) for size in sizes for length in lengths]


def check_cycles() -> list[Cycle]:
    """Sizes and lengths between those of the fit, equal ones and very unequal ones among them."""
    return [
        Cycle((20,), (24,)),
        Cycle((200,), (48, 12)),
        Cycle((16,) * 3, (40,)),
        Cycle(spread(100, 3), (100,)),
        Cycle(spread(40, 6), (20, 30)),
        Cycle((160,) * 6, (16,)),
        Cycle(spread(12, 12), (36,)),
        Cycle(spread(90, 12), (20,)),
        Cycle((12, 40, 90, 150), (25,)),
        Cycle((8, 16, 24, 32, 64, 128, 256), (48,)),
    ]


def spread(mean: int, count: int) -> tuple[int, ...]:
    """`count` lengths from half to one and a half times `mean`, evenly."""
    if count == 1:
        return (mean,)
    return tuple(round(mean / 2 + mean * index / (count - 1)) for index in range(count))


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
