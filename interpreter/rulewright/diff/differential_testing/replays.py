"""Differing plays as data, their replay, recorded plays of people, and the events a reader sees of a play."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from rulewright.base.diagnostics import PLAIN_PAINTER, Painter
from rulewright.base.frozen import dataclass
from rulewright.diff.differential_testing.harness import REACHED, Harness, ReachedHits
from rulewright.diff.differential_testing.initial_states import drop_changed_values, open_written_start
from rulewright.diff.differential_testing.paired_play import (
    MAX_ANSWERS_PER_PLAY,
    PLAY_LIMITS,
    AnswerGenerator,
    PairedPlay,
    PlayTurn,
    play_side_by_side,
)
from rulewright.diff.differential_testing.results import (
    REPLAY_COST,
    WorkBudget,
)
from rulewright.diff.differential_testing.revision_translation import (
    CommonForm,
    PairedStart,
    StartData,
    open_in_both,
)
from rulewright.diff.differential_testing.shared_questions import (
    FirstChooser,
    SharedQuestion,
    ValuePair,
    draw_answers,
    translate_answer,
)
from rulewright.documents.answers import answer_to_json, read_answer
from rulewright.documents.document_nodes import Json, data_to_node
from rulewright.documents.name_table import NameTable
from rulewright.documents.saved_sessions import RecordedAnswer, SavedSession
from rulewright.play.answer_sources import AnswerSourceChain, SourcedAnswer
from rulewright.play.play_story import Story
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import AnsweredTurn, PlayStart, Session, TurnHistory
from rulewright.program.statements import RankKey
from rulewright.runtime.executable import Executable
from rulewright.runtime.request import Faulted, Refused, TraceEntry
from rulewright.runtime.run import Outcome, Paused
from rulewright.runtime.type_codecs import value_to_json

GivenAnswer = tuple[tuple[str, Json], tuple[str, Json]]
"""Address and answer, in the old and in the new revision."""


_DOUBLED_ROLE_COST = 10_000


@dataclass(frozen=True, slots=True)
class DifferingPlay:
    """Play of both revisions that diverges, or may diverge, as data."""

    procedures: tuple[str, str]  # (old, new) name of the entry procedure
    starts: tuple[StartData, StartData]
    given: tuple[GivenAnswer, ...]
    difference: str  # sort of the first difference
    addresses: tuple[str, str]  # (old, new) at the divergence; empty at an end
    touched: tuple[tuple[str, ...], tuple[str, ...]]  # (old, new) changed places reached before

    @property
    def reading_size(self) -> int:
        """Reading cost; a thing in two roles costs more than any two things."""
        return len(str(self.starts)) + 20 * len(self.given) + _DOUBLED_ROLE_COST * self.has_doubled_role

    @property
    def has_doubled_role(self) -> bool:
        """Whether one thing has two roles."""
        roles = [role for role in self.starts[0].roles.values() if isinstance(role, str)]
        return len(set(roles)) < len(roles)


def record_play(play: PairedPlay, reached: ReachedHits) -> DifferingPlay:
    """Play as data, with the addresses of the changed places it reached."""
    first, second = play.start.procedures
    old, new = (tuple(sorted({hit[0] for at, hit in reached if at == side and hit[1] == REACHED})) for side in (0, 1))
    return DifferingPlay(
        (first.name, second.name),
        play.start.starts,
        tuple(_list_given_answers(play)),
        play.difference,
        (outcome_address(play.outcomes[0]), outcome_address(play.outcomes[1])),
        (old, new),
    )


def _list_given_answers(play: PairedPlay) -> Iterator[GivenAnswer]:
    common = play.start.common_form
    for turn in play.turns:
        old, new = (_answer_as_json(turn, side, names) for side, names in enumerate((common.old, common.new)))
        yield (turn.question.addresses[0], old), (turn.question.addresses[1], new)


def _answer_as_json(turn: PlayTurn, side: int, names: NameTable) -> Json:
    given: Any = turn.answers[side]
    if turn.question.sort != "roll":
        return answer_to_json(turn.question.new_request if side else turn.question.old_request, given, names)
    return [value_to_json(face, types[side], names) for face, types in zip(given, turn.question.faces, strict=True)]


def outcome_address(outcome: Outcome) -> str:
    """Address of an outcome: of the question, the first failed need, or the line of a fault."""
    match outcome:
        case Paused(asked=question):
            return question.address
        case Refused(reasons=(first, *_)):
            return first.address
        case Faulted(address=address):
            return address
        case _:
            return ""


def replay_play(harness: Harness, data: DifferingPlay, work: WorkBudget) -> PairedPlay | None:
    """Replay of a differing play, no longer than that was; None where it cannot begin."""
    harness.reset_probes()
    procedures = harness.entry_procedures(data.procedures)
    paired_start = open_in_both(procedures, data.starts, harness.translations)
    play = (
        None
        if paired_start is None
        else play_side_by_side(harness.executables, paired_start, replay_given_answers(data.given), len(data.given))
    )
    work.spend_units(REPLAY_COST + (play.work_units if play else 0))
    return play


def record_replay(harness: Harness, play: PairedPlay) -> DifferingPlay:
    """Play just replayed, as data."""
    return record_play(play, harness.collect_hits(play))


def is_same_difference(data: DifferingPlay, play: PairedPlay | None) -> bool:
    """Whether a play diverges as the data says."""
    return (
        play is not None
        and play.difference == data.difference
        and (outcome_address(play.outcomes[0]), outcome_address(play.outcomes[1])) == data.addresses
    )


def replay_given_answers(given: Sequence[GivenAnswer]) -> AnswerGenerator:
    """Answer generator: each answer at its address; other questions, and refused answers, get the plainest."""
    remaining = list(given)
    rolls: Counter[str] = Counter()

    def answer_given_or_plain(question: SharedQuestion, common: CommonForm) -> Iterator[ValuePair]:
        at = next((number for number, item in enumerate(remaining) if item[0][0] == question.addresses[0]), None)
        if at is not None:
            items = _read_given_answer(remaining[at], question, common)
            del remaining[: at + 1]
            if items is not None:
                yield items
        if question.dice:
            yield _rotate_faces(question, rolls[question.addresses[0]])
            rolls[question.addresses[0]] += 1
        yield from plain_answers(question, common)

    return answer_given_or_plain


def _read_given_answer(given: GivenAnswer, question: SharedQuestion, common: CommonForm) -> ValuePair | None:
    old = read_answer(question.old_request, data_to_node(given[0][1]), common.old)
    new = read_answer(question.new_request, data_to_node(given[1][1]), common.new)
    return None if old.diagnostics or new.diagnostics else (old.value, new.value)


def _rotate_faces(question: SharedQuestion, before: int) -> ValuePair:
    """Lowest faces, then one higher each time, so that a tie ends."""
    faces = [die[before % len(die)] for die in question.dice]
    return tuple(old for old, _ in faces), tuple(new for _, new in faces)


def plain_answers(question: SharedQuestion, common: CommonForm) -> Iterator[ValuePair]:
    """Plainest answers to a question: no, the first, the lowest faces, the fewest."""
    if question.sort in {"whether", "handler"}:
        yield from sorted(question.pairs, key=repr)
    yield from draw_answers(question, common, FirstChooser())


def iterate_recorded_plays(harness: Harness) -> Iterator[tuple[SavedSession, int]]:
    """Recorded plays, each with its side (0 is the old revision), duplicates once.

    Then those that hold stored data with a changed start value, without that data.
    """
    fixtures = harness.task.fixtures
    identities = {_save_identity(play) for play in fixtures.plays}
    every = [(play, 0) for play in fixtures.plays]
    every += [(new_play, 1) for new_play in fixtures.new_plays if _save_identity(new_play) not in identities]
    yield from every
    for save, side in every:
        start = drop_changed_values(dict(save.start), harness.task.altered.names[side], harness.programs[side])
        if start != save.start:
            yield replace(save, start=start), side


def _save_identity(save: SavedSession) -> str:
    return repr((save.procedure, save.arguments, save.start, save.answers))


def make_save(play: DifferingPlay) -> SavedSession:
    """Differing play as a recorded play of the old revision."""
    start, answers = play.starts[0], (RecordedAnswer(at, "", answer) for (at, answer), _ in play.given)
    return SavedSession("", "", "", play.procedures[0], start.roles, start.state, None, tuple(answers))


def find_entrance(harness: Harness, save: SavedSession, side: int) -> tuple[str, str] | None:
    """Old and new name of the procedure that a recorded play begins; None where one revision has none."""
    across = harness.translations.backward if side else harness.translations.forward
    other = across.names.find_new_name("procedure", save.procedure) or ""
    procedures = across.source_program.procedures.get(save.procedure), across.target_program.procedures.get(other)
    if any(procedure is None or procedure.inner for procedure in procedures):
        return None
    return (other, save.procedure) if side else (save.procedure, other)


def play_recorded(
    harness: Harness, save: SavedSession, side: int, work: WorkBudget, most_answers: int = MAX_ANSWERS_PER_PLAY
) -> PairedPlay | None:
    """Recorded play in both revisions, followed by plain answers; None where the other revision cannot begin it."""
    harness.reset_probes()
    work.spend_units(REPLAY_COST)
    written = StartData(save.start, save.arguments)
    start = open_written_start(save.procedure, written, harness.translations, side, fills=True)
    if isinstance(start, str):
        return None
    play = play_side_by_side(harness.executables, start, replay_in_order(save.answers, side), most_answers)
    work.spend_units(play.work_units)
    return play


def play_start_again(harness: Harness, start: PairedStart, answers: AnswerGenerator, work: WorkBudget) -> PairedPlay:
    """Play of the start of a recorded play, with other answers."""
    harness.reset_probes()
    play = play_side_by_side(harness.executables, start, answers)
    work.spend_units(REPLAY_COST + play.work_units)
    return play


def replay_in_order(
    answers: Sequence[RecordedAnswer],
    side: int = 0,
    *,
    then_plain: bool = True,
    turn_and_face: tuple[int, int] | None = None,
) -> AnswerGenerator:
    """Answer generator: recorded answers of one revision in order, translated for the other.

    All dice of the roll at the given turn show the face with the given index.
    """
    remaining, turns = list(answers), count()

    def answer_in_order(question: SharedQuestion, common: CommonForm) -> Iterator[ValuePair]:
        answer = remaining.pop(0) if remaining else None
        if turn_and_face is not None and next(turns) == turn_and_face[0]:
            shown = [die[min(turn_and_face[1], len(die) - 1)] for die in question.dice]
            yield tuple(old for old, _ in shown), tuple(new for _, new in shown)
            return
        if answer is not None:
            yield from _translate_recorded(answer, side, question, common)
        if then_plain:
            yield from plain_answers(question, common)

    return answer_in_order


def _translate_recorded(
    answer: RecordedAnswer, side: int, question: SharedQuestion, common: CommonForm
) -> Iterator[ValuePair]:
    request, other_request = (
        (question.new_request, question.old_request) if side else (question.old_request, question.new_request)
    )
    read = read_answer(request, data_to_node(answer.answer), common.new if side else common.old)
    if read.diagnostics:
        return
    items = translate_answer(read.value, request, other_request, question.paused[1 - side], common, turned=bool(side))
    if items is not None:
        yield (items[0], read.value) if side else (read.value, items[0])


@dataclass(frozen=True, slots=True)
class TracedEvent:
    """Event of a decisive trace."""

    address: str  # in the new revision, if it has the place
    content: object  # values, changes and rows, without words and reads
    lines: tuple[str, ...]  # as shown
    changes: bool = False  # whether it changed anything

    def is_same_event(self, other: "TracedEvent") -> bool:
        """Whether two events are the same, though perhaps worded differently."""
        return self.lines == other.lines or (self.address, self.content) == (other.address, other.content)


FirstDifference = tuple[int, tuple[str, ...], object]
"""First visible difference: index, lines of the old revision, content of the new one."""


def build_session(play: PairedPlay, side: int, executable: Executable) -> Session:
    """Session of one side of a paired play; 0 is the old revision."""
    opened = play.start
    situation = opened.situations[side]
    start = PlayStart(executable, opened.procedures[side], situation, opened.arguments[side], PLAY_LIMITS)
    sources = AnswerSourceChain(NameTable(executable.program, situation.base), SeededRandom(0))
    turns = TurnHistory(
        AnsweredTurn(turn.question.paused[side], SourcedAnswer(turn.answers[side], "person"), sources)
        for turn in play.turns
    )
    return Session(start, play.outcomes[side], sources, turns)


def trace_events(
    session: Session, addresses: Mapping[str, str], paint: Painter = PLAIN_PAINTER
) -> Iterator[TracedEvent]:
    """Events of a play; `addresses` are those of the other revision by its own."""
    story = Story(session.start.names, "decisive", paint, shows_unmet=True)
    for entries, turn in session.entry_parts:
        for entry in entries:
            lines = tuple(story.render_entries((entry,)))
            if lines:
                yield TracedEvent(
                    addresses.get(entry.address, entry.address), _entry_content(entry), lines, bool(entry.changes)
                )
        if turn is not None and (turn.question.sort not in {"roll", "draw"} or isinstance(turn.question.node, RankKey)):
            at = turn.question.address
            yield TracedEvent(addresses.get(at, at), "answer", tuple(story.render_turn(turn)))


def find_first_difference(play: PairedPlay, executables: tuple[Executable, Executable]) -> FirstDifference:
    """First visible difference of the two revisions; their ends where all before is equal."""
    across = play.start.common_form.translations.forward.names.addresses
    old, new = (
        list(trace_events(build_session(play, side, executables[side]), known))
        for side, known in ((0, across), (1, {}))
    )
    differing = (
        number for number, pair in enumerate(zip(old, new, strict=False)) if not pair[0].is_same_event(pair[1])
    )
    number = next(differing, min(len(old), len(new)))
    return (
        number,
        next((traced_event.lines for traced_event in old[number:]), ()),
        next((traced_event.content for traced_event in new[number:]), None),
    )


def _entry_content(entry: TraceEntry) -> object:
    return (
        entry.sort,
        entry.result if entry.sort != "roll" else tuple(die.face for die in entry.dice),
        tuple(change.after for change in entry.changes),
        tuple((row.outcome, row.value) for row in entry.rows),
        tuple((inner.result, tuple((row.outcome, row.value) for row in inner.rows)) for inner in entry.inner),
    )
