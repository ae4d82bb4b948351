"""Every example of the guide and the manual can be read, and the guide's ruleset plays as it says."""

import re
from pathlib import Path

import pytest

from rulewright.cli.main import execute
from rulewright.source import Text
from rulewright.syntax.parser import parse

GRAMMAR = Path(__file__).parents[2] / "grammar"
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(file: Path, language: str) -> list[str]:
    return [text for word, text in FENCED.findall(file.read_text(encoding="utf-8")) if word == language]


def examples(language: str) -> list[object]:
    return [
        pytest.param(text, id=f"{file.stem} {number}")
        for file in sorted(GRAMMAR.rglob("*.md"))
        for number, text in enumerate(blocks(file, language), 1)
    ]


def whole(text: str) -> str:
    return text if re.match(r"ruleset|amends|use", text) else f'ruleset example "Example" revision "1"\n{text}'


@pytest.mark.parametrize("text", examples("rules"))
def test_rules_of_the_manual_can_be_read(text: str) -> None:
    assert parse(Text("example.rules", whole(text))).diagnostics == ()


@pytest.mark.parametrize("text", examples("steps"))
def test_lines_of_the_manual_can_be_read(text: str) -> None:
    lines = "".join(f"  {line}\n" for line in text.splitlines())
    assert parse(Text("example.rules", whole(f"procedure example():\n{lines}"))).diagnostics == ()


@pytest.fixture
def guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rules = blocks(GRAMMAR / "README.md", "rules")
    (tmp_path / "skirmish.rules").write_text("\n".join(rules[:3]), encoding="utf-8")
    (tmp_path / "tie.rules").write_text(rules[3], encoding="utf-8")
    header = 'amends mel revision "1-mine"\ndocument HR "Our house rules"\n'
    (tmp_path / "braver.rules").write_text(header + rules[4], encoding="utf-8")
    (tmp_path / "breath.rules").write_text(header + rules[5], encoding="utf-8")
    state, script = blocks(GRAMMAR / "README.md", "yaml")
    (tmp_path / "state.yaml").write_text(state, encoding="utf-8")
    (tmp_path / "script.yaml").write_text(script, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("guide")
def test_the_ruleset_of_the_guide_plays(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["check", "skirmish.rules"]) == 0
    roles = ["--with", "striker=gawain", "--with", "target=mordred"]
    files = ["--state", "state.yaml", "--script", "script.yaml"]
    assert execute(["run", "skirmish.rules", "strike", *files, *roles, "--trace", "none"]) == 0
    assert "mordred.health: 2 → 0" in capsys.readouterr().out


@pytest.mark.usefixtures("guide")
@pytest.mark.parametrize("overlay", ["tie", "braver", "breath"])
def test_the_edits_of_the_guide_fit_mel(overlay: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["check", "mel", "--overlay", f"{overlay}.rules"]) == 0
    assert capsys.readouterr().err == ""
