"""Pages of the diagnostics: what a code means, a text that fails, the same text mended.

The pages are Markdown files `pages/RWnnnn-*.md` with front matter, read one by one on demand.
"""

import re
from functools import cache
from pathlib import Path

from rulewright.base.frozen import dataclass

_PAGES_FOLDER = Path(__file__).parent / "pages"
_FENCED_BLOCK = re.compile(r"^```(?P<kind>[^\n`]*)\n(?P<content>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """A fenced code block of a page: its info string (`rules`, `message`, `state` …) and its content."""

    kind: str
    content: str


@dataclass(frozen=True, slots=True)
class DiagnosticPage:
    """The parsed page of one diagnostic code."""

    code: str
    title: str
    severity: str  # `error`, `warning` or `hint`
    text: str  # what it means and how to mend it; paragraphs of Markdown
    fails: tuple[FencedBlock, ...]  # the failing example, with the exact message
    mended: tuple[FencedBlock, ...]  # the same example mended
    foreseen: tuple[str, ...] = ()  # of a fault: codes of the warnings that predict it
    otherwise: str = ""  # of a fault: causes that no warning predicts


@cache
def list_page_files() -> dict[str, Path]:
    """The page file of every code, in order of code."""
    return {path.name[:6]: path for path in sorted(_PAGES_FOLDER.glob("RW[0-9][0-9][0-9][0-9]-*.md"))}


def find_page(code: str) -> DiagnosticPage | None:
    """The page of a code, in upper or lower case; none for an unknown code."""
    path = list_page_files().get(code.upper())
    return parse_page(path.read_text(encoding="utf-8")) if path else None


def parse_page(content: str) -> DiagnosticPage:
    """Page parsed from its Markdown.

    Raises:
        ValueError: no front matter, or a key of it is missing.
    """
    matter, body = _split_front_matter(content)
    text, _, examples = body.partition("\n## Fails\n")
    fails, _, mended = examples.partition("\n## Mended\n")
    return DiagnosticPage(
        code=_get_front_matter_value(matter, "code"),
        title=_get_front_matter_value(matter, "title"),
        severity=_get_front_matter_value(matter, "severity"),
        text=text.strip(),
        fails=_find_fenced_blocks(fails),
        mended=_find_fenced_blocks(mended),
        foreseen=tuple(filter(None, map(str.strip, matter.get("foreseen", "").split(",")))),
        otherwise=matter.get("otherwise", ""),
    )


def _split_front_matter(content: str) -> tuple[dict[str, str], str]:
    opening, _, rest = content.partition("---\n")
    matter, closing, body = rest.partition("\n---\n")
    if opening or not closing:
        raise ValueError("a page begins with its front matter")
    pairs = (line.partition(":") for line in matter.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}, body


def _get_front_matter_value(matter: dict[str, str], key: str) -> str:
    if key not in matter:
        raise ValueError(f"the front matter of a page needs `{key}`")
    return matter[key]


def _find_fenced_blocks(section: str) -> tuple[FencedBlock, ...]:
    return tuple(FencedBlock(match_["kind"].strip(), match_["content"]) for match_ in _FENCED_BLOCK.finditer(section))
