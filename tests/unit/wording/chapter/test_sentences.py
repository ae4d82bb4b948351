"""What the chapter of a ruleset says of lines and conditions, against `sentences.md`."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rulewright.wording.chapter_builder import make_chapter
from rulewright.wording.chapter_document import ChapterGrid, Paragraph
from support.revision_pairs import check_text as program_of

PAGE = Path(__file__).with_name("sentences.md")
CASE = re.compile(r"^## (.+?)\n+```rules\n(.*?)```\n+```said\n(.*?)```", re.MULTILINE | re.DOTALL)
CASES = [pytest.param(*each.groups(), id=each[1]) for each in CASE.finditer(PAGE.read_text(encoding="utf-8"))]


def lines(entries: tuple[Paragraph, ...], indent: str = "") -> Iterator[str]:
    for each in entries:
        yield f"{indent}- {each.text}"
        if each.grid is not None:
            yield from rows(each.grid, f"{indent}  ")
        yield from lines(each.inside, f"{indent}  ")


def rows(grid: ChapterGrid, indent: str) -> Iterator[str]:
    yield f"{indent}| {' | '.join(grid.heads)} |"
    yield f"{indent}|{'---|' * len(grid.heads)}"
    yield from (f"{indent}| {' | '.join(each)} |" for each in grid.rows)


@pytest.mark.parametrize(("name", "rules", "said"), CASES)
def test_a_procedure_is_said_so(name: str, rules: str, said: str) -> None:
    del name
    program = program_of(rules)
    procedures = make_chapter(program, {}, ()).sections[0]
    assert "".join(f"{each}\n" for each in lines(procedures.sections[0].entries)) == said
