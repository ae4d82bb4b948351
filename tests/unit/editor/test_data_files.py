"""Scenarios, states, scripts and clause lists while they are written, with the names of their ruleset."""

from collections.abc import Callable

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.editor import data_files, navigation
from rulewright.editor.completion import locate_yaml_cursor
from rulewright.editor.editor_workspace import Workspace
from rulewright.editor.refactoring import RenameRefusal, list_fixes
from support.raid_example import CLAUSES, FILES, HEAVY, MAIN, PARTS, PLACE, SCENARIOS, SUITE, THINGS

Proposed = Callable[[str, str], dict[str, str]]


@pytest.fixture
def proposed(desk: Workspace) -> Proposed:
    """What is proposed where a line of the scenarios is written otherwise, with the types; `|` is the cursor."""

    desk.change_text(SUITE, SCENARIOS)

    def at(old: str, new: str) -> dict[str, str]:
        content = SCENARIOS.replace(old, new, 1)
        offset = content.index("|")
        desk.change_text(SUITE, content[:offset] + content[offset + 1 :])
        return {each.text: each.type for each in data_files.propose_data_completions(desk, SUITE, offset)}

    return at


@pytest.mark.parametrize(
    ("text", "path", "is_key"),
    [
        ("procedure: |", ("procedure",), False),
        ("with: {att|", ("with",), True),
        ("with: {attacker: ham|", ("with", "attacker"), False),
        ("state:\n  units:\n    ram: {owner: red,\n      |", ("state", "units", "ram"), True),
        ("a:\n  b c:\n    - x\n    - y: [1, {z: |", ("a", "b c", 0, "y", 1, "z"), False),
        ("a:\n  b:\n    c: 1\n  |", ("a",), True),
        ("a: {b: [1, 2], c: |}", ("a", "c"), False),
        ("|", (), True),
    ],
)
def test_a_cursor_knows_the_keys_around_it(text: str, path: tuple[str | int, ...], *, is_key: bool) -> None:
    found = locate_yaml_cursor(text.replace("|", ""), text.index("|"))
    assert (found.path, found.is_key) == (path, is_key)


def test_words_in_quotes_are_left_alone() -> None:
    assert locate_yaml_cursor('a: "x', 5).is_in_prose
    assert locate_yaml_cursor("a: 1 # x", 8).is_in_prose


def test_a_suite_that_is_fine_has_no_findings(desk: Workspace) -> None:
    desk.change_text(SUITE, SCENARIOS)
    assert data_files.find_file_problems(desk, SUITE) == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("striker: ram", "strikr: ram", "`strike` has no role `strikr`"),
        ("health: 5}\n    tower", "heath: 5}\n    tower", "a Unit has no attribute `heath`"),
        ("1/blow: 5", "1/blw: 5", "nothing is asked at `1/blw`"),
        ("covers:", "cover:", "`cover` is not part of a scenario"),
        ("RD.1.b]", "RD.9]", "`raid` has no clause `RD.9`"),
        ("scenarios:", "scenarios: {", "this mapping has no `,` or `}` where one is needed"),
    ],
)
def test_a_slip_is_told_at_its_place(desk: Workspace, old: str, new: str, message: str) -> None:
    desk.change_text(SUITE, SCENARIOS.replace(old, new, 1))
    found = data_files.find_file_problems(desk, SUITE)
    assert any(message in each.message for each in found), [each.message for each in found]
    assert all(each.primary is not None and each.primary.span.source == SUITE for each in found)


def test_a_clause_without_its_document_is_the_one_of_the_list(desk: Workspace) -> None:
    desk.change_text(SUITE, SCENARIOS.replace("RD.1.b]", "1.b]", 1))
    (found,) = data_files.find_file_problems(desk, SUITE)
    assert (found.message, found.help) == ("`raid` has no clause `1.b`", "did you mean `RD.1.b`?")
    assert [each.replacement for each in found.edits] == ["RD.1.b"]


def test_what_a_rule_is_called_now_counts_for_scenarios(desk: Workspace) -> None:
    desk.change_text(SUITE, SCENARIOS)
    desk.change_text(PARTS, THINGS.replace("health:", "vigour:"))
    main = MAIN.replace("health", "vigour")
    desk.change_text("raid/raid.rules", main)
    assert "a Unit has no attribute `health`" in [each.message for each in data_files.find_file_problems(desk, SUITE)]


def test_roles_are_those_of_the_procedure(proposed: Proposed) -> None:
    assert proposed("with: {striker: ram, target: tower}", "with: {|") == {
        "striker: ": "ram, tower",
        "target: ": "ram, tower",
    }


def test_things_are_those_of_the_file(proposed: Proposed) -> None:
    assert proposed("with: {striker: ram, target: tower}", "with: {striker: |}").keys() == {"ram", "tower"}


