"""Every case of the pages beside this file goes as it says; `--accept` writes it anew."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rulewright.base.files import get_resource_folder
from support.documentation_pages import run_page
from support.published_schemas import make_validator

PAGES = [each for each in sorted(Path(__file__).parent.glob("*.md")) if each.name != "README.md"]
SCHEMAS = {each.name.removesuffix(".schema.json") for each in (get_resource_folder("grammar") / "schemas").iterdir()}
OTHER_ANSWERS = ("diagnostics", "estimate", "advice")
"""Schemas of what a verb prints in place of its own document."""
_CASE = re.compile(r"^## .*\n(?:```.+\n(?:(?!```$).*\n)*```\n|(?!## ).*\n)*", re.MULTILINE)
_PRINTED = re.compile(r"^\$ rulewright (.*--format json.*)\n((?:(?!\$ |\[exit |```).*\n)*)", re.MULTILINE)


class PageCase(NamedTuple):
    """A section of a page: the files that all cases of the page begin with, and what is done in this one."""

    page: Path
    files: str
    section: str

    @property
    def name(self) -> str:
        title, _, _ = self.section.partition("\n")
        return f"{self.page.stem}: {title.removeprefix('## ')}"


def read_page(page: Path) -> list[PageCase]:
    text = page.read_text(encoding="utf-8")
    sections = _CASE.findall(text)
    return [PageCase(page, text.partition(sections[0])[0], section) for section in sections]


def printed_documents(section: str) -> Iterator[tuple[str, Any]]:
    """The JSON documents that commands of a case print, each with the verb."""
    for command, printed in _PRINTED.findall(section):
        if printed.startswith("{\n"):
            yield shlex.split(command)[0], json.loads(printed)


@pytest.mark.parametrize("case", [pytest.param(each, id=each.name) for page in PAGES for each in read_page(page)])
def test_a_case_goes_as_it_says(case: PageCase, tmp_path: Path, *, accept: bool) -> None:
    run_page(case.files, tmp_path)
    played = run_page(case.section, tmp_path)
    if accept:
        text = case.page.read_text(encoding="utf-8")
        case.page.write_text(text.replace(case.section, played), encoding="utf-8")
    assert played == case.section
    for verb, document in printed_documents(played):
        names = [each for each in (verb, *OTHER_ANSWERS) if each in SCHEMAS]
        assert any(make_validator(each).is_valid(document) for each in names), (
            f"what `{verb}` prints fits none of the schemas {names}"
        )
