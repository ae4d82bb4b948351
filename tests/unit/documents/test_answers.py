"""Answers read and refused; whatever is accepted must satisfy the published schema, and the other way round."""

import itertools

import jsonschema
import pytest

from rulewright.documents.answers import answer_to_json, read_answer
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import NameTable
from rulewright.documents.request_schemas import request_schema
from rulewright.program.types import (
    FLAG,
    CellType,
    DirectionType,
    ListType,
    MapType,
    NumberType,
    OptionalType,
    RecordType,
    SetType,
    TextType,
    ThingType,
    Type,
    WordType,
)
from rulewright.runtime.request import AnswerChoice, DiceToThrow, RefusalReason, Request
from rulewright.runtime.values import GameMap, Value

UNIT = ThingType("Unit")
ABILITY = WordType("Ability")
D6 = DiceToThrow(2, (1, 2, 3, 4, 5, 6), NumberType(1, 6))


def _request(sort: str, type_: Type | None, **more: object) -> Request:
    return Request(sort, f"attack/1/{sort}", 0, "What now?", type_, **more)  # type: ignore[arg-type]


WHETHER = _request("whether", FLAG, choices=(AnswerChoice(True), AnswerChoice(False)))
ONE = _request(
    "one",
    CellType("hex"),
    choices=(
        AnswerChoice((0, 0)),
        AnswerChoice((1, 0), reason=RefusalReason("empty/unoccupied", "an empty hex: unoccupied")),
    ),
)
NOBODY = _request("one", OptionalType(UNIT), choices=(AnswerChoice(None), AnswerChoice(0)))
CHOOSE = _request("choose", TextType(), choices=(AnswerChoice("follow_up"), AnswerChoice("decline")))
TURN = _request("turn", DirectionType("hex"), choices=tuple(AnswerChoice(each) for each in range(6)))
PICK = _request("pick", SetType(UNIT), items=(0, 1, 2), low=1, high=2)
SPLIT = _request("split", MapType(UNIT, NumberType(0, None)), items=(0, 1), high=3)
SPLIT_CELLS = _request("split", MapType(CellType("hex"), NumberType(0, None)), items=((0, 0), (1, 0)), high=1)
ORDER = _request("order", ListType(UNIT), items=(0, 1, 2), high=3)
HANDLERS = _request("handlers", ListType(TextType()), items=("javelins", "war_cry"))
HANDLER = _request("handler", FLAG, choices=(AnswerChoice(True), AnswerChoice(False)))
ROLL = _request("roll", ListType(NumberType(1, 6)), dice=(D6, DiceToThrow(1, (0, 1), ABILITY)))
DRAW = _request("draw", UNIT, items=(1, 1, 2))
EXTERNAL = _request("external", RecordType("Score"), name="Score", changes=("Unit/morale", "Unit/gone", "game/active"))
PLAIN = _request("external", NumberType(0, 9), name="count_up")
NOTHING = _request("external", None, name="do_it")
VALUE = _request("value", SetType(CellType("hex")), name="arc")

ACCEPTED: list[tuple[Request, Json, Value]] = [
    (WHETHER, True, True),
    (WHETHER, "no", False),
    (ONE, [0, 0], (0, 0)),
    (NOBODY, None, None),
    (NOBODY, "none", None),
    (NOBODY, "hammer", 0),
    (CHOOSE, "decline", "decline"),
    (TURN, 5, 5),
    (PICK, ["page", "hammer"], (0, 2)),
    (SPLIT, {"hammer": 2, "anvil": 1}, GameMap.from_pairs(0, [(0, 2), (1, 1)])),
    (SPLIT, [["hammer", 3]], GameMap.from_pairs(0, [(0, 3)])),
    (SPLIT_CELLS, [[[1, 0], 1]], GameMap.from_pairs(0, [((1, 0), 1)])),
    (ORDER, ["page", "hammer", "anvil"], (2, 0, 1)),
    (HANDLERS, ["war_cry", "javelins"], ("war_cry", "javelins")),
    (HANDLER, "yes", True),
    (ROLL, [6, 1, "spite"], (6, 1, 1)),
    (DRAW, "anvil", 1),
    (EXTERNAL, {"mine": 2, "theirs": 0}, ((2, 0), ())),
    (
        EXTERNAL,
        {"mine": 0, "theirs": 0, "changes": {"units": {"anvil": {"morale": 3}}, "game": {"active": "page"}}},
        ((0, 0), (("Unit/morale", 1, 3), ("game/active", None, 2))),
    ),
    (EXTERNAL, {"mine": 0, "theirs": 0, "changes": {"removed": ["page"]}}, ((0, 0), (("Unit/gone", 2, True),))),
    (PLAIN, {"result": 4}, (4, ())),
    (NOTHING, {}, (None, ())),
    (VALUE, [[1, 0], [0, 0]], ((0, 0), (1, 0))),
]

