"""The pages of the manual about scenarios: a reader who does what they say, in order, sees what they show."""

import re
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


@pytest.mark.parametrize("name", ["25-scenarios.md", "27-a-scenario-first.md"])
def test_a_page_goes_as_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, accept: bool) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    page = MANUAL / name
    written = page.read_text(encoding="utf-8")
    played = followed(written, tmp_path)
    if accept:
        page.write_text(played, encoding="utf-8")
    assert played == written
