"""What is asked of the end of a play: expressions over the game, its things, the roles and the result."""

import posixpath
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.drivers.session import Begun
from rulewright.files import Provider
from rulewright.files.providers import Laid
from rulewright.frozen import dataclass
from rulewright.inputs.arguments import asked_as
from rulewright.inputs.findings import Read, any_of, did_you_mean, quoted, there_are
from rulewright.inputs.script import Script
from rulewright.inputs.state_file import NO_TEXT
from rulewright.inputs.value_reader import from_node
from rulewright.inputs.yaml_places import read
from rulewright.machine.compile import compile_program
from rulewright.machine.faults import Fault
from rulewright.machine.request import Ended
from rulewright.machine.snapshot import Measuring, measuring
from rulewright.machine.values import Value
from rulewright.odds.conditions import NoConditionError, conditioned, no_flag, where
from rulewright.odds.watching import WORDS, Watched, missing, name_of_times, number_of_times, with_way
from rulewright.program.declarations import Program
from rulewright.program.effects import Footprint, Places
from rulewright.program.types import FlagType, FractionType, LengthType, NumberType, ThingType, Type, present
from rulewright.source import Text
from rulewright.workspace import Loaded, Located, load, locate

_FILE = "asked-of-the-end.rules"
_NAME = "asked_of_the_end_"
_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?\s*")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_MOST_TIMES = 999_999_999
RESULT = "result"


@dataclass(frozen=True, slots=True)
class AskedMeasure:
    """What is asked."""

    text: str  # as it was written
    type: Type  # of its values
    given: int | None = None  # number of the condition of the plays of which it is asked; none where of all

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
    """A name that an expression may use, and its type."""

    name: str  # it
    type: Type  # of its value
    role: int | None = None  # number of the role that it names, or none
    known: Value = None  # the thing that it names, or its value, or none
    way: int | None = None  # number of what it counts on the way, or none; without any of them it is the result

    @property
    def is_result(self) -> bool:
        """Whether it is what the play comes to."""
        return self.role is None and self.way is None and self.known is None

    def value(self, begun: Begun, result: Value, times: Sequence[int]) -> Value:
        """What it stands for at the end of a play that comes to a result, where what is watched came so often."""
        if self.role is not None:
            return begun.arguments[self.role]
        if self.way is not None:
            return times[self.way]
        return result if self.is_result else self.known


