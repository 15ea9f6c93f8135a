"""Backoff takes load off a server only where it keeps clients, bounded in number, from their next call.

The gap between two calls of a serial client counts from the start of the first, and a call that takes longer
delays the next: the published totals come out only so. The source's backoff has no jitter; what it does with
full jitter is shown beside it.
"""

import asyncio

from harness.clock import run_virtual
from policies.retries.retry import Retry
from tests.theory.failing_server import NET_S, RATE_RPS, Clients, Layers, Tally
from tests.theory.retry_rules import resend
from tests.theory.row import Row, Target

TARGET = Target("T11", "Brooker 2022-08-11, backoff")

RATIO = 0.5  # of attempts that fail
SECONDS, CLIENTS = 10.0, 100
FIRST_WAIT_S = 0.1


def backing_off(jitter: str) -> Retry:
    return Retry(max_attempts=4, initial_s=FIRST_WAIT_S, jitter=jitter, other_worker=False)


WAITS: dict[str, Layers] = {
    "no wait": lambda: (resend(3),),
    "doubling": lambda: (backing_off("off"),),
    "full jitter": lambda: (backing_off("full"),),
}
PUBLISHED = {
    "unbounded": {"no wait": 19089, "doubling": 18846},
    "serial": {"no wait": 17284, "doubling": 8102},
}
LAW = (1 - RATIO**4) / (1 - RATIO)  # attempts per call


async def _unbounded(clients: Clients) -> None:
    await clients.send_open_loop(SECONDS)


async def _serial(clients: Clients) -> None:
    """A closed loop of the study's own: each client has one call at a time."""
    await asyncio.gather(*(_one_at_a_time(clients, client) for client in range(clients.number)))
    clients.server.census.assert_little()


async def _one_at_a_time(clients: Clients, client: int) -> None:
    loop, gaps = asyncio.get_running_loop(), clients.gaps(client)
    due_s, number = gaps.expovariate(1 / NET_S), 0
    while due_s < SECONDS:
        await asyncio.sleep(due_s - loop.time())
        next_s = loop.time() + gaps.expovariate(RATE_RPS)
        await clients.call(client, number)
        due_s, number = max(next_s, loop.time()), number + 1


DRIVES = {"unbounded": _unbounded, "serial": _serial}


def measure(drive: str, wait: str, clients: int, seeds: int) -> Tally:
    tally = Tally()
    for seed in range(seeds):
        run_virtual(_run(drive, wait, clients, seed, tally))
    return tally


async def _run(drive: str, wait: str, clients: int, seed: int, tally: Tally) -> None:
    await DRIVES[drive](Clients(WAITS[wait], RATIO, clients, seed, tally))


def fast() -> list[Row]:
    """A tenth of the clients, whose totals spread by 4 % from run to run: three times that."""
    return _rows(clients=10, seeds=1, ratio=0.12, serial_only=True)


def full() -> list[Row]:
    return _rows(clients=100, seeds=4, ratio=0.03)


def _rows(clients: int, seeds: int, ratio: float, *, serial_only: bool = False) -> list[Row]:
    rows = []
    for drive in ("serial",) if serial_only else ("unbounded", "serial"):
        tallies = {wait: measure(drive, wait, clients, seeds) for wait in WAITS}
        totals = {wait: tally.attempts / clients / seeds * CLIENTS for wait, tally in tallies.items()}
        for wait, tally in tallies.items():
            what = f"{drive}, {wait}"
            if wait in PUBLISHED[drive]:
                rows.append(
                    TARGET.relative(f"{what}: attempts in all", PUBLISHED[drive][wait], totals[wait], ratio)
                )
            rows.append(TARGET.relative(f"{what}: attempts per call", LAW, tally.load, ratio))
        rows += _effect_rows(drive, totals, ratio)
    return rows


def _effect_rows(drive: str, totals: dict[str, float], ratio: float) -> list[Row]:
    """What backoff does to the load: next to nothing, or to halve it."""
    saved = {wait: 1 - total / totals["no wait"] for wait, total in totals.items()}
    if drive == "unbounded":
        return [
            TARGET.absolute(f"{drive}, {wait}: share of attempts saved", 0.0, saved[wait], 0.02)
            for wait in ("doubling", "full jitter")
        ]
    return [TARGET.absolute(f"{drive}, doubling: share of attempts saved", 0.53, saved["doubling"], ratio)]
