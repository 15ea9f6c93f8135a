"""A conversation as one text, by the Jinja template that comes with a model."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from jinja2 import TemplateError

from harness.errors import BadInput
from harness.serving.model.chat_sandbox import ChatSandbox

LONGEST_TEXT = 10_000_000  # characters; no model takes as many


class ChatTemplate:
    """Templates come with downloaded models, so they run in a sandbox and nothing they raise gets out."""

    def __init__(self, source: str, specials: Mapping[str, str]) -> None:
        """`specials` are the variables that templates expect, such as `bos_token`. Raises BadInput."""
        self._sandbox = ChatSandbox()
        self._sandbox.globals["raise_exception"] = _refuse
        self._specials = dict(specials)
        try:
            self._template = self._sandbox.from_string(source)
        except Exception as error:  # constants are computed here already, by the template's own arithmetic
            raise BadInput(f"the model's chat template is damaged: {_cause(error)}") from None

    def render(self, messages: Sequence[dict[str, str]]) -> str:
        """The text that asks the assistant to answer. Raises BadInput if the template refuses or fails."""
        self._sandbox.begin()
        try:
            return self._joined(messages)
        except Exception as error:  # the template is a program of somebody else's
            raise BadInput(f"the model's chat template refuses these messages: {_cause(error)}") from None

    def _joined(self, messages: Sequence[dict[str, str]]) -> str:
        parts: list[str] = []
        length = 0
        for part in self._template.generate(messages=messages, add_generation_prompt=True, **self._specials):
            parts.append(part)
            length += len(part)
            if length > LONGEST_TEXT:
                _refuse("its text does not end")
        return "".join(parts)


def _cause(error: Exception) -> str:
    """What the template says itself, or which error it made."""
    text = " ".join(str(error).split())
    return text if isinstance(error, TemplateError) else f"{type(error).__name__}: {text}"


def _refuse(message: str) -> NoReturn:
    """What templates call to reject a conversation."""
    raise TemplateError(message)
