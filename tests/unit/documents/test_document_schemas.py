"""The published schemas: well formed, and of one mind with the readers."""

import copy
import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

from rulewright.documents.answer_scripts import parse_script
from rulewright.documents.document_nodes import data_to_node
from rulewright.documents.document_schemas import script_schema, state_schema
from rulewright.documents.name_table import NameTable
from rulewright.documents.question_schemas import TypeSchemas
from rulewright.documents.saved_sessions import RecordedAnswer, SavedSession, format_save, save_schema
from rulewright.documents.state_file import parse_state
from rulewright.documents.value_reader import read_value
from rulewright.program.declarations import Program
from rulewright.program.types import (
    FLAG,
    BagType,
    CellType,
    DirectionType,
    FractionType,
    ListType,
    MapType,
    NumberType,
    OptionalType,
    RecordType,
    SetType,
    TextType,
    ThingType,
    TupleType,
    Type,
    WordType,
)
from rulewright.runtime.type_codecs import value_to_json
from support.sample_sizes import choose_count

TYPES: list[Type] = [
    NumberType(0, 9),
    NumberType(None, None),
    FractionType(),
    FLAG,
    TextType(),
    WordType("Ability"),
    ThingType("Unit"),
    CellType("hex"),
    DirectionType("hex"),
    OptionalType(WordType("Ability")),
    OptionalType(TextType()),
    SetType(WordType("Ability")),
    ListType(ThingType("Unit")),
    BagType(NumberType(1, 3)),
    TupleType((ThingType("Unit"), NumberType(0, 3))),
    RecordType("Score"),
    MapType(WordType("Ability"), NumberType(0, 9)),
    MapType(NumberType(0, 9), FLAG),
]
NUMBERS = st.sampled_from([0, 1, 3, 5, 6, 9, 10, -1, 1.5, 2.0])
TEXTS = st.sampled_from(["", "yes", "no", "none", "1/3", "1/0", "3", "mend", "spite", "hammer", "red", "mine"])
SCALARS = NUMBERS | TEXTS | st.booleans() | st.none()
DATA = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["mend", "spite", "mine", "theirs", "hammer", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
STATE: dict[str, Any] = {
    "players": {"red": {}, "blue": {"spent": {"mend": 2}, "best": {"mine": 1, "theirs": 0}}},
    "units": {
        "hammer": {"owner": "red", "at": [0, 0], "morale": 2, "leader": "anvil", "abilities": ["mend"]},
        "anvil": {"owner": "blue", "at": [1, 0], "facing": 3, "morale": 1, "leader": None, "badge": "5"},
    },
    "field": {
        "shape": {"radius": 3},
        "cells": {"2,-1": {"blocked": True}},
        "sides": {"0,0 1,0": {"river": "yes"}},
    },
    "game": {"active": "hammer"},
    "melee": [["hammer", "anvil"]],
    "removed": ["units/anvil"],
    "settings": {"bold": "spite"},
}


# A thing or a cell that the state does not have: only the reader sees that.
NAMED_IN_VAIN = {"RW0714", "RW0716"}


def _valid(schema: dict[str, Any], data: object) -> bool:
    return jsonschema.Draft202012Validator(schema).is_valid(data)  # type: ignore[no-any-return]


def test_schemas_are_well_formed_and_have_names(asking: Program) -> None:
    named = [(state_schema(asking), "state"), (script_schema(asking), "script")]
    for schema, name in named:
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert schema["$id"] == f"urn:rulewright:skirmish:1:{name}:1"
    jsonschema.Draft202012Validator.check_schema(save_schema())
    assert save_schema()["$id"] == "urn:rulewright:save:3"


@pytest.mark.parametrize("type_", TYPES, ids=repr)
@given(data=DATA)
@settings(max_examples=choose_count(15, 60), deadline=None)
def test_a_value_is_read_where_its_schema_accepts_it(names: NameTable, type_: Type, data: Any) -> None:
    schema = TypeSchemas(names.program, names.base.things).type_schema(type_)
    outcome = read_value(data_to_node(data), type_, names)
    assert _valid(schema, data) == (outcome.diagnostics == ())
    if not outcome.diagnostics:
        again = read_value(data_to_node(value_to_json(outcome.value, type_, names)), type_, names)
        assert again.value == outcome.value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((), []),
        (("units",), []),
        (("units",), ["hammer"]),
        (("units", "hammer"), None),
        (("players",), ["red", "blue"]),
        (("players", "red"), None),
        (("players", "none"), {}),
        (("units", "hammer", "morale"), 12),
        (("units", "hammer", "morale"), 2.0),
        (("units", "hammer", "moral"), 2),
        (("units", "hammer", "at"), [0]),
        (("units", "hammer", "leader"), "none"),
        (("units", "hammer", "leader"), 3),
        (("units", "hammer", "abilities"), ["mend", "mend"]),
        (("units", "hammer", "destroyed"), False),
        (("field", "shape"), {"columns": 9, "rows": 9}),
        (("field", "shape"), {"columns": 9}),
        (("field", "shape"), {"radius": 151}),
        (("field", "shape"), {"cells": [[0, 0], [1, 0], [2, -1]]}),
        (("field", "shape"), {"cells": []}),
        (("field", "cells"), {"2;1": {}}),
        (("field", "cells"), {"2,-1": {"wet": True}}),
        (("field", "sides"), {"0,0": {"river": True}}),
        (("field", "holes"), {}),
        (("field",), {}),
        (("game",), {}),
        (("game", "turn"), 13),
        (("game", "trun"), 1),
        (("melee",), [["hammer"]]),
        (("melee",), {}),
        (("removed",), ["anvil"]),
        (("removed",), ["boats/anvil"]),
        (("removed",), "anvil"),
        (("settings", "bold"), "loud"),
        (("settings", "bald"), "mend"),
        (("meele",), []),
    ],
)
def test_a_state_is_read_where_its_schema_accepts_it(program: Program, path: tuple[str, ...], value: object) -> None:
    state: Any = copy.deepcopy(STATE)
    if path:
        inner = state
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = value
    else:
        state = value
    faults = {each.code for each in parse_state(data_to_node(state), program).diagnostics}
    if _valid(state_schema(program), state):
        assert faults <= NAMED_IN_VAIN
    else:
        assert faults


