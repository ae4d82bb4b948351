"""What is asked of the end of a play: expressions over the game, its things, the roles and the result."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.drivers.session import Begun
from rulewright.files import Provider
from rulewright.files.providers import Laid
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Read
from rulewright.machine.compile import compile_program
from rulewright.machine.faults import Fault
from rulewright.machine.request import Ended
from rulewright.machine.snapshot import Measuring, measuring
from rulewright.machine.values import Value
from rulewright.program.types import FlagType, FractionType, LengthType, NumberType, ThingType, Type, present
from rulewright.program.wording import describe
from rulewright.workspace import load, locate

_FILE = "asked-of-the-end.rules"
_NAME = "asked_of_the_end_"
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
RESULT = "result"


@dataclass(frozen=True, slots=True)
class Measure:
    """What is asked.

    Attributes:
        text: as it was written.
        type: of its values.
    """

    text: str
    type: Type

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers, to be compared and added."""
        return isinstance(present(self.type), NumberType | FractionType | LengthType)

    @property
    def is_worth(self) -> bool:
        """Whether a player can want the most of it: of numbers, or that a flag is `yes`."""
        return isinstance(self.type, NumberType | FractionType | FlagType)

    @property
    def bounds(self) -> tuple[Fraction, Fraction] | None:
        """Between what its values lie, as far as its type says it."""
        match self.type:
            case FlagType():
                return Fraction(0), Fraction(1)
            case NumberType(int() as low, int() as high):
                return Fraction(low), Fraction(high)
            case _:
                return None


@dataclass(frozen=True, slots=True)
class _Given:
    """A name that an expression may use, and its type.

    Attributes:
        name: it.
        type: of its value.
        role: number of the role that it names, or none.
        thing: number of the thing that it names, or none; without either it is the result.
    """

    name: str
    type: Type
    role: int | None = None
    thing: int | None = None

    def value(self, begun: Begun, result: Value) -> Value:
        """What it stands for at the end of a play that comes to a result."""
        if self.role is not None:
            return begun.arguments[self.role]
        return result if self.thing is None else self.thing


@dataclass(frozen=True, slots=True)
class PlayToMeasure:
    """A play that can begin, and what is asked of its ends.

    Attributes:
        begun: it, of an executable that has the measures.
        measures: in order.
        given: for each what its expression mentions.
        told: how many of them are told; those after them are objectives alone.
        objectives: by the number of a player the number of the measure of which that player wants the most.
        against: numbers of players who want the least of the first of them.
    """

    begun: Begun
    measures: tuple[Measure, ...]
    given: tuple[tuple[_Given, ...], ...]
    told: int
    objectives: Mapping[int, int]
    against: frozenset[int] = frozenset()

    def beginning(self, begun: Begun) -> "PlayToMeasure":
        """The same from another start, or with others in its roles."""
        return replace(self, begun=replace(begun, executable=self.begun.executable))

    def values(self, end: Ended) -> tuple[Value, ...]:
        """What each measure is worth at the end of the play; none where it has no value there."""
        worth = measuring(self.begun.executable, end.state)
        numbers = range(len(self.measures))
        return tuple(_value(worth, self.name(each), self.arguments(each, end.result)) for each in numbers)

    def name(self, number: int) -> str:
        """What the program of the play calls a measure."""
        return f"{_NAME}{number}"

    def arguments(self, number: int, result: Value) -> list[Value]:
        """What is given to a measure at the end of a play that comes to a result."""
        return [each.value(self.begun, result) for each in self.given[number]]


def _value(worth: Measuring, name: str, arguments: Sequence[Value]) -> Value:
    try:
        return worth(name, arguments)
    except Fault:
        return None


def play_to_measure(  # noqa: PLR0913, PLR0917
    begun: Begun,
    asked: Sequence[str],
    ruleset: str,
    overlays: Sequence[str],
    files: Provider,
    objectives: Sequence[tuple[int, str]] = (),
) -> Read[PlayToMeasure]:
    """The play with what is asked of its ends.

    Args:
        begun: a play of the ruleset with its overlays.
        asked: expressions, as they were written.
        ruleset: file, folder or shipped name.
        overlays: files that amend it.
        files: where its texts come from.
        objectives: of players, by number, the expressions of which they want the most.

    Reports RW1127, an objective is no number and no flag; what is wrong with an expression as `check` says it, with the
    expression in a note.
    """
    program = begun.executable.program
    texts = (*asked, *(text for _, text in objectives))
    given = [tuple(_mentioned(each, begun)) for each in texts]
    lines = [_line(number, text, names) for number, (text, names) in enumerate(zip(texts, given, strict=True))]
    located = locate(ruleset, files)
    content = "\n".join([f'amends {program.name} revision "odds"', *lines]) + "\n"
    with_them = Laid(files, posixpath.join(posixpath.dirname(located.main or ""), _FILE), content)
    loaded = load(located, (*overlays, with_them.place), with_them)
    if loaded.program is None:
        return Read(None, tuple(_told(each, texts, content) for each in loaded.errors))
    declared = loaded.program.measures
    measures = tuple(Measure(text, declared[f"{_NAME}{number}"].type) for number, text in enumerate(texts))
    wrong = tuple(_no_objective(each) for each in measures[len(asked) :] if not each.is_worth)
    if wrong:
        return Read(None, wrong)
    traced = bool(objectives) and any(begun.executable.secrets)
    play = replace(begun, executable=compile_program(loaded.program, traced=traced))
    wanted = {player: len(asked) + number for number, (player, _) in enumerate(objectives)}
    return Read(PlayToMeasure(play, measures, tuple(given), len(asked), wanted))


def _no_objective(measure: Measure) -> Diagnostic:
    message = f"`{measure.text}` is {describe(measure.type)}; of best play a number or a flag is wanted"
    return Diagnostic("RW1127", Severity.ERROR, message, help="compare it: `… = …` is a flag")


def _mentioned(text: str, begun: Begun) -> Iterator[_Given]:
    """The roles of the procedure, the things of the game and the result, as far as an expression mentions them."""
    procedure = begun.procedure
    roles = {each.name: _Given(each.name, each.type, role=at) for at, each in enumerate(procedure.parameters)}
    things = {
        id_: _Given(id_, ThingType(kind), thing=number)
        for kind in begun.executable.program.kinds
        for number, id_ in enumerate(begun.names.ids(kind))
    }
    for name in dict.fromkeys(_WORD.findall(text)):
        if name in roles:
            yield roles[name]
        elif name == RESULT and procedure.result is not None:
            yield _Given(RESULT, procedure.result)
        elif name in things:
            yield things[name]


def _line(number: int, text: str, given: Sequence[_Given]) -> str:
    parameters = ", ".join(f"{each.name}: {describe(each.type)}" for each in given)
    return f"measure {_NAME}{number}{f'({parameters})' if parameters else ''}: {' '.join(text.split())}"


def _told(found: Diagnostic, texts: Sequence[str], content: str) -> Diagnostic:
    """A finding about an expression, without a place in a text that nobody wrote."""
    if found.primary is None or posixpath.basename(found.primary.span.source) != _FILE:
        return found
    line = content.count("\n", 0, found.primary.span.start) - 1
    text = texts[min(max(line, 0), len(texts) - 1)]
    return Diagnostic(
        found.code, Severity.ERROR, found.message, notes=(f"in what is asked: `{text}`",), help=found.help
    )
