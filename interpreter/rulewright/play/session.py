"""A play with its history as an immutable session, its undo and save, and plays that run to their end unattended."""

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any, overload

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.frozen import dataclass
from rulewright.documents.answer_scripts import ForcedAnswer
from rulewright.documents.answers import answer_to_json, name_offered_dice, read_answer
from rulewright.documents.document_nodes import Json
from rulewright.documents.findings import ReadResult
from rulewright.documents.name_table import NameTable
from rulewright.documents.saved_sessions import RecordedAnswer, SavedSession
from rulewright.documents.state_json import state_to_json
from rulewright.play.answer_sources import DECISION_SORTS, AnswerSourceChain, InlineAnswerer, SourcedAnswer, SourceReply
from rulewright.program import statements as st
from rulewright.program.declarations import Procedure
from rulewright.program.walk import strip_address_numbers
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.pending_question import PendingQuestion, find_only_answer
from rulewright.runtime.request import CHANCE_SORTS, Ended, Faulted, Refused, Request, TraceEntry
from rulewright.runtime.run import Outcome, Paused, Run, answer_paused, start_run
from rulewright.runtime.state import Situation, State, encode_game
from rulewright.runtime.trace_record import TraceRecord
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value
from rulewright.wording.entry_rendering import render_reason


@dataclass(frozen=True, slots=True)
class PlayStart:
    """Start of a play."""

    executable: Executable
    procedure: Procedure
    situation: Situation
    arguments: tuple[Value, ...]  # in the order of the parameters
    limits: RunLimits

    @property
    def names(self) -> NameTable:
        """Names of words and things."""
        return NameTable(self.executable.program, self.situation.base)

    def with_withheld_questions(self) -> "PlayStart":
        """Start in which questions for one player are put even if forced, as others see who is asked."""
        return replace(self, limits=replace(self.limits, forced_sites=self.executable.withheld_sites))

    def arguments_to_json(self) -> dict[str, Json]:
        """Arguments by role."""
        parameters = self.procedure.parameters
        return {
            parameter.name: value_to_json(value, parameter.type, self.names)
            for parameter, value in zip(parameters, self.arguments, strict=True)
        }


@dataclass(frozen=True, slots=True)
class AnsweredTurn:
    """An answered request, with the sources before the answer."""

    paused: Paused
    answer: SourcedAnswer
    sources: AnswerSourceChain

    @property
    def question(self) -> PendingQuestion:
        """The pending question: player, line and sort, without its options."""
        return self.paused.asked

    @property
    def request(self) -> Request:
        """The full request."""
        return self.paused.request

    @property
    def is_secret(self) -> bool:
        """Whether the answer was secret."""
        return isinstance(self.question.node, st.Ask) and self.question.node.secret


class _TurnLog:
    __slots__ = ("_load_turns", "turn_numbers", "turns")

    def __init__(self, later: Callable[[], Iterable[AnsweredTurn]] = tuple) -> None:
        self.turns: list[AnsweredTurn] = []
        self.turn_numbers: dict[str, list[int]] = {}
        self._load_turns: Callable[[], Iterable[AnsweredTurn]] | None = later

    def complete_log(self) -> "_TurnLog":
        if self._load_turns is not None:
            later, self._load_turns = self._load_turns, None
            for answered_turn in later():
                self.append_turn(answered_turn)
        return self

    def append_turn(self, turn: AnsweredTurn) -> None:
        if turn.question.exploded_count is None:
            self.turn_numbers.setdefault(strip_address_numbers(turn.question.line_address), []).append(len(self.turns))
        self.turns.append(turn)


class TurnHistory(Sequence[AnsweredTurn]):
    """Persistent list of turns; sessions of one play share a log, appending to the newest costs O(1)."""

    __slots__ = ("_shared_log", "_turn_count")

    def __init__(self, turns: Iterable[AnsweredTurn] = (), log: _TurnLog | None = None, later: int = 0) -> None:
        """`later`: how many turns of a shared log belong to this history."""
        self._shared_log = log or _TurnLog()
        for turn in turns:
            self._complete_log.append_turn(turn)
        self._turn_count = later or len(self._complete_log.turns)

    @property
    def _complete_log(self) -> _TurnLog:
        return self._shared_log.complete_log()

    def __len__(self) -> int:
        return self._turn_count

    @overload
    def __getitem__(self, number: int) -> AnsweredTurn: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[AnsweredTurn, ...]: ...

    def __getitem__(self, number: int | slice) -> AnsweredTurn | tuple[AnsweredTurn, ...]:
        result = range(self._turn_count)[number]
        return (
            tuple(self._complete_log.turns[item] for item in result)
            if isinstance(result, range)
            else self._complete_log.turns[result]
        )

    def with_turn(self, turn: AnsweredTurn) -> "TurnHistory":
        """History with one more turn."""
        last = len(self._complete_log.turns) == self._turn_count
        return TurnHistory((turn,), self._complete_log) if last else TurnHistory((*self, turn))

    def count_occasions(self, question: PendingQuestion) -> int:
        """Earlier requests of the same line; rolls of exploded dice belong to the roll they continue."""
        before = bisect_left(
            self._complete_log.turn_numbers.get(strip_address_numbers(question.line_address), ()), self._turn_count
        )
        return before if question.exploded_count is None else before - 1


