"""Identifiers of the product speak the field's language: names say their object, stand for one thing, and can be found.

What is counted is what `interpreter/README.md` asks of names. Words that it allows there, in the table "Words that
are terms here", may stand in identifiers although they are on the list of words that say nothing.
"""

import ast
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

PRODUCT = Path(__file__).parents[2] / "interpreter/rulewright"
GUIDE = PRODUCT.parent / "README.md"
CORE_FORMS = PRODUCT / "program/core/forms.py"
"""Its classes are called as the lines that they come from."""
# Marks of the product today; they may only fall.
MAX_ONE_WORD_SHARE = 0.35
MAX_NAMES_DEFINED_OFTEN = 70
MAX_CLASSES_OF_ONE_NAME = 6
OFTEN = 5  # definitions of one function name
SEVERAL = 3  # files with a class of one name
LIBRARY_METHODS = frozenset(
    {"visit", "setup", "main", "run", "command", "close", "get", "put", "add", "update", "read", "write", "begin"}
)
EMPTY_WORDS = frozenset(
    {
        "told",
        "said",
        "found",
        "kept",
        "left",
        "apart",
        "together",
        "standing",
        "came",
        "heed",
        "ways",
        "tell",
        "telling",
    }
)


class Definition(NamedTuple):
    """A function or class."""

    path: Path
    line: int
    name: str
    is_class: bool
    decorators: frozenset[str]
    has_docstring: bool


@cache
def read_sources(root: Path) -> tuple[tuple[Definition, ...], frozenset[tuple[str, str]]]:
    """Every function and class below a folder, and what one room of it imports from another: module and name."""
    definitions: list[Definition] = []
    imported: set[tuple[str, str]] = set()
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    decorators = {getattr(item, "id", getattr(item, "attr", "")) for item in node.decorator_list}
                    is_class, has_docstring = isinstance(node, ast.ClassDef), bool(ast.get_docstring(node))
                    place = (path, node.lineno, node.name)
                    definitions.append(Definition(*place, is_class, frozenset(decorators), has_docstring))
                case ast.ImportFrom(module=str() as module, names=names):
                    if module.split(".")[1:2] != [path.relative_to(root).with_suffix("").parts[0]]:
                        imported |= {(module, alias.name) for alias in names}
                case _:
                    pass
    return tuple(definitions), frozenset(imported)


def function_names(root: Path) -> Counter[str]:
    """How often each function name is defined; dunder methods, properties and overrides are not counted."""
    return Counter(
        each.name
        for each in read_sources(root)[0]
        if not (each.is_class or (each.name.startswith("__") and each.name.endswith("__")))
        and not each.decorators & {"property", "cached_property", "override"}
    )


def class_files(root: Path) -> dict[str, set[Path]]:
    """Which files define a class of each name."""
    files: dict[str, set[Path]] = defaultdict(set)
    for each in read_sources(root)[0]:
        if each.is_class:
            files[each.name].add(each.path)
    return files


def allowed_words() -> frozenset[str]:
    """Words that the glossary allows in identifiers as terms of the game or of the field."""
    section = GUIDE.read_text(encoding="utf-8").partition("## Words that are terms here")[2].partition("\n## ")[0]
    return frozenset(re.findall(r"(?m)^\| `(\w+)` \|", section))


def empty_words(name: str) -> set[str]:
    """Words of an identifier that say nothing of what it is."""
    return set(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_")) & EMPTY_WORDS


def test_function_names_say_their_object() -> None:
    names = function_names(PRODUCT)
    one_word = {name: count for name, count in names.items() if is_one_word(name)}
    assert sum(one_word.values()) / sum(names.values()) <= MAX_ONE_WORD_SHARE, sorted(one_word)[:40]


def is_one_word(name: str) -> bool:
    return "_" not in name.strip("_") and name.strip("_") not in LIBRARY_METHODS


def test_function_names_can_be_searched_for() -> None:
    often = {name: count for name, count in function_names(PRODUCT).items() if count >= OFTEN}
    assert len(often) <= MAX_NAMES_DEFINED_OFTEN, often


def test_a_class_name_stands_for_one_thing() -> None:
    files_by_name = {name: files - {CORE_FORMS} for name, files in class_files(PRODUCT).items()}
    shared = {name: sorted(map(str, files)) for name, files in files_by_name.items() if len(files) >= SEVERAL}
    assert len(shared) <= MAX_CLASSES_OF_ONE_NAME, shared


def test_identifiers_have_no_empty_words() -> None:
    allowed = allowed_words()
    wrong = [
        f"{each.path.relative_to(PRODUCT)}:{each.line} {each.name}"
        for each in read_sources(PRODUCT)[0]
        if empty_words(each.name) - allowed
    ]
    assert not wrong, "\n".join(wrong)


def test_what_another_room_imports_has_a_docstring() -> None:
    definitions, imported = read_sources(PRODUCT)
    undocumented = [
        f"{each.path.relative_to(PRODUCT)}:{each.line} {each.name}"
        for each in definitions
        if (module_of(each.path), each.name) in imported and not each.has_docstring
    ]
    assert not undocumented, "\n".join(undocumented)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(PRODUCT.parent).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def _told(): ...", {"_told"}),
        ("class A:\n    @property\n    def told(self): ...", set()),
        ("class B: ...", set()),
    ],
)
def test_what_is_counted(tmp_path: Path, text: str, names: set[str]) -> None:
    (tmp_path / "sample.py").write_text(text, encoding="utf-8")
    assert set(function_names(tmp_path)) == names
    assert all(empty_words(name) for name in names)
