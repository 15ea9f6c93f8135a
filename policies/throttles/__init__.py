"""Refuse calls before they are sent, by what became of those before."""

from policies.policy import Policy

POLICIES: tuple[type[Policy], ...] = ()
