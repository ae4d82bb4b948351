"""The verb `fmt`."""

import posixpath
from collections.abc import Iterator
from pathlib import Path

import click

from rulewright.cli.named_files import files_for, rulesets_or_missing, write
from rulewright.cli.options import format_option, paths_argument, verb
from rulewright.cli.output import Exit, Output, Stop, errors, output, stopped
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import visible
from rulewright.files import Provider, read
from rulewright.files.project import LARGEST
from rulewright.files.providers import folders_below
from rulewright.syntax.characters import without_tabs
from rulewright.syntax.format import laid_out


@verb("fmt")
@paths_argument
@click.option("--check", "checking", is_flag=True, help="only list the files that would change; exit with 1 if any")
@format_option
def command(paths: tuple[str, ...], form: str | None, *, checking: bool) -> int:
    """Lays out rules in one style, without changing what they mean.

    PATH is a file, or a folder with its .rules files. Without one, it lays out the rulesets that the `rulewright.toml`
    of this folder names.

    Comments and meaning stay: before it changes a file, it reads the new text and compares both. It does not change a
    file that it cannot read.

    Example, after `rulewright new skirmish`: `rulewright fmt --check skirmish`.
    """
    paths = rulesets_or_missing(paths)
    out = output(form)
    ends = [Exit.FINE]
    changed = []
    files = files_for(*paths)
    for path in _files(paths, files):
        try:
            if _lay_out(path, files, checking=checking):
                changed.append(path)
        except Stop as stop:
            errors(form).report(stop.diagnostics, stop.texts)
            ends.append(stop.exit)
    _tell(changed, out, checking=checking)
    if checking and changed:
        ends.append(Exit.FOUND)
    return max(ends)


def _files(paths: tuple[str, ...], files: Provider) -> Iterator[str]:
    for name in paths:
        if files.sort(name) == "folder":
            found = list(_below(name, files))
            if not found:
                remedy = "name a folder that holds a `.rules` file, or the file itself"
                raise stopped("RW0006", f"no file of the folder `{name}` ends in `.rules`", remedy)
            yield from found
        else:
            yield name


def _below(folder: str, files: Provider) -> Iterator[str]:
    """Every file of rules in a folder and below, in order, and the folders that cannot be looked into."""
    for each in folders_below(folder, files):
        names = files.files(each) if files.sort(each) == "folder" else ()
        rules = (posixpath.normpath(posixpath.join(each, name)) for name in names if name.endswith(".rules"))
        yield from (place for place in rules if files.sort(place) != "folder")
        if files.sort(each) == "closed":
            yield each


def _lay_out(path: str, files: Provider, *, checking: bool) -> bool:
    """Whether the file is not laid out yet; writes it unless only checking."""
    text = read(path, files)
    if isinstance(text, Diagnostic):
        raise Stop([text])
    text = without_tabs(text)
    made = laid_out(text)
    if not isinstance(made, str):
        raise Stop(made, {text.name: text}, Exit.FOUND)
    if made.encode() == files.read(path, LARGEST):
        return False
    if not checking:
        write(Path(path), made)
    return True


def _tell(changed: list[str], out: Output, *, checking: bool) -> None:
    if out.form == "json":
        out.data({"version": 1, "changed": changed, "written": not checking})
        return
    out.tell(f"{visible(name)}: {'would be laid out' if checking else 'laid out'}" for name in changed)
