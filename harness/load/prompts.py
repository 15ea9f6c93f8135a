"""What is asked: seeded prompts over a small vocabulary, as OpenAI-style request bodies."""

import json
import random

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
