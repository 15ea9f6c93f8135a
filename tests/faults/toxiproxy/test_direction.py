"""The one translation between Toxiproxy's words and ours."""

import pytest

from faults.toxiproxy.direction import Direction


def test_what_toxiproxy_calls_upstream_flows_to_the_worker() -> None:
    assert Direction.TO_WORKER.stream == "upstream"
    assert Direction.TO_CALLER.stream == "downstream"


@pytest.mark.parametrize("direction", list(Direction))
def test_translation_there_and_back_changes_nothing(direction: Direction) -> None:
    assert Direction.from_stream(direction.stream) is direction


def test_the_case_of_the_word_does_not_matter() -> None:
    assert Direction.from_stream("UpStream") is Direction.TO_WORKER


def test_our_words_are_not_words_of_the_wire() -> None:
    with pytest.raises(ValueError, match="expected 'upstream' or 'downstream'"):
        Direction.from_stream("to_worker")
