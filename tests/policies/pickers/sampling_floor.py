"""`python -m tests.policies.pickers.sampling_floor`: what slow workers keep under least_request."""

import sys
from math import comb

from policies.call import Call
from policies.candidates import Candidate, Candidates
from policies.pickers.least_request import LeastRequest

PICKS = 20_000
HEALTHY, SLOW = 3, 90  # attempts in flight: a slow worker never wins against a healthy one
POOLS = ((1, 4), (2, 4), (2, 8), (4, 8))  # slow, all
CHOICES = (2, 3, 4)


def floor(slow: int, workers: int, choices: int) -> float:
    """Share of the draws in which every choice is slow; k(k-1)/(N(N-1)) for two."""
    return comb(slow, choices) / comb(workers, choices)


def measured(slow: int, workers: int, choices: int) -> float:
    candidates = Candidates.of(
        [Candidate(f"w{n}", 1.0, SLOW if n < slow else HEALTHY) for n in range(workers)]
    )
    picker, call = LeastRequest(choices=choices), Call(id="c", seed="floor")
    return sum(int(picker.pick(call, candidates).worker[1:]) < slow for _ in range(PICKS)) / PICKS


def table() -> str:
    lines = [f"| slow of all | {' | '.join(f'choices {d}' for d in CHOICES)} |", "|---" * 4 + "|"]
    for slow, workers in POOLS:
        cells = (f"{floor(slow, workers, d):.1%} ({measured(slow, workers, d):.1%})" for d in CHOICES)
        lines.append(f"| {slow} of {workers} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
