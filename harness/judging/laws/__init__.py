"""The laws by the quantity that a fault shows. To add one: a function in the file of its kind."""

from collections.abc import Mapping

from harness.judging.laws import abandoned, capacity, held, later, unharmed
from harness.judging.laws.given import Predict

LAWS: Mapping[str, Predict] = {
    **capacity.LAWS,
    **held.LAWS,
    **later.LAWS,
    **abandoned.LAWS,
    **unharmed.LAWS,
}
