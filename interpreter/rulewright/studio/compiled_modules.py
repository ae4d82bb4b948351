"""Modules as a page gets them: compiled by the Python of its engine when this package was built, else as text.

What is compiled stands in `static/modules.zip.gz` (`npm run modules`), each by a digest of its text: a module that was changed
since goes into a page as text, which the page compiles.
"""

import ast
import gzip
import io
import json
import marshal
import sys
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

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
