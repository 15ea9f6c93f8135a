"""The one file that holds SmolLM2-135M-Instruct: where it is kept, and whether it is whole."""

import hashlib
from pathlib import Path

from harness.errors import EnvironmentFault
from harness.serving.model.cache import cache_dir

FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_BYTES = 98_362_432
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
REMEDY = "run `limplock models fetch smollm2`"


def smollm2_path(folder: Path | None = None) -> Path:
    """Where the file is, or will be after fetching."""
    return (folder or cache_dir()) / FILE_NAME


def require_smollm2(path: Path) -> Path:
    """`path`, if the file is there and whole. Raises EnvironmentFault."""
    if not path.is_file():
        raise EnvironmentFault(f"model 'smollm2' is not fetched ({path}); {REMEDY}")
    if not is_whole(path):
        raise EnvironmentFault(f"{path} is damaged; {REMEDY}")
    return path


def is_whole(path: Path) -> bool:
    """Whether the bytes are exactly the published ones."""
    try:
        if path.stat().st_size != FILE_BYTES:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == FILE_SHA256
    except OSError as error:
        raise EnvironmentFault(f"{path} cannot be read: {error.strerror}; {REMEDY}") from None
