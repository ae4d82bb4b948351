"""The smallest change of a play by trying all of up to two, each played from its beginning; decisions to try it on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Any

from rulewright.base.files import DISK, FileProvider
from rulewright.documents.value_sampling import SeededChoices
from rulewright.explain.alternatives import (
    CourseReplayer,
    RecordedCourse,
    StartChange,
    list_start_changes,
    record_course,
)
from rulewright.explain.counterfactual_search import SearchResult, search_counterfactuals
from rulewright.explain.explained_subjects import NO_VALUE, ExpressionSubject, ValueGoal, build_subjects
from rulewright.explain.explanation import replay_counterfactual
from rulewright.odds.end_measures import prepare_measured_play
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, Session, run_to_end
from rulewright.program.types import FlagType, NumberType
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.pending_question import list_dice_to_throw
from rulewright.runtime.request import Ended, Refused
from rulewright.runtime.run import NOT_ANSWERED, Paused, Run
from support.legal_starts import begin_procedure as begins
from support.random_plays import RULESETS, ShippedGame, load_game

GAMES = (
    ("mel", ("mel_dice",), "melee_attack"),
    ("tricorne-melee", ("tricorne_retreats", "tricorne_ground", "tricorne_leaders", "tricorne_cards"), "melee"),
)
MOST = 40_000


@dataclass(frozen=True)
class ExplainedValue:
    """A value at the end of a play, and what the search says of it."""

    subject: ExpressionSubject
    course: RecordedCourse
    goal: ValueGoal
    starts: Sequence[StartChange]

    def search(self, most: int = MOST) -> SearchResult:
        return search_counterfactuals(self.course, self.goal, self.starts, most)


def list_random_values(
    name: str, overlays: tuple[str, ...], procedure: str, seed: int, each: int
) -> Iterator[ExplainedValue]:
    """Some values at the end of one random play of a shipped ruleset."""
    folder = RULESETS / name
    with_them = [str(folder / f"{each}.rules") for each in overlays]
    session = _play_at_random(load_game(name, overlays, procedure), seed)
    return explain_values(
        session, [*islice(_write_expressions(session.start, SeededChoices(seed)), each)], str(folder), with_them, DISK
    )


def explain_values(
    session: Session, texts: Sequence[str], ruleset: str, overlays: Sequence[str], files: FileProvider
) -> Iterator[ExplainedValue]:
    """Some values at the end of a play."""
    found = prepare_measured_play(session.start, texts, ruleset, overlays, files).value
    assert found is not None
    for subject in build_subjects(found):
        value = subject.value_in_session(session)
        if value is not NO_VALUE:
            course = record_course(session)
            yield ExplainedValue(
                subject,
                course,
                subject.goal_of_other_value(value),
                list_start_changes(course.start, subject.fixed_places, subject.places_read),
            )


def _play_at_random(chosen: ShippedGame, seed: int) -> Session:
    chooser = SeededChoices(seed)
    executable = chosen.ruleset.executable
    for number in range(seed, seed + 200):
        situation = chosen.make_situation(number, chooser)
        start = situation and begins(executable, situation, chosen.procedure, chooser, RunLimits())
        if situation is not None and start:
            begun = PlayStart(executable, chosen.procedure, situation, start[0], RunLimits())
            played = run_to_end(begun, AnswerSourceChain(begun.names, SeededRandom(seed), policy="random")).session
            if isinstance(played.outcome, Ended):
                return played
    raise AssertionError(seed)


def _write_expressions(begun: PlayStart, chooser: SeededChoices) -> Iterator[str]:
    """Attributes of things, and comparisons of them."""
    program = begun.executable.program
    fields = [
        (id_, each)
        for kind in program.kinds.values()
        for each in kind.fields
        if isinstance(each.type, NumberType | FlagType)
        for id_ in begun.names.ids_of_kind(kind.name)
    ]
    while True:
        id_, each = fields[chooser.below(len(fields))]
        number = isinstance(each.type, NumberType) and chooser.below(2)
        yield f"{id_}.{each.name} <= {chooser.below(4)}" if number else f"{id_}.{each.name}"


def describe_wrong_result(decision: ExplainedValue, searched: SearchResult) -> str:
    """What is wrong with the smallest change that was found, or nothing: it is not real, or there is a smaller one."""
    for each in searched.counterfactuals:
        if not decision.goal.holds_in_session(replay_counterfactual(decision.course, each).session):
            return f"{each} is not real"
    best = searched.counterfactuals[0] if searched.counterfactuals else None
    found = None if best is None else (len(best.changes), best.distance)
    smaller = find_smallest_change(decision, best.distance if best is not None and len(best.changes) > 1 else None)
    if best is not None and len(best.changes) > 1:
        return "" if smaller is None else f"{found} is told, and {smaller} is real"
    return "" if smaller == found else f"{found} is told, and {smaller} is real"


def find_wrongly_excluded_change(decision: ExplainedValue) -> str:
    """A single change of which it is known that nothing hangs on it, and that makes the value another; else nothing."""
    procedure = decision.course.start.procedure.name
    relevant, usual = decision.goal.compute_slice(procedure), _replay_changed(decision, (), {})
    assert relevant is not None
    assert usual is not None
    for each in decision.starts:
        if (
            each.stored_place not in relevant.places
            and (tried := _replay_changed(decision, (each,), {}))
            and tried.is_met
        ):
            return f"{each} is real"
    for number, _, _, answer in usual.others:
        if relevant.may_count(usual.lines[number]):
            continue
        tried = _replay_changed(decision, (), {number: answer})
        if tried is not None and tried.is_met:
            return f"{answer} at {usual.lines[number]} is real"
    return ""


# Every change, tried.


@dataclass(frozen=True)
class ChangedPlay:
    """What came of a changed play: whether it is as wanted, and which answers it might have had since the change."""

    is_met: bool
    others: Sequence[tuple[int, int, int, Any]]
    lines: Sequence[str]


def find_smallest_change(decision: ExplainedValue, least_steps: int | None = None) -> tuple[int, int] | None:
    """How many changes make the value another, and how far they are together; of two only those nearer than some."""
    ones: list[tuple[int, tuple[StartChange, ...], dict[int, Any], ChangedPlay]] = []
    usual = _replay_changed(decision, (), {})
    assert usual is not None
    for each in decision.starts:
        if tried := _replay_changed(decision, (each,), {}):
            ones.append((each.distance, (each,), {}, tried))
    for number, count, steps, answer in usual.others:
        if count == 1 and (tried := _replay_changed(decision, (), {number: answer})):
            ones.append((steps, (), {number: answer}, tried))
    if met := [steps for steps, *_, tried in ones if tried.is_met]:
        return 1, min(met)
    twos = [
        steps
        for steps, tried in _iterate_pairs(decision, ones, usual, least_steps)
        if tried is not None and tried.is_met
    ]
    return (2, min(twos)) if twos else None


def _iterate_pairs(
    decision: ExplainedValue, ones: Sequence[Any], usual: ChangedPlay, least_steps: int | None
) -> Iterator[tuple[int, ChangedPlay | None]]:
    def is_far(steps: int) -> bool:
        return least_steps is not None and steps >= least_steps

    for number, count, steps, answer in usual.others:
        if count == 2 and not is_far(steps):
            yield steps, _replay_changed(decision, (), {number: answer})
    for first, second in combinations(decision.starts, 2):
        if first.place != second.place and not is_far(first.distance + second.distance):
            yield first.distance + second.distance, _replay_changed(decision, (first, second), {})
    for steps, begun, answers, tried in ones:
        for number, count, more, answer in tried.others:
            if count == 1 and not is_far(steps + more):
                yield steps + more, _replay_changed(decision, begun, {**answers, number: answer})


def _replay_changed(
    decision: ExplainedValue, changed: tuple[StartChange, ...], answers: dict[int, Any]
) -> ChangedPlay | None:
    """A play from its beginning; none where it cannot begin, or is not answered."""
    situation = decision.course.start.situation
    for each in changed:
        situation = each.apply_to_start(situation)
    play = decision.course.begin_from(decision.goal.executable, situation)
    if isinstance(play.outcome, Refused):
        return None
    following, others, number = CourseReplayer(decision.course), list[tuple[int, int, int, Any]](), 0
    lines = list[str]()
    while isinstance(paused := play.outcome, Paused):
        usual = following.usual_answer(paused)
        if usual is NOT_ANSWERED:
            return ChangedPlay(is_met=False, others=others, lines=lines)
        lines.append(paused.asked.address)
        if number > max(answers, default=-1):
            others += [(number, *each) for each in _list_other_answers(play, usual)]
        following.note_request(paused.asked)
        paused.take_answer(answers.get(number, usual))
        number += 1
    return ChangedPlay(decision.goal.is_met(play, None), others, lines)


def _list_other_answers(play: Run, usual: Any) -> Iterator[tuple[int, int, Any]]:
    """Other answers to a request: how many changes, of how many steps together."""
    asked = play.make_question()
    if asked.sort == "roll":
        dice = [each for each in list_dice_to_throw(asked) for _ in range(each.count)]
        for count in (1, 2):
            for places in combinations(range(len(dice)), count):
                for faces in product(*(sorted(set(dice[at].faces)) for at in places)):
                    if all(face != usual[at] for at, face in zip(places, faces, strict=True)):
                        answer = list(usual)
                        far = 0
                        for at, face in zip(places, faces, strict=True):
                            answer[at] = face
                            far += abs(face - usual[at]) if isinstance(dice[at].face, NumberType) else 1
                        yield count, far, tuple(answer)
    elif asked.sort in {"draw", "shuffle", "external", "value"}:
        raise AssertionError(asked.sort)
    else:
        for answer in islice(play.legal_answers, 200):
            if answer != usual:
                numbers = asked.sort == "one" and isinstance(asked.node.variable.type, NumberType)
                yield 1, abs(answer - usual) if numbers else 1, answer


def sample_wrong_pairs(decision: ExplainedValue, searched: SearchResult, count: int, chooser: SeededChoices) -> str:
    """The same for some pairs with a change of the start only, where trying all would take long."""
    best = searched.counterfactuals[0] if searched.counterfactuals else None
    for _ in range(count):
        first = decision.starts[chooser.below(len(decision.starts))]
        tried = _replay_changed(decision, (first,), {})
        if tried is None:
            continue
        second = decision.starts[chooser.below(len(decision.starts))]
        changed: tuple[tuple[StartChange, ...], dict[int, Any]] = ((first, second), {})
        steps = first.distance + second.distance
        answers = [each for each in tried.others if each[1] == 1]
        if answers and chooser.below(2):
            number, _, far, answer = answers[chooser.below(len(answers))]
            changed, steps = ((first,), {number: answer}), first.distance + far
        elif second.place == first.place:
            continue
        found = _replay_changed(decision, *changed)
        if found is not None and found.is_met and (best is None or (2, steps) < (len(best.changes), best.distance)):
            return f"{changed} is real"
    return ""
