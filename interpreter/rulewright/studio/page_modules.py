"""The modules of this package that a page without a server runs, found by their imports and made short."""

import ast
import json
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from rulewright.studio import page_jsonschema

ENTRY_MODULES = (
    "rulewright.studio.page_importer",
    "rulewright.studio.page_play",
    "rulewright.explain.explanation",
)
"""Modules that a page imports by name; all others follow from their imports."""
TABLES_NAME = "tables"
"""Name of a file in the package of a page: the tables of the parser."""
_PACKAGE = "rulewright"
_YAML = "yaml"
_LEFT_OUT = frozenset({"cyaml"})
"""Modules of YAML that are compiled."""
_SUBSTITUTES = {
    "platformdirs.py": "from pathlib import Path\n\n\ndef user_cache_path(*_):\n    return Path('cache')\n",
    "jsonschema.py": Path(page_jsonschema.__file__).read_text(encoding="utf-8"),
}
"""Modules that stand for libraries of which a page has little use: it has no folder for what is cached, and few schemas."""

_Body = TypeVar("_Body", ast.Module, ast.ClassDef, ast.FunctionDef)


@cache
def pack_page_modules() -> bytes:
    """JSON of all modules that a page imports: text by name of file, for `page_importer`."""
    substitutes = {name: shorten_source(source) for name, source in _SUBSTITUTES.items()}
    sources = {**dict(_list_package_files()), **dict(_list_yaml_files()), **substitutes}
    return json.dumps(sources, sort_keys=True, ensure_ascii=False).encode()


def list_imported_names() -> set[str]:
    """Names of modules outside this package that its modules in a page import when they are loaded."""
    imported = {name for module in find_page_modules().values() for name in list_imports(module)}
    return {name for name in imported if name.partition(".")[0] != _PACKAGE}


def find_page_modules() -> dict[str, Path]:
    """Files by name of all modules of this package that a page imports."""
    found: dict[str, Path] = {}
    waiting = list(ENTRY_MODULES)
    while waiting:
        name = waiting.pop()
        path = _find_module_file(name)
        if name in found or path is None:
            continue
        found[name] = path
        waiting += [name.rpartition(".")[0], *(each for each in list_imports(path) if each.startswith(f"{_PACKAGE}."))]
    return found


def _find_module_file(name: str) -> Path | None:
    if not name:
        return None
    place = Path(__file__).parents[1].joinpath(*name.split(".")[1:])
    candidates = (place / "__init__.py", place.with_suffix(".py"))
    return next((path for path in candidates if path.is_file()), None)


def list_imports(path: Path, *, is_lazy: bool = False) -> Iterator[str]:
    """Modules that a module imports when it is loaded, and names in them that may be modules themselves.

    With `is_lazy` also those that its functions import.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if is_lazy else _walk_loaded(tree.body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            if node.module.partition(".")[0] == _PACKAGE:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _walk_loaded(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.If):
            is_checked = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
            yield from _walk_loaded(node.orelse if is_checked else [*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            yield from _walk_loaded([*node.body, *node.orelse, *node.finalbody])
        elif isinstance(node, ast.With):
            yield from _walk_loaded(node.body)


def _list_package_files() -> Iterator[tuple[str, str]]:
    package = Path(__file__).parents[1]
    for path in find_page_modules().values():
        yield f"{_PACKAGE}/{path.relative_to(package).as_posix()}", shorten_source(path.read_text(encoding="utf-8"))


def _list_yaml_files() -> Iterator[tuple[str, str]]:
    spec = find_spec(_YAML)
    assert spec is not None
    assert spec.origin is not None
    for path in sorted(Path(spec.origin).parent.glob("*.py")):
        if path.stem not in _LEFT_OUT:
            yield f"{_YAML}/{path.name}", shorten_source(path.read_text(encoding="utf-8"))


def shorten_source(source: str) -> str:
    """A module without comments, texts that document it, and annotations that nothing reads.

    Annotations of classes stay, as texts, for data classes are made of them.
    """
    tree = _Shortener().visit(ast.parse(source))
    if not any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body):
        tree.body.insert(0, ast.ImportFrom("__future__", [ast.alias("annotations")], 0))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def shorten_texts(source: str) -> str:
    """A module without comments and texts that document it; annotations stay as they are."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


class _Shortener(ast.NodeTransformer):
    def __init__(self) -> None:
        self._is_in_class = [False]

    def visit_Module(self, node: ast.Module) -> ast.Module:
        return self._shorten_body(node, is_class=False)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return self._shorten_body(node, is_class=True)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        given = node.args
        for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
            if argument is not None:
                argument.annotation = None
        return self._shorten_body(node, is_class=False)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        if self._is_in_class[-1]:
            return node
        return ast.Pass() if node.value is None else ast.Assign([node.target], node.value)

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        is_checked = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return (node.orelse or [ast.Pass()]) if is_checked else node

    def _shorten_body(self, node: _Body, *, is_class: bool) -> _Body:
        node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
        self._is_in_class.append(is_class)
        self.generic_visit(node)
        self._is_in_class.pop()
        return node


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