@dataclass(frozen=True, slots=True)
class PlayToMeasure:
    """A play that can begin, and what is asked of its ends."""

    begun: Begun  # it, of an executable that has the measures
    measures: tuple[AskedMeasure, ...]  # in order
    given: tuple[tuple[_Given, ...], ...]  # for each, and then for each condition, what its expression mentions
    names: tuple[str, ...]  # for each, and then for each condition, what its program calls it
    told: int  # how many of the measures are told; those after them are objectives alone
    # by the number of a player the number of the measure of which that player wants the most
    objectives: Mapping[int, int]
    watched: tuple[Watched, ...] = ()  # what is asked of the way to an end
    conditions: tuple[str, ...] = ()  # what must be so in the plays of which something is asked, as it was written
    against: frozenset[int] = frozenset()  # numbers of players who want the least of the first of them

    def beginning(self, begun: Begun) -> "PlayToMeasure":
        """The same from another start, or with others in its roles."""
        limits = replace(begun.limits, forced=self.begun.limits.forced)
        return replace(self, begun=replace(begun, executable=self.begun.executable, limits=limits))

    def all_put(self) -> "PlayToMeasure":
        """The same, with questions put that answer themselves, as only a traced run can put them."""
        executable = compile_program(self.begun.executable.program, traced=True)
        limits = replace(self.begun.limits, forced=True)
        return replace(self, begun=replace(self.begun, executable=executable, limits=limits))

    def heard_by(self, script: Script | None) -> "PlayToMeasure":
        """The same; `all_put` where answers in order say what they are for, which may answer itself."""
        return self.all_put() if script is not None and script.names_questions else self

    def only(self, numbers: Sequence[int]) -> "PlayToMeasure":
        """The same that is asked for some of the measures alone."""
        conditions = sorted({at for each in numbers if (at := self.measures[each].given) is not None})
        kept = [*numbers, *conditions]
        place = {at: number for number, at in enumerate(conditions, len(numbers))}
        asked = (self.measures[each] for each in numbers)
        return replace(
            self,
            measures=tuple(replace(each, given=None if each.given is None else place[each.given]) for each in asked),
            given=tuple(self.given[each] for each in kept),
            names=tuple(self.names[each] for each in kept),
            told=len(numbers),
            objectives={},
            conditions=tuple(self.conditions[each - len(self.measures)] for each in conditions),
        )

    def condition(self, measure: AskedMeasure) -> str:
        """What must be so in the plays of which a measure is asked; empty where nothing must."""
        return "" if measure.given is None else self.conditions[measure.given - len(self.measures)]

    def values(self, end: Ended, times: Hashable = ()) -> tuple[Value, ...]:
        """What each measure is worth at the end of the play; none where it has no value there.

        `times` is how often each of what is watched came, in order.

        Raises:
            NoConditionError: a condition has no value there.
        """
        worth, came = measuring(self.begun.executable, end.state), times if isinstance(times, tuple) else ()
        return self.asked_of(
            [_value(worth, name, self.arguments(each, end.result, came)) for each, name in enumerate(self.names)]
        )

    def asked_of(self, found: Sequence[Any]) -> tuple[Any, ...]:
        """What measures are worth in plays of which they are asked, once all and the conditions are worked out."""
        if not self.conditions:
            return tuple(found)
        first = len(self.measures)
        unknown = next((text for text, each in zip(self.conditions, found[first:], strict=True) if each is None), None)
        if unknown is not None:
            raise NoConditionError(unknown)
        return tuple(
            value if each.given is None else where(found[each.given], value)
            for value, each in zip(found, self.measures, strict=False)
        )

    def arguments(self, number: int, result: Value, times: Sequence[int] = ()) -> list[Value]:
        """What is given to a measure at the end of a play that comes to a result."""
        return [each.value(self.begun, result, times) for each in self.given[number]]


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
    *,
    watching: bool = False,
    loading: Callable[[Located, tuple[str, ...], Provider], Loaded] = load,
) -> Read[PlayToMeasure]:
    """The play with what is asked of its ends.

    Args:
        begun: a play of the ruleset with its overlays.
        asked: expressions, as they were written.
        ruleset: file, folder or shipped name.
        overlays: files that amend it.
        files: where its texts come from.
        objectives: of players, by number, the expressions of which they want the most.
        watching: whether something may be asked of the way.
        loading: reads and checks a ruleset with overlays.

    Reports RW1127, an objective is neither a number nor a flag; RW1132, there is no such step or list of rows; RW1202,
    a condition is neither yes nor no; RW1215, what is asked comes from elsewhere; RW1216, a measure is not asked as it
    is declared; what is wrong with an expression as `check` says it, with the expression in a note.
    """
    program, ways = begun.executable.program, dict[Watched, int]()
    split = [conditioned(each) if watching else (each, "") for each in asked]
    conditions = tuple(dict.fromkeys(condition for _, condition in split if condition))
    written = (*(text for text, _ in split), *(text for _, text in objectives), *conditions)

    def noted(way: Watched) -> str:
        name = name_of_times(ways.setdefault(way, len(ways)))
        begins = way == Watched("visits", begun.procedure.name)  # which is no call
        return f"({name} + 1)" if begins else name

    texts = [with_way(each, program, noted) if watching else each for each in written]
    calls = [_called(each, begun) for each in texts]
    unfit = [_unfit(text, begun) for text, call in zip(texts, calls, strict=True) if not call]
    if any(unfit):
        return Read(None, tuple(each for each in unfit if each is not None))
    given = [
        tuple(_mentioned(text, begun)) if call is None else call[1] for text, call in zip(texts, calls, strict=True)
    ]
    lines = {at: _line(at, texts[at], of) for at, of in enumerate(given) if not calls[at]}
    names = tuple(f"{_NAME}{at}" if call is None else call[0] for at, call in enumerate(calls))
    located = locate(ruleset, files)
    content = "\n".join([f'amends {program.name} revision "odds"', *lines.values()]) + "\n"
    with_them = Laid(files, posixpath.join(posixpath.dirname(located.main or ""), _FILE), content)
    loaded = loading(located, (*overlays, with_them.place), with_them)
    nowhere = tuple(gap for each in ways if (gap := missing(each, program)))
    if loaded.program is None or nowhere:
        wrong = () if loaded.program else loaded.errors
        told = (_told(each, [written[at] for at in lines], content, ways) for each in wrong)
        return Read(None, tuple(dict.fromkeys((*nowhere, *(_with_remedy(each, begun) for each in told)))))
    declared = loaded.program.measures
    footprint = Footprint(loaded.program)
    reads = [footprint.reads(declared[name].value) for name in names]
    gaps = [_elsewhere(*each, loaded.program) for each in zip(written, reads, strict=True)]
    if any(gaps):
        return Read(None, tuple(each for each in gaps if each is not None))
    counted = {name_of_times(number): NumberType(0, None) for number in ways.values()}
    types = [counted.get(text.strip(), declared[name].type) for text, name in zip(texts, names, strict=True)]
    first = len(asked) + len(objectives)
    at_end = [first + conditions.index(condition) if condition else None for _, condition in split]
    measures = (
        *map(AskedMeasure, asked, types, at_end),
        *map(AskedMeasure, written[len(asked) : first], types[len(asked) : first]),
    )
    wrong = tuple(_no_objective(each) for each in measures[len(asked) :] if not each.is_worth)
    of_conditions = zip(conditions, types[first:], strict=True)
    wrong += tuple(no_flag(*each) for each in of_conditions if not isinstance(each[1], FlagType))
    if wrong:
        return Read(None, wrong)
    traced = bool(ways) or (bool(objectives) and any(begun.executable.secrets))
    play = replace(begun, executable=compile_program(loaded.program, traced=traced))
    wanted = {player: len(asked) + number for number, (player, _) in enumerate(objectives)}
    return Read(PlayToMeasure(play, measures, tuple(given), names, len(asked), wanted, tuple(ways), conditions))


