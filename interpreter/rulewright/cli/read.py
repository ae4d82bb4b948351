"""The verb `read`: a ruleset as a chapter of a rulebook."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath

import click

from rulewright.chapter.document import Chapter, Placed, placed
from rulewright.chapter.marking import marked
from rulewright.chapter.phrases import Phrases
from rulewright.chapter.sheet import sheet
from rulewright.chapter.whole import chapter
from rulewright.cli.draw_board import examples
from rulewright.cli.loading import load_program
from rulewright.cli.named_files import PAGE, may_write, read_text, write
from rulewright.cli.options import allow_option, overlay_option, verb
from rulewright.cli.output import Exit, output
from rulewright.cli.placed import placed_chapter
from rulewright.cli.reports import rendered
from rulewright.diagnostics.terminal import visible
from rulewright.frozen import dataclass
from rulewright.outline import outline
from rulewright.program.declarations import Program
from rulewright.telling.conditions import spoken
from rulewright.workspace import Loaded

_BEGINNING = "<!-- made by `rulewright read"
_NO_BOARD = "`--state` shows a board in a chapter, and a sheet has none"
_NO_OVERLAY = "`--mark` shows what overlays change; give them with `--overlay FILE`"
_MADE_BY = re.compile(rf'{_BEGINNING}([ a-z-]*)` -->|{PAGE}\n<html lang="en" class="([a-z ]*)">')
"""How what this verb writes begins, with its options."""


@verb("read")
@click.argument("ruleset")
@overlay_option
@allow_option
@click.option(
    "--sheet", "is_sheet", is_flag=True, help="make a reference sheet instead: steps, tables, modifiers, readings"
)
@click.option("--mark", "is_marked", is_flag=True, help="mark what overlays insert, replace and remove")
@click.option("--state", metavar="FILE", help="show the board of this state at the end of the chapter")
@click.option("--html", "page", metavar="FILE", help="write a web page, for screen and print")
@click.option("--write", "file", metavar="FILE", help="write the Markdown to a file")
@click.option("--check", metavar="FILE", help="exit with 1 if the file is out of date")
@click.option("--places", "is_placed", is_flag=True, help="print as JSON the lines behind each part of the page")
def command(  # noqa: PLR0913 - one for each option
    ruleset: str,
    overlays: tuple[str, ...],
    page: str | None,
    file: str | None,
    check: str | None,
    *,
    state: str | None,
    is_sheet: bool,
    is_marked: bool,
    is_placed: bool,
) -> int:
    """Prints RULESET as a chapter of a rulebook, in Markdown: steps, tables, terms, things and readings.

    Where it has no sentence for a line of the rules, it quotes the line.

    Example: `rulewright read pig`.
    """
    may_write(page, PAGE)
    may_write(file, _BEGINNING)
    if state is not None and is_sheet:
        raise click.UsageError(_NO_BOARD)
    edition = _Edition(ruleset, overlays, is_sheet, is_marked, state)
    if check is not None:
        return _checked(edition, check)
    made = edition.made()
    places: tuple[Placed, ...] = ()
    if is_placed:
        made, places = placed(made)
    if page is not None:
        write(Path(page), edition.page(made))
    if file is not None:
        write(Path(file), edition.markdown(made))
    if is_placed:
        output("json").data(placed_chapter(made.title, places))
    elif page is None and file is None:
        output("plain").write(edition.markdown(made))
    return Exit.FINE


@dataclass(frozen=True, slots=True)
class _Edition:
    ruleset: str
    overlays: tuple[str, ...]
    is_sheet: bool
    is_marked: bool
    state: str | None

    def made(self) -> Chapter:
        """The edition."""
        made = self._made()
        if self.state is None:
            return made
        return replace(made, examples=examples(self.ruleset, self.state, self.overlays))

    def _made(self) -> Chapter:
        if not self.is_marked:
            return self._printed(self.overlays)
        if not self.overlays:
            raise click.UsageError(_NO_OVERLAY)
        return marked(self._printed(()), self._printed(self.overlays))

    def _printed(self, overlays: tuple[str, ...]) -> Chapter:
        program, loaded = load_program(self.ruleset, overlays)
        facts = tuple(_facts(program, loaded))
        if self.is_sheet:
            return sheet(program, facts)
        return chapter(program, outline(program, loaded.texts), (*facts, *_readings(program)))

    def markdown(self, made: Chapter) -> str:
        return rendered("sheet.md" if self.is_sheet else "chapter.md", made)

    def page(self, made: Chapter) -> str:
        return rendered("sheet.html" if self.is_sheet else "chapter.html", made)


def _checked(edition: _Edition, check: str) -> Exit:
    """Whether a file that was written before says what the rules say now; it tells its options itself."""
    found = read_text(check).content
    is_page = found.startswith(PAGE)
    made_by = _MADE_BY.match(found)
    options = made_by[1] or made_by[2] or "" if made_by else ""
    is_sheet, is_marked = edition.is_sheet or "sheet" in options, edition.is_marked or "mark" in options
    again = replace(edition, is_sheet=is_sheet, is_marked=is_marked)
    made = again.made()
    if found == (again.page(made) if is_page else again.markdown(made)):
        return Exit.FINE
    named = visible(check)
    shown = "" if edition.state is None else f"--state {visible(edition.state)} "
    options = f"{shown}{'--sheet ' * is_sheet}{'--mark ' * is_marked}{'--html' if is_page else '--write'} {named}"
    output("plain").say(f"{named} is not what the rules say now; `{options}` writes it again")
    return Exit.FOUND


def _facts(program: Program, loaded: Loaded) -> Iterator[tuple[str, str]]:
    yield "Revision", program.revision
    for each in loaded.linked.overlays if loaded.linked else ():
        yield "Overlay", f"{PurePath(each.span.source).name}, revision {each.revision.text}"
    for document in program.documents:
        yield "Document", f"{document.name}: {document.title}"
    yield "Fingerprint", f"`{program.fingerprint[:12]}`"


def _readings(program: Program) -> Iterator[tuple[str, str]]:
    """Settings as they are chosen, and the numbers of readings chosen once."""
    phrases = Phrases(program)
    for each in program.settings.values():
        yield "Reading", f"{each.title or spoken(each.name)}: {phrases.noun(each.value)}"
    if program.rulings:
        yield "Rulings", ", ".join(sorted(each.id for each in program.rulings))
