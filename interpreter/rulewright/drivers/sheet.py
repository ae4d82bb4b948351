"""The things on the table, as lines to read."""

from collections.abc import Iterator

from rulewright.diagnostics.visible import visible
from rulewright.drivers.session import Session
from rulewright.inputs.names import Names
from rulewright.machine.situation import Situation
from rulewright.machine.state import State
from rulewright.telling.values import show


def sheet(session: Session) -> Iterator[str]:
    """Every thing with its attributes, the fields of the game and the stored relations that hold."""
    state = session.state
    situation = state.situation() if isinstance(state, State) else session.begun.situation
    names = session.begun.names
    yield from _things(situation, names)
    for name, field in names.program.game.items():
        yield f"{visible(name)}: {show(situation.game[name], field.type, names)}"
    yield from _relations(situation, names)


def _things(situation: Situation, names: Names) -> Iterator[str]:
    for kind in names.program.kinds.values():
        gone = situation.gone.get(kind.name, ())
        for number, id_ in enumerate(names.ids(kind.name)):
            values = [(each, situation.attributes[f"{kind.name}/{each.name}"][number]) for each in kind.fields]
            attributes = [f"{visible(each.name)} {show(value, each.type, names)}" for each, value in values]
            if attributes or number in gone:
                out = "  (out of play)" if number in gone else ""
                yield f"{visible(id_)}: {', '.join(attributes)}{out}"


def _relations(situation: Situation, names: Names) -> Iterator[str]:
    for name, relation in names.program.relations.items():
        first, second = relation.parameters
        for a, b in situation.relations.get(name, ()):
            yield f"{visible(name)}({show(a, first.type, names)}, {show(b, second.type, names)})"