def _called(text: str, begun: Begun) -> tuple[str, tuple[_Given, ...]] | None:
    """The declared measure that a text names, with what is given to it; none of other expressions."""
    found, program = _CALL.fullmatch(text), begun.executable.program
    declared = None if found is None else program.measures.get(found[1])
    if found is None or declared is None:
        return None
    written = [each.strip() for each in found[2].split(",")] if found[2] else []
    if len(written) != len(declared.parameters):
        return None
    given = [_argument(each, of.type, begun) for each, of in zip(written, declared.parameters, strict=True)]
    return None if None in given else (declared.name, tuple(each for each in given if each))


def _unfit(text: str, begun: Begun) -> Diagnostic | None:
    """RW1216, where a measure is given what it does not take; else none."""
    found, program = _CALL.fullmatch(text), begun.executable.program
    declared = None if found is None else program.measures.get(found[1])
    if declared is None:
        return None
    takes = [f"`{each.name}` ({each.type})" for each in declared.parameters]
    few = [each for each in declared_measures(begun)[0] if each.partition("(")[0] == declared.name]
    message = f"the measure {quoted(declared.name)} cannot be asked as {quoted(text.strip())}"
    remedy = f"it takes {' and '.join(takes) or 'nothing'}"
    return Diagnostic("RW1216", Severity.ERROR, message, help=f"{remedy}: {any_of(few[:_SHOWN])}" if few else remedy)


_SHOWN = 3


def _elsewhere(text: str, reads: Places, program: Program) -> Diagnostic | None:
    """RW1215, where an expression asks for what nobody gives once the play is over; else none."""
    external = next((each for name, each in program.external_terms.items() if name in reads and not each.default), None)
    if external is None:
        return None
    message = f"{quoted(text.strip())} cannot be asked at the end, because {quoted(external.name)} comes from elsewhere"
    remedy = f"ask for what the rules made of it, such as the result, or give {quoted(external.name)} a `default`"
    return Diagnostic("RW1215", Severity.ERROR, message, help=remedy)


def _argument(written: str, type_: Type, begun: Begun) -> _Given | None:
    """A role, a thing, a word or a number that is given to a measure; none of what it does not take."""
    for number, role in enumerate(begun.procedure.parameters):
        if role.name == written:
            return _Given(written, type_, role=number) if role.type == type_ else None
    node = read(Text(NO_TEXT, written)).value
    found = None if node is None else from_node(node, type_, begun.names)
    return (
        None if found is None or found.value is None or found.diagnostics else _Given(written, type_, known=found.value)
    )


