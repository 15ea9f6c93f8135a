"""Which GPU a worker takes where several workers share a machine: one each, in turn."""

import torch


def own_device(device: str, index: int) -> str:
    """The device for the worker with that index in its pool, where `device` leaves the number open."""
    return share(device, index, torch.cuda.device_count() if torch.cuda.is_available() else 0)


def share(device: str, index: int, gpus: int) -> str:
    """`device` with the number filled in, if it is `auto` or `cuda` and there are `gpus` to share."""
    return f"cuda:{index % gpus}" if gpus and device in {"auto", "cuda"} else device
