import io

from rich.console import Console

from harness.judging.danger_zone import Zone
from harness.judging.result import Verdict
from harness.judging.swept import Axes, Cell, Swept
from harness.reporting.sweep import render_sweep
from harness.reporting.zone_words import times, zone_summary, zone_words

SHORT = {"P": Verdict.PASS, "F": Verdict.FAIL, "I": Verdict.INCONCLUSIVE}
NOISE = "inconclusive: too noisy to decide: local_api p99 2ms -> 0.{n}s"


def rows(preset, load, factor, verdicts, *, slow=1, rho=0.4, must_fill=None, contradicted=""):
    return [
        Swept(
            cell=Cell(preset, slow, load, factor),
            seed=seed,
            verdict=SHORT[verdict],
            headline=NOISE.format(n=seed) if verdict == "I" else "pressure spread to front",
            rho=rho,
            must_fill=must_fill,
            law_applies=preset == "none",
            contradicted=contradicted,
            bystander_goodput_ratio=1.0,
            touched_goodput_ratio=1.0,
            bystander_latency_s="Infinity",
            slots_gone_after_s=None,
            replay=f"lp1-{seed}",
            digest="",
        )
        for seed, verdict in enumerate(verdicts, 1)
    ]


def axes(**changes):
    known = {"presets": ("none",), "loads": (0.3, 0.5), "factors": (2.0, 3.0), "slow": (1,)}
    return Axes(**(known | {"first_seed": 1, "seeds": 3} | changes))


def text(axes, found, width=80, **console):
    sink = io.StringIO()
    Console(file=sink, width=width, **console).print(render_sweep("slow_worker", 4, axes, found))
    return "".join(line.rstrip() + "\n" for line in sink.getvalue().splitlines())


FOUND = [
    *rows("none", 0.3, 2.0, "PPP", rho=0.24),
    *rows("none", 0.3, 3.0, "PPP", rho=0.24),
    *rows("none", 0.5, 2.0, "PPP"),
    *rows("none", 0.5, 2.45, "PFP"),
    *rows("none", 0.5, 3.0, "FFF"),
    *rows("timeout", 0.3, 2.0, "PPP"),
    *rows("timeout", 0.3, 3.0, "PPI"),
    *rows("timeout", 0.5, 2.0, "III"),
    *rows("timeout", 0.5, 3.0, "PFI"),
]

SNAPSHOT = """\
slow_worker, 4 workers: where contained turns into spread
none     can spread from x2.45 at load 0.5; never at 0.3
timeout  can spread from x3 at load 0.5; never at 0.3

none, 1 of 4 workers slow
factor  load 0.3   load 0.5
x2      contained  contained
x3      contained  spread

load  danger zone                                      law: saturates from
0.3   never spread up to x3                            x4.17
0.5   contained up to x2, spread from x3               x2.5
      x2.45: 1 of 3 spread, 33% (95% sure: 6% to 79%)

spread     mildest at load 0.5, factor 2.45, 1 slow: pressure spread to front

timeout, 1 of 4 workers slow
factor  load 0.3          load 0.5
x2      contained         ?
x3      2 contained, 1 ?  1 spread, 1 contained, 1 ?

load  danger zone                                   law without a policy
0.3   never spread up to x3, 1 run undecided        x2.5
0.5   either way from x3, not all spread at x3      x2.5
      x3: 1 of 2 spread, 50% (95% sure: 9% to 91%)

spread     mildest at load 0.5, factor 3, 1 slow: pressure spread to front
?          5 inconclusive, as at load 0.5, factor 2, 1 slow: too noisy to
           decide: local_api p99 2ms -> 0.1s
"""


def test_a_sweep_at_80_columns():
    assert text(axes(presets=("none", "timeout")), FOUND) == SNAPSHOT


def test_colour_changes_no_word():
    shown = text(axes(presets=("none", "timeout")), FOUND, force_terminal=True, color_system="standard")
    assert "\x1b[31mspread" in shown
    assert "\x1b[32mcontained" in shown


