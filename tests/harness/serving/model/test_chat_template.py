"""Templates of models: rendered in a sandbox, refusals told in one line."""

import pytest

from harness.errors import BadInput
from harness.serving.model.chat_template import ChatTemplate

HELLO = [{"role": "user", "content": "hello"}]


def test_messages_and_special_tokens_reach_the_template() -> None:
    template = ChatTemplate(
        "{{ bos_token }}{% for m in messages %}{{ m.content | upper }}{% endfor %}", {"bos_token": "<s>"}
    )
    assert template.render(HELLO) == "<s>HELLO"


def test_a_template_may_refuse_a_conversation() -> None:
    template = ChatTemplate("{{ raise_exception('roles must alternate') }}", {})
    with pytest.raises(BadInput, match="refuses these messages: roles must alternate"):
        template.render(HELLO)


def test_a_template_cannot_reach_python() -> None:
    template = ChatTemplate("{{ messages.__class__.__mro__[1].__subclasses__() }}", {})
    with pytest.raises(BadInput, match="unsafe"):
        template.render(HELLO)


def test_a_template_cannot_change_the_messages() -> None:
    template = ChatTemplate("{{ messages.append(1) }}", {})
    with pytest.raises(BadInput, match="refuses"):
        template.render(HELLO)


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("{{ 1 / messages | length - 1 / 0 }}", "ZeroDivisionError"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "RecursionError"),
        ("{{ messages[0].content.encode('rot13') }}", "LookupError"),
        ("{{ messages | map('no such filter') | list }}", "no such filter"),
    ],
)
def test_whatever_a_template_raises_is_a_refusal(source: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        ChatTemplate(source, {}).render(HELLO)


@pytest.mark.parametrize(
    "source",
    [
        "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}"
        "{% endfor %}{% endfor %}{% endfor %}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
        "{% for a in range(2) recursive %}{{ loop(range(9999)) }}{% endfor %}",
        "{% set n = namespace(x='ab') %}{% for a in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
        "{% set n = namespace(x=['a']) %}{% for a in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}",
        "{{ 'ab' * 10 ** 10 }}",
        "{{ 10 ** 999999999 }}",
        "{% set x = 'a' * 100000 %}{% for a in range(9999) %}{{ x }}{% endfor %}",
    ],
)
def test_a_template_without_end_is_refused_before_long(source: str) -> None:
    with pytest.raises(BadInput, match=r"refuses these messages"):
        ChatTemplate(source, {}).render(HELLO)


def test_each_conversation_has_the_whole_limit_and_loops_know_their_length() -> None:
    source = "{% for i in range(20000) %}{% for m in messages %}{% if loop.last and i == 0 %}end{% endif %}"
    template = ChatTemplate(source + "{% endfor %}{% endfor %}", {})
    assert [template.render(HELLO * 8) for _ in range(2)] == ["end", "end"]
