"""From the arguments of a command line to rulesets, texts and inputs."""

from collections.abc import Sequence
from typing import TypeVar

from rulewright.analysis.moved_on import MOVED_ON
from rulewright.cli.named_files import files_for
from rulewright.cli.output import Stop, errors, stopped
from rulewright.files import Provider
from rulewright.inputs.findings import Read
from rulewright.program.declarations import Program
from rulewright.source import Text
from rulewright.workspace import Found, Loaded, load, locate, rulesets_of, unread_beside
from rulewright.workspace.kept import load_kept

_T = TypeVar("_T")


def rulesets_in(names: Sequence[str], overlays: Sequence[str], files: Provider) -> dict[str, Found]:
    """The rulesets of each place; a folder that holds several stands for all of them.

    Stops with RW0017 where overlays are given, and it is not said which of several rulesets they amend.
    """
    found = {name: rulesets_of(name, files) for name in dict.fromkeys(names)}
    for name, each in found.items():
        several = [one for one in each.names if locate(one, files).main is not None] if overlays else []
        if len(several) > 1:
            remedy = f"name one of {', '.join(f'`{one}`' for one in several)}"
            raise stopped("RW0017", f"`{name}` holds several rulesets, and an overlay amends one", remedy)
    return found


def load_ruleset(name: str, overlays: Sequence[str], files: Provider) -> Loaded:
    """What came of a ruleset with its overlays; one that stands beside the ruleset may be given by its bare name."""
    return load(locate(name, files), tuple(overlays), files)


def load_program(name: str, overlays: Sequence[str], files: Provider | None = None) -> tuple[Program, Loaded]:
    """The program of a ruleset that is to be used; without files the command line names it.

    Raises:
        Stop: it, or a file of rules beside it in the folder that was named, cannot be read; or it has errors. Warnings
            are left to `check`, but for bases that have moved on.
    """
    files = files or files_for(name, *overlays)
    loaded = load_kept(locate(name, files), tuple(overlays), files)
    if loaded.program is None:
        raise Stop(loaded.errors, loaded.texts)
    if unread := unread_beside(name, files):
        raise Stop(unread)
    errors().report([each for each in loaded.diagnostics if each.code == MOVED_ON], loaded.texts)
    return loaded.program, loaded


def value_of(found: Read[_T], *texts: Text) -> _T:
    """What a reader made of its input; stops with the errors that it found."""
    if found.value is None:
        raise Stop(found.diagnostics, {text.name: text for text in texts})
    return found.value
