"""Values kept on disk while the files that they were made from are unchanged."""

import pickle
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import TypeVar

from rulewright.base.disk_cache import CacheBucket
from rulewright.base.files import (
    DiskFiles,
    RecordingFiles,
    is_recording_current,
)

_T = TypeVar("_T")


def cache_values(bucket: CacheBucket, key: str, *values: object) -> None:
    """Stores values, pickled one after the other; values too deep for that are not stored."""
    with suppress(RecursionError):
        bucket.store_bytes(key, b"".join(pickle.dumps(value, pickle.HIGHEST_PROTOCOL) for value in values))


def read_cached_values(
    bucket: CacheBucket, key: str, disk: DiskFiles | RecordingFiles, make: Callable[..., _T]
) -> _T | None:
    """`make` applied to stored values; `None` where there are none, or a file they depend on changed.

    The first value is a tuple that begins with the state of files; its rest and the second value are passed to `make`.
    """
    content = bucket.load_bytes(key)
    if content is None:
        return None
    parts = BytesIO(content)
    try:
        file_answers, *about = pickle.load(parts)  # noqa: S301 - as compiled code, see decision 0028
        return make(*about, pickle.load(parts)) if is_recording_current(file_answers, disk) else None  # noqa: S301
    except Exception:  # noqa: BLE001 - what is none of ours raises anything
        return None
