"""The machine that a gate ran on, for results that are of its wall clock."""

from harness.judging.pairs.gate_result import Machine
from harness.serving.fingerprint import fingerprint


def this_machine() -> Machine:
    """With its first GPU, used or not: whoever has another one is another machine."""
    found = fingerprint("cuda")
    return Machine(cpu=found.cpu, cores=found.cores, gpu=found.gpu, python=found.python, torch=found.torch)
