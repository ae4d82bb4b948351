"""Pages and Markdown: well formed, whole without any other file, with nothing in them that steers or is markup."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from rulewright.base.files import get_resource_folder
from rulewright.cli.main import run_command_line
from rulewright.cli.reports import escape_markdown, format_code_block, format_code_span, render_template, split_sentence
from support.compared_wordings import compare_wordings
from support.html_pages import HtmlPage

HOUSE = {"strikes[n] > blocks[n]": "strikes[n] >= blocks[n]", "a tie goes to the defender": "<b>ties</b> & a tie"}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    place = tmp_path_factory.mktemp("pages")
    text = (get_resource_folder("rulesets") / "risk" / "risk.rules").read_text(encoding="utf-8")
    (place / "old.rules").write_text(text, encoding="utf-8")
    for old, new in HOUSE.items():
        assert old in text
        text = text.replace(old, new)
    (place / "new.rules").write_text(text, encoding="utf-8")
    sides = (str(place / "old.rules"), str(place / "new.rules"), "--work", "60000", "--workers", "1")
    assert run_command_line(("diff", *sides, "--html", str(place / "diff.html"))) == 1
    assert run_command_line(("cover", "risk", "--html", str(place / "coverage.html"))) == 0
    written = {each.name: each.read_text(encoding="utf-8") for each in place.glob("*.html")}
    return written | {"revisions.html": compare_wordings().page}


@pytest.mark.parametrize("name", ["diff.html", "revisions.html", "coverage.html"])
def test_a_page_is_well_formed_and_needs_nothing_else(pages: dict[str, str], name: str) -> None:
    attributes = [each for _, found in HtmlPage(pages[name]).tags for each in found.items()]
    ids = [value for key, value in attributes if key == "id"]
    assert len(ids) == len(set(ids))
    links = {value for key, value in attributes if key in {"href", "src"}}
    assert links <= {f"#{each}" for each in ids}
    assert not re.search(r"<script|<link|@import|url\(|https?:", pages[name])
    assert '<meta name="viewport" content="width=device-width' in pages[name]
    assert "@media print" in pages[name]


def test_nothing_of_a_text_is_markup_or_steers(pages: dict[str, str]) -> None:
    assert "&lt;b&gt;ties&lt;/b&gt; &amp; a tie" in pages["diff.html"]
    page = render_template("coverage.html", Nothing("a <i>\u202eb\x9b"))
    assert "<h1>a &lt;i&gt;&lt;U+202E&gt;b&lt;U+009B&gt;</h1>" in page


@dataclass(frozen=True)
class Nothing:
    """A report of coverage in which nothing is counted."""

    title: str
    counts: tuple[object, ...] = ()
    texts: tuple[object, ...] = ()
    documents: tuple[object, ...] = ()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a <b> [c](d) *e* #f | g", r"a \<b\> \[c\](d) \*e\* \#f \| g"),
        ("what `a < b` is", "what `a < b` is"),
        ("one ` alone < b", r"one \` alone \< b"),
        ("two\n\n# lines", r"two \# lines"),
        ("back\u202ewards\x9b", "back\\<U+202E\\>wards\\<U+009B\\>"),
    ],
)
def test_text_in_markdown_means_nothing(text: str, shown: str) -> None:
    assert escape_markdown(text) == shown


def test_code_in_markdown_ends_where_it_should() -> None:
    assert format_code_span("a") == "`a`"
    assert format_code_span("`a`") == "`` `a` ``"
    assert format_code_block(("OLD", "  ```")) == "  ````text\n  OLD\n    ```\n  ````"


def test_backticks_part_words_from_code() -> None:
    assert [(each.text, each.is_code) for each in split_sentence("now `a` and b")] == [
        ("now ", False),
        ("a", True),
        (" and b", False),
    ]


@dataclass(frozen=True)
class Short:
    title: str


@pytest.mark.parametrize("template", ["coverage.html", "diff.html", "diff.md", "trace.md"])
def test_what_a_report_lacks_is_told_and_not_left_blank(template: str) -> None:
    with pytest.raises(UndefinedError):
        render_template(template, Short("Short"))


def test_every_template_is_one_that_a_verb_renders() -> None:
    package = Path(render_template.__code__.co_filename).parent
    templates = [*(package / "templates").iterdir()]
    code_ = "".join(each.read_text(encoding="utf-8") for each in (*package.parent.rglob("*.py"), *templates))
    for each in templates:
        assert f'"{each.name}"' in code_, each.name


def test_a_title_that_a_sentence_says_of_somebody_stands_without_quotes() -> None:
    links = {"is not engaged": "#a", "may act first": "#b", "engaged": "#c"}
    said = "the unit “is not engaged”, is one of “may act first” for the row, is “engaged” and “has no title”"
    parts = split_sentence(said, links)
    assert "".join(each.text for each in parts) == said.replace("“is not engaged”", "is not engaged").replace(
        "“engaged”", "engaged"
    )
    assert [(each.text, each.link) for each in parts if each.link] == [
        ("is not engaged", "#a"),
        ("“may act first”", "#b"),
        ("engaged", "#c"),
    ]
