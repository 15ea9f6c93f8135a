"""Where the files of one test's runs go."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

LONGEST = 60  # characters of a folder's name


@dataclass(slots=True)
class OutFolder:
    """`chosen` by the user, then all files stay; else in pytest's own temporary folder of this session."""

    chosen: Path | None
    temporary: pytest.TempPathFactory
    node: str
    made: Path | None = None

    def folder(self) -> Path:
        """Made when it is first needed."""
        if self.made is None:
            name = re.sub(r"\W+", "-", self.node.rpartition("/")[2])[-LONGEST:].strip("-")
            self.made = self._new(name)
        return self.made

    def forget(self) -> None:
        """The histories of a test that passed are of no use and take tens of megabytes."""
        if self.made is not None and self.chosen is None:
            shutil.rmtree(self.made, ignore_errors=True)

    def _new(self, name: str) -> Path:
        return self.temporary.mktemp(f"limplock-{name}") if self.chosen is None else self.chosen / name
