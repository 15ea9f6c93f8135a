"""Slots come and go with holes; the rows of a batch stay together and keep their contents."""

import random

import torch

from harness.serving.model.config import DecoderConfig
from harness.serving.model.kv_cache import KvCache
from harness.serving.model.rows import Relocation, Rows

CONFIG = DecoderConfig(
    vocab_size=8, layers=2, width=8, heads=2, kv_heads=1, head_dim=4, ffn_width=8, max_positions=16
)


def test_a_batch_that_is_together_already_moves_nothing() -> None:
    rows = Rows(4)
    for slot in (9, 3):
        rows.take(slot)
    assert rows.gather([3, 9]) == []


def test_the_last_row_fills_the_hole_of_one_that_left() -> None:
    rows = Rows(4)
    for slot in (0, 1, 2):
        rows.take(slot)
    rows.release(0)
    assert rows.gather([1, 2]) == [Relocation(source=2, target=0, exchange=False)]
    assert {slot: rows.row_of(slot) for slot in (1, 2)} == {1: 1, 2: 0}


def test_one_that_is_left_out_changes_places_and_is_kept() -> None:
    rows = Rows(3)
    for slot in (0, 1, 2):
        rows.take(slot)
    assert rows.gather([1, 2]) == [Relocation(source=2, target=0, exchange=True)]
    assert rows.row_of(0) == 2


def test_releasing_an_unknown_slot_is_fine() -> None:
    Rows(1).release(7)


def test_contents_follow_their_slots_through_any_history() -> None:
    chance = random.Random(5)
    rows, cache = Rows(6), KvCache(CONFIG, 6, 16, like=torch.zeros(1))
    alive: set[int] = set()
    for _ in range(300):
        batch = [slot for slot in alive if chance.random() < 0.8]
        for relocation in rows.gather(batch):
            (cache.swap if relocation.exchange else cache.move)(relocation.source, relocation.target, 16)
        assert {rows.row_of(slot) for slot in batch} == set(range(len(batch)))
        for slot in alive:
            place = torch.tensor([rows.row_of(slot) * 16 + 3])
            assert cache._places[1][place].unique().tolist() == [float(slot)]
        slot = chance.randrange(20)
        if slot in alive:
            alive.remove(slot)
            rows.release(slot)
        elif len(alive) < 6:
            place = torch.tensor([rows.take(slot) * 16 + 3])
            cache.store(1, place, torch.full((1, 8), float(slot)))
            alive.add(slot)


def test_what_is_stored_is_what_is_read() -> None:
    cache = KvCache(CONFIG, 2, 16, like=torch.zeros(1))
    cache.store(0, torch.tensor([16 + 2]), torch.arange(8.0).unsqueeze(0))
    keys, values = cache.first(0, 2, 3)
    assert keys.shape == values.shape == (2, 1, 3, 4)
    assert keys[1, 0, 2].tolist() == [0, 1, 2, 3]
    assert values[1, 0, 2].tolist() == [4, 5, 6, 7]
