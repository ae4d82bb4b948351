"""Reports as HTML pages and as Markdown, from plain data and the Jinja templates of this package.

Values are escaped for HTML or Markdown, and control and bidirectional characters are spelt out. A page needs no other
file, and nothing from elsewhere.
"""

import re
from collections.abc import Mapping
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from rulewright.base.diagnostics import make_lines_visible, make_visible
from rulewright.base.frozen import dataclass
from rulewright.cli.chapter_prose import format_prose_html, format_prose_markdown
from rulewright.wording.english import PREDICATE_VERBS

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Environment

_SPACE_PATTERN = re.compile(r"\s+")
_MARKDOWN_SPECIALS = re.compile(r"([*<>\[\]|#])")
_BACKTICKS_PATTERN = re.compile("`+")
_QUOTED_PATTERN = re.compile("(“[^“”]*”)")


@dataclass(frozen=True, slots=True)
class SentencePart:
    """A piece of a sentence: words, perhaps with a link, or code."""

    text: str
    is_code: bool = False
    link: str = ""


def split_sentence(text: str, links: Mapping[str, str] = {}) -> tuple[SentencePart, ...]:
    """Pieces of a sentence: code between backticks, and quoted titles, linked if `links` has them."""
    parts = list[SentencePart]()
    for number, piece in enumerate(text.split("`")):
        if number % 2:
            parts.append(SentencePart(piece, is_code=True))
            continue
        titles = _QUOTED_PATTERN.split(piece)
        parts += (
            _make_title_part(item, links.get(item[1:-1], ""), after) if item[:1] == "“" else SentencePart(item)
            for item, after in zip_longest(titles, titles[1:], fillvalue="")
        )
    return tuple(part for part in parts if part.text)


def _make_title_part(quoted: str, link: str, after: str) -> SentencePart:
    """A quoted title; a link stands for the quotes, but not around a question or a title that the words speak about."""
    is_predicate = quoted[1:].partition(" ")[0] in PREDICATE_VERBS
    is_mentioned = after.startswith((" applies", " does not apply")) or (is_predicate and after.startswith(" for "))
    is_plain = link and not quoted.endswith("?”") and not is_mentioned
    return SentencePart(quoted[1:-1] if is_plain else quoted, link=link)


def _link_titles(text: str, links: Mapping[str, str]) -> str:
    if text.count("`") % 2:
        return escape_markdown(text)
    parts = (
        (escape_markdown(f"`{part.text}`" if part.is_code else part.text), part.link)
        for part in split_sentence(text, links)
    )
    return "".join(f"[{title}](#{link})" if link else title for title, link in parts)


def render_template(template: str, report: object) -> str:
    """A report in a template of this package, where its name is `report`.

    Raises:
        jinja2.UndefinedError: the template uses an attribute that the report lacks.
    """
    environment = _markdown_environment() if template.endswith(".md") else _html_environment()
    return environment.get_template(template).render(report=report)


def preload_templates() -> None:
    """Compile the most used templates, for standby processes."""
    for name in ("chapter.html", "chart.svg"):
        _html_environment().get_template(name)


@cache
def _html_environment() -> "Environment":
    from markupsafe import Markup  # noqa: PLC0415 - wanted with reports only

    environment = _make_environment(_finalize_html)
    environment.filters["parts"] = split_sentence
    environment.filters["curly"] = lambda text: text.replace("'", "’")  # noqa: RUF001
    environment.filters["css_string"] = _escape_css_string
    environment.filters["prose"] = lambda prose: Markup(format_prose_html(prose))  # noqa: S704 - escaped
    return environment


def _escape_css_string(text: str) -> str:
    """A text as it stands between the quotes of a string in CSS."""
    return "".join(each if each.isalnum() or each == " " else f"\\{ord(each):x} " for each in text)


@cache
def _markdown_environment() -> "Environment":
    from markupsafe import Markup  # noqa: PLC0415 - wanted with reports only

    environment = _make_environment(_finalize_markdown)
    environment.filters["code"] = lambda text: Markup(format_code_span(text))  # noqa: S704 - fenced
    environment.filters["linked"] = lambda text, links: Markup(_link_titles(text, links))  # noqa: S704 - escaped
    environment.filters["prose"] = lambda prose: Markup(format_prose_markdown(prose))  # noqa: S704 - an author's
    environment.filters["fenced"] = lambda lines: Markup(format_code_block(lines))  # noqa: S704 - fenced
    return environment


def _make_environment(finalize: "Callable[[object], object]") -> "Environment":
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


def _finalize_html(value: object) -> object:
    """Value before HTML escaping; markup of templates stays."""
    return make_lines_visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _finalize_markdown(value: object) -> object:
    """Value escaped for Markdown; markup of templates stays."""
    from markupsafe import Markup  # noqa: PLC0415 - wanted with reports only

    is_made = hasattr(value, "__html__") or not isinstance(value, str)
    return value if is_made else Markup(escape_markdown(str(value)))  # noqa: S704 - escaped


def escape_markdown(text: str) -> str:
    """A text with Markdown specials escaped, except between backticks."""
    parts = make_visible(_SPACE_PATTERN.sub(" ", text)).split("`")
    if len(parts) % 2 == 0:
        return "\\`".join(map(_escape_specials, parts))
    return "`".join(part if number % 2 else _escape_specials(part) for number, part in enumerate(parts))


def _escape_specials(text: str) -> str:
    return _MARKDOWN_SPECIALS.sub(r"\\\1", text)


def format_code_span(text: str) -> str:
    """A text as Markdown code, between more backticks than any run in it."""
    text = make_visible(text)
    fence = "`" * (1 + _longest_backtick_run(text))
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def format_code_block(lines: tuple[str, ...]) -> str:
    """Lines as a fenced block in a list item, with a fence longer than any run of backticks in them."""
    fence = "`" * max(3, 1 + _longest_backtick_run("\n".join(lines)))
    return "\n".join([f"  {fence}text", *(f"  {make_visible(line)}" for line in lines), f"  {fence}"])


def _longest_backtick_run(text: str) -> int:
    return max(map(len, _BACKTICKS_PATTERN.findall(text)), default=0)