def count_common_turns(earlier: Sequence[AnsweredTurn], later: Sequence[AnsweredTurn]) -> int:
    """How many turns two sessions of a play begin with together."""
    pairs = zip(earlier, later, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one is not other), min(len(earlier), len(later)))


@dataclass(frozen=True, slots=True)
class Session:
    """A play up to one moment; immutable."""

    start: PlayStart
    outcome: Outcome  # paused, ended, refused or faulted
    sources: AnswerSourceChain
    turns: TurnHistory = field(default_factory=TurnHistory)

    def apply_answer(self, given: SourcedAnswer, sources: AnswerSourceChain) -> "Session | Refused":
        """Session after an answer, or its refusal."""
        paused = self.outcome
        assert isinstance(paused, Paused)
        sure = given.source in {"dice", "policy"}
        outcome = paused.take_answer(given.value) if sure else answer_paused(paused, given.value)
        if isinstance(outcome, Refused):
            return outcome
        if given.source == "person" and sources.seen_answers:
            sources = replace(
                sources,
                seen_answers=tuple(seen_answer for seen_answer in sources.seen_answers if seen_answer.source == "kept"),
            )
        return Session(self.start, outcome, sources, self.turns.with_turn(AnsweredTurn(paused, given, self.sources)))

    def ask_sources(self) -> SourceReply:
        """Reply of the sources to the open request."""
        assert isinstance(self.outcome, Paused)
        occasion = self.turns.count_occasions(self.outcome.asked)
        return self.sources.answer_request(self.outcome, occasion, self.find_recent_forced_answers)

    def find_forced_answers(self, part: int) -> Iterator[ForcedAnswer]:
        """Questions with one legal answer after turn `part`, with that answer, in order.

        Replays that part of the play from its turn with every such question put.
        """
        start, limits = self.start, replace(self.start.limits, forced=True)
        if part:
            turn = self.turns[part - 1]
            after = Run.thaw(start.executable, turn.paused.state, limits).reply(turn.answer.value)
        else:
            name, arguments = start.procedure.name, start.arguments
            after = start_run(start.executable, start.situation, name, arguments, limits)
        next_stop = self.turns[part].paused if part < len(self.turns) else self.outcome
        while isinstance(after, Paused):
            only = find_only_answer(after.request)
            if not only or (isinstance(next_stop, Paused) and after.state == next_stop.state):
                return
            yield ForcedAnswer(after, only[0])
            after = answer_paused(after, only[0])

    def find_recent_forced_answers(self) -> Iterator[ForcedAnswer]:
        """Forced answers since the last turn that had a choice."""
        first = len(self.turns)
        while first and self._had_no_choice(self.turns[first - 1]):
            first -= 1
        return self._find_forced_answers_from(first)

    def find_all_forced_answers(self) -> Iterator[ForcedAnswer]:
        """Forced answers of the whole play, in order."""
        return self._find_forced_answers_from(0)

    def _find_forced_answers_from(self, first: int) -> Iterator[ForcedAnswer]:
        for part in range(first, len(self.turns) + 1):
            yield from self.find_forced_answers(part)
            if part < len(self.turns) and self._had_no_choice(turn := self.turns[part]):
                yield ForcedAnswer(turn.paused, turn.answer.value)

    def _had_no_choice(self, turn: AnsweredTurn) -> bool:
        """Whether a question was put only to hide from others that its answer was forced."""
        return turn.question.site in self.start.limits.forced_sites and bool(find_only_answer(turn.request))

    def find_undoable_turn(self) -> int | None:
        """Number of the last turn that can be undone: an answer of a person.

        Dice that a person typed are undone only while nothing was answered or revealed since.
        """
        return next((index for index in range(len(self.turns) - 1, -1, -1) if self._can_undo(index)), None)

    def undo_last_turn(self) -> "Session | None":
        """Session before the last undoable answer of a person; None if there is none.

        Results of chance and revealed secret answers since then are kept and given again where the same is asked.
        """
        index = self.find_undoable_turn()
        return None if index is None else self._session_before(index)

    def rewind_to(self, index: int) -> "Session":
        """The play as it was when turn `index` was asked, as if nobody had seen what came after."""
        turn = self.turns[index]
        return Session(self.start, turn.paused, turn.sources, TurnHistory(self.turns[:index]))

    def _can_undo(self, index: int) -> bool:
        turn = self.turns[index]
        if turn.answer.source != "person":
            return False
        if turn.question.sort in CHANCE_SORTS:
            return index == len(self.turns) - 1 and not any(
                entry.sort == "revealed" for entry in self.entries_since(index)
            )
        return not self.is_revealed(index)

    def is_revealed(self, index: int) -> bool:
        """Whether the answer of a turn was secret and no longer is."""
        turn = self.turns[index]
        return turn.is_secret and any(
            entry.sort == "revealed" and entry.title == turn.request.name for entry in self.entries_since(index)
        )

    def entries_since(self, index: int) -> Iterator[TraceEntry]:
        """Trace entries since the answer of a turn."""
        for turn in self.turns[index + 1 :]:
            yield from turn.paused.entries
        yield from self.outcome.entries

    def _session_before(self, index: int) -> "Session":
        turn = self.turns[index]
        anew = turn.question.sort in CHANCE_SORTS
        older = (
            self.sources.seen_answers
            if anew
            else tuple(replace(seen_answer, source="kept") for seen_answer in self.sources.seen_answers)
        )
        shown = [self._make_seen_answer(turn, "person")] if anew else []
        shown += [self._make_seen_answer(self.turns[later], "kept") for later in self._find_seen_turns(index)]
        sources = replace(turn.sources, chance=self.sources.chance, seen_answers=(*shown, *older))
        return Session(self.start, turn.paused, sources, TurnHistory(map(self._settle_turn, range(index))))

    def _settle_turn(self, index: int) -> AnsweredTurn:
        """Dice that a person typed become `typed`, and revealed answers are fixed, once later turns depend on them."""
        turn, source = self.turns[index], self.turns[index].answer.source
        if source == "person" and turn.question.sort in CHANCE_SORTS:
            source = "typed"
        elif source == "person" and self.is_revealed(index):
            source = "kept"
        return replace(turn, answer=replace(turn.answer, source=source))

    def _find_seen_turns(self, index: int) -> Iterator[int]:
        """Turns after `index` whose answers stay known; a script that remains gives its own again."""
        for later in range(index + 1, len(self.turns)):
            turn = self.turns[later]
            again = turn.answer.source == "script" and turn.sources.script is not None
            is_known = turn.question.sort in CHANCE_SORTS or turn.answer.source == "kept" or self.is_revealed(later)
            if is_known and not again:
                yield later

    def _make_seen_answer(self, turn: AnsweredTurn, source: str) -> RecordedAnswer:
        request, names = turn.paused.legal_request, self.start.names
        answer = answer_to_json(request, turn.answer.value, names)
        return RecordedAnswer(request.address, names.player_id(request.player), answer, source)

    @property
    def entry_parts(self) -> Iterator[tuple[Sequence[TraceEntry], AnsweredTurn | None]]:
        """Trace entries before each request with its turn, then those since the last."""
        yield from ((turn.paused.entries, turn) for turn in self.turns)
        yield self.outcome.entries, None

    @property
    def entries(self) -> tuple[TraceEntry, ...]:
        """The whole trace."""
        return tuple(entry for entries, _ in self.entry_parts for entry in entries)

    @property
    def visited_steps(self) -> Iterator[tuple[str, bool]]:
        """Steps in order, as (address, entered or skipped); cheaper than `entries`."""
        for entries, _ in self.entry_parts:
            yield from entries.steps if isinstance(entries, TraceRecord) else _list_step_visits(entries)

    def entry_results(self, sorts: Container[str]) -> Iterator[tuple[str, Value]]:
        """Address and result of entries of these sorts, in order; cheaper than `entries`."""
        for entries, _ in self.entry_parts:
            if isinstance(entries, TraceRecord):
                yield from entries.list_results(sorts)
            else:
                yield from ((entry.address, entry.result) for entry in entries if entry.sort in sorts)

    def entries_around(self, *addresses: str) -> Iterator[TraceEntry]:
        """Entries of the stretches between requests that touch one of these addresses; cheaper than `entries`."""
        return (
            entry for entries, _ in self.entry_parts if _may_hold_addresses(entries, addresses) for entry in entries
        )

    @property
    def state(self) -> State | None:
        """Current state; None if the start was refused."""
        match self.outcome:
            case Paused(state=state) | Ended(state=state) | Faulted(state=state):
                return state
            case Refused():
                return None

    @property
    def situation(self) -> Situation:
        """Current situation; that of the start if it was refused."""
        state = self.state
        return self.start.situation if state is None else state.extract_situation()

    @property
    def has_used_seed(self) -> bool:
        """Whether the seed decided anything so far."""
        drawing = {"dice", "policy"} if "random" in self._policies_in_use else {"dice"}
        return any(turn.answer.source in drawing for turn in self.turns)

    @property
    def _policies_in_use(self) -> set[str | None]:
        executable = self.start.executable
        single = (word for site in executable.policy_sites for word, _ in executable.sites[site].policies.values())
        return {self.sources.policy, *self.sources.policies.values(), *single}

    def list_answers(self) -> Iterator[tuple[str, str, Json]]:
        """Answers with a choice: address, player id or empty, JSON."""
        names = self.start.names
        for turn in self.turns:
            if self._had_no_choice(turn):
                continue
            request = turn.request
            answer = answer_to_json(request, turn.answer.value, name_offered_dice(request, names))
            yield request.address, names.player_id(request.player), answer

    def make_save(self, rules: str = "", overlays: Sequence[str] = ()) -> SavedSession:
        """Saved session; `rules` and `overlays` are paths relative to the save."""
        program = self.start.executable.program
        return SavedSession(
            ruleset=program.name,
            revision=program.revision,
            fingerprint=program.fingerprint,
            procedure=self.start.procedure.name,
            arguments=self.start.arguments_to_json(),
            start=state_to_json(self.start.situation, program),
            seed=self.sources.chance.seed if self.sources.has_seeded_dice else None,
            answers=tuple(self._make_seen_answer(turn, turn.answer.source) for turn in self.turns),
            state=None if self.state is None else encode_game(self.state),
            kept=self.sources.seen_answers,
            rules=rules,
            overlays=tuple(overlays),
        )