REFUSED: list[tuple[Request, Json, str, str]] = [
    (WHETHER, "maybe", "RW0730", "`maybe` is not possible: answer `yes` or `no`"),
    (WHETHER, 1, "RW0730", "1 is not possible: answer `yes` or `no`"),
    (ONE, [1, 0], "RW0731", "`[1, 0]` is not possible: an empty hex: unoccupied"),
    (ONE, [3, 0], "RW0730", "[3, 0] is not possible: answer `[0, 0]`"),
    (
        CHOOSE,
        "stay",
        "RW0730",
        "`stay` is not possible: answer `follow_up` or `decline`",
    ),
    (TURN, 7, "RW0730", "7 is not possible: answer 0 to 5"),
    (PICK, [], "RW0730", "nothing is picked: pick 1 or 2"),
    (PICK, ["page", "page"], "RW0730", "`page` is picked twice"),
    (
        PICK,
        ["red"],
        "RW0730",
        "`red` is not possible: pick from `hammer`, `anvil` and `page`",
    ),
    (
        SPLIT,
        {"page": 3},
        "RW0730",
        "`page` cannot have a share: share among `hammer` and `anvil`",
    ),
    (
        ORDER,
        ["page", "hammer"],
        "RW0730",
        "the order needs each of them once: `anvil` is missing",
    ),
    (
        HANDLERS,
        "war_cry",
        "RW0730",
        "`war_cry` is not possible: answer with a list of `javelins` and `war_cry`, in order",
    ),
    (ROLL, [7, 1, "mend"], "RW0730", "7 is not possible: a d6 shows 1 to 6"),
    (ROLL, [1, 1], "RW0730", "3 dice are thrown, and 2 faces are given"),
    (
        DRAW,
        "hammer",
        "RW0730",
        "`hammer` is not possible: answer `anvil` or `page`",
    ),
    (EXTERNAL, {"mine": 2, "thiers": 1}, "RW0730", "`Score` does not give `thiers`"),
    (EXTERNAL, {"mine": 2}, "RW0711", "the answer lacks `theirs`"),
    (
        EXTERNAL,
        {"mine": 2, "theirs": 21},
        "RW0712",
        "`theirs` of the answer is 21; it must be from 0 to 20",
    ),
    (EXTERNAL, {"mine": 2, "theirs": 1, "ours": 1}, "RW0730", "`Score` does not give `ours`"),
    (
        EXTERNAL,
        {"mine": 0, "theirs": 0, "changes": {"units": {"anvil": {"facing": 3}}}},
        "RW0732",
        "this external may not change `facing` of `anvil`",
    ),
    (PLAIN, {"reslt": 4}, "RW0730", "`count_up` does not give `reslt`"),
    (PLAIN, {"result": 4, "changes": {}}, "RW0730", "`count_up` does not give `changes`"),
    (NOTHING, {"result": 4}, "RW0730", "`do_it` does not give `result`"),
    (
        VALUE,
        [0, 0],
        "RW0713",
        "a member of the answer is 0; it must be the two numbers of a cell, such as `[2, -1]`",
    ),
]

REQUESTS = list({id(request): request for request, *_ in ACCEPTED}.values())


@pytest.mark.parametrize(("request_", "answer", "value"), ACCEPTED)
def test_an_answer_is_read(request_: Request, answer: Json, value: Value, names: NameTable) -> None:
    outcome = read_answer(request_, answer, names)
    assert outcome.diagnostics == ()
    assert outcome.value == value


@pytest.mark.parametrize(("request_", "value"), [(request, value) for request, _, value in ACCEPTED])
def test_an_answer_is_written_as_it_is_read(request_: Request, value: Value, names: NameTable) -> None:
    written = answer_to_json(request_, value, names)
    assert read_answer(request_, written, names).value == value
    jsonschema.validate(written, request_schema(request_, names))


@pytest.mark.parametrize(("request_", "answer", "code", "message"), REFUSED)
def test_an_answer_is_refused(request_: Request, answer: Json, code: str, message: str, names: NameTable) -> None:
    outcome = read_answer(request_, answer, names)
    assert [(each.code, each.message) for each in outcome.diagnostics][:1] == [(code, message)]
    assert outcome.value is None


def test_only_sums_escape_the_schema(names: NameTable) -> None:
    assert [each.message for each in read_answer(SPLIT, {"hammer": 1}, names).diagnostics] == [
        "the shares add up to 1: they must add up to 3"
    ]
    jsonschema.validate({"hammer": 1}, request_schema(SPLIT, names))


@pytest.mark.parametrize("request_", REQUESTS, ids=[each.sort for each in REQUESTS])
def test_the_schema_judges_as_the_reader_does(request_: Request, names: NameTable) -> None:
    """Every answer of every request, given to this one."""
    schema = request_schema(request_, names)
    jsonschema.Draft202012Validator.check_schema(schema)
    judge = jsonschema.Draft202012Validator(schema)
    answers = [answer for _, answer, *_ in itertools.chain(ACCEPTED, REFUSED)]
    for answer in answers:
        accepted = not read_answer(request_, answer, names).diagnostics
        adds_up = request_.sort != "split" or accepted
        assert judge.is_valid(answer) == accepted or not adds_up, answer
