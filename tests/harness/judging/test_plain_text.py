import pytest

from harness.judging.plain_text import LIMIT, plain


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;new title\x07text", "text"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b2Jcleared", "cleared"),
        ("\x1bcreset", "reset"),
        ("a\x1b[", "a"),
        ("one\r\ntwo\x00three\ttabs", "one two three tabs"),
        ("right\u202eto left\u2066", "right to left"),
    ],
)
def test_control_sequences_are_gone(hostile, harmless):
    assert plain(hostile) == harmless


@pytest.mark.parametrize(
    "leak",
    [
        "Authorization: Bearer CANARY",
        "authorization=CANARY",
        "bearer CANARY",
        'body {"api_key": "CANARY"} refused',
        "api-key=CANARY",
        "sk-CANARY1234567",
        "http://user:CANARY@host/path",
        "http://host/path?key=CANARY&more=CANARY",
        "password: CANARY",
    ],
)
def test_what_looks_like_a_credential_is_gone(leak):
    assert "CANARY" not in plain(leak)


@pytest.mark.parametrize(
    "ours",
    [
        "first_token took longer than 2 s on worker-1",
        "no token received within 2 s",
        "connection refused: 127.0.0.1:4242",
        "queue full (16 waiting); retry in 1 s?",
    ],
)
def test_ordinary_causes_stay_as_they_are(ours):
    assert plain(ours) == ours


def test_long_text_is_cut():
    assert len(plain("x" * 10_000)) == LIMIT
    assert plain("x" * 10_000).endswith("...")
