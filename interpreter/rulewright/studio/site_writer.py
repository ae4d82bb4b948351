"""The workbench as a static site: a folder of files that any web server hands out, and nothing is asked of it besides.

What runs there is `studio/page_desk.py`, started by `cli/page_process.py`. No text of a ruleset stands in the page: the
files that readers find there are JSON in base64, and are shown by the panes as those of a disk are. What the page imports
and reads is packed here: this package, what is shipped with it, and the libraries it needs, taken from this installation as far as they are pure Python.
What is compiled for a machine has no part in a page: without shapely boards on the plane cannot be measured, and without
wasmtime plays are counted one by one.
"""

import gzip
import io
import json
import zipfile
from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from rulewright import __version__
from rulewright.base.files import get_resource_folder
from rulewright.studio.page_modules import TABLES_NAME, list_imports, pack_modules
from rulewright.studio.shared_page import pack_modules_part
from rulewright.studio.work_folder import WorkFolder
from rulewright.syntax.engine import export_tables

DESCRIPTION_NAME = "site.json"
"""The file by which a folder is known as a site of ours."""
MAX_SITE_BYTES = 16_000_000
"""Limit of the bytes of the files that stand in a site from the beginning."""
_MADE_BY = "rulewright studio --site"
_STATIC = Path(__file__).with_name("static")
_ENGINE = _STATIC / "engine"
_ENGINE_PARTS = {
    "machine": "machine.wasm.gz",
    "worker": "worker.js.gz",
    "library": "library.zip.gz",
    "more": "more.zip.gz",
}
_BUNDLE_FILES = ("workbench.js", "workbench.css", "offline.js")
_COMPRESSION_LEVEL = 9
_DIGEST_CHARS = 24
_DEFAULT_NAME = "my-rules"
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; worker-src 'self' blob:; "
    "base-uri 'none'; form-action 'none'"
)
_CHARSET = '<meta charset="utf-8">'
_PAGE_HEAD = f"""{_CHARSET}
    <meta http-equiv="Content-Security-Policy" content="{_POLICY}">
    <meta name="referrer" content="no-referrer">
    <meta name="rulewright-engine" content="page">"""
"""What a page without a server says besides: what it may load, and that its engine runs in it."""


class SiteTooLargeError(Exception):
    """The files that were to stand in a site are too large together."""


def is_site(folder: Path) -> bool:
    """Whether a folder holds a site of ours."""
    try:
        description = json.loads((folder / DESCRIPTION_NAME).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(description, dict) and description.get("made_by") == _MADE_BY


def make_site_files(folder: Path | None) -> dict[str, bytes]:
    """All files of a site by path; those of `folder` are what its readers find there first.

    Raises:
        SiteTooLargeError: the files of the folder are too large.
    """
    parts = {name: (_ENGINE / file).read_bytes() for name, file in _ENGINE_PARTS.items()}
    parts["page"] = pack_modules_part()
    parts["modules"] = gzip.compress(pack_site_modules(), _COMPRESSION_LEVEL, mtime=0)
    beside = {name: (_STATIC / name).read_bytes() for name in _BUNDLE_FILES}
    first_files = {} if folder is None else dict(_read_first_files(folder))
    files = {
        "index.html": _make_page().encode(),
        **beside,
        **{f"parts/{name}.bin": content for name, content in parts.items()},
        "licences.txt": "\n".join(_list_licences()).encode(),
    }
    described = {
        "made_by": _MADE_BY,
        "version": __version__,
        "name": _name_folder(folder),
        "digest": _digest(files),
        "files": {path: b64encode(content).decode() for path, content in first_files.items()},
    }
    return {**files, DESCRIPTION_NAME: json.dumps(described, separators=(",", ":")).encode()}


def _make_page() -> str:
    """The page of the workbench, with its files beside it."""
    served = (_STATIC / "index.html").read_text(encoding="utf-8")
    assert served.count(_CHARSET) == 1
    return served.replace('"/static/', '"').replace(_CHARSET, _PAGE_HEAD)


def _read_first_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    size = 0
    for listed in WorkFolder(folder).scan_files():
        content = (folder / listed.path).read_bytes()
        size += len(content)
        if size > MAX_SITE_BYTES:
            raise SiteTooLargeError
        yield listed.path, content


def _name_folder(folder: Path | None) -> str:
    return (PurePosixPath(folder.resolve().as_posix()).name if folder is not None else "") or _DEFAULT_NAME


def _digest(files: Mapping[str, bytes]) -> str:
    digest = sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()[:_DIGEST_CHARS]


def _list_licences() -> Iterator[str]:
    for folder in (_ENGINE, _STATIC):
        yield (folder / "licences.txt").read_text(encoding="utf-8")
    names = packages_distributions()
    for name in sorted({one for library in PAGE_LIBRARIES for one in names.get(library, ())}):
        yield f"{'-' * 72}\n\n{name} {_read_licence(name)}\n"


def _read_licence(name: str) -> str:
    """Version and licence of a library of Python, in its own words."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return ""
    texts = [
        Path(str(file.locate())).read_text(encoding="utf-8", errors="replace").strip()
        for file in found.files or ()
        if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING")) and file.suffix != ".py"
    ]
    kind = str(found.metadata.json.get("license_expression") or found.metadata.json.get("license") or "")
    return "\n\n".join([f"{found.version} ({kind.splitlines()[0]})" if kind else found.version, *texts])


PAGE_LIBRARIES = (
    "attr",
    "attrs",
    "cattrs",
    "click",
    "jinja2",
    "lark",
    "lsprotocol",
    "markdown_it",
    "mdurl",
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
        "studio/server.py",
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


def list_site_imports() -> set[str]:
    """Names of modules outside this package and the libraries of a page that its modules import, at any time."""
    own = {_PACKAGE, *PAGE_LIBRARIES}
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
