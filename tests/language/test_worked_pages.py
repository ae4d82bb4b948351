"""The pages of the manual that hold a whole ruleset: it is checked without a finding, and plays as the page says."""

import re
from pathlib import Path

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.cli.main import run_command_line
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset

MANUAL = Path(__file__).parents[2] / "grammar/manual"
RULES = re.compile(r"^```rules\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BIRDS = """\
players: [red, blue, green, grey]
units:
  rook: {owner: red, health: 5}
  crow: {owner: blue, health: 2}
  jay: {owner: green, health: 4}
  owl: {owner: blue, health: 3}
"""


def rules(page: str) -> str:
    found = [each for each in RULES.findall((MANUAL / page).read_text(encoding="utf-8")) if each.startswith("ruleset")]
    assert len(found) == 1
    return str(found[0])


@pytest.mark.parametrize(
    "page",
    [
        "16-questions.md",
        "17-windows.md",
        "18-proofs.md",
        "21-derived-procedures.md",
        "23-the-plane.md",
        "24-placing.md",
    ],
)
def test_nothing_is_wrong_with_the_ruleset_of_the_page(page: str) -> None:
    provider = MemoryFiles({"example.rules": rules(page)})
    assert load_ruleset(locate_ruleset("example.rules", provider), provider=provider).diagnostics == ()


PROOFS = [
    ("n: 1..3", "n: 1..30"),
    ("min(9, n)", "n"),
    ("  most: at most 3\n", "  more: +9\n"),
    ('  require alive: u.health >= 1 "out of health"\n', ""),
    (" when u.health >= 2", ""),
    ("  if u.health <= 8:\n    add", "  if u.health <= 9:\n    add"),
    ("  if leader = none:\n    finish\n", ""),
    (" when u.health >= 1 ", " "),
    (
        't.health >= 1 "Who?":\n    take 1 from t.health\n  else:\n    nothing',
        't.health >= 0 "Who?":\n    take 1 from t.health\n  else:\n    nothing',
    ),
    ("  weak: u.health <= 8\n", ""),
    ("  if some t in units where t.health >= 1:", "  if some t in units where t.health >= 2:"),
    ("  require enemy: u.owner != t.owner\n", ""),
    ("roll n of d6 as blows", "roll n + 9 of d6 as blows"),
    ("roll 2d4 as check", "roll 3d4 as check"),
    ("sum(each x in 1..3: x)", "sum(each x in 1..4: x)"),
    ("floor((sum([2, 3, 4]) + 7) / 2)", "floor((sum([2, 3, 4]) + 12) / 2)"),
    ("  if u.health >= t.health:", "  if u.health >= 3:"),
    ("  for each x in 0..n:", "  for each x in 0..n + 1:"),
    ("{each p in players where some c in p.hand} as p", "players as p"),
    ("  require cards: every p in players: some c in cards where c.owner = p\n", ""),
]


@pytest.mark.parametrize(("proof", "without"), PROOFS, ids=[str(number) for number in range(len(PROOFS))])
def test_without_its_proof_a_procedure_has_a_finding(proof: str, without: str) -> None:
    text = rules("18-proofs.md")
    assert proof in text
    provider = MemoryFiles({"example.rules": text.replace(proof, without, 1)})
    assert load_ruleset(locate_ruleset("example.rules", provider), provider=provider).diagnostics != ()


def test_the_window_of_the_page_goes_as_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "windows.rules").write_text(rules("17-windows.md"), encoding="utf-8")
    (tmp_path / "state.yaml").write_text(BIRDS, encoding="utf-8")
    asked = ["run", str(tmp_path / "windows.rules"), "fight", "--state", str(tmp_path / "state.yaml")]
    assert run_command_line([*asked, "--with", "attacker=rook", "--with", "defender=crow"]) == 0
    happened = re.findall(
        r"(\S+\.health: . → .|\S+ loses . health: . → .|\S+ is out of play|log: .*)", capsys.readouterr().out
    )
    assert happened[:8] == [
        "crow.health: 2 → 0",
        "crow is out of play",
        "rook loses 1 health: 5 → 4",
        "owl loses 1 health: 3 → 2",
        "jay loses 1 health: 4 → 3",
        "log: with spite",
        "log: with cheer at the end",
        "log: with cheer at the end",
    ]
