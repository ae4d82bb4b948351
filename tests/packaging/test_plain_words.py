"""Turns of phrase that sound translated or inside-out stay out of what designers read."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import rulewright
from rulewright.base.diagnostics.pages import find_page, list_page_files
from rulewright.cli.main import VERB_DESCRIPTIONS

ROOT = Path(__file__).parents[2]
PACKAGE = Path(rulewright.__file__).parent
WORKBENCH = ROOT / "interpreter/studio/workbench/src"
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
    r"\b(asked for|built|called|needs it|stands|taken apart|went|[Ww]orded|written) otherwise\b": "differently",
    r"\b(comes?|came)( out)? otherwise\b": "differently",
    r"\bkeeps? books\b": "counts",
    r"\bruns? no time\b": "does not run at all",
    r", for (an? `|(he|it|nobody|nothing|she|there|they|this)\b)": ", because it has errors",
}
"""What is written no more in messages and their pages, and how the same is said."""

SPOKEN = {
    r"\bwhat(ever)? ((has|is|will|must) (to )?)?(comes?|came) (of|out)\b": "the result; what you expect",
    r"\b(comes?|came) of (it|them|that|this)\b": "the result",
    r"\bhow (\w+ ){1,3}(comes?|came) out\b": "how it ends",
    r"\b(comes?|came) to\b(?! (an? end|blows|fight|rest|\d+)\b)": "reaches; gives; is",
    r"\b(comes?|came) out (alike|differently)\b": "gives the same, gives another result",
    r"\b(as|±|nothing could be|something to be) told\b|\btold (elsewhere|at)\b": "shown; listed",
    r"\btells? (about|more|of|such)\b": "shows; lists",
    r"\b(is|are|be|goes?|made|runs?|plays?|laid out|ends?|decides?|does|\w+thing) otherwise"
    r"(?= at| than| in\b| there| everywhere|[.,:;]|$)": "differently; another; rename",
    r"(?<!thing )(?<!body )(?<!where )(?<!who )(?<!one )(?<!what )\belse[.;](?!\w)": "say it forward",
    r"\banything but\b": "say it forward",
    r"\bnone of which\b": "say it forward",
    r"\b(is|are|was|were) (told|said)\b(?! apart)": "`check` reports it; you name it; the page shows it",
    r"\bnobody (answers|decides|knows|plays|says|tells)\b": "no player answers",
    r"\bnothing (says|tells|is to be)\b": "the rules do not give it",
    r"\bthat what (is|was)\b": "two sentences",
    r"\b(lest|likewise|thereby|wherever|so that)\b(?! has have)": "if, so, also, where",
    r"\bas long as (all|an?|it|no|one|some|there|they|you)\b": "while; if",
    r"\bbut for (an?|its|the|those|what)\b": "except",
    r", save (for|that)\b": "except",
    r"\b(since|before) edition \d": "git has the history",
    r"\bNothing before this\b": "no line above rules it out",
    r"\bhangs? on\b": "depends on",
    r"\bnobody (holds|reads)\b": "no line reads it",
    r"\bnothing is (compared|divided)\b": "you cannot divide it",
    r"\b(is|are) (not said|reckoned)\b|\bsays no\b": "has no",
    r"\bstands? behind\b": "comes after",
    r"\bmeasured (at|on)\b": "figures for engineers belong to their pages",
}
"""What is written no more anywhere, and how an editor of rulebooks says it."""

PRINTED = {
    r"\b\w+s's\b": "`rangers' strength`",
    r"\b1 (\w*[^aiou\W])?men\b": "1 man",
    r"\bis now (yes|no)\b": "let … be yes",
    r"\bIts result: ": "its result is a number from 0 to 3",
    r"^ *because [^`\n]*\b(some|no|every) \w+ in \w+": "a sentence, or the line as its author wrote it",
}
"""What commands print no more, in the blocks that the tests carry out."""

_WRITTEN_IN_TYPESCRIPT = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')
_REMARK = re.compile(r"^\s*(/?\*|//).*$", re.MULTILINE)
_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)

Texts = Callable[[], Iterable[tuple[str, str]]]
"""The texts of one sort, each with its place: the file or code, and the line behind a colon where there is one."""


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


def _found(texts: Iterable[tuple[str, str]], phrases: Mapping[str, str] = BETTER) -> list[str]:
    some = re.compile("|".join(f"(?:{phrase})" for phrase in phrases))
    return [
        f"{place}: {found[0]!r}; better: {better}"
        for place, text in texts
        if some.search(text)
        for phrase, better in phrases.items()
        for found in re.finditer(phrase, text)
    ]


def _prose(page: str) -> str:
    """A page without what is code: its wording is that of the product."""
    return re.sub(r"`[^`\n]*`", "`…`", _BLOCK.sub("", page))


@cache
def _messages() -> Sequence[tuple[str, str]]:
    return [
        (f"{each.relative_to(PACKAGE)}:{line}", text)
        for each in sorted(PACKAGE.rglob("*.py"))
        for line, text in _written(each.read_text())
    ]


def _guide() -> Iterator[tuple[str, str]]:
    pages = [ROOT / "README.md", *sorted((ROOT / "grammar").rglob("*.md"))]
    yield from ((each.relative_to(ROOT).as_posix(), _prose(each.read_text(encoding="utf-8"))) for each in pages)


def _beside_rules() -> Iterator[tuple[str, str]]:
    """What people read before they take a game: pages of the rulesets and starters, and those of the project."""
    pages = [
        *(ROOT / "rulesets").rglob("*.md"),
        *(PACKAGE / "starters").rglob("*.md"),
        *(ROOT / ".github").glob("*.md"),
    ]
    pages += [ROOT / "CHANGELOG.md", *(PACKAGE / "cli/reports/templates").iterdir()]
    yield from ((each.relative_to(ROOT).as_posix(), _prose(each.read_text(encoding="utf-8"))) for each in sorted(pages))


def _workbench() -> Iterator[tuple[str, str]]:
    for each in sorted(WORKBENCH.rglob("*.ts")):
        text = _REMARK.sub("", each.read_text(encoding="utf-8"))
        for found in _WRITTEN_IN_TYPESCRIPT.finditer(text):
            yield f"{each.relative_to(ROOT).as_posix()}:{text[: found.start()].count(chr(10)) + 1}", found[0]


def _help() -> Iterator[tuple[str, str]]:
    """What `--help` prints of each verb."""
    for verb in VERB_DESCRIPTIONS:
        command = import_module(f"rulewright.cli.{verb}").command
        yield verb, re.sub(r"`[^`]*`", "`…`", command.help)
        yield from ((f"{verb} {each.name}", each.help) for each in command.params if getattr(each, "help", None))


def _pages_of_messages() -> Iterator[tuple[str, str]]:
    yield from ((each.code, f"{each.title}\n{_prose(each.text)}") for each in map(find_page, list_page_files()) if each)


def test_messages_are_said_plainly() -> None:
    assert _found(_messages()) == []


def test_pages_are_said_plainly() -> None:
    pages = [find_page(code) for code in list_page_files()]
    assert _found([(each.code, f"{each.title}\n{each.text}\n{each.otherwise}") for each in pages if each]) == []


@pytest.mark.parametrize(
    "texts", [_messages, _help, _pages_of_messages, _guide, _beside_rules, _workbench], ids=lambda texts: texts.__name__
)
def test_what_designers_read_is_said_as_an_editor_of_rulebooks_says_it(texts: Texts) -> None:
    read = list(texts())
    assert len(read) > 10
    assert _found(read, BETTER | SPOKEN) == []


def test_what_commands_print_is_made_of_sentences() -> None:
    pages = [ROOT / "README.md", *(ROOT / "grammar").rglob("*.md"), *(ROOT / "tests/language").rglob("*.md")]
    printed = [
        (each.relative_to(ROOT).as_posix(), line)
        for each in pages
        for block in _CONSOLE.findall(each.read_text(encoding="utf-8"))
        for line in block.splitlines()
    ]
    assert len(printed) > 1000
    assert _found(printed, PRINTED) == []


def test_the_page_of_prose_leaves_out_what_is_code() -> None:
    assert _prose("so `nobody answers`\n\n```console\nnobody answers\n```\n") == "so `…`\n\n\n"
    assert _found([("here", "what comes of it; it is otherwise in this play")], SPOKEN) != []
