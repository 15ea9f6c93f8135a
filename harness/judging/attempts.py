"""What it cost: GPU time and tokens, attempts per request, and tokens that nobody used."""

from collections.abc import Iterable, Sequence

from harness.judging.callers import Figures
from harness.judging.history import Attempted
from harness.judging.requests import ANSWERED, Request, sent_within
from harness.judging.windows import Window


def cost(
    requests: Sequence[Request], inference: frozenset[str], window: Window, workers_up: float | None
) -> Figures:
    """`requests` of all callers, in order; `inference`: the callers whose requests need a worker.

    A worker that is up is paid for, slow or benched though it be. `workers_up` None: nobody looked.
    """
    offered = [r for r in sent_within(requests, window) if r.arrived.caller in inference]
    sent = [len(r.attempts) for r in offered if r.attempts]
    made = sum(a.tokens for r in offered for a in r.attempts)
    wasted = sum(a.tokens for a in unused(offered))
    return {
        "gpus_billed": workers_up,
        "tokens_per_s": made / window.length_s,
        "retry_amplification": sum(sent) / len(sent) if sent else None,
        "load_amplification": sum(sent) / len(offered) if offered else None,
        "wasted_tokens": float(wasted),
        "wasted_token_ratio": wasted / made if made else None,
    }


def unused(requests: Iterable[Request]) -> Iterable[Attempted]:
    """Attempts whose tokens no caller got: of requests without an answer, retried, or beaten by a hedge."""
    for request in requests:
        winner = _winner(request)
        yield from (attempt for attempt in request.attempts if attempt is not winner)


def _winner(request: Request) -> Attempted | None:
    if not request.answered:
        return None
    if request.ended.satisfied:
        return request.attempts[-1] if request.attempts else None  # a cache may have answered
    return next((attempt for attempt in request.attempts if attempt.kind in ANSWERED), None)
