"""Interactive play at a terminal, or with lines from a pipe."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rulewright.base.diagnostics import Diagnostic, Painter, make_visible
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.documents import answer_scripts, saved_sessions
from rulewright.documents.answers import name_offered_dice
from rulewright.play.answer_sources import SourcedAnswer
from rulewright.play.play_story import Story
from rulewright.play.player_prompts import (
    COMMAND_HELP,
    PLAY_OVER_HINT,
    PlayerPrompt,
    TypedCommand,
    explain_unreadable_line,
    parse_command,
)
from rulewright.play.player_views import (
    PlayViewers,
    describe_script_part,
    drop_script,
    is_script_mismatch,
    reply_without_people,
)
from rulewright.play.session import Session, make_refusal_diagnostic, report_unused_answers
from rulewright.play.session_views import (
    draw_current_boards,
    draw_question_board,
    render_board_view,
    render_boards,
    render_sheet,
    worths,
)
from rulewright.play.turn_rendering import render_all_changes, render_ending
from rulewright.runtime.player_view import PlayerView
from rulewright.runtime.request import Refused
from rulewright.runtime.run import Paused
from rulewright.wording import entry_rendering
from rulewright.wording.entry_rendering import show_player

if TYPE_CHECKING:
    from rulewright.runtime.state import State

_BOARD_HINT = "`board` with a cell or an id shows what lies there"
_IMPOSSIBLE_ANSWER = "  this answer is not possible; `look` shows what is"


@dataclass(frozen=True, slots=True)
class PlayTerminal:
    """Input and output of people at a terminal, as functions."""

    ask: Callable[[str], str]  # typed line by prompt; raises `EOFError` at the end of input
    say: Callable[[str], None]
    report: Callable[[tuple[Diagnostic, ...]], None]
    # writes a new file, or one that begins with the given text; returns why it could not
    write: Callable[[str, str, str], Diagnostic | None]
    ask_secretly: Callable[[str], str]  # without echo
    hide_typed: Callable[[], None]  # clears what was typed in secret
    paint: Painter
    viewer: int | None  # player number; None: several players share the screen
    rule_texts: Mapping[str, Text]  # for the places of faults
    ask_after_end: Callable[[str], str]  # `ask` after the end, where `EOFError` is no interruption
    attempt: Callable[[Callable[[], None]], None]  # runs a command; reports its errors and goes on
    # paths of the ruleset and its overlays relative to the folder of a file
    locate_rules: Callable[[str], tuple[str, tuple[str, ...]]]
    has_script: bool  # of a scenario, which answers before people do
    # value of each answer to the player who is asked and maximizes a measure, for a viewer or all
    list_advice: Callable[[Session, str, int | None], Iterable[str]]
    # why a step was entered or skipped, or an answer was illegal, in the visible session
    explain_step: Callable[[Session, str], Iterable[str]]


@dataclass(frozen=True, slots=True)
class LeftPlay:
    """The last session, and whether the play was over, given up or cut off."""

    session: Session
    ending: str


class TerminalPlay:
    """Read-eval loop of a play; the session is replaced, never changed, so it is whole whenever the loop breaks."""

    def __init__(self, session: Session, terminal: PlayTerminal) -> None:
        self.session = session
        self.terminal = terminal
        self.story = Story(session.start.names, "decisive", terminal.paint)
        self.last_state: State | None = None
        self.leaving = ""
        self.is_covered = False

    def play_until_left(self) -> LeftPlay:
        """Loop until the end is left, `quit` (`given up`) or the end of input (`cut off`)."""
        self._print_lines(self.story.render_session(self._visible_session))
        if not self.session.turns:
            self._show_secret_draws()
        while not self.leaving:
            if isinstance(self.session.outcome, Paused):
                self._answer_or_ask(self.session.outcome)
            else:
                self._print_ending()
                self._ask_after_end()
        return LeftPlay(self.session, self.leaving)

    def _print_lines(self, lines: Iterable[str], indent: str = "") -> None:
        for line in lines:
            self.terminal.say(indent + line)

    @property
    def _viewers(self) -> PlayViewers:
        return PlayViewers(self.session, self.terminal.viewer)

    @property
    def _visible_session(self) -> Session:
        return self._viewers.visible_session

    @property
    def _viewer_view(self) -> PlayerView:
        return self._viewers.viewer_view

    def _print_ending(self) -> None:
        self._print_lines(
            render_ending(
                self._visible_session.outcome, self._visible_session, self.terminal.paint, self.terminal.rule_texts
            )
        )
        self._report_script_errors(report_unused_answers(self.session))
        self._print_lines(render_all_changes(self._visible_session), "  ")
        if self.terminal.has_script:
            self._explain_unasked_end()

    def _explain_unasked_end(self) -> None:
        if whole := describe_script_part(self.session):
            self.terminal.say(f"the scenario's script {whole}; `--no-script` asks you")

    def _ask_after_end(self) -> None:
        over = self.session
        if not over.turns:
            self.leaving = "over"
        while self.session is over and not self.leaving:
            try:
                written = self.terminal.ask_after_end("> ")
            except EOFError:
                self.leaving = "over"
                return
            self.terminal.attempt(partial(self._handle_line_after_end, written.strip()))

    def _handle_line_after_end(self, written: str) -> None:
        command = parse_command(written)
        if not written:
            self.leaving = "over"
        elif command is None:
            self.terminal.say(f"  {explain_unreadable_line(written) or 'the play is over, so no question is waiting'}")
        else:
            self._execute_command(command, None)

    def _answer_or_ask(self, paused: Paused) -> None:
        reply = reply_without_people(self.session)
        if reply.answer is not None:
            self._apply_answer(reply.answer, replace(self.session, sources=reply.remaining_sources))
            return
        if is_script_mismatch(reply):
            if self._viewer_view.can_see_request(paused.request):
                self._report_script_errors(reply.errors)
            self.terminal.say("  the script is put aside; please answer")
            self.session = drop_script(self.session)
            return
        self._ask_person(paused)

    def _report_script_errors(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """One player does not see script lines, which hold answers of others."""
        if self.terminal.viewer is not None:
            diagnostics = tuple(replace(diagnostic, primary=None, secondary=(), edits=()) for diagnostic in diagnostics)
        self.terminal.report(diagnostics)

    def _apply_answer(self, given: SourcedAnswer, session: Session) -> None:
        assert isinstance(session.outcome, Paused)
        after = session.apply_answer(given, session.sources)
        if isinstance(after, Refused):
            if self.is_covered:
                self.terminal.say(_IMPOSSIBLE_ANSWER)
            else:
                self.terminal.report((make_refusal_diagnostic(session.outcome.request, after, session.start.names),))
            return
        self.session = after
        request = after.turns[-1].request
        if given.source == "person" and self._viewers.is_secret(request):
            self.terminal.hide_typed()
        elif given.source != "person" and (self._viewer_view.can_see_request(request) or request.sort == "shuffle"):
            self._print_lines(
                self.story.render_turn(
                    (after if self._viewer_view.can_see_request(request) else self._visible_session).turns[-1]
                )
            )
        altered = (f"  {line}" for line in self._viewers.render_external_changes(after.turns[-1]))
        self._print_lines((*altered, *self.story.render_entries(self._viewer_view.mask_entries(after.outcome.entries))))
        self._show_secret_draws()

    def _show_secret_draws(self) -> None:
        """Draws to one player are shown to that player alone if several share the screen."""
        names = self.session.start.names
        if self.terminal.viewer is not None or not self.session.start.executable.secret_sites:
            return
        for entry in self.session.outcome.entries:
            if entry.withheld != "drawn" or entry.type is None:
                continue
            self.terminal.say(f"  only {show_player(entry.player, names)} may look now")
            self.terminal.say(f"  {entry_rendering.render_draw(entry, names)}; Enter takes it from the screen")
            try:
                self.terminal.ask_secretly("> ")
            except EOFError:
                self.terminal.say("")
            self.terminal.hide_typed()

    def _ask_person(self, paused: Paused) -> None:
        question = PlayerPrompt(
            paused, name_offered_dice(paused.request, self.session.start.names), self.terminal.paint
        )
        ask, secret = self.terminal.ask, self._viewers.is_secret(paused.request)
        self.is_covered = self._viewers.is_covered(paused.request)
        self._print_lines(self.story.render_headings())
        if secret:
            ask = self.terminal.ask_secretly
            self.terminal.say(f"  only {question.player_name} may look now")
        self._show_prompt(question)
        while self.session.outcome is paused and not self.leaving:
            try:
                written = ask("> ")
            except EOFError:
                self.terminal.say("")
                self.terminal.say(f"the input ended while {question.player_name} was asked: {question.question_text}")
                self.leaving = "cut off"
                break
            self.terminal.attempt(partial(self._handle_typed_line, written.strip(), question))
        if secret and self.leaving:
            self.terminal.hide_typed()

    def _show_prompt(self, question: PlayerPrompt) -> None:
        """A covered question is shown without its options."""
        if self.is_covered:
            self.terminal.say(next(question.render_prompt()))
            self.terminal.say(f"  `look` shows {question.player_name} alone what can be answered")
            return
        situation = self._viewer_view.mask_situation(question.paused.state.extract_situation())
        board = render_boards(draw_question_board(question.request, situation, question.names), _BOARD_HINT)
        self._print_lines((*(f"  {item}" for item in board), *question.render_prompt()))

    def _handle_typed_line(self, written: str, question: PlayerPrompt) -> None:
        if trouble := explain_unreadable_line(written):
            self.terminal.say(f"  {trouble}")
            return
        command = parse_command(written)
        if command is not None:
            self._execute_command(command, question)
            return
        value, wrong = (
            (None, (_IMPOSSIBLE_ANSWER,)) if self.is_covered and not written else question.read_typed_answer(written)
        )
        if wrong and self.is_covered:
            self.terminal.say(_IMPOSSIBLE_ANSWER)
            return
        if wrong:
            self._print_lines(wrong, "  ")
            return
        self._apply_answer(SourcedAnswer(value, "person"), self.session)

    def _execute_command(self, command: TypedCommand, question: PlayerPrompt | None) -> None:
        match command.word:
            case "undo":
                self._undo_answer()
            case "why" if command.argument:
                self._print_lines(self.terminal.explain_step(self._visible_session, command.argument), "  ")
            case "why":
                self._print_story("why", "  nothing was decided yet")
            case "log" | "history":
                self._print_story("decisive", "  nothing happened yet")
            case "advise":
                self._show_advice(command.argument, question)
            case "hint" | "look" as word:
                self._show_question_help(word, question)
            case "state":
                self._print_lines(
                    (
                        *render_boards(draw_current_boards(self._visible_session), _BOARD_HINT),
                        *render_sheet(self._visible_session),
                    ),
                    "  ",
                )
            case "board":
                self._print_lines(render_board_view(self._visible_session, command.argument, _BOARD_HINT), "  ")
            case "save":
                self._save_session(command.argument)
            case "script":
                self._save_script(command.argument)
            case "help":
                self._show_help(question)
            case "quit":
                self.leaving = "given up"

    def _show_question_help(self, word: str, question: PlayerPrompt | None) -> None:
        if question is None:
            self.terminal.say("  the play is over, so no question is waiting")
        elif word == "look":
            self.is_covered = False
            self._show_prompt(question)
        else:
            self.terminal.say("  `look` comes first" if self.is_covered else f"  {question.find_possible_answer()}")

    def _show_advice(self, wanted: str, question: PlayerPrompt | None) -> None:
        if question is None or self.is_covered:
            self.terminal.say(
                "  `look` comes first" if self.is_covered else "  the play is over, so no question is waiting"
            )
            return
        if not wanted:
            self.terminal.say(f"  say what is wanted the most of{self._advisable}")
            return
        self._print_lines(self.terminal.list_advice(self.session, wanted, self.terminal.viewer), "  ")

    @property
    def _advisable(self) -> str:
        start = self.session.start
        wanted = next(worths(start), "result" if start.procedure.result is not None else "")
        return f": `advise {wanted}`" if wanted else ""

    def _show_help(self, question: PlayerPrompt | None) -> None:
        self._print_lines(item.replace("{example}", self._advisable) for item in COMMAND_HELP)
        if question is None:
            self.terminal.say(PLAY_OVER_HINT)
        else:
            self._show_prompt(question)

    def _save_session(self, file: str) -> None:
        rules, overlays = self.terminal.locate_rules(file)
        text = saved_sessions.format_save(self.session.make_save(rules, overlays))
        self._write_play_file(file, (saved_sessions.SAVE_PREFIX, text), "session", saved_sessions.check_save_size(text))
        if file and self.terminal.viewer is not None:
            self.terminal.say("  a save holds what is hidden, too: it is for whoever keeps the game")

    def _save_script(self, file: str) -> None:
        if withheld := self._viewers.explain_withheld_script():
            self.terminal.say(f"  not written: {withheld}")
            return
        self._write_play_file(
            file, (answer_scripts.SCRIPT_PREFIX, answer_scripts.format_script(self.session.list_answers())), "answers"
        )

    def _undo_answer(self) -> None:
        undone = self._viewers.undo_last_answer()
        if isinstance(undone, str):
            self.terminal.say(f"  {undone}")
            return
        if isinstance(self.session.outcome, Paused) and self._viewers.is_secret(self.session.outcome.request):
            self.terminal.hide_typed()
        turn_text = self._viewers.render_turn(undone.turn)
        self.session = undone.session
        self.story = Story(self.session.start.names, "decisive", self.terminal.paint)
        deque(self.story.render_session(self._visible_session), maxlen=0)
        self.terminal.say(f"  taken back: {turn_text}")
        self._print_lines(undone.preserved_notes, "  ")

    def _print_story(self, level: str, nothing: str) -> None:
        story = Story(self.session.start.names, level, self.terminal.paint)
        lines = [line for line in story.render_session(self._visible_session) if line]
        self._print_lines(lines or [nothing])

    def _write_play_file(
        self, file: str, written: tuple[str, str], what: str, trouble: Diagnostic | None = None
    ) -> None:
        if not file:
            self.terminal.say(
                f"  name a file, such as `{'save play.json' if what == 'session' else 'script play.yaml'}`"
            )
            return
        trouble = trouble or self.terminal.write(file, *written)
        if trouble:
            self.terminal.report((trouble,))
        else:
            self.terminal.say(f"  {what} written to {make_visible(file)}")
