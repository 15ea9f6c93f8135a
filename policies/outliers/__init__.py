"""Take out, or load less, the worker that differs from its peers."""

from policies.outliers.outlier_errors import OutlierErrors
from policies.outliers.outlier_latency import OutlierLatency
from policies.outliers.suspect_weight import SuspectWeight
from policies.policy import Policy

POLICIES: tuple[type[Policy], ...] = (OutlierErrors, OutlierLatency, SuspectWeight)
