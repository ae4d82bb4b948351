"""What is asked of the end of a play: expressions over the game, its things, the roles and the result."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

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
from rulewright.program.types import FractionType, LengthType, NumberType, ThingType, Type, present
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

    def value(self, begun: Begun, end: Ended) -> Value:
        """What it stands for at the end of a play."""
        if self.role is not None:
            return begun.arguments[self.role]
        return end.result if self.thing is None else self.thing


@dataclass(frozen=True, slots=True)
class PlayToMeasure:
    """A play that can begin, and what is asked of its ends.

    Attributes:
        begun: it, of an executable that has the measures.
        measures: in order.
        given: for each what its expression mentions.
    """

    begun: Begun
    measures: tuple[Measure, ...]
    given: tuple[tuple[_Given, ...], ...]

    def beginning(self, begun: Begun) -> "PlayToMeasure":
        """The same from another start, or with others in its roles."""
        return replace(self, begun=replace(begun, executable=self.begun.executable))

    def values(self, end: Ended) -> tuple[Value, ...]:
        """What each measure is worth at the end of the play; none where it has no value there."""
        worth = measuring(self.begun.executable, end.state)
        return tuple(
            _value(worth, f"{_NAME}{number}", [each.value(self.begun, end) for each in names])
            for number, names in enumerate(self.given)
        )


def _value(worth: Measuring, name: str, arguments: Sequence[Value]) -> Value:
    try:
        return worth(name, arguments)
    except Fault:
        return None


def play_to_measure(
    begun: Begun, texts: Sequence[str], ruleset: str, overlays: Sequence[str], files: Provider
) -> Read[PlayToMeasure]:
    """The play with what is asked of its ends.

    Args:
        begun: a play of the ruleset with its overlays.
        texts: expressions, as they were written.
        ruleset: file, folder or shipped name.
        overlays: files that amend it.
        files: where its texts come from.

    Reports what is wrong with an expression, as `check` says it, with the expression in a note.
    """
    program = begun.executable.program
    given = [tuple(_mentioned(each, begun)) for each in texts]
    lines = [_line(number, text, names) for number, (text, names) in enumerate(zip(texts, given, strict=True))]
    located = locate(ruleset, files)
    content = "\n".join([f'amends {program.name} revision "odds"', *lines]) + "\n"
    with_them = Laid(files, posixpath.join(posixpath.dirname(located.main or ""), _FILE), content)
    loaded = load(located, (*overlays, with_them.place), with_them)
    if loaded.program is None:
        return Read(None, tuple(_told(each, texts, content) for each in loaded.errors))
    declared = loaded.program.measures
    play = replace(begun, executable=compile_program(loaded.program, traced=False))
    measures = tuple(Measure(text, declared[f"{_NAME}{number}"].type) for number, text in enumerate(texts))
    return Read(PlayToMeasure(play, measures, tuple(given)))


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
