"""What the command line says of a spoilt file of data, an editor says while it is typed: at its place, in its words."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rulewright.cli.main import run_command_line
from rulewright.editor import data_files, project_file
from rulewright.editor.editor_workspace import Workspace, find_rule_problems
from support.corrupted_files import corrupt_text
from support.raid_example import CLAUSES, HEAVY, MAIN, SCENARIOS, THINGS
from support.sample_sizes import choose_count

MORE = """\
procedure portent(striker: Unit, target: Unit) gives Stance "A sign":
  step 1 "The sky":
    perform omen(striker) as sign
  step 2 "Taken to heart":
    ask striker.owner to choose deed "What do they do?":
      option wait "Wait":
        nothing
      option turn "Turn away":
        set striker.stance to sign
    finish with sign
external procedure omen(u: Unit) gives Stance "What the sky says"
"""
STATE = """\
players: [red, blue]
units:
  ram: {owner: red, health: 5, stance: wary}
  tower: {owner: blue, health: 5}
game: {active: red}
settings: {mood: wary}
"""
SCRIPT = """\
1/blow: 5
"""
ANSWERS = """\
1/sign: wary
2/deed: {each: [turn]}
"""
IN_ORDER = """\
- {answer: bold, at: 1/sign}
- wait
"""
SKY = """\
procedure: portent
with: {striker: ram, target: tower}
state: start.yaml
policy: first
scenarios:
  the sky decides:
    expect: {odds: {result: {bold: 1/3, wary: 2/3}, ram.stance = wary: 1}}
"""
MORE_SCENARIOS = """\
  nobody strikes out of turn:
    patch: {game: {active: blue}}
    expect: {refused: [not their turn]}
  a tower cannot be so strong:
    patch: {units: {tower: {health: 10}}}
    expect: {invalid: [it must be from 0 to 9]}
  blows:
    expect: {asked: [1/blow], rejects: [{at: 1/blow, answer: 7, because: shows 1 to 6}]}
    cases:
      - [case, script.1/blow, expect.result, expect.changes.units]
      - [a four, 4, 2, {tower: {health: 3}}]
      - [a three, 3, 2, {}]
  two blows:
    script: {1/blow: 5}
    expect: {path: ["1-3"], values: {1/needed: 4}, state: {units: {ram: {stance: bold}}}}
    then:
      script: {1/blow: 2}
      expect: {decided: {harm: bold}, happens: [1/blow, 3]}
"""
PROJECT = """\
rulesets = ["raid"]

[findings]
RW0590 = "off"

[readings.raid]
mood = "bold"

