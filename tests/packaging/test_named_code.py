"""What the pages for builders name is there: files, modules, and identifiers of the product and of the tests."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRODUCT = ROOT / "interpreter/rulewright"
PAGES = [
    PRODUCT.parent / "README.md",
    *sorted(PRODUCT.glob("*/README.md")),
    PRODUCT / "program/core/README.md",
    *sorted((PRODUCT.parent / "decisions").glob("*.md")),
]
PLACES = (PRODUCT, ROOT, ROOT / "interpreter", ROOT / "interpreter/studio/workbench", ROOT / "tests", ROOT / "grammar")


_TOKEN = re.compile(r'"""(?:.*?)"""|#[^\n]*|"(?:[^"\\\n]|\\.){80,}"|(\b[A-Za-z_]\w*)', re.DOTALL)


@cache
def identifiers() -> frozenset[str]:
    """Every word of the code of the product or of the tests outside docstrings, remarks and long texts."""
    sources = (
        path.read_text(encoding="utf-8") for folder in (PRODUCT, ROOT / "tests") for path in folder.rglob("*.py")
    )
    return frozenset(name for source in sources for name in _TOKEN.findall(source))


def named_code(page: str) -> Iterator[str]:
    """Code spans of a page, without its fenced blocks."""
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"(?ms)^```.*?^```", "", page))


def is_there(span: str) -> bool:
    """Whether a code span is no name of code, or names what exists."""
    path = re.fullmatch(r"(?:interpreter/)?(?:rulewright/)?([\w.-]+(?:/[\w.-]+)*/?)", span)
    if re.search("VERB|NAME|ROOM|…", span):
        return True  # it stands for many
    if path and (
        span.endswith((".py", ".md", ".yaml"))
        or any((place / span.split("/", maxsplit=1)[0]).is_dir() for place in PLACES)
    ):
        return any((place / path[1]).exists() for place in PLACES)
    if re.fullmatch(r"\w+(?:\.\w+)*(?:\(\))?", span):
        parts = span.removesuffix("()").split(".")
        if (PRODUCT / parts[0]).is_dir():
            module = PRODUCT.joinpath(*parts)
            return module.exists() or module.with_suffix(".py").exists() or parts[-1] in identifiers()
        return not re.search(r"[a-z]_[a-z]|[a-z][A-Z]", span) or all(part in identifiers() for part in parts)
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PRODUCT.parent)))
def test_what_a_page_names_is_there(page: Path) -> None:
    assert [span for span in named_code(page.read_text(encoding="utf-8")) if not is_there(span)] == []


def test_what_is_not_there_is_noticed() -> None:
    nothing = "egap_yna_no_ton_si_taht_eman_a"[::-1]  # backwards, else this file would name it
    assert not is_there(nothing)
    assert not is_there(f"runtime.{nothing}")
    assert not is_there(f"checker/{nothing}.py")
    assert is_there("checker/lint.py")
    assert is_there("compute_odds")
    assert is_there("cli/VERB.py")
