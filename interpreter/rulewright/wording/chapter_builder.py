"""The chapter of a ruleset, and its reference sheet: order of parts, glossary, cross references."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rulewright.base.source import Text
from rulewright.program import declarations as d
from rulewright.program.declarations import Program
from rulewright.program.outline.outline_builder import build_outline, find_ruled_declarations
from rulewright.wording.chapter_document import (
    GUARD_LIST_HEADING,
    Chapter,
    ChapterSection,
    CrossReference,
    Footnote,
    Paragraph,
    number_footnotes,
)
from rulewright.wording.chapter_sections import SectionBuilder, describe_readings
from rulewright.wording.english import add_colon, first_lower, first_upper, join_words, negate_title, speak_name
from rulewright.wording.phrases import PhraseGenerator
from rulewright.wording.sentences import (
    Annotations,
    make_anchor,
    make_ruling_footnote,
)

_MAX_GLOSSARY_CONDITIONS = 3
NO_SETTLED_PLACES: Mapping[str, tuple[str, ...]] = {}


def make_chapter(
    program: Program,
    texts: Mapping[str, Text],
    facts: Sequence[tuple[str, str]],
    settled: Mapping[str, tuple[str, ...]] = NO_SETTLED_PLACES,
) -> Chapter:
    """Chapter of a ruleset.

    Args:
        program: a checked ruleset, or one with its chosen readings folded.
        texts: of the ruleset, for the author's comments; may be empty.
        facts: names and values for the first page.
        settled: addresses of what each folded setting decided about.
    """
    builder = SectionBuilder(program, _make_annotations(program, texts, settled))
    figures = (
        _make_chapter_part("Modifiers", builder.function_sections(d.Tally)),
        _make_chapter_part("Tables", builder.function_sections(d.Table, d.Decide)),
        _make_chapter_part("Terms", builder.function_sections(d.Value, d.Conditions, d.Selection, d.Paths)),
        replace(
            _make_chapter_part("Things", builder.declaration_sections()),
            entries=tuple(builder.removed_things_paragraphs()),
        ),
    )
    rules = (
        _make_chapter_part("Procedures", builder.procedure_sections()),
        _make_chapter_part("Reactions", builder.event_sections()),
        replace(
            _make_chapter_part("At all times", builder.standing_rule_sections()),
            entries=builder.standing_rule_paragraphs(),
        ),
        *figures,
        ChapterSection("Dice", "", make_anchor("part", "dice"), entries=builder.dice_paragraphs()),
    )
    told = {
        footnote.ruling for part in number_footnotes(rules) for each in (part, *part.sections) for footnote in each.foot
    }
    general = [ruling for ruling in program.rulings if ruling.id not in told]
    parts = (
        *rules,
        _make_chapter_part("Readings", builder.reading_sections(general)),
        _make_chapter_part("In other texts", builder.external_sections()),
    )
    links = _collect_title_links(parts)
    meanings = {section.anchor: _short_meaning(section) for section in _list_named_sections(figures)}
    glossary = tuple(_glossary_paragraphs(figures, meanings, _find_uses(rules, links)))
    entries = (*parts, ChapterSection("Glossary and index", "", make_anchor("part", "glossary"), entries=glossary))
    return Chapter(
        program.title or speak_name(program.name),
        tuple(facts),
        number_footnotes([part for part in entries if part.entries or part.sections]),
        links=links,
        meanings={anchor: meaning for anchor, meaning in meanings.items() if meaning},
        clause_prefix=f"{program.documents[0].name}." if len(program.documents) == 1 else "",
    )


def _make_annotations(
    program: Program, texts: Mapping[str, Text], settled: Mapping[str, tuple[str, ...]]
) -> Annotations:
    outline = build_outline(program, texts)
    footnotes: dict[str, tuple[Footnote, ...]] = {
        address: tuple(make_ruling_footnote(ruling.id, ruling.text) for ruling in rulings)
        for address, rulings in find_ruled_declarations(outline, program.rulings, texts).items()
    }
    for name, addresses in settled.items():
        setting = program.settings[name]
        chosen = PhraseGenerator(program).noun_phrase(setting.value)
        title = first_upper(setting.title or speak_name(name))
        text = f"{add_colon(title)} {chosen}. Possible readings: {describe_readings(program, setting.type)}."
        for address in addresses:
            footnotes[address] = (*footnotes.get(address, ()), Footnote(text))
    notes = {item.address: item.notes for item in outline.walk_items() if item.notes}
    return Annotations(notes, footnotes)


def _make_chapter_part(heading: str, sections: Iterable[ChapterSection]) -> ChapterSection:
    return ChapterSection(heading, "", make_anchor("part", heading), sections=tuple(sections))


def _collect_title_links(parts: Sequence[ChapterSection]) -> dict[str, str]:
    """Anchors by quoted title; titles of several sections are omitted."""
    items = [section for part in parts for section in part.sections]
    often = Counter(chapter_section.heading for chapter_section in items)
    return {
        written: chapter_section.anchor
        for chapter_section in items
        if often[chapter_section.heading] == 1
        for written in (
            chapter_section.heading,
            first_lower(chapter_section.heading),
            negate_title(first_lower(chapter_section.heading)),
        )
        if written
    }


def _list_named_sections(parts: Sequence[ChapterSection]) -> list[ChapterSection]:
    """Sections about a single declaration, by the alphabet."""
    named = (section for part in parts for section in part.sections if not section.anchor.startswith("part-"))
    return sorted(named, key=lambda item: _ARTICLE_PATTERN.sub("", item.heading.lower()))


def _glossary_paragraphs(
    parts: Sequence[ChapterSection], meanings: Mapping[str, str], uses: Mapping[str, Sequence[CrossReference]]
) -> Iterator[Paragraph]:
    for section in _list_named_sections(parts):
        meaning, users = meanings[section.anchor], uses.get(section.anchor, ())
        sentence = f"“{section.heading}”{f': {meaning}' if meaning else ''}."
        used = f" Used in {join_words([f'“{user.text}”' for user in users])}." if users else ""
        yield Paragraph(sentence + used, see=(CrossReference(section.heading, section.anchor), *users))


def _find_uses(parts: Sequence[ChapterSection], links: Mapping[str, str]) -> Mapping[str, list[CrossReference]]:
    """By anchor the sections that mention its title."""
    uses: dict[str, list[CrossReference]] = {}
    for section in (section for part in parts for section in part.sections):
        found = {anchor: None for anchor in _list_mentioned_anchors(section, links) if anchor != section.anchor}
        for anchor in found:
            uses.setdefault(anchor, []).append(CrossReference(section.heading, section.anchor))
    return uses


def _list_mentioned_anchors(part: ChapterSection | Paragraph, links: Mapping[str, str]) -> Iterator[str]:
    if isinstance(part, Paragraph):
        known = part.links(links)
        cells = [cell for row in part.grid.rows for cell in row] if part.grid is not None else []
        titles = (title for text in (part.text, *cells) for title in _QUOTED_TITLE_PATTERN.findall(text))
        yield from (known[title] for title in titles if title in known)
    inside: Iterable[ChapterSection | Paragraph] = (
        part.inside if isinstance(part, Paragraph) else (*part.entries, *part.sections)
    )
    for inner in inside:
        yield from _list_mentioned_anchors(inner, links)


_QUOTED_TITLE_PATTERN = re.compile("“([^“”]*)”")
_SELF_REFERENCE_PATTERN = re.compile(r"^(?:.*“[^”]*”.*?|It (?:is|applies) )(?=if )")
_ARTICLE_PATTERN = re.compile(r"^(an?|the) ")


def _short_meaning(section: ChapterSection) -> str:
    """First sentence of a section after its parameters; empty if it is long."""
    entry = next((paragraph for paragraph in section.entries if not paragraph.text.startswith("For ")), Paragraph(""))
    sentence = first_lower(_SELF_REFERENCE_PATTERN.sub("", entry.text.partition(". ")[0].rstrip(".")))
    if entry.grid is None:
        return "" if entry.inside else sentence
    firsts = [first_lower(row[0]) for row in entry.grid.rows]
    if entry.grid.heads[0] == "Attribute":
        return f"has {join_words(firsts)}"
    return (
        f"{sentence} {'; '.join(firsts)}"
        if entry.grid.heads[0] == "Condition" and len(firsts) <= _MAX_GLOSSARY_CONDITIONS
        else ""
    )


def make_reference_sheet(program: Program, facts: Sequence[tuple[str, str]]) -> Chapter:
    """Reference sheet of a ruleset: what players look up during play.

    Args:
        program: a checked ruleset.
        facts: names and values below the title.
    """
    builder = SectionBuilder(program)
    parts = (
        _make_chapter_part("Sequence", builder.procedure_sections(is_brief=True)),
        _make_chapter_part("Modifiers", builder.row_table_sections(d.Tally)),
        _make_chapter_part("Tables", builder.row_table_sections(d.Table, d.Decide)),
        ChapterSection("Dice", "", "", entries=builder.dice_paragraphs()),
        _make_chapter_part("Readings", builder.chosen_reading_sections(program.rulings)),
    )
    filled = tuple(_strip_section(part) for part in parts if part.entries or part.sections)
    return Chapter(program.title or speak_name(program.name), tuple(facts), filled)


def _strip_section(section: ChapterSection) -> ChapterSection:
    entries, inside = tuple(map(_strip_paragraph, section.entries)), tuple(map(_strip_section, section.sections))
    return ChapterSection(section.heading, section.number, "", entries=entries, sections=inside)


def _strip_paragraph(entry: Paragraph) -> Paragraph:
    """A paragraph as a sheet has it: without margin, and in one line with what follows from it if that is short."""
    grid = entry.grid and replace(entry.grid, cites=((),) * len(entry.grid.rows))
    inside = tuple(map(_strip_paragraph, entry.inside))
    if entry.text.endswith(":") and grid is None and _are_one_line(inside):
        if entry.text == GUARD_LIST_HEADING:
            clauses = [first_lower(paragraph.text.removesuffix(".")) for paragraph in inside]
            return Paragraph(f"{entry.text} {'; '.join(clauses)}.")
        sentences = [first_lower(inside[0].text), *(paragraph.text for paragraph in inside[1:])]
        return Paragraph(f"{entry.text} {' '.join(sentences)}")
    return Paragraph(entry.text, inside, grid=grid)


def _are_one_line(paragraphs: Sequence[Paragraph]) -> bool:
    is_plain = all(not paragraph.inside and paragraph.grid is None for paragraph in paragraphs)
    with_more = sum(":" in paragraph.text for paragraph in paragraphs)
    return is_plain and bool(paragraphs) and (not with_more or len(paragraphs) == 1)