def test_attributes_and_words_are_those_of_the_rules(proposed: Proposed) -> None:
    assert {"health: ", "stance: ", "owner: "} <= proposed("ram: {owner: red, health: 5}", "ram: {|}").keys()
    found = proposed("ram: {owner: red, health: 5}", "ram: {owner: red, health: 5, stance: |}")
    assert {"bold", "wary"} <= found.keys()


def test_settings_have_their_values(proposed: Proposed) -> None:
    assert {"bold", "wary"} <= proposed("    covers: [RD.1.b]", "    settings: {mood: |}").keys()


def test_keys_of_a_scenario_are_proposed_in_it_alone(proposed: Proposed) -> None:
    assert {"covers: ", "expect: ", "script: "} <= proposed("    covers: [RD.1.b]", "    |").keys()
    assert "covers: " not in proposed("game: {active: red}", "|\n  game: {active: red}")


def test_answers_are_proposed_by_address(proposed: Proposed) -> None:
    assert "1/blow: " in proposed("script: {1/blow: 5}", "script: {|}")


def test_names_lead_to_the_rules_and_are_explained(desk: Workspace) -> None:
    desk.change_text(SUITE, SCENARIOS)
    offset = SCENARIOS.index("health: 3") + 2
    [found] = data_files.find_data_definition(desk, SUITE, offset)
    assert (found.source, THINGS[found.start : found.end]) == (PARTS, "health")
    explained = data_files.explain_data_name(desk, SUITE, offset)
    assert explained is not None
    assert explained.lines[0] == "**attribute** `Unit.health: 0..9` “Health”"


def test_names_stay_known_while_the_file_cannot_be_read(desk: Workspace) -> None:
    desk.change_text(SUITE, SCENARIOS)
    broken = SCENARIOS + "  another: {\n"
    desk.change_text(SUITE, broken)
    assert data_files.find_data_definition(desk, SUITE, broken.index("health: 3") + 2)


def test_scenarios_and_clauses_are_listed(desk: Workspace) -> None:
    desk.change_text(SUITE, SCENARIOS)
    desk.change_text("raid/RD.clauses.yaml", CLAUSES)
    assert [each.name for each in data_files.outline_data_symbols(desk, SUITE)] == [
        "a good blow harms",
        "a bad blow does not",
    ]
    assert [each.name for each in data_files.outline_data_symbols(desk, "raid/RD.clauses.yaml")] == ["RD.1.a", "RD.1.b"]


def test_a_state_and_a_script_are_judged_by_the_rules_of_their_folder(desk: Workspace) -> None:
    desk.change_text(
        "raid/start.yaml", "players: [red, blue]\nunits:\n  ram: {owner: red, helth: 5}\ngame: {active: red}\n"
    )
    assert [
        "a Unit has no attribute `helth`" in each.message
        for each in data_files.find_file_problems(desk, "raid/start.yaml")
    ]
    desk.change_text("raid/answers.yaml", "strike/1/blow: 5\n")
    assert data_files.find_file_problems(desk, "raid/answers.yaml") == ()


def test_scenarios_whose_ruleset_is_not_there_are_told_so(desk: Workspace) -> None:
    desk.change_text(SUITE, f"ruleset: rade\n{SCENARIOS}")
    [found] = {each.message for each in data_files.find_file_problems(desk, SUITE)}
    assert found == "there is no file `rade`"


def test_a_state_that_is_meant_is_named_as_seen_from_its_scenarios(full: Workspace) -> None:
    roles = "with: {striker: ram, target: tower}"
    full.change_text(
        SUITE, f"procedure: strike\n{roles}\nstate: strt.yaml\nscenarios:\n  it: {{expect: {{result: 2}}}}\n"
    )
    [found] = data_files.find_file_problems(full, SUITE)
    assert (found.message, found.help) == ("there is no file `raid/strt.yaml`", "did you mean `start.yaml`?")
    assert [each.replacement for each in found.edits] == ["start.yaml"]


def test_a_state_is_judged_with_the_overlays_that_know_it(full: Workspace) -> None:
    full.change_text("raid/raid_heavy.rules", HEAVY + "insert field Unit/armour: 0..2 = 0\n")
    full.change_text(STATE, BESIDE[STATE].replace("health: 5", "health: 5, armour: 1"))
    assert data_files.find_file_problems(full, STATE) == ()
    full.change_text(STATE, BESIDE[STATE].replace("health: 5", "health: 5, armour: 9"))
    assert [each.message for each in data_files.find_file_problems(full, STATE)] == [
        "`armour` of `ram` is 9; it must be from 0 to 2"
    ]


