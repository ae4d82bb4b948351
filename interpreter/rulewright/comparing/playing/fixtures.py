"""What people wrote beside a ruleset; what states of one revision may hold, and those of the other may not."""

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping as MappingOf, Sequence
from dataclasses import replace

from rulewright.comparing.edits import Correspondence
from rulewright.comparing.playing.changes import declarations, fields
from rulewright.comparing.playing.data import ValueWitness
from rulewright.comparing.playing.states import Start, State
from rulewright.diagnostics import has_errors
from rulewright.drivers.run import run
from rulewright.drivers.session import Begun, Session
from rulewright.files import DATA, Provider, read as read_file
from rulewright.inputs.findings import Findings
from rulewright.inputs.names import GAME, SETTINGS, Sections
from rulewright.inputs.nodes import Json, Mapping, Node, Scalar, entries_of
from rulewright.inputs.save import Save
from rulewright.inputs.state_file import state_of, whole_state
from rulewright.inputs.state_json import state_json
from rulewright.inputs.tables import Tables
from rulewright.inputs.yaml_places import read
from rulewright.machine.compile import compile_program
from rulewright.machine.faults import Limits
from rulewright.machine.state import Situation
from rulewright.outline.items import Name
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Program
from rulewright.roles import nodes
from rulewright.scenarios.loading import ENDING
from rulewright.scenarios.opening import Ruled, given_roles, opened_case
from rulewright.scenarios.suite import Case
from rulewright.source import Text
from rulewright.workspace import locate

_FOLDERS = ("", "examples")


def fixtures(program: Program, home: str, cases: Sequence[Case], provider: Provider) -> tuple[Situation, ...]:
    """The states beside a ruleset, in its folder and the one for examples, then those of scenarios; each once.

    What is not a state of this program is passed over.
    """
    beside = (read(each).value for each in texts_beside(home, provider))
    nodes_ = (Tables(provider, {}).inlined(each, Findings()) for each in beside if each is not None)
    starts = [*((each, None) for each in nodes_), *((each.state, each.patch) for each in cases)]
    found: dict[str, Situation] = {}
    for each in _situations(starts, program):
        found.setdefault(json.dumps(state_json(each, program), sort_keys=True), each)
    return tuple(found.values())


def recorded(program: Program, cases: Iterable[Case]) -> tuple[Save, ...]:
    """The plays of scenarios that are written for a program, one of each, as far as their answers go.

    What cannot begin is passed over, and so is what a scenario expects.
    """
    ruled = Ruled(compile_program(program, traced=False), frozenset())
    begun = ((case, opened_case(replace(case, covers=()), ruled, Limits()).value) for case in cases if not case.skip)
    return tuple(
        saved(run(each.begun, each.sources(case, 0)).session, case) for case, each in begun if each is not None
    )


def saved(session: Session, case: Case) -> Save:
    """A play of a scenario as it was written: what is left to defaults, start values and readings is left out."""
    begins = written_start(session.begun, case)
    return replace(session.save(), arguments=begins.roles, start=begins.state)


def written_start(begun: Begun, case: Case) -> Start:
    """Where a play of a scenario begins, as far as somebody wrote it."""
    program, whole = begun.executable.program, state_json(begun.situation, begun.executable.program)
    roles = given_roles(case, begun.procedure)
    arguments = {role: value for role, value in begun.arguments_json().items() if role in roles}
    if case.after is not None:
        return Start(whole, arguments)
    start = as_written(whole, whole_state(case.state, case.patch, Sections(program), Findings()), program)
    readings = set() if case.settings is None else {key.text for key, _ in case.settings}
    settings = whole.get(SETTINGS)
    if readings and isinstance(settings, dict):
        named = {Sections(program).settings.get(each) for each in readings}
        written = start.get(SETTINGS)
        given = written if isinstance(written, dict) else {}
        start[SETTINGS] = {**given, **{name: value for name, value in settings.items() if name in named}}
    return Start(start, arguments)


