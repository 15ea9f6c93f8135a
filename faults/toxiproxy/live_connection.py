"""One open connection of a proxy, as our server lists it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class LiveConnection:
    """From a caller through the proxy to its worker."""

    caller: str | None  # host:port; None once it has gone
    worker: str | None  # host:port; None while it is not reached, and once it has gone
    age_s: float  # since the caller was accepted
    to_worker_bytes: int  # that have gone out to the worker
    to_caller_bytes: int
    toxics: tuple[str, ...]  # names of those that work on it
    escaped: tuple[str, ...]  # names of those that do not, by their toxicity

    @classmethod
    def read(cls, shown: Mapping[str, Any]) -> Self:
        """From the wire."""
        names = {"toxics": tuple(shown["toxics"]), "escaped": tuple(shown["escaped"])}
        return cls(**{**shown, **names})
