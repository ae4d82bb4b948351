"""The modules of this package that a page without a server runs: found by their imports, compiled or made short.

What is compiled stands in `static/modules.zip.gz` (`npm run modules`), made by the Python of a page's engine when this
package was built, each by a digest of its text: a module that was changed since goes into a page as text, which the page
compiles.
"""

import ast
import gzip
import io
import json
import marshal
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

ENTRY_MODULES = (
    "rulewright.studio.page_importer",
    "rulewright.studio.page_play",
    "rulewright.explain.explanation",
    "rulewright.program.core.lowering",
    "rulewright.runtime.control_flow_builder",
    "rulewright.runtime.liveness",
    "rulewright.runtime.slicing",
)
"""Modules that a page imports by name, or when they are first wanted; all others follow from their imports."""
TABLES_NAME = "tables"
"""Name of a file in the package of a page: the tables of the parser."""
_PACKAGE = "rulewright"
_YAML = "yaml"
_LEFT_OUT = frozenset({"cyaml"})
"""Modules of YAML that are compiled."""
_NO_FOLDERS = "from pathlib import Path\n\n\ndef user_cache_path(*_):\n    return Path('cache')\n"
"""What stands for `platformdirs`: a page has no folder for what is cached."""


def pack_page_modules() -> bytes:
    """All modules that a page imports, for `page_importer`."""
    substitutes = {"platformdirs.py": _NO_FOLDERS}
    return pack_modules({**dict(_list_package_files()), **dict(_list_yaml_files()), **substitutes})


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


@cache
def list_imports(path: Path, *, is_lazy: bool = False) -> tuple[str, ...]:
    """Modules that a module imports when it is loaded, and names in them that may be modules themselves.

    With `is_lazy` also those that its functions import.
    """
    return tuple(_iterate_imports(path, is_lazy=is_lazy))


def _iterate_imports(path: Path, *, is_lazy: bool) -> Iterator[str]:
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
        yield f"{_PACKAGE}/{path.relative_to(package).as_posix()}", path.read_text(encoding="utf-8")


def _list_yaml_files() -> Iterator[tuple[str, str]]:
    spec = find_spec(_YAML)
    assert spec is not None
    assert spec.origin is not None
    for path in sorted(Path(spec.origin).parent.glob("*.py")):
        if path.stem not in _LEFT_OUT:
            yield f"{_YAML}/{path.name}", path.read_text(encoding="utf-8")


_STATIC = Path(__file__).with_name("static")
_COMPILED = _STATIC / "modules.zip.gz"
_ENGINE_FACTS = _STATIC / "engine/engine.json"
_DIGEST_CHARS = 20
_PLAIN_FORMAT = 2
"""Format of `marshal` that depends on values alone."""


def pack_modules(sources: Mapping[str, str]) -> bytes:
    """Modules by name of file, for `page_importer`."""
    compiled = _read_compiled_modules()
    packed = {name: compiled.get(_digest(source)) or shorten_source(source) for name, source in sorted(sources.items())}
    return marshal.dumps(packed, _PLAIN_FORMAT)


def write_sources(sources: Iterable[tuple[str, str]]) -> None:
    """Write to standard output what the build of the package compiles: digest, name of file and text of each module."""
    rows = {_digest(source): (name, shorten_source(source)) for name, source in sorted(sources)}
    json.dump([(digest, *row) for digest, row in rows.items()], sys.stdout)


def count_compiled(sources: Mapping[str, str]) -> int:
    """How many of some modules are compiled as they are now."""
    return sum(_digest(source) in _read_compiled_modules() for source in sources.values())


@cache
def _read_compiled_modules() -> Mapping[str, bytes]:
    """Bytecode by digest."""
    with zipfile.ZipFile(io.BytesIO(gzip.decompress(_COMPILED.read_bytes()))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@cache
def _read_engine_version() -> str:
    return str(json.loads(_ENGINE_FACTS.read_text(encoding="utf-8"))["pyodide"])


def _digest(source: str) -> str:
    """Of a module under the engine of today."""
    return sha256(f"{_read_engine_version()}\n{source}".encode()).hexdigest()[:_DIGEST_CHARS]


def shorten_source(source: str) -> str:
    """A module without comments and texts that document it; annotations stay as they are."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
