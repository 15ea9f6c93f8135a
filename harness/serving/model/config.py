"""The shape of a decoder: the numbers that the maths depends on, and nothing else."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Llama3Scaling:
    """Frequency scaling of Llama 3.1 and later: long waves are stretched, short ones are kept."""

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_positions: int


@dataclass(frozen=True, slots=True)
class LinearScaling:
    """Positions divided by `factor`."""

    factor: float


@dataclass(frozen=True, slots=True)
class DecoderConfig:
    """A Llama-style decoder: RMSNorm, rotary positions, grouped-query attention, SwiGLU."""

    vocab_size: int
    layers: int
    width: int
    heads: int
    kv_heads: int  # divides heads
    head_dim: int  # even
    ffn_width: int
    max_positions: int  # longest context that the weights were trained for, in tokens
    norm_eps: float = 1e-5
    rope_theta: float = 10_000.0
    rope_scaling: Llama3Scaling | LinearScaling | None = None

    @property
    def qkv_width(self) -> int:
        """Columns of the fused projection: queries, then keys, then values."""
        return (self.heads + 2 * self.kv_heads) * self.head_dim

    @property
    def rotated_width(self) -> int:
        """How many of those columns are rotated: queries and keys."""
        return (self.heads + self.kv_heads) * self.head_dim

    @property
    def parameters(self) -> int:
        """Numbers in the matrices, the embedding counted once."""
        attention = self.width * (self.qkv_width + self.heads * self.head_dim)
        return self.vocab_size * self.width + self.layers * (attention + 3 * self.width * self.ffn_width)
