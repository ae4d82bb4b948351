"""Answers read and refused; whatever is accepted must satisfy the published schema, and the other way round."""

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from rulewright.documents.answers import answer_to_json, read_answer
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
from support.asked_pages import check_page
from support.language_cases import split_blocks

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

REQUESTS = {name.lower(): each for name, each in globals().items() if isinstance(each, Request)}
PAGE = Path(__file__).with_name("answers.md")
ANSWERS = [
    json.loads(line)
    for block in split_blocks(PAGE.read_text(encoding="utf-8"), "answer")
    for line in block["content"].splitlines()
    if not line.startswith(" ")
]


def test_an_answer_is_read_as_the_page_says(names: NameTable, *, accept: bool) -> None:
    def answer(asks: str, about: str, question: str, section: str) -> Iterator[str]:
        del asks, section
        outcome = read_answer(REQUESTS[about], json.loads(question), names)
        for each in outcome.diagnostics:
            yield f"{each.code} {each.message}"
        if not outcome.diagnostics:
            yield f"{outcome.value!r} {json.dumps(answer_to_json(REQUESTS[about], outcome.value, names))}"

    check_page(PAGE, {"answer"}, answer, accept=accept)


@pytest.mark.parametrize("name", REQUESTS)
def test_the_schema_judges_as_the_reader_does(name: str, names: NameTable) -> None:
    """Every answer of every request, given to this one; what is written of it is read alike."""
    request_ = REQUESTS[name]
    schema = request_schema(request_, names)
    jsonschema.Draft202012Validator.check_schema(schema)
    judge = jsonschema.Draft202012Validator(schema)
    for answer in ANSWERS:
        outcome = read_answer(request_, answer, names)
        accepted = not outcome.diagnostics
        adds_up = request_.sort != "split" or accepted
        assert judge.is_valid(answer) == accepted or not adds_up, answer
        if accepted:
            written = answer_to_json(request_, outcome.value, names)
            assert judge.is_valid(written)
            assert read_answer(request_, written, names).value == outcome.value
