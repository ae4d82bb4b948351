"""The verb `fmt`: rules in canonical layout."""

import posixpath
from collections.abc import Iterator
from pathlib import Path

from rulewright.base.bounded_files import MAX_FILE_BYTES, read_text_file
from rulewright.base.diagnostics import Diagnostic, make_visible
from rulewright.base.files import MAX_WALKED_NAMES, FileProvider, walk_folders
from rulewright.cli.command_files import files_for, rulesets_or_missing, write_file
from rulewright.cli.options import flag, format_option, paths_argument, verb_command
from rulewright.cli.output import CommandStop, ExitCode, error_output, make_output, make_stop
from rulewright.syntax.format import format_text
from rulewright.syntax.parser import replace_tabs


@verb_command("fmt")
def command(
    *,
    paths: tuple[str, ...] = paths_argument,
    checking: bool = flag("--check", "only list the files that would change; exit with 1 if any"),
    form: str | None = format_option,
) -> int:
    """Lays out rules in one style, without changing what they mean.

    PATH is a file, or a folder with its .rules files. Without one, it lays out the rulesets that the `rulewright.toml`
    of this folder names.

    Comments and meaning stay: before it changes a file, it reads the new text and compares both. It does not change a
    file that it cannot read.

    Example, after `rulewright new skirmish`: `rulewright fmt --check skirmish`.
    """
    paths = rulesets_or_missing(paths)
    out = make_output(form)
    ends = [ExitCode.SUCCESS]
    changed = []
    files = files_for(*paths)
    for path in _iterate_rule_files(paths, files):
        try:
            if _format_file(path, files, checking=checking):
                changed.append(path)
        except CommandStop as stop:
            error_output(form).print_diagnostics(stop.diagnostics, stop.texts)
            ends.append(stop.exit)
    does = "would be laid out" if checking else "laid out"
    out.print_report(
        lambda: {"version": 1, "changed": changed, "written": not checking},
        (f"{make_visible(name)}: {does}" for name in changed),
    )
    if checking and changed:
        ends.append(ExitCode.FINDINGS)
    return max(ends)


def _iterate_rule_files(paths: tuple[str, ...], files: FileProvider) -> Iterator[str]:
    for name in paths:
        if files.get_file_type(name) == "folder":
            items = list(_rule_files_below(name, files))
            if not items:
                remedy = "name a folder that holds a `.rules` file, or the file itself"
                raise make_stop("RW0006", f"no file of the folder `{name}` ends in `.rules`", remedy)
            yield from items
        else:
            yield name


def _rule_files_below(folder: str, files: FileProvider) -> Iterator[str]:
    for item in walk_folders(folder, files, MAX_WALKED_NAMES):
        names = files.list_folder_names(item) if files.get_file_type(item) == "folder" else ()
        rules = (posixpath.normpath(posixpath.join(item, name)) for name in names if name.endswith(".rules"))
        yield from (place for place in rules if files.get_file_type(place) != "folder")
        if files.get_file_type(item) == "closed":
            yield item


def _format_file(path: str, files: FileProvider, *, checking: bool) -> bool:
    """Whether the layout of a file is not canonical; rewrites it unless `checking`."""
    text = read_text_file(path, files)
    if isinstance(text, Diagnostic):
        raise CommandStop([text])
    text = replace_tabs(text)
    formatted = format_text(text)
    if not isinstance(formatted, str):
        raise CommandStop(formatted, {text.name: text}, ExitCode.FINDINGS)
    if formatted.encode() == files.read_file_bytes(path, MAX_FILE_BYTES):
        return False
    if not checking:
        write_file(Path(path), formatted)
    return True
