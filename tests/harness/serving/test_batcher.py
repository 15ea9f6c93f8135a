import pytest

from harness.serving.batcher import Batcher
from harness.serving.engine import Sequence


def sequence() -> Sequence:
    return Sequence(prompt=[1], max_tokens=4)


def offered(batcher: Batcher, count: int) -> list[Sequence]:
    sequences = [sequence() for _ in range(count)]
    assert all(batcher.offer(each) for each in sequences)
    return sequences


def test_a_newcomer_joins_the_next_step_while_others_are_half_way() -> None:
    batcher = Batcher(max_num_seqs=2, max_queue=8)
    (first,) = offered(batcher, 1)
    assert batcher.next_batch() == [first]
    (second,) = offered(batcher, 1)
    assert batcher.next_batch() == [first, second]


def test_no_two_running_sequences_share_a_slot() -> None:
    batcher = Batcher(max_num_seqs=4, max_queue=8)
    offered(batcher, 9)
    for _ in range(6):
        batch = batcher.next_batch()
        assert len({s.slot for s in batch}) == len(batch)
        assert all(0 <= s.slot < 4 for s in batch)
        batcher.remove(batch[0])


def test_who_waits_longest_gets_the_next_slot() -> None:
    batcher = Batcher(max_num_seqs=1, max_queue=8)
    first, second, third = offered(batcher, 3)
    assert batcher.next_batch() == [first]
    batcher.remove(first)
    assert batcher.next_batch() == [second]
    batcher.remove(second)
    assert batcher.next_batch() == [third]


def test_a_burst_of_one_more_than_fits_is_refused_exactly_once() -> None:
    batcher = Batcher(max_num_seqs=2, max_queue=3)
    taken = [batcher.offer(sequence()) for _ in range(6)]
    assert taken == [True] * 5 + [False]


def test_the_queue_is_bounded_while_all_slots_are_taken() -> None:
    batcher = Batcher(max_num_seqs=1, max_queue=1)
    offered(batcher, 1)
    batcher.next_batch()
    assert batcher.offer(sequence())
    assert not batcher.offer(sequence())


def test_a_sequence_that_leaves_the_queue_makes_room_and_held_no_slot() -> None:
    batcher = Batcher(max_num_seqs=1, max_queue=1)
    offered(batcher, 1)
    batcher.next_batch()
    (waiting,) = offered(batcher, 1)
    assert batcher.remove(waiting) is None
    assert batcher.offer(sequence())


def test_removing_twice_frees_one_slot_once() -> None:
    batcher = Batcher(max_num_seqs=1, max_queue=4)
    first, *_ = offered(batcher, 3)
    batcher.next_batch()
    assert batcher.remove(first) == 0
    assert batcher.remove(first) is None
    assert len(batcher.next_batch()) == 1


def test_the_state_can_be_read() -> None:
    batcher = Batcher(max_num_seqs=2, max_queue=4)
    offered(batcher, 3)
    batcher.next_batch()
    assert repr(batcher) == "<Batcher 2/2 running, 1 waiting>"


@pytest.mark.parametrize(("seqs", "queue"), [(0, 1), (-1, 1), (1, -1)])
def test_impossible_sizes_are_refused(seqs: int, queue: int) -> None:
    with pytest.raises(ValueError, match="must be at least"):
        Batcher(max_num_seqs=seqs, max_queue=queue)