def _list_step_visits(entries: Sequence[TraceEntry]) -> Iterator[tuple[str, bool]]:
    return ((entry.address, entry.sort == "step") for entry in entries if entry.sort in {"step", "passed over"})


def _may_hold_addresses(entries: Sequence[TraceEntry], addresses: tuple[str, ...]) -> bool:
    return not isinstance(entries, TraceRecord) or not entries.addresses.isdisjoint(addresses)


def begin_inline(start: PlayStart, sources: AnswerSourceChain) -> Session:
    """Session run to the first request beyond chance and policy, or to its outcome."""
    executable, at_once = start.executable, InlineAnswerer(sources, start.executable).answer_inline
    live = Run.begin(executable, start.situation, start.procedure.name, start.arguments, start.limits, at_once)

    def make_turns() -> Iterator[AnsweredTurn]:
        for paused, value in live.answered_requests:
            yield AnsweredTurn(
                paused, SourcedAnswer(value, "dice" if paused.asked.sort in CHANCE_SORTS else "policy"), sources
            )

    over = not isinstance(live.outcome, Paused)
    return Session(
        start,
        live.outcome,
        sources,
        TurnHistory((), _TurnLog(make_turns), live.answered_count) if over else TurnHistory(make_turns()),
    )


def begin_session(start: PlayStart, sources: AnswerSourceChain) -> Session:
    """Session run to its first request, or to its outcome."""
    outcome = start_run(start.executable, start.situation, start.procedure.name, start.arguments, start.limits)
    return Session(start, outcome, sources)


