"""The verb `check`: what it told of files that nobody has changed since is kept, and told again."""

import dataclasses
import json
import os
from io import StringIO

import click

from rulewright.cli.named_files import Named, files_for, rulesets_or_missing, said_of
from rulewright.cli.options import allow_option, format_option, overlay_option, paths_argument, verb
from rulewright.cli.output import Exit, Output, output
from rulewright.files.providers import Listening, still_said
from rulewright.keeping import Shelf, key_of, maker

SHELF = Shelf("checks", most=300, size=16_000_000)


@verb("check")
@paths_argument
@click.option("--fix", "fixing", is_flag=True, help="apply the safe remedies, then check again")
@click.option("--diff", "showing", is_flag=True, help="show what `--fix` would change, without writing it")
@click.option("--unsafe", is_flag=True, help="with `--fix` or `--diff`: also remedies that may change the meaning")
@overlay_option
@allow_option
@format_option
def command(  # noqa: PLR0913 - one parameter for each option
    *, paths: tuple[str, ...], fixing: bool, showing: bool, unsafe: bool, overlays: tuple[str, ...], form: str | None
) -> int:
    """Finds mistakes and gaps in rules, and shows where they are and how to mend them.

    PATH is a .rules file, a shipped ruleset, or a folder. Without one, it checks the rulesets that the
    `rulewright.toml` of this folder names. Scenario files of a folder are read too, but not played: `test` does that.

    Exits with 1 if there is an error; warnings and hints do not count. With `--fix` and `--diff` it also exits with 1
    if a safe remedy is left to apply.

    Example: `rulewright check pig`.
    """
    paths = rulesets_or_missing(paths)
    _refuse(fixing=fixing, showing=showing, unsafe=unsafe)
    out = output(form)
    projects = tuple(each for each in map(said_of, paths) if each is not None)
    asked = Named(paths, overlays, files_for(*paths, *overlays), projects)
    if not (fixing or showing):
        return _kept(asked, out)
    from rulewright.cli.check_report import tell_mended  # noqa: PLC0415 - what was checked before needs none of it

    return tell_mended(asked, out, unsafe=unsafe, writing=fixing)


def _refuse(*, fixing: bool, showing: bool, unsafe: bool) -> None:
    if fixing and showing:
        raise click.UsageError("`--fix` writes and `--diff` does not; give one of them")
    if unsafe and not (fixing or showing):
        raise click.UsageError("`--unsafe` does nothing without `--fix` or `--diff`")


def _kept(asked: Named, out: Output) -> int:
    """Tells of some paths what `check` told of them before, as long as no file says anything else; else checks them."""
    files = asked.files
    readable = (files.identity("."), sorted(files.named), files.folders, files.lent, files.weights)
    said = sorted((each.folder, sorted(each.published.items())) for each in asked.projects)
    parts = (asked.paths, asked.overlays, *readable, said, out.form, out.paint, out.width)
    key = key_of(maker(), repr(parts))
    found = SHELF.kept(key) if _is_lasting(asked) else None
    said, text, ended = json.loads(found) if found else ([], "", 0)
    before = {tuple(question): tuple(answer) if isinstance(answer, list) else answer for question, answer in said}
    if not found or not still_said(before, files):
        text, ended = _made(key, asked, out)
    out.write(text)
    return int(ended)


def _made(key: str, asked: Named, out: Output) -> tuple[str, int]:
    from rulewright.cli.check_report import tell  # noqa: PLC0415 - seldom needed, and it takes long to load

    listening, told = Listening(asked.files), StringIO()
    ended = tell(asked, listening, dataclasses.replace(out, stream=told))
    if ended in {Exit.FINE, Exit.FOUND} and _is_lasting(asked):
        SHELF.keep(key, json.dumps((list(listening.said.items()), told.getvalue(), ended)).encode())
    return told.getvalue(), ended


def _is_lasting(asked: Named) -> bool:
    """Whether none of the places is a pipe or device, which says something else each time, or only once."""
    places = (*asked.paths, *asked.overlays)
    return not any(os.path.exists(each) and not (os.path.isfile(each) or os.path.isdir(each)) for each in places)  # noqa: PTH110, PTH112, PTH113
