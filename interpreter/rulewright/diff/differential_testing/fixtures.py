"""Fixtures beside a ruleset (states, scenarios, saves), and values that only one revision allows."""

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping as MappingOf, Sequence
from dataclasses import replace

from rulewright.base.bounded_files import read_text_file
from rulewright.base.files import DATA_SUFFIXES, FileProvider
from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Text
from rulewright.diff.differential_testing.altered_places import executable_declarations
from rulewright.diff.differential_testing.results import ValueWitness
from rulewright.diff.differential_testing.revision_translation import StartData
from rulewright.diff.differential_testing.stored_values import StateData, list_stored_fields
from rulewright.diff.edits import Correspondence
from rulewright.documents.document_nodes import DocumentNode, Json, MapNode, ScalarNode, map_entries
from rulewright.documents.findings import Findings
from rulewright.documents.name_table import GAME, SETTINGS, StateSections
from rulewright.documents.saved_sessions import SavedSession
from rulewright.documents.state_file import expand_state, parse_state
from rulewright.documents.state_json import state_to_json
from rulewright.documents.state_shorthand import StateTables
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.play.session import PlayStart, Session, run_to_end
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.state import Situation
from rulewright.scenarios.case_opening import CompiledRuleset, merge_roles, open_case_under
from rulewright.scenarios.scenario_files import SCENARIO_SUFFIX
from rulewright.scenarios.suite import ScenarioCase

_FIXTURE_FOLDERS = ("", "examples")


def collect_fixtures(
    program: Program, home: str, cases: Sequence[ScenarioCase], provider: FileProvider
) -> tuple[Situation, ...]:
    """States beside a ruleset, in its folder and its folder of examples, then those of scenarios; each once.

    Files that are not a state of this program are skipped.
    """
    beside = (parse_yaml(text).value for text in read_data_beside(home, provider))
    nodes_ = (StateTables(provider, {}).inline_tables(item, Findings()) for item in beside if item is not None)
    starts = [*((node, None) for node in nodes_), *((case_.state, case_.patch) for case_ in cases)]
    mapping: dict[str, Situation] = {}
    for situation in _read_situations(starts, program):
        mapping.setdefault(json.dumps(state_to_json(situation, program), sort_keys=True), situation)
    return tuple(mapping.values())


def record_scenario_plays(program: Program, cases: Iterable[ScenarioCase]) -> tuple[SavedSession, ...]:
    """Recorded plays of scenarios, one of each, as far as their answers go.

    Scenarios that cannot begin are skipped; expectations are not read.
    """
    ruled = CompiledRuleset(compile_program(program, traced=False), frozenset())
    opened_cases = (
        (case, open_case_under(replace(case, covers=()), ruled, RunLimits()).value) for case in cases if not case.skip
    )
    return tuple(
        save_scenario_play(run_to_end(opened_case.start, opened_case.make_sources(case, 0)).session, case)
        for case, opened_case in opened_cases
        if opened_case is not None
    )


def save_scenario_play(session: Session, case: ScenarioCase) -> SavedSession:
    """Play of a scenario as it was written, without defaults, start values and readings."""
    begins = find_written_start(session.start, case)
    return replace(session.make_save(), arguments=begins.roles, start=begins.state)


def find_written_start(play_start: PlayStart, case: ScenarioCase) -> StartData:
    """Start of a scenario's play, as far as it is written out."""
    program, whole = play_start.executable.program, state_to_json(play_start.situation, play_start.executable.program)
    roles = merge_roles(case, play_start.procedure)
    arguments = {role: value for role, value in play_start.arguments_to_json().items() if role in roles}
    if case.previous is not None:
        return StartData(whole, arguments)
    start = keep_written_values(
        whole, expand_state(case.state, case.patch, StateSections(program), Findings()), program
    )
    readings = set() if case.settings is None else {key.text for key, _ in case.settings}
    settings = whole.get(SETTINGS)
    if readings and isinstance(settings, dict):
        named = {StateSections(program).settings.get(reading) for reading in readings}
        written = start.get(SETTINGS)
        given = written if isinstance(written, dict) else {}
        start[SETTINGS] = {**given, **{name: value for name, value in settings.items() if name in named}}
    return StartData(start, arguments)


