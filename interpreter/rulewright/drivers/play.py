"""A play with people at a terminal, or with lines from a pipe."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import Paint, visible
from rulewright.drivers.board_views import board_of, boards_of, drawn, looked_at
from rulewright.drivers.onlookers import Onlookers, by_script, does_not_fit, reply_without_people, unscripted
from rulewright.drivers.questions import HELP, OVER, Command, Question, command_of, untypable
from rulewright.drivers.run import leftover, refused
from rulewright.drivers.session import Session
from rulewright.drivers.sources import Given
from rulewright.drivers.story import Story
from rulewright.drivers.turns import all_changed, ending
from rulewright.drivers.views import sheet
from rulewright.drivers.worths import worths
from rulewright.frozen import dataclass
from rulewright.inputs import save, script
from rulewright.inputs.answers import calling_dice
from rulewright.machine.request import Refused
from rulewright.machine.run import Paused
from rulewright.machine.view import View
from rulewright.source import Text
from rulewright.telling import happenings
from rulewright.telling.values import player

if TYPE_CHECKING:
    from rulewright.machine.state import State

_ELSEWHERE = "`board` with a cell or an id shows what lies there"
_IMPOSSIBLE = "  this answer is not possible; `look` shows what is"


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
    viewer: int | None  # whose view is shown, by number; none where several players share the screen
    texts: Mapping[str, Text]  # of the rules, to say where a fault was met
    # as `ask`, when the play is over: `EOFError` where nobody types any more, which is no matter then
    linger: Callable[[str], str]
    # carries out what somebody typed; what fails there is told, and ends nothing
    attempt: Callable[[Callable[[], None]], None]
    # where the ruleset and its overlays are, as seen from the folder of a file
    rules: Callable[[str], tuple[str, tuple[str, ...]]]
    scripted: bool  # whether the script of a scenario answers before people do
    # what each answer is worth where a play stands to whoever is asked and wants the most of something, for the player
    # whose view is shown, or for all
    advise: Callable[[Session, str, int | None], Iterable[str]]
    # why a step was entered or skipped, or why not an answer, of a play as those at the screen may see it
    explain: Callable[[Session, str], Iterable[str]]


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
        self._tell(self.story.lines(self._seen))
        if not self.session.turns:
            self._show_drawn()
        while not self.left:
            if isinstance(self.session.outcome, Paused):
                self._answer_or_ask(self.session.outcome)
            else:
                self._end()
                self._linger()
        return Left(self.session, self.left)

    def _tell(self, lines: Iterable[str], indent: str = "") -> None:
        for line in lines:
            self.table.say(indent + line)

    @property
    def _onlookers(self) -> Onlookers:
        return Onlookers(self.session, self.table.viewer)

    @property
    def _seen(self) -> Session:
        """The session as those at the screen may see it."""
        return self._onlookers.seen

    @property
    def _view(self) -> View:
        return self._onlookers.view

    def _end(self) -> None:
        self._tell(ending(self._seen.outcome, self._seen, self.table.paint, self.table.texts))
        self._report_script(leftover(self.session))
        self._tell(all_changed(self._seen), "  ")
        if self.table.scripted:
            self._tell_unasked()

    def _tell_unasked(self) -> None:
        """Says why a play that ended asked nobody: the script of its scenario made the choices."""
        if whole := by_script(self.session):
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
            self.table.say(f"  {untypable(written) or 'the play is over, so no question is waiting'}")
        else:
            self._obey(command, None)

    def _answer_or_ask(self, paused: Paused) -> None:
        reply = reply_without_people(self.session)
        if reply.given is not None:
            self._give(reply.given, replace(self.session, sources=reply.rest))
            return
        if does_not_fit(reply):
            if self._view.open(paused.request):
                self._report_script(reply.wrong)
            self.table.say("  the script is put aside; please answer")
            self.session = unscripted(self.session)
            return
        self._ask(paused)

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
        if given.source == "person" and self._onlookers.is_secret(request):
            self.table.hide()
        elif given.source != "person" and (self._view.open(request) or request.sort == "shuffle"):
            self._tell(self.story.answered((after if self._view.open(request) else self._seen).turns[-1]))
        altered = (f"  {line}" for line in self._onlookers.altered(after.turns[-1]))
        self._tell((*altered, *self.story.told(self._view.entries(after.outcome.entries))))
        self._show_drawn()

    def _show_drawn(self) -> None:
        """Shows what players drew in secret since the last answer to each alone, where several share the screen."""
        names = self.session.begun.names
        if self.table.viewer is not None or not self.session.begun.executable.secrets:
            return
        for entry in self.session.outcome.entries:
            if entry.withheld != "drawn" or entry.type is None:
                continue
            self.table.say(f"  only {player(entry.player, names)} may look now")
            self.table.say(f"  {happenings.drawn(entry, names)}; Enter takes it from the screen")
            try:
                self.table.whisper("> ")
            except EOFError:
                self.table.say("")
            self.table.hide()

    def _ask(self, paused: Paused) -> None:
        question = Question(paused, calling_dice(paused.request, self.session.begun.names), self.table.paint)
        ask, secret = self.table.ask, self._onlookers.is_secret(paused.request)
        self.covered = self._onlookers.is_covered(paused.request)
        self._tell(self.story.headings())
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
        self._tell((*(f"  {each}" for each in board), *question.lines()))

    def _take(self, written: str, question: Question) -> None:
        if trouble := untypable(written):
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
            self._tell(wrong, "  ")
            return
        self._give(Given(value, "person"), self.session)

    def _obey(self, command: Command, question: Question | None) -> None:  # noqa: C901 - one case for each command
        match command.word:
            case "undo":
                self._undo()
            case "why" if command.rest:
                self._tell(self.table.explain(self._seen, command.rest), "  ")
            case "why":
                self._retell("why", "  nothing was decided yet")
            case "log" | "history":
                self._retell("decisive", "  nothing happened yet")
            case "advise":
                self._advise(command.rest, question)
            case "hint" | "look" as word:
                self._show(word, question)
            case "state":
                self._tell((*drawn(boards_of(self._seen), _ELSEWHERE), *sheet(self._seen)), "  ")
            case "board":
                self._tell(looked_at(self._seen, command.rest, _ELSEWHERE), "  ")
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
            self.table.say("  the play is over, so no question is waiting")
        elif word == "look":
            self.covered = False
            self._put(question)
        else:
            self.table.say("  `look` comes first" if self.covered else f"  {question.hint()}")

    def _advise(self, wanted: str, question: Question | None) -> None:
        if question is None or self.covered:
            self.table.say("  `look` comes first" if self.covered else "  the play is over, so no question is waiting")
            return
        if not wanted:
            self.table.say(f"  say what is wanted the most of{self._advisable}")
            return
        self._tell(self.table.advise(self.session, wanted, self.table.viewer), "  ")

    @property
    def _advisable(self) -> str:
        """An example of what advice can be about in this play, after what it is an example of; or nothing."""
        begun = self.session.begun
        wanted = next(worths(begun), "result" if begun.procedure.result is not None else "")
        return f": `advise {wanted}`" if wanted else ""

    def _help(self, question: Question | None) -> None:
        self._tell(each.replace("{example}", self._advisable) for each in HELP)
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
        if kept := self._onlookers.kept_from_script():
            self.table.say(f"  not written: {kept}")
            return
        self._write(file, (script.BEGINNING, script.script_text(self.session.answers())), "answers")

    def _undo(self) -> None:
        taken = self._onlookers.taken_back()
        if isinstance(taken, str):
            self.table.say(f"  {taken}")
            return
        if isinstance(self.session.outcome, Paused) and self._onlookers.is_secret(self.session.outcome.request):
            self.table.hide()
        told = self._onlookers.told(taken.turn)
        self.session = taken.session
        self.story = Story(self.session.begun.names, "decisive", self.table.paint)
        deque(self.story.lines(self._seen), maxlen=0)
        self.table.say(f"  taken back: {told}")
        self._tell(taken.standing, "  ")

    def _retell(self, level: str, nothing: str) -> None:
        """Tells the play so far, as those at the screen may know it."""
        story = Story(self.session.begun.names, level, self.table.paint)
        lines = [line for line in story.lines(self._seen) if line]
        self._tell(lines or [nothing])

    def _write(self, file: str, written: tuple[str, str], what: str, trouble: Diagnostic | None = None) -> None:
        if not file:
            self.table.say(f"  name a file, such as `{'save play.json' if what == 'session' else 'script play.yaml'}`")
            return
        trouble = trouble or self.table.write(file, *written)
        if trouble:
            self.table.report((trouble,))
        else:
            self.table.say(f"  {what} written to {visible(file)}")
