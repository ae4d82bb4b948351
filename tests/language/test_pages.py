"""Every page of a diagnostic shows the truth, and every code has one."""

import re
from pathlib import Path

import pytest

import rulewright
from rulewright.diagnostics.as_text import plain
from rulewright.diagnostics.pages import Block, codes, page
from rulewright.workspace import Loaded, Memory, load, locate

PACKAGE = Path(rulewright.__file__).parent
RULES_ONLY = [
    code
    for code in codes()
    if (found := page(code)) is not None
    and {block.kind.split(" ")[0] for block in found.fails} in ({"rules", "message"}, {"rules", "clauses", "message"})
]


def _loaded(blocks: tuple[Block, ...]) -> Loaded:
    files = {
        ([*block.kind.split(" "), "example.rules"])[1]: block.content
        for block in blocks
        if block.kind.split(" ")[0] in {"rules", "clauses"}
    }
    provider = Memory(files)
    return load(locate("example.rules", provider), provider=provider)


def _heads(loaded: Loaded) -> list[str]:
    return ["\n".join(plain(each, loaded.texts).splitlines()[:2]) for each in loaded.diagnostics]


@pytest.mark.parametrize("code", RULES_ONLY)
def test_the_failing_text_gives_exactly_the_message(code: str) -> None:
    found = page(code)
    assert found is not None
    message = next(block.content for block in found.fails if block.kind == "message")
    assert "\n".join(_heads(_loaded(found.fails))) == message.rstrip("\n")
    assert code in message


@pytest.mark.parametrize("code", RULES_ONLY)
def test_the_mended_text_has_nothing_wrong(code: str) -> None:
    found = page(code)
    assert found is not None
    assert found.mended
    assert _heads(_loaded(found.mended)) == []


def _raised() -> dict[str, str]:
    return {
        code: path.name
        for path in sorted(PACKAGE.rglob("*.py"))
        for code in re.findall(r"\"(RW\d{4})\"", path.read_text(encoding="utf-8"))
    }


def test_every_code_raised_has_a_page() -> None:
    assert {code: file for code, file in _raised().items() if code not in codes()} == {}


def test_every_page_has_a_code_that_is_raised() -> None:
    assert sorted(set(codes()) - set(_raised())) == []


@pytest.mark.parametrize("code", codes())
def test_a_page_says_its_own_code(code: str) -> None:
    found = page(code)
    assert found is not None
    assert found.code == code
    assert found.severity in {"error", "warning", "hint"}
    assert found.title
    assert found.text
