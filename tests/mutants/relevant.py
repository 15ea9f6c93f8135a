"""Which tests are to notice a change in a file: those that mirror it, then those that import it."""

import ast
from pathlib import Path

SLOW = {
    "test_scale.py",
    "test_whole_runs.py",
    "test_contract_virtual.py",
}  # minutes where all else takes seconds
ALSO = {  # what is only reached through another part, and tested with it
    "harness/judging/guards.py": ["tests/harness/judging/test_verdict.py"],
    "harness/judging/bystanders.py": [
        "tests/harness/judging/test_spread.py",
        "tests/harness/judging/test_verdict.py",
    ],
}


def tests_of(root: Path, source: str) -> list[str]:
    """Paths relative to `root`, the nearest first. `source`: relative to it as well."""
    path = Path(source)
    folder = root / "tests" / path.parent
    mirrored = [test for test in sorted(folder.glob(f"test_{path.stem}*.py")) if test.name not in SLOW]
    importing = [
        test
        for test in sorted((root / "tests").rglob("test_*.py"))
        if test.name not in SLOW and test.parent == folder and imports(test, path)
    ]
    near = [test.relative_to(root).as_posix() for test in [*mirrored, *importing]]
    return list(dict.fromkeys([*near, *ALSO.get(source, [])]))


def imports(test: Path, source: Path) -> bool:
    module = ".".join(source.with_suffix("").parts)
    parent, _, name = module.rpartition(".")
    for node in ast.walk(ast.parse(test.read_text())):
        if isinstance(node, ast.ImportFrom) and (
            node.module == module
            or (node.module == parent and any(alias.name == name for alias in node.names))
        ):
            return True
        if isinstance(node, ast.Import) and any(alias.name == module for alias in node.names):
            return True
    return False
