import re

import pytest

from harness.judging.history import FORMAT, Finished, Gauge, History, Setup
from harness.judging.reading import read_history
from tests.harness.judging.synthetic import simulate


def stored(tmp_path, records):
    path = tmp_path / "history.jsonl"
    with path.open("wb") as sink:
        history = History(sink=sink)
        for record in records:
            history.append(record)
    return path


def test_a_stored_history_reads_back_as_it_was(tmp_path):
    records = simulate(fault_s=2.0, recovery_s=1.0).records
    assert read_history(stored(tmp_path, records)).records == records


def test_a_damaged_line_is_named(tmp_path):
    path = stored(tmp_path, simulate(fault_s=2.0, recovery_s=1.0).records[:3])
    path.write_bytes(path.read_bytes() + b'{"record":"ended","at_s":1,\n')
    with pytest.raises(ValueError, match=re.escape(f"{path}:4: not a history record")):
        read_history(path)


def test_a_newer_format_is_refused_and_not_guessed_at(tmp_path):
    setup = Setup(
        scenario="s", preset="p", seed=1, version="9", hops=[], workers=[], callers=[], format=FORMAT + 1
    )
    with pytest.raises(ValueError, match="newer than this version reads"):
        read_history(stored(tmp_path, [setup]))


def test_a_history_of_the_first_format_is_named_as_what_it_is(tmp_path):
    path = tmp_path / "history.jsonl"
    path.write_bytes(
        b'{"record":"setup","scenario":"s","preset":"p","seed":1,"version":"9","hops":[],"workers":[],'
        b'"callers":[],"fault":{"kind":"killed","worker":"w"}}\n'
    )
    with pytest.raises(ValueError, match="format 1 is older than this version reads"):
        read_history(path)


def test_records_are_grouped_once_and_again_when_more_came():
    first, second = (Gauge(at_s=at, place="w", values={}) for at in (1.0, 2.0))
    history = History([first])
    assert history.gauges("w") == history.of(Gauge) == [first]
    assert history.of(Gauge) is history.of(Gauge)
    history.append(second)
    assert history.gauges("w") == history.of(Gauge) == [first, second]
    assert history.attempts("w") == history.gauges("nowhere") == []


def test_a_history_without_a_set_up_says_so():
    with pytest.raises(ValueError, match="starts with a setup record"):
        _ = History([Finished(at_s=1, clean=True)]).setup
