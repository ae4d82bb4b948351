"""Those who look at a play together, one player or all at one table: what they may know, and take back."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rulewright.diagnostics import Diagnostic
from rulewright.drivers.run import refused
from rulewright.drivers.session import Session, Turn
from rulewright.drivers.sources import Given, Reply
from rulewright.drivers.turns import asked, show_answer
from rulewright.drivers.views import seen
from rulewright.frozen import dataclass
from rulewright.inputs.script import NONE_LEFT
from rulewright.machine.question import alone
from rulewright.machine.request import CHANCE, Ended, Request
from rulewright.machine.run import Paused
from rulewright.machine.trace import Change
from rulewright.machine.view import View
from rulewright.program import statements as st
from rulewright.program.types import FLAG
from rulewright.program.walk import bound_in_secret
from rulewright.telling.values import player, show_change


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A play before an answer that was taken back."""

    session: Session  # it
    turn: Turn  # the answer
    standing: tuple[str, ...]  # what of all that followed comes again as it was, in words


@dataclass(frozen=True, slots=True)
class Onlookers:
    """A play, and whose view of it is shown."""

    session: Session  # the whole play
    viewer: int | None  # the number of the player who looks on; none where several share a screen

    @property
    def seen(self) -> Session:
        """The play as they may see it."""
        return seen(self.session, self.viewer)

    @property
    def view(self) -> View:
        """How the game looks to them."""
        return View(self.session.begun.executable, self.viewer)

    def is_secret(self, request: Request) -> bool:
        """Whether the answer is not for all at the screen."""
        return request.audience not in {None, self.viewer} or self.is_drawn(request)

    def is_drawn(self, request: Request) -> bool:
        """Whether it asks for what lies in a bag or deck and nobody may see."""
        return request.audience is None and not self.view.open(request)

    def is_covered(self, request: Request) -> bool:
        """Whether what can be answered is shown only to those who ask to look."""
        return self.is_secret(request) and (self.viewer is not None or self.is_drawn(request))

    def told(self, turn: Turn) -> str:
        """A question with its answer, where all at the screen may know it."""
        request, names = turn.request, self.session.begun.names
        who = f"{player(request.player, names)}: {asked(request, names)}"
        if self.view.open(request):
            return f"{who} {show_answer(request, turn.given.value, names)}"
        return f"{who} (a secret)"

    def altered(self, turn: Turn) -> Iterator[str]:
        """What the answer of an external changed, as it was taken."""
        names, view = self.session.begun.names, self.view
        if turn.request.sort != "external" or not isinstance(turn.given.value, tuple):
            return
        altered: Any = turn.given.value[1]
        before = view.situation(turn.paused.state.situation())
        for place, number, after in altered:
            owner, _, name = place.rpartition("/")
            if number is None:
                old = before.game[name]
            else:
                old = number in before.gone[owner] if name == "gone" else before.attributes[place][number]
            type_ = turn.paused.state.layout.types.get(place, FLAG)
            yield show_change(Change(place, number, old, view.value(after, type_), type_), names)

    def taken_back(self) -> TakenBack | str:
        """The play before the last answer of a person that can be taken back, or why there is none."""
        before = self.session.undone()
        if before is None:
            is_seen = any(each.given.source in {"person", "typed", "kept"} for each in self.session.turns)
            return "there is no answer to take back" + ("; what was seen stands" if is_seen else "")
        index = len(before.turns)
        if self.viewer is not None and (learned := self._learned(index)):
            return f"not taken back: {player(self.viewer, self.session.begun.names)} has seen {learned} since"
        turns = self.session.turns[index:]
        return TakenBack(before, turns[0], tuple(_standing(turns, before)))

    def _learned(self, index: int) -> str:
        """What the player whose view is shown has seen since a turn, other than open answers; or nothing."""
        taken, now = self.session.turns[index], self.session.outcome
        retyped = taken.request.sort in CHANCE
        happened = [each for each in self.session.since(index) if not isinstance(each.node, st.Shuffle)]
        fallen = [each for each in happened if each.sort == "roll"][retyped:]
        asked_ = [each.request for each in self.session.turns[index + 1 :]]
        asked_ += [now.request] if isinstance(now, Paused) else []
        if revealed := next((each.title for each in happened if each.sort == "revealed"), ""):
            return f"the answers to `{revealed}`"
        if any(each.dice for each in fallen) or any(each.source != "kept" for each in self.session.sources.kept):
            return "how the dice fell"
        if fallen:
            return "what was drawn"
        return "what lies in a bag or deck" if any(map(self.view.looks, asked_)) else ""

    def kept_from_script(self) -> str:
        """What a script of the play would tell them that they may not know; empty where it tells nothing."""
        closed = None if self.viewer is None else next(filter(self._is_closed, self.session.turns), None)
        if closed is None:
            return ""
        names = self.session.begun.names
        told = f"{player(closed.request.player, names)}: {asked(closed.request, names).removesuffix(':')}"
        known = not closed.secret or self.session.is_revealed(self.session.turns.index(closed))
        what = "what could be answered" if known and closed.request.sort != "shuffle" else "the answer"
        return f"a script would show what is hidden from {player(self.viewer, names)}, such as {what} to `{told}`"

    def _is_closed(self, turn: Turn) -> bool:
        """Whether those at the screen may not know the answer of a turn, or whether it was the only one."""
        unseen = turn.asked.site in self.session.begun.limits.put and self.is_secret(turn.request)
        drawn = bound_in_secret(turn.asked.node) is not None and turn.request.player != self.viewer
        return unseen or drawn or (turn.request.sort == "shuffle" and not self.view.open(turn.request))


