"""The studies of theory, by module.

A study module has `TARGET`, the `Target` that it reproduces; `fast() -> list[Row]`, seconds at most and with
tolerances that its small sample allows; and `full() -> list[Row]`, at the scale and with the tolerances of
the source. Both assert Little's law in every run and give the same rows every time.
"""

from importlib import import_module
from typing import Protocol

from tests.theory.row import Row, Target

NAMES: tuple[str, ...] = (
    "t01_mm1",
    "t02_erlang_c",
    "t03_pollaczek_khinchine",
    "t04_two_choices",
    "t05_batch_server",
    "t06_closed_network",
    "t07_spread_time",
    "t08_harm",
    "t09_retry_policies",
    "t10_collapse",
    "t11_backoff",
    "t12_jitter",
    "t13_closed_loop",
    "t14_retry_law",
    "t15_recovery",
    "t16_throttling",
    "t17_hedging",
    "t18_shedding",
    "t19_load_ramp",
    "t20_danger_zone",
    "t20_faster_baseline",
    "t20_static_threshold",
    "t20_adaptive_threshold",
    "t20_dilution",
    "t21_scalability",
)


class Study(Protocol):
    TARGET: Target

    def fast(self) -> list[Row]: ...
    def full(self) -> list[Row]: ...


def load(name: str) -> Study:
    """The study in module `name` of this folder."""
    study: Study = import_module(f"tests.theory.{name}")
    return study
