"""What can go wrong between us and a Toxiproxy server, as one line for the user."""


class ToxiproxyError(Exception):
    """A Toxiproxy call failed. The text says what, where, and what to do, in one line."""


class Refused(Exception):
    """The embedded server turns a request down: an HTTP status and the text that clients get."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
