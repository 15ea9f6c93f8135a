"""Answers that need no worker: given before, or on their way for somebody else."""

from policies.policy import Policy

POLICIES: tuple[type[Policy], ...] = ()
