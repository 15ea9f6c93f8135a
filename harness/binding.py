"""Which workers a request may reach, whatever a picker would choose: by its caller's configuration."""

from collections.abc import Sequence
from hashlib import blake2b

from harness.scenario import Caller, Scenario, worker_name


def reachable(scenario: Scenario, caller: Caller, prompt: str) -> frozenset[str] | None:
    """None for all. `prompt` names the request's prompt, where prompts repeat."""
    workers = scenario.topology.worker_names()
    spared = set(scenario.faulted_names()) if caller.avoids_fault else set()
    allowed = [worker for worker in workers if worker not in spared]
    if caller.pinned_to is not None:
        return frozenset([_next(allowed, workers, caller.pinned_to)])
    if caller.cache_owners:
        return frozenset(owners(prompt, allowed)[: caller.cache_owners])
    return frozenset(allowed) if spared else None


def owners(prompt: str, workers: Sequence[str]) -> list[str]:
    """The workers by their claim to the prompt's cached keys, the first owner first (rendezvous hashing)."""
    return sorted(workers, key=lambda worker: _claim(prompt, worker), reverse=True)


def hottest_owner(caller: Caller, workers: int) -> int:
    """The number of the worker that owns the prompt that `caller` asks most often."""
    names = [worker_name(index) for index in range(workers)]
    return names.index(owners(prompt_name(caller, 0), names)[0])


def prompt_name(caller: Caller, rank: int) -> str:
    """The name of the prompt that is asked most often but for `rank` others."""
    return f"{caller.name} {rank}"


def _claim(prompt: str, worker: str) -> bytes:
    return blake2b(f"{prompt} at {worker}".encode(), digest_size=8).digest()


def _next(allowed: Sequence[str], workers: Sequence[str], wanted: int) -> str:
    """The wanted worker, or the first after it that is allowed."""
    around = [*workers[wanted:], *workers[:wanted]]
    return next(worker for worker in around if worker in allowed)
