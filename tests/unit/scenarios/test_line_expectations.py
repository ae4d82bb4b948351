"""No row that counts, measures of what is given to them, and what an external procedure is given."""

from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line

RULES = """\
ruleset siege "Siege" revision "1"
kind Unit, units:
  owner: player
  blocks: 0..9
external procedure storm(unit: Unit, dice: 0..9) "Storm"
tally dice(unit: Unit) from 2 "Dice":
  strong: +1 when unit.blocks >= 4 "many blocks"
measure blocks_left(p: player): sum(each u in units where u.owner = p: u.blocks)
measure blocks_over(p: player, n: 0..9): count(each u in units where u.owner = p and u.blocks > n)
procedure assault(unit: Unit) "Assault":
  let thrown = dice(unit)
  perform storm(unit, thrown)
"""
SCENARIO = """\
procedure: assault
with: {{unit: ram}}
state: {{players: [red, blue], units: {{ram: {{owner: red, blocks: {blocks}}}, wall: {{owner: blue, blocks: 3}}}}}}
scenarios:
  an assault: {{script: [{{}}], expect: {{{expect}}}}}
"""


def played(blocks: int, expect: str, arguments: list[str]) -> int:
    Path("siege.rules").write_text(RULES, encoding="utf-8")
    Path("siege.scenario.yaml").write_text(SCENARIO.format(blocks=blocks, expect=expect), encoding="utf-8")
    return int(run_command_line(["test", *arguments]))


MISSES = [
    (3, "applied: []", ""),
    (4, "applied: []", "  applied dice/strong\n    expected: not applied\n    got:      applied\n"),
    (3, "measures: {blocks_left: {red: 3, blue: 3}}", ""),
    (3, "measures: {blocks_over: {red: {2: 1, 3: 0}}}", ""),
    (4, "measures: {blocks_left: {red: 3}}", "  measures blocks_left(red)\n    expected: 3\n    got:      4\n"),
    (4, "measures: {blocks_over: {red: {3: 0}}}", "  measures blocks_over(red, 3)\n    expected: 0\n    got:      1\n"),
    (4, "asked: [{at: perform.storm, with: {unit: ram, dice: 3}}]", ""),
    (
        4,
        "asked: [{at: perform.storm, with: {dice: 2}}]",
        "expected: assault/perform.storm with dice 2\n    got:      assault/perform.storm of nobody with dice 3\n",
    ),
    (
        4,
        "asked: [{at: perform.storm, with: {dies: 2}}]",
        "error RW1007: `assault/perform.storm` is given no `dies`\n",
    ),
    (3, "not_applied: []", "error RW1002: this list is empty; it must name a row\n"),
    (
        3,
        "measures: {blocks_left: 3}",
        "error RW1002: this is 3; it must be a mapping from what `p` of `blocks_left` is to values\n",
    ),
    (3, "measures: {blocks_left: {green: 3}}", "error RW0714: `p` is `green`, which is not a player here\n"),
    (3, "measures: {blocks_over: {red: {ten: 3}}}", "error RW0713: `n` is the text `ten`; it must be a whole number"),
]


@pytest.mark.parametrize(("blocks", "expect", "told"), MISSES)
def test_what_is_told(
    blocks: int,
    expect: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code = played(blocks, expect, [])
    printed = capsys.readouterr().out
    assert told in printed
    assert code == (2 if "error" in told else 1 if told else 0), printed
