"""The chapters of all shipped rulesets: nothing of the text is left out, every link leads somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rulewright.base.node_roles import walk_nodes
from rulewright.cli.reports import render_template
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.wording.chapter_builder import make_chapter
from rulewright.wording.chapter_document import Chapter, ChapterSection, Paragraph
from rulewright.wording.english import first_upper
from rulewright.wording.sentences import step_number
from support.shipped_programs import load_shipped_program

RULESETS = Path(__file__).parents[2] / "rulesets"
EVERY = sorted(each.name for each in RULESETS.iterdir() if (each / f"{each.name.replace('-', '_')}.rules").exists())


def chapter_of(program: Program) -> Chapter:
    return make_chapter(program, {}, ())


def sections(found: Chapter) -> Iterator[ChapterSection]:
    def inside(each: ChapterSection) -> Iterator[ChapterSection]:
        yield each
        for inner in each.sections:
            yield from inside(inner)

    for each in found.sections:
        yield from inside(each)


def entries(found: Chapter) -> Iterator[Paragraph]:
    def inside(each: Paragraph) -> Iterator[Paragraph]:
        yield each
        for inner in each.inside:
            yield from inside(inner)

    for section in sections(found):
        for each in section.entries:
            yield from inside(each)


@pytest.mark.parametrize("name", EVERY)
def test_every_step_title_reason_and_clause_is_told(name: str) -> None:
    program = load_shipped_program(name)
    said = render_template("chapter.md", chapter_of(program)).replace("\\", "")
    for procedure in program.procedures.values():
        for step in procedure.steps:
            assert f"# {f'{step_number(step.id)} {step.title}'.strip()}" in said
    every = [*walk_nodes(tuple(program.procedures.values())), *walk_nodes(tuple(program.functions.values()))]
    for each in every:
        for cite in getattr(each, "cites", ()):
            assert cite in said
        for words in (getattr(each, "title", ""), getattr(each, "reason", "")):
            assert words in said or first_upper(words) in said


@pytest.mark.parametrize("name", EVERY)
def test_every_question_is_told(name: str) -> None:
    program = load_shipped_program(name)
    said = " ".join(each.text for each in entries(chapter_of(program)))
    for each in walk_nodes(tuple(program.procedures.values())):
        if isinstance(each, st.Ask) and not isinstance(each.shape, st.Whether):
            assert f"“{each.prompt}”" in said
        elif isinstance(each, st.Ask):
            last = re.sub(r"\W+$", "", each.prompt).rpartition(" ")[2]
            assert last.lower() in said.lower()


@pytest.mark.parametrize("name", EVERY)
def test_every_link_leads_to_one_place(name: str) -> None:
    found = chapter_of(load_shipped_program(name))
    anchors = [each.anchor for each in sections(found)]
    assert len(anchors) == len(set(anchors))
    assert {one.anchor for each in entries(found) for one in each.see} <= set(anchors)
    page = render_template("chapter.html", found)
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(re.findall(r'id="([^"]+)"', page))
