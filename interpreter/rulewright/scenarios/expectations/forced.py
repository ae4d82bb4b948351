"""Questions that nobody was asked, since one answer alone was legal: put all the same, in a play of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rulewright.drivers.session import Session, Turn, begin
from rulewright.drivers.sources import Given
from rulewright.inputs.script import forced_answers
from rulewright.machine.request import Paused, Refused
from rulewright.program.lines import shared_address


def turns_at(address: str, session: Session) -> Sequence[Turn]:
    """The times a question was asked; where it never was, the times it was answered by itself."""
    asked = [each for each in session.turns if each.request.address == address]
    if asked or not any(shared_address(each.address) == address for each in forced_answers(session.entries)):
        return asked
    return [each for each in _forced(session) if each.request.address == address]


def _forced(session: Session) -> Iterator[Turn]:
    """The forced answers of a play, each with the question as it would have been asked."""
    limits = replace(session.begun.limits, forced=True)
    again = begin(replace(session.begun, limits=limits), session.sources)
    for entries, turn in session.parts:
        for each in forced_answers(entries):
            paused, given = again.outcome, Given(each.result, "forced")
            if not isinstance(paused, Paused) or paused.request.address != shared_address(each.address):
                return
            yield Turn(paused, given, again.sources)
            after = again.answered(given, again.sources)
            if isinstance(after, Refused):
                return
            again = after
        if turn is not None:
            after = again.answered(turn.given, again.sources)
            if isinstance(after, Refused):
                return
            again = after
