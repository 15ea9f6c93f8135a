"""Jinja's sandbox with a limit on work: templates come with downloaded models, and one may loop for ever.

Counted are iterations, calls, and characters joined. Not bounded is what one filter or method does inside one
call, such as `'x' | center(10**9)`.
"""

from collections.abc import Iterable, Iterator, Sized
from contextvars import ContextVar
from typing import Any

from jinja2 import TemplateRuntimeError, nodes, pass_context
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

WORK_LIMIT = 200_000  # units, about a second
LETTERS_PER_UNIT = 1000  # joining text is that much cheaper than a turn of a loop
LARGEST_VALUE = 10_000_000  # characters or items of one value; integers of that many bits

_left: ContextVar[int] = ContextVar("_left", default=WORK_LIMIT)


class WorkLimit(TemplateRuntimeError):
    """The template did more than any conversation needs."""


class ChatSandbox(ImmutableSandboxedEnvironment):
    """Raises WorkLimit where a rendering, started by `begin`, does too much."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, optimized=False, extensions=["jinja2.ext.loopcontrols"]
        )
        self.filters.update({_LOOP: _counted_loop, _JOIN: _counted_join})

    def begin(self) -> None:
        """Start counting afresh, for this thread and task."""
        _left.set(WORK_LIMIT)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A macro, a method, `range`, or the body of a recursive loop, over items that are counted too."""
        _spend(1 + (_size(args[0]) if isinstance(obj, LoopContext) and args else 0))
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Refuses a product or power before it is computed."""
        _refuse_growth(operator, left, right)
        result = super().call_binop(context, operator, left, right)
        _spend(1 + _size(result) // LETTERS_PER_UNIT)
        return result

    def _generate(self, source: nodes.Template, *args: Any, **kwargs: Any) -> str:
        """The hook between the parser and the compiler."""
        return super()._generate(_Counting().visit(source), *args, **kwargs)


_LOOP, _JOIN = "counted loop", "counted join"  # no template can spell these


class _Counting(NodeTransformer):
    """Puts every loop's items, and every joined text, through a filter that counts them."""

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802  # the library's naming
        self.generic_visit(node)
        items = node.iter
        if isinstance(items, nodes.Expr):  # the grammar allows nothing else there, the library's types do
            node.iter = _filtered(items, _LOOP)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Filter:  # noqa: N802  # the library's naming
        self.generic_visit(node)
        return _filtered(node, _JOIN)


def _filtered(node: nodes.Expr, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


@pass_context  # which also keeps the compiler from calling it
def _counted_loop(_context: Context, items: Any) -> Any:
    """`items` itself where their number is known, which keeps what `loop` can say."""
    if isinstance(items, Sized):
        _spend(len(items))
        return items
    return _one_by_one(items)


def _one_by_one(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        _spend(1)
        yield item


@pass_context
def _counted_join(_context: Context, text: Any) -> Any:
    _spend(1 + _size(text) // LETTERS_PER_UNIT)
    return text


def _refuse_growth(operator: str, left: Any, right: Any) -> None:
    if operator == "*":
        for value, times in ((left, right), (right, left)):
            if isinstance(times, int) and _size(value) * times > LARGEST_VALUE:
                raise WorkLimit("it makes a value that is too large")
    if operator in {"*", "**"} and isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length()
        if bits > LARGEST_VALUE:
            raise WorkLimit("it makes a number that is too large")


def _spend(units: int) -> None:
    left = _left.get() - units
    _left.set(left)
    if left < 0:
        raise WorkLimit("it does too much work for a conversation")


def _size(value: Any) -> int:
    size = len(value) if isinstance(value, Sized) else 0
    if size > LARGEST_VALUE:
        raise WorkLimit("it makes a value that is too large")
    return size