def keep_written_values(whole: StateData, written: DocumentNode, program: Program) -> StateData:
    """State restricted to what is written in a document, from the state with every value."""
    sections = StateSections(program)
    if not isinstance(written, MapNode):
        return whole
    given = {sections.qualified_names[key.text]: item for key, item in written if key.text in sections.qualified_names}
    things = {kind.plural for kind in program.kinds.values()}
    spelled = {GAME: sections.game, SETTINGS: sections.settings}
    result: StateData = {}
    for key, data in whole.items():
        if key in things and key in given and isinstance(data, dict):
            result[key] = {id_: _keep_written_attributes(item, id_, given[key]) for id_, item in data.items()}
        elif key in spelled and key in given and isinstance(data, dict):
            result[key] = _keep_named_values(data, given[key], spelled[key])
        elif key in given:
            result[key] = data
    return result


def _keep_written_attributes(data: Json, id_: str, things: DocumentNode) -> Json:
    if isinstance(things, MapNode):
        given = things.get(id_)
        if isinstance(given, MapNode) and isinstance(data, dict):
            return {name: value for name, value in data.items() if name in given}
        return {} if isinstance(given, ScalarNode) else data
    return {}


def _keep_named_values(data: dict[str, Json], given: DocumentNode, spelled: MappingOf[str, str]) -> Json:
    names = {spelled.get(key.text) for key, _ in map_entries(given)}
    return {name: value for name, value in data.items() if name in names}


def read_data_beside(home: str, provider: FileProvider) -> Iterator[Text]:
    """YAML and JSON files in the folder of a ruleset and in its folder of examples, without scenarios."""
    for folder in _FIXTURE_FOLDERS:
        place = posixpath.normpath(posixpath.join(home, folder))
        for name in provider.list_folder_names(place):
            if name.endswith(DATA_SUFFIXES) and not name.endswith(SCENARIO_SUFFIX):
                text = read_text_file(posixpath.normpath(posixpath.join(place, name)), provider)
                if isinstance(text, Text):
                    yield text


def _read_situations(starts: Iterable[tuple[DocumentNode, MapNode | None]], program: Program) -> Iterator[Situation]:
    for node, patch in starts:
        situation = parse_state(node, program, patch=patch).value
        if situation is not None:
            yield situation


REFUSED_VALUE = "not allowed"
HAS_START_VALUE, MUST_BE_GIVEN = "has a start value", "must be given in every state"
_SORTS_WITH_START = frozenset({"attribute", "field"})


def find_type_differences(old: Program, new: Program, names: Correspondence) -> Iterator[ValueWitness]:
    """For each value that a start or an outside answer gives, a value that only one revision allows there.

    That is a number, a word or `none`, by itself or inside a collection or a record; or that it is left out. Values are
    those of attributes, cells, the game, readings, parameters of entry procedures and results of externals.
    """
    yield from _find_start_differences(old, new, names)
    there = dict(_list_given_types(new))
    rooms = _TypeComparison(old, new, names)
    for name, type_ in _list_given_types(old):
        target = names.names.get(name)
        values = next(rooms.find_excluded_values(type_, there[target]), None) if target and target in there else None
        if target and values is not None:
            yield ValueWitness(_dotted_name(name), _dotted_name(target), ({}, {}), ({}, {}), values)


def _find_start_differences(old: Program, new: Program, names: Correspondence) -> Iterator[ValueWitness]:
    there = {name: field for name, field in list_stored_fields(new) if name.sort in _SORTS_WITH_START}
    for name, field in list_stored_fields(old):
        target = names.names.get(name)
        other = None if target is None else there.get(target)
        if target is not None and other is not None and (field.start is None) != (other.start is None):
            values = (HAS_START_VALUE, MUST_BE_GIVEN) if other.start is None else (MUST_BE_GIVEN, HAS_START_VALUE)
            yield ValueWitness(_dotted_name(name), _dotted_name(target), ({}, {}), ({}, {}), values)