def test_a_save_is_judged_as_such(full: Workspace) -> None:
    full.change_text("raid/game.json", '{"format": "rulewright save", "version": 3}')
    [found] = data_files.find_file_problems(full, "raid/game.json")
    assert found.message == "this save was changed after it was written"


def test_a_file_of_no_ruleset_is_left_alone(desk: Workspace) -> None:
    desk.change_text("elsewhere/notes.yaml", "a: 1\n")
    assert data_files.find_file_problems(desk, "elsewhere/notes.yaml") == ()
    assert data_files.propose_data_completions(desk, "elsewhere/notes.yaml", 0) == ()


LIST, STATE, SCRIPT, ODDS = "raid/RD.clauses.yaml", "raid/start.yaml", "raid/answers.yaml", "raid/raid.odds.yaml"
BESIDE = {
    STATE: "players: [red, blue]\nunits:\n  ram: {owner: red, health: 5, stance: wary}\ngame: {active: red}\n",
    SCRIPT: "strike/1/blow: 5\n",
    ODDS: "omen: {bold: 1/3, wary: 2/3}\n",
}
OMEN = 'external procedure omen(u: Unit) gives Stance "What the sky says"\n'
WHOLE = {**FILES, **BESIDE, PLACE: MAIN + OMEN}


@pytest.fixture
def full() -> Workspace:
    """The desk with a state, a script and likelihoods beside the rules; all of data is open."""
    made = Workspace(MemoryFiles(WHOLE))
    for place, content in WHOLE.items():
        if not place.endswith(".rules"):
            made.change_text(place, content)
            assert data_files.find_file_problems(made, place) == ()
    return made


@pytest.mark.parametrize("place", [LIST, SUITE, STATE, SCRIPT, ODDS])
def test_a_name_occurs_in_the_same_places_wherever_it_is_asked_for(full: Workspace, place: str) -> None:
    asked = data_files.index_data_names(full, place).occurrences
    assert asked
    for each in asked:
        found = navigation.find_references(full, place, each.span.start)
        assert each.span in [one.span for one in found]
        assert {WHOLE[one.span.source][one.span.start : one.span.end] for one in found} == {each.target.name}
        for other in found:
            if other.span.source == PLACE:
                full.change_text(PLACE, WHOLE[PLACE])
                assert navigation.find_references(full, PLACE, other.span.start) == found


@pytest.mark.parametrize(
    ("place", "old", "new"),
    [
        (SUITE, "health", "vigour"),
        (STATE, "wary", "careful"),
        (ODDS, "omen", "sign"),
        (ODDS, "wary", "careful"),
        (LIST, "1.b", "2"),
    ],
)
def test_a_name_gets_another_from_any_file(full: Workspace, place: str, old: str, new: str) -> None:
    made = navigation.rename_at(full, place, WHOLE[place].index(old) + 1, new)
    assert isinstance(made, tuple)
    for each in made:
        assert WHOLE[each.span.source][each.span.start : each.span.end] == old
    for name, content in WHOLE.items():
        written = content
        for each in sorted((one for one in made if one.span.source == name), key=lambda one: -one.span.start):
            written = f"{written[: each.span.start]}{new}{written[each.span.end :]}"
        full.change_text(name, written)
    for name in (LIST, SUITE, STATE, SCRIPT, ODDS):
        assert data_files.find_file_problems(full, name) == ()


def test_no_name_is_changed_while_a_file_that_has_it_cannot_be_read(full: Workspace) -> None:
    full.change_text(SUITE, SCENARIOS + "  more: {\n")
    made = navigation.rename_at(full, STATE, BESIDE[STATE].index("health"), "vigour")
    assert isinstance(made, RenameRefusal)
    assert [each.message for each in made.findings] == ["this `{` is never closed"]
    found = navigation.find_references(full, STATE, BESIDE[STATE].index("health"))
    assert {SUITE, STATE, PARTS, PLACE} == {each.span.source for each in found}


@pytest.mark.parametrize(
    ("place", "old", "new"),
    [
        (SUITE, "health", "heath"),
        (SUITE, "covers", "cover"),
        (SUITE, "striker", "strikr"),
        (SUITE, "procedure: strike", "procedure: strke"),
        (SUITE, "1/blow", "1/blw"),
        (STATE, "units", "unts"),
        (STATE, "wary", "wry"),
        (SCRIPT, "strike/1/blow", "strike/1/blw"),
        (ODDS, "omen", "omn"),
        (LIST, "says", "sys"),
    ],
)
def test_a_slip_in_any_file_is_mended_by_its_remedy(full: Workspace, place: str, old: str, new: str) -> None:
    full.change_text(place, WHOLE[place].replace(old, new, 1))
    found = data_files.find_file_problems(full, place)
    [fix] = [each for one in found if one.primary is not None for each in list_fixes([one], one.primary.span)]
    [edit] = fix.edits
    text = full.live_data(place).text.content
    assert text[: edit.span.start] + edit.replacement + text[edit.span.end :] == WHOLE[place]


