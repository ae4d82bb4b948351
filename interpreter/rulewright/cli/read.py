"""The verb `read`: a ruleset as a chapter of a rulebook; and the source lines of chapters, for other programs."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import click

from rulewright.base.diagnostics import make_visible
from rulewright.base.frozen import dataclass
from rulewright.cli.chapter_prose import add_prose_file
from rulewright.cli.command_files import HTML_PREFIX, read_text, require_overwritable, write_file
from rulewright.cli.draw import PLACES_FORMAT_VERSION, LineLocator, make_board_examples, make_play_examples
from rulewright.cli.options import allow_option, argument, flag, option, overlay_option, several, verb_command
from rulewright.cli.output import ExitCode, make_output
from rulewright.cli.reports import render_template
from rulewright.cli.ruleset_loading import load_program
from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.program.declarations import Program
from rulewright.wording.chapter_builder import make_chapter, make_reference_sheet
from rulewright.wording.chapter_document import (
    Chapter,
    PlacedPart,
    add_play_examples,
    assign_line_anchors,
    mark_revisions,
)
from rulewright.wording.chosen_readings import ChosenReadings, fold_chosen_readings
from rulewright.wording.english import speak_name
from rulewright.wording.phrases import PhraseGenerator

_MARKDOWN_PREFIX = "<!-- made by `rulewright read"
_NO_EXAMPLES_IN_SHEET = "`--state`, `--example` and `--prose` add to a chapter, and a sheet has none of it"
_NO_OVERLAY_TO_MARK = "`--mark` shows what overlays change; give them with `--overlay FILE`"
_MADE_BY_PATTERN = re.compile(rf'{_MARKDOWN_PREFIX}([ a-z-]*)` -->|{HTML_PREFIX}\n<html lang="en" class="([a-z ]*)">')
"""First line of files that this verb writes, with its options."""


@verb_command("read")
def command(  # noqa: PLR0913 - one for each option
    *,
    ruleset: str = argument(),
    overlays: tuple[str, ...] = overlay_option,
    _allow: Any = allow_option,
    is_sheet: bool = flag("--sheet", "make a reference sheet instead: steps, tables, modifiers, readings"),
    is_marked: bool = flag("--mark", "mark what overlays insert, replace and remove"),
    state: str | None = option("--state", "FILE", "show the board of this state at the end of the chapter"),
    examples: tuple[str, ...] = several(
        "--example",
        "FILE::NAME",
        "tell this scenario as an example of play, after the procedure that it plays; repeatable",
    ),
    prose: str | None = option(
        "--prose", "FILE.md", "print this Markdown between the rules, each part of it below the heading that it names"
    ),
    page: str | None = option("--html", "FILE", "write a web page, for screen and print"),
    file: str | None = option("--write", "FILE", "write the Markdown to a file"),
    check: str | None = option("--check", "FILE", "exit with 1 if the file is out of date"),
    is_placed: bool = flag("--places", "print as JSON the lines behind each part of the page"),
) -> int:
    """Prints RULESET as a chapter of a rulebook, in Markdown: steps, tables, terms, things and readings.

    The page follows the readings chosen in the rules; its part "Readings" lists
    the others, and what each decides about. Where it has no sentence for a line
    of the rules, it quotes the line.

    Example: `rulewright read pig`.
    """
    require_overwritable(page, HTML_PREFIX)
    require_overwritable(file, _MARKDOWN_PREFIX)
    if (state is not None or examples or prose is not None) and is_sheet:
        raise click.UsageError(_NO_EXAMPLES_IN_SHEET)
    edition = _Edition(ruleset, overlays, is_sheet, is_marked, state, examples, prose)
    if check is not None:
        return _check_written_file(edition, check)
    chapter = edition.make_edition()
    places: tuple[PlacedPart, ...] = ()
    if is_placed:
        chapter, places = assign_line_anchors(chapter)
    if page is not None:
        write_file(Path(page), edition.render_page(chapter))
    if file is not None:
        write_file(Path(file), edition.render_markdown(chapter))
    if is_placed:
        lines = LineLocator()
        located = [{"anchor": place.anchor, **lines.locate_span(place.span)} for place in places]
        make_output("json").print_json({"version": PLACES_FORMAT_VERSION, "title": chapter.title, "places": located})
    elif page is None and file is None:
        make_output("plain").print_text(edition.render_markdown(chapter))
    return ExitCode.SUCCESS


@dataclass(frozen=True, slots=True)
class _Edition:
    ruleset: str
    overlays: tuple[str, ...]
    is_sheet: bool
    is_marked: bool
    state: str | None
    examples: tuple[str, ...]
    prose: str | None

    def make_edition(self) -> Chapter:
        chapter = self._make_marked_or_plain()
        if self.examples:
            plays = make_play_examples(self.examples, self.ruleset)
            anchors = {section.anchor for part in chapter.sections for section in part.sections}
            for written, play in zip(self.examples, plays, strict=True):
                if play.anchor not in anchors:
                    where = "plays a procedure that this chapter does not have"
                    raise click.UsageError(f"`{make_visible(written)}` {where}")
            chapter = add_play_examples(chapter, plays)
        if self.prose is not None:
            chapter = add_prose_file(chapter, self.prose)
        if self.state is None:
            return chapter
        return replace(chapter, examples=make_board_examples(self.ruleset, self.state, self.overlays))

    def _make_marked_or_plain(self) -> Chapter:
        if self.is_marked and not self.overlays:
            raise click.UsageError(_NO_OVERLAY_TO_MARK)
        if not self.is_marked:
            return self._make_plain(self.overlays)
        return mark_revisions(self._make_plain(()), self._make_plain(self.overlays))

    def _make_plain(self, overlays: tuple[str, ...]) -> Chapter:
        program, loaded = load_program(self.ruleset, overlays)
        facts = tuple(list_edition_facts(program, loaded))
        chosen = ChosenReadings(program, {}) if self.is_marked else fold_chosen_readings(program)
        if self.is_sheet:
            return make_reference_sheet(chosen.program, facts)
        return make_chapter(chosen.program, loaded.texts, (*facts, *list_reading_facts(program)), chosen.settled)

    def render_markdown(self, chapter: Chapter) -> str:
        return render_template("sheet.md" if self.is_sheet else "chapter.md", chapter)

    def render_page(self, chapter: Chapter) -> str:
        return render_template("sheet.html" if self.is_sheet else "chapter.html", chapter)


def _check_written_file(edition: _Edition, check: str) -> ExitCode:
    """Exit code of `--check`: whether a written file is up to date; its first line has its options."""
    text = read_text(check).content
    is_page = text.startswith(HTML_PREFIX)
    made_by = _MADE_BY_PATTERN.match(text)
    options = made_by[1] or made_by[2] or "" if made_by else ""
    is_sheet, is_marked = edition.is_sheet or "sheet" in options, edition.is_marked or "mark" in options
    again = replace(edition, is_sheet=is_sheet, is_marked=is_marked)
    chapter = again.make_edition()
    if text == (again.render_page(chapter) if is_page else again.render_markdown(chapter)):
        return ExitCode.SUCCESS
    named = make_visible(check)
    shown = "".join(
        f"--{name} {shlex.quote(make_visible(file))} "
        for name, file in (("state", edition.state), ("prose", edition.prose))
        if file is not None
    )
    shown += "".join(f"--example {shlex.quote(make_visible(example))} " for example in edition.examples)
    options = f"{shown}{'--sheet ' * is_sheet}{'--mark ' * is_marked}{'--html' if is_page else '--write'} {named}"
    make_output("plain").print_line(f"{named} is not what the rules say now; `{options}` writes it again")
    return ExitCode.FINDINGS


def list_edition_facts(program: Program, loaded: LoadedRuleset) -> Iterator[tuple[str, str]]:
    """What a chapter says of itself: revision, overlays, documents, fingerprint."""
    yield "Revision", program.revision
    for overlay in loaded.linked.overlays if loaded.linked else ():
        yield "Overlay", f"{PurePath(overlay.span.source).name}, revision {overlay.revision.text}"
    for document in program.documents:
        yield "Document", f"{document.name}: {document.title}"
    yield "Fingerprint", f"`{program.fingerprint[:12]}`"


def list_reading_facts(program: Program) -> Iterator[tuple[str, str]]:
    """The readings and rulings that a chapter is written under."""
    phrases = PhraseGenerator(program)
    for setting in program.settings.values():
        yield "Reading", f"{setting.title or speak_name(setting.name)}: {phrases.noun_phrase(setting.value)}"
    if program.rulings:
        yield "Rulings", ", ".join(sorted(ruling.id for ruling in program.rulings))
