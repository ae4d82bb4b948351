"""The project file while it is written: what is wrong where, what may stand there, what a key means."""

import re
import tomllib
from pathlib import Path

import pytest

from rulewright.editing import project_file
from rulewright.editing.desk import Desk, problems
from rulewright.inputs.toml_places import toml_cursor, toml_places
from rulewright.source import Text
from rulewright.workspace import Memory
from support.raid import FILES, MAIN, PLACE as MAIN_PLACE

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
def desk() -> Desk:
    return Desk(Memory(FILES))


def written(desk: Desk, marked: str) -> int:
    """Opens a text in which `|` is the cursor."""
    desk.change(PLACE, marked.replace("|", "", 1))
    return marked.index("|")


def test_every_key_and_value_has_its_place() -> None:
    found = toml_places(Text(PLACE, WHOLE))

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
        found = toml_cursor(WHOLE[:offset], offset)
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
def test_what_may_stand_there_is_proposed(desk: Desk, marked: str, proposed: list[str]) -> None:
    offset = written(desk, marked)
    assert [each.text for each in project_file.proposals(desk, PLACE, offset)] == proposed


def test_only_what_can_be_weighed_is_proposed(desk: Desk) -> None:
    offset = written(desk, "[findings]\n|")
    found = {each.text: each.title for each in project_file.proposals(desk, PLACE, offset)}
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
def test_a_key_is_told_in_words(desk: Desk, marked: str, says: tuple[str, str] | None) -> None:
    found = project_file.explanation(desk, PLACE, written(desk, marked))
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
def test_what_is_wrong_is_told_at_its_place(desk: Desk, content: str, told: list[str]) -> None:
    desk.change(PLACE, content)
    found = [(each.primary, each.message) for each in project_file.problems(desk, PLACE)]
    assert [f"{content[at.span.start : at.span.end]}: {said}" for at, said in found if at is not None] == told


def test_a_misspelt_weight_is_mended_by_its_remedy(desk: Desk) -> None:
    desk.change(PLACE, '[findings]\nRW0590 = "of"\n')
    [found] = project_file.problems(desk, PLACE)
    assert found.help == "did you mean `off`?"
    [edit] = found.edits
    assert '[findings]\nRW0590 = "of"\n'[edit.span.start : edit.span.end] == "of"
    assert edit.replacement == "off"


@pytest.mark.parametrize("broken", ["a", "a = ", 'a = "x', "a = [1 2]", "a = {b = 1", "[a", "[a]\n[a]", "a = 1 b = 2"])
def test_what_cannot_be_read_says_what_to_write(desk: Desk, broken: str) -> None:
    desk.change(PLACE, broken)
    [found] = project_file.problems(desk, PLACE)
    assert (found.message, bool(found.help)) == ("this is not TOML", True)


def test_the_page_of_a_team_is_a_project_file() -> None:
    page = (Path(__file__).parents[3] / "grammar/team.md").read_text(encoding="utf-8")
    content = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0]
    assert {path[-1] for path in toml_places(Text(PLACE, content)).keys} >= {"rulesets", "steps", "ties_go_to", "fails"}


def test_a_reading_that_is_not_the_published_one_is_told_in_the_rules() -> None:
    desk = Desk(Memory(FILES), published={"raid": {"mood": "bold"}})
    desk.change(MAIN_PLACE, MAIN)
    assert "RW1200" not in _codes(desk)
    desk.refresh(Memory(FILES), lambda _: {}, {"raid": {"mood": "wary"}})
    assert "RW1200" in _codes(desk)
    assert desk.opened(MAIN_PLACE).program is not None, "what is published otherwise can be used all the same"


def _codes(desk: Desk) -> set[str]:
    return {each.code for told in problems(desk.opened(MAIN_PLACE)).values() for each in told}
