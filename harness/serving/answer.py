"""What a worker says: tokens become the pieces of an answer on their way to the caller."""

from collections.abc import Sequence as SequenceOf

from harness.serving.engine import Tokenizer
from harness.serving.model.detokenizer import Detokenizer
from harness.serving.openai_api import Body, FinishReason, Writer
from policies.call import Call, Chunk


class Answer:
    """The answer to one call. This one has no text: its tokens are counted and timed."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def say(self, token: int, *, first: bool) -> None:
        """One more token, now."""
        if self.call.stream:
            self.call.sink(_TOKEN)

    def say_all(self, times_s: SequenceOf[float]) -> None:
        """Further tokens that came at `times_s`, handed over together."""
        if self.call.stream:
            self.call.sink(Chunk(b"", tokens=len(times_s), times_s=times_s))

    def finish(self, reason: FinishReason, prompt_tokens: int, tokens: int) -> None:
        """The answer is complete."""
        if not self.call.stream:
            self.call.sink(Chunk(b"", tokens=tokens))


class NoAnswer(Answer):
    """Nobody is told."""

    def say(self, token: int, *, first: bool) -> None:
        pass

    def say_all(self, times_s: SequenceOf[float]) -> None:
        pass

    def finish(self, reason: FinishReason, prompt_tokens: int, tokens: int) -> None:
        pass


_TOKEN = Chunk(b"")


class TextAnswer(Answer):
    """An answer in the OpenAI-style wire format."""

    def __init__(self, call: Call, body: Body, model: str, tokenizer: Tokenizer) -> None:
        super().__init__(call)
        self._body = body
        self._writer = Writer(call.route, call.id, model)
        self._detokenizer = Detokenizer(tokenizer)
        self._text: list[str] = []

    def say(self, token: int, *, first: bool) -> None:
        self._say(self._detokenizer.feed(token), first=first)

    def finish(self, reason: FinishReason, prompt_tokens: int, tokens: int) -> None:
        self._say(self._detokenizer.flush())
        if self.call.stream:
            self.call.sink(Chunk(self._writer.finish(reason), tokens=0))
            if self._body.include_usage:
                self.call.sink(Chunk(self._writer.usage(prompt_tokens, tokens), tokens=0))
        else:
            whole = self._writer.whole("".join(self._text), reason, prompt_tokens, tokens)
            self.call.sink(Chunk(whole, tokens=tokens))

    def _say(self, text: str, *, first: bool = False) -> None:
        if not self.call.stream:
            self._text.append(text)
            return
        if first and (role := self._writer.role()):
            self.call.sink(Chunk(role, tokens=0))
        if text:
            self.call.sink(Chunk(self._writer.text(text)))
