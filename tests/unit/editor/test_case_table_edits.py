"""Scenarios that are written as tables of cases: each is tested as before."""

from pathlib import Path

import pytest

from rulewright.base.source import Span, Text
from rulewright.cli.main import run_command_line
from rulewright.editor.live_text import LiveData
from rulewright.editor.refactoring import make_case_table_edit

HEAD = """\
procedure: strike
with: {striker: gawain, target: mordred}
state:
  players: [red, blue]
  knights:
    gawain: {owner: red, health: 5}
    mordred: {owner: blue, health: 3}
  game: {active: red}
scenarios:
"""
NEXT = "  next: {script: [[1]], expect: {changes: {}}}\n"
FLOW = "  a hit: {script: [[4]], expect: {changes: {knights: {mordred: {health: 1}}}}}\n"
FLOW_TABLE = """\
  a hit:
    cases:
      - [case, script, expect.changes]
      - [as before, [[4]], {knights: {mordred: {health: 1}}}]
"""
BLOCK = """\
  behind a shield:
    patch:
      knights:
        mordred: {shield: yes}
    script:
      - [6]
      - yes
    expect:
      changes:
        knights:
          mordred: {shield: no}

"""
BLOCK_TABLE = """\
  behind a shield:
    patch: {knights: {mordred: {shield: yes}}}
    cases:
      - [case, script, expect.changes]
      - [as before, [[6], yes], {knights: {mordred: {shield: no}}}]

"""
NEXT_TABLE = """\
  next:
    cases:
      - [case, script, expect.changes]
      - [as before, [[1]], {}]
"""


def tabled(scenarios: str, name: str) -> str | None:
    """A file with one of its scenarios as a table; none where that is not offered."""
    text = Text("a.scenario.yaml", HEAD + scenarios)
    start = text.content.index(name)
    edit = make_case_table_edit(LiveData(text), Span(text.name, start, start))
    if edit is None:
        return None
    assert not edit.safe
    return text.content[: edit.span.start] + edit.replacement + text.content[edit.span.end :]


@pytest.mark.parametrize(
    ("scenarios", "name", "table"),
    [
        (FLOW + NEXT, "a hit", FLOW_TABLE + NEXT),
        (BLOCK + NEXT, "behind", BLOCK_TABLE + NEXT),
        (BLOCK + NEXT, "next", BLOCK + NEXT_TABLE),
    ],
)
def test_a_scenario_becomes_a_table_with_one_case(
    scenarios: str,
    name: str,
    table: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = tabled(scenarios, name)
    assert found == HEAD + table
    monkeypatch.chdir(tmp_path)
    assert run_command_line(["new", "duel"]) == 0
    file = Path("duel/duel.scenario.yaml")
    for each in (HEAD + scenarios, found):
        file.write_text(each, encoding="utf-8")
        capsys.readouterr()
        assert run_command_line(["test", "duel"]) == 0
        assert "2 passed" in capsys.readouterr().out


@pytest.mark.parametrize(
    "scenario",
    [
        "  a:\n    script: [[4]]  # the best\n",
        "  a:\n    cases:\n      - [script]\n      - [[[4]]]\n",
        "  a: {expect: {}, cases: {b: {script: [[1]]}}}\n",
        "  a: {because: nothing is asked}\n",
        "  a: [\n",
    ],
)
def test_what_is_no_row_of_answers_is_left(scenario: str) -> None:
    assert tabled(scenario, "a:") is None
