"""Pipelines as text: what is written is what is made, and everything else is refused in one line."""

import re
import string
import sys
from dataclasses import is_dataclass
from math import inf

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from policies.arguments import spell_value
from policies.breakers.breaker_window import BreakerWindow
from policies.limits.bulkhead import Bulkhead
from policies.notation import LONGEST, NotationError, parse, spell, tidy
from policies.registry import POLICIES, make, parameter_defaults
from policies.retries.retry import Retry
from policies.timers.timeout import Timeout
from tests.policies import own_policies
from tests.policies.own_policies import Odd

OWN = own_policies.__name__
quick = settings(
    derandomize=True,
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


def refusal(text):
    with pytest.raises(NotationError) as refused:
        parse(text)
    line = str(refused.value)
    assert len(line.splitlines()) == 1
    assert line.isprintable()
    assert len(line) < 3000
    return line


# what is read


@pytest.mark.parametrize(
    ("text", "policies"),
    [
        ("timeout(ttft=2) | bulkhead()", [Timeout(ttft_s=2), Bulkhead()]),
        ("timeout(ttft_s=2.5)", [Timeout(ttft_s=2.5)]),
        ("timeout(1, 2, 3)", [Timeout(connect_s=1, ttft_s=2, itl_s=3)]),
        ("timeout(1, itl=3)", [Timeout(connect_s=1, itl_s=3)]),
        ("bulkhead", [Bulkhead()]),
        ("bulkhead(8,)", [Bulkhead()]),
        ("  bulkhead  (  3  )  ", [Bulkhead(max_in_flight=3)]),
        ("retry(other_worker=false)", [Retry(other_worker=False)]),
        ("retry(other_worker=False)", [Retry(other_worker=False)]),
        ("timeout(total=inf, attempt=none)", None),
        ("timeout(total=inf)", [Timeout(total_s=inf)]),
        ("timeout(\n  ttft=2,  # a | b (\n  itl=1\n)\n| retry()", [Timeout(ttft_s=2, itl_s=1), Retry()]),
        ("# first\nbulkhead() # last", [Bulkhead()]),
        ("bulkhead()\r\n| retry()", [Bulkhead(), Retry()]),
        (f"{OWN}:Odd(word='a | b # c')", [Odd(word="a | b # c")]),
        (f'{OWN}:Odd(word="it\'s \\"x\\" | y")', [Odd(word='it\'s "x" | y')]),
        (f"{OWN}:Odd(word=some)", [Odd(word="some")]),
        (f"{OWN}:Odd(word=[1, two, 'three'])", [Odd(word=(1, "two", "three"))]),
        (f"{OWN}:Odd(0.25)", [Odd(0.25)]),
        (f"{OWN}:Odd(share=0.25)", [Odd(0.25)]),
        (f"{OWN}:Inside.Deep", [own_policies.Inside.Deep()]),
        (f"{OWN}:strict_breaker(4)", [BreakerWindow(min_calls=4)]),
        (f"{OWN}:strict_breaker(calls=4)", [BreakerWindow(min_calls=4)]),
        (f"{OWN}:Inside.made(2)", [BreakerWindow(min_calls=2)]),
    ],
)  # fmt: skip
def test_what_is_written_is_what_is_made(text, policies):
    if policies is None:
        refusal(text)
    else:
        assert parse(text) == policies


def test_a_class_that_is_no_dataclass_gets_its_parameters_as_python_would_give_them():
    assert parse(f"{OWN}:Plain(5)")[0].limit == 5
    assert parse(f"{OWN}:Plain(limit=5)")[0].limit == 5


def test_policies_are_made_afresh_each_time():
    assert parse("bulkhead()")[0] is not parse("bulkhead()")[0]


# what is refused

REFUSED = {
    "": "an empty pipeline",
    "   \n\t ": "an empty pipeline",
    "# nothing but words": "an empty pipeline",
    "|": "a policy is missing",
    "bulkhead() |": "a policy is missing",
    "| bulkhead()": "a policy is missing",
    "bulkhead() || retry()": "a policy is missing",
    "timeot()": "unknown policy 'timeot'; closest: timeout; `limplock list policies` has all",
    "timeout(ttfs=2)": "timeout: unknown parameter 'ttfs'; closest: ttft_s; known: ",
    "timeout(ttft=0)": "timeout: ttft_s must be a number above 0, got 0",
    "timeout(ttft=-1)": "timeout: ttft_s must be a number above 0, got -1",
    "timeout(ttft=nan)": "timeout: ttft_s must be a number above 0, got 'nan'",
    "timeout(ttft=soon)": "timeout: ttft_s must be a number above 0, got 'soon'",
    "timeout(ttft=true)": "timeout: ttft_s must be a number above 0, got True",
    "timeout(ttft=-inf)": "timeout: ttft_s must be a number above 0, got -inf",
    "timeout(ttft=[1, 2])": "timeout: ttft_s must be a number above 0, got (1, 2)",
    "retry(other_worker=0)": "retry: other_worker must be true or false, got 0",
    "retry(max_attempts=2.5)": "retry: max_attempts must be a whole number",
    "timeout(ttft=2s)": "a number has no unit",
    "timeout(ttft:2)": "invalid syntax. Write name(parameter=value, ...)",
    "timeout(ttft=)": "Write name(parameter=value, ...)",
    "timeout(ttft=1, ttft=2)": "ttft is given twice",
    "timeout(ttft=1, ttft_s=2)": "timeout: ttft_s is given twice",
    "timeout(1, connect_s=2)": "timeout: connect_s is given twice",
    "timeout(1, connect=2)": "timeout: connect_s is given twice",
    "round_robin(1)": "round_robin: 1 values, but it takes none",
    "none(1)": "none: 1 values, but it takes none",
    "timeout(ttft=2": "is no policy. Write name(",
    "timeout ttft=2": "is no policy. Write name(",
    "timeout)": "is no policy. Write name(",
    "2": "is no policy. Write name(",
    "timeout() retry()": "and | between policies",
    "timeout().x()": "Write name(",
    "'timeout()'": "is no policy. Write name(",
    'retry("abc)': "unterminated string literal",
    "retry(*x)": "'*x' is no number, word, or text in quotes",
    "retry(**x)": "a parameter is given as name=value",
    "retry(1+2)": "'1+2' is no number, word, or text in quotes",
    "retry(2j)": "'2j' is no number",
    "retry(b'x')": "is no number",
    "retry(f'{x}')": "is no number",
    "retry(...)": "'...' is no number",
    "retry({1: 2})": "'{1: 2}' is no number",
    "retry([1, [2]])": "'[2]' is no number",
    "retry(-true)": "'-true' is no number",
    "retry(--1)": "'--1' is no number",
    "retry(1 | 2)": "'1 | 2' is no number",
    "retry(a.b)": "'a.b' is no number",
    "retry(print())": "'print()' is no number",
    "retry(99999999999999999999)": "is no number",
    "retry(-99999999999999999999)": "is no number",
    "no_such_module_of_ours:X": "there is no module no_such_module_of_ours in this folder or installed",
    "json.no_such_part:X": "cannot import json.no_such_part: there is no module json.no_such_part",
    "a..b:X": "a..b:X: cannot import a..b",
    f"{OWN}:Missing": f"{OWN}:Missing: {OWN} has no 'Missing'",
    f"{OWN}:Inside.Missing": "has no 'Inside.Missing'",
    f"{OWN}:Inside.": "has no 'Inside.'",
    f"{OWN}:wicked.x": "has no 'wicked.x'",
    f"{OWN}:instance": "is no policy: a subclass of policies.policy.Policy, or a function that says",
    f"{OWN}:Inside": "is no policy: a subclass",
    f"{OWN}:dataclass": "is no policy: a subclass",
    f"{OWN}:silent": "is no policy: a subclass",
    "os:system('false')": "os:system is no policy",
    "subprocess:run(['false'])": "subprocess:run is no policy",
    f"{OWN}:liar()": f"{OWN}:liar made no policy but a str",
    f"{OWN}:broken()": f"{OWN}:broken: 'two\\nlines'",
    f"{OWN}:leaves()": f"{OWN}:leaves: SystemExit",
    f"{OWN}:strict_breaker(calls=0)": "min_calls must be",
    f"{OWN}:strict_breaker(cals=3)": "unexpected keyword argument 'cals'",
    f"{OWN}:Plain(1, 2)": "takes from 1 to 2 positional arguments",
    f"{OWN}:Odd(shar=1)": "unknown parameter 'shar'; closest: share_ratio",
    f"{OWN}:Odd(share=2)": "odd: share_ratio must be",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_meant_is_refused_in_one_line_that_says_why(text):
    assert REFUSED[text] in refusal(text)


def test_a_text_without_end_is_refused_before_it_is_read():
    assert "at most 10,000 are accepted" in refusal("bulkhead() |" * LONGEST)
    with pytest.raises(NotationError, match="at most"):
        tidy("x" * (LONGEST + 1))


@pytest.mark.parametrize(
    "text", ["retry(" + "(" * 9000, "retry(" + "-" * 9000 + "1)", "retry(" + "[" * 99 + "]" * 99 + ")"]
)
def test_deep_nesting_is_refused(text):
    refusal(text)


def test_a_refusal_knows_where_the_policy_begins():
    text = "timeout()\n| retry()\n| bulkhead(0)"
    with pytest.raises(NotationError) as refused:
        parse(text)
    assert text[refused.value.offset :] == "bulkhead(0)"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Writes a module into a folder in which the command is run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def write(name, text):
        (tmp_path / f"{name}.py").write_text(text)
        return name

    yield write
    for name in [name for name in sys.modules if name.startswith("of_a_user")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("raise SystemExit(3)", "cannot import of_a_user_1: SystemExit: 3"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def (:", "SyntaxError: invalid syntax"),
        ("import no_such_module_of_ours", "there is no module no_such_module_of_ours"),
        ("from json import no_such", "ImportError: cannot import name 'no_such'"),
        ("raise ValueError('a\\nb\\x1b[31m')", "ValueError: a b\\x1b[31m"),
        ("\0", "cannot import of_a_user_1"),
    ],
)
def test_a_module_that_cannot_be_imported_is_refused_with_what_it_says(module, text, words):
    assert words in refusal(f"{module('of_a_user_1', text)}:X")


def test_a_module_in_the_current_folder_is_found_and_what_it_prints_is_no_part_of_a_report(module, capsys):
    name = module(
        "of_a_user_2",
        "from policies.limits.bulkhead import Bulkhead\nprint('hello')\nclass Mine(Bulkhead):\n    pass\n",
    )
    (made,) = parse(f"{name}:Mine(max_in_flight=3)")
    assert made.max_in_flight == 3
    assert capsys.readouterr() == ("", "hello\n")


def test_a_file_in_the_current_folder_hides_no_installed_module(module, monkeypatch):
    monkeypatch.delitem(sys.modules, "pyclbr", raising=False)
    module("pyclbr", "raise SystemExit(1)")
    assert "pyclbr:readmodule is no policy" in refusal("pyclbr:readmodule")


# spelling


def value_like(default):
    """Values that may do where this one is the default."""
    if isinstance(default, bool):
        return st.booleans()
    if isinstance(default, int):
        return st.integers(1, 4 * default + 4)
    if isinstance(default, float):
        scaled = st.floats(0.25, 4).map(lambda factor: default * factor if default != inf else factor)
        numbers = st.one_of(st.just(inf), scaled, st.integers(0, 20), st.floats(0, 1))
        return st.one_of(st.just(default), numbers)
    return st.just(default) if not isinstance(default, str) else st.sampled_from([default, *words(default)])


def words(default):
    """A text parameter has few values: the refusal of a wrong one lists them."""
    for name, policy in POLICIES.items():
        for parameter, value in parameter_defaults(name).items() if is_dataclass(policy) else ():
            if value == default and isinstance(value, str):
                try:
                    make(name, {parameter: "no such word"})
                except ValueError as refused:
                    found = re.search(r"one of (.*), got", str(refused))
                    yield from found[1].split(", ") if found else ()


@pytest.mark.parametrize("name", [name for name, policy in POLICIES.items() if is_dataclass(policy)])
def test_what_is_spelled_is_read_as_the_same_policy(name):
    defaults = parameter_defaults(name)
    changes = {parameter: value_like(value) for parameter, value in defaults.items()}

    @settings(quick, max_examples=40)
    @given(st.fixed_dictionaries({}, optional=changes))
    def check(changed):
        try:
            policy = make(name, changed)
        except ValueError:
            assume(False)
        text = spell(policy)
        assert parse(text) == [policy]
        assert tidy(text) == text
        for parameter, default in defaults.items():
            assert (getattr(policy, parameter) != default) == bool(re.search(rf"\b{parameter}=", text))

    check()


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**62), 2**62), st.floats(allow_nan=False), st.text(max_size=12)
)


