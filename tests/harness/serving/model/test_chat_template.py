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
