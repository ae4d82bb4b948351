"""Prose of a chapter: a Markdown file whose headings name the parts that its paragraphs and pictures belong to.

The file is CommonMark with tables. A heading of the first level is the title of a part, or its sort and name as in
`procedure melee`; what stands before the first belongs to the beginning. Markup is printed as the text that it is.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from rulewright.base.bounded_files import (
    MAX_FILE_BYTES,
    SpecialFileError,
    is_below_folder,
    read_regular_file,
    resolve_links,
)
from rulewright.base.diagnostics import Diagnostic, Label, Severity, make_visible
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.base.frozen import dataclass
from rulewright.base.source import Position, Span, Text
from rulewright.cli.command_files import read_text
from rulewright.cli.output import CommandStop
from rulewright.documents.findings import list_alternatives
from rulewright.wording.chapter_document import Chapter, ChapterSection, Prose, add_prose, make_data_url, walk_sections

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_PICTURE_TYPES = {
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}
_PICTURE_REMEDY = "name a GIF, JPEG, PNG, SVG or WebP file that lies beside this one or in a folder below it"
_LESSER_HEADING = re.compile(r" {0,3}(##+)")
_HEADING_LEVELS = {"h1": 5, "h2": 5}
"""Levels at which headings of the prose are printed, below those of the chapter; all others at the sixth."""


class _PictureError(Exception):
    """A picture that cannot be printed; its text says why."""


@dataclass(frozen=True, slots=True)
class _ProsePart:
    heading: str  # empty before the first one
    span: Span  # of the heading
    prose: Prose


def add_prose_file(chapter: Chapter, place: str) -> Chapter:
    """A chapter with the prose of a Markdown file.

    Raises:
        CommandStop: the file or one of its pictures cannot be read; RW1225, a heading names no part or several.
    """
    text = read_text(place)
    findings: list[Diagnostic] = []
    introduction: Prose | None = None
    by_anchor: dict[str, Prose] = {}
    sections = _index_sections(chapter)
    for part in _split_parts(text, findings):
        named = sections.get(part.heading.casefold(), ())
        if not part.heading:
            introduction = part.prose
        elif len(named) != 1:
            findings.append(_make_heading_error(part, named, sections))
        elif named[0].anchor in by_anchor:
            findings.append(_make_error(part.span, "this part has its prose further up", "put both under one heading"))
        else:
            by_anchor[named[0].anchor] = part.prose
    if findings:
        raise CommandStop(findings, {text.name: text})
    return add_prose(chapter, introduction, by_anchor)


def _index_sections(chapter: Chapter) -> dict[str, list[ChapterSection]]:
    """Sections by what a heading may call them, in lower case: their titles, and their sorts with their names."""
    known: dict[str, list[ChapterSection]] = defaultdict(list)
    for section in walk_sections(chapter.sections):
        if section.anchor:
            titles = (section.heading, f"{section.number} {section.heading}".strip(), _name_section(section))
            for title in dict.fromkeys(each.casefold() for each in titles):
                known[title].append(section)
    return known


def _name_section(section: ChapterSection) -> str:
    return section.anchor.replace("-", " ")


def _make_heading_error(
    part: _ProsePart, named: Sequence[ChapterSection], known: dict[str, list[ChapterSection]]
) -> Diagnostic:
    if named:
        names = list_alternatives([_name_section(section) for section in named])
        return _make_error(part.span, f"{len(named)} parts of the chapter have this title", f"write {names}")
    nearest = find_nearest_name(part.heading.casefold(), known)
    written = known[nearest][0].heading if nearest and known[nearest][0].heading.casefold() == nearest else nearest
    remedy = suggest_name(written, "write a heading that `read` prints, or begin the line with `##`")
    return _make_error(part.span, "no part of the chapter has this title", remedy)


def _make_error(span: Span, message: str, remedy: str) -> Diagnostic:
    return Diagnostic("RW1225", Severity.ERROR, message, Label(span), help=remedy)


def _split_parts(text: Text, findings: list[Diagnostic]) -> Iterator[_ProsePart]:
    tokens = _get_parser().parse(text.content)
    lines = text.content.split("\n")
    heads = [
        (token.map or [0, 0], tokens[at + 1].content.replace("`", "").strip())
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == "h1" and token.level == 0
    ]
    starts = [([0, 0], ""), *heads]
    ends = [place[0] for place, _ in heads]
    for ((first, begin), heading), end in zip(starts, [*ends, len(lines)], strict=True):
        markdown = "\n".join(line.rstrip("\r") for line in lines[begin:end]).strip("\n")
        if markdown.strip():
            at = text.get_offset(Position(first + 1, 1))
            pictures = dict(_read_pictures(text, tokens, range(begin, end), findings))
            yield _ProsePart(heading, Span(text.name, at, at + len(lines[first])), Prose(markdown, pictures))


def _read_pictures(
    text: Text, tokens: "Sequence[Token]", lines: range, findings: list[Diagnostic]
) -> Iterator[tuple[str, str]]:
    """Data URLs of the pictures of some lines, by the places that the text names."""
    for block in tokens:
        if block.map is None or block.map[0] not in lines:
            continue
        at = text.get_offset(Position(block.map[0] + 1, 1))
        for token in block.children or ():
            if token.type == "image":
                at = text.content.find("![", at)
                source = str(token.attrs["src"])
                try:
                    yield source, _read_picture(source, text.name)
                except _PictureError as error:
                    label = Label(Span(text.name, at, at + len(text.content[at:].partition("\n")[0])))
                    findings.append(Diagnostic("RW1226", Severity.ERROR, str(error), label, help=_PICTURE_REMEDY))
                at += 1


def _read_picture(source: str, prose: str) -> str:
    """A picture as a data URL.

    Raises:
        _PictureError: it cannot be printed, and why.
    """
    address = urlsplit(source)
    place = unquote(address.path)
    folder = Path(prose).parent
    named = f"`{make_visible(unquote(source))}`"
    sort = _PICTURE_TYPES.get(PurePosixPath(place).suffix.lower())
    if address.scheme or address.netloc:
        raise _PictureError(f"{named} is not on this disk, and a chapter needs nothing from elsewhere")
    if sort is None:
        raise _PictureError(f"{named} is not a picture that a page can show")
    real = resolve_links(str(folder / place))
    if not is_below_folder(real, resolve_links(str(folder))):
        raise _PictureError(f"{named} leads out of the folder of this file")
    try:
        content = read_regular_file(real, MAX_FILE_BYTES + 1)
    except (OSError, SpecialFileError, ValueError):
        raise _PictureError(f"there is no picture {named}") from None
    if len(content) > MAX_FILE_BYTES:
        raise _PictureError(f"{named} is larger than {MAX_FILE_BYTES:,} bytes")
    return make_data_url(sort, content)


@cache
def _get_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - wanted with prose only

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def format_prose_html(prose: Prose) -> str:
    """Prose as HTML in which nothing of the text is markup, with its pictures in it."""
    parser = _get_parser()
    tokens = parser.parse(prose.markdown)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{_HEADING_LEVELS.get(token.tag, 6)}"
        for inner in token.children or ():
            if inner.type == "image":
                inner.attrs["src"] = prose.pictures.get(str(inner.attrs["src"]), "")
    return f'<div class="prose">\n{parser.renderer.render(tokens, parser.options, {})}</div>'


def format_prose_markdown(prose: Prose) -> str:
    """Prose as Markdown, its headings below those of a chapter."""
    lines = prose.markdown.split("\n")
    for token in _get_parser().parse(prose.markdown):
        if token.type == "heading_open" and token.map and (sign := _LESSER_HEADING.match(lines[token.map[0]])):
            level = _HEADING_LEVELS.get(token.tag, 6)
            lines[token.map[0]] = "#" * level + lines[token.map[0]][sign.end() :]
    return "\n".join(make_visible(line) for line in lines)
