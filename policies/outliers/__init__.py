"""Take out, or load less, the worker that differs from its peers."""

from policies.policy import Policy

POLICIES: tuple[type[Policy], ...] = ()
