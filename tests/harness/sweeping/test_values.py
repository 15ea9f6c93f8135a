import pytest

from harness.errors import BadInput
from harness.sweeping.values import listed, numbers, whole_numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0.5", (0.5,)),
        ("0.7,0.3, 0.5", (0.3, 0.5, 0.7)),
        ("2,2.0,02", (2.0,)),
        ("0.3:0.9:0.1", (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)),
        ("1:2:0.4", (1.0, 1.4, 1.8)),
        ("3:3:1", (3.0,)),
        ("10,1:3:1,.5", (0.5, 1.0, 2.0, 3.0, 10.0)),
    ],
)
def test_lists_and_ranges(text, found):
    assert numbers("--load", text, "0.3,0.5,0.7") == found


@pytest.mark.parametrize(
    "text",
    ["", ",", "0.3,", "0.3,,0.5", "ten", "nan", "inf", "1e3", "1_0", "0.3:0.9", "0.3:0.9:0.1:1", "1:2:", "٣"],
)
def test_what_is_no_number_is_refused_with_an_example(text):
    with pytest.raises(BadInput, match=r"--load takes numbers such as 0.3,0.5,0.7 or a range.*0.3:0.7:0.2"):
        numbers("--load", text, "0.3,0.5,0.7")


@pytest.mark.parametrize("text", ["1:2:0", "1:2:-1", "2:1:0.1"])
def test_a_range_goes_up(text):
    with pytest.raises(BadInput, match="a range goes up"):
        numbers("--load", text, "0.3,0.5,0.7")


def test_a_range_of_millions_is_refused_before_it_is_made():
    with pytest.raises(BadInput, match="1,000,000,000,001 values asked; at most 1,000 are accepted"):
        numbers("--load", "0:1:0.000000000001,1:999999999:0.001", "0.3,0.5,0.7")
    with pytest.raises(BadInput, match="1,100 values asked"):
        numbers("--load", "1:550:1,1001:1550:1", "0.3,0.5,0.7")


def test_whole_numbers():
    assert whole_numbers("--slow", "4,1,2", "1,2,4") == (1, 2, 4)
    with pytest.raises(BadInput, match=r"--slow takes whole numbers such as 1,2,4, got 1\.5"):
        whole_numbers("--slow", "1.5", "1,2,4")


def test_a_list_is_written_as_it_is_read():
    values = (0.000001, 0.3333333333, 2.0, 123456789.5, 1e9)
    assert numbers("--x", listed(values), "1,2") == values
    assert listed((2.0, 0.5, 10.0)) == "2,0.5,10"
