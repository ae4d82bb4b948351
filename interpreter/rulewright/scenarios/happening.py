"""What happened in a play that failed: up to where it first went otherwise, with what decided."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from rulewright.diagnostics.paint import PLAIN
from rulewright.diagnostics.visible import visible
from rulewright.drivers.session import Session
from rulewright.drivers.story import Story
from rulewright.machine.request import Faulted, Refused
from rulewright.program.walk import place_of
from rulewright.scenarios.invariants import number_of
from rulewright.scenarios.results import Happening, Miss
from rulewright.source import Span
from rulewright.telling.values import show


def happening(session: Session, misses: Sequence[Miss] = ()) -> Happening:
    """What happened up to the first miss whose moment is known, or to the end."""
    story, entries = Story(session.begun.names, "decisive", PLAIN, unmet=True), session.entries
    last = min((each.moment for each in misses if each.moment is not None), default=len(entries))
    goes_on = last < len(entries) - 1
    lines = story.lines_until(session, last) if goes_on else _whole(session, story)
    steps = tuple(each.address.rpartition("/")[2] for each in entries[: last + 1] if each.sort == "step")
    return Happening(tuple(line for line, _ in groupby(lines)), steps, goes_on, _fault(session))


def _fault(session: Session) -> Span | None:
    match session.outcome:
        case Faulted(address=address) if number_of(address) is None:
            return place_of(address, session.begun.executable.program)
        case _:
            return None


def _whole(session: Session, story: Story) -> Iterator[str]:
    """The whole play, and what was read where it was refused or met a fault."""
    yield from story.lines(session)
    match session.outcome:
        case Refused(entries=entries):
            yield from story.unmet_needs(entries)
        case Faulted(address=address, read=read) if number_of(address) is None:
            values = ", ".join(
                f"{visible(text)} = {show(value, type_, session.begun.names)}" for text, value, type_ in read
            )
            yield f"  stops at {visible(address)}{f'  [{values}]' if values else ''}"
