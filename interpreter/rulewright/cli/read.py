"""The verb `read`: a ruleset as a chapter of a rulebook."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePath

import click

from rulewright.chapter.document import Chapter
from rulewright.chapter.sections import chapter
from rulewright.chapter.sheet import sheet
from rulewright.cli.loading import load_program
from rulewright.cli.named_files import PAGE, may_write, read_text, write
from rulewright.cli.options import allow_option, overlay_option, verb
from rulewright.cli.output import Exit, output
from rulewright.cli.reports import rendered
from rulewright.diagnostics.terminal import visible
from rulewright.outline import outline
from rulewright.program.declarations import Program
from rulewright.workspace import Loaded

_BEGINNING = "<!-- made by `rulewright read"


@verb("read")
@click.argument("ruleset")
@overlay_option
@allow_option
@click.option("--sheet", "is_sheet", is_flag=True, help="a reference sheet instead: steps, tables, modifiers, readings")
@click.option("--html", "page", metavar="FILE", help="write a page for screen and print instead")
@click.option("--write", "file", metavar="FILE", help="write the Markdown into a file")
@click.option("--check", "check", metavar="FILE", help="exit with 1 unless the file is what would be written now")
def command(  # noqa: PLR0913 - one for each option
    ruleset: str, overlays: tuple[str, ...], page: str | None, file: str | None, check: str | None, *, is_sheet: bool
) -> int:
    """Prints RULESET as a chapter of a rulebook, in Markdown: steps, tables, terms, things and readings.

    What has no sentence of its own is quoted as its author wrote it.
    """
    may_write(page, PAGE)
    may_write(file, _BEGINNING)
    program, loaded = load_program(ruleset, overlays)
    made = _Edition(program, loaded, is_sheet=is_sheet)
    if check is not None:
        return made.checked(check)
    if page is not None:
        write(Path(page), made.page())
    if file is not None:
        write(Path(file), made.markdown())
    if page is None and file is None:
        output("plain").write(made.markdown())
    return Exit.FINE


class _Edition:
    """A ruleset as it is printed: as a chapter, or as a sheet."""

    def __init__(self, program: Program, loaded: Loaded, *, is_sheet: bool) -> None:
        self._program = program
        self._loaded = loaded
        self._is_sheet = is_sheet

    def markdown(self) -> str:
        return rendered("sheet.md" if self._is_sheet else "chapter.md", self._made)

    def page(self) -> str:
        return rendered("sheet.html" if self._is_sheet else "chapter.html", self._made)

    @cached_property
    def _made(self) -> Chapter:
        program, facts = self._program, tuple(_facts(self._program, self._loaded))
        return (
            sheet(program, facts) if self._is_sheet else chapter(program, outline(program, self._loaded.texts), facts)
        )

    def checked(self, check: str) -> Exit:
        """Whether a file that was written before says what the rules say now; it says itself whether it is a sheet.

        Raises:
            Stop: it cannot be read.
        """
        found = read_text(check).content
        is_page = found.startswith(PAGE)
        self._is_sheet = self._is_sheet or found.startswith(_SHEETS)
        if found == (self.page() if is_page else self.markdown()):
            return Exit.FINE
        named = visible(check)
        again = f"{'--sheet ' if self._is_sheet else ''}{'--html' if is_page else '--write'} {named}"
        output("plain").say(f"{named} is not what the rules say now; `{again}` writes it again")
        return Exit.FOUND


_SHEETS = (f"{_BEGINNING} --sheet", f'{PAGE}\n<html lang="en" class="sheet"')
"""How a written sheet begins."""


def _facts(program: Program, loaded: Loaded) -> Iterator[tuple[str, str]]:
    yield "Revision", program.revision
    for each in loaded.linked.overlays if loaded.linked else ():
        yield "Overlay", f"{PurePath(each.span.source).name}, revision {each.revision.text}"
    for document in program.documents:
        yield "Document", f"{document.name}: {document.title}"
    yield "Fingerprint", f"`{program.fingerprint[:12]}`"
