"""The page that `share` writes: engine, modules, plays and texts in one HTML file that asks nothing of a network.

What a ruleset says is data of the page, never markup: all of it is JSON, compressed and in base64, and shown by the
page as text. Scripts are let run by their digest alone.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.studio.page_modules import pack_page_modules

SHARED_PAGE_PREFIX = "<!doctype html>\n<!-- made by `rulewright share` -->\n"
"""Beginning of every page that `share` writes, by which it knows what it may write over."""
_STATIC = Path(__file__).with_name("static")
_ENGINE = _STATIC / "engine"
_ENGINE_PARTS = {"machine": "machine.wasm.gz", "library": "library.zip.gz", "worker": "worker.js.gz"}
_READY_MODULES = _ENGINE / "page.gz"
_COMPRESSION_LEVEL = 9
_UNTIL_IT_RUNS = (
    "This page plays a game. If nothing else appears in a few seconds, this browser is too old for it: "
    "Chrome or Edge 103, Firefox 113 and Safari 16.4, or newer, play it."
)
_WITHOUT_SCRIPT = "It needs JavaScript, and nothing else. A preview of files does not run it: open it in a browser."


@dataclass(frozen=True, slots=True)
class SharedPage:
    """What a page is made of besides the engine."""

    title: str
    plays: bytes  # of `store_plays`
    texts: Mapping[str, Any]  # what the page shows before a play begins, and beside it


def render_shared_page(page: SharedPage) -> str:
    """The page as one HTML file."""
    return SHARED_PAGE_PREFIX + "".join(f"{line}\n" for line in _page_lines(page))


def read_engine_facts() -> dict[str, Any]:
    """Versions, digests and the library of the engine."""
    facts: dict[str, Any] = json.loads((_ENGINE / "engine.json").read_text(encoding="utf-8"))
    return facts


@cache
def pack_modules_part() -> bytes:
    """The modules of a page, compressed; a site, which has no texts of modules, holds them ready."""
    return _READY_MODULES.read_bytes() if _READY_MODULES.is_file() else _compress(pack_page_modules())


def _page_lines(page: SharedPage) -> Iterator[str]:
    script = (_STATIC / "share.js").read_text(encoding="utf-8")
    style = (_STATIC / "share.css").read_text(encoding="utf-8")
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_write_policy(script, style)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{escape(page.title)}</title>"
    yield f"<style>{style}</style>"
    yield "</head>"
    yield "<body>"
    yield f'<main id="play"><p class="waits late">{_UNTIL_IT_RUNS}</p>'
    yield f'<noscript><p class="waits">{_WITHOUT_SCRIPT}</p></noscript></main>'
    yield from (_write_part(name, content) for name, content in _list_parts(page))
    yield f"<script>{script}</script>"
    yield "</body>"
    yield "</html>"


def _write_policy(script: str, style: str) -> str:
    """What the page may load: nothing, run: its own script and the worker in it, send: nothing."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(script)}' 'wasm-unsafe-eval'",
            f"style-src '{_digest(style)}'",
            "worker-src blob:",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _list_parts(page: SharedPage) -> Iterator[tuple[str, bytes]]:
    licences = [(folder / "licences.txt").read_text(encoding="utf-8") for folder in (_ENGINE, _STATIC)]
    texts = {**page.texts, "licences": "\n".join(licences)}
    yield "texts", _compress(json.dumps(texts, separators=(",", ":")).encode())
    for name, file in _ENGINE_PARTS.items():
        yield name, (_ENGINE / file).read_bytes()
    yield "modules", pack_modules_part()
    yield "plays", _compress(page.plays)


def _compress(content: bytes) -> bytes:
    return gzip.compress(content, _COMPRESSION_LEVEL, mtime=0)


def _write_part(name: str, content: bytes) -> str:
    return f'<script type="text/plain" id="part-{name}">{b64encode(content).decode()}</script>'
