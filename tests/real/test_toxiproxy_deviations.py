"""Every difference between the original and our server, seen on both: none is missing, none is made up."""

import pytest

from tests.faults.toxiproxy.deviations import DEVIATIONS
from tests.faults.toxiproxy.difference import DIFFERENCES
from tests.faults.toxiproxy.servers import ALL
from tests.faults.toxiproxy.stand import standing
from tests.real import toxiproxy_never_restored, toxiproxy_restored

pytestmark = pytest.mark.real

PROBES = (toxiproxy_restored, toxiproxy_never_restored)  # they note their differences when they are imported
RESTORED = {each.name: each.restored for each in DEVIATIONS}


def test_each_difference_in_the_list_is_seen_and_no_other() -> None:
    assert sorted(DIFFERENCES) == sorted(RESTORED)
    assert all(each.original != each.ours for each in DIFFERENCES.values())


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("name", RESTORED)
async def test_a_server_does_as_the_list_says(kind: str, name: str) -> None:
    as_original = kind == "real" or (kind == "strict" and RESTORED[name])
    difference = DIFFERENCES[name]
    async with standing(kind) as stand:
        seen = await difference.probe(stand)
    assert seen == (difference.original if as_original else difference.ours)