@quick
@given(st.one_of(scalars, st.lists(scalars, max_size=4).map(tuple)))
@example("true")
@example("None")
@example("lambda")
@example("ﬁ")
@example("a\nb")
@example("'\"\\")
@example("a  b | c # d")
@example(-inf)
@example(())
@example(("one",))
def test_every_value_is_read_as_it_was_spelled(value):
    (policy,) = parse(tidy(f"{OWN}:Odd(word={spell_value(value)})"))
    assert policy.word == value
    assert isinstance(policy.word, bool) == isinstance(value, bool)


def test_a_policy_of_ones_own_is_spelled_by_its_module():
    assert spell(Odd(word="x")) == f"{OWN}:Odd(word=x)"
    assert spell(own_policies.Plain()) == f"{OWN}:Plain()"


# one line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (" timeout( ttft = 2 )\n|\n retry # often\n", "timeout(ttft=2) | retry()"),
        ("bulkhead(\n  8  # seats\n)", "bulkhead(8)"),
        ("x(word='a  b\t| c') | y", "x(word='a  b\t| c') | y()"),
        ("x (word = [ 'a , b' ,c ] , y=( 1,\n 2 ))", "x(word=['a , b',c], y=(1, 2))"),
        ("timeout", "timeout()"),
        ("timeout(ttft=2", "timeout(ttft=2"),
    ],
)
def test_a_tidy_pipeline_is_one_line_and_never_a_presets_name(text, line):
    assert tidy(text) == line
    assert tidy(line) == line


# garbage

marks = st.sampled_from(
    ["timeout", "retry(", "bulkhead(8)", "|", "(", ")", "[", "]", "'", '"', "#", "\n", "=", ",", "ttft", "1",
     "inf", "none", "-", "*", "\\", "\0", "\x1b[2J", "\ud800", "é", "{", "}", ":", ".", f"{OWN}:Odd", " "]
)  # fmt: skip


texts = st.one_of(
    st.text(), st.lists(marks, max_size=30).map("".join), st.text(string.printable, max_size=80)
)


@quick
@given(texts)
@example("retry('\\N{no such name}')")
@example("retry('\\x')")
@example("retry('\\d')")
@example("retry(0777)")
@example("retry(1if 2else 3)")
def test_garbage_is_refused_in_one_line_or_read(text):
    try:
        policies = parse(text)
    except NotationError:
        refusal(text)
    else:
        assert parse(tidy(text)) == policies
