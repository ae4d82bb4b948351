"""What programs store, and what is said of it."""

from collections.abc import Iterable, Iterator, Mapping

from rulewright.comparing.naming import Correspondence, Name
from rulewright.comparing.playing.places import Place, said
from rulewright.program.declarations import Field, Program


def stored(program: Program) -> Iterator[tuple[Name, str]]:
    """Stored data of a program by name, with what is said of it."""
    for kind in program.kinds.values():
        yield from _fields("attribute", f"{kind.name}/", kind.fields)
    for board in program.boards.values():
        yield from _fields("cell", f"{board.name}/", board.fields)
        yield from _fields("side", f"{board.name}/", board.sides)
    yield from _fields("field", "", program.game.values())
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


def _fields(sort: str, prefix: str, fields: Iterable[Field]) -> Iterator[tuple[Name, str]]:
    for each in fields:
        yield Name(sort, prefix + each.name), _kept(each.type, each.start)


def _kept(type_: object, start: object) -> str:
    return f"{type_!r} {said_of(start)!r}"


def said_of(node: object) -> object:
    """What an expression says, without its place."""
    return said(Place(Name("", ""), "", (node,), 0), {}, by_number=False)