[floors]
coverage = {all = 80, steps = 100}
mutation = 75.5
"""
FILES = {
    "raid/raid.rules": MAIN + MORE,
    "raid/raid_things.rules": THINGS,
    "raid/raid_heavy.rules": HEAVY,
    "raid/RD.clauses.yaml": CLAUSES,
    "raid/raid.scenario.yaml": SCENARIOS + MORE_SCENARIOS,
    "raid/start.yaml": STATE,
    "raid/blow.yaml": SCRIPT,
    "raid/answers.yaml": ANSWERS,
    "raid/in_order.yaml": IN_ORDER,
    "raid/sky.odds.yaml": "omen: {bold: 1/3, wary: 2/3}\n",
    "raid/sky.scenario.yaml": SKY,
    "rulewright.toml": PROJECT,
}
ROLES = ("--state", "raid/start.yaml", "--with", "striker=ram", "--with", "target=tower")
COMMANDS = {
    "raid/start.yaml": ("run", "raid", "strike", *ROLES, "--script", "raid/blow.yaml"),
    "raid/blow.yaml": ("run", "raid", "strike", *ROLES, "--script", "raid/blow.yaml"),
    "raid/answers.yaml": ("run", "raid", "portent", *ROLES, "--script", "raid/answers.yaml"),
    "raid/in_order.yaml": ("run", "raid", "portent", *ROLES, "--script", "raid/in_order.yaml"),
    "raid/raid.scenario.yaml": ("test", "raid/raid.scenario.yaml"),
    "raid/sky.scenario.yaml": ("test", "raid/sky.scenario.yaml"),
    "raid/sky.odds.yaml": ("test", "raid/sky.scenario.yaml"),
    "raid/RD.clauses.yaml": ("check", "raid"),
    "raid/raid_heavy.rules": ("check", "raid/raid_heavy.rules"),
    "rulewright.toml": ("check",),
    "raid/game.json": ("odds", "raid", "--load", "raid/game.json"),
}
"""What a designer gives to hear of each file."""
_OF_A_PLAY = frozenset({"RW0731", "RW0743", "RW0744", "RW0745", "RW0746", "RW0907", "RW1020", "RW1121", "RW1122"})
"""What is found when a play comes to it, as is what is told of the question at an address and not of a value alone."""

Told = tuple[int, int, str, str, str]
"""Line, column, code, message and remedy of a finding."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("raid").mkdir()
    for place, content in FILES.items():
        Path(place).write_text(content, encoding="utf-8")
    run_command_line(("run", "raid", "portent", *ROLES, "--script", "raid/answers.yaml", "--save", "raid/game.json"))
    capsys.readouterr()
    return tmp_path


@pytest.mark.parametrize("place", COMMANDS)
def test_an_editor_says_what_the_command_says(place: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = (folder / place).read_text(encoding="utf-8")
    assert _typed(place, good, good) == set()
    told = 0
    for slip, content in corrupt_text(good, place, choose_count(4, 60)):
        (folder / place).write_text(content, encoding="utf-8", newline="")
        exit_code = run_command_line((*COMMANDS[place], "--format", "json"))
        said, typed = list(_said(capsys)), _typed(place, good, content)
        here = {
            _finding(each): each for each in said if os.path.normpath((each["place"] or {"file": ""})["file"]) == place
        }
        silent = [each for each, whole in here.items() if each not in typed and not _of_a_play(whole)]
        false = typed - here.keys() if not any(map(_of_a_play, said)) else set()
        assert (slip, exit_code, silent, false) == (slip, exit_code, [], set()), f"{slip}:\n{content}"
        told += len(typed)
    assert told


def _of_a_play(found: dict[str, Any]) -> bool:
    return found["code"] in _OF_A_PLAY or (bool(found["address"]) and "must be" not in found["message"])


def _said(capsys: pytest.CaptureFixture[str]) -> Iterator[dict[str, Any]]:
    """All findings that a command printed."""
    printed = capsys.readouterr()
    for text in filter(None, (printed.out.strip(), printed.err.strip())):
        yield from _findings(json.loads(text))


def _findings(data: Any) -> Iterator[dict[str, Any]]:
    match data:
        case {"code": _, "message": _, "place": _, "help": _}:
            yield data
        case dict():
            for each in data.values():
                yield from _findings(each)
        case list():
            for each in data:
                yield from _findings(each)


def _finding(found: dict[str, Any]) -> Told:
    place = found["place"]
    return place["line"], place["column"], found["code"], found["message"], found["help"]


def _typed(place: str, good: str, content: str) -> set[Told]:
    """What an editor says where a good text became another."""
    desk = Workspace()
    for each in (good, content.removeprefix("\ufeff")):
        desk.change_text(place, each)
        found = _problems(desk, place)
    text = desk.current_text(place)
    assert text is not None
    at = [(text.get_position(each.primary.span.start), each) for each in found if each.primary is not None]
    return {(where.line, where.column, each.code, each.message, each.help) for where, each in at}


def _problems(desk: Workspace, place: str) -> Any:
    if place.endswith(".rules"):
        return find_rule_problems(desk.open_document(place))[place]
    return (project_file if project_file.is_project_file(place) else data_files).find_file_problems(desk, place)
