"""A pipeline with a name, which reports compare."""

from collections.abc import Callable
from dataclasses import dataclass

from policies.assembly import assemble
from policies.notation import parse, tidy
from policies.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class Preset:
    """A pipeline with a name. `text`: the pipeline for a number of workers; `source`: where it is from."""

    name: str
    meaning: str
    source: str
    text: Callable[[int], str]

    def build(self, workers: int) -> Pipeline:
        """A fresh pipeline for a run, since its state is its run's. ValueError for one that cannot be."""
        return assemble(parse(self.text(workers)))


def own_pipeline(text: str) -> Preset:
    """A pipeline of the user's own, named by its text. NotationError if it cannot be read."""
    name = tidy(text)
    return Preset(name, "a pipeline of one's own", "the command line or a file", lambda _: name)
