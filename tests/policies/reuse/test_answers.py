"""What is kept, how long, and what goes first."""

import pytest

from policies.call import Call, Chunk
from policies.outcome import OK, Kind, Outcome
from policies.reuse.answers import Answers, give, overheard, worth_keeping

PIECES = (Chunk(b"a"), Chunk(b"b", tokens=0))


def test_an_answer_is_too_old_at_the_end_of_its_time_and_not_before():
    answers = Answers(size=4, ttl_s=10)
    answers.keep(("k",), PIECES, 5.0)
    assert answers.find(("k",), 14.999) == PIECES
    assert answers.find(("k",), 15.0) is None
    assert len(answers) == 0


def test_the_least_recently_used_makes_room():
    answers = Answers(size=2)
    for key in "ab":
        answers.keep((key,), PIECES, 0.0)
    answers.find(("a",), 0.0)
    answers.keep(("c",), PIECES, 0.0)
    assert [answers.find((key,), 0.0) is not None for key in "abc"] == [True, False, True]


def test_what_is_given_again_comes_now_and_not_when_it_first_came():
    answers = Answers(size=2)
    answers.keep(("k",), [Chunk(b"", tokens=3, times_s=[1.0, 2.0, 3.0])], 3.0)
    assert answers.find(("k",), 4.0) == (Chunk(b"", tokens=3),)


def test_giving_commits_the_call_with_the_first_content():
    seen = []
    call = Call(id="c", sink=lambda piece: seen.append((piece, call.committed)))
    give(call, PIECES[::-1])
    assert seen == [(PIECES[1], False), (PIECES[0], True)]


def test_overhearing_ends_with_its_block_whatever_happens():
    seen = []
    call = Call(id="c", sink=seen.append)
    heard = []

    def break_off():
        with overheard(call) as pieces:
            call.sink(PIECES[0])
            heard.extend(pieces)
            raise KeyError("bug")

    with pytest.raises(KeyError):
        break_off()
    call.sink(PIECES[1])
    assert (heard, seen) == ([PIECES[0]], list(PIECES))


@pytest.mark.parametrize(
    "outcome",
    [
        *(Outcome(kind=kind) for kind in Kind if kind is not Kind.OK),
        Outcome(kind=Kind.OK, phase="fallback"),
        Outcome(kind=Kind.OK, phase="brownout"),
    ],
)
def test_nothing_but_a_whole_answer_of_a_worker_is_worth_keeping(outcome):
    assert not worth_keeping(outcome)
    assert worth_keeping(OK)
