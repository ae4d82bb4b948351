"""No module of the product needs another that needs it, at whatever remove.

An import counts wherever it stands, also inside a function, where it only hides a circle. Those under
`if TYPE_CHECKING:` do not count: nothing is run by them, they let two modules name each other's types. That a module
loads its package first does not count either: what a package gathers from its modules they never ask of it.
"""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import rulewright

PRODUCT = Path(rulewright.__file__).parent
GENERATOR = "rulewright.runtime.generate."  # its circles are known


def test_no_import_leads_back() -> None:
    found = [each for each in told(needs(PRODUCT)) if not each.startswith(GENERATOR)]
    assert not found, "\n".join(found)


def test_every_circle_is_told(tmp_path: Path) -> None:
    texts = {
        "__init__": "from sample.first import one\n",
        "first": "from sample.inner import second\nfrom sample import third\none = second\n",
        "inner.__init__": "",
        "inner.second": "def late():\n    import sample.first\n    return sample.first\n",
        "third": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from sample.first import one\n",
        "fourth": "try:\n    from sample.fifth import two\nexcept ImportError:\n    two = 0\n",
        "fifth": "from sample.fourth import two\n",
    }
    for name, text in texts.items():
        file = tmp_path / "sample" / f"{name.replace('.', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert sorted(told(needs(tmp_path / "sample"))) == [
        "sample.fifth imports sample.fourth, which imports sample.fifth",
        "sample.first imports sample.inner.second, which imports sample.first",
    ]


def told(needed: Mapping[str, set[str]]) -> list[str]:
    """Circles in words, each once and begun with its first name: so many that, all of them cut, none is left."""
    left = {name: set(others) for name, others in needed.items()}
    found = []
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as circle:
            names = circle.args[1][:-1][::-1]
            at = names.index(min(names))
            names = [*names[at:], *names[:at], names[at]]
            left[names[-2]].discard(names[-1])
            found.append(" imports ".join(names[:2]) + "".join(f", which imports {each}" for each in names[2:]))
        else:
            return found


def needs(package: Path) -> dict[str, set[str]]:
    """For each module of a package those it imports, by their full names."""
    files = {_name(file, package): file for file in package.rglob("*.py")}
    return {name: set(_imported(ast.parse(file.read_bytes()), files)) - {name} for name, file in files.items()}


def _name(file: Path, package: Path) -> str:
    return ".".join(file.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")


def _imported(node: ast.AST, files: Mapping[str, Path]) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (each.name for each in names if each.name in files)
        case ast.ImportFrom(module=str() as module, names=names):
            inner = [f"{module}.{each.name}" for each in names]
            yield from (each if each in files else module for each in inner if each in files or module in files)
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=otherwise):
            for each in otherwise:
                yield from _imported(each, files)
        case _:
            for each in ast.iter_child_nodes(node):
                yield from _imported(each, files)
