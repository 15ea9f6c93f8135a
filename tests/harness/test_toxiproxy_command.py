"""`limplock toxiproxy`: what is wrong is said in one line, and nothing starts."""

import json
from pathlib import Path
from typing import NoReturn

import pytest

from harness import toxiproxy_command
from harness.cli import run_command_line
from harness.errors import BadInput
from harness.exit_codes import ExitCode
from harness.toxiproxy_config import elements, read_config

GOOD = '{"name": "a", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:9"}'
TOXIC = '{"type": "latency", "attributes": {"latency": 5}}'


@pytest.fixture(autouse=True)
def nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*args: object, **kwargs: object) -> NoReturn:
        raise AssertionError("something was started")

    monkeypatch.setattr(toxiproxy_command, "serve", started)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("-host 0.0.0.0", "-host: only loopback is served, got '0.0.0.0'. Use -host 127.0.0.1"),
        ("--host example.org", "only loopback is served, got 'example.org'"),
        ("-port 65536", "-port must be 0 to 65535, got 65536"),
        ("-port=-1", "-port must be 0 to 65535, got -1"),
        ("-port any", "'-port'"),
        ("-seed x", "'-seed'"),
        (f"-seed {2**63}", f"less than or equal to {2**63 - 1}"),
        ("-port 99999", "-port must be 0 to 65535, got 99999"),
        ("-proxy-metrics=maybe", "-proxy-metrics must be true or false, got 'maybe'"),
        ("-hots localhost", "No such option: --hots"),
        ("-config no_such.json", "-config: cannot read 'no_such.json': No such file or directory"),
        ("localhost", "unexpected extra argument"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_2(
    command: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["toxiproxy", *command.split()]) == ExitCode.BAD_INPUT
    streams = capsys.readouterr()
    assert streams.out == ""
    assert said in streams.err
    assert streams.err.count("\n") == 1


@pytest.mark.parametrize("spelling", ["-version", "--version"])
def test_the_version_is_said_without_a_server(spelling: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["toxiproxy", spelling]) == ExitCode.PASS
    assert capsys.readouterr().out.startswith("toxiproxy-server version 2.12.0")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "no JSON: Expecting value"),
        ("\n\n[\n{]", 4, "no JSON: "),
        ("[]\nrubbish", 2, "no JSON: Extra data"),
        ('{"name": "a"}', 1, "expected an array of proxies"),
        (f"[{GOOD},\n\n {{}}]", 3, "missing required field: name"),
        (f'[{GOOD},\n{GOOD},\n{{"name": "b"}}]', 3, "missing required field: upstream"),
        ("[\n[[1]]]", 2, "expected an object, got [[1]]"),
        ("[\n5]", 2, "expected an object, got 5"),
        (
            GOOD.join("[]").replace("}", ',\n"toxics": [{"type": "slow"}]}'),
            1,
            "invalid toxic type",
        ),
        (f"[\n{GOOD}]".replace("}", ', "speed": 5}'), 2, 'unknown field "speed"'),
        (f"[\n{GOOD}]".replace("127.0.0.1:0", "0.0.0.0:80"), 2, "only loopback is served"),
        (f"[\n{GOOD}]".replace("127.0.0.1:0", "nowhere"), 2, "missing port in address"),
        (f"[\n{GOOD}]".replace('"a"', "NaN"), 2, "NaN"),
        ("[\n\n\udcff]", 3, "expected UTF-8, got byte 0xff"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = tmp_path / "proxies.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(BadInput) as refused:
        read_config(path)
    assert str(refused.value).startswith(f"{path}, line {line}: ")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_too_deep_to_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "proxies.json"
    path.write_text("[" * 200_000)
    with pytest.raises(BadInput, match="no JSON that can be read"):
        read_config(path)


@pytest.mark.parametrize(
    "text", ["[]", f"[{GOOD}]", GOOD.join("[]").replace("}", f', "toxics": [{TOXIC}]}}')]
)
def test_a_right_file_is_handed_on_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "proxies.json"
    path.write_text(text)
    assert read_config(path) == text.encode()


def test_each_element_is_found_with_its_line() -> None:
    text = ' \n[ {"a": [1,\n2]},\n\n[3], "x]",\t4\n]'
    found = list(elements(text))
    assert [line for line, _ in found] == [2, 5, 5, 5]
    assert [json.loads(each) for _, each in found] == json.loads(text)
