"""Who may import whom, checked on the syntax tree: the design's rules, once, as data."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("bench", "faults", "harness", "policies", "scenarios", "tests")
JUDGING_LIBRARIES = {"msgspec", "numpy", "pydantic", "scipy"}
TORCH_MAY = ("harness/serving/torch_engine.py", "harness/serving/model/")

# Folder: what its files may import of ours (prefixes), and which libraries (None: any).
RULES: dict[str, tuple[tuple[str, ...], set[str] | None]] = {
    "policies": (("policies",), {"pybreaker", "tenacity"}),
    "faults/toxiproxy": (("faults",), {"aiohttp", "prometheus_client", "toxiproxy", "requests"}),
    "faults": (("faults",), set()),
    "harness/judging": (("harness.judging", "policies.outcome"), JUDGING_LIBRARIES),
    "harness/load": (("harness.load", "harness.errors"), set()),
    "harness/reporting": (("harness.reporting", "harness.judging"), None),
    "harness/serving": (
        (
            "harness.serving",
            "harness.judging.history",
            "harness.errors",
            "harness.load.callers",
            "policies",
            "faults",
        ),
        None,
    ),
    "harness": (("harness", "policies", "faults"), None),
    "scenarios": (OURS, None),
}


def imports_of(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def rule_for(path: Path) -> tuple[tuple[str, ...], set[str] | None]:
    relative = path.relative_to(ROOT).as_posix()
    longest = max((folder for folder in RULES if relative.startswith(folder + "/")), key=len)
    return RULES[longest]


SOURCES = sorted(
    path
    for folder in ("policies", "faults", "harness", "scenarios")
    for path in (ROOT / folder).rglob("*.py")
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_imports_only_what_its_folder_may(path: Path) -> None:
    ours, libraries = rule_for(path)
    for name in imports_of(path):
        top = name.split(".")[0]
        if top in OURS:
            assert any(name == prefix or name.startswith(prefix + ".") for prefix in ours), name
        elif top not in sys.stdlib_module_names and libraries is not None:
            assert top in libraries, name


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_torch_stays_in_the_engine_and_the_model(path: Path) -> None:
    relative = path.relative_to(ROOT).as_posix()
    if not relative.startswith(TORCH_MAY):
        assert "torch" not in {name.split(".")[0] for name in imports_of(path)}


def test_nobody_imports_scenarios() -> None:
    for path in SOURCES:
        if not path.is_relative_to(ROOT / "scenarios"):
            assert "scenarios" not in {name.split(".")[0] for name in imports_of(path)}, path
