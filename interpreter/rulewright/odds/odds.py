"""The odds of a procedure: for everything that is asked of its end, how likely each value is, exactly."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from rulewright.drivers.session import Begun
from rulewright.frozen import dataclass
from rulewright.machine.futures import TooManyOutcomesError
from rulewright.machine.request import Ended, Faulted, Reason, Refused
from rulewright.machine.run import Run
from rulewright.machine.values import Value
from rulewright.odds.answering import Answers, Choices
from rulewright.odds.chain import reached
from rulewright.odds.exploration import UndecidedError, explore
from rulewright.odds.measures import Measure, PlayToMeasure
from rulewright.telling.happenings import reason


@dataclass(frozen=True, slots=True)
class Distribution:
    """How likely each value of a measure is at the end of a play, the values in order; none is no value.

    Attributes:
        measure: what was asked.
        likely: by value.
    """

    measure: Measure
    likely: Mapping[Value, Fraction]

    @property
    def mean(self) -> Fraction | None:
        """The mean of numbers; none of other values, and where some plays have no value or no end."""
        if not self.measure.is_number or None in self.likely or sum(self.likely.values()) != 1:
            return None
        return sum((value * likely for value, likely in self.likely.items()), Fraction(0))  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class Odds:
    """What a play comes to.

    Attributes:
        distributions: one for each measure, in order.
        faults: how plays end that cannot be carried on, by their codes and messages, and how likely.
        never: how likely it is that a play never ends.
        open: how likely it is to come beyond the limit; each value may be as much likelier than is told.
        moments: how many different moments there are, as far as they were met.
    """

    distributions: tuple[Distribution, ...]
    faults: Mapping[tuple[str, str], Fraction]
    never: Fraction
    open: Fraction
    moments: int


class CannotBeginError(Exception):
    """The rules do not let the procedure begin.

    Attributes:
        reasons: why.
    """

    def __init__(self, reasons: tuple[Reason, ...]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


def _started(begun: Begun) -> Run:
    return Run.begin(begun.executable, begun.situation, begun.procedure.name, begun.arguments, begun.limits)


def odds(play: PlayToMeasure, answers: Answers, most: int, heed: Callable[[int], None]) -> Odds:
    """Works odds out.

    Args:
        play: it, with what is asked of its ends.
        answers: who answers.
        most: after so many moments no more are gone on from.
        heed: told again and again how many moments were met.

    Raises:
        CannotBeginError: the procedure cannot begin.
        UndecidedError: nobody answers something.
        TooManyOutcomesError: one roll or draw has more outcomes than are told one by one.
    """
    start = _started(play.begun)
    if isinstance(start.outcome, Refused):
        raise CannotBeginError(start.outcome.reasons)
    found = explore(start, answers, most, heed)
    came = reached(found.ways)
    values: tuple[dict[Value, Fraction], ...] = tuple({} for _ in play.measures)
    faults: dict[tuple[str, str], Fraction] = {}
    opened = Fraction(0)
    for number, likely in came.ends.items():
        match found.ends.get(number):
            case Ended() as end:
                for counts, value in zip(values, play.values(end), strict=True):
                    counts[value] = counts.get(value, Fraction(0)) + likely
            case None:
                opened += likely
            case over:
                why = _why(over, play.begun)
                faults[why] = faults.get(why, Fraction(0)) + likely
    told = [Distribution(*each) for each in zip(play.measures, map(_ordered, values), strict=True)]
    return Odds(tuple(told), faults, came.never, opened, len(found.ways))


def choices(begun: Begun, answers: Answers, most: int) -> Mapping[str, str]:
    """What players decide in a play, as far as so many moments show it: prompts by address."""
    start = _started(begun)
    noting = Choices(replace(answers, policy="random"), {})
    try:
        explore(start, noting, most)
    except (UndecidedError, TooManyOutcomesError):
        return noting.met
    return noting.met


def _why(over: Faulted | Refused, begun: Begun) -> tuple[str, str]:
    """The code and message of a fault; of what is refused once an external has answered the reasons alone."""
    if isinstance(over, Faulted):
        return over.code, over.message
    return "", "; ".join(reason(each, begun.names) for each in over.reasons)


def _ordered(likely: Mapping[Value, Fraction]) -> dict[Value, Fraction]:
    return {value: likely[value] for value in in_order(likely)}


def in_order(values: Iterable[Value]) -> list[Value]:
    """Numbers and flags from the least, then all else by how it is written; no value last."""
    return sorted(values, key=_placed)


def _placed(value: Value) -> tuple[int, object]:
    if isinstance(value, bool | int | Fraction):
        return 0, value
    return (2, "") if value is None else (1, repr(value))
