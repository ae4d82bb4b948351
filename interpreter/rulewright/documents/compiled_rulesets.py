"""Rulesets as compiled Python, kept on disk between runs."""

import marshal
from collections.abc import Callable, Sequence
from typing import Any

from rulewright.base.disk_cache import CacheBucket, fingerprint_toolchain, make_cache_key
from rulewright.base.files import DiskFiles, FileProvider, RecordingFiles, has_unsaved_texts
from rulewright.documents.file_dependent_cache import cache_values, read_cached_values
from rulewright.documents.findings import ReadResult
from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.documents.ruleset_location import RulesetLocation
from rulewright.runtime.executable import CompiledSource, compile_source

RULESET_CACHE = CacheBucket("rulesets", max_entries=300, max_bytes=128_000_000)


def compile_kept_ruleset(  # noqa: PLR0913 - what is loaded, how, and what is kept of it
    located: RulesetLocation,
    asked: Sequence[str],
    files: FileProvider,
    load: Callable[[FileProvider], LoadedRuleset],
    describe: Callable[[LoadedRuleset], Any],
    *,
    traced: bool,
) -> ReadResult[tuple[CompiledSource, Any]]:
    """A ruleset compiled, with what `describe` keeps of it; of files of the disk it is kept until one of them changes.

    `asked` is, with the place of the ruleset, all that `load` depends on beside files.
    """
    if located.main is None or not isinstance(files, (DiskFiles, RecordingFiles)) or has_unsaved_texts():
        loaded = load(files)
        if loaded.program is None:
            return ReadResult(None, loaded.errors)
        return ReadResult((compile_source(loaded.program, traced=traced), describe(loaded)))
    key = make_cache_key(
        fingerprint_toolchain(), files.get_identity(located.main), located.main, *located.overlays, *asked, str(traced)
    )
    kept = read_cached_values(RULESET_CACHE, key, files, _restore_compiled)
    if kept is not None:
        return ReadResult(kept)
    recorded = RecordingFiles(files)
    loaded = load(recorded)
    if loaded.program is None:
        return ReadResult(None, loaded.errors)
    written, description = compile_source(loaded.program, traced=traced), describe(loaded)
    about = recorded.answers, description, marshal.dumps(written.code_object)
    cache_values(RULESET_CACHE, key, about, (written.module, written.flow_tables))
    return ReadResult((written, description))


def _restore_compiled(description: Any, code: bytes, rest: Any) -> tuple[CompiledSource, Any]:
    module, flows = rest
    return CompiledSource(module, flows, marshal.loads(code)), description  # noqa: S302 - see decision 0028
