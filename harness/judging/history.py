"""The history: an append-only record of everything that happened in a run, as JSON Lines.

Judges read only this, so a stored history can be judged again later. All times are seconds since the start
of the run on one clock. A request belongs to the phase of its *intended* send time.

The first record is a `Setup`, phases follow each other without gaps, and the last record is `Finished`.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Protocol, TypeVar

import msgspec

from harness.judging.grouping import grouped

FORMAT = 3  # raised when a record changes its meaning; additions keep it

PHASES = ("warm_up", "baseline", "fault", "recovery", "drain")


class Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="record", omit_defaults=True, gc=False):
    """Anything that happened. Holds no cycles, so the collector need not walk tens of thousands of them."""


class Hop(msgspec.Struct, frozen=True, kw_only=True):
    """A service with bounded slots, or the gateway (slots None: as many as its policies let in)."""

    name: str
    slots: int | None = None


class CallerSetup(msgspec.Struct, frozen=True, kw_only=True):
    """A source of requests. `bystander`: by configuration it can never reach a faulted worker."""

    name: str
    hop: str  # where its requests enter
    rate_rps: float
    inference: bool  # False: a local request that needs no worker
    bystander: bool = False
    max_tokens: int = 0  # answer length of its requests, 0 for local ones


class FaultSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for. `parameters` carry units in their names, {"factor": 10} or {"latency_s": 6}.

    `quantity`, by which it must show at full strength, is one that `effects.py` knows; `asked` is in `unit`.
    """

    kind: str
    workers: list[str]  # at least one; the fault is on and off at all of them together
    parameters: dict[str, float] = {}
    shape: str = ""  # as it is written in a command line; empty: constant
    quantity: str = "nothing"
    asked: float = 0.0
    unit: str = ""
    less: bool = False  # the smaller the quantity the worse
    written: str = ""  # as it was ordered, with what is a share of the timeout left so
    replaces: bool = False  # the one that the scenario has
    fidelity: str = ""  # how near to a slow accelerator it is
    heals: bool = True  # something must be seen to be taken away


def name_together(workers: Sequence[str]) -> str:
    """`worker-0`, or `4 workers`."""
    return workers[0] if len(workers) == 1 else f"{len(workers)} workers"


class Setup(Record, tag="setup", frozen=True, kw_only=True):
    """What was run. `hops` run from the callers towards the workers; `timeout_s` is the attempt bound."""

    scenario: str
    preset: str
    seed: int
    version: str
    hops: list[Hop]
    workers: list[str]
    callers: list[CallerSetup]
    fault: FaultSetup | None = None
    timeout_s: float | None = None
    max_num_seqs: int = 0
    max_queue: int | None = None  # requests that may wait inside a worker, None if that is not known
    step_floor_s: float = 0.0  # above 0: real steps are padded to at least this long
    model: str = ""
    device: str = ""
    engine: str = ""  # torch | cost model
    toxiproxy: str = ""  # which server carried the links
    settings: dict[str, str] = {}
    format: int = msgspec.field(default_factory=lambda: FORMAT)  # never a default, so always written

    @property
    def virtual(self) -> bool:
        """On a virtual clock, on which a turn of the event loop takes no time."""
        return self.engine == "cost model"


class PhaseStarted(Record, tag="phase", frozen=True, kw_only=True):
    at_s: float
    phase: str  # one of PHASES


class FaultChanged(Record, tag="fault", frozen=True, kw_only=True):
    """The fault was installed, removed, or is now as strong as `level`. `verified`: the site confirmed it."""

    at_s: float
    active: bool
    verified: bool = True
    level: float = 1.0  # share of its magnitude
    asked: float | None = None  # of its quantity at this level; None: nothing of it, or not known


class Arrived(Record, tag="arrived", frozen=True, kw_only=True):
    """A caller sent a request, `at_s`; it meant to at `intended_s`."""

    at_s: float
    request: str
    caller: str
    intended_s: float


class Ended(Record, tag="ended", frozen=True, kw_only=True):
    """The end of a request as its caller saw it. `kind`: an outcome kind, or `hung` at the end of the run.

    `satisfied`: the caller hung up by itself, with as much of the answer as it wanted.
    """

    at_s: float
    request: str
    kind: str
    phase: str = ""
    cause: str = ""
    by: str = ""
    tokens: int = 0
    first_token_s: float | None = None
    last_token_s: float | None = None
    max_gap_s: float = 0.0
    satisfied: bool = False


