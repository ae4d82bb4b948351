"""Rulesets, texts and inputs from the arguments of a command line."""

from collections.abc import Sequence
from typing import TypeVar

from rulewright.base.files import MAX_WALKED_NAMES, FileProvider
from rulewright.base.source import Text
from rulewright.checker.finding_codes import STALE_OVERLAY_CODE
from rulewright.cli.command_files import files_for
from rulewright.cli.output import CommandStop, error_output, make_stop
from rulewright.documents.findings import ReadResult
from rulewright.documents.ruleset_loading import LoadedRuleset, load_cached_ruleset, load_ruleset
from rulewright.documents.ruleset_location import RulesetListing, list_rulesets, locate_ruleset, unread_beside
from rulewright.program.declarations import Program

_T = TypeVar("_T")


def find_rulesets(names: Sequence[str], overlays: Sequence[str], files: FileProvider) -> dict[str, RulesetListing]:
    """Rulesets by place; a folder stands for all rulesets in it.

    Stops with RW0017 if overlays are given and a place has several rulesets.
    """
    result = {name: list_rulesets(name, files, MAX_WALKED_NAMES) for name in dict.fromkeys(names)}
    for name, found_rulesets in result.items():
        several = (
            [one for one in found_rulesets.names if locate_ruleset(one, files).main is not None] if overlays else []
        )
        if len(several) > 1:
            remedy = f"name one of {', '.join(f'`{one}`' for one in several)}"
            raise make_stop("RW0017", f"`{name}` holds several rulesets, and an overlay amends one", remedy)
    return result


def load_named_ruleset(name: str, overlays: Sequence[str], files: FileProvider) -> LoadedRuleset:
    """A ruleset with its overlays, with or without errors; an overlay beside the ruleset may be named without path."""
    return load_ruleset(locate_ruleset(name, files), tuple(overlays), files)


def load_program(
    name: str, overlays: Sequence[str], files: FileProvider | None = None
) -> tuple[Program, LoadedRuleset]:
    """The program of a ruleset without errors; `files` are by default those the command line names.

    Raises:
        CommandStop: the ruleset, or a file of rules beside it in the named folder, cannot be read; or it has errors. Of
            warnings only stale overlays are printed.
    """
    files = files or files_for(name, *overlays)
    loaded = load_cached_ruleset(locate_ruleset(name, files), tuple(overlays), files)
    if loaded.program is None:
        raise CommandStop(loaded.errors, loaded.texts)
    if unread := unread_beside(name, files):
        raise CommandStop(unread)
    error_output().print_diagnostics(
        [one for one in loaded.diagnostics if one.code == STALE_OVERLAY_CODE], loaded.texts
    )
    return loaded.program, loaded


def unwrap_or_stop(read_result: ReadResult[_T], *texts: Text) -> _T:
    """The value that a reader produced; stops with its errors."""
    if read_result.value is None:
        raise CommandStop(read_result.diagnostics, {text.name: text for text in texts})
    return read_result.value
