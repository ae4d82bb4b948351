"""Every console block of the documentation shows what its commands print; `--accept` writes it anew."""

import re
from html import unescape
from pathlib import Path

import pytest

from support.documentation_pages import GRAMMAR, list_pages, run_page

LEARN = sorted((GRAMMAR / "learn").glob("*.md"))
"""Pages that follow each other: what one writes, the next has."""


def _shown(page: Path, folder: Path, *, accept: bool) -> tuple[str, str]:
    """What a page shows and what there is to show."""
    written = page.read_text(encoding="utf-8")
    played = run_page(written, folder)
    if accept:
        page.write_text(played, encoding="utf-8")
    return written, played


@pytest.mark.parametrize("page", [pytest.param(each, id=each.stem) for each in list_pages() if each not in LEARN])
def test_a_page_goes_as_it_says(page: Path, tmp_path: Path, *, accept: bool) -> None:
    written, played = _shown(page, tmp_path, accept=accept)
    assert played == written


def test_the_pages_to_learn_from_go_as_they_say(tmp_path: Path, *, accept: bool) -> None:
    for written, played in [_shown(page, tmp_path, accept=accept) for page in LEARN]:
        assert played == written


def test_the_page_of_coverage_shows_what_the_guide_says(tmp_path: Path) -> None:
    guide = (GRAMMAR / "manual/27-a-scenario-first.md").read_text(encoding="utf-8")
    run_page(guide, tmp_path)
    shown = (tmp_path / "tie.html").read_text(encoding="utf-8")
    told, rules = "reached by the attacker wins a tie", (tmp_path / "mine.rules").read_text(encoding="utf-8")
    line = re.escape(rules.splitlines()[3])
    assert f"`{told}`" in guide
    assert re.search(rf'<span class="line full" id="t\d+-4" title="{told}"><i>   4  </i>{line}\n', unescape(shown))
    files = [Path(each).name for each in re.findall("<h2>(.*)</h2>\n<pre>", shown)]
    assert files == ["mel.rules", "mel_things.rules", "mine.rules"]
    lines = re.findall('<span class="line (full|none|part)', shown)
    assert min(map(lines.count, ("none", "part"))) > 20
    assert '<aside class="clauses">' in shown
