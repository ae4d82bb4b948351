"""Turns of phrase that sound translated or inside-out stay out of what designers read: messages and pages."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import rulewright
from rulewright.diagnostics.pages import codes, page

PACKAGE = Path(rulewright.__file__).parent
BETTER = {
    r"(?<![Tt]here )\b(is|are) no (?!longer\b)\w+": "`x` is not a verb",
    r"\bunlike\b": "`n` is a number and `u` is a Unit; not of one sort",
    r"\b(are|faces|is|values?) of type\b": "`n` is a number",
    r"comes? to pass\b": "if it happens",
    r"has a shorter spelling|has its own spelling": "is written",
    r"\bhere stands?\b": "this should be",
    r"\bnever come to\b(?! rest)": "never reached",
    r"\bstands? (here |in `[^`]*` )?(twice|too often)\b": "is given twice",
    r"\b(some|no)thing stands (here|under|after|in)\b": "there is something after `x`",
    r"\bexclude each other\b": "cannot be combined",
    r"\banother than\b": "differs from `x`",
    r"\botherwise than\b": "differs from `x`",
    r"\b(called|comes?( out)?|came( out)?|needs it|stands|went|worded|written) otherwise\b": "differently",
    r"\bkeeps? books\b": "counts",
    r"\bruns? no time\b": "does not run at all",
    r", for (an? `|(he|it|nobody|nothing|she|there|they|this)\b)": ", because it has errors",
}
"""What is written no more, and how the same is said."""


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _docstrings(tree: ast.AST) -> set[ast.AST]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and _is_text(node.value)}


def _written(content: str) -> Iterator[tuple[int, str]]:
    """The texts of a module but for its docstrings, by line; `{}` stands for what is filled in."""
    tree = ast.parse(content)
    seen: set[ast.AST] = _docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            seen.update(node.values)
            yield node.lineno, "".join(str(each.value) if _is_text(each) else "{}" for each in node.values)
        elif _is_text(node) and node not in seen:
            yield node.lineno, node.value


def _found(texts: list[tuple[str, str]]) -> list[str]:
    return [
        f"{place}: {found[0]!r}; better: {better}"
        for place, text in texts
        for phrase, better in BETTER.items()
        for found in re.finditer(phrase, text)
    ]


def test_messages_are_said_plainly() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    texts = [
        (f"{each.relative_to(PACKAGE)}:{line}", text) for each in files for line, text in _written(each.read_text())
    ]
    assert _found(texts) == []


def test_pages_are_said_plainly() -> None:
    pages = [page(code) for code in codes()]
    assert _found([(each.code, f"{each.title}\n{each.text}\n{each.otherwise}") for each in pages if each]) == []
