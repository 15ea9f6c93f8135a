"""Every toxic by the name it has on the wire. A toxic is one file here and one line in this table."""

from faults.toxiproxy.toxics.bandwidth import Bandwidth
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.limit_data import LimitData
from faults.toxiproxy.toxics.reset_peer import ResetPeer
from faults.toxiproxy.toxics.slicer import Slicer
from faults.toxiproxy.toxics.slow_close import SlowClose
from faults.toxiproxy.toxics.timeout import Timeout
from faults.toxiproxy.toxics.toxic import Toxic

TOXICS: dict[str, type[Toxic]] = {
    toxic.kind: toxic
    for toxic in (Bandwidth, Latency, LimitData, ResetPeer, Slicer, SlowClose, Timeout, Toxic)
}
