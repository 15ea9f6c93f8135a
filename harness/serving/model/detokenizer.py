"""Text of a stream of ids, piece by piece, without ever splitting a character."""

from harness.serving.engine import Tokenizer

_INCOMPLETE = "\ufffd"  # what decoding gives for bytes that are no character, or not yet one


class Detokenizer:
    """The pieces of one sequence; joined, they are `tokenizer.decode` of all its ids.

    A window of recent ids is decoded again with each new one, since tokenizers treat the first id of a text
    specially: it starts at the last ids that gave text, and what they gave is cut off.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._window: list[int] = []
        self._told_ids = 0  # of the window, those whose text has been given out
        self._told = ""  # their text

    def feed(self, token: int) -> str:
        """The text that `token` completes; empty while a character is still incomplete."""
        self._window.append(token)
        text = self._tokenizer.decode(self._window)
        if text.endswith(_INCOMPLETE) or len(text) <= len(self._told):
            return ""
        return self._tell(text)

    def flush(self) -> str:
        """What is left at the end of the sequence: bytes that never became a character."""
        text = self._tokenizer.decode(self._window)
        return self._tell(text) if len(text) > len(self._told) else ""

    def _tell(self, text: str) -> str:
        piece = text[len(self._told) :]
        self._window = self._window[self._told_ids :]
        self._told_ids = len(self._window)
        self._told = self._tokenizer.decode(self._window)
        return piece
