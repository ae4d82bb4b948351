from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.program.expressions import Literal, WordLiteral
from support.reference.ruleset_texts import load_files


def loaded(text: str) -> LoadedRuleset:
    return load_files({"a.rules": 'ruleset a "A" revision "1"\n' + text}, "a.rules")


def codes(text: str) -> list[str]:
    return [each.code for each in loaded(text).diagnostics if each.code != "RW0231"]


def test_fields_have_addresses_types_and_starts() -> None:
    program = loaded("kind Unit, units:\n  health: 0..9 = 3\n  friends: set of Unit = {}\n  owner: player\n").program
    assert program is not None
    fields = program.kinds["Unit"].fields
    assert [(each.address, str(each.type), each.start is None) for each in fields] == [
        ("Unit/health", "0..9", False),
        ("Unit/friends", "set of Unit", False),
        ("Unit/owner", "player", True),
    ]


def test_players_exist_and_may_be_given_attributes() -> None:
    program = loaded("kind player, players:\n  seals: 0..9 = 0\n").program
    assert program is not None
    assert program.kinds["player"].plural == "players"
    assert [each.name for each in program.kinds["player"].fields] == ["seals"]


def test_named_results_of_an_external_are_a_record_of_its_name() -> None:
    program = loaded(
        "kind Unit, units:\n  hp: 0..9\nexternal procedure test(u: Unit) gives (a: 0..9, b: flag)\n"
    ).program
    assert program is not None
    assert [part.name for part in program.records["test"].parts] == ["a", "b"]
    assert str(program.external_procedures["test"].result) == "test"  # type: ignore[arg-type]


def test_what_an_external_changes_has_addresses() -> None:
    text = (
        "kind Unit, units:\n  hp: 0..9\ngame:\n  turn: 1..9\nboard field of hex:\n  open: flag = yes\n"
        "relation bound(a: Unit, b: Unit)\n"
        "external procedure test(u: Unit) changes Unit.hp, Unit.gone, turn, field.open, bound\n"
    )
    program = loaded(text).program
    assert program is not None
    changed = program.external_procedures["test"].changes
    assert changed == ("Unit/hp", "Unit/gone", "game/turn", "field/open", "bound")


def test_sides_lie_between_cells() -> None:
    program = loaded("board field of hex:\n  open: flag = yes\n  side wall: flag = no\n").program
    assert program is not None
    board = program.boards["field"]
    assert ([each.name for each in board.fields], [each.name for each in board.sides]) == (["open"], ["wall"])


def test_every_face_counts_as_often_as_it_occurs() -> None:
    program = loaded("values Sign: sword, blank\ndie fate: sword, blank * 2\n").program
    assert program is not None
    faces = program.dice["fate"].faces
    assert [face.position for face in faces if isinstance(face, WordLiteral)] == [0, 1, 1]


def test_settings_have_their_value() -> None:
    program = loaded("setting most: 0..9 = 4\n").program
    assert program is not None
    value = program.settings["most"].value
    assert isinstance(value, Literal)
    assert value.value == 4


def test_a_broken_type_is_reported_once() -> None:
    text = "kind Unit, units:\n  hp: 0..9\n  mood: Moood\nterm glad(u: Unit) gives flag means u.mood = u.mood\n"
    assert codes(text) == ["RW0209"]
    text = "term glad(u: Unti) gives flag means yes\nterm sad gives flag means no p in players where glad(p)\n"
    assert codes(text) == ["RW0209"]


def test_the_same_name_may_stand_in_different_name_spaces() -> None:
    text = (
        "kind Unit, units:\n  hp: 0..9\nterm ready(u: Unit) gives flag means u.hp > 3\n"
        "always ready for each u in units: u.hp < 9\ngame:\n  turn: 1..9\n"
    )
    assert codes(text) == []


def test_a_bound_term_takes_the_place_of_the_external() -> None:
    text = (
        "kind Unit, units:\n  hp: 0..9\nexternal term bonus(u: Unit) gives 0..9\n"
        "term own(u: Unit) gives 0..9 means u.hp\nbind bonus to own\n"
        "term strong(u: Unit) gives flag means bonus(u) > 3\n"
    )
    assert codes(text) == []