def _standing(taken: Sequence[Turn], before: Session) -> Iterator[str]:
    """What of the turns that were taken back comes again as it was."""
    if any(each.request.sort in CHANCE for each in taken[1:] if each.given.source != "script"):
        yield "dice and draws that were already seen are kept: they fall the same when they come again"
    kept = {each.at for each in before.sources.kept}
    if any(each.secret and each.request.address in kept for each in taken[1:]):
        yield "answers that were revealed stand: they are given again when they are asked for"


def reply_without_people(session: Session) -> Reply:
    """What answers the question at which a play stands when nobody is asked: its script, chance, what was seen."""
    paused, script = session.outcome, session.sources.script
    assert isinstance(paused, Paused)
    is_put = paused.asked.site in session.begun.limits.put
    if script is not None and is_put and script.passes(paused.request):
        only = alone(paused.request)
        if only:
            return Reply(Given(only[0], "script"), (), session.sources)
    return session.reply()


def does_not_fit(reply: Reply) -> bool:
    """Whether a script says something else than is asked, so that people have to answer from here on."""
    return reply.given is None and bool(reply.wrong) and reply.wrong[0].code != NONE_LEFT


def unscripted(session: Session) -> Session:
    """The play without its script."""
    return replace(session, sources=replace(session.sources, script=None))


def led_on(session: Session) -> tuple[Session, tuple[Diagnostic, ...]]:
    """A play up to where a person is asked or it is over, and what was wrong with its script, then put aside."""
    wrong: tuple[Diagnostic, ...] = ()
    while isinstance(paused := session.outcome, Paused):
        reply = reply_without_people(session)
        if reply.given is not None:
            after = session.answered(reply.given, reply.rest)
            if isinstance(after, Session):
                session = after
                continue
            wrong += (refused(paused.request, after, session.begun.names),)
        elif does_not_fit(reply):
            wrong += reply.wrong if paused.request.audience is None else ()
        else:
            break
        session = unscripted(session)
    return session, wrong


def by_script(session: Session) -> str:
    """What a script did in a play that ended and asked nobody: `answered everything`, or `made every choice`."""
    turns = session.turns
    decided = any(each.request.sort not in CHANCE for each in turns)
    asked_ = any(each.given.source == "person" for each in turns)
    if not isinstance(session.outcome, Ended) or not decided or asked_:
        return ""
    return "answered everything" if all(each.given.source == "script" for each in turns) else "made every choice"
