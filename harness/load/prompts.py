"""What is asked: seeded prompts over a small vocabulary, as OpenAI-style request bodies."""

import json
import random
from bisect import bisect
from functools import cache
from itertools import accumulate
from math import log

_WORDS = "a list of all names in the module that is returned when an object has no value".split()


TOKENS_PER_WORD = (
    4.35  # the built-in model's tokenizer makes 10 to 29 of four of these words, 17.4 on average
)


def count_tokens(words: int) -> int:
    """Tokens of a prompt of `words` words, on average: virtual runs draw no text."""
    return max(1, round(words * TOKENS_PER_WORD))


def prompt(words: int, rng: random.Random) -> str:
    """A text of `words` words."""
    return " ".join(rng.choice(_WORDS) for _ in range(words))


def completion_body(text: str, max_tokens: int, seed: int) -> bytes:
    """A streaming completion of exactly `max_tokens` tokens, so that every answer costs the same."""
    body = {
        "prompt": text,
        "max_tokens": max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.0,
        "seed": seed,
        "ignore_eos": True,
    }
    return json.dumps(body).encode()


LONGEST = 8  # times the mean: where the tail of the lengths is cut


def answer_tokens(mean: int, sigma: float, rng: random.Random) -> int:
    """The length of an answer: log-normal with this mean (before the cut) and this sigma of its logarithm."""
    drawn = rng.lognormvariate(log(mean) - sigma * sigma / 2, sigma)
    return min(max(1, round(drawn)), LONGEST * mean)


def zipf(kinds: int, rng: random.Random) -> int:
    """One of `kinds`, from 0, of which number k is asked in proportion to 1 / (k + 1)."""
    sums = _zipf_sums(kinds)
    return bisect(sums, rng.random() * sums[-1])


@cache
def _zipf_sums(kinds: int) -> list[float]:
    return list(accumulate(1 / rank for rank in range(1, kinds + 1)))
