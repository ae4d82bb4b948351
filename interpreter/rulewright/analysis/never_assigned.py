"""Words of a list that lines ask for and that nothing ever gives to anything."""

from collections.abc import Iterator, Sequence

from rulewright.analysis.report import Report
from rulewright.program import expressions as ex, statements as s
from rulewright.program.declarations import Program
from rulewright.program.rows import TableRow
from rulewright.program.types import RecordType, Type, WordType, held_by
from rulewright.roles import nodes

NEVER_ASSIGNED = "RW0572"


def check_never_assigned(program: Program, own: set[str], report: Report) -> None:
    """Warns of a word that lines ask for and that nothing ever gives to anything (RW0572).

    Nothing is said of a list of which no line gives a word to anything, such as the arm of a unit, nor of one whose
    words may come from elsewhere: a state, a die, an external, a role, a setting, or an expression that makes words.
    """
    written = list(nodes(program))
    asked = {id(each) for node in written for each in _compared_words(node)}
    for name, words in program.values.items():
        is_changed = any(isinstance(each, s.Assign) and each.value.type == WordType(name) for each in written)
        if words.span.source not in own or not is_changed or _comes_from_elsewhere(name, written, program):
            continue
        literals = [each for each in written if isinstance(each, ex.WordLiteral) and each.type == WordType(name)]
        given = {each.position for each in literals if id(each) not in asked}
        for literal in literals:
            if literal.position not in given:
                given.add(literal.position)
                report.address = words.words[literal.position].name
                message = f"`{report.address}` is asked for here, and no line ever sets it"
                remedy = "let a line set it, or leave out what asks for it"
                report.warning(NEVER_ASSIGNED, literal.span, message, help=remedy)


def _compared_words(node: object) -> Iterator[ex.WordLiteral]:
    """The words that a comparison, a membership, a case or the cells of a row ask for."""
    match node:
        case ex.Comparison(left=left, right=right):
            sides: Sequence[object] = (left, right)
        case ex.Membership(collection=ex.MakeCollection(items=sides)) | s.Case(values=sides) | TableRow(cells=sides):
            pass
        case _:
            return
    yield from (each for side in sides for each in nodes(side) if isinstance(each, ex.WordLiteral))


def _comes_from_elsewhere(name: str, written: Sequence[object], program: Program) -> bool:
    """Whether words of a list may come from what the rules do not say, or from what no literal names."""
    stored = [each for kind in program.kinds.values() for each in kind.fields]
    stored += [each for board in program.boards.values() for each in (*board.fields, *board.sides)]
    stored += program.game.values()
    begun = [each for procedure in program.procedures.values() if not procedure.inner for each in procedure.parameters]
    begun += [each for measure in program.measures.values() for each in measure.parameters]
    elsewhere = [each.type for each in begun] + [each.type for each in program.settings.values()]
    elsewhere += [each.type for each in program.external_terms.values()]
    elsewhere += [each.result for each in program.external_procedures.values() if each.result is not None]
    if program.external_procedures and any(each.changes for each in program.external_procedures.values()):
        elsewhere += [each.type for each in stored]
    elsewhere += [each.face_type for each in program.dice.values()]
    held = [each for each in stored if _holds(each.type, name, program)]
    made = (
        each
        for each in written
        if isinstance(each, ex.Typed) and each.type == WordType(name) and not isinstance(each, _NAMED_WORDS)
    )
    given = any(_holds(each, name, program) for each in elsewhere) or any(each.start is None for each in held)
    return not held or given or any(made)


_NAMED_WORDS = (
    ex.WordLiteral,
    ex.Local,
    ex.GameField,
    ex.StoredAttribute,
    ex.DerivedAttribute,
    ex.CellAttribute,
    ex.CallFunction,
    ex.Conditional,
)
"""Expressions of words that come from literals, or from what holds words already."""


def _holds(type_: Type, name: str, program: Program) -> bool:
    """Whether values of a type are, or hold, words of a list."""
    record = program.records.get(type_.record) if isinstance(type_, RecordType) else None
    inner = held_by(type_) if record is None else [each.type for each in record.parts]
    return type_ == WordType(name) or any(_holds(each, name, program) for each in inner)
