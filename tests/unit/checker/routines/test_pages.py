"""Pages of small rulesets: what the whole check finds in each, as `CODE line: message`; `--accept` renews them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from rulewright.checker.routines.block_lines import LINE_TRANSLATORS
from rulewright.syntax.nodes.statements import Statement

HERE = Path(__file__).parent
_CASE = re.compile(r"(```rules\n(.*?)```\n)(?:\n```found\n(.*?)```\n)?", re.DOTALL)
SECTIONS = [
    (page, section, section.partition("\n")[0])
    for page in sorted(HERE.glob("*.md"))
    for section in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
]


@pytest.mark.parametrize(("page", "section", "title"), SECTIONS, ids=[title for *_, title in SECTIONS])
def test_a_section_says_what_is_found(
    page: Path, section: str, title: str, checked: Callable[[str], Any], *, accept: bool
) -> None:
    def check(case: re.Match[str]) -> str:
        found = "\n".join(checked(case[2]).found)
        return case[1] + (f"\n```found\n{found}\n```\n" if found else "")

    told = _CASE.sub(check, section)
    if accept:
        page.write_text(page.read_text(encoding="utf-8").replace(section, told), encoding="utf-8")
    assert told == section, title


def test_every_verb_has_a_function() -> None:
    assert set(LINE_TRANSLATORS) == set(get_args(Statement))
