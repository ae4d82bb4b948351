"""Incremental checking: results of declarations are kept with what they read, for the next check (decision 0062).

A result is used again where its declaration, the functions it read and the effects of the routines it calls are
unchanged, and nothing but bodies was edited elsewhere. Its places are moved by the lines that an edit added or removed.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import (
    SpanInsideEditError,
    SpanRelocator,
    find_edited_ranges,
    find_span_sources,
)
from rulewright.base.source import NameUse, Span
from rulewright.checker.change_impact import (
    FUNCTION_SORT,
    GLOBAL_DEPENDENCY_TYPES,
    DeclarationChanges,
    ResultKey,
    find_declaration_changes,
)
from rulewright.checker.symbols import LinkedProgram
from rulewright.program import declarations as typed

if TYPE_CHECKING:
    from rulewright.checker.effects import EffectIndex
    from rulewright.checker.preconditions import Precondition, RecordedCall
    from rulewright.checker.scope import TypeEnvironment

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class DeclarationResult:
    """Result of checking one declaration, with all that it read and caused elsewhere."""

    declaration: Any  # typed declaration; None after an error
    diagnostics: tuple[Diagnostic, ...]
    uses: tuple[NameUse, ...]  # names that it resolved
    derived_signature: Any  # entry of a derived attribute in `TypeEnvironment.derived_attributes`
    functions_read: frozenset[str]  # functions that it read
    functions_demanded: tuple[str, ...]  # functions that it demanded, in order
    routines_read: frozenset[str]  # routines whose effects it read
    assumed_parameters: "tuple[tuple[str, Precondition], ...]"  # preconditions on its parameters
    calls: "tuple[RecordedCall, ...]"  # `perform` and `trigger`
    preconditions: "tuple[Precondition, ...]"  # preconditions of a function
    reported_warnings: tuple[tuple[str, Span, str], ...]  # warnings of unproved preconditions
    proof_steps: int
    source_names: list[frozenset[str]]  # cache: sources of its places

    def moved(self, move: SpanRelocator) -> "DeclarationResult":
        """The result with its places moved.

        Raises: SpanInsideEditError where one of them is inside an edit.
        """
        if not self.source_names:
            self.source_names.append(find_span_sources(self))
        return self if self.source_names[0].isdisjoint(move.texts) else move(self)


@dataclasses.dataclass(slots=True, eq=False)
class _ResultFrame:
    """Reads and diagnostics of a result under way, without those of results made on demand meanwhile."""

    diagnostics_start: int
    uses_start: int
    effort_start: int
    diagnostics: list[Diagnostic] = dataclasses.field(default_factory=list)
    uses: list[NameUse] = dataclasses.field(default_factory=list)
    effort: int = 0
    functions_read: set[str] = dataclasses.field(default_factory=set)
    functions_demanded: dict[str, None] = dataclasses.field(default_factory=dict)
    routines_read: set[str] = dataclasses.field(default_factory=set)

    def pause_recording(self, environment: "TypeEnvironment") -> None:
        self.diagnostics.extend(environment.report.diagnostics[self.diagnostics_start :])
        self.uses.extend(environment.report.uses[self.uses_start :])
        self.effort += environment.proof_effort.steps - self.effort_start
        self.resume_recording(environment)

    def resume_recording(self, environment: "TypeEnvironment") -> None:
        self.diagnostics_start, self.uses_start = len(environment.report.diagnostics), len(environment.report.uses)
        self.effort_start = environment.proof_effort.steps


class ReadTracker(dict[str, _Result]):
    """Dictionary by names of functions that reports every look-up."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._track_read = tell

    def __getitem__(self, name: str) -> _Result:
        self._track_read(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:  # as of any dictionary
        self._track_read(name)
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        self._track_read(name)  # type: ignore[arg-type]
        return super().__contains__(name)


class ResultStore:
    """Results of one check: those of the earlier check that can be used again, and all of this one."""

    def __init__(self, environment: "TypeEnvironment") -> None:
        self._environment = environment
        self.reusable: Mapping[ResultKey, DeclarationResult] = {}
        self.results: dict[ResultKey, DeclarationResult] = {}
        self._result_frames: list[_ResultFrame] = []

    def make_tracker(self) -> "ReadTracker[Any]":
        """Dictionary that notes its look-ups with the result under way; it keeps nothing else of the check alive."""
        frames = self._result_frames

        def note_function_read(function: str) -> None:
            if frames:
                frames[-1].functions_read.add(function)

        return ReadTracker(note_function_read)

    def note_function_demanded(self, function: str) -> None:
        if self._result_frames:
            self._result_frames[-1].functions_demanded[function] = None

    def note_routine_read(self, routine: str) -> None:
        if self._result_frames:
            self._result_frames[-1].routines_read.add(routine)

    def get_or_make_result(self, key: ResultKey, make: Callable[[], _Result]) -> _Result:
        """Result of checking a declaration: from the earlier check if nothing it reads has changed, else made now."""
        result = self.reusable.get(key)
        outer = self._result_frames[-1] if self._result_frames else None
        if outer is not None:
            outer.pause_recording(self._environment)
        if result is not None:
            _restore_result(key, result, self._environment)
        else:
            result = self._make_result(key, make)
        if outer is not None:
            outer.resume_recording(self._environment)
        self.results[key] = result
        return result.declaration  # type: ignore[no-any-return]

    def make_unkept_result(self, key: ResultKey, make: Callable[[], _Result]) -> _Result:
        """Result of checking a declaration that hangs on more than what it reads, made now and not used again."""
        return self._make_result(key, make).declaration  # type: ignore[no-any-return]

    def _make_result(self, key: ResultKey, make: Callable[[], Any]) -> DeclarationResult:
        environment, report = self._environment, self._environment.report
        store, name = environment.preconditions, key[1]
        calls, warnings_start = len(store.calls), len(store.reported)
        diagnostics_start = len(report.diagnostics)
        frame = _ResultFrame(diagnostics_start, len(report.uses), environment.proof_effort.steps)
        self._result_frames.append(frame)
        outer_owner, report.owner = report.owner, name
        try:
            declaration = make()
        finally:
            self._result_frames.pop()
            report.owner = outer_owner
        frame.pause_recording(environment)
        remaining_ids = {id(finding) for finding in report.diagnostics[diagnostics_start:]}
        # a routine drops diagnostics that only follow from others
        frame.diagnostics = [finding for finding in frame.diagnostics if id(finding) in remaining_ids]
        owner, _, attribute = name.rpartition("/")
        return DeclarationResult(
            declaration=declaration,
            diagnostics=tuple(frame.diagnostics),
            uses=tuple(frame.uses),
            derived_signature=environment.derived_attributes.get(owner, {}).get(attribute),
            functions_read=frozenset(frame.functions_read),
            functions_demanded=tuple(frame.functions_demanded),
            routines_read=frozenset(frame.routines_read),
            assumed_parameters=tuple(store.entry_preconditions.get(name, {}).items())
            if key[0] != FUNCTION_SORT
            else (),
            calls=tuple(store.calls[calls:]),
            preconditions=tuple(store.function_preconditions.get(name, ())) if key[0] == FUNCTION_SORT else (),
            reported_warnings=tuple(store.reported)[warnings_start:],
            proof_steps=frame.effort,
            source_names=[],
        )


def _restore_result(key: ResultKey, result: DeclarationResult, environment: "TypeEnvironment") -> None:
    """Replays the effects of a kept result on this check; its calls are judged by the functions of this check."""
    store, (sort, name) = environment.preconditions, key
    for item in result.functions_demanded:
        if item not in environment.functions and item in environment.pending_functions:
            environment.pending_functions[item]()
    environment.report.diagnostics.extend(result.diagnostics)
    environment.report.uses.extend(result.uses)
    store.reported.update(dict.fromkeys(result.reported_warnings))
    known = environment.make_initial_facts()
    store.calls.extend(replace(call, facts=call.facts.with_definitions_of(known)) for call in result.calls)
    environment.proof_effort.spend(result.proof_steps)
    if sort == FUNCTION_SORT:
        if result.preconditions:
            store.function_preconditions[name] = list(result.preconditions)
        if result.derived_signature is not None:
            owner, _, attribute = name.rpartition("/")
            environment.derived_attributes[owner][attribute] = result.derived_signature
    elif result.assumed_parameters:
        store.entry_preconditions.setdefault(name, {}).update(result.assumed_parameters)
    if isinstance(result.declaration, typed.Invariant):
        environment.invariants[name] = result.declaration
    if isinstance(result.declaration, typed.StandingRule):
        environment.rules[name] = result.declaration


@dataclass(frozen=True, slots=True)
class PreviousCheck:
    """A finished check, as the base of an incremental one."""

    environment: "TypeEnvironment"
    texts: Mapping[str, str]  # contents by source name

    def find_reusable(self, linked: LinkedProgram, texts: Mapping[str, str]) -> "ReusableResults | None":
        """Results that are valid after edits of the texts; None where the edits may affect everything."""
        if self.texts.keys() != texts.keys():
            return None
        move = SpanRelocator(find_edited_ranges(self.texts, texts))
        edited = find_declaration_changes(self.environment.linked, linked, move)
        if edited is None:
            return None
        parts, stale = {}, set(edited.stale_results)
        for key, part in self.environment.results_store.results.items():
            try:
                parts[key] = part.moved(move)
            except SpanInsideEditError:
                stale.add(key)
            if _is_affected_by_names(key, part, edited):
                stale.add(key)
        _spread_staleness(stale, parts, edited)
        return ReusableResults(self, {key: part for key, part in parts.items() if key not in stale}, edited, move)


def _is_affected_by_names(key: ResultKey, part: DeclarationResult, edited: DeclarationChanges) -> bool:
    return key[1].partition("/")[0] in edited.dependents or (bool(edited.changed_names) and bool(part.diagnostics))


def _spread_staleness(
    stale: set[ResultKey], parts: Mapping[ResultKey, DeclarationResult], edited: DeclarationChanges
) -> None:
    """Adds results that read stale functions, transitively; all routines, where a global dependency is stale."""
    functions = {name for sort, name in stale if sort == FUNCTION_SORT}
    readers = set[ResultKey]()
    size = -1
    while size != len(functions):
        size = len(functions)
        new = {key for key, part in parts.items() if key not in readers and part.functions_read & functions}
        readers |= new
        functions.update(name for sort, name in new if sort == FUNCTION_SORT)
    stale |= readers
    if any(
        sort in _GLOBAL_DEPENDENCY_SORTS and ((sort, name) not in edited.locally_changed or (sort, name) in readers)
        for sort, name in stale
    ):
        stale.update(key for key in parts if key[0] != FUNCTION_SORT)


_GLOBAL_DEPENDENCY_SORTS = frozenset(sort.__name__ for sort in GLOBAL_DEPENDENCY_TYPES)


@dataclass(frozen=True, slots=True)
class ReusableResults:
    """Results of an earlier check that are valid for the edited texts."""

    previous_check: PreviousCheck
    results: Mapping[ResultKey, DeclarationResult]  # with places moved
    changes: DeclarationChanges
    move: SpanRelocator  # from places of the earlier check to present ones

    def filter_by_effects(self, effects: "EffectIndex") -> Mapping[ResultKey, DeclarationResult]:
        """The results without routines that call one whose effects have changed."""
        old = self.previous_check.environment.effects
        others = {name for name in self._list_edited_routines(effects) if self._has_different_effects(name, effects)}
        functions = bool(self.changes.changed_names) or any(
            sort == FUNCTION_SORT for sort, _ in self.changes.changed_bodies
        )
        if (functions and old.get_rule_reads() != effects.get_rule_reads()) or any(
            others & set(old.find_reachable_routines(rule_name)) for rule_name in old.iterate_rule_names()
        ):
            return {key: part for key, part in self.results.items() if key[0] == FUNCTION_SORT}
        if not others:
            return self.results
        return {
            key: part
            for key, part in self.results.items()
            if not any(others & set(old.find_reachable_routines(item)) for item in part.routines_read)
        }

    def _list_edited_routines(self, effects: "EffectIndex") -> list[str]:
        names = (
            {name for sort, name in self.changes.changed_bodies if sort != FUNCTION_SORT}
            | self.changes.changed_heads
            | self.changes.dependents
        )
        return [
            routine_name for routine_name in effects.iterate_routine_names() if routine_name.rpartition("<")[2] in names
        ]

    def _has_different_effects(self, name: str, effects: "EffectIndex") -> bool:
        was, now = self.previous_check.environment.effects.get_routine_effects(name), effects.get_routine_effects(name)
        try:
            stopped = self.move(was.suspension)
        except SpanInsideEditError:
            return True
        before = (was.written_state, list(was.calls), was.removals, was.removed_or_passed, stopped)
        return before != (now.written_state, list(now.calls), now.removals, now.removed_or_passed, now.suspension)
