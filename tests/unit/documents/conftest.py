"""A small game, already checked, that has every sort of thing a state file can hold."""

from dataclasses import replace

import pytest

from rulewright.base.source import Span
from rulewright.documents.name_table import NameTable
from rulewright.program.declarations import (
    Board,
    Field,
    Kind,
    Procedure,
    Program,
    Record,
    Relation,
    Setting,
    Step,
    Word,
    WordList,
)
from rulewright.program.expressions import Expression, Literal, MakeCollection, Variable, WordLiteral
from rulewright.program.statements import Ask, Whether
from rulewright.program.types import (
    FLAG,
    PLAYER,
    CellType,
    DirectionType,
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
from rulewright.runtime.state import GameSetup

AT = Span("game.rules", 0, 0)
UNIT = ThingType("Unit")
ABILITY = WordType("Ability")


def _field(owner: str, name: str, type_: Type, start: Expression | None = None) -> Field:
    return Field(name=name, address=f"{owner}/{name}", type=type_, start=start, title="", span=AT)


def _literal(value: int | str | None, type_: Type) -> Literal:
    return Literal(type=type_, span=AT, value=value)


def _declared(name: str) -> dict[str, object]:
    return {"name": name, "title": "", "cites": (), "span": AT}


def _procedure(name: str, *parameters: tuple[str, Type, Expression | None]) -> Procedure:
    variables = tuple(Variable(each, number, type_) for number, (each, type_, _) in enumerate(parameters))
    return Procedure(
        **_declared(name),
        variables=variables,
        parameters=variables,
        defaults=tuple(default for _, _, default in parameters),
        result=None,
        opening=(),
        steps=(),
    )


def make_program() -> Program:
    unit_fields = (
        _field("Unit", "owner", PLAYER),
        _field("Unit", "at", CellType("hex")),
        _field("Unit", "facing", DirectionType("hex"), _literal(0, DirectionType("hex"))),
        _field("Unit", "morale", NumberType(0, 9)),
        _field("Unit", "leader", OptionalType(UNIT), _literal(None, OptionalType(UNIT))),
        _field("Unit", "abilities", SetType(ABILITY), MakeCollection(type=SetType(ABILITY), span=AT, items=())),
        _field("Unit", "badge", TextType(), _literal("", TextType())),
    )
    counts = MapType(ABILITY, NumberType(0, 99))
    player_fields = (
        _field("player", "spent", counts, MakeCollection(type=counts, span=AT, items=(_literal(0, NumberType(0, 0)),))),
        _field("player", "best", OptionalType(RecordType("Score")), _literal(None, OptionalType(RecordType("Score")))),
    )
    units = Variable("a", 0, UNIT), Variable("b", 1, UNIT)
    empty: dict[str, dict[str, object]] = {
        "dice": {},
        "functions": {},
        "external_procedures": {},
        "external_terms": {},
        "measures": {},
        "invariants": {},
        "events": {},
        "handlers": {},
        "rules": {},
    }
    return Program(
        name="skirmish",
        title="Skirmish",
        revision="1",
        fingerprint="f" * 64,
        documents=(),
        values={
            "Ability": WordList(
                **_declared("Ability"), words=(Word("mend", "heals"), Word("spite", ""), Word("war_cry", ""))
            )
        },
        kinds={
            "player": Kind(**_declared("player"), plural="players", fields=player_fields, derived=()),
            "Unit": Kind(**_declared("Unit"), plural="units", fields=unit_fields, derived=("Unit/destroyed",)),
        },
        records={
            "Score": Record(
                **_declared("Score"),
                parts=(_field("Score", "mine", NumberType(0, 20)), _field("Score", "theirs", NumberType(0, 20))),
                derived=(),
            )
        },
        boards={
            "field": Board(
                **_declared("field"),
                space="hex",
                fields=(_field("field", "blocked", FLAG, _literal(False, FLAG)),),
                sides=(_field("field", "river", FLAG, _literal(False, FLAG)),),
            )
        },
        game={
            "active": _field("game", "active", UNIT),
            "turn": _field("game", "turn", NumberType(1, 12), _literal(1, NumberType(1, 12))),
        },
        settings={
            "bold": Setting(**_declared("bold"), type=ABILITY, value=WordLiteral(type=ABILITY, span=AT, position=0))
        },
        relations={
            "melee": Relation(**_declared("melee"), parameters=units, symmetric=True),
            "rides": Relation(**_declared("rides"), parameters=units, symmetric=False),
        },
        procedures={
            "attack": _procedure(
                "attack",
                ("attacker", UNIT, None),
                ("defender", UNIT, None),
                ("bonus", NumberType(0, 3), _literal(0, NumberType(0, 3))),
            )
        },
        accounts=(),
        rulings=(),
        **empty,
    )


@pytest.fixture(scope="session")
def program() -> Program:
    return make_program()


@pytest.fixture(scope="session")
def asking(program: Program) -> Program:
    """The same game with a step `1` that asks `push` and `stand`."""
    questions = tuple(
        Ask(
            address=f"attack/1/{name}",
            cites=(),
            span=AT,
            who=_literal(None, PLAYER),
            shape=Whether(None),
            variable=Variable(name, 3, FLAG),
            prompt="",
            demands=(),
            block=(),
            otherwise=None,
        )
        for name in ("push", "stand")
    )
    step = Step("1", "attack/1", "", (), AT, None, questions)
    return replace(program, procedures={"attack": replace(program.procedures["attack"], steps=(step,))})


@pytest.fixture(scope="session")
def names(program: Program) -> NameTable:
    things = {"player": ("red", "blue"), "Unit": ("hammer", "anvil", "page")}
    cells = tuple((q, r) for q in range(-1, 2) for r in range(-1, 2) if abs(q + r) <= 1)
    return NameTable(program, GameSetup(things, {"field": cells}, {"bold": 0}))
