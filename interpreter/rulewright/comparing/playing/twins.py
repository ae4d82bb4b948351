"""Whether two programs store the same."""

from rulewright.comparing.naming import Correspondence
from rulewright.comparing.playing.stored import stored
from rulewright.machine.layout import layout
from rulewright.program.declarations import Program


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
