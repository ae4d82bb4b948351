"""From the arguments of a command line to rulesets, texts and inputs."""

from collections.abc import Sequence
from typing import TypeVar

from rulewright.base.files import FileProvider
from rulewright.base.source import Text
from rulewright.checker.checker import STALE_OVERLAY_CODE
from rulewright.cli.command_files import files_for
from rulewright.cli.output import CommandStop, error_output, make_stop
from rulewright.documents.findings import ReadResult
from rulewright.documents.workspace import (
    FoundRulesets,
    LoadedRuleset,
    list_rulesets,
    load_ruleset,
    locate_ruleset,
    unread_beside,
)
from rulewright.documents.workspace.ruleset_loading import load_cached_ruleset
from rulewright.program.declarations import Program

_T = TypeVar("_T")


def find_rulesets(names: Sequence[str], overlays: Sequence[str], files: FileProvider) -> dict[str, FoundRulesets]:
    """The rulesets of each place; a folder that holds several stands for all of them.

    Stops with RW0017 where overlays are given, and it is not said which of several rulesets they amend.
    """
    result = {name: list_rulesets(name, files) for name in dict.fromkeys(names)}
    for name, found_rulesets in result.items():
        several = (
            [one for one in found_rulesets.names if locate_ruleset(one, files).main is not None] if overlays else []
        )
        if len(several) > 1:
            remedy = f"name one of {', '.join(f'`{one}`' for one in several)}"
            raise make_stop("RW0017", f"`{name}` holds several rulesets, and an overlay amends one", remedy)
    return result


def load_named_ruleset(name: str, overlays: Sequence[str], files: FileProvider) -> LoadedRuleset:
    """What came of a ruleset with its overlays; one that stands beside the ruleset may be given by its bare name."""
    return load_ruleset(locate_ruleset(name, files), tuple(overlays), files)


def load_program(
    name: str, overlays: Sequence[str], files: FileProvider | None = None
) -> tuple[Program, LoadedRuleset]:
    """The program of a ruleset that is to be used; without files the command line names it.

    Raises:
        Stop: it, or a file of rules beside it in the folder that was named, cannot be read; or it has errors. Warnings
            are left to `check`, but for bases that have moved on.
    """
    files = files or files_for(name, *overlays)
    loaded = load_cached_ruleset(locate_ruleset(name, files), tuple(overlays), files)
    if loaded.program is None:
        raise CommandStop(loaded.errors, loaded.texts)
    if unread := unread_beside(name, files):
        raise CommandStop(unread)
    error_output().print_diagnostics(
        [diagnostic for diagnostic in loaded.diagnostics if diagnostic.code == STALE_OVERLAY_CODE], loaded.texts
    )
    return loaded.program, loaded


def unwrap_or_stop(found: ReadResult[_T], *texts: Text) -> _T:
    """What a reader made of its input; stops with the errors that it found."""
    if found.value is None:
        raise CommandStop(found.diagnostics, {text.name: text for text in texts})
    return found.value