class Visit(Record, tag="visit", frozen=True, kw_only=True):
    """One request at one hop: it came, got a slot (None: never), and left at `at_s`."""

    at_s: float
    hop: str
    request: str
    arrived_s: float
    granted_s: float | None
    kind: str


class Attempted(Record, tag="attempt", frozen=True, kw_only=True):
    """One attempt, written when it ended. `token_times_s` are the arrivals of content at the gateway."""

    at_s: float
    request: str
    number: int
    worker: str
    started_s: float
    kind: str
    phase: str = ""
    cause: str = ""
    tokens: int = 0
    first_token_s: float | None = None
    token_times_s: list[float] = []


class Refused(Record, tag="refused", frozen=True, kw_only=True):
    """A gate said no to one worker for one attempt."""

    at_s: float
    request: str
    worker: str
    gate: str
    reason: str


class Gauge(Record, tag="gauge", frozen=True, kw_only=True):
    """A sample of one place. Which values there are depends on the place:

    services: in_use, waiting. gateway: in_flight, and `pending.<worker>` each; states: gates per worker.
    workers: up (1 or 0) and, while up, running, waiting, steps, step_seconds, compute_seconds (before floor
    and fault), tokens, aborted (the last five counted since the worker started); from outside, while such a
    fault is there: stopped_seconds, watched_seconds, neighbour_megabytes, neighbours, gpu_power_limit_watts,
    gpu_clock_mhz; of faulted workers also the details of `harness/serving/worker_state.py`.
    `health <worker>`: health_s, how long an answer about its health took. `link <worker>`: `begun` when a
    probe begins; at its end took_s, connect_s, first_s (to the first byte), rest_s (from there on), gap_s,
    rate_kb_per_s, received_bytes, close_s, probe_s (the round trip), as far as they were seen; states: ended.
    `callers`: loop_lag_s, how late the event loop ran a timer.
    """

    at_s: float
    place: str
    values: dict[str, float]
    states: dict[str, str] = {}


class Finished(Record, tag="finished", frozen=True, kw_only=True):
    """The run is over. `clean`: every process, port and toxic of ours was seen to be gone."""

    at_s: float
    clean: bool
    note: str = ""


AnyRecord = (
    Setup | PhaseStarted | FaultChanged | Arrived | Ended | Visit | Attempted | Refused | Gauge | Finished
)

R = TypeVar("R", bound=Record)


class Sink(Protocol):
    """Where records are written through to."""

    def write(self, data: bytes, /) -> object: ...


class History:
    """Records in the order they happened; written through to a file if one is given."""

    def __init__(self, records: Iterable[AnyRecord] = (), sink: Sink | None = None) -> None:
        self.records: list[AnyRecord] = []
        self._groups: dict[str, dict[Any, list[Any]]] = {}
        self._counted = 0  # records when they were grouped
        self._encoder = msgspec.json.Encoder()
        self._sink = sink
        for record in records:
            self.append(record)

    def append(self, record: AnyRecord) -> None:
        self.records.append(record)
        if self._sink is not None:
            self._sink.write(self._encoder.encode(record) + b"\n")

    def of(self, kind: type[R]) -> Sequence[R]:
        """All records of one kind, in order."""
        return self._grouped("kind", lambda: grouped(self.records, type)).get(kind, [])

    def gauges(self, place: str) -> Sequence[Gauge]:
        """All samples of one place, in order of time."""
        by_place = self._grouped("gauges", lambda: grouped(self.of(Gauge), attrgetter("place")))
        return by_place.get(place, [])

    def attempts(self, worker: str) -> Sequence[Attempted]:
        """All attempts at one worker, in order of their end."""
        by_worker = self._grouped("attempts", lambda: grouped(self.of(Attempted), attrgetter("worker")))
        return by_worker.get(worker, [])

    def _grouped(self, by: str, group: Callable[[], dict[Any, list[Any]]]) -> dict[Any, list[Any]]:
        """Grouped once, and again after more records came."""
        if self._counted != len(self.records):
            self._groups, self._counted = {}, len(self.records)
        if by not in self._groups:
            self._groups[by] = group()
        return self._groups[by]

    @property
    def setup(self) -> Setup:
        """The first record. ValueError if the history does not start with one."""
        if self.records and isinstance(self.records[0], Setup):
            return self.records[0]
        raise ValueError("a history starts with a setup record, this one does not")


class NoHistory(History):
    """For a layer that only serves: nothing is judged, so nothing is kept."""

    def append(self, record: AnyRecord) -> None:
        pass
