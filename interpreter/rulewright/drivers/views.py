"""What can be looked at of a play: as one player may see it (manual, Secrets), and the things on the table."""

from collections.abc import Iterator
from dataclasses import replace

from rulewright.codecs.table import show
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.chance import Chance
from rulewright.drivers.session import Begun, Past, Session, Turn
from rulewright.drivers.sources import Given, Sources
from rulewright.inputs.names import Names
from rulewright.machine.state import Situation, State
from rulewright.machine.trace import Entry
from rulewright.machine.view import View


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


def seen(session: Session, player: int | None) -> Session:
    """The play without what a player may not know, or without what nobody but one of them may.

    Bags and decks show how many members they have. Of answers that are not open the entries say that they were
    given; their requests are left out. The result is for reading: it cannot be gone on with.
    """
    view = View(session.begun.executable, player)
    turns: list[Turn] = []
    entries: tuple[Entry, ...] = ()
    sources = Sources(session.sources.names, Chance(0))
    for turn in session.turns:
        entries += view.entries(turn.paused.entries)
        if view.open(turn.request) or turn.request.sort == "shuffle":
            turns.append(_turn(turn, view, entries, sources))
            entries = ()
    entries += view.entries(session.outcome.entries)
    outcome = view.outcome(session.outcome, entries, session.begun.procedure.result)
    return Session(_begun(session.begun, view), outcome, sources, Past(turns))


def _turn(turn: Turn, view: View, entries: tuple[Entry, ...], sources: Sources) -> Turn:
    paused = view.paused(turn.paused, entries)
    value = view.value(turn.given.value, paused.request.type if paused.request.closed else None)
    return Turn(paused, Given(value, turn.given.source), sources)


def _begun(begun: Begun, view: View) -> Begun:
    executable = begun.executable
    measures = executable.program.measures
    open_ = {
        name: each for name, each in executable.measures.items() if not executable.concealed.looks(measures[name].value)
    }
    given = zip(begun.arguments, begun.procedure.parameters, strict=True)
    return replace(
        begun,
        executable=replace(executable, measures=open_),
        situation=view.situation(begun.situation),
        arguments=tuple(view.value(value, each.type) for value, each in given),
    )


def is_open(session: Session, player: int) -> bool:
    """Whether a player may know all of a play: no answer of it is for others alone, and there are no bags or decks."""
    view = View(session.begun.executable, player)
    return not session.begun.executable.concealed.any and all(view.open(each.request) for each in session.turns)