def as_written(whole: State, written: Node, program: Program) -> State:
    """A state as far as somebody wrote it, from the same with every value."""
    sections = Sections(program)
    if not isinstance(written, Mapping):
        return whole
    given = {sections.names[key.text]: each for key, each in written if key.text in sections.names}
    things = {kind.plural for kind in program.kinds.values()}
    spelled = {GAME: sections.game, SETTINGS: sections.settings}
    found: State = {}
    for key, data in whole.items():
        if key in things and key in given and isinstance(data, dict):
            found[key] = {id_: _of_thing(each, id_, given[key]) for id_, each in data.items()}
        elif key in spelled and key in given and isinstance(data, dict):
            found[key] = _said(data, given[key], spelled[key])
        elif key in given:
            found[key] = data
    return found


def _of_thing(data: Json, id_: str, things: Node) -> Json:
    """The attributes of a thing that were written: none of one that is only listed."""
    if isinstance(things, Mapping):
        given = things.get(id_)
        if isinstance(given, Mapping) and isinstance(data, dict):
            return {name: value for name, value in data.items() if name in given}
        return {} if isinstance(given, Scalar) else data
    return {}


def _said(data: dict[str, Json], given: Node, spelled: MappingOf[str, str]) -> Json:
    names = {spelled.get(key.text) for key, _ in entries_of(given)}
    return {name: value for name, value in data.items() if name in names}


def fitting(cases: Iterable[Case], main: str, overlays: Sequence[str], provider: Provider) -> Iterator[Case]:
    """The scenarios of a ruleset with exactly these overlays, by the places of their files."""
    rules, amending = provider.identity(main), {*map(provider.identity, overlays)}
    for case in cases:
        located = locate(case.ruleset, provider)
        named = {provider.identity(each) for each in (*located.overlays, *(each.text for each in case.overlays))}
        if located.main is not None and provider.identity(located.main) == rules and named == amending:
            yield case


def texts_beside(home: str, provider: Provider) -> Iterator[Text]:
    """The YAML and JSON files in the folder of a ruleset and in the one for examples, but for scenarios."""
    for folder in _FOLDERS:
        place = posixpath.normpath(posixpath.join(home, folder))
        for name in provider.files(place):
            if name.endswith(DATA) and not name.endswith(ENDING):
                text = read_file(posixpath.normpath(posixpath.join(place, name)), provider)
                if isinstance(text, Text):
                    yield text


def _situations(starts: Iterable[tuple[Node, Mapping | None]], program: Program) -> Iterator[Situation]:
    for node, patch in starts:
        found = state_of(node, program, patch=patch)
        if found.value is not None and not has_errors(found.diagnostics):
            yield found.value


REFUSED = "not allowed"
STARTED, GIVEN = "has a start value", "must be given in every state"
_WITH_START = frozenset({"attribute", "field"})


def held(old: Program, new: Program, names: Correspondence) -> Iterator[ValueWitness]:
    """For each value that a start or an outside answer brings, what only one revision allows there.

    That is a number, a word or `none`, by itself or inside a collection or a record; or that it is left out. Values
    are those of attributes, cells, the game, readings, parameters of what can be begun and results of externals.
    """
    yield from _left_out(old, new, names)
    there = dict(_given(new))
    rooms = _Rooms(old, new, names)
    for name, type_ in _given(old):
        target = names.names.get(name)
        values = next(rooms.apart(type_, there[target]), None) if target and target in there else None
        if target and values is not None:
            yield ValueWitness(_called(name), _called(target), ({}, {}), ({}, {}), values)


def _left_out(old: Program, new: Program, names: Correspondence) -> Iterator[ValueWitness]:
    there = {name: field for name, field in fields(new) if name.sort in _WITH_START}
    for name, field in fields(old):
        target = names.names.get(name)
        other = None if target is None else there.get(target)
        if target is not None and other is not None and (field.start is None) != (other.start is None):
            values = (STARTED, GIVEN) if other.start is None else (GIVEN, STARTED)
            yield ValueWitness(_called(name), _called(target), ({}, {}), ({}, {}), values)


