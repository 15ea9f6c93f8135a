"""The shipped costs against the published measurements that docs/cost-model.md names."""

import pytest

from harness.serving.cost_sets import SHIPPED


@pytest.mark.parametrize(
    ("name", "work", "published_s"),
    [
        ("a100", (0, 1, 770), 11.42e-3),
        ("a100", (0, 7, 743), 11.73e-3),
        ("a100", (1369, 0, 0), 126.7e-3),
        ("h100", (0, 1, 770), 7.06e-3),
        ("h100", (0, 7, 743), 7.36e-3),
        ("h100", (1369, 0, 0), 62.2e-3),
    ],
)
def test_a_card_reproduces_the_measurements_that_its_shares_come_from(
    name: str, work: tuple[int, int, int], published_s: float
) -> None:
    assert SHIPPED[name].step_s(*work) == pytest.approx(published_s, rel=0.02)


@pytest.mark.parametrize("name", ["a100", "h100"])
def test_a_batch_of_32_costs_well_under_32_times_a_batch_of_one(name: str) -> None:
    costs = SHIPPED[name]
    assert costs.step_s(0, 32, 32 * 512) < 1.5 * costs.step_s(0, 1, 512)


def test_the_h100_is_faster_at_everything_that_the_card_does() -> None:
    a100, h100 = SHIPPED["a100"], SHIPPED["h100"]
    assert h100.fixed_s < a100.fixed_s
    assert h100.prefill_token_s < a100.prefill_token_s
    assert h100.kv_token_s < a100.kv_token_s


def test_every_set_goes_by_its_own_name() -> None:
    assert {name: costs.name for name, costs in SHIPPED.items()} == {name: name for name in SHIPPED}


def test_only_the_small_model_on_a_cpu_is_padded() -> None:
    assert [name for name, costs in SHIPPED.items() if costs.padded] == ["tiny_cpu"]
