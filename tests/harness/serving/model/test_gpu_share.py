import pytest

from harness.serving.model.gpu_share import share


@pytest.mark.parametrize("device", ["auto", "cuda"])
def test_workers_take_the_gpus_in_turn(device: str) -> None:
    assert [share(device, index, gpus=2) for index in range(4)] == ["cuda:0", "cuda:1", "cuda:0", "cuda:1"]


def test_a_single_gpu_is_everybodys() -> None:
    assert [share("auto", index, gpus=1) for index in range(2)] == ["cuda:0", "cuda:0"]


@pytest.mark.parametrize("device", ["cpu", "cuda:1", "gpu"])
def test_a_device_that_says_which_is_left_alone(device: str) -> None:
    assert share(device, index=3, gpus=2) == device


@pytest.mark.parametrize("device", ["auto", "cuda"])
def test_without_a_gpu_the_choice_is_left_to_the_engine(device: str) -> None:
    assert share(device, index=3, gpus=0) == device
