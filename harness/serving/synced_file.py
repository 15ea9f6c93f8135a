"""Files that a power cut leaves whole or not at all: begun, appended to, removed; the disk is waited for."""

import errno
import os
from contextlib import suppress
from pathlib import Path


def remove(path: Path) -> None:
    """For good, also if the power goes. It may be gone already."""
    unfinished(path).unlink(missing_ok=True)
    path.unlink(missing_ok=True)
    with suppress(FileNotFoundError):  # its folder went before it
        _sync_folder(path.parent)


def unfinished(path: Path) -> Path:
    """Where the file is until its first line is complete."""
    return path.with_suffix(".new")


def create(path: Path, header: bytes) -> int:
    """A file to append to. It is either not there or has its whole first line, whenever the power goes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = unfinished(path)
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        _write(file, header + b"\n")
        os.fsync(file)
        new.rename(path)
        _sync_folder(path.parent)
    except OSError:
        os.close(file)
        new.unlink(missing_ok=True)
        raise
    return file


def append(file: int, line: bytes, *, sync: bool) -> None:
    """The whole line or nothing."""
    before = os.fstat(file).st_size
    try:
        _write(file, line + b"\n")
        if sync:
            os.fsync(file)
    except OSError:
        os.ftruncate(file, before)
        raise


def _write(file: int, data: bytes) -> None:
    if os.write(file, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
