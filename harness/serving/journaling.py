"""Where it is written down what may be left behind, before it is done."""

from typing import Protocol

from harness.serving.journal_entries import Entry


class Journaling(Protocol):
    """What the parts of a site need of a journal (`harness/serving/journal.py`)."""

    def intend(self, entry: Entry) -> None:
        """Written when this returns; only then may it be done."""
        ...

    def done(self, entry: Entry) -> None:
        """Undone, and seen to be."""
        ...


class NoJournal:
    """Keeps nothing: for sites that nobody watches over."""

    def intend(self, entry: Entry) -> None: ...
    def done(self, entry: Entry) -> None: ...
