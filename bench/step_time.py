"""What one engine step costs at each batch size, and how that compares to a batch of one.

`python -m bench.step_time [--model tiny]`. All batch sizes take turns within each round, so that a slow
minute of the machine hits all of them; each figure is the quickest single step, the one that other programs
disturbed least.
"""

import argparse
import time
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass

from harness.judging.scalability import Scalability, fit
from harness.serving.engine import Sequence
from harness.serving.torch_engine import TorchEngine

PROMPT = "The quick brown fox jumps over the lazy dog."
PROMPT_TOKENS = 32
STEPS_A_ROUND = 8  # decode steps, timed one by one; the context grows from 33 to 40 tokens


@dataclass(frozen=True, slots=True)
class Row:
    """One batch size."""

    batch: int
    step_s: float  # quickest decode step, one token for each sequence
    ratio: float  # to the smallest batch measured
    prefill_s: float  # quickest first step, all prompts at once

    @property
    def tokens_per_s(self) -> float:
        return self.batch / self.step_s


def measure(
    model: str = "tiny",
    batches: SequenceOf[int] = (1, 2, 4, 8, 16, 32),
    rounds: int = 30,
    device: str = "cpu",
) -> list[Row]:
    """Step times of `model` at each batch size, in one run. The first round is a warm-up."""
    engine = TorchEngine.load(model, device, max_num_seqs=max(batches))
    prompt = (engine.tokenizer.encode(PROMPT) * PROMPT_TOKENS)[:PROMPT_TOKENS]
    best = {batch: (float("inf"), float("inf")) for batch in batches}
    for round_number in range(rounds + 1):
        for batch in batches:
            times = _round(engine, prompt, batch)
            if round_number:
                best[batch] = min(best[batch][0], times[0]), min(best[batch][1], times[1])
    smallest = best[min(batches)][1]
    return [Row(batch, step, step / smallest, prefill) for batch, (prefill, step) in best.items()]


def law(rows: SequenceOf[Row]) -> Scalability:
    """Gunther's law through the throughput at each batch size: its knee is the batch worth having."""
    return fit([row.batch for row in rows], [row.tokens_per_s for row in rows])


def _round(engine: TorchEngine, prompt: list[int], batch: int) -> tuple[float, float]:
    """(first step, quickest later step) in seconds, of `batch` fresh sequences."""
    sequences = [Sequence(prompt, STEPS_A_ROUND + 1, slot=slot) for slot in range(batch)]
    first, *later = [_timed_step(engine, sequences) for _ in range(1 + STEPS_A_ROUND)]
    for sequence in sequences:
        engine.release(sequence.slot)
    return first, min(later)


def _timed_step(engine: TorchEngine, sequences: list[Sequence]) -> float:
    began = time.perf_counter()
    tokens = engine.step(sequences)
    took = time.perf_counter() - began
    for sequence, token in zip(sequences, tokens, strict=True):
        sequence.tokens.append(token)
    return took


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="step time at each batch size")
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    print(f"model {options.model}, {options.device}; quickest step of {options.rounds} interleaved rounds")
    print(f"{'batch':>5}  {'step ms':>8}  {'x batch 1':>9}  {'tokens/s':>9}  {'prefill ms':>10}")
    rows = measure(options.model, rounds=options.rounds, device=options.device)
    for row in rows:
        print(
            f"{row.batch:>5}  {row.step_s * 1e3:>8.2f}  {row.ratio:>9.2f}"
            f"  {row.tokens_per_s:>9.0f}  {row.prefill_s * 1e3:>10.1f}"
        )
    print(f"knee of throughput: a batch of {law(rows).knee:.3g}, beyond which latency grows faster")


if __name__ == "__main__":
    main()
