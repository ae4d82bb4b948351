"""The verb `read`: a ruleset as a chapter of a rulebook."""

from collections.abc import Iterator
from pathlib import Path, PurePath

import click

from rulewright.chapter.document import Chapter
from rulewright.chapter.sections import chapter
from rulewright.cli.loading import load_program
from rulewright.cli.named_files import PAGE, may_write, read_text, write
from rulewright.cli.options import allow_option, overlay_option, verb
from rulewright.cli.output import Exit, output
from rulewright.cli.reports import rendered
from rulewright.diagnostics.terminal import visible
from rulewright.outline import outline
from rulewright.program.declarations import Program
from rulewright.workspace import Loaded

_BEGINNING = "<!-- made by `rulewright read` -->"


@verb("read")
@click.argument("ruleset")
@overlay_option
@allow_option
@click.option("--html", "page", metavar="FILE", help="write a page for screen and print instead")
@click.option("--write", "file", metavar="FILE", help="write the Markdown into a file")
@click.option("--check", "check", metavar="FILE", help="exit with 1 unless the file is what would be written now")
def command(ruleset: str, overlays: tuple[str, ...], page: str | None, file: str | None, check: str | None) -> int:
    """Prints RULESET as a chapter of a rulebook, in Markdown: steps, tables, terms, things and readings.

    What has no sentence of its own is quoted as its author wrote it.
    """
    may_write(page, PAGE)
    may_write(file, _BEGINNING)
    program, loaded = load_program(ruleset, overlays)
    made = chapter(program, outline(program, loaded.texts), tuple(_facts(program, loaded)))
    if check is not None:
        return _checked(made, check)
    if page is not None:
        write(Path(page), _page(made))
    if file is not None:
        write(Path(file), _markdown(made))
    if page is None and file is None:
        output("plain").write(_markdown(made))
    return Exit.FINE


def _markdown(made: Chapter) -> str:
    return rendered("chapter.md", made)


def _page(made: Chapter) -> str:
    return rendered("chapter.html", made)


def _checked(made: Chapter, check: str) -> Exit:
    """Whether a file that was written before says what the rules say now.

    Raises:
        Stop: it cannot be read.
    """
    found = read_text(check).content
    is_page = found.startswith(PAGE)
    if found == (_page(made) if is_page else _markdown(made)):
        return Exit.FINE
    named = visible(check)
    again = f"`--{'html' if is_page else 'write'} {named}` writes it again"
    output("plain").say(f"{named} is not what the rules say now; {again}")
    return Exit.FOUND


def _facts(program: Program, loaded: Loaded) -> Iterator[tuple[str, str]]:
    yield "Revision", program.revision
    for each in loaded.linked.overlays if loaded.linked else ():
        yield "Overlay", f"{PurePath(each.span.source).name}, revision {each.revision.text}"
    for document in program.documents:
        yield "Document", f"{document.name}: {document.title}"
    yield "Fingerprint", f"`{program.fingerprint[:12]}`"
