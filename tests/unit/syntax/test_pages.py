r"""What is told of a text that cannot be read, and how one is laid out, goes as the pages in `pages` say.

A question is a text, or its end where the block names a head; with `sound` it is one edit or more, `OLD → NEW`, of the rules at the
top of the page. `\u202e` is the character of this number.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from rulewright.base.source import Text
from rulewright.syntax.format import format_file, has_same_meaning
from rulewright.syntax.parser import parse_rules_text
from support.asked_pages import check_page
from support.language_cases import split_blocks

PAGES = sorted((Path(__file__).parent / "pages").glob("*.md"))
HEADS = {
    "": "",
    "procedure": "procedure p(a: Unit):\n  ",
    "roll": 'ruleset a "A" revision "1"\nprocedure p(n: 0..9):\n  roll ',
    "term": "term t() gives flag means ",
}


def mistakes(content: str) -> Iterator[str]:
    """What is told, where, with its remedy and what stands there once it is made."""
    for each in parse_rules_text(Text("a.rules", content)).diagnostics:
        assert each.primary is not None
        span, (edit, *_) = each.primary.span, (*each.edits, None)
        mended = "" if edit is None else f" ⇒ {edit.replacement!r} for {content[edit.span.start : edit.span.end]!r}"
        remedy = f" — {each.help}" if each.help else ""
        yield f"{each.code} {content[span.start : span.end]!a}: {each.message}{remedy}{mended}"


def layout(content: str) -> Iterator[str]:
    """The text as it is laid out, which means the same and stays as it is."""
    once = lay_out(content)
    assert lay_out(once) == once
    yield from once.splitlines()


def lay_out(content: str) -> str:
    text = Text("a.rules", content)
    parsed = parse_rules_text(text)
    assert parsed.file is not None
    assert parsed.diagnostics == ()
    found = format_file(parsed.file, text)
    again = parse_rules_text(Text("a.rules", found)).file
    assert again is not None
    assert has_same_meaning(parsed.file, again)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_text_is_told_of_as_the_page_says(page: Path, *, accept: bool) -> None:
    sound = "".join(block["content"] for block in split_blocks(page.read_text(encoding="utf-8"), "rules"))

    def answer(asks: str, about: str, question: str, section: str) -> Iterable[str]:
        del section
        written = re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), question)
        if about == "sound":
            content = sound
            for edit in written.split(" ; "):
                old, _, new = edit.partition(" → ")
                assert old in content, old
                content = content.replace(old, new)
        else:
            content = HEADS[about] + written + "\n"
        return mistakes(content) if asks == "mistakes" else layout(content)

    check_page(page, {"mistakes", "layout"}, answer, accept=accept)
