"""The costs that ship with limplock, for machines where nothing is calibrated.

`tiny_cpu` is what `limplock calibrate` found on the machine named there. `a100` and `h100` are one card
with 80 GB that serves a dense 8B model in 16 bits, derived here from public figures: data sheet, model card,
and the shares of the data sheet that one published series of measurements reached on both cards.
docs/cost-model.md compares the result with other published measurements.
"""

from dataclasses import dataclass

from harness.serving.cost_model import Costs

# The model: Llama 3.1 8B, as its model card and config.json describe it.
PARAMETERS = 8_030_261_248
EMBEDDED = 128_256 * 4_096  # parameters of the input embedding, of which a token reads one row only
BYTES = 2  # a parameter or a cached number in bfloat16
KV_BYTES = 2 * 32 * 8 * 128 * BYTES  # a token in the cache: key and value, layers, key-value heads, width
READ = PARAMETERS - EMBEDDED  # parameters that every step reads, whatever the batch

# Host work for one more sequence (scheduling, sampling, turning ids to text): the difference between the
# steps of 7 sequences and of 1 at equal cache in the measurements named in `Card`; the same on both cards.
SEQUENCE_S = 51e-6

# A round trip between two machines of one data centre, as in Jeff Dean's "Numbers everyone should know".
DATA_CENTRE_HOP_S = 0.5e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A GPU: its data sheet, and how much of it an engine gets.

    The shares come from Lambda's "vllm-benchmark" (vLLM, September 2024, Meta-Llama-3-8B in 16 bits on one
    80 GB SXM card, ten ShareGPT prompts at once, raw results): `memory_ratio` from the steps of the last
    answer, which ran alone (11.42 ms on the A100, 7.06 ms on the H100), `compute_ratio` from the time to the
    first token of all ten prompts together, 1,369 tokens (126.7 ms and 62.2 ms).
    """

    memory_bytes_s: float  # bandwidth of the data sheet
    flop_s: float  # dense bfloat16 of the data sheet
    memory_ratio: float
    compute_ratio: float

    def costs(self, name: str) -> Costs:
        """The roofline of a step: weights and cache are read, prompts are computed (2 FLOP a parameter)."""
        read_bytes_s = self.memory_bytes_s * self.memory_ratio
        return Costs(
            name=name,
            fixed_s=READ * BYTES / read_bytes_s,
            sequence_s=SEQUENCE_S,
            prefill_token_s=2 * READ / (self.flop_s * self.compute_ratio),
            kv_token_s=KV_BYTES / read_bytes_s,
            hop_s=DATA_CENTRE_HOP_S,
            link_s=DATA_CENTRE_HOP_S,
        )


# Data sheets: "NVIDIA A100 80GB Tensor Core GPU" and "NVIDIA H100 Tensor Core GPU", both the SXM form.
A100 = Card(memory_bytes_s=2.039e12, flop_s=312e12, memory_ratio=0.65, compute_ratio=0.57)
H100 = Card(memory_bytes_s=3.35e12, flop_s=989e12, memory_ratio=0.64, compute_ratio=0.38)

# `limplock calibrate`, 30 November 2026, on two cores of an Intel Xeon (family 6, model 207, 2.1 GHz) with
# Python 3.11.7 and torch 2.15.0. Error on steps not used for the fit: median 5 %, p90 20 %, worst 36 %.
# Hop, link and lateness are read in the same way from 20 longer runs on that machine (docs/cost-model.md).
TINY_CPU = Costs(
    name="tiny_cpu",
    fixed_s=1.17e-3,
    sequence_s=52e-6,
    prefill_token_s=52e-6,
    kv_token_s=0.42e-6,
    hop_s=1.1e-3,
    link_s=5.0e-3,
    late_s=1.5e-3,
    padded=True,
)

SHIPPED = {costs.name: costs for costs in (TINY_CPU, A100.costs("a100"), H100.costs("h100"))}
"""Name to costs."""
