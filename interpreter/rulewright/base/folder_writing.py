"""Folders that are written as a whole or not at all."""

import errno
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path


def write_folder(folder: Path, files: Mapping[str, bytes], *, replaces: bool = False) -> None:
    """Write a folder with all its files, or nothing, by their paths in it; with `replaces` one that is there gives way.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        made, former = aside / "made", aside / "former"
        for name, content in files.items():
            place = made / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        if replaces and folder.exists():
            folder.rename(former)
        try:
            made.rename(folder)
        except OSError:
            if former.exists():
                former.rename(folder)
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
