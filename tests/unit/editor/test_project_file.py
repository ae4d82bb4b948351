"""The project file while it is written: what is wrong where, what may stand there, what a key means."""

import re
import tomllib
from pathlib import Path

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.documents.project_file import find_toml_cursor, scan_toml
from rulewright.editor.editor_workspace import Workspace, find_rule_problems
from support.raid_example import FILES, MAIN, PLACE as MAIN_PLACE

PLACE = "rulewright.toml"
WHOLE = """\
rulesets = ["raid", 'else/where']   # "quoted" # twice
allow = []
"odd key" = 1

[findings]
RW0590 = "off"

[readings.raid]
mood = "wary"

[floors]
coverage = {all = 80, steps = 100}
mutation = 75.5

[review]
fails = [
  "check",  # first
  "test",
]
"""


def test_every_key_and_value_has_its_place() -> None:
    found = scan_toml(Text(PLACE, WHOLE))

    def of(value: object, path: tuple[str | int, ...]) -> None:
        if path and isinstance(path[-1], str):
            span = found.keys[path]
            assert WHOLE[span.start : span.end].strip("\"'") == path[-1]
        if isinstance(value, dict):
            for key, each in value.items():
                of(each, (*path, key))
            return
        span = found.values[path]
        assert tomllib.loads(f"x = {WHOLE[span.start : span.end]}")["x"] == value
        for at, each in enumerate(value if isinstance(value, list) else ()):
            of(each, (*path, at))

    of(tomllib.loads(WHOLE), ())


def test_a_cursor_is_found_in_every_beginning_of_a_file() -> None:
    for offset in range(len(WHOLE) + 1):
        found = find_toml_cursor(WHOLE[:offset], offset)
        assert 0 <= found.start <= offset
        assert found.path[:1] <= ("odd key", "rulesets") or found.path[0] in tomllib.loads(WHOLE)


def test_the_page_of_a_team_is_a_project_file() -> None:
    page = (Path(__file__).parents[3] / "grammar/team.md").read_text(encoding="utf-8")
    content = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0]
    assert {path[-1] for path in scan_toml(Text(PLACE, content)).keys} >= {"rulesets", "steps", "ties_go_to", "fails"}


def test_a_reading_that_is_not_the_published_one_is_told_in_the_rules() -> None:
    desk = Workspace(MemoryFiles(FILES), published={"raid": {"mood": "bold"}})
    desk.change_text(MAIN_PLACE, MAIN)
    assert "RW1200" not in _codes(desk)
    desk.refresh_files(MemoryFiles(FILES), lambda _: {}, {"raid": {"mood": "wary"}})
    assert "RW1200" in _codes(desk)
    assert desk.open_document(MAIN_PLACE).program is not None, "what is published otherwise can be used all the same"


def _codes(desk: Workspace) -> set[str]:
    return {each.code for told in find_rule_problems(desk.open_document(MAIN_PLACE)).values() for each in told}
