"""Identifiers of the product speak the field's language: names say their object, stand for one thing, and can be found.

What is counted is what `interpreter/README.md` asks of names. Words that it allows there, in the table "Words that
are terms here", may stand in identifiers although they are on the list of words that say nothing.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

PRODUCT = Path(__file__).parents[2] / "interpreter/rulewright"
GUIDE = PRODUCT.parent / "README.md"
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


def definitions(root: Path) -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    """Every function and class below a folder, with the file that defines it."""
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield path, node


def function_names(root: Path) -> Counter[str]:
    """How often each function name is defined; dunder methods, properties and overrides are not counted."""
    names: Counter[str] = Counter()
    for _, node in definitions(root):
        if isinstance(node, ast.ClassDef) or (node.name.startswith("__") and node.name.endswith("__")):
            continue
        decorators = {getattr(item, "id", getattr(item, "attr", "")) for item in node.decorator_list}
        if not decorators & {"property", "cached_property", "override"}:
            names[node.name] += 1
    return names


def class_files(root: Path) -> dict[str, set[Path]]:
    """Which files define a class of each name."""
    files: dict[str, set[Path]] = defaultdict(set)
    for path, node in definitions(root):
        if isinstance(node, ast.ClassDef):
            files[node.name].add(path)
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
    shared = {name: sorted(map(str, files)) for name, files in class_files(PRODUCT).items() if len(files) >= SEVERAL}
    assert len(shared) <= MAX_CLASSES_OF_ONE_NAME, shared


def test_identifiers_have_no_empty_words() -> None:
    allowed = allowed_words()
    wrong = [
        f"{path.relative_to(PRODUCT)}:{node.lineno} {node.name}"
        for path, node in definitions(PRODUCT)
        if empty_words(node.name) - allowed
    ]
    assert not wrong, "\n".join(wrong)


def test_what_another_room_imports_has_a_docstring() -> None:
    imported = {
        (node.module, alias.name)
        for path in PRODUCT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[1:2] != [room_of(path)]
        for alias in node.names
    }
    undocumented = [
        f"{path.relative_to(PRODUCT)}:{node.lineno} {node.name}"
        for path, node in definitions(PRODUCT)
        if (module_of(path), node.name) in imported and not ast.get_docstring(node)
    ]
    assert not undocumented, "\n".join(undocumented)


def room_of(path: Path) -> str:
    return path.relative_to(PRODUCT).with_suffix("").parts[0]


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
