"""One run from top to bottom: the verdict, the hops, the callers, the law, the price, the checks."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from harness.judging.figures import count, seconds, share
from harness.judging.plain_text import plain
from harness.judging.result import Bite, Caller, Place, RunResult, Trend
from harness.reporting.cells import SPAN, facts, grid, mark, trend, verdict_line
from harness.reporting.names import Names

WIDE = 110  # columns from which the tail of the latency is shown as well
REASONS = 6
VIRTUAL = "cost model"  # the engine of virtual runs

Fact = tuple[str, str]  # the word that it opens with, and the rest


def run_report(result: RunResult, width: int) -> Iterator[RenderableType]:
    setting = result.setting
    names = Names([setting.preset])
    yield verdict_line(result.verdict, names.title(result), result.headline)
    yield from names.legend()
    yield Text()
    yield Text(f"{SPAN}; times are medians{mark(len(setting.faulted_workers))}", style="dim")
    yield hop_table(result, wide=width >= WIDE)
    yield Text()
    yield caller_table(result, wide=width >= WIDE)
    yield Text()
    yield facts([*_reasons(result), *notes(result), *padding(result)])


def hop_table(result: RunResult, *, wide: bool) -> Table:
    columns: list[tuple[str, int | None]] = [("hop", None), ("slots in use", None), ("waiting", None)]
    columns += [("time through", None)] + [("p95", None)] * wide
    return grid(columns, (_hop_row(place, wide=wide) for place in shown_places(result)))


def shown_places(result: RunResult) -> list[Place]:
    """Services, gateway, one faulted worker and one healthy one: the others look the same."""
    workers = [place for place in result.places if place.kind == "worker"]
    faulted = [place for place in workers if place.faulted]
    healthy = [place for place in workers if not place.faulted]
    return [place for place in result.places if place.kind != "worker"] + faulted[:1] + healthy[:1]


def place_label(place: Place) -> str:
    slots = "" if place.slots is None else f" /{place.slots}"
    return f"{plain(place.name)}{slots}{' *' if place.faulted else ''}"


def caller_table(result: RunResult, *, wide: bool) -> Table:
    columns: list[tuple[str, int | None]] = [("caller", None), ("", None), ("answered in time", None)]
    columns += [("latency", None)] + [("p95", None), ("first token", None)] * wide
    proved = {measure.about for measure in result.measures if measure.deciding and measure.proved}
    return grid(columns, (_caller_row(caller, caller.name in proved, wide=wide) for caller in result.callers))


def notes(result: RunResult) -> Iterator[Fact]:
    """What the fault was, what the law says, what it cost, how it ended."""
    yield from evidence(result)
    for cause in result.causes:
        who = f" by {cause.by}" if cause.by else ""
        what = cause.cause or cause.phase or "no cause given"
        yield "", f"{cause.count:,} x {plain(f'{cause.kind}{who}: {what}')}"
    metrics = result.metrics
    amplification = trend(metrics.get("retry_amplification"), count)
    wasted = trend(metrics.get("wasted_token_ratio"), share)
    gpus = trend(metrics.get("gpus_billed"), count)
    tokens = trend(metrics.get("tokens_per_s"), count)
    yield (
        "price",
        f"GPUs billed {gpus}; tokens/s {tokens}, unused {wasted}; attempts per request {amplification}",
    )


def evidence(result: RunResult) -> Iterator[Fact]:
    """What makes the verdict believable."""
    if result.bite:
        yield from told_fault(result, result.bite)
    yield from _detected(result)
    yield from travelled(result)
    yield "law", plain(result.law.words, limit=400)
    if result.law.contradicted:
        yield "", f"CONTRADICTED: {result.law.contradicted}. Please report this as a bug."
    yield from _captured(result)
    lost_ratio = result.law.unavoidable_loss_ratio or 0.0
    if lost_ratio > 0:
        words = f"{share(lost_ratio)} of the load exceeds the capacity that is left: no policy can save it"
        yield "lost", words
    yield "checks", checks(result)
    yield "requests", conservation(result)


def told_fault(result: RunResult, bite: Bite) -> Iterator[Fact]:
    """What was asked and measured, whom it touched, and how near it is to a slow accelerator."""
    setting = result.setting
    name = plain(setting.fault_text or setting.fault)
    touched = f"{bite.touched:,} attempts met it"
    yield "fault", f"{name} for {setting.fault_length_s:.0f} s; {plain(bite.words)}; {touched}"
    if setting.fault_fidelity:
        yield "fidelity", plain(setting.fault_fidelity)


def conservation(result: RunResult) -> str:
    """Offered = the sum of all outcomes."""
    parts = " + ".join(f"{number:,} {kind}" for kind, number in result.outcomes.items())
    return f"{result.offered:,} offered = {parts or 0}"


def travelled(result: RunResult) -> Iterator[Fact]:
    """Which places left the band of the control, in order; nothing of a run that has none, or of no order."""
    steps = [f"{plain(each.place)} +{each.after_s:.1f} s" for each in result.order]
    if steps:
        yield "travel", " > ".join(steps)


def _captured(result: RunResult) -> Iterator[Fact]:
    found = [measure for measure in result.measures if measure.name == "slot_capture"]
    for held in found:
        oracle = result.law.oracle_capture
        little = "" if oracle is None else f" (by Little's law {share(oracle)}, without a policy)"
        slots = f"{share(held.before)} -> {share(held.during)} of the slots of {result.law.hop}"
        yield "held", f"{held.about} held {slots}{little}"


def _detected(result: RunResult) -> Iterator[Fact]:
    """Nothing where no gate restricted anybody and none had to."""
    found, false = (result.metrics.get(name, Trend()).during for name in ("detection_s", "false_alarms"))
    if false is None or not (result.bite or false):
        return
    words = "no gate told the faulted worker from the others"
    if found is not None:
        words = f"detected {seconds(found)} after the fault began"
    shut_out = f"healthy workers shut out: {count(false)}"
    yield "gates", f"{words}; {shut_out}" if result.bite else shut_out


def padding(result: RunResult) -> Iterator[Fact]:
    padded_s = result.setting.padded_step_s
    if result.setting.engine == VIRTUAL:
        floor = f", and at least {padded_s * 1e3:.0f} ms" if padded_s > 0 else ""
        yield "virtual", f"no model ran: steps take what the costs {plain(result.setting.model)} say{floor}"
    elif padded_s > 0:
        words = (
            f"steps take at least {padded_s * 1e3:.0f} ms: the computation is real, its pace a larger model's"
        )
        yield "padded", words


def checks(result: RunResult) -> str:
    broken = [guard.name for guard in result.guards if not guard.ok]
    held = len(result.guards) - len(broken)
    return f"{held} of {len(result.guards)} held" + (f"; not: {', '.join(broken)}" if broken else "")


def _reasons(result: RunResult) -> Iterator[Fact]:
    for number, reason in enumerate(result.reasons[:REASONS]):
        yield "" if number else "why", plain(reason)
    if len(result.reasons) > REASONS:
        yield "", f"and {len(result.reasons) - REASONS} more in result.json"


def _hop_row(place: Place, *, wide: bool) -> list[Text]:
    metrics = place.metrics
    full = place.full_after_s is not None
    row = [
        Text(place_label(place)),
        trend(metrics.get("in_use"), count, alarm=full),
        trend(metrics.get("waiting"), count, alarm=full),
        trend(metrics.get("hop_s.p50"), seconds),
    ]
    return row + [trend(metrics.get("hop_s.p95"), seconds)] * wide


def _caller_row(caller: Caller, proved: bool, *, wide: bool) -> list[Text]:
    metrics = caller.metrics
    row = [
        Text(plain(caller.name)),
        Text("bystander" if caller.bystander else "touched", style="dim"),
        trend(metrics.get("goodput_ratio"), share, alarm=proved),
        trend(metrics.get("e2e_s.p50_all"), seconds, alarm=proved),
    ]
    tail = [trend(metrics.get(name), seconds) for name in ("e2e_s.p95_all", "ttft_s.p50_all")]
    return row + tail * wide
