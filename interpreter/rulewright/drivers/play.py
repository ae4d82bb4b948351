"""A play with people at a terminal, or with lines from a pipe."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import Paint, visible
from rulewright.drivers.board_views import board_of, boards_of, drawn, looked_at
from rulewright.drivers.questions import HELP, OVER, Command, Question, command_of
from rulewright.drivers.run import leftover, refused
from rulewright.drivers.session import Session, Turn
from rulewright.drivers.sources import Given, Reply
from rulewright.drivers.story import Story
from rulewright.drivers.turns import all_changed, asked, ending
from rulewright.drivers.views import seen, sheet
from rulewright.frozen import dataclass
from rulewright.inputs import save, script
from rulewright.inputs.answers import calling_dice
from rulewright.machine.question import alone
from rulewright.machine.request import CHANCE, Ended, Refused, Request
from rulewright.machine.run import Paused
from rulewright.machine.trace import Change
from rulewright.machine.view import View
from rulewright.program import statements as st
from rulewright.program.types import FLAG
from rulewright.source import Text
from rulewright.telling.values import player, show_change

if TYPE_CHECKING:
    from rulewright.machine.state import State

LONGEST = 100_000
"""Characters of a line that is typed, at most."""


def _left_alone(prompt: str) -> str:
    raise EOFError(prompt)


def _unsaid(file: str) -> tuple[str, tuple[str, ...]]:
    del file
    return "", ()


def _not_advised(session: "Session", wanted: str, viewer: int | None) -> tuple[str, ...]:
    del session, wanted, viewer
    return ("there is no advice here",)


def _carried_out(action: Callable[[], None]) -> None:
    action()


def _not_explained(session: Session, wanted: str) -> Iterable[str]:
    del session, wanted
    return ()


@dataclass(frozen=True, slots=True)
class Table:
    """Where people sit."""

    # prints a prompt and answers the line that was typed; raises `EOFError` at the end of input
    ask: Callable[[str], str]
    say: Callable[[str], None]  # prints a line
    report: Callable[[tuple[Diagnostic, ...]], None]  # prints findings
    # writes a file that is not there yet or begins in this way; gives what kept it from that
    write: Callable[[str, str, str], Diagnostic | None]
    whisper: Callable[[str], str]  # as `ask`, but what was typed does not stand in the output
    hide: Callable[[], None]  # takes from the screen what was typed in secret
    paint: Paint  # colours
    viewer: int | None = None  # whose view is shown, by number; none where several players share the screen
    texts: Mapping[str, Text] = field(default_factory=dict)  # of the rules, to say where a fault was met
    # as `ask`, when the play is over: `EOFError` where nobody types any more, which is no matter then
    linger: Callable[[str], str] = _left_alone
    # carries out what somebody typed; what fails there is told, and ends nothing
    attempt: Callable[[Callable[[], None]], None] = _carried_out
    # where the ruleset and its overlays are, as seen from the folder of a file
    rules: Callable[[str], tuple[str, tuple[str, ...]]] = _unsaid
    scripted: bool = False  # whether the script of a scenario answers before people do
    # what each answer is worth where a play stands to whoever is asked and wants the most of something, for the player
    # whose view is shown, or for all
    advise: Callable[[Session, str, int | None], Iterable[str]] = _not_advised
    # why a step was entered or skipped, or why not an answer, of a play as those at the screen may see it
    explain: Callable[[Session, str], Iterable[str]] = _not_explained


@dataclass(frozen=True, slots=True)
class Left:
    """How people left a play: the session then, and whether it was over, given up or cut off."""

    session: Session
    how: str


class Sitting:
    """People at a table; the session is replaced, never changed, so that it is whole whenever a play breaks off."""

    def __init__(self, session: Session, table: Table) -> None:
        self.session = session
        self.table = table
        self.story = Story(session.begun.names, "decisive", table.paint)
        self.told: State | None = None
        self.left = ""
        self.covered = False

    def play(self) -> Left:
        """Plays until people leave an end, `quit` (`given up`) or the end of input (`cut off`)."""
        for line in self.story.lines(self._seen):
            self.table.say(line)
        while not self.left:
            if isinstance(self.session.outcome, Paused):
                self._answer_or_ask(self.session.outcome)
            else:
                self._end()
                self._linger()
        return Left(self.session, self.left)

    @property
    def _seen(self) -> Session:
        """The session as those at the screen may see it."""
        return seen(self.session, self.table.viewer)

    @property
    def _view(self) -> View:
        return View(self.session.begun.executable, self.table.viewer)

    def _end(self) -> None:
        for line in ending(self._seen.outcome, self._seen, self.table.paint, self.table.texts):
            self.table.say(line)
        self._report_script(leftover(self.session))
        for line in all_changed(self._seen):
            self.table.say(f"  {line}")
        if self.table.scripted:
            self._tell_unasked()

    def _tell_unasked(self) -> None:
        """Says why a play that ended asked nobody: the script of its scenario made the choices."""
        turns = self.session.turns
        decided = any(each.request.sort not in CHANCE for each in turns)
        if not isinstance(self.session.outcome, Ended) or not decided or any(map(_by_person, turns)):
            return
        whole = "answered everything" if all(each.given.source == "script" for each in turns) else "made every choice"
        self.table.say(f"the scenario's script {whole}; `--no-script` asks you")

    def _linger(self) -> None:
        """Keeps a play that is over where it is, for those who want to go back or to keep it."""
        over = self.session
        if not over.turns:
            self.left = "over"
        while self.session is over and not self.left:
            try:
                written = self.table.linger("> ")
            except EOFError:
                self.left = "over"
                return
            self.table.attempt(partial(self._after_the_end, written.strip()))

    def _after_the_end(self, written: str) -> None:
        command = command_of(written)
        if not written:
            self.left = "over"
        elif command is None:
            self.table.say(f"  {_untypable(written) or 'the play is over, and nothing is asked'}")
        else:
            self._obey(command, None)

    def _answer_or_ask(self, paused: Paused) -> None:
        reply = self._beside_script(paused) or self.session.reply()
        if reply.given is not None:
            self._give(reply.given, self.session if reply.rest is None else replace(self.session, sources=reply.rest))
            return
        if reply.wrong and reply.wrong[0].code != script.NONE_LEFT:
            if self._view.open(paused.request):
                self._report_script(reply.wrong)
            self.table.say("  the script is put aside; please answer")
            self.session = replace(self.session, sources=replace(self.session.sources, script=None))
            return
        self._ask(paused)

    def _beside_script(self, paused: Paused) -> Reply | None:
        """The only answer to a question that the script passes over, as whoever wrote it was not asked."""
        script, number = self.session.sources.script, paused.asked.site
        if script is None or number not in self.session.begun.limits.put or not script.passes(paused.request):
            return None
        only = alone(paused.request)
        return Reply(Given(only[0], "script"), (), self.session.sources) if only else None

    def _report_script(self, found: tuple[Diagnostic, ...]) -> None:
        """Reports what is wrong with a script; to one player without its lines, where the answers of others stand."""
        if self.table.viewer is not None:
            found = tuple(replace(each, primary=None, secondary=(), edits=()) for each in found)
        self.table.report(found)

    def _give(self, given: Given, session: Session) -> None:
        """Takes an answer, tells it and what follows from it."""
        assert isinstance(session.outcome, Paused)
        after = session.answered(given, session.sources)
        if isinstance(after, Refused):
            if self.covered:
                self.table.say(_IMPOSSIBLE)
            else:
                self.table.report((refused(session.outcome.request, after, session.begun.names),))
            return
        self.session = after
        request = after.turns[-1].request
        if given.source == "person" and self._secret(request):
            self.table.hide()
        elif given.source != "person" and (self._view.open(request) or request.sort == "shuffle"):
            for line in self.story.answered((after if self._view.open(request) else self._seen).turns[-1]):
                self.table.say(line)
        for line in (*self._altered(after.turns[-1]), *self.story.told(self._view.entries(after.outcome.entries))):
            self.table.say(line)

    def _altered(self, turn: Turn) -> Iterator[str]:
        """What the answer of an external changed, as it was taken."""
        names = self.session.begun.names
        if turn.request.sort != "external" or not isinstance(turn.given.value, tuple):
            return
        altered: Any = turn.given.value[1]
        before = self._view.situation(turn.paused.state.situation())
        for place, number, after in altered:
            owner, _, name = place.rpartition("/")
            if number is None:
                old = before.game[name]
            else:
                old = number in before.gone[owner] if name == "gone" else before.attributes[place][number]
            type_ = turn.paused.state.layout.types.get(place, FLAG)
            yield f"  {show_change(Change(place, number, old, self._view.value(after, type_), type_), names)}"

    def _secret(self, request: Request) -> bool:
        """Whether the answer is not for all at the screen."""
        return request.audience not in {None, self.table.viewer} or self._drawn(request)

    def _drawn(self, request: Request) -> bool:
        """Whether it asks for what lies in a bag or deck and nobody may see."""
        return request.audience is None and not self._view.open(request)

    def _told(self, turn: Turn) -> str:
        """A question with its answer, where all at the screen may know it."""
        if self._view.open(turn.request):
            return self.story.answer(turn, sourced=False).strip()
        names = self.session.begun.names
        return f"{player(turn.request.player, names)}: {asked(turn.request, names)} (a secret)"

    def _ask(self, paused: Paused) -> None:
        question = Question(paused, calling_dice(paused.request, self.session.begun.names), self.table.paint)
        ask, secret = self.table.ask, self._secret(paused.request)
        self.covered = secret and (self.table.viewer is not None or self._drawn(paused.request))
        for line in self.story.headings():
            self.table.say(line)
        if secret:
            ask = self.table.whisper
            self.table.say(f"  only {question.who} may look now")
        self._put(question)
        while self.session.outcome is paused and not self.left:
            try:
                written = ask("> ")
            except EOFError:
                self.table.say("")
                self.table.say(f"the input ended while {question.who} was asked: {question.asked}")
                self.left = "cut off"
                break
            self.table.attempt(partial(self._take, written.strip(), question))
        if secret and self.left:
            self.table.hide()

    def _put(self, question: Question) -> None:
        """Shows a question; where it is covered, without what can be answered."""
        if self.covered:
            self.table.say(next(question.lines()))
            self.table.say(f"  `look` shows {question.who} alone what can be answered")
            return
        situation = self._view.situation(question.paused.state.situation())
        board = drawn(board_of(question.request, situation, question.names), _ELSEWHERE)
        for line in (*(f"  {each}" for each in board), *question.lines()):
            self.table.say(line)

    def _take(self, written: str, question: Question) -> None:
        if trouble := _untypable(written):
            self.table.say(f"  {trouble}")
            return
        command = command_of(written)
        if command is not None:
            self._obey(command, question)
            return
        value, wrong = (None, (_IMPOSSIBLE,)) if self.covered and not written else question.read(written)
        if wrong and self.covered:
            self.table.say(_IMPOSSIBLE)
            return
        if wrong:
            for line in wrong:
                self.table.say(f"  {line}")
            return
        self._give(Given(value, "person"), self.session)

    def _obey(self, command: Command, question: Question | None) -> None:  # noqa: C901, PLR0912 - one case for each command
        match command.word:
            case "undo":
                self._undo()
            case "why" if command.rest:
                for line in self.table.explain(self._seen, command.rest):
                    self.table.say(f"  {line}")
            case "why":
                self._retell("why", "  nothing was decided yet")
            case "log" | "history":
                self._retell("decisive", "  nothing happened yet")
            case "advise":
                self._advise(command.rest, question)
            case "hint" | "look" as word:
                self._show(word, question)
            case "state":
                for line in (*drawn(boards_of(self._seen), _ELSEWHERE), *sheet(self._seen)):
                    self.table.say(f"  {line}")
            case "board":
                for line in looked_at(self._seen, command.rest, _ELSEWHERE):
                    self.table.say(f"  {line}")
            case "save":
                self._save(command.rest)
            case "script":
                self._script(command.rest)
            case "help":
                self._help(question)
            case "quit":
                self.left = "given up"

    def _show(self, word: str, question: Question | None) -> None:
        if question is None:
            self.table.say("  the play is over, and nothing is asked")
        elif word == "look":
            self.covered = False
            self._put(question)
        else:
            self.table.say("  `look` comes first" if self.covered else f"  {question.hint()}")

    def _advise(self, wanted: str, question: Question | None) -> None:
        if question is None or self.covered:
            self.table.say("  `look` comes first" if self.covered else "  the play is over, and nothing is asked")
            return
        if not wanted:
            self.table.say("  say what is wanted the most of: `advise hammer.health`")
            return
        for line in self.table.advise(self.session, wanted, self.table.viewer):
            self.table.say(f"  {line}")

    def _help(self, question: Question | None) -> None:
        for line in HELP:
            self.table.say(line)
        if question is None:
            self.table.say(OVER)
        else:
            self._put(question)

    def _save(self, file: str) -> None:
        rules, overlays = self.table.rules(file)
        text = save.save_text(self.session.save(rules, overlays))
        self._write(file, (save.BEGINNING, text), "session", save.too_large(text))
        if file and self.table.viewer is not None:
            self.table.say("  a save holds what is hidden, too: it is for whoever keeps the game")

    def _script(self, file: str) -> None:
        closed = None if self.table.viewer is None else self._closed()
        if closed is None:
            self._write(file, (script.BEGINNING, script.script_text(self.session.answers())), "answers")
            return
        names = self.session.begun.names
        told = f"{player(closed.request.player, names)}: {asked(closed.request, names).removesuffix(':')}"
        who = player(self.table.viewer, names)
        open_ = closed.request.sort != "shuffle" and self._known(closed)
        what = "what could be answered" if open_ else "the answer"
        self.table.say(f"  not written: a script tells what is hidden from {who}, such as {what} to `{told}`")

    def _known(self, turn: Turn) -> bool:
        """Whether the answer to a question is for all by now."""
        return not turn.secret or self.session.is_revealed(self.session.turns.index(turn))

    def _closed(self) -> Turn | None:
        """A turn of which those at the screen may not know the answer, or whether it was the only one."""
        for turn in self.session.turns:
            unseen = turn.asked.site in self.session.begun.limits.put and self._secret(turn.request)
            if unseen or (turn.request.sort == "shuffle" and not self._view.open(turn.request)):
                return turn
        return None

    def _undo(self) -> None:
        before = self.session.undone()
        if before is None:
            seen = any(each.given.source in {"person", "typed", "kept"} for each in self.session.turns)
            self.table.say("  there is no answer to take back" + ("; what was seen stands" if seen else ""))
            return
        index = len(before.turns)
        if self.table.viewer is not None and (learned := self._learned(index)):
            names = self.session.begun.names
            self.table.say(f"  not taken back: {player(self.table.viewer, names)} has seen {learned} since")
            return
        if isinstance(self.session.outcome, Paused) and self._secret(self.session.outcome.request):
            self.table.hide()
        taken = self._told(self.session.turns[index])
        turns, self.session = self.session.turns[index:], before
        self.story = Story(self.session.begun.names, "decisive", self.table.paint)
        deque(self.story.lines(self._seen), maxlen=0)
        self.table.say(f"  taken back: {taken}")
        for line in _standing(turns, before):
            self.table.say(f"  {line}")

    def _learned(self, index: int) -> str:
        """What the player whose view is shown has seen since a turn, other than open answers; or nothing."""
        taken, now = self.session.turns[index], self.session.outcome
        retyped = taken.request.sort in CHANCE
        happened = [each for each in self.session.since(index) if not isinstance(each.node, st.Shuffle)]
        fallen = [each for each in happened if each.sort == "roll"][retyped:]
        asked_ = [each.request for each in self.session.turns[index + 1 :]]
        asked_ += [now.request] if isinstance(now, Paused) else []
        if revealed := next((each.title for each in happened if each.sort == "revealed"), ""):
            return f"the answers to `{visible(revealed)}`"
        if any(each.dice for each in fallen) or any(each.source != "kept" for each in self.session.sources.kept):
            return "how the dice fell"
        if fallen:
            return "what was drawn"
        return "what lies in a bag or deck" if any(map(self._view.looks, asked_)) else ""

    def _retell(self, level: str, nothing: str) -> None:
        """Tells the play so far, as those at the screen may know it."""
        story = Story(self.session.begun.names, level, self.table.paint)
        lines = [line for line in story.lines(self._seen) if line]
        for line in lines or [nothing]:
            self.table.say(line)

    def _write(self, file: str, written: tuple[str, str], what: str, trouble: Diagnostic | None = None) -> None:
        if not file:
            self.table.say(f"  name a file, such as `{'save play.json' if what == 'session' else 'script play.yaml'}`")
            return
        trouble = trouble or self.table.write(file, *written)
        if trouble:
            self.table.report((trouble,))
        else:
            self.table.say(f"  {what} written to {visible(file)}")


_ELSEWHERE = "`board` with a cell or an id shows what lies there"
_IMPOSSIBLE = "  this answer is not possible; `look` shows what is"


def _standing(taken: Sequence[Turn], before: Session) -> Iterator[str]:
    """What of the turns that were taken back comes again as it was."""
    if any(each.request.sort in CHANCE for each in taken[1:] if each.given.source != "script"):
        yield "dice and draws that were already seen are kept: they fall the same when they come again"
    kept = {each.at for each in before.sources.kept}
    if any(each.secret and each.request.address in kept for each in taken[1:]):
        yield "answers that were revealed stand: they are given again when they are asked for"


def _by_person(turn: Turn) -> bool:
    return turn.given.source == "person"


def _untypable(written: str) -> str:
    """Why a line cannot be read at all, or nothing."""
    if len(written) > LONGEST:
        return f"the line is longer than {LONGEST:,} characters"
    if any("\ud800" <= each <= "\udfff" for each in written):
        return "the line is not UTF-8"
    return ""
