"""All that the workbench in a page imports and reads: this package, what is shipped with it, and the libraries it needs.

Libraries are taken from this installation, as far as they are pure Python. What is compiled for a machine has no part in
a page: without shapely boards on the plane cannot be measured, and without wasmtime plays are counted one by one.
"""

import io
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from rulewright.base.installation import get_resource_folder
from rulewright.studio.compiled_modules import pack_modules
from rulewright.studio.page_modules import TABLES_NAME, list_imports, read_schema_substitute
from rulewright.syntax.engine import export_tables

PAGE_LIBRARIES = (
    "attr",
    "attrs",
    "cattrs",
    "click",
    "jinja2",
    "lark",
    "lsprotocol",
    "markupsafe",
    "platformdirs",
    "pygls",
    "typing_extensions",
    "yaml",
)
"""Libraries of a page, by the names under which they are imported."""

_MODULES_NAME = "modules"
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_PACKAGE = "rulewright"
_LEFT_OUT = frozenset(
    {
        "__main__.py",
        "cli/standby_process.py",
        "cli/studio.py",
        "pytest_plugin.py",
        "studio/command_runner.py",
        "studio/language_socket.py",
        "studio/page_jsonschema.py",
        "studio/request_gate.py",
        "studio/server.py",
        "studio/site_modules.py",
        "studio/site_writer.py",
    }
)
"""Modules of this package that only a machine with processes runs."""
_LIBRARY_FILES = frozenset({".json", ".lark", ".py"})
_UNUSED_FOLDERS = frozenset({"__pycache__", "static", "tests", "benchmarks", "preconf", "__pyinstaller", "tools"})
_SHARED_PAGE_FILES = ("engine/engine.json", "engine/licences.txt", "licences.txt", "share.css", "share.js")
"""Files in `static` of which a site makes shared pages, besides those that it fetches for that."""
_RESOURCES = ("grammar", "rulesets", "starters")


def pack_site_modules() -> bytes:
    """A ZIP file of it all, the modules as one file in it; stored without compression: it is compressed as a whole."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as packed:
        for name, data in sorted(_list_files()):
            packed.writestr(zipfile.ZipInfo(name, _ZIP_TIME), data)
        packed.writestr(zipfile.ZipInfo(_MODULES_NAME, _ZIP_TIME), pack_modules(dict(list_sources())))
    return content.getvalue()


def list_sources() -> Iterator[tuple[str, str]]:
    """Texts of all modules, by the names of their files in a page."""
    for name, path in _list_paths():
        if path.suffix == ".py":
            yield name, path.read_text(encoding="utf-8")
    yield read_schema_substitute()


def list_site_imports() -> set[str]:
    """Names of modules outside this package and the libraries of a page that its modules import, at any time."""
    own = {_PACKAGE, *PAGE_LIBRARIES, "jsonschema"}
    imported = {
        name
        for path in _package_folder().rglob("*.py")
        if _is_packed(path)
        for name in list_imports(path, is_lazy=True)
    }
    return {name for name in imported if name.partition(".")[0] not in own}


def _list_files() -> Iterator[tuple[str, bytes]]:
    """What is no module: contents by name."""
    yield f"{_PACKAGE}/{TABLES_NAME}", export_tables()
    for name, path in _list_paths():
        if path.suffix != ".py":
            yield name, path.read_bytes()


def _list_paths() -> Iterator[tuple[str, Path]]:
    """All files, by name in a page."""
    folder = _package_folder()
    for path in _walk_files(folder):
        inside = path.relative_to(folder)
        is_room_page = path.name == "README.md" and (path.parent / "__init__.py").is_file()
        if inside.parts[0] not in _RESOURCES and _is_packed(path) and not is_room_page:
            yield f"{_PACKAGE}/{inside.as_posix()}", path
    static = folder / "studio/static"
    yield from ((f"{_PACKAGE}/studio/static/{name}", static / name) for name in _SHARED_PAGE_FILES)
    for kind in _RESOURCES:
        folder = get_resource_folder(kind)
        for path in _walk_files(folder):
            yield f"{_PACKAGE}/{kind}/{path.relative_to(folder).as_posix()}", path
    for library in PAGE_LIBRARIES:
        yield from _list_library_paths(library)


def _list_library_paths(library: str) -> Iterator[tuple[str, Path]]:
    spec = find_spec(library)
    assert spec is not None
    assert spec.origin is not None
    origin = Path(spec.origin)
    if origin.name != "__init__.py":
        yield origin.name, origin
        return
    for path in _walk_files(origin.parent):
        if path.suffix in _LIBRARY_FILES:
            yield f"{library}/{path.relative_to(origin.parent).as_posix()}", path


def _package_folder() -> Path:
    return Path(__file__).parents[1]


def _is_packed(path: Path) -> bool:
    return path.relative_to(_package_folder()).as_posix() not in _LEFT_OUT


def _walk_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not _UNUSED_FOLDERS & set(path.relative_to(folder).parts):
            yield path
