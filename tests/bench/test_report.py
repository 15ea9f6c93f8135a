import pytest

from bench.report import Figure, Section, number, render


@pytest.mark.parametrize(
    ("figure", "met"),
    [
        (Figure(name="ratio", value=2.2, at_most=2.2), True),
        (Figure(name="ratio", value=2.21, at_most=2.2), False),
        (Figure(name="ratio", value=0.8, at_least=0.8), True),
        (Figure(name="ratio", value=0.79, at_least=0.8), False),
        (Figure(name="memory", value=51.0), None),
    ],
)
def test_an_aim_is_met_up_to_and_with_its_bound(figure: Figure, met: bool | None) -> None:
    assert figure.met is met


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.000123456, "0.000123"), (0.8, "0.8"), (2.2345, "2.23"), (51.24, "51.2"), (999.4, "999")],
)
def test_numbers_have_three_significant_digits(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(("value", "text"), [(999.6, "1,000"), (12345.6, "12,346")])
def test_large_numbers_keep_all_digits_before_the_point(value: float, text: str) -> None:
    assert number(value) == text


def test_a_section_prints_each_figure_in_one_row_with_its_aim_and_verdict() -> None:
    section = Section(
        title="gateway_cost: CPU of one request",
        how="median of 30 rounds",
        figures=(
            Figure(name="bare call", value=119.6, unit="us CPU"),
            Figure(name="ratio", value=1.75, at_most=2.0),
            Figure(name="throughput ratio", value=0.5, at_least=0.8),
        ),
        notes=("the machine was busy",),
    )
    assert render(section).splitlines() == [
        "gateway_cost: CPU of one request",
        "  median of 30 rounds",
        "    bare call          120 us CPU",
        "    ratio             1.75         at most 2     met",
        "    throughput ratio   0.5         at least 0.8  NOT MET",
        "  the machine was busy",
    ]
