"""Checked rulesets, kept between runs: what nobody has changed is not checked again."""

import dataclasses
import pickle
from contextlib import suppress
from io import BytesIO

from rulewright.files import Disk, Provider
from rulewright.files.providers import Listening, has_unsaved, still_said
from rulewright.keeping import Shelf, key_of, maker
from rulewright.workspace.load import Loaded, load
from rulewright.workspace.locate import Located

SHELF = Shelf("programs", most=200, size=64_000_000)


def load_kept(located: Located, overlays: tuple[str, ...], provider: Provider) -> Loaded:
    """As `load`, without what an edit needs; one without errors that was loaded before from the same files is kept.

    What was typed and not saved is made use of, but not kept.
    """
    if located.main is None or not isinstance(provider, Disk):
        return load(located, overlays, provider)
    key = key_of(maker(), provider.identity(located.main), located.main, *located.overlays, "", *overlays)
    found = _kept(key, provider)
    if found is not None:
        return found
    files = Listening(provider)
    made = dataclasses.replace(load(located, overlays, files), earlier=None)
    if made.program is not None and not has_unsaved():
        keep_values(SHELF, key, files.said, made)
    return made


def keep_values(shelf: Shelf, key: str, *values: object) -> None:
    """Keeps values, to be unpickled one after the other; those that are too deep for that are not kept."""
    with suppress(RecursionError):
        shelf.keep(key, b"".join(pickle.dumps(each, pickle.HIGHEST_PROTOCOL) for each in values))


def _kept(key: str, disk: Disk) -> Loaded | None:
    """What was kept; none where there is nothing, or where a file is another now."""
    content = SHELF.kept(key)
    if content is None:
        return None
    parts = BytesIO(content)
    try:
        said = pickle.load(parts)  # noqa: S301 - as a compiled ruleset, see decision 0035
        found = pickle.load(parts) if still_said(said, disk) else None  # noqa: S301
    except Exception:  # noqa: BLE001 - what is no ruleset raises anything
        return None
    return found if isinstance(found, Loaded) else None