def test_clauses_players_and_things_of_the_file_are_proposed(proposed: Proposed) -> None:
    assert proposed("RD.1.b]", "|]").keys() == {"RD.1.a", "RD.1.b"}
    assert proposed("owner: red", "owner: |").keys() == {"red", "blue"}
    assert proposed("{units: {tower: {health: 3}}}", "{units: {|").keys() == {"ram: ", "tower: "}
    assert {"health: ", "stance: "} <= proposed("{units: {tower: {health: 3}}}", "{units: {tower: {|").keys()


def test_likelihoods_beside_scenarios_are_known_by_their_name(full: Workspace) -> None:
    full.change_text(ODDS, "om")
    assert "omen: " in [each.text for each in data_files.propose_data_completions(full, ODDS, len("om"))]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("omen: {bold: 1/3}\n", "the likelihoods of `omen` add up to 1/3, not to 1"),
        ("omen: {bold: 1, wary: no}\n", "an answer of `omen` has no likelihood from 0 to 1"),
        ("policy: [first, frist]\n", "`frist` is not a policy; it must be `first` or `random`"),
        ("policy: red/nothing=highest 1\n", "nothing is asked at `nothing`"),
        ("- omen\n", "`raid/raid.odds.yaml` is not a mapping from externals to answers with likelihoods"),
    ],
)
def test_likelihoods_are_judged_as_odds_are_worked_out_by_them(full: Workspace, content: str, message: str) -> None:
    full.change_text(ODDS, content)
    (problem,) = data_files.find_file_problems(full, ODDS)
    assert problem.message.startswith(message)


EXPECTS = """\
procedure: strike
with: {striker: ram, target: tower}
state:
  players: [red, blue]
  units:
    ram: {owner: red, health: 5}
    tower: {owner: blue, health: 5}
  game: {active: red}
scenarios:
  it:
"""


@pytest.mark.parametrize(
    ("below", "message"),
    [
        ("script: [5], expect: {path: [1, 4]}", "there is no step `4`"),
        ("script: [5], expect: {path: {strke: [1]}}", "there is no procedure `strke`"),
        ("script: [5], expect: {values: {1/need: 4}}", "there is no named line `1/need`"),
        ("script: [5], expect: {changes: {units: {towr: {health: 3}}}}", "no units are called `towr`"),
        ("script: [5], expect: {changes: {units: {tower: {health: 30}}}}", "`health` of `tower` is 30"),
        ("script: [5], expect: {state: {unts: {}}}", "`unts` is not part of a state of `raid`"),
        ("script: [5], expect: {result: many}", "`result` is the text `many`"),
        ("script: [5], expect: {rejects: [{at: 1/blow, answer: 7, by: rd, because: x}]}", "there is no player `rd`"),
        ("script: [5], expect: {asked: [1/blw]}", "nothing is asked at `1/blw`"),
        ("expect: {odds: {result = 1: half}}", "the text `half` is not a share of all plays"),
        ("expect: {odds: {tower.heath: {3: 1}}}", "`Unit` has no attribute `heath`"),
        ("ruleset: rade, script: [5], expect: {result: 1}", "there is no file `rade`"),
        ("overlays: [heavy], script: [5], expect: {result: 1}", "heavy"),
        ("script: [5], expect: {result: 1}, then: {script: [5], expect: {path: [9]}}", "there is no step `9`"),
        ("script: [5], expect: {result: 1}, then: {script: {1/blw: 5}, expect: {result: 1}}", "at `1/blw`"),
    ],
)
def test_what_is_known_without_a_play_is_told(desk: Workspace, below: str, message: str) -> None:
    desk.change_text(SUITE, f"{EXPECTS}    {{{below}}}\n")
    found = data_files.find_file_problems(desk, SUITE)
    assert any(message in each.message for each in found), [each.message for each in found]
    assert all(each.primary is not None and each.primary.span.source == SUITE for each in found)


@pytest.mark.parametrize(
    "below",
    [
        "patch: {units: {ram: {health: 10}}}, expect: {invalid: [it must be from 0 to 9]}",
        "patch: {units: {ram: {health: 10}}}, skip: not yet, expect: {result: 1}",
        "script: [5], expect: {result: 2}, then: {patch: {game: {active: red}}, script: [5], expect: {path: [1]}}",
    ],
)
def test_nothing_is_told_of_what_is_as_its_author_wants_it(desk: Workspace, below: str) -> None:
    desk.change_text(SUITE, f"{EXPECTS}    {{{below}}}\n")
    assert data_files.find_file_problems(desk, SUITE) == ()