class _TypeComparison:
    def __init__(self, old: Program, new: Program, names: Correspondence) -> None:
        self._programs = old, new
        self._names = names.names
        self._new_names = frozenset(names.names.values())
        self._under_way: list[tuple[str, str]] = []

    def find_excluded_values(
        self, before: ty.Type, after: ty.Type, *, inside: bool = False
    ) -> Iterator[tuple[Json, Json]]:
        match before, after:
            case ty.NumberType(), ty.NumberType():
                number = _find_boundary_number(before, after)
                if number is not None:
                    yield _pair_with_refused(number, inside=inside, first=_is_in_bounds(before, number))
            case ty.WordType(values=one), ty.WordType(values=other) if self._is_counterpart(
                DeclaredName("values", one), DeclaredName("values", other)
            ):
                removed_words = (
                    word_name for word_name in _list_word_names(self._programs[0], one) if word_name not in self._names
                )
                added_words = (
                    word_name
                    for word_name in _list_word_names(self._programs[1], other)
                    if word_name not in self._new_names
                )
                yield from (
                    _pair_with_refused(declared_name.short_name, inside=inside, first=True)
                    for declared_name in removed_words
                )
                yield from (
                    _pair_with_refused(declared_name.short_name, inside=inside, first=False)
                    for declared_name in added_words
                )
            case ty.OptionalType(), ty.OptionalType():
                yield from self.find_excluded_values(before.inner, after.inner, inside=inside)
            case ty.OptionalType(inner=inner), _:
                yield _pair_with_refused("none", inside=inside, first=True)
                yield from self.find_excluded_values(inner, after, inside=inside)
            case _, ty.OptionalType(inner=inner):
                yield _pair_with_refused("none", inside=inside, first=False)
                yield from self.find_excluded_values(before, inner, inside=inside)
            case ty.RecordType(), ty.RecordType():
                yield from self._compare_record_parts(before.record, after.record)
            case _ if type(before) is type(after):
                for pair in zip(ty.list_held_types(before), ty.list_held_types(after), strict=False):
                    yield from self.find_excluded_values(*pair, inside=True)

    def _compare_record_parts(self, old: str, new: str) -> Iterator[tuple[Json, Json]]:
        if (old, new) in self._under_way:
            return
        self._under_way.append((old, new))
        there = {
            DeclaredName("part", f"{new}/{field.name}"): field.type for field in self._programs[1].records[new].parts
        }
        for part in self._programs[0].records[old].parts:
            target = self._names.get(DeclaredName("part", f"{old}/{part.name}"))
            if target and target in there:
                yield from self.find_excluded_values(part.type, there[target], inside=True)
        self._under_way.pop()

    def _is_counterpart(self, old: DeclaredName, new: DeclaredName) -> bool:
        return self._names.get(old) == new


def _pair_with_refused(value: Json, *, inside: bool, first: bool) -> tuple[Json, Json]:
    shown = f"{value} in it" if inside else value
    return (shown, REFUSED_VALUE) if first else (REFUSED_VALUE, shown)


def _list_word_names(program: Program, values: str) -> Iterator[DeclaredName]:
    yield from (DeclaredName("word", f"{values}/{word.name}") for word in program.values[values].words)


def _list_given_types(program: Program) -> Iterator[tuple[DeclaredName, ty.Type]]:
    yield from ((name, field.type) for name, field in list_stored_fields(program))
    for procedure in program.procedures.values():
        for parameter in procedure.parameters if not procedure.inner else ():
            yield DeclaredName("parameter", f"{procedure.name}/{parameter.name}"), parameter.type
    used = {
        item.external
        for name, node in executable_declarations(program)
        for item in walk_nodes(node)
        if isinstance(item, _EXTERNAL_NODES)
    }
    externals = {name: external_procedure.result for name, external_procedure in program.external_procedures.items()}
    externals |= {name: external_term.type for name, external_term in program.external_terms.items()}
    yield from ((DeclaredName("external", name), item) for name, item in externals.items() if item and name in used)


_EXTERNAL_NODES = ex.ExternalValue | st.PerformExternal


def _find_boundary_number(one: ty.NumberType, other: ty.NumberType) -> int | None:
    """Number next to the common range that only one type allows."""
    if one.low != other.low:
        lows = [item for item in (one.low, other.low) if item is not None]
        return min(lows) if len(lows) > 1 else lows[0] - 1
    highs = [item for item in (one.high, other.high) if item is not None]
    if one.high == other.high:
        return None
    return max(highs) if len(highs) > 1 else highs[0] + 1


def _is_in_bounds(type_: ty.NumberType, number: int) -> bool:
    return (type_.low is None or type_.low <= number) and (type_.high is None or number <= type_.high)


def _dotted_name(name: DeclaredName) -> str:
    return f"game.{name.name}" if name.sort == "field" else name.name.replace("/", ".")
