"""The pages of the manual about scenarios: a reader who does what they say, in order, sees what they show."""

import re
from html import escape
from pathlib import Path

import pytest
from cases import console

MANUAL = Path(__file__).parents[2] / "grammar/manual"
BLOCK = re.compile(
    r"^```(?P<kind>rules|yaml|console)(?: (?P<name>\S+))?\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL
)


def followed(text: str, folder: Path) -> str:
    """The page with what its commands print, each block done when it is come to."""

    def done(block: re.Match[str]) -> str:
        if block["kind"] == "console":
            return f"```console\n{console(block['content'], folder)}```"
        (folder / block["name"]).write_text(block["content"], encoding="utf-8")
        return block[0]

    return BLOCK.sub(done, text)


@pytest.mark.parametrize("name", ["25-scenarios.md", "27-a-scenario-first.md", "29-comparing.md"])
def test_a_page_goes_as_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, accept: bool) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    page = MANUAL / name
    written = page.read_text(encoding="utf-8")
    played = followed(written, tmp_path)
    if accept:
        page.write_text(played, encoding="utf-8")
    assert played == written


def test_the_page_of_coverage_shows_what_the_guide_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    guide = (MANUAL / "27-a-scenario-first.md").read_text(encoding="utf-8")
    followed(guide, tmp_path)
    shown = (tmp_path / "tie.html").read_text(encoding="utf-8")
    told, rules = "reached by the attacker wins a tie", (tmp_path / "mine.rules").read_text(encoding="utf-8")
    line = re.escape(escape(rules.splitlines()[3]))
    assert f"`{told}`" in guide
    assert re.search(rf'<span class="line full" id="t\d+-4" title="{told}"><i>   4  </i>{line}\n', shown)
    assert [Path(each).name for each in re.findall("<h2>(.*)</h2>\n<pre>", shown)] == ["mel.rules", "mine.rules"]
    lines = re.findall('<span class="line (full|none|part)', shown)
    assert min(map(lines.count, ("none", "part"))) > 20
    assert '<aside class="clauses">' in shown
