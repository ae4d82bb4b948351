"""Everything that is computed, and what other texts give, as items."""

from collections.abc import Iterator

from rulewright.comparing.outline import Item
from rulewright.comparing.outlining.declaring import Declaring
from rulewright.program import declarations as d

_INFERRED = frozenset({"attribute", "tally"})
_Parts = tuple[tuple[str, object], ...]


def functions(declaring: Declaring) -> Iterator[Item]:
    """Terms, tallies, decides, tables, derived relations; a derived attribute is known by the name of its kind."""
    for node in declaring.program.functions.values():
        lines = declaring.lines(node.name)
        parts, rows = _body(node.body)
        items = (*declaring.parameters(node.parameters, lines), *map(lines.item, rows))
        gives = None if node.sort in _INFERRED else node.type
        said = lines.writer.parts(("gives", gives), ("symmetric", node.symmetric or None), *parts)
        yield declaring.item(node, "attribute" if node.sort == "attribute" else "function", node.sort, said, items)


def _body(body: d.Body) -> tuple[_Parts, tuple[object, ...]]:
    """What a body says itself, and its rows."""
    match body:
        case d.Value(value):
            return (("value", value),), ()
        case d.Conditions(mode, rows):
            return (("mode", mode),), rows
        case d.Selection(binding, conditions):
            return (("what it goes through", binding), ("mode", conditions.mode)), conditions.rows
        case d.Tally(_, start, rows):
            return (("start", start),), rows
        case d.Decide(rows) | d.Table(rows):
            return (), rows
        case d.Paths():
            cost = body.cost
            parts = (("board", body.board), ("start", body.start), ("cost", cost.start if cost else None))
            return parts, (*(cost.rows if cost else ()), *body.rows)


def externals(declaring: Declaring) -> Iterator[Item]:
    """Procedures and terms of other texts."""
    program = declaring.program
    for procedure in program.external_procedures.values():
        lines = declaring.lines(procedure.name)
        changes = (lines.writer.places("changes", procedure.changes),) if procedure.changes else ()
        said = (*lines.writer.parts(("gives", procedure.result)), *changes)
        inside = declaring.parameters(procedure.parameters, lines)
        yield declaring.item(procedure, "external", "external procedure", said, inside)
    for term in program.external_terms.values():
        lines = declaring.lines(term.name)
        said = lines.writer.parts(("gives", term.type), ("default", term.default))
        yield declaring.item(term, "external", "external term", said, declaring.parameters(term.parameters, lines))


def measures(declaring: Declaring) -> Iterator[Item]:
    """Values that reports ask for."""
    for measure in declaring.program.measures.values():
        lines = declaring.lines(measure.name)
        said = lines.writer.parts(("value", measure.value))
        yield declaring.item(measure, "measure", "measure", said, declaring.parameters(measure.parameters, lines))
