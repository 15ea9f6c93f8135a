"""Where a cell's decision turns: at the limit itself, at a quarter of void pairs, with nothing to compare."""

from functools import cache

import pytest

from harness.judging.pairs.cell import decide, judge_cell
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.pairs.sound import broken, counted
from harness.judging.result import Guard, Measure, Verdict
from tests.harness.judging.synthetic import CONTAINED, simulate

ERROR = 0.1
PASS, FAIL, INCONCLUSIVE = Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE


def measure(value, *, lower=None, upper=None, **changes):
    fields = {
        "name": "latency_inflation", "about": "tenant", "value": value, "mild": 1.25, "severe": 2.0,
        "lower": value if lower is None else lower, "upper": value if upper is None else upper,
        "deciding": True,
    }  # fmt: skip
    return Measure(**fields | changes)


def guard(voids, *, ok=False, name="g"):
    return Guard(name=name, ok=ok, voids=voids, words=f"{name} broke")


@cache
def calm() -> PairResult:
    fault = simulate(**CONTAINED)
    return judge_pair(fault, simulate(**CONTAINED | {"kind": None, "scenario": fault.setup.scenario}))


def pair(*measures, guards=(), verdict=PASS):
    update = {"measures": list(measures), "guards": list(guards), "verdict": verdict}
    return calm().model_copy(update={"fault": calm().fault.model_copy(update=update)})


VOID = guard("any verdict", name="late")


@pytest.mark.parametrize(
    ("found", "guards", "verdict"),
    [
        ([measure(1.25)], [], PASS),  # the limit itself is inside
        ([measure(1.0, upper=1.26)], [], INCONCLUSIVE),
        ([measure(1.5, lower=1.25)], [], INCONCLUSIVE),  # and not beyond
        ([measure(1.5, lower=1.26)], [], FAIL),
        ([measure(1.0), measure(3.0)], [], FAIL),
        ([measure(1.0), measure(3.0, deciding=False)], [], PASS),
        ([measure(3.0, deciding=False)], [], INCONCLUSIVE),
        ([measure(1.0)], [guard("a pass")], INCONCLUSIVE),
        ([measure(1.0)], [guard("a pass", ok=True), guard("any verdict", ok=True)], PASS),
        ([measure(3.0)], [guard("a pass")], FAIL),
        ([measure(3.0)], [guard("any verdict")], INCONCLUSIVE),
    ],
)
def test_the_interval_and_the_preconditions_decide(found, guards, verdict):
    assert decide(found, guards) is verdict


@pytest.mark.parametrize(("void", "verdict"), [(0, PASS), (2, PASS), (3, INCONCLUSIVE), (8, INCONCLUSIVE)])
def test_a_quarter_of_the_pairs_may_be_void_and_no_more(void, verdict):
    cell = judge_cell([pair(measure(1.0), guards=[VOID])] * void + [pair(measure(1.0))] * (8 - void), ERROR)
    assert cell.verdict is verdict
    assert f"{8 - void} of 8 pairs count" in cell.guards[0].words
    assert ("; void: late broke" in cell.guards[0].words) == (void > 0)
    assert len(cell.pairs) == 8


def test_only_a_broken_guard_against_any_verdict_makes_a_pair_void():
    fine = pair(measure(1.0), guards=[guard("any verdict", ok=True), guard("a pass")])
    assert broken(fine) == []
    assert counted([fine, pair(guards=[VOID])]) == [fine]


def test_what_speaks_against_a_pass_in_one_pair_speaks_against_it_in_all():
    doubtful = pair(
        measure(1.0), guards=[guard("a pass", name="short"), guard("a pass", ok=True, name="fine")]
    )
    cell = judge_cell([*[pair(measure(1.0))] * 7, doubtful], ERROR)
    assert cell.verdict is INCONCLUSIVE
    assert [each.name for each in cell.guards] == ["pairs that count", "short"]
    assert cell.headline == "inconclusive: short broke"
    void_too = pair(measure(1.0), guards=[VOID, guard("a pass", name="of a void pair")])
    assert [g.name for g in judge_cell([*[pair(measure(1.0))] * 7, void_too], ERROR).guards] == [
        "pairs that count"
    ]


def test_a_cell_says_how_sure_it_is_and_how_many_pairs_spread():
    cell = judge_cell([pair(measure(1.0)), pair(measure(1.0), verdict=FAIL)] * 3, ERROR)
    assert cell.confidence == pytest.approx(0.9)
    assert (cell.spread.hits, cell.spread.of) == (3, 6)
    assert 0.0 < cell.spread.lower < 0.5 < cell.spread.upper < 1.0


def test_the_worst_of_a_pass_is_what_is_nearest_to_its_limit():
    near = measure(0.019, name="goodput_loss", about="near", mild=0.02, severe=0.1)
    far = measure(1.0, about="far", mild=1.25)
    for order in ((near, far), (far, near)):
        assert "near" in judge_cell([pair(*order)] * 6, ERROR).headline
    stuck = measure(0.0, name="metastable", about="all", mild=0.0, severe=0.0)
    assert "far" in judge_cell([pair(stuck, far)] * 6, ERROR).headline


def test_an_undecided_cell_tells_what_is_open():
    wide = [measure(value, about="open") for value in (0.9, 1.0, 1.1, 1.2, 1.4, 1.6)]
    at_limit = measure(1.25, about="inside", name="latency_inflation")
    cell = judge_cell([pair(at_limit, each) for each in wide], ERROR)
    assert cell.verdict is INCONCLUSIVE
    assert cell.headline.startswith("inconclusive after 6 pairs: open ")


def test_a_cell_without_a_bystander_says_so_and_one_without_a_pair_is_refused():
    cell = judge_cell([pair(measure(1.0, deciding=False))] * 6, ERROR)
    assert cell.headline == "inconclusive: no bystander was compared in all pairs"
    with pytest.raises(ValueError, match="without a pair"):
        judge_cell([], ERROR)


def test_a_void_pair_is_one_void_pair_however_much_was_wrong_with_it():
    twice = pair(measure(1.0), guards=[VOID, guard("any verdict", name="and full")])
    assert judge_cell([*[pair(measure(1.0))] * 6, twice, twice], ERROR).verdict is PASS


def test_of_several_causes_the_first_is_told():
    other = guard("any verdict", name="full")
    cell = judge_cell([pair(guards=[VOID]), *[pair(guards=[other])] * 5], ERROR)
    assert cell.guards[0].words.endswith("void: late broke")
    doubts = [guard("a pass", name="short"), guard("a pass", name="weak")]
    assert judge_cell([pair(measure(1.0), guards=doubts)] * 6, ERROR).headline == "inconclusive: short broke"


def test_a_cell_is_named_after_its_first_pair_and_so_is_its_law():
    def seeded(seed):
        one = pair(measure(1.0))
        setting = one.fault.setting.model_copy(update={"seed": seed})
        law = one.fault.law.model_copy(update={"words": f"law of {seed}"})
        return one.model_copy(update={"fault": one.fault.model_copy(update={"setting": setting, "law": law})})

    cell = judge_cell([seeded(seed) for seed in (5, 6, 7, 8, 9, 10)], ERROR)
    assert cell.setting.seed == 5
    assert cell.law.words == "law of 5"
