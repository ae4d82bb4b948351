"""Words of a list that lines compare with and that nothing ever assigns."""

from collections.abc import Iterator, Sequence

from rulewright.base.diagnostics import DiagnosticCollector
from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as s
from rulewright.program.declarations import Program
from rulewright.program.expressions import TableRow
from rulewright.program.types import RecordType, Type, WordType, list_held_types

NEVER_ASSIGNED_WORD_CODE = "RW0572"


def check_never_assigned_words(program: Program, checked_sources: set[str], report: DiagnosticCollector) -> None:
    """Warns of a word that lines compare with and that nothing ever assigns (RW0572).

    Silent about a list of which no line assigns a word, such as the arm of a unit, and about one whose words may come
    from elsewhere: a state, a die, an external, a role, a setting, or an expression that makes words.
    """
    written = list(walk_nodes(program))
    compared = {id(compared_word) for node in written for compared_word in _iterate_compared_words(node)}
    for name, words in program.values.items():
        is_changed = any(isinstance(line, s.Assign) and line.value.type == WordType(name) for line in written)
        if words.span.source not in checked_sources or not is_changed or _has_external_source(name, written, program):
            continue
        literals = [
            word_literal
            for word_literal in written
            if isinstance(word_literal, ex.WordLiteral) and word_literal.type == WordType(name)
        ]
        given = {word_literal.position for word_literal in literals if id(word_literal) not in compared}
        for literal in literals:
            if literal.position not in given:
                given.add(literal.position)
                report.address = words.words[literal.position].name
                message = f"`{report.address}` is asked for here, and no line ever sets it"
                remedy = "let a line set it, or leave out what asks for it"
                report.warning(NEVER_ASSIGNED_WORD_CODE, literal.span, message, help=remedy)


def _iterate_compared_words(node: object) -> Iterator[ex.WordLiteral]:
    match node:
        case ex.Comparison(left=left, right=right):
            sides: Sequence[object] = (left, right)
        case ex.Membership(collection=ex.MakeCollection(items=sides)) | s.Case(values=sides) | TableRow(cells=sides):
            pass
        case _:
            return
    yield from (
        word_literal for side in sides for word_literal in walk_nodes(side) if isinstance(word_literal, ex.WordLiteral)
    )


def _has_external_source(name: str, written: Sequence[object], program: Program) -> bool:
    """Whether words of a list may come from outside the rules, or from expressions without literals."""
    stored = [field for kind in program.kinds.values() for field in kind.fields]
    stored += [field for board in program.boards.values() for field in (*board.fields, *board.sides)]
    stored += program.game.values()
    parameters = [
        parameter
        for procedure in program.procedures.values()
        if not procedure.inner
        for parameter in procedure.parameters
    ]
    parameters += [parameter for measure in program.measures.values() for parameter in measure.parameters]
    elsewhere = [variable.type for variable in parameters] + [setting.type for setting in program.settings.values()]
    elsewhere += [external_term.type for external_term in program.external_terms.values()]
    elsewhere += [
        external_procedure.result
        for external_procedure in program.external_procedures.values()
        if external_procedure.result is not None
    ]
    if program.external_procedures and any(
        external_procedure.changes for external_procedure in program.external_procedures.values()
    ):
        elsewhere += [field.type for field in stored]
    elsewhere += [die.face_type for die in program.dice.values()]
    fields = [field for field in stored if _can_hold_words(field.type, name, program)]
    computed_words = (
        typed
        for typed in written
        if isinstance(typed, ex.Typed)
        and typed.type == WordType(name)
        and not isinstance(typed, _WORD_EXPRESSION_TYPES)
    )
    given = any(_can_hold_words(item, name, program) for item in elsewhere) or any(
        field.start is None for field in fields
    )
    return not fields or given or any(computed_words)


_WORD_EXPRESSION_TYPES = (
    ex.WordLiteral,
    ex.Local,
    ex.GameField,
    ex.StoredAttribute,
    ex.DerivedAttribute,
    ex.CellAttribute,
    ex.CallFunction,
    ex.Conditional,
)
"""Expressions whose words come from literals, or from what holds words already."""


def _can_hold_words(type_: Type, name: str, program: Program) -> bool:
    record = program.records.get(type_.record) if isinstance(type_, RecordType) else None
    inner = list_held_types(type_) if record is None else [part.type for part in record.parts]
    return type_ == WordType(name) or any(_can_hold_words(item, name, program) for item in inner)
