"""Where limplock keeps what it has downloaded or must find again."""

import os
from pathlib import Path


def cache_dir() -> Path:
    """$LIMPLOCK_CACHE, or limplock in $XDG_CACHE_HOME, or ~/.cache/limplock. Not created here."""
    own = os.environ.get("LIMPLOCK_CACHE")
    if own:
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "limplock"
