"""Lists of words, dice, kinds, records, boards, fields of `game`, settings and relations as items."""

from collections.abc import Iterator

from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Item
from rulewright.comparing.outlining.declaring import Declaring
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