class _Rooms:
    """What types of two revisions have room for."""

    def __init__(self, old: Program, new: Program, names: Correspondence) -> None:
        self._programs = old, new
        self._names = names.names
        self._known = frozenset(names.names.values())
        self._under_way: list[tuple[str, str]] = []

    def apart(self, before: ty.Type, after: ty.Type, *, inside: bool = False) -> Iterator[tuple[Json, Json]]:
        """What one type allows and the other does not, as values of the old revision and of the new one."""
        match before, after:
            case ty.NumberType(), ty.NumberType():
                number = _apart(before, after)
                if number is not None:
                    yield _value_beside(number, inside=inside, first=_allows(before, number))
            case ty.WordType(values=one), ty.WordType(values=other) if self._is(
                Name("values", one), Name("values", other)
            ):
                gone = (each for each in _every(self._programs[0], one) if each not in self._names)
                come = (each for each in _every(self._programs[1], other) if each not in self._known)
                yield from (_value_beside(each.last, inside=inside, first=True) for each in gone)
                yield from (_value_beside(each.last, inside=inside, first=False) for each in come)
            case ty.OptionalType(), ty.OptionalType():
                yield from self.apart(before.inner, after.inner, inside=inside)
            case ty.OptionalType(inner=inner), _:
                yield _value_beside("none", inside=inside, first=True)
                yield from self.apart(inner, after, inside=inside)
            case _, ty.OptionalType(inner=inner):
                yield _value_beside("none", inside=inside, first=False)
                yield from self.apart(before, inner, inside=inside)
            case ty.RecordType(), ty.RecordType():
                yield from self._parts(before.record, after.record)
            case _ if type(before) is type(after):
                for pair in zip(ty.held_by(before), ty.held_by(after), strict=False):
                    yield from self.apart(*pair, inside=True)

    def _parts(self, old: str, new: str) -> Iterator[tuple[Json, Json]]:
        if (old, new) in self._under_way:
            return
        self._under_way.append((old, new))
        there = {Name("part", f"{new}/{each.name}"): each.type for each in self._programs[1].records[new].parts}
        for part in self._programs[0].records[old].parts:
            target = self._names.get(Name("part", f"{old}/{part.name}"))
            if target and target in there:
                yield from self.apart(part.type, there[target], inside=True)
        self._under_way.pop()

    def _is(self, old: Name, new: Name) -> bool:
        return self._names.get(old) == new


def _value_beside(value: Json, *, inside: bool, first: bool) -> tuple[Json, Json]:
    said = f"{value} in it" if inside else value
    return (said, REFUSED) if first else (REFUSED, said)


def _every(program: Program, values: str) -> Iterator[Name]:
    yield from (Name("word", f"{values}/{each.name}") for each in program.values[values].words)


def _given(program: Program) -> Iterator[tuple[Name, ty.Type]]:
    """What a state, a call or the world outside brings, with its type."""
    yield from ((name, each.type) for name, each in fields(program))
    yield from ((Name("setting", name), each.type) for name, each in program.settings.items())
    for procedure in program.procedures.values():
        for each in procedure.parameters if not procedure.inner else ():
            yield Name("parameter", f"{procedure.name}/{each.name}"), each.type
    used = {each.external for name, node in declarations(program) for each in nodes(node) if isinstance(each, _OUTSIDE)}
    externals = {name: each.result for name, each in program.external_procedures.items()}
    externals |= {name: each.type for name, each in program.external_terms.items()}
    yield from ((Name("external", name), each) for name, each in externals.items() if each and name in used)


_OUTSIDE = ex.ExternalValue | st.PerformExternal


def _apart(one: ty.NumberType, other: ty.NumberType) -> int | None:
    """The number next to the common ones that only one of them allows."""
    if one.low != other.low:
        lows = [each for each in (one.low, other.low) if each is not None]
        return min(lows) if len(lows) > 1 else lows[0] - 1
    highs = [each for each in (one.high, other.high) if each is not None]
    if one.high == other.high:
        return None
    return max(highs) if len(highs) > 1 else highs[0] + 1


def _allows(type_: ty.NumberType, number: int) -> bool:
    return (type_.low is None or type_.low <= number) and (type_.high is None or number <= type_.high)


def _called(name: Name) -> str:
    return f"game.{name.name}" if name.sort == "field" else name.name.replace("/", ".")
