"""Checked rulesets, kept between runs: what nobody has changed is not checked again."""

import dataclasses
import pickle
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import TypeVar

from rulewright.files import Disk, Provider
from rulewright.files.providers import Listening, has_unsaved, still_said
from rulewright.keeping import Shelf, key_of, maker
from rulewright.workspace.load import Loaded, load
from rulewright.workspace.locate import Located

_T = TypeVar("_T")
SHELF = Shelf("programs", most=200, size=64_000_000)


def load_kept(located: Located, overlays: tuple[str, ...], provider: Provider) -> Loaded:
    """As `load`, without what an edit needs; one without errors that was loaded before from the same files is kept.

    What was typed and not saved is made use of, but not kept.
    """
    if located.main is None or not isinstance(provider, Disk):
        return load(located, overlays, provider)
    key = key_of(maker(), provider.identity(located.main), located.main, *located.overlays, "", *overlays)
    found = kept_values(SHELF, key, provider, lambda made: made)
    if isinstance(found, Loaded):
        return found
    files = Listening(provider)
    made = dataclasses.replace(load(located, overlays, files), earlier=None)
    if made.program is not None and not has_unsaved():
        keep_values(SHELF, key, (files.said,), made)
    return made


def keep_values(shelf: Shelf, key: str, *values: object) -> None:
    """Keeps values, to be unpickled one after the other; those that are too deep for that are not kept."""
    with suppress(RecursionError):
        shelf.keep(key, b"".join(pickle.dumps(each, pickle.HIGHEST_PROTOCOL) for each in values))


def kept_values(shelf: Shelf, key: str, disk: Disk, make: Callable[..., _T]) -> _T | None:
    """What is made of values that were kept; none where there is nothing, or where a file is another now.

    The first value is a tuple that begins with what files said; its rest and the second value are what `make` takes.
    """
    content = shelf.kept(key)
    if content is None:
        return None
    parts = BytesIO(content)
    try:
        said, *about = pickle.load(parts)  # noqa: S301 - as compiled code, see decision 0035
        return make(*about, pickle.load(parts)) if still_said(said, disk) else None  # noqa: S301
    except Exception:  # noqa: BLE001 - what is none of ours raises anything
        return None
