"""Every example of the documentation can be read, and its links lead somewhere."""

import re
from pathlib import Path

import pytest

from rulewright.base.source import Text
from rulewright.syntax.parser import parse_rules_text

GRAMMAR = Path(__file__).parents[2] / "grammar"
PAGES = sorted([*GRAMMAR.rglob("*.md"), *(GRAMMAR.parent / ".github").glob("*.md")])
FENCED = re.compile(r"^```(\w+)(?: \S+)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(file: Path, language: str) -> list[str]:
    return [text for word, text in FENCED.findall(file.read_text(encoding="utf-8")) if word == language]


def examples(language: str) -> list[object]:
    return [
        pytest.param(text, id=f"{file.stem} {number}")
        for file in sorted(GRAMMAR.rglob("*.md"))
        for number, text in enumerate(blocks(file, language), 1)
    ]


def whole(text: str) -> str:
    return text if re.match(r"ruleset|amends|use", text) else f'ruleset example "Example" revision "1"\n{text}'


@pytest.mark.parametrize("text", examples("rules"))
def test_rules_of_the_manual_can_be_read(text: str) -> None:
    assert parse_rules_text(Text("example.rules", whole(text))).diagnostics == ()


@pytest.mark.parametrize("text", examples("steps"))
def test_lines_of_the_manual_can_be_read(text: str) -> None:
    lines = "".join(f"  {line}\n" for line in text.splitlines())
    assert parse_rules_text(Text("example.rules", whole(f"procedure example():\n{lines}"))).diagnostics == ()


def _anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [pytest.param(each, id=each.stem) for each in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        place, _, anchor = target.partition("#")
        file = (page.parent / place).resolve() if place else page
        assert file.exists(), target
        assert not anchor or anchor in _anchors(file), target


def test_every_page_can_be_found_from_the_guide() -> None:
    linked = set(re.findall(r"\]\(([^)#\s]+)", (GRAMMAR / "README.md").read_text(encoding="utf-8")))
    assert {each.relative_to(GRAMMAR).as_posix() for each in GRAMMAR.rglob("*.md")} - {"README.md"} == linked
