"""The keys of `expect` in a scenario: what each is in shape, and what editors show of it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from rulewright.codecs.schemas import Schema, closed, described, worded
from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.nodes import Mapping as MappingNode, Node
from rulewright.inputs.shapes import Codes
from rulewright.program.declarations import Program, Tally
from rulewright.program.expressions import Variable
from rulewright.program.statements import Ask, DecideLine, Draw, Let, Line, Perform, Roll, TallyLine
from rulewright.program.types import DieType, ListType, PoolType, Type
from rulewright.program.walk import lines_of, rows, shared_address, step_addresses

END = "end"
"""When an answer is given after the end of a play."""

ODDS = "odds"
"""What is expected of all the ways that chance can go."""

CODES = Codes("RW1002", "RW1002", "RW1001", "RW1002")
TEXT: Schema = {"type": ["string", "number"]}
COUNT: Schema = {"type": "integer", "minimum": 1}
REASON: Schema = {"type": ["string", "number"], "pattern": r"\S"}
_RANGE: Schema = {"type": "string", "pattern": ".-."}
_STEPS = worded({"type": "array"}, wanted="a list of steps", help="")
_BY = worded({"type": ["string", "number", "null"]}, wanted="a player, or `null` for nobody", help="")
_OPTIONS = worded({"type": "array"}, wanted="a list of options", help="")
_SAID = "parts of the messages about the state, the settings or the roles"
_NO_ROW = "where no row at all counts, write `applied: []`; else take `not_applied:` out"
_BEFORE = ("always", "invalid", "refused", "fault")


@dataclass(frozen=True)
class Names:
    """The names of a ruleset that expectations use; of no ruleset any will do."""

    program: Program | None = None

    @cached_property
    def steps(self) -> Iterable[str]:
        """Every way to write a step."""
        return () if self.program is None else _ends(step_addresses(self.program))

    @cached_property
    def rows(self) -> Iterable[str]:
        """Every way to write a row."""
        return () if self.program is None else _ends(row_addresses(self.program))

    @cached_property
    def named(self) -> Iterable[str]:
        """Every way to write a named line."""
        if self.program is None:
            return ()
        return _ends(map(shared_address, (*named_lines(self.program), *chance_lines(self.program))))

    @cached_property
    def tallies(self) -> Iterable[str]:
        """Every way to write a tally."""
        return () if self.program is None else _ends(tally_types(self.program))

    @property
    def measures(self) -> Iterable[str]:
        """Measures by name."""
        return () if self.program is None else self.program.measures

    @property
    def rulings(self) -> Iterable[str]:
        """Rulings by their ids."""
        return () if self.program is None else (each.id for each in self.program.rulings)

    @cached_property
    def asked(self) -> Schema:
        """Every way to write a question."""
        return TEXT if self.program is None else {"enum": sorted(shapes_of(self.program).addresses.spellings)}

    def of(self, names: Iterable[str]) -> Schema:
        """Some names; of no ruleset any will do."""
        return {} if self.program is None else {"enum": sorted(set(names))}


def _ends(found: Iterable[str]) -> set[str]:
    parts = [each.split("/") for each in found]
    return {"/".join(each[first:]) for each in parts for first in range(len(each))}


@dataclass(frozen=True)
class Key:
    """One key of `expect`."""

    schema: Callable[[Names], Schema]  # its shape, with the names of a ruleset
    words: str  # what editors show of it


def _list(items: Schema, wanted: str) -> Schema:
    return worded({"type": "array", "items": items}, wanted=f"a list of {wanted}", part="this", help="")


def texts(names: Iterable[str] = ()) -> Schema:
    """A list of texts, or of names."""
    known = sorted(set(names))
    return {"type": "array", "items": {"anyOf": [{"enum": known}, {"type": "number"}]} if known else TEXT}


def _texts(wanted: str, names: Iterable[str] = ()) -> Schema:
    return _list(worded(texts(names)["items"], wanted=f"a text, one of the {wanted}", help=""), wanted)


def _map(inner: Schema, wanted: str, names: Schema | None = None) -> Schema:
    keys = {} if not names or names == TEXT else {"propertyNames": names}
    return worded(
        {"type": "object", **keys, "additionalProperties": inner}, wanted=f"a mapping from {wanted}", part="this"
    )


def _invalid() -> Schema:
    parts = _list(worded(REASON, wanted="a part of a message", help=""), _SAID)
    return worded(parts | {"minItems": 1}, empty="a part of a message")


def _question(at: Schema) -> Schema:
    entry = worded(
        closed({"at": worded(at, wanted="where it is asked", help=""), "by": _BY, "with": {"type": "object"}}, ["at"]),
        unknown="{key} is not part of a question",
        lacking="a question lacks {keys}",
        needs={"at": "`at: …`"},
        part="this",
    )
    return worded({"anyOf": [at, entry]}, wanted="a question, or `{at: …, by: …, with: {…: …}}`", help="")


def _rejected(at: Schema) -> Schema:
    parts = {
        "at": worded(at, wanted="where it is asked", help=""),
        "answer": True,
        "because": TEXT,
        "by": worded(TEXT, wanted="a player", help=""),
        "time": worded(COUNT, wanted="a whole number, 1 or more", help="", within="a whole number, 1 or more"),
        "when": worded({"anyOf": [{"const": END}, at]}, wanted=f"a question, or `{END}`", help=""),
    }
    return worded(
        closed(parts, ["at", "answer", "because"]),
        wanted="`{at: …, answer: …, because: …}`",
        unknown="{key} is not part of a refused answer",
        lacking="a refused answer lacks {keys}",
        needs={each: f"`{each}: …`" for each in ("at", "answer", "because")},
        part="this",
    )


def _counted(names: Schema) -> Schema:
    amount = worded({"type": ["number", "string", "array"]}, wanted="what a row adds, or a list of that", help="")
    once = _map(amount, "rows to what they add")
    times = worded({"anyOf": [once, {"type": "array", "items": once}]}, wanted="a mapping from rows to what they add")
    return _map(worded(times, part="this"), "tallies to the rows that count", names)


def is_of_odds_alone(expect: Node | None) -> bool:
    """Whether nothing but odds is expected, so that nothing is played."""
    return isinstance(expect, MappingNode) and {key.text for key, _ in expect} == {ODDS}


def _odds() -> Schema:
    form = "write `EXPRESSION: 1/3` of a flag, else `EXPRESSION: {VALUE: 1/3}`"
    share = worded({"type": ["number", "string"]}, wanted="a share such as `1/3`, `25 %` or `at least 1/2`", help="")
    values = worded(_map(share, "values to shares") | {"minProperties": 1}, blank="no value is named", help=form)
    wanted = "a share such as `1/3`, or a mapping from values to shares"
    asked = worded({"anyOf": [share, values]}, wanted=wanted, part="this", help="")
    return worded(_map(asked, "expressions to shares") | {"minProperties": 1}, blank="nothing is asked", help=form)


def _path(names: Names) -> Schema:
    """Steps, ranges of them, and calls in a list, or lists by procedure."""
    steps, called = sorted(set(names.steps)), names.of(() if names.program is None else names.program.procedures)
    step: Schema = {"anyOf": [{"enum": steps}, {"type": "number"}, _RANGE]} if steps else TEXT
    calls = _map(_STEPS, "procedures to steps", called)
    listed = _list(worded({"anyOf": [step, calls]}, wanted="a step, or a procedure with its steps", help=""), "steps")
    return worded(
        {"anyOf": [listed, calls]}, wanted="a list of steps, or a mapping from procedures to steps", part="this"
    )


def _part_of_a_state(names: Names) -> Schema:
    wanted = "a mapping, a part of a state"
    if names.program is None:
        return worded({"type": "object"}, wanted=wanted)
    sections = shapes_of(names.program).state.schema["properties"]
    return worded({"type": "object", "propertyNames": names.of(sections)}, wanted=wanted)


KEYS: Mapping[str, Key] = {
    "always": Key(
        lambda _: _texts("conditions"),
        "conditions in the language of rules that hold at the start and whenever the state has settled",
    ),
    "invalid": Key(
        lambda _: _invalid(),
        "parts of the messages about a state, settings or roles that cannot be; nothing is played",
    ),
    "refused": Key(
        lambda _: _texts("reasons"),
        "the reason why the start is refused, word for word; of several, all `require` that fail",
    ),
    "fault": Key(
        lambda _: worded({"type": "string"}, wanted="the code of a fault or a part of its message", help=""),
        "the code of the fault that ends the play, or a part of its message",
    ),
    "result": Key(
        lambda _: {},
        "what the procedure gives",
    ),
    "path": Key(
        _path,
        "all steps that run, in order: `[1-7, {fight: [1, 2]}, 8]`; or by procedure, of each call its own",
    ),
    "passed_over": Key(
        lambda names: _texts("steps", names.steps),
        "all steps that are passed over, in order",
    ),
    "happens": Key(
        lambda _: _texts("steps, lines, questions and events"),
        "steps, lines, questions and events in this order, whatever comes between them",
    ),
    "asked": Key(
        lambda names: _list(_question(names.asked), "questions"),
        "all questions and dice, in order; `{at: …, by: …}` says of whom, `with: {…}` what an external is given",
    ),
    "asked_of": Key(
        lambda names: _map(_BY, "questions to players", names.asked),
        "by question, who is asked; `null` for nobody",
    ),
    "offered": Key(
        lambda names: _map(_OPTIONS, "questions to options", names.asked),
        "by question, all legal answers of the first time it is asked; those of a set in any order",
    ),
    "rejects": Key(
        lambda names: _list(_rejected(names.asked), "refused answers"),
        "answers that are refused, with a part of the reason; `time`: not the first time, "
        "`by`: of this player, `when`: while this waits, or `end`",
    ),
    "values": Key(
        lambda names: _map({}, "named lines to what they give", names.of(names.named)),
        "by named line, what it gives, a roll its faces, a `let` what it was bound to; a list of all times",
    ),
    "decided": Key(
        lambda _: _map(worded(TEXT, wanted="the id of a row", help=""), "addresses to rows"),
        "by decide or table, the row that is taken last",
    ),
    "counted": Key(
        lambda names: _counted(names.of(names.tallies)),
        "by tally, the rows that count with what each adds; a list with one entry for each time it is computed",
    ),
    "applied": Key(
        lambda names: _texts("rows", names.rows),
        "rows of tallies that count at least once, an empty list where none does",
    ),
    "not_applied": Key(
        lambda names: worded(_texts("rows", names.rows) | {"minItems": 1}, empty="a row", help=_NO_ROW),
        "rows of tallies that never count",
    ),
    "rulings": Key(
        lambda names: _texts("rulings", names.rulings),
        "rulings that the play meets, an empty list where it meets none",
    ),
    "measures": Key(
        lambda names: _map({}, "measures to values", names.of(names.measures)),
        "by measure, its value at the end; of one with parameters by what they are, one inside the other",
    ),
    "state": Key(
        _part_of_a_state,
        "a part of the state at the end; what is not written may be anything",
    ),
    "changes": Key(
        _part_of_a_state,
        "all that is different at the end, and nothing that never changed",
    ),
    ODDS: Key(
        lambda _: _odds(),
        "by expression, how likely it is `yes` at the end, or each of its values: `1/3`, `25 %`, `at least 1/2`",
    ),
}

_AFTERWARDS = tuple(each for each in KEYS if each not in _BEFORE)
ALONE = {
    "invalid": ("refused", "fault", "always", *_AFTERWARDS),
    "refused": ("fault", "always", *_AFTERWARDS),
    "fault": ("result", ODDS),
}
"""What cannot be expected of the same play, by expectation."""


def expect_schema(program: Program | None = None) -> Schema:
    """What `expect` is in shape, with the names of a ruleset if one is given."""
    names = Names(program)
    keys = {key: described(each.schema(names), each.words) for key, each in KEYS.items()}
    return worded(
        closed(keys),
        unknown="{key} is not part of what is expected",
        may="you can expect",
        part="this",
        dotted="what a play changes stands under `changes`, such as `changes: {units: {gawain: {health: 2}}}`",
    )


def named_lines(program: Program) -> dict[str, Type]:
    """Lines with a name for what they work out, perform, decide, tally or are answered, with its type, by address."""
    return {line.address: named.type for line in lines_of(program, Line) if (named := _named(line)) is not None}


def chance_lines(program: Program) -> dict[str, Type]:
    """Lines that draw, or roll dice with a name, with the type of the draw or of the faces, by address."""
    return {each.address: each.variable.type for each in lines_of(program, Draw)} | rolled_lines(program)


def rolled_lines(program: Program) -> dict[str, Type]:
    """Lines that roll: the type of the face of a single die, or of a list of faces, by address."""
    lines = lines_of(program, Roll)
    return {each.address: faces for each in lines if (faces := _faces(each.variable.type)) is not None}


def _faces(type_: Type) -> Type | None:
    match type_:
        case DieType(face):
            return face
        case PoolType(face):
            return ListType(face)
        case _:
            return None


def _named(line: Line) -> Variable | None:
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
    """Tallies, declared or on a line, with the type of the total, by address."""
    declared = {name: each.type for name, each in program.functions.items() if isinstance(each.body, Tally)}
    return declared | {each.address: each.variable.type for each in lines_of(program, TallyLine)}


def row_addresses(program: Program) -> tuple[str, ...]:
    """Addresses of all rows of tallies, decides and tables."""
    return tuple(each.address for each in rows(program))
