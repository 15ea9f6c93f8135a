"""Every toxic by the name it has on the wire. A toxic is one file here and one line in this table."""

from faults.toxiproxy.toxics.bandwidth import Bandwidth
from faults.toxiproxy.toxics.cut import Cut
from faults.toxiproxy.toxics.first_byte import FirstByte
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.limit_data import LimitData
from faults.toxiproxy.toxics.message_latency import MessageLatency
from faults.toxiproxy.toxics.reset_peer import ResetPeer
from faults.toxiproxy.toxics.shared_bandwidth import SharedBandwidth
from faults.toxiproxy.toxics.slicer import Slicer
from faults.toxiproxy.toxics.slow_accept import SlowAccept
from faults.toxiproxy.toxics.slow_close import SlowClose
from faults.toxiproxy.toxics.timeout import Timeout
from faults.toxiproxy.toxics.toxic import Toxic

_ORIGINALS = (Bandwidth, Latency, LimitData, ResetPeer, Slicer, SlowClose, Timeout, Toxic)
_EXTENSIONS = (Cut, FirstByte, MessageLatency, SharedBandwidth, SlowAccept)

ORIGINALS: dict[str, type[Toxic]] = {toxic.kind: toxic for toxic in _ORIGINALS}
TOXICS: dict[str, type[Toxic]] = ORIGINALS | {toxic.kind: toxic for toxic in _EXTENSIONS}
