"""Our worker, queue, service and policies against closed forms and published figures, on small samples."""

import pytest

from tests.theory.studies import NAMES, load


@pytest.mark.parametrize("name", NAMES)
def test_our_code_agrees_with_theory(name: str) -> None:
    rows = load(name).fast()
    assert rows
    assert not [str(row) for row in rows if not row.ok]
