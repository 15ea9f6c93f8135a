"""What a caller gets when the answer it asked for is not to be had."""

from policies.policy import Policy

POLICIES: tuple[type[Policy], ...] = ()