def test_the_example_is_a_state(program: Program) -> None:
    assert _valid(state_schema(program), STATE)
    assert parse_state(data_to_node(STATE), program).diagnostics == ()


@pytest.mark.parametrize("lacking", ["field", "game", "melee", "players", "removed", "settings"])
def test_a_missing_section_is_missed_by_both(program: Program, lacking: str) -> None:
    state = {key: value for key, value in STATE.items() if key not in {lacking, "units", "melee", "removed"}}
    state["game"] = state.get("game") and {"active": "hammer"}
    if not state["game"]:
        del state["game"]
    faults = {each.code for each in parse_state(data_to_node(state), program).diagnostics}
    if _valid(state_schema(program), state):
        assert faults <= NAMED_IN_VAIN
    else:
        assert faults


@pytest.mark.parametrize(
    "script",
    [
        [],
        [True, 3, {"mine": 1}],
        [{"answer": True, "at": "push", "by": "red"}],
        [{"answer": True, "at": "posh"}],
        [{"answer": True, "when": "now"}],
        {},
        {"push": True, "attack/1/stand": {"each": [True]}},
        {"push": {"each": True}},
        {"posh": True},
        {"1": True},
        "yes",
    ],
)
def test_a_script_is_read_where_its_schema_accepts_it(asking: Program, script: Any) -> None:
    read = parse_script(data_to_node(script), asking)
    assert _valid(script_schema(asking), script) == (read.diagnostics == ())


def test_a_save_satisfies_its_schema() -> None:
    save = SavedSession(
        "skirmish", "1", "f" * 64, "attack", {}, {}, None, (RecordedAnswer("attack/1/push", "red", True),)
    )
    assert _valid(save_schema(), json.loads(format_save(save)))
    assert not _valid(save_schema(), {})
