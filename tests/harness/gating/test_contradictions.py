from harness.gating.contradictions import contradictions
from harness.judging.pairs.objective import Bound, During, Level, Objective


def objective(
    name: str,
    bound: Bound,
    limit: float,
    line: int,
    level: Level = "block",
    during: During = "fault",
    of: str = "chat",
) -> Objective:
    return Objective(
        id=name,
        metric="goodput_ratio",
        of=of,
        during=during,
        bound=bound,
        limit=limit,
        level=level,
        line=line,
    )


def told(*objectives: Objective) -> list[tuple[int, str]]:
    return [(problem.line, problem.words) for problem in contradictions(objectives)]


def test_objectives_about_different_things_do_not_meet() -> None:
    assert told(
        objective("a", "max", 0.5, 4),
        objective("b", "min", 0.9, 5, of="tenant"),
        objective("c", "min", 0.9, 6, during="control"),
        objective("d", "min_vs_control", 0.9, 7),
        objective("e", "min_vs_baseline", 0.9, 8),
    ) == []  # fmt: skip


def test_a_maximum_below_a_minimum_is_told_of_the_later_one() -> None:
    assert told(objective("a", "min", 0.9, 4), objective("b", "max", 0.5, 5)) == [
        (5, "b contradicts a in line 4: max 0.5 is below min 0.9. Change one")
    ]
    assert told(objective("a", "max_vs_control", 0.5, 4), objective("b", "min_vs_control", 0.9, 5)) == [
        (5, "b contradicts a in line 4: max_vs_control 0.5 is below min_vs_control 0.9. Change one")
    ]
    assert told(objective("a", "min", 0.5, 4), objective("b", "max", 0.5, 5)) == []


def test_an_id_is_used_once() -> None:
    assert told(objective("a", "min", 0.5, 4), objective("a", "min", 0.5, 5, of="tenant")) == [
        (5, "id a is there twice, also in line 4. Give each an id of its own")
    ]


def test_one_level_has_one_limit() -> None:
    first = objective("a", "min", 0.5, 4)
    assert told(first, objective("b", "min", 0.6, 5)) == [
        (5, "b and a in line 4 bound the same by 0.6 and 0.5. Keep one, or give them different levels")
    ]
    assert told(first, objective("b", "min", 0.5, 5)) == [(5, "b says what a says in line 4. Remove one")]
    assert told(first, objective("b", "min", 0.6, 5, level="warn")) == []
