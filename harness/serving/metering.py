"""What a worker counts for itself and tells its meter, if somebody listens to that."""

from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf

from harness.serving.engine import Sequence
from harness.serving.job import Job
from harness.serving.meter import Counts, Meter
from policies.outcome import Outcome


class Metering:
    """Times are loop seconds. Without a meter only the counts are kept."""

    def __init__(self, meter: Meter | None) -> None:
        self.counts = Counts()
        self.on = meter is not None
        self._meter = meter or Meter()

    def seated(self, batch: SequenceOf[Sequence], jobs: Mapping[Sequence, Job], now: float) -> None:
        """These take part in the next step."""
        if not self.on:
            return
        for job in [jobs[sequence] for sequence in batch]:
            if job.seated_s is None:
                job.seated_s = now
                self._meter.queued(now - job.arrived_s)

    def stepped(self, batch: SequenceOf[Sequence], seconds: float, computed_s: float) -> None:
        """A step is over, and its tokens are not yet given."""
        new = [sequence for sequence in batch if not sequence.tokens]
        self.counts.step(seconds, len(batch), computed_s, len(new))
        if self.on:
            self._meter.stepped(seconds, len(batch), sum(len(s.prompt) for s in new) + len(batch))

    def given(self, job: Job, now: float) -> None:
        """A token is about to go to a request."""
        if not self.on:
            return
        if job.last_token_s is None:
            self._meter.first_token(now - job.arrived_s)
        else:
            self._meter.token_gap(now - job.last_token_s)

    def left(self, job: Job) -> None:
        """The caller of one has gone."""
        self.counts.aborted += 1
        self.counts.left_early += job.sequence.max_tokens - len(job.sequence.tokens) > 1

    def kept(self, job: Job, started_s: float, now: float) -> None:
        """A step is over for one whose caller left, which counts if it began after that."""
        if job.left_s is not None and started_s >= job.left_s:
            self.counts.kept_seconds += now - started_s
            self.counts.kept += not job.told_kept
            job.told_kept = True

    def ended(self, job: Job, outcome: Outcome, now: float) -> None:
        if self.on:
            sequence = job.sequence
            self._meter.ended(outcome, now - job.arrived_s, len(sequence.prompt), len(sequence.tokens))
