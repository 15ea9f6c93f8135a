"""The mutants of a file, made by cosmic-ray: those that change what the code does.

cosmic-ray and not mutmut, since mutmut leaves functions with a decorator alone: here those are all
properties, cached tables and context managers. Annotations are left alone, and of the many operators in
place of another one only those that a person might write by mistake are taken.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SWAPS = {
    "BinaryOperator": "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Mul Mod_Mul Pow_Mul",
    "ComparisonOperator": "Lt_LtE LtE_Lt Gt_GtE GtE_Gt Lt_GtE LtE_Gt Gt_LtE GtE_Lt Eq_NotEq NotEq_Eq"
    " Is_IsNot IsNot_Is",
    "UnaryOperator": "USub_UAdd Delete_Not",
}
OTHERS = (
    "AddNot ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd"
    " ReplaceBreakWithContinue ReplaceContinueWithBreak ExceptionReplacer NumberReplacer RemoveDecorator"
    " ZeroIterationForLoop"
)
OPERATORS = [f"core/Replace{kind}_{swap}" for kind, swaps in SWAPS.items() for swap in swaps.split()]
OPERATORS += [f"core/{name}" for name in OTHERS.split()]

Position = tuple[int, int]  # line from 1, column from 0


@dataclass(frozen=True, slots=True)
class Mutant:
    """`source` is the whole file, `was` and `became` its first line that differs, stripped."""

    line: int
    was: str
    became: str
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """All of them, in no order that matters."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    spared, sums = list(annotations(source)), list(sums_of(source))
    for name in OPERATORS:
        operator = get_operator(name)()
        places = (place for node in ast_nodes(get_ast(source)) for place in operator.mutation_positions(node))
        for number, (start, _) in enumerate(places):
            if not within(start, spared) and ("Binary" not in name or within(start, sums)):
                yield differing(source, mutate_code(source, operator, number))


def annotations(source: str) -> Iterator[tuple[Position, Position]]:
    """And what a dataclass is told: whether it is frozen is mypy's to hold."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            calls = (each for each in node.decorator_list if isinstance(each, ast.Call))
            yield from ((place(call.func), end(call)) for call in calls)
        found = (getattr(node, "annotation", None), getattr(node, "returns", None))
        yield from ((place(each), end(each)) for each in found if isinstance(each, ast.expr))


def sums_of(source: str) -> Iterator[tuple[Position, Position]]:
    """Where two values meet: elsewhere a star is no product."""
    return (
        (place(node), end(node))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.BinOp | ast.AugAssign)
    )


def within(start: Position, ranges: Sequence[tuple[Position, Position]]) -> bool:
    return any(first <= start < last for first, last in ranges)


def differing(source: str, mutated: str) -> Mutant:
    """Blank lines are passed over: a decorator that goes takes those above it along."""
    pairs = zip(written(source), written(mutated), strict=False)
    for (line, was), (_, became) in pairs:
        if was != became:
            return Mutant(line, was.strip(), became.strip(), mutated)
    raise ValueError("the mutant is the original")


def written(source: str) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(source.splitlines(), start=1) if line.strip()]


def place(node: ast.expr | ast.stmt) -> Position:
    return node.lineno, node.col_offset


def end(node: ast.expr | ast.stmt) -> Position:
    return node.end_lineno or node.lineno, node.end_col_offset or 0
