"""The verb `new`: a small ruleset, or a copy of a starter or shipped ruleset."""

import os
import re
from pathlib import Path
from typing import Any

import click

from rulewright.base.diagnostics import make_visible
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.base.files import describe_write_error
from rulewright.base.folder_writing import write_folder
from rulewright.cli.options import argument, flag, format_option, option, verb_command
from rulewright.cli.output import ExitCode, make_output, make_stop
from rulewright.documents.ruleset_copies import CopySource, RulesetCopy, list_copy_sources, make_seedling_files

_RULESET_NAME_PATTERN = re.compile(r"[a-z][a-z0-9_-]*")


class _OptionalNameArgument(click.Argument):
    """Name argument that is required only if something is to be made."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:  # as click has it
        return "" if ctx.params.get("listed") else super().process_value(ctx, value)


@verb_command("new")
def command(
    *,
    name: str = argument(make=_OptionalNameArgument),
    source: str | None = option(
        "--from", "STARTER|RULESET", "copy a starter or a shipped ruleset, with its scenarios and examples"
    ),
    listed: bool = flag("--list", "list what --from can copy", is_eager=True),
    form: str | None = format_option,
) -> int:
    """Makes a folder NAME with a small ruleset, its scenarios and a README, to start from.

    With --from it copies a starter, such as combat on a map of hexes, or a shipped ruleset, under the new name. You can
    test, play and change the copy at once.

    Example: `rulewright new skirmish`.
    """
    if listed:
        sources = [(one.folder.name, one.sort, one.title, one.description) for one in list_copy_sources()]
        width, keys = max(len(name) for name, *_ in sources), ("name", "sort", "title", "about")
        documents = [dict(zip(keys, source, strict=True)) for source in sources]
        lines = [f"{name:<{width}}  {title}" for name, _, title, _ in sources]
        then = "next: rulewright new NAME --from one of these"
        make_output(form).print_report(lambda: {"version": 1, "sources": documents}, [*lines, then])
        return ExitCode.SUCCESS
    folder = Path(name)
    if name and os.path.lexists(folder):
        raise make_stop("RW0787", f"`{name}` is already there", "take another name")
    if not _RULESET_NAME_PATTERN.fullmatch(folder.name):
        near = re.sub(r"[^a-z0-9_]+", "-", folder.name.lower()).strip("-")
        begins = f"did you mean `{near}`? A name begins" if _RULESET_NAME_PATTERN.fullmatch(near) else "begin"
        remedy = f"{begins} with a small letter; then small letters, digits, `_` and `-`"
        raise make_stop("RW0786", f"`{folder.name}` is not a name for a ruleset", remedy)
    try:
        copy = None if source is None else RulesetCopy(_choose_copy_source(source), folder)
        files = make_seedling_files(folder) if copy is None else copy.make_copied_files()
    except FileExistsError as other:
        message = f"`{other}` is already one of the files of `{source}`"
        raise make_stop("RW0787", message, "take another name") from None
    try:
        write_folder(folder, {name: content.encode() for name, content in files.items()})
    except OSError as error:
        raise make_stop("RW0011", f"`{folder}` cannot be written: {describe_write_error(error)}") from None
    written = [str(folder / file) for file in files]
    make_output(form).print_report(
        lambda: {"version": 1, "folder": str(folder), "files": written},
        [*(f"wrote {make_visible(file)}" for file in written), f"next: rulewright test {make_visible(str(folder))}"],
    )
    return ExitCode.SUCCESS


def _choose_copy_source(source: str) -> CopySource:
    """The named source; raises RW0580 if there is none."""
    sources = {one.folder.name: one for one in list_copy_sources()}
    if source not in sources:
        close = find_nearest_name(source, sources)
        remedy = suggest_name(close, f"there are {', '.join(f'`{item}`' for item in sources)}")
        remedy = "it is a folder of yours; copy it as any folder" if os.path.isdir(source) else remedy  # noqa: PTH112 - a path may be impossible
        raise make_stop("RW0580", f"`{source}` is neither a starter nor a shipped ruleset", remedy)
    return sources[source]
