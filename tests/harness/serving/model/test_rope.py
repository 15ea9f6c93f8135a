"""Rotary positions: relative, in both layouts, scaled as published."""

import math
from pathlib import Path

import pytest
import torch

from harness.serving.model.config import DecoderConfig, LinearScaling, Llama3Scaling
from harness.serving.model.fuse import neighbours
from harness.serving.model.rope import frequencies, rotate, rotation_table
from harness.serving.model.rope_scaling import read_rope

CONFIG = DecoderConfig(
    vocab_size=8, layers=1, width=16, heads=1, kv_heads=1, head_dim=16, ffn_width=8, max_positions=64
)


def test_a_score_depends_only_on_the_distance_between_two_positions() -> None:
    table = rotation_table(CONFIG, 64)
    query, key = torch.randn(2, 1, 16, generator=torch.Generator().manual_seed(1)).unbind(0)

    def score(at: int, to: int) -> float:
        turned = [query.clone(), key.clone()]
        for vector, position in zip(turned, (at, to), strict=True):
            rotate(vector, table[position : position + 1])
        return float(turned[0] @ turned[1].T)

    assert score(9, 4) == pytest.approx(score(60, 55), abs=1e-5)
    assert score(9, 4) != pytest.approx(score(9, 5), abs=1e-3)


def test_only_the_leading_columns_turn() -> None:
    qkv = torch.ones(2, 24)
    rotate(qkv, rotation_table(CONFIG, 8)[[3, 5]])
    assert torch.equal(qkv[:, 16:], torch.ones(2, 8))
    assert not torch.equal(qkv[:, :16], torch.ones(2, 16))


def test_half_precision_is_turned_in_float32() -> None:
    rotation = rotation_table(CONFIG, 64)[[63]]
    exact = torch.randn(1, 20, generator=torch.Generator().manual_seed(2))
    rounded = exact.bfloat16()
    expected = rounded.float()
    rotate(expected, rotation)
    rotate(rounded, rotation)
    assert torch.equal(rounded, expected.bfloat16())


def test_halves_become_neighbours_within_each_head() -> None:
    rows = torch.arange(8).float().unsqueeze(1)
    assert neighbours(rows, head_dim=4).flatten().tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


def test_llama3_scaling_keeps_short_waves_and_stretches_long_ones() -> None:
    scaled = DecoderConfig(
        **{name: getattr(CONFIG, name) for name in CONFIG.__slots__ if name != "rope_scaling"},
        rope_scaling=Llama3Scaling(8.0, 1.0, 4.0, original_max_positions=256),
    )
    plain, changed = frequencies(CONFIG), frequencies(scaled)
    waves = 2 * math.pi / plain
    assert torch.equal(changed[waves < 64], plain[waves < 64])
    assert torch.allclose(changed[waves > 256], plain[waves > 256] / 8)
    between = (waves > 64) & (waves < 256)
    assert between.any()
    assert (changed[between] < plain[between]).all()
    assert (changed[between] > plain[between] / 8).all()


def test_the_base_may_stand_in_either_place_and_scalings_are_read() -> None:
    where = Path("config.json")
    llama3 = {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }
    assert read_rope({"rope_theta": 5e5}, where) == (5e5, None)
    assert read_rope({"rope_parameters": {"rope_theta": 5e5, "rope_type": "default"}}, where) == (5e5, None)
    assert read_rope({"rope_scaling": {"type": "linear", "factor": 2}}, where) == (1e4, LinearScaling(2.0))
    assert read_rope({"rope_scaling": llama3}, where) == (1e4, Llama3Scaling(8.0, 1.0, 4.0, 8192))
