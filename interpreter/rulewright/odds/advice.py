"""Advice: what every legal answer to a question is worth to whoever is asked, and a saved play as it stands."""

from collections.abc import Sequence
from fractions import Fraction

from rulewright.drivers.session import Session
from rulewright.frozen import dataclass
from rulewright.machine.question import alone
from rulewright.machine.request import Request
from rulewright.machine.run import Paused, Run
from rulewright.machine.values import Mixed, Value, mixed
from rulewright.odds.answering import Answers
from rulewright.odds.exploration import Heed
from rulewright.odds.measures import AskedMeasure, PlayToMeasure
from rulewright.odds.odds import best_of
from rulewright.odds.secrecy import Unseen, unseen_after, unseen_at_start, unseen_by_answer


@dataclass(frozen=True, slots=True)
class Advised:
    """What an answer is worth, on average, where all play for the best from there on."""

    answer: Value  # it
    low: Fraction  # at least
    high: Fraction  # at most; the two differ where not all moments were gone on from
    is_faulty: bool  # whether a fault may follow, which is worth nothing known


@dataclass(frozen=True, slots=True)
class Advice:
    """What is asked, of whom, and what each answer is worth to them."""

    request: Request  # the question
    player: int  # number of who is asked
    measure: AskedMeasure  # what they want the most of
    answers: tuple[Advised, ...]  # in the order of the question
    moments: int  # how many were met

    @property
    def is_open(self) -> bool:
        """Whether some values are known between bounds only."""
        return any(each.low != each.high for each in self.answers)

    def is_best(self, answer: Advised) -> bool:
        """Whether none can be worth more."""
        return not answer.is_faulty and all(answer.low >= each.high for each in self.answers if each is not answer)


class NothingToDecideError(Exception):
    """No player who wants something decides next: dice or others come first, or the play is over."""

    def __init__(self, paused: Paused | None) -> None:
        super().__init__()
        self.paused = paused  # the request, or none where the play is over


def advice(play: PlayToMeasure, answers: Answers, start: Run, most: int, heed: Heed) -> Advice:
    """What each answer is worth to the first question that a player with an objective has to answer.

    Args:
        play: it, with objectives.
        answers: who answers what comes before and after.
        start: where it stands; it is gone on with.
        most: after so many moments no more are gone on from.
        heed: told how far it is.

    Raises:
        NothingToDecideError: what comes before that question can go several ways.
        UndecidedError, UnseenError, NoBestPlayError, TooManyOutcomesError: as `odds`.
    """
    memory = answers.memory
    while True:
        if not isinstance(start.outcome, Paused):
            raise NothingToDecideError(None)
        fork = answers.fork(start, answers.noted(start, memory))
        if fork.chooser is not None:
            break
        if len(fork.ways) != 1:
            raise NothingToDecideError(start.outcome)
        memory = fork.ways[0].memory
        start.reply(fork.ways[0].answer)
    request = start.outcome.request
    best = best_of(play, answers.remembering(memory), start, most, heed, lambda found: found.choices[0].leads)
    found, outlook = best.found, best.outlook
    choice = found.choices[0]
    place = [*play.objectives].index(choice.player) if choice.player in play.objectives else None
    if place is None:
        raise NothingToDecideError(None)
    worth = [outlook.at(to)[place] for to in choice.leads]
    faulty = [outlook.meets_fault(found, to) for to in choice.leads]
    advised = (
        Advised(answer, each.low, each.high, meets)
        for answer, each, meets in zip(choice.answers, worth, faulty, strict=True)
    )
    return Advice(request, choice.player, worth[0].measure, tuple(advised), len(found.ways))


def standing(play: PlayToMeasure, session: Session, known: Sequence[str] = ()) -> tuple[Run, tuple[Unseen, ...]]:
    """A run of a play that stands where a session does, and what players cannot know there.

    All know what lies in bags and decks whose names are `known`. Decks that were shuffled lie in an unseen order.
    """
    begun = play.begun
    run = Run.begin(begun.executable, begun.situation, begun.procedure.name, begun.arguments, begun.limits)
    unseen = unseen_at_start(begun.executable, begun.procedure, begun.situation, known)
    for turn in session.turns:
        unseen = _drawn(run, unseen)
        assert isinstance(run.outcome, Paused)
        unseen = unseen_after(unseen, run.outcome.entries)
        question, value = run.question(), turn.given.value
        added = unseen_by_answer(question)
        if added is not None and not alone(run.outcome.request):
            unseen = (*unseen, added)
        if question.sort == "shuffle" and added is None:
            run.reply(mixed(tuple(value), len(value)))  # type: ignore[arg-type]
        else:
            run.outcome.take(value)
    return run, _drawn(run, unseen)


def _drawn(run: Run, unseen: tuple[Unseen, ...]) -> tuple[Unseen, ...]:
    """Goes on with the cards on top, for which a session stops nowhere; what stays unseen until then."""
    while isinstance(run.outcome, Paused):
        question = run.question()
        if question.sort != "draw" or not isinstance(question.data, Mixed):
            break
        unseen = unseen_after(unseen, run.outcome.entries)
        run.reply(question.data[0])
    return unseen
