"""Declarations as items: what there is, what is computed, what other texts give, and what only people read."""

from collections.abc import Iterator

from rulewright.outline.declaring import Declaring
from rulewright.outline.items import Item
from rulewright.outline.names import Name
from rulewright.program import declarations as d

_WORDS = {"cell": "attribute of cells", "side": "attribute of sides", "field": "game field"}


def things(declaring: Declaring) -> Iterator[Item]:
    """Everything that says what there is."""
    program = declaring.program
    for values in program.values.values():
        yield declaring.item(values, "values", "list of words", (), tuple(_words(values)))
    for die in program.dice.values():
        yield declaring.item(die, "die", "die", declaring.lines(die.name).writer.parts(("faces", die.faces)))
    for kind in program.kinds.values():
        plural = declaring.lines(kind.name).writer.mention("plural", "plural", kind.plural)
        yield declaring.item(kind, "kind", "kind", (plural,), _fields(declaring, kind.fields, "attribute", kind.name))
    for record in program.records.values():
        yield declaring.item(record, "record", "record", (), _fields(declaring, record.parts, "part", record.name))
    yield from _boards(declaring)
    yield from _fields(declaring, tuple(program.game.values()), "field", "")
    for setting in program.settings.values():
        parts = declaring.lines(setting.name).writer.parts(("type", setting.type), ("value", setting.value))
        yield declaring.item(setting, "setting", "setting", parts)
    for relation in program.relations.values():
        lines = declaring.lines(relation.name)
        parts = lines.writer.parts(("symmetric", relation.symmetric))
        inside = declaring.parameters(relation.parameters, lines)
        yield declaring.item(relation, "relation", "relation", parts, inside)


def _words(values: d.WordList) -> Iterator[Item]:
    for each in values.words:
        address = f"{values.name}/{each.name}"
        name = Name("word", address)
        yield Item("word", each.name, address, each.name, values.span, name=name, title=each.title, ordered=True)


def _boards(declaring: Declaring) -> Iterator[Item]:
    for board in declaring.program.boards.values():
        parts = declaring.lines(board.name).writer.parts(("space", board.space))
        cells = _fields(declaring, board.fields, "cell", board.name)
        sides = _fields(declaring, board.sides, "side", board.name)
        yield declaring.item(board, "board", "board", parts, cells + sides)


def _fields(declaring: Declaring, fields: tuple[d.Field, ...], sort: str, owner: str) -> tuple[Item, ...]:
    writer = declaring.lines(owner).writer
    return tuple(
        Item(
            _WORDS.get(sort, sort),
            each.name,
            each.address,
            declaring.text(each.span),
            each.span,
            name=Name(sort, f"{owner}/{each.name}" if owner else each.name),
            title=each.title,
            parts=writer.parts(("type", each.type), ("start", each.start)),
            ordered=sort == "part",
        )
        for each in fields
    )


def remarks(declaring: Declaring) -> Iterator[Item]:
    """What only people read."""
    program = declaring.program
    for ruling in program.rulings:
        if "/" not in ruling.address:
            yield Item("ruling", ruling.id, "", declaring.text(ruling.span), ruling.span, title=ruling.text)
    for account in program.accounts:
        named = ", ".join(account.clauses)
        yield Item(account.word, named, "", declaring.text(account.span), account.span, title=account.reason)


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
