"""JSON Schema of `expect`: its keys, their help in editors, and the named lines of a program with their types."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from rulewright.documents.document_nodes import DocumentNode, MapNode
from rulewright.documents.document_schemas import document_shapes
from rulewright.documents.document_shapes import ErrorCodes
from rulewright.program.declarations import Program, Tally
from rulewright.program.expressions import Variable
from rulewright.program.statements import Ask, DecideLine, Draw, Let, Line, Perform, Roll, TallyLine
from rulewright.program.types import DieType, ListType, PoolType, Type
from rulewright.program.walk import list_computed_rows, list_lines_of_class, list_step_addresses, strip_address_numbers
from rulewright.runtime.codec_protocols import Schema, closed_object, with_description, with_message_words

END_KEY = "end"
"""Value of `when` for an answer after the end of a play."""

ODDS_KEY = "odds"
"""Key of the shares of all plays."""

SCENARIO_CODES = ErrorCodes("RW1002", "RW1002", "RW1001", "RW1002")
TEXT_SCHEMA: Schema = {"type": ["string", "number"]}
COUNT_SCHEMA: Schema = {"type": "integer", "minimum": 1}
REASON_SCHEMA: Schema = {"type": ["string", "number"], "pattern": r"\S"}
_RANGE_SCHEMA: Schema = {"type": "string", "pattern": ".-."}
_STEPS_SCHEMA = with_message_words({"type": "array"}, wanted="a list of steps", help="")
_PLAYER_SCHEMA = with_message_words(
    {"type": ["string", "number", "null"]}, wanted="a player, or `null` for nobody", help=""
)
_OPTIONS_SCHEMA = with_message_words({"type": "array"}, wanted="a list of options", help="")
_MESSAGE_PARTS = "parts of the messages about the state, the settings or the roles"
_NO_ROW_REMEDY = "where no row at all counts, write `applied: []`; else take `not_applied:` out"
_KEYS_BEFORE_END = ("always", "invalid", "refused", "fault")


@dataclass(frozen=True)
class ExpectationNames:
    """Names of a ruleset for schemas of expectations; without a ruleset any name is valid."""

    program: Program | None = None

    @cached_property
    def steps(self) -> Iterable[str]:
        """All spellings of steps."""
        return () if self.program is None else _all_suffixes(list_step_addresses(self.program))

    @cached_property
    def rows(self) -> Iterable[str]:
        """All spellings of rows."""
        return () if self.program is None else _all_suffixes(row_addresses(self.program))

    @cached_property
    def named_lines(self) -> Iterable[str]:
        """All spellings of named lines."""
        if self.program is None:
            return ()
        return _all_suffixes(
            map(strip_address_numbers, (*named_line_types(self.program), *chance_line_types(self.program)))
        )

    @cached_property
    def tallies(self) -> Iterable[str]:
        """All spellings of tallies."""
        return () if self.program is None else _all_suffixes(tally_types(self.program))

    @property
    def measures(self) -> Iterable[str]:
        return () if self.program is None else self.program.measures

    @property
    def rulings(self) -> Iterable[str]:
        return () if self.program is None else (ruling.id for ruling in self.program.rulings)

    @cached_property
    def question_schema(self) -> Schema:
        return (
            TEXT_SCHEMA if self.program is None else {"enum": sorted(document_shapes(self.program).addresses.spellings)}
        )

    def names_schema(self, names: Iterable[str]) -> Schema:
        return {} if self.program is None else {"enum": sorted(set(names))}


def _all_suffixes(addresses: Iterable[str]) -> set[str]:
    parts = [item.split("/") for item in addresses]
    return {"/".join(part[first:]) for part in parts for first in range(len(part))}


@dataclass(frozen=True)
class ExpectationKey:
    """Schema and help of one key of `expect`."""

    schema: Callable[[ExpectationNames], Schema]  # with the names of a ruleset
    words: str  # help in editors


def _list_of_schema(items: Schema, wanted: str) -> Schema:
    return with_message_words({"type": "array", "items": items}, wanted=f"a list of {wanted}", part="this", help="")


def texts_schema(names: Iterable[str] = ()) -> Schema:
    known = sorted(set(names))
    return {"type": "array", "items": {"anyOf": [{"enum": known}, {"type": "number"}]} if known else TEXT_SCHEMA}


def _named_texts_schema(wanted: str, names: Iterable[str] = ()) -> Schema:
    return _list_of_schema(
        with_message_words(texts_schema(names)["items"], wanted=f"a text, one of the {wanted}", help=""), wanted
    )


def _map_of_schema(inner: Schema, wanted: str, names: Schema | None = None) -> Schema:
    keys = {} if not names or names == TEXT_SCHEMA else {"propertyNames": names}
    return with_message_words(
        {"type": "object", **keys, "additionalProperties": inner}, wanted=f"a mapping from {wanted}", part="this"
    )


def _invalid_schema() -> Schema:
    parts = _list_of_schema(with_message_words(REASON_SCHEMA, wanted="a part of a message", help=""), _MESSAGE_PARTS)
    return with_message_words(parts | {"minItems": 1}, empty="a part of a message")


def _question_schema(at: Schema) -> Schema:
    entry = with_message_words(
        closed_object(
            {
                "at": with_message_words(at, wanted="where it is asked", help=""),
                "by": _PLAYER_SCHEMA,
                "with": {"type": "object"},
            },
            ["at"],
        ),
        unknown="{key} is not part of a question",
        lacking="a question lacks {keys}",
        needs={"at": "`at: …`"},
        part="this",
    )
    return with_message_words({"anyOf": [at, entry]}, wanted="a question, or `{at: …, by: …, with: {…: …}}`", help="")


def _rejection_schema(at: Schema) -> Schema:
    parts = {
        "at": with_message_words(at, wanted="where it is asked", help=""),
        "answer": True,
        "because": TEXT_SCHEMA,
        "by": with_message_words(TEXT_SCHEMA, wanted="a player", help=""),
        "time": with_message_words(
            COUNT_SCHEMA, wanted="a whole number, 1 or more", help="", within="a whole number, 1 or more"
        ),
        "when": with_message_words({"anyOf": [{"const": END_KEY}, at]}, wanted=f"a question, or `{END_KEY}`", help=""),
    }
    return with_message_words(
        closed_object(parts, ["at", "answer", "because"]),
        wanted="`{at: …, answer: …, because: …}`",
        unknown="{key} is not part of a refused answer",
        lacking="a refused answer lacks {keys}",
        needs={item: f"`{item}: …`" for item in ("at", "answer", "because")},
        part="this",
    )


def _counted_schema(names: Schema) -> Schema:
    amount = with_message_words(
        {"type": ["number", "string", "array"]}, wanted="what a row adds, or a list of that", help=""
    )
    once = _map_of_schema(amount, "rows to what they add")
    times = with_message_words(
        {"anyOf": [once, {"type": "array", "items": once}]}, wanted="a mapping from rows to what they add"
    )
    return _map_of_schema(with_message_words(times, part="this"), "tallies to the rows that count", names)


def has_only_odds(expect: DocumentNode | None) -> bool:
    """Whether only odds are expected, so that nothing is played."""
    return isinstance(expect, MapNode) and {key.text for key, _ in expect} == {ODDS_KEY}


def _odds_schema() -> Schema:
    form = "write `EXPRESSION: 1/3` of a flag, else `EXPRESSION: {VALUE: 1/3}`"
    share = with_message_words(
        {"type": ["number", "string"]}, wanted="a share such as `1/3`, `25 %` or `at least 1/2`", help=""
    )
    values = with_message_words(
        _map_of_schema(share, "values to shares") | {"minProperties": 1}, blank="no value is named", help=form
    )
    wanted = "a share such as `1/3`, or a mapping from values to shares"
    measure = with_message_words({"anyOf": [share, values]}, wanted=wanted, part="this", help="")
    return with_message_words(
        _map_of_schema(measure, "expressions to shares") | {"minProperties": 1}, blank="nothing is asked", help=form
    )


def _path_schema(names: ExpectationNames) -> Schema:
    steps, called = (
        sorted(set(names.steps)),
        names.names_schema(() if names.program is None else names.program.procedures),
    )
    step: Schema = {"anyOf": [{"enum": steps}, {"type": "number"}, _RANGE_SCHEMA]} if steps else TEXT_SCHEMA
    calls = _map_of_schema(_STEPS_SCHEMA, "procedures to steps", called)
    listed = _list_of_schema(
        with_message_words({"anyOf": [step, calls]}, wanted="a step, or a procedure with its steps", help=""), "steps"
    )
    return with_message_words(
        {"anyOf": [listed, calls]}, wanted="a list of steps, or a mapping from procedures to steps", part="this"
    )


def _partial_state_schema(names: ExpectationNames) -> Schema:
    wanted = "a mapping, a part of a state"
    if names.program is None:
        return with_message_words({"type": "object"}, wanted=wanted)
    sections = document_shapes(names.program).state.schema["properties"]
    return with_message_words({"type": "object", "propertyNames": names.names_schema(sections)}, wanted=wanted)


EXPECTATION_KEYS: Mapping[str, ExpectationKey] = {
    "always": ExpectationKey(
        lambda _: _named_texts_schema("conditions"),
        "conditions in the language of rules that hold at the start and whenever the state has settled",
    ),
    "invalid": ExpectationKey(
        lambda _: _invalid_schema(),
        "parts of the messages about a state, settings or roles that cannot be; nothing is played",
    ),
    "refused": ExpectationKey(
        lambda _: _named_texts_schema("reasons"),
        "the reason why the start is refused, word for word; of several, all `require` that fail",
    ),
    "fault": ExpectationKey(
        lambda _: with_message_words(
            {"type": "string"}, wanted="the code of a fault or a part of its message", help=""
        ),
        "the code of the fault that ends the play, or a part of its message",
    ),
    "result": ExpectationKey(
        lambda _: {},
        "what the procedure gives",
    ),
    "path": ExpectationKey(
        _path_schema,
        "all steps that run, in order: `[1-7, {fight: [1, 2]}, 8]`; or by procedure, of each call its own",
    ),
    "passed_over": ExpectationKey(
        lambda names: _named_texts_schema("steps", names.steps),
        "all steps that are passed over, in order",
    ),
    "happens": ExpectationKey(
        lambda _: _named_texts_schema("steps, lines, questions and events"),
        "steps, lines, questions and events in this order, whatever comes between them",
    ),
    "asked": ExpectationKey(
        lambda names: _list_of_schema(_question_schema(names.question_schema), "questions"),
        "all questions and dice, in order; `{at: …, by: …}` says of whom, `with: {…}` what an external is given",
    ),
    "asked_of": ExpectationKey(
        lambda names: _map_of_schema(_PLAYER_SCHEMA, "questions to players", names.question_schema),
        "by question, who is asked; `null` for nobody",
    ),
    "offered": ExpectationKey(
        lambda names: _map_of_schema(_OPTIONS_SCHEMA, "questions to options", names.question_schema),
        "by question, all legal answers of the first time it is asked; those of a set in any order",
    ),
    "rejects": ExpectationKey(
        lambda names: _list_of_schema(_rejection_schema(names.question_schema), "refused answers"),
        "answers that are refused, with a part of the reason; `time`: not the first time, "
        "`by`: of this player, `when`: while this waits, or `end`",
    ),
    "values": ExpectationKey(
        lambda names: _map_of_schema({}, "named lines to what they give", names.names_schema(names.named_lines)),
        "by named line, what it gives, a roll its faces, a `let` what it was bound to; a list of all times",
    ),
    "decided": ExpectationKey(
        lambda _: _map_of_schema(
            with_message_words(TEXT_SCHEMA, wanted="the id of a row", help=""), "addresses to rows"
        ),
        "by decide or table, the row that is taken last",
    ),
    "counted": ExpectationKey(
        lambda names: _counted_schema(names.names_schema(names.tallies)),
        "by tally, the rows that count with what each adds; a list with one entry for each time it is computed",
    ),
    "applied": ExpectationKey(
        lambda names: _named_texts_schema("rows", names.rows),
        "rows of tallies that count at least once, an empty list where none does",
    ),
    "not_applied": ExpectationKey(
        lambda names: with_message_words(
            _named_texts_schema("rows", names.rows) | {"minItems": 1}, empty="a row", help=_NO_ROW_REMEDY
        ),
        "rows of tallies that never count",
    ),
    "rulings": ExpectationKey(
        lambda names: _named_texts_schema("rulings", names.rulings),
        "rulings that the play meets, an empty list where it meets none",
    ),
    "measures": ExpectationKey(
        lambda names: _map_of_schema({}, "measures to values", names.names_schema(names.measures)),
        "by measure, its value at the end; of one with parameters by what they are, one inside the other",
    ),
    "state": ExpectationKey(
        _partial_state_schema,
        "a part of the state at the end; what is not written may be anything",
    ),
    "changes": ExpectationKey(
        _partial_state_schema,
        "all that is different at the end, and nothing that never changed",
    ),
    ODDS_KEY: ExpectationKey(
        lambda _: _odds_schema(),
        "by expression, how likely it is `yes` at the end, or each of its values: `1/3`, `25 %`, `at least 1/2`",
    ),
}

_KEYS_AT_END = tuple(one for one in EXPECTATION_KEYS if one not in _KEYS_BEFORE_END)
EXCLUSIVE_KEYS = {
    "invalid": ("refused", "fault", "always", *_KEYS_AT_END),
    "refused": ("fault", "always", *_KEYS_AT_END),
    "fault": ("result", ODDS_KEY),
}
"""Keys that exclude each other in one play."""


def expect_schema(program: Program | None = None) -> Schema:
    """JSON Schema of `expect`, with the names of a ruleset if one is given."""
    names = ExpectationNames(program)
    keys = {
        key: with_description(expectation_key.schema(names), expectation_key.words)
        for key, expectation_key in EXPECTATION_KEYS.items()
    }
    return with_message_words(
        closed_object(keys),
        unknown="{key} is not part of what is expected",
        may="you can expect",
        part="this",
        dotted="what a play changes stands under `changes`, such as `changes: {units: {gawain: {health: 2}}}`",
    )


def named_line_types(program: Program) -> dict[str, Type]:
    """Type by address of lines that name what they compute, perform, decide, tally or ask."""
    return {
        line.address: named.type
        for line in list_lines_of_class(program, Line)
        if (named := _named_variable(line)) is not None
    }


def chance_line_types(program: Program) -> dict[str, Type]:
    """Type by address of lines that draw, or roll dice with a name (a list of faces)."""
    return {line.address: line.variable.type for line in list_lines_of_class(program, Draw)} | rolled_line_types(
        program
    )


def rolled_line_types(program: Program) -> dict[str, Type]:
    """Type by address of lines that roll: the face of a single die, or a list of faces."""
    lines = list_lines_of_class(program, Roll)
    return {line.address: faces for line in lines if (faces := _face_type(line.variable.type)) is not None}


def _face_type(type_: Type) -> Type | None:
    match type_:
        case DieType(face):
            return face
        case PoolType(face):
            return ListType(face)
        case _:
            return None


def _named_variable(line: Line) -> Variable | None:
    match line:
        case Let(variable=variable, value=value):
            return None if value is None else variable
        case TallyLine(variable=variable) | DecideLine(variable=variable) | Ask(variable=variable):
            return variable
        case Perform(result=result):
            return result
        case _:
            return None


def tally_types(program: Program) -> dict[str, Type]:
    """Type of the total by address of tallies, declared or on a line."""
    declared = {name: function.type for name, function in program.functions.items() if isinstance(function.body, Tally)}
    return declared | {line.address: line.variable.type for line in list_lines_of_class(program, TallyLine)}


def row_addresses(program: Program) -> tuple[str, ...]:
    """Addresses of all rows of tallies, decides and tables."""
    return tuple(one.address for one in list_computed_rows(program))
