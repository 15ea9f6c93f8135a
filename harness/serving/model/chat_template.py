"""A conversation as one text, by the Jinja template that comes with a model."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from harness.errors import BadInput


class ChatTemplate:
    """Templates come with downloaded models, so they run in Jinja's sandbox."""

    def __init__(self, source: str, specials: Mapping[str, str]) -> None:
        """`specials` are the variables that templates expect, such as `bos_token`. Raises BadInput."""
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.globals["raise_exception"] = _refuse
        self._specials = dict(specials)
        try:
            self._template = environment.from_string(source)
        except TemplateError as error:
            raise BadInput(f"the model's chat template is damaged: {error}") from None

    def render(self, messages: Sequence[dict[str, str]]) -> str:
        """The text that asks the assistant to answer. Raises BadInput if the template refuses."""
        try:
            return self._template.render(messages=messages, add_generation_prompt=True, **self._specials)
        except (TemplateError, TypeError) as error:
            raise BadInput(f"the model's chat template refuses these messages: {error}") from None


def _refuse(message: str) -> NoReturn:
    """What templates call to reject a conversation."""
    raise TemplateError(message)
