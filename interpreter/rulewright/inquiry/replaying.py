"""A changed play, played again from its beginning with a full record, before anybody is told of it."""

from collections.abc import Iterator
from dataclasses import replace

from rulewright.drivers.session import Session, Turn, begin
from rulewright.drivers.sources import Given
from rulewright.frozen import dataclass
from rulewright.inquiry.alternatives import OtherAnswer, OtherStart, slots_at
from rulewright.inquiry.changed_plays import Flip
from rulewright.inquiry.course import Course, Following, Occasion
from rulewright.machine.run import UNANSWERED, Paused
from rulewright.machine.values import Value


@dataclass(frozen=True, slots=True)
class Replayed:
    """A changed play."""

    flip: Flip  # what is changed
    session: Session  # the play
    turns: dict[Occasion, Turn]  # its answers by occasion

    def new(self, course: Course) -> Iterator[Turn]:
        """What was asked that is not asked in the play as it was, but for what is changed itself."""
        changed = {each.occasion for each in self.flip.changes if isinstance(each, OtherAnswer)}
        return (turn for occasion, turn in self.turns.items() if occasion not in {*course.given, *changed})


def replayed(course: Course, flip: Flip) -> Replayed:
    """Plays a changed play again."""
    situation = course.begun.situation
    for each in flip.changes:
        situation = each.made(situation) if isinstance(each, OtherStart) else situation
    session = begin(replace(course.begun, situation=situation), course.sources)
    following, turns = Following(course), dict[Occasion, Turn]()
    while isinstance(paused := session.outcome, Paused) and not following.stands(paused.asked):
        usual = following.usual(paused)
        if usual is UNANSWERED:
            break
        occasion = following.occasion(paused.asked)
        following.pass_by(paused.asked)
        answer = _changed(paused, usual, occasion, flip)
        after = session.answered(Given(answer, "script"), session.sources)
        assert isinstance(after, Session)
        session = after
        turns[occasion] = session.turns[-1]
    return Replayed(flip, session, turns)


def _changed(paused: Paused, usual: Value, occasion: Occasion, flip: Flip) -> Value:
    """The answer to a request as it is changed."""
    changes = [each for each in flip.changes if isinstance(each, OtherAnswer) and each.occasion == occasion]
    if not changes:
        return usual
    slots = slots_at(paused.run(), usual)
    values = list(slots.values)
    for each in changes:
        values[each.slot or 0] = each.after
    return slots.whole(values)  # type: ignore[no-any-return]
