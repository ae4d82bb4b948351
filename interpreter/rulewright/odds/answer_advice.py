"""Value of each legal answer to a question under optimal play, and runs resumed from a saved session."""

from collections.abc import Sequence
from fractions import Fraction

from rulewright.base.frozen import dataclass
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.best_play_solver import find_best_play
from rulewright.odds.end_measures import AskedMeasure, MeasuredPlay
from rulewright.odds.hidden_information import HiddenFact, find_hidden_answer, find_hidden_at_start, update_hidden_facts
from rulewright.odds.state_exploration import ProgressCallback
from rulewright.play.session import Session
from rulewright.runtime.pending_question import find_only_answer
from rulewright.runtime.request import Request
from rulewright.runtime.run import Paused, Run
from rulewright.runtime.values import PartlyShuffledDeck, Value, make_partly_shuffled


@dataclass(frozen=True, slots=True)
class AdvisedAnswer:
    """Expected value of an answer, if everyone plays optimally afterwards."""

    answer: Value
    low: Fraction
    high: Fraction  # differs from `low` where states were left unexplored
    may_meet_fault: bool  # a fault has no known value


@dataclass(frozen=True, slots=True)
class AnswerAdvice:
    """A question and the expected value of each answer for the player asked."""

    request: Request
    player: int  # number
    measure: AskedMeasure  # that the player maximizes
    answers: tuple[AdvisedAnswer, ...]  # in the order of the question
    state_count: int  # explored

    @property
    def has_open_bounds(self) -> bool:
        """Whether some values are known between bounds only."""
        return any(answer.low != answer.high for answer in self.answers)

    def is_best(self, answer: AdvisedAnswer) -> bool:
        """Whether no other answer can be worth more."""
        return not answer.may_meet_fault and all(
            answer.low >= advised_answer.high for advised_answer in self.answers if advised_answer is not answer
        )


class NothingToDecideError(Exception):
    """No player who wants something decides next: dice or others come first, or the play is over."""

    def __init__(self, paused: Paused | None) -> None:
        super().__init__()
        self.paused = paused  # None where the play is over


def evaluate_answers(
    play: MeasuredPlay, answers: PlayAnswerer, start: Run, max_states: int, on_progress: ProgressCallback
) -> AnswerAdvice:
    """Expected value of each answer to the first question of a player with an objective.

    Args:
        play: has objectives.
        answers: who answers before and after.
        start: where the play stands; it is advanced.
        max_states: number of states after which no more are expanded.
        on_progress: receives the progress.

    Raises:
        NothingToDecideError: what comes before that question can go several ways.
        UndecidedError, HiddenInformationError, NoBestPlayError, TooManyOutcomesError: as `compute_odds`.
    """
    memory = answers.initial_memory
    while True:
        if not isinstance(start.outcome, Paused):
            raise NothingToDecideError(None)
        fork = answers.enumerate_answers(start, answers.update_memory(start, memory))
        if fork.chooser is not None:
            break
        if len(fork.branches) != 1:
            raise NothingToDecideError(start.outcome)
        memory = fork.branches[0].memory
        start.reply(fork.branches[0].answer)
    request = start.outcome.request
    best = find_best_play(
        play,
        answers.with_memory(memory),
        start,
        max_states,
        on_progress,
        lambda explored: explored.decisions[0].successors,
    )
    explored, outlook = best.explored, best.outlook
    choice = explored.decisions[0]
    place = [*play.objectives].index(choice.player) if choice.player in play.objectives else None
    if place is None:
        raise NothingToDecideError(None)
    worth = [outlook.optimal_values_at(to)[place] for to in choice.successors]
    faulty = [outlook.may_meet_fault(explored, to) for to in choice.successors]
    advised = (
        AdvisedAnswer(answer, optimal_value.low, optimal_value.high, meets)
        for answer, optimal_value, meets in zip(choice.answers, worth, faulty, strict=True)
    )
    return AnswerAdvice(request, choice.player, worth[0].measure, tuple(advised), len(explored.transitions))


def resume_from_session(
    play: MeasuredPlay, session: Session, known: Sequence[str] = ()
) -> tuple[Run, tuple[HiddenFact, ...]]:
    """A run at the point of a session, and the facts hidden from players there.

    Everyone knows the contents of bags and decks named in `known`. The order of shuffled decks is open.
    """
    start = play.start
    run = Run.begin(start.executable, start.situation, start.procedure.name, start.arguments, start.limits)
    unseen = find_hidden_at_start(start.executable, start.procedure, start.situation, known)
    for turn in session.turns:
        unseen = _skip_concealed_draws(run, unseen)
        assert isinstance(run.outcome, Paused)
        unseen = update_hidden_facts(unseen, run.outcome.entries)
        question, value = run.make_question(), turn.answer.value
        added = find_hidden_answer(question)
        if added is not None and not find_only_answer(run.outcome.request):
            unseen = (*unseen, added)
        if question.sort == "shuffle" and added is None:
            run.reply(make_partly_shuffled(tuple(value), len(value)))  # type: ignore[arg-type]
        else:
            run.outcome.take_answer(value)
    return run, _skip_concealed_draws(run, unseen)


def _skip_concealed_draws(run: Run, unseen: tuple[HiddenFact, ...]) -> tuple[HiddenFact, ...]:
    """Draws the top cards, for which a session never stops; returns the facts still hidden."""
    while isinstance(run.outcome, Paused):
        question = run.make_question()
        if question.sort != "draw" or not isinstance(question.data, PartlyShuffledDeck):
            break
        unseen = update_hidden_facts(unseen, run.outcome.entries)
        run.reply(question.data[0])
    return unseen
