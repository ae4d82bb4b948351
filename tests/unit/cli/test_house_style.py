"""What `check` tells of style, what a comment silences, and what a project says it weighs."""

from pathlib import Path

import pytest

from rulewright import api
from rulewright.cli.main import execute
from rulewright.diagnostics.pages import Block, page
from support.duel import RULES, Run

RULESET = """\
ruleset vigil "Vigil" revision "1"
kind player, players:
  watch_fires: 0..9 = 0
procedure keep(p: player) "Keep":
{}"""
QUESTION = '  ask p whether go_on{} "Go on"{}:{}\n    add up to 1 to p.watch_fires\n'


def _first_lines(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if line.startswith(("error", "warning", "hint", "  -->"))]


def _run(blocks: tuple[Block, ...], capsys: pytest.CaptureFixture[str]) -> str:
    held = {block.kind: block.content for block in blocks}
    Path("example.rules").write_text(held["rules"], encoding="utf-8")
    if "project" in held:
        Path("rulewright.toml").write_text(held["project"], encoding="utf-8")
    assert execute(held["run"].split()[1:]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("code", [f"RW059{last}" for last in range(6)])
def test_a_page_shows_what_check_tells(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = page(code)
    assert found
    told = next(each.content for each in found.fails if each.kind == "message").splitlines()
    assert _first_lines(_run(found.fails, capsys)) == told
    assert _first_lines(_run(found.mended, capsys)) == []


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ("  # quiet RW0590: as the book has it\n" + QUESTION.format("", "", ""), "fine, 1 silenced"),
        (QUESTION.format("", "", "  # quiet RW0590, RW0404: as the book has it"), "fine, 1 warning, 1 silenced"),
        (QUESTION.format("", "", "") + "  # quiet RW0590: too late\n  nothing\n", "fine, 1 warning, 1 hint"),
        (QUESTION.format(" when 1 = 1", "", "  # quiet RW0590: here, and nowhere else"), "fine, 1 warning, 1 silenced"),
        ("  # quiet RW9999: no such code\n  add up to 1 to p.watch_fires\n", "fine, 1 warning"),
    ],
)
def test_a_comment_silences_its_line_and_what_is_below_it(lines: str, verdict: str, run: Run) -> None:
    Path("vigil.rules").write_text(RULESET.format(lines), encoding="utf-8")
    assert run("check", "vigil.rules").out.splitlines()[-1].startswith(f"vigil.rules: {verdict}")


def test_what_is_silenced_is_not_mended(run: Run) -> None:
    text = RULESET.format("  # quiet RW0535: people read it\n  let n = p.watch_fires\n  nothing\n")
    Path("vigil.rules").write_text(text, encoding="utf-8")
    assert run("check", "vigil.rules", "--fix", "--unsafe").exit == 0
    assert Path("vigil.rules").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("project", "ended", "told"),
    [
        ('RW0590 = "off"', 0, []),
        ('RW0590 = "error"', 1, ["error RW0590: this question has no question mark", "  --> vigil.rules:5:23"]),
        ('"RW0590" = "hint"', 0, ["hint RW0590: this question has no question mark", "  --> vigil.rules:5:23"]),
    ],
)
def test_a_project_weighs_findings(project: str, ended: int, told: list[str], run: Run) -> None:
    Path("vigil.rules").write_text(RULESET.format(QUESTION.format("", "", "")), encoding="utf-8")
    Path("rulewright.toml").write_text(f"[findings]\n{project}\n", encoding="utf-8")
    done = run("check", "vigil.rules")
    assert (done.exit, _first_lines(done.out)) == (ended, told)
    assert [each.code for each in api.check("vigil.rules")] == ["RW0590"] * (len(told) // 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('RW0301 = "off"', "RW0301 is an error, and stays one: a project weighs only warnings and hints"),
        ('RW9301 = "off"', "there is no message `RW9301`"),
        ('RW0590 = "quiet"', "a finding weighs `off`, `hint`, `warning` or `error`"),
        ("RW0590 = 3", "a finding weighs `off`, `hint`, `warning` or `error`"),
    ],
)
def test_a_weight_that_cannot_be_is_refused(content: str, message: str, run: Run) -> None:
    Path("duel.rules").write_text(RULES, encoding="utf-8")
    Path("rulewright.toml").write_text(f"[findings]\n{content}\n", encoding="utf-8")
    done = run("check", "duel.rules")
    assert (done.exit, done.err.splitlines()[0]) == (2, f"error RW0018: {message}")
    assert "--> rulewright.toml:2:1" in done.err