UNANSWERED_CODE = "RW0746"
"""A request that no source answers."""


@dataclass(frozen=True, slots=True)
class PlayResult:
    """How far a play came, with diagnostics of its inputs."""

    session: Session
    diagnostics: tuple[Diagnostic, ...] = ()


def run_to_end(start: PlayStart, sources: AnswerSourceChain) -> PlayResult:
    """Play a procedure to its end with these sources.

    Stops at a request without an answer (RW0744, RW0746) or with an illegal one (RW0730, RW0731, RW0745); reports
    leftover answers of the script (RW0743).
    """
    session = begin_inline(start, sources)
    while isinstance(session.outcome, Paused):
        reply = session.ask_sources()
        if reply.answer is None:
            return PlayResult(
                session, reply.errors or (_make_unanswered_diagnostic(session.outcome.request, session.sources.policy),)
            )
        after = session.apply_answer(reply.answer, reply.remaining_sources)
        if isinstance(after, Refused):
            return PlayResult(session, (make_refusal_diagnostic(session.outcome.request, after, session.start.names),))
        session = after
    return PlayResult(session, report_unused_answers(session))


def report_unused_answers(session: Session) -> tuple[Diagnostic, ...]:
    """RW0743 for script answers that a finished play never asked for."""
    script, outcome = session.sources.script, session.outcome
    if script is None or not script.lines or not isinstance(outcome, Ended):
        return ()
    turns = session.turns
    last = turns[-1].request.address if turns else ""
    return script.report_leftover(
        session.start.names, last, session.find_recent_forced_answers, session.find_all_forced_answers
    )


