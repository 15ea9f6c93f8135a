"""Train `tiny` from nothing and write its weights: `python -m harness.serving.model.train_tiny`.

The text is the language reference that CPython ships as `pydoc_data.topics` (about 460 KB), each topic as the
answer to a question about it. Takes about eleven minutes on two idle cores and ends near 0.76 nats a byte.
Seeded; the result still differs in the last digits from one machine to another.
"""

import argparse
import math
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from pydoc_data.topics import topics

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.functional import cross_entropy

from harness.serving.model.attention import causal_attention
from harness.serving.model.byte_tokenizer import END_OF_TEXT, ByteTokenizer
from harness.serving.model.decoder import Attend, Decoder, LayerWeights
from harness.serving.model.tiny import TINY_CONFIG, TINY_FILE, assemble

TOKENS_A_STEP = 2048
SHORT, LONG = 256, 1024  # context lengths; one step in eight is long, so that late positions are learnt too
PEAK_RATE, WARMUP_STEPS = 3e-3, 100
RULER = re.compile(r"^[*=~^\"'-]{3,}\n", re.MULTILINE)  # under headings; a greedy text would never leave one


def main() -> None:
    """Parse the command line, train, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=1500, help="of 2048 bytes each")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=PEAK_RATE, help="learning rate at its peak")
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--out", type=Path, default=TINY_FILE)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    tensors = stored_tensors(options.start) if options.start else initial_tensors()
    train(tensors, corpus(), options.steps, options.rate, options.seed)
    save_file({name: tensor.detach().half().contiguous() for name, tensor in tensors.items()}, options.out)
    sys.stdout.write(f"wrote {options.out}, {options.out.stat().st_size} bytes\n")


def corpus() -> Tensor:
    """uint8-valued int16 [bytes]: every topic as a chat of one turn, ended by the end-of-text id."""
    tokenizer = ByteTokenizer()
    ids: list[int] = []
    for name, text in topics.items():
        ids += tokenizer.chat([{"role": "user", "content": f"Tell me about {name}."}])
        ids += [*tokenizer.encode(RULER.sub("", text).strip()), END_OF_TEXT]
    return torch.tensor(ids, dtype=torch.int16)


def train(tensors: dict[str, Tensor], text: Tensor, steps: int, peak: float, seed: int) -> None:
    """Change `tensors` by AdamW with warm-up and cosine decay; prints the loss (nats a byte) as it goes."""
    decoder = Decoder(TINY_CONFIG, assemble(tensors), LONG)
    optimizer = torch.optim.AdamW(tensors.values(), betas=(0.9, 0.95), weight_decay=0.1)
    began, smooth = time.monotonic(), math.nan
    for step, (inputs, targets) in enumerate(batches(text, steps, seed)):
        for group in optimizer.param_groups:
            group["lr"] = peak * rate(step, steps)
        loss = loss_of(decoder, inputs, targets)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        torch.nn.utils.clip_grad_norm_(tensors.values(), 1.0)
        optimizer.step()
        smooth = loss.item() if step == 0 else smooth + 0.02 * (loss.item() - smooth)
        if step % 50 == 49 or step + 1 == steps:
            sys.stdout.write(
                f"step {step + 1}/{steps}  loss {smooth:.3f}  {time.monotonic() - began:.0f} s\n"
            )
            sys.stdout.flush()


def stored_tensors(path: Path) -> dict[str, Tensor]:
    """Leaf tensors of an earlier run."""
    return {name: tensor.float().requires_grad_() for name, tensor in load_file(path).items()}


def initial_tensors() -> dict[str, Tensor]:
    """Leaf tensors by the names that `assemble` reads; what writes to the residual starts smaller."""
    c = TINY_CONFIG
    shapes = {
        "qkv": (c.width, c.qkv_width),
        "out": (c.heads * c.head_dim, c.width),
        "gate_up": (c.width, 2 * c.ffn_width),
        "down": (c.ffn_width, c.width),
    }
    tensors = {"embedding": torch.randn(c.vocab_size, c.width) * 0.05}
    for index in range(c.layers):
        for part in LayerWeights.__slots__:
            shrink = 1 / math.sqrt(2 * c.layers) if part in {"out", "down"} else 1.0
            tensors[f"{index}.{part}"] = torch.randn(shapes[part]) * shrink / math.sqrt(shapes[part][0])
    return {name: tensor.requires_grad_() for name, tensor in tensors.items()}


def batches(text: Tensor, steps: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """(inputs, targets), int64 [sequences, length] each, cut at random offsets."""
    chance = random.Random(seed)
    for step in range(steps):
        length = LONG if step % 8 == 7 else SHORT
        starts = [chance.randrange(len(text) - length) for _ in range(TOKENS_A_STEP // length)]
        cuts = torch.stack([text[start : start + length + 1] for start in starts]).long()
        yield cuts[:, :-1], cuts[:, 1:]


def rate(step: int, steps: int) -> float:
    """Share of the peak: a linear warm-up, then half a cosine down to a fiftieth."""
    if step < WARMUP_STEPS:
        return (step + 1) / WARMUP_STEPS
    progress = (step - WARMUP_STEPS) / max(1, steps - WARMUP_STEPS)
    return 0.02 + 0.98 * (1 + math.cos(math.pi * progress)) / 2


def loss_of(decoder: Decoder, inputs: Tensor, targets: Tensor) -> Tensor:
    """Mean cross entropy of the next byte."""
    sequences, length = inputs.shape
    positions = torch.arange(length).repeat(sequences)
    states = decoder.states(inputs.reshape(-1), positions, causal(sequences, length))
    return cross_entropy(decoder.logits(states), targets.reshape(-1))


def causal(sequences: int, length: int) -> Attend:
    """Each position sees its own sequence up to itself; nothing is cached."""

    def attend(_layer: int, qkv: Tensor) -> Tensor:
        return causal_attention(TINY_CONFIG, qkv.view(sequences, length, -1)).flatten(0, 1)

    return attend


if __name__ == "__main__":
    main()
