"""The project file while it is written: what is wrong where, what may stand there, what a key means."""

import re
import tomllib
from pathlib import Path

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.documents.project_file import find_toml_cursor, scan_toml
from rulewright.editor import project_file
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


@pytest.fixture
def desk() -> Workspace:
    return Workspace(MemoryFiles(FILES))


def written(desk: Workspace, marked: str) -> int:
    """Opens a text in which `|` is the cursor."""
    desk.change_text(PLACE, marked.replace("|", "", 1))
    return marked.index("|")


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


@pytest.mark.parametrize(
    ("marked", "proposed"),
    [
        ("rul|", ["rulesets = [", "allow = [", "[findings]", "[readings.", "[floors]", "[review]"]),
        ("[re|", ["findings", "readings", "floors", "review"]),
        ('rulesets = ["|', ['"raid"']),
        ("[floors]\n|", ["coverage = {", "mutation = "]),
        ("[readings.|", ["raid"]),
        ("[readings.raid]\n|", ["mood = "]),
        ("[readings.raid]\nmood = |", ['"bold"', '"wary"']),
        ("[findings]\nRW0590 = '|", ["'off'", "'hint'", "'warning'", "'error'"]),
        ("rulesets = [\n[review]\n|", ["fails = ["]),
        ("allow = [] # |", []),
        ('allow = "x"|', []),
    ],
)
def test_what_may_stand_there_is_proposed(desk: Workspace, marked: str, proposed: list[str]) -> None:
    offset = written(desk, marked)
    assert [each.text for each in project_file.propose_project_completions(desk, PLACE, offset)] == proposed


def test_only_what_can_be_weighed_is_proposed(desk: Workspace) -> None:
    offset = written(desk, "[findings]\n|")
    found = {each.text: each.title for each in project_file.propose_project_completions(desk, PLACE, offset)}
    assert found["RW0590 = "] == "a question without a question mark: a hint unless you change it"
    assert "RW0001 = " not in found


@pytest.mark.parametrize(
    ("marked", "says"),
    [
        ("rul|esets = []", ("`rulesets`", "what commands take where no PATH is named, from this folder")),
        ("[floors]\nmutation = 7|5", ("`floors.mutation: 0..100`", "how many of the changes made to rules scenarios")),
        (
            '[readings.raid]\nmo|od = "bold"',
            ("`readings.raid.mood: bold, wary`", "How careful they are: the rules take"),
        ),
        ("# rul|esets", None),
    ],
)
def test_a_key_is_told_in_words(desk: Workspace, marked: str, says: tuple[str, str] | None) -> None:
    found = project_file.explain_project_key(desk, PLACE, written(desk, marked))
    assert (found is None) == (says is None)
    if found is not None and says is not None:
        assert found.lines[0] == says[0]
        assert found.lines[1].startswith(says[1])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("rulsets = []", ["rulsets: a project file has no `rulsets`"]),
        (
            'rulesets = ["nope"]\n[findings]\nRW0001 = "off"\n',
            [
                "nope: there is no file or folder `nope` in this project",
                "RW0001: RW0001 is an error, and stays one: a project weighs only warnings and hints",
            ],
        ),
        ("[readings.raid]\nmod = 1", ["mod: the project publishes a reading of `mod`, and `raid` has no such setting"]),
        (
            "[readings.other]\nmod = 1",
            ["other: the project publishes readings of `other`, and there is no ruleset of this name"],
        ),
        ("allow = [\n", [": this is not TOML"]),
        ("[floors]\nmutation = 200", ["200: `mutation` of `floors` is 200; it must be from 0 to 100"]),
    ],
)
def test_what_is_wrong_is_told_at_its_place(desk: Workspace, content: str, told: list[str]) -> None:
    desk.change_text(PLACE, content)
    found = [(each.primary, each.message) for each in project_file.find_file_problems(desk, PLACE)]
    assert [f"{content[at.span.start : at.span.end]}: {said}" for at, said in found if at is not None] == told


def test_a_misspelt_weight_is_mended_by_its_remedy(desk: Workspace) -> None:
    desk.change_text(PLACE, '[findings]\nRW0590 = "of"\n')
    [found] = project_file.find_file_problems(desk, PLACE)
    assert found.help == "did you mean `off`?"
    [edit] = found.edits
    assert '[findings]\nRW0590 = "of"\n'[edit.span.start : edit.span.end] == "of"
    assert edit.replacement == "off"


@pytest.mark.parametrize("broken", ["a", "a = ", 'a = "x', "a = [1 2]", "a = {b = 1", "[a", "[a]\n[a]", "a = 1 b = 2"])
def test_what_cannot_be_read_says_what_to_write(desk: Workspace, broken: str) -> None:
    desk.change_text(PLACE, broken)
    [found] = project_file.find_file_problems(desk, PLACE)
    assert (found.message, bool(found.help)) == ("this is not TOML", True)


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
