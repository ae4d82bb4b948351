"""The whole chapter of a ruleset: its parts in order, its glossary, and what its titles lead to."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rulewright.chapter.document import Chapter, CrossReference, Paragraph, Section
from rulewright.chapter.english import first_lower, opposite
from rulewright.chapter.sections import Sections
from rulewright.chapter.sentences import anchor
from rulewright.outline import Outline
from rulewright.program import declarations as d
from rulewright.program.declarations import Program
from rulewright.telling.conditions import listed, spoken

_FEW = 3


def chapter(program: Program, outline: Outline, facts: Sequence[tuple[str, str]]) -> Chapter:
    """A ruleset as a chapter.

    Args:
        program: a checked ruleset.
        outline: of it, with the comments of its author.
        facts: what its first page says besides, each with its value.
    """
    made = Sections(program, {each.address: each.notes for each in outline.every() if each.notes})
    figures = (
        _part("Modifiers", made.functions(d.Tally)),
        _part("Tables", made.functions(d.Table, d.Decide)),
        _part("Terms", made.functions(d.Value, d.Conditions, d.Selection, d.Paths)),
        replace(_part("Things", made.things()), entries=tuple(made.out_of_play())),
    )
    parts = (
        _part("Procedures", made.procedures()),
        _part("Reactions", made.reactions()),
        _part("At all times", made.standing()),
        *figures,
        Section("Dice", "", anchor("part", "dice"), entries=made.dice()),
        _part("Readings", made.readings()),
        _part("In other texts", made.externals()),
        Section("Glossary", "", anchor("part", "glossary"), entries=tuple(_glossary(figures))),
    )
    filled = tuple(each for each in parts if each.entries or each.sections)
    return Chapter(program.title or spoken(program.name), tuple(facts), filled, links=_links(filled))


def _part(heading: str, sections: Iterable[Section]) -> Section:
    return Section(heading, "", anchor("part", heading), sections=tuple(sections))


def _links(parts: Sequence[Section]) -> dict[str, str]:
    """What titles lead to, as they are written in sentences; nothing for one that several sections have."""
    found = [each for part in parts for each in part.sections]
    often = Counter(each.heading for each in found)
    return {
        written: each.anchor
        for each in found
        if often[each.heading] == 1
        for written in (each.heading, first_lower(each.heading), opposite(first_lower(each.heading)))
        if written
    }


def _glossary(parts: Sequence[Section]) -> Iterator[Paragraph]:
    """What has a title or a name, in alphabetical order, with its meaning where that is short."""
    named = (each for part in parts for each in part.sections if not each.anchor.startswith("part-"))
    for each in sorted(named, key=lambda each: _ARTICLE.sub("", each.heading.lower())):
        meaning = _meaning(each)
        said = f"“{each.heading}”{f': {meaning}' if meaning else ''}."
        yield Paragraph(said, see=(CrossReference(each.heading, each.anchor),))


_SELF = re.compile(r"^(?:.*“[^”]*”.*?|It (?:is|applies) )(?=if )")
_ARTICLE = re.compile(r"^(an?|the) ")


def _meaning(section: Section) -> str:
    """The first thing that a section says besides whom it is for; empty where that is long."""
    entry = next((each for each in section.entries if not each.said.startswith("For ")), Paragraph(""))
    said = first_lower(_SELF.sub("", entry.said.partition(". ")[0].rstrip(".")))
    if entry.grid is None:
        return "" if entry.inside else said
    firsts = [first_lower(row[0]) for row in entry.grid.rows]
    if entry.grid.heads[0] == "Attribute":
        return f"has {listed(firsts)}"
    return f"{said} {'; '.join(firsts)}" if entry.grid.heads[0] == "Condition" and len(firsts) <= _FEW else ""