def test_what_has_not_run_yet_is_said():
    shown = text(axes(), rows("none", 0.3, 2.0, "PP"))
    assert "PARTIAL: 2 of the 12 runs of the grid" in shown
    assert "x2      2 contained, 1 ?  -\n" in shown
    assert "0.5   undecided" in shown


def test_many_loads_go_into_tables_one_below_another():
    loads = tuple(round(0.05 * step, 2) for step in range(1, 19))
    found = [row for load in loads for factor in (2.0, 3.0) for row in rows("none", load, factor, "PPP")]
    shown = text(axes(loads=loads), found)
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.count("factor  load") == 3
    assert shown.count("contained") == 36 + 1  # and the title


def test_each_number_of_slow_workers_has_a_grid():
    found = rows("none", 0.3, 2.0, "PPP") + rows("none", 0.3, 2.0, "FFF", slow=2)
    shown = text(axes(slow=(1, 2), loads=(0.3,), factors=(2.0,)), found)
    assert "none, 2 slow  can spread from x2 at load 0.3" in shown
    assert "none, 2 of 4 workers slow" in shown


def test_a_run_that_contradicts_its_law_is_named_with_its_token():
    found = rows("none", 0.3, 2.0, "FFF", contradicted="no service had to run out, yet one did")
    shown = " ".join(text(axes(loads=(0.3,), factors=(2.0,)), found).split())
    assert (
        "law contradicted by 3 of 3 runs: no service had to run out, yet one did; limplock replay lp1-1"
        in shown
    )


def test_saturation_that_the_slots_can_hold_is_said_beside_the_law():
    found = rows("none", 0.5, 2.0, "PPP", must_fill=False) + rows("none", 0.5, 3.0, "PPP", must_fill=False)
    assert "0.5   never spread up to x3  x2.5, slots suffice\n" in text(axes(loads=(0.5,)), found)


def test_zones_in_words():
    most = {"least": 2, "most": 10}
    words = {
        Zone(): "undecided",
        Zone(contained_to=10, **most): "never spread up to x10",
        Zone(contained_to=2, spread_from=3, first_spread=3, **most): "contained up to x2, spread from x3",
        Zone(spread_from=2, first_spread=2, **most): "spread from the smallest factor on (x2)",
        Zone(spread_from=5, first_spread=5, undecided=2, **most): "undecided from x2, spread from x5",
        Zone(
            contained_to=5, torn=(10,), first_spread=10, **most
        ): "contained up to x5, not all spread at x10",
        Zone(contained_to=2, between=(3, 5), again=(10,), first_spread=3, **most): (
            "contained up to x2, spread at x3 x5, contained again at x10"
        ),
        Zone(torn=(2,), again=(5,), spread_from=10, first_spread=2, **most): (
            "some spread at x2, contained again at x5, spread from x10"
        ),
    }
    assert {zone: zone_words(zone) for zone in words} == words


def test_a_summary_names_the_loads_without_spread():
    calm, hit = Zone(contained_to=10, least=2, most=10), Zone(spread_from=3, first_spread=3, least=2, most=10)
    assert zone_summary({0.3: calm, 0.5: calm}) == "never spread up to x10"
    assert zone_summary({0.3: calm, 0.5: Zone()}) == "never spread up to x10, at the 1 of 2 loads decided"
    assert zone_summary({0.3: calm, 0.5: hit}) == "can spread from x3 at load 0.5; never at 0.3"
    assert zone_summary({0.5: hit, 0.7: hit}) == "can spread from x3 at load 0.5, x3 at 0.7"
    assert zone_summary({}) == "undecided"


def test_factors_have_three_digits_at_most():
    assert [times(value) for value in (2.0, 2.449, 10, 38.72, 1234)] == [
        "x2",
        "x2.45",
        "x10",
        "x38.7",
        "x1230",
    ]
