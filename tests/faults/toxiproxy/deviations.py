"""Every difference between Toxiproxy 2.12 and our server. docs/toxiproxy.md has the same list."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deviation:
    """One difference, in words that stand in the documentation too."""

    name: str
    original: str
    ours: str
    restored: bool  # strict_compat brings the original's way back


DEVIATIONS = (
    Deviation(
        "half-close",
        "an end of data one way closes the whole connection; an answer still to come is lost",
        "the other way stays open until it ends too",
        True,
    ),
    Deviation(
        "toxicity 0 of reset_peer",
        "a connection that began under it ends by a reset whenever it closes, although it was spared",
        "toxicity 0 is as no toxic",
        True,
    ),
    Deviation(
        "toxicity 0 of timeout",
        "removing the toxic closes connections that it spared",
        "toxicity 0 is as no toxic",
        True,
    ),
    Deviation(
        "update draws again",
        "every update of a toxic, an empty one too, decides anew which open connections it works on",
        "a connection keeps its lot while the toxicity stays the same",
        True,
    ),
    Deviation(
        "neighbour draws again",
        "so does adding or removing the toxic next behind it",
        "other toxics do not matter",
        True,
    ),
    Deviation(
        "timeout spared later",
        "a connection whose toxicity falls to 0 goes on with the bytes missing that were dropped",
        "it is closed, as when the toxic is removed",
        True,
    ),
    Deviation(
        "reset_peer on a live connection",
        "ends orderly, without a reset, a connection that began before the toxic was there",
        "resets it",
        True,
    ),
    Deviation(
        "attributes out of range",
        "negative and enormous numbers are taken and mean 0, never, or whatever the overflow gives",
        "400; restored, they mean the nearest number in range",
        True,
    ),
    Deviation(
        "toxicity out of range",
        "any number is stored",
        "400 unless it is from 0 to 1",
        True,
    ),
    Deviation(
        "failed update",
        "attributes beside the wrong one are changed all the same",
        "nothing is changed",
        True,
    ),
    Deviation(
        "slicer without a size",
        "the first data brings the whole server down",
        "nothing is cut",
        False,
    ),
    Deviation(
        "slicer with more variation than size",
        "the first data brings the whole server down",
        "400",
        False,
    ),
    Deviation(
        "negative bandwidth",
        "the first data brings the whole server down",
        "400",
        False,
    ),
    Deviation(
        "enormous jitter",
        "the first data brings the whole server down",
        "400; in strict_compat it means the greatest jitter allowed",
        False,
    ),
    Deviation(
        "reader that stopped",
        "removing a toxic from its connection hangs, and all control calls with it",
        "control calls wait for no connection",
        False,
    ),
    Deviation(
        "removal of reset_peer",
        "waits for its timeout and then resets; what it held is lost",
        "takes effect at once; what was held goes on",
        False,
    ),
    Deviation(
        "dial without an answer",
        "waits for ever, and so do all callers of the proxy that come after",
        "gives up after 5 s, and holds up nobody",
        False,
    ),
    Deviation(
        "seed",
        "has no effect",
        "the same seed picks the same connections and draws the same jitter",
        False,
    ),
    Deviation(
        "listen address",
        "any address; without one, all interfaces",
        "loopback only; without one, 127.0.0.1",
        False,
    ),
    Deviation(
        "byte counters",
        "in /metrics a connection counts when it has ended",
        "while it is open too",
        False,
    ),
    Deviation(
        "name with a slash",
        "can be given to a proxy, which then cannot be addressed",
        "is addressed with the slash written as %2F",
        False,
    ),
    Deviation(
        "decoder's words",
        "behind `bad request body: ` an error text of Go's JSON decoder",
        "an error text of our own there",
        False,
    ),
    Deviation(
        "version",
        "its own version",
        "the version of the wire that it speaks, marked as embedded",
        False,
    ),
)
