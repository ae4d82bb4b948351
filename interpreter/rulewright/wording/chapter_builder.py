"""The chapter of a ruleset, and its reference sheet: order of parts, glossary, cross references."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d, statements as st
from rulewright.program.declarations import Program
from rulewright.program.outline.items import Outline
from rulewright.program.walk import find_called_declaration, list_routines
from rulewright.wording.chapter_document import Chapter, ChapterSection, CrossReference, Paragraph, RowTableGenerator
from rulewright.wording.chapter_sections import NO_READERS, Readers, SectionBuilder
from rulewright.wording.condition_rendering import join_words, speak_name
from rulewright.wording.english import add_definite_article, drop_article, first_lower, first_upper, negate_title
from rulewright.wording.phrases import DicePhraseGenerator, PhraseGenerator
from rulewright.wording.sentences import SentenceGenerator, make_anchor, step_heading, step_number

_MAX_GLOSSARY_CONDITIONS = 3


def make_chapter(
    program: Program, outline: Outline, facts: Sequence[tuple[str, str]], readers: Readers = NO_READERS
) -> Chapter:
    """Chapter of a ruleset.

    Args:
        program: a checked ruleset, or one with its chosen readings folded.
        outline: of the program; source of the author's comments.
        facts: names and values for the first page.
        readers: declarations that each folded setting decided about.
    """
    builder = SectionBuilder(
        program, {item.address: item.notes for item in outline.walk_items() if item.notes}, readers
    )
    figures = (
        _make_chapter_part("Modifiers", builder.function_sections(d.Tally)),
        _make_chapter_part("Tables", builder.function_sections(d.Table, d.Decide)),
        _make_chapter_part("Terms", builder.function_sections(d.Value, d.Conditions, d.Selection, d.Paths)),
        replace(
            _make_chapter_part("Things", builder.declaration_sections()),
            entries=tuple(builder.removed_things_paragraphs()),
        ),
    )
    parts = (
        _make_chapter_part("Procedures", builder.procedure_sections()),
        _make_chapter_part("Reactions", builder.event_sections()),
        replace(
            _make_chapter_part("At all times", builder.standing_rule_sections()),
            entries=builder.standing_rule_paragraphs(),
        ),
        *figures,
        ChapterSection("Dice", "", make_anchor("part", "dice"), entries=builder.dice_paragraphs()),
        _make_chapter_part("Readings", builder.reading_sections()),
        _make_chapter_part("In other texts", builder.external_sections()),
        ChapterSection("Glossary", "", make_anchor("part", "glossary"), entries=tuple(_glossary_paragraphs(figures))),
    )
    filled = tuple(part for part in parts if part.entries or part.sections)
    return Chapter(program.title or speak_name(program.name), tuple(facts), filled, links=_collect_title_links(filled))


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


def _glossary_paragraphs(parts: Sequence[ChapterSection]) -> Iterator[Paragraph]:
    named = (section for part in parts for section in part.sections if not section.anchor.startswith("part-"))
    for chapter_section in sorted(named, key=lambda item: _ARTICLE_PATTERN.sub("", item.heading.lower())):
        meaning = _short_meaning(chapter_section)
        sentence = f"“{chapter_section.heading}”{f': {meaning}' if meaning else ''}."
        yield Paragraph(sentence, see=(CrossReference(chapter_section.heading, chapter_section.anchor),))


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
    sections = SectionBuilder(program, {})
    parts = (
        _make_sheet_part("Sequence", _sequence_sections(program, sections)),
        _make_sheet_part("Modifiers", _rule_table_sections(program, sections, (d.Tally, st.TallyLine))),
        _make_sheet_part("Tables", _rule_table_sections(program, sections, (d.Table, d.Decide, st.DecideLine))),
        ChapterSection("Dice", "", "", entries=sections.dice_paragraphs()),
        _make_sheet_part("Readings", sections.chosen_reading_sections()),
    )
    filled = tuple(_strip_section(part) for part in parts if part.entries or part.sections)
    return Chapter(program.title or speak_name(program.name), tuple(facts), filled)


def _make_sheet_part(heading: str, sections: Iterable[ChapterSection]) -> ChapterSection:
    return ChapterSection(heading, "", "", sections=tuple(sections))


def _strip_section(section: ChapterSection) -> ChapterSection:
    entries, inside = tuple(map(_strip_paragraph, section.entries)), tuple(map(_strip_section, section.sections))
    return ChapterSection(section.heading, section.number, "", entries=entries, sections=inside)


def _strip_paragraph(entry: Paragraph) -> Paragraph:
    grid = entry.grid and replace(entry.grid, cites=((),) * len(entry.grid.rows))
    return Paragraph(entry.text, tuple(map(_strip_paragraph, entry.inside)), grid=grid)


def _sequence_sections(program: Program, sections: SectionBuilder) -> Iterator[ChapterSection]:
    """Procedures with decisions, rolls or steps."""
    for procedure in sections.order_procedures():
        summary = _ProcedureSummary(program, procedure)
        before = summary.summarize_block(tuple(one for one in procedure.opening if isinstance(one, tuple | d.Watch)))
        steps = tuple(
            ChapterSection(step_heading(step), step_number(step.id), "", entries=summary.step_paragraphs(step))
            for step in procedure.steps
        )
        if steps or any(
            isinstance(one, st.Ask | st.RankKey | st.ChanceLine) and not isinstance(one, st.Shuffle)
            for one in walk_nodes(procedure)
        ):
            yield ChapterSection(
                first_upper(procedure.title or speak_name(procedure.name)), "", "", entries=before, sections=steps
            )


class _ProcedureSummary:
    def __init__(self, program: Program, procedure: d.Procedure) -> None:
        self._program = program
        self._phrases = PhraseGenerator(program, procedure.variables, procedure, procedure.parameters)
        self._sentences = SentenceGenerator(program, self._phrases, {})

    def step_paragraphs(self, step: d.Step) -> tuple[Paragraph, ...]:
        only = (Paragraph(f"Only if {self._phrases.condition_clause(step.guard)}"),) if step.guard is not None else ()
        return (*only, *(self.summarize_block(step.block) or self._change_paragraphs([*walk_nodes(step.block)])))

    def summarize_block(self, block: object) -> tuple[Paragraph, ...]:
        result = [*walk_nodes(block)]
        of_all = {id(ask_all.question) for ask_all in result if isinstance(ask_all, st.AskAll)}
        summaries = (text for item in result if id(item) not in of_all for text in self._summarize_line(item))
        return tuple(Paragraph(first_upper(text)) for text in dict.fromkeys(summaries))

    def _change_paragraphs(self, lines: Sequence[object]) -> tuple[Paragraph, ...]:
        """Changes and results of a step without decisions and rolls."""
        changed = self._phrases.changed_places(lines) or self._phrases.changed_variables(lines)
        clauses = [f"Changes {join_words(changed)}"] if changed else []
        results = (line.value for line in lines if isinstance(line, st.Finish) and line.value is not None)
        clauses += dict.fromkeys(f"Result: {self._phrases.value_phrase(result)}" for result in results)
        return tuple(map(Paragraph, clauses))

    def _summarize_line(self, line: object) -> Iterator[str]:
        say = self._phrases
        if isinstance(line, st.CallLine):
            yield from self._summarize_call(line)
            return
        match line:
            case st.Ask(who=who):
                yield f"{drop_article(say.noun_phrase(who))}: {self._question_summary(line)}"
            case st.AskAll(players=players, question=question):
                yield f"each of {add_definite_article(say.filtered_members_phrase(players))}: {self._question_summary(question)}"
            case _ if isinstance(line, st.ChanceLine) and not isinstance(line, st.Shuffle):
                yield self._sentences.block_paragraphs((line,))[0].text.rstrip(".").removeprefix("The ")
            case st.RankKey(dice=tuple(dice)) if dice:
                yield f"{drop_article(say.noun_phrase(line.value))} rolls {DicePhraseGenerator(say).rolled_dice_phrase(dice)}, {line.best} first"
            case st.RankKey(value=value) if line.requests:
                yield f"{drop_article(say.noun_phrase(value))}: {line.title or speak_name(line.id)}"
            case _ if isinstance(line, st.RowsLine):
                yield f"{line.title or speak_name(line.variable.name)}: see its table"
            case _:
                return

    def _summarize_call(self, line: st.CallLine) -> Iterator[str]:
        called = find_called_declaration(line, self._program)
        title = called.title or speak_name(called.name)
        match called:
            case d.Procedure():
                yield f"→ {title}"
            case d.ExternalProcedure():
                yield f"→ {title}, in another text"
            case d.Event(holders=holders) if holders is not None:
                yield f"reactions: {title}"

    def _question_summary(self, line: st.Ask) -> str:
        if not isinstance(line.shape, st.Choose):
            return line.prompt.strip()
        options = [option.title or speak_name(option.id) for option in line.shape.options]
        return f"{line.prompt.strip()} {join_words(options, 'or')}"


def _rule_table_sections(
    program: Program, sections: SectionBuilder, sorts: tuple[type, ...]
) -> Iterator[ChapterSection]:
    """Those of statements under the name that the statement sets."""
    for function in program.functions.values():
        if isinstance(function.body, sorts):
            heading = function.title or speak_name(function.name.replace("/", ": "))
            yield ChapterSection(
                first_upper(heading), "", "", entries=tuple(sections.function_body_paragraphs(function))
            )
    for routine in list_routines(program):
        rows = RowTableGenerator(PhraseGenerator(program, routine.variables, routine))
        for node in walk_nodes(routine):
            if isinstance(node, st.RowsLine) and isinstance(node, sorts):
                heading = first_upper(node.title or speak_name(node.variable.name))
                yield ChapterSection(heading, "", "", entries=(rows.make_rule_table(node),))