def make_refusal_diagnostic(request: Request, why: Refused, names: NameTable) -> Diagnostic:
    """RW0731: the rules refuse an answer."""
    reasons = "; ".join(render_reason(reason, names) for reason in why.reasons)
    return Diagnostic("RW0731", Severity.ERROR, f"this answer is not possible: {reasons}", address=request.address)


def _make_unanswered_diagnostic(request: Request, policy: str | None) -> Diagnostic:
    return Diagnostic(
        UNANSWERED_CODE,
        Severity.ERROR,
        f"there is no answer for `{request.prompt or request.address}`",
        help=_unanswered_remedy(request, policy),
        address=request.address,
    )


def _unanswered_remedy(request: Request, policy: str | None) -> str:
    if request.sort in DECISION_SORTS and policy is not None:
        return f"`--policy {policy}` looked for an answer and found none; give one in a script with `--script FILE`"
    if request.sort in DECISION_SORTS:
        policies = "`--policy first` or `--policy random`"
        return f"give a script with `--script FILE`, or let {policies} decide what players choose"
    return "give its result in a script with `--script FILE`, or play it with people: `rulewright play`"


def replay_save(start: PlayStart, sources: AnswerSourceChain, save: SavedSession) -> ReadResult[Session]:
    """Session of a save, replayed, with what was seen before an undo.

    Forced answers are not part of a save. RW0755 if its answers do not lead to its state.
    """
    read_result = _replay_answers(start, sources, save, lacking=False)
    return (
        _replay_answers(start, sources, save, lacking=True)
        if read_result.value is None and start.limits.forced_sites
        else read_result
    )


def _replay_answers(
    start: PlayStart, sources: AnswerSourceChain, save: SavedSession, *, lacking: bool
) -> ReadResult[Session]:
    session = _skip_forced_questions(begin_session(start, sources), lacking=lacking)
    for number, answered in enumerate(save.answers):
        after = _apply_saved_answer(session, answered, seeded=save.seed is not None)
        if after is None:
            return ReadResult(
                None, (_make_save_mismatch(f"answer {number + 1} of the save, at `{answered.at}`, does not fit"),)
            )
        session = _skip_forced_questions(after, lacking=lacking)
    if save.state is not None and not _has_reached_game(session, save.state):
        return ReadResult(None, (_make_save_mismatch("the answers of the save do not lead to its state"),))
    return ReadResult(replace(session, sources=replace(session.sources, seen_answers=save.kept)))


def _has_reached_game(session: Session, saved: Any) -> bool:
    """Whether the game stands as it was saved; a save may tell more, of what ran in the version that wrote it."""
    return session.state is not None and all(
        saved.get(name) == value for name, value in encode_game(session.state).items()
    )


def _skip_forced_questions(session: Session, *, lacking: bool) -> Session:
    """Forced questions that the save does not contain."""
    while (
        lacking
        and isinstance(session.outcome, Paused)
        and session.outcome.asked.site in session.start.limits.forced_sites
    ):
        only = find_only_answer(session.outcome.request)
        after = session.apply_answer(SourcedAnswer(only[0], "script"), session.sources) if only else None
        if not isinstance(after, Session):
            break
        session = after
    return session


def _apply_saved_answer(session: Session, answered: RecordedAnswer, *, seeded: bool) -> Session | None:
    paused = session.outcome
    if not isinstance(paused, Paused) or paused.request.address != strip_address_numbers(answered.at):
        return None
    unsaid = "dice" if seeded and paused.request.sort in CHANCE_SORTS else "person"
    read_result = read_answer(paused.request, answered.answer, session.start.names, paused)
    if read_result.diagnostics:
        return None
    after = session.apply_answer(SourcedAnswer(read_result.value, answered.source or unsaid), session.sources)
    return None if isinstance(after, Refused) else replace(after, sources=session.sources)


def _make_save_mismatch(message: str) -> Diagnostic:
    return Diagnostic("RW0755", Severity.ERROR, message, help="take an older save, or begin again")
