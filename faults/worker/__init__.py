"""Faults of a worker around its engine: what it takes in, which slots it has, what it says of itself."""

from faults.fault import Fault

FAULTS: tuple[type[Fault], ...] = ()
