"""What the modes of a retry budget have in common: a rule that all calls share, and an account of one."""

from policies.call import Budget
from policies.evidence import Credit

ALMOST = 1e-9  # what floats may lack of a whole: ten deposits of 0.1 pay for one retry


class Account(Budget):
    """A call's way to what all calls share. `take` asks for one attempt beyond the first."""

    def learn(self, credit: Credit, *, busy: bool = False) -> None:
        """An attempt of the call ended. `busy`: the worker said that it is overloaded."""

    def close(self) -> None:
        """The call is over, and nothing of it is in flight."""


class Rule:
    """A published budget rule."""

    def open(self, now: float) -> Account:
        """The account of a call that begins now, in loop seconds."""
        return Account()
