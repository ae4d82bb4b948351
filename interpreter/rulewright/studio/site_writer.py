"""The workbench as a static site: a folder of files that any web server hands out, and nothing is asked of it besides.

What runs there is `cli/page_process.py`. No text of a ruleset stands in the page: the files that readers find there are
JSON in base64, and are shown by the panes as those of a disk are.
"""

import gzip
import json
import shutil
import tempfile
from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path, PurePosixPath

from rulewright import __version__
from rulewright.studio.shared_page import pack_modules_part
from rulewright.studio.site_modules import PAGE_LIBRARIES, pack_site_modules
from rulewright.studio.work_folder import WorkFolder

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


def write_site(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a site into a folder that is not there, is empty, or holds a site of ours: all of it or nothing.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        made, former = aside / "made", aside / "former"
        for name, content in files.items():
            place = made / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        if folder.exists():
            folder.rename(former)
        try:
            made.rename(folder)
        except OSError:
            if former.exists():
                former.rename(folder)
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


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
