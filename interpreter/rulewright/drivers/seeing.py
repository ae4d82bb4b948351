"""A play as one player may see it (manual, Secrets)."""

from dataclasses import replace

from rulewright.drivers.chance import Chance
from rulewright.drivers.session import Begun, Past, Session, Turn
from rulewright.drivers.sources import Given, Sources
from rulewright.machine.trace import Entry
from rulewright.machine.view import View


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
