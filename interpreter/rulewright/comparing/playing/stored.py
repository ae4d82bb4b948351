"""What programs store, what is said of it, and whether two store the same."""

from collections.abc import Iterable, Iterator, Mapping

from rulewright.comparing.naming import Correspondence
from rulewright.comparing.playing.places import Place, said
from rulewright.machine.layout import layout
from rulewright.outline.names import Name
from rulewright.program.declarations import Field, Program


def stored(program: Program) -> Iterator[tuple[Name, str]]:
    """Stored data of a program by name, with what is said of it."""
    yield from ((name, _kept(field.type, field.start)) for name, field in fields(program))
    for name, setting in program.settings.items():
        yield Name("setting", name), _kept(setting.type, setting.value)
    for name, relation in program.relations.items():
        yield Name("relation", name), repr((relation.symmetric, [each.type for each in relation.parameters]))
    for name, die in program.dice.items():
        yield Name("die", name), repr([said_of(each) for each in die.faces])
    for name, values in program.values.items():
        yield Name("values", name), repr(len(values.words))


def moved(old: Program, new: Program, names: Correspondence) -> Iterator[tuple[Name, Name]]:
    """Stored data of both revisions that are of another type or start otherwise, by their old and new names."""
    yield from differing(dict(stored(old)), dict(stored(new)), names)


def differing(old: Mapping[Name, str], new: Mapping[Name, str], names: Correspondence) -> Iterator[tuple[Name, Name]]:
    """The same, where what two revisions store is known."""
    for name, what in old.items():
        target = names.names.get(name)
        if target is not None and new.get(target, what) != what:
            yield name, target


def fields(program: Program) -> Iterator[tuple[Name, Field]]:
    """What things, boards and the game keep, by name."""
    for kind in program.kinds.values():
        yield from _named("attribute", f"{kind.name}/", kind.fields)
    for board in program.boards.values():
        yield from _named("cell", f"{board.name}/", board.fields)
        yield from _named("side", f"{board.name}/", board.sides)
    yield from _named("field", "", program.game.values())


def _named(sort: str, prefix: str, listed: Iterable[Field]) -> Iterator[tuple[Name, Field]]:
    return ((Name(sort, prefix + each.name), each) for each in listed)


def _kept(type_: object, start: object) -> str:
    return f"{type_!r} {said_of(start)!r}"


def said_of(node: object) -> object:
    """What an expression says, without its place."""
    return said(Place(Name("", ""), "", (node,), 0), {}, by_number=False)


def twins(old: Program, new: Program, names: Correspondence) -> bool:
    """Whether states and values of two programs are the same data: equal kinds, words, records, fields in one order.

    Start values, titles and readings of settings may differ. What another name says of the same thing makes them
    strangers.
    """
    return _stored(old) == _stored(new) and all(
        old_name == new_name for old_name, new_name in names.names.items() if old_name.sort in _STORED
    )


def same_starts(old: Program, new: Program) -> bool:
    """Whether two twins have the same start values and readings, so that one state file is one situation for both."""
    return dict(stored(old)) == dict(stored(new))


_STORED = frozenset(
    {"values", "word", "kind", "plural", "attribute", "record", "part", "board", "cell", "side", "field", "setting"}
    | {"relation", "die", "external", "handler"}
)


def _stored(program: Program) -> tuple[object, ...]:
    stored = layout(program)
    return (
        stored.kinds,
        [(each.name, each.plural) for each in program.kinds.values()],
        [stored.columns, stored.game, stored.cells, stored.sides, stored.relations],
        list(stored.types.items()),
        stored.symmetric,
        [(name, [word.name for word in each.words]) for name, each in program.values.items()],
        [(name, [(part.name, part.type) for part in each.parts]) for name, each in program.records.items()],
        [(name, each.type) for name, each in program.settings.items()],
        [(name, each.space) for name, each in program.boards.items()],
        [(name, [parameter.type for parameter in each.parameters]) for name, each in program.relations.items()],
        list(program.handlers),
    )
