"""Reports as pages of HTML and as Markdown: plain data put into the templates of this package.

Nothing that a template shows can be taken for markup: it is escaped as it is put in, for HTML or for Markdown, and
characters that steer or reorder are spelt out. A page needs no other file, and nothing from elsewhere.
"""

import re
from collections.abc import Mapping
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from rulewright.chapter.english import SAYS
from rulewright.diagnostics.terminal import visible, visible_lines
from rulewright.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Environment

_SPACE = re.compile(r"\s+")
_MEANING = re.compile(r"([*<>\[\]|#])")
_TICKS = re.compile("`+")
_QUOTED = re.compile("(“[^“”]*”)")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence: words, which may lead somewhere, or code."""

    text: str
    is_code: bool = False
    link: str = ""


def parts_of(text: str, links: Mapping[str, str] = {}) -> tuple[Part, ...]:
    """A sentence in its pieces; what stands between backticks is code, a title between quotes may have a link."""
    pieces = text.split("`")
    return tuple(
        part
        for number, each in enumerate(pieces)
        for part in ([Part(each, is_code=True)] if number % 2 else _titles(each, links))
        if part.text
    )


def _titles(text: str, links: Mapping[str, str]) -> list[Part]:
    pieces = _QUOTED.split(text)
    return [
        _title(each, links.get(each[1:-1], ""), after) if each[:1] == "“" else Part(each)
        for each, after in zip_longest(pieces, pieces[1:], fillvalue="")
    ]


def _title(quoted: str, link: str, after: str) -> Part:
    """A title between quotes; one that is what a sentence says of somebody, `is not engaged`, needs none."""
    says = link and quoted[1:].partition(" ")[0] in SAYS and not after.startswith(" for ")
    return Part(quoted[1:-1] if says else quoted, link=link)


def _linked(text: str, links: Mapping[str, str]) -> str:
    """A sentence in Markdown, whose titles between quotes lead to what has them."""
    if text.count("`") % 2:
        return inline(text)
    told = [
        (inline(f"`{each.text}`") if each.is_code else inline(each.text), each.link) for each in parts_of(text, links)
    ]
    return "".join(f"[{said}](#{link})" if link else said for said, link in told)


def rendered(template: str, report: object) -> str:
    """A report in a template of this package, which finds it under the name `report`.

    Raises:
        jinja2.UndefinedError: the template asks for what the report has not.
    """
    environment = _markdown() if template.endswith(".md") else _html()
    return environment.get_template(template).render(report=report)


def prepare() -> None:
    """Reads the templates that are wanted most, for a process that waits."""
    for name in ("chapter.html", "chart.svg"):
        _html().get_template(name)


@cache
def _html() -> "Environment":
    made = _environment(_in_html)
    made.filters["parts"] = parts_of
    return made


@cache
def _markdown() -> "Environment":
    from markupsafe import Markup  # noqa: PLC0415 - wanted with reports only

    made = _environment(_in_markdown)
    made.filters["code"] = lambda text: Markup(code(text))  # noqa: S704 - fenced
    made.filters["linked"] = lambda text, links: Markup(_linked(text, links))  # noqa: S704 - escaped
    made.filters["fenced"] = lambda lines: Markup(fenced(lines))  # noqa: S704 - fenced
    return made


def _environment(finalize: "Callable[[object], object]") -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - wanted with reports only

    return Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )


def _in_html(value: object) -> object:
    """What is put into HTML, before it is escaped; what templates made themselves stays."""
    return visible_lines(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _in_markdown(value: object) -> object:
    """What is put into Markdown, escaped; what templates made themselves stays."""
    from markupsafe import Markup  # noqa: PLC0415 - wanted with reports only

    is_made = hasattr(value, "__html__") or not isinstance(value, str)
    return value if is_made else Markup(inline(str(value)))  # noqa: S704 - escaped


def inline(text: str) -> str:
    """A text with nothing in it that means something in Markdown; what stands between backticks is left as it is."""
    parts = visible(_SPACE.sub(" ", text)).split("`")
    if len(parts) % 2 == 0:
        return "\\`".join(map(_escaped, parts))
    return "`".join(part if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _escaped(text: str) -> str:
    return _MEANING.sub(r"\\\1", text)


def code(text: str) -> str:
    """A text as code in a line of Markdown, between more backticks than stand next to each other in it."""
    text = visible(text)
    fence = "`" * (1 + _longest_run(text))
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def fenced(lines: tuple[str, ...]) -> str:
    """Lines as a block of text in an item of a list, between more backticks than stand next to each other in them."""
    fence = "`" * max(3, 1 + _longest_run("\n".join(lines)))
    return "\n".join([f"  {fence}text", *(f"  {visible(line)}" for line in lines), f"  {fence}"])


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)