def declared_measures(begun: Begun) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The declared measures as they are asked for, of all things and words they can be given; names of those left out.

    Left out is what takes values that are not few and known, or has too many combinations of them.
    """
    program, found, left = begun.executable.program, list[str](), list[str]()
    for each in program.measures.values():
        asked = asked_as(each, program, begun.situation)
        if asked is None:
            left.append(each.name)
        else:
            found += asked
    return tuple(found), tuple(left)


def _no_objective(measure: AskedMeasure) -> Diagnostic:
    message = f"`{measure.text}` is {measure.type}; best play needs a number or a flag"
    return Diagnostic("RW1127", Severity.ERROR, message, help="compare it: `… = …` is a flag")


def _mentioned(text: str, begun: Begun) -> Iterator[_Given]:
    """The roles of the procedure, the things of the game and the result, as far as an expression mentions them."""
    procedure = begun.procedure
    roles = {each.name: _Given(each.name, each.type, role=at) for at, each in enumerate(procedure.parameters)}
    things = {
        id_: _Given(id_, ThingType(kind), known=number)
        for kind in begun.executable.program.kinds
        for number, id_ in enumerate(begun.names.ids(kind))
    }
    for name in dict.fromkeys(_WORD.findall(text)):
        if (way := number_of_times(name)) is not None:
            yield _Given(name, NumberType(0, _MOST_TIMES), way=way)
        elif name in roles:
            yield roles[name]
        elif name == RESULT and procedure.result is not None:
            yield _Given(RESULT, procedure.result)
        elif name in things:
            yield things[name]


def _line(number: int, text: str, given: Sequence[_Given]) -> str:
    parameters = ", ".join(f"{each.name}: {each.type}" for each in given)
    return f"measure {_NAME}{number}{f'({parameters})' if parameters else ''}: {' '.join(text.split())}"


def _with_remedy(found: Diagnostic, begun: Begun) -> Diagnostic:
    """The same with what the expression may have meant: `check` knows neither things nor roles of a play."""
    name = found.message.partition("`")[2].partition("`")[0]
    if found.help.endswith("`measure name: value`"):
        remedy = "ask for one expression, as in the rules; `… given …` asks of the plays in which the second is so"
        return replace(found, help=remedy)
    if found.code == "RW0313" and name in begun.executable.program.measures:
        return replace(found, help="ask for the measure alone; in an expression stands a `term` that gives the same")
    if found.code not in _UNKNOWN or found.help:
        return found
    if name in WORDS:
        return replace(found, help=f"write it with one address: `{name}({WORDS[name]})`")
    if name == RESULT:
        return replace(found, help=f"`{begun.procedure.name}` gives no result; ask for what it changes")
    roles = [each.name for each in begun.procedure.parameters]
    things = [id_ for kind in begun.executable.program.kinds for id_ in begun.names.ids(kind)]
    known = [*roles, *things, *WORDS, *([] if begun.procedure.result is None else [RESULT])]
    there = there_are([*roles, *things]) if roles or things else ""
    return replace(found, help=did_you_mean(name, known) or there)


_UNKNOWN = frozenset({"RW0301", "RW0314"})


def _told(found: Diagnostic, texts: Sequence[str], content: str, ways: Mapping[Watched, int]) -> Diagnostic:
    """A finding about an expression, without a place in a text that nobody wrote, in the words of who asked."""
    if found.primary is None or posixpath.basename(found.primary.span.source) != _FILE:
        return found
    line = content.count("\n", 0, found.primary.span.start) - 1
    text = texts[min(max(line, 0), len(texts) - 1)]
    message, remedy = found.message, found.help
    if content[found.primary.span.start :].partition("\n")[0].strip() == " ".join(text.split()):
        message = message.replace(" after `:`", "", 1)  # which stands before what is asked
    if found.code == "RW0312":
        name = message.partition(" ")[0]
        message = f"{name} is the name of a thing of this play, and of something else in the rules"
        remedy = f"give the thing another id in the state, or ask for a `measure` with {name} that the rules declare"
    for way, number in reversed([*ways.items()]):
        message, remedy = (each.replace(name_of_times(number), str(way)) for each in (message, remedy))
    notes = (f"in what is asked: {quoted(text)}",)
    return Diagnostic(found.code, Severity.ERROR, message, notes=notes, help=remedy)
