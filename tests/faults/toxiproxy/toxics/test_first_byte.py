"""The first_byte toxic on a question's and an answer's way in memory."""

import pytest

from faults.toxiproxy.toxics.first_byte import FirstByte
from tests.faults.toxiproxy.streams import Stream, until, ways


async def test_only_the_first_bytes_of_each_answer_are_late() -> None:
    question, answer = ways(FirstByte(delay=300))
    await question.say(0.0, b"?")
    for n in range(6):
        await answer.say(1.0 + n * 0.1, bytes([n]))
    await question.say(5.0, b"?")
    await answer.say(6.0, b"a")
    await answer.say(7.0, b"b")
    await until(8.0)
    assert answer.times == [1.3, 1.3, 1.3, 1.3, 1.4, 1.5, 6.3, 7.0]
    assert answer.data == bytes(range(6)) + b"ab"
    assert question.times == [0.0, 5.0]


async def test_silence_begins_a_message_only_where_it_is_asked_to() -> None:
    for quiet, times in ((0, [0.2, 5.0]), (1000, [0.2, 5.2]), (9000, [0.2, 5.0])):
        stream = Stream(FirstByte(delay=200, quiet=quiet))
        start_s = await stream.begin()
        await stream.say(start_s, b"a")
        await stream.say(start_s + 5.0, b"b")
        await until(start_s + 9.0)
        assert [pytest.approx(at_s - start_s) for at_s, _ in stream.came] == times


async def test_a_change_in_the_middle_of_an_answer_begins_no_new_one() -> None:
    question, answer = ways(FirstByte(delay=300))
    await question.say(0.0, b"?")
    await answer.say(1.0, b"a")
    await until(2.0)
    answer.link.replace("t0", FirstByte(delay=400))
    await answer.say(3.0, b"b")
    await until(4.0)
    assert answer.times == [1.3, 3.0]
