"""Translation of values, states and roles between two revisions, and a common form in which they are compared."""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rulewright.base.diagnostics import has_errors
from rulewright.base.frozen import dataclass
from rulewright.diff.differential_testing.altered_places import has_same_data, has_same_starts
from rulewright.diff.differential_testing.stored_values import (
    FieldOwner,
    StateData,
    StatePath,
    find_in_state,
    list_field_owners,
    put_in_state,
)
from rulewright.diff.edits import Correspondence
from rulewright.documents.document_nodes import Json, make_unplaced_map
from rulewright.documents.name_table import CELLS, REMOVED, SETTINGS, SIDES, NameTable
from rulewright.documents.procedure_arguments import bind_arguments
from rulewright.documents.state_generation import copy_state, parse_situation
from rulewright.program import types as ty
from rulewright.program.board_geometry import find_posed_kind
from rulewright.program.declarations import Field, Procedure, Program
from rulewright.program.outline.items import DeclaredName
from rulewright.runtime.state import Situation
from rulewright.runtime.type_codecs import value_to_json, write_map_entries
from rulewright.runtime.values import Value

if TYPE_CHECKING:
    from rulewright.program.expressions import Variable


class NoCounterpartError(Exception):
    """A value has no counterpart in the other revision: an unknown word or thing, a number out of bounds."""


@dataclasses.dataclass(frozen=True, eq=False)
class ValueTranslation:
    """Translation of values from one revision to the other."""

    source_program: Program
    target_program: Program
    names: Correspondence  # source to target names

    @cached_property
    def owner_pairs(self) -> tuple["OwnerPair", ...]:
        """Owners of stored fields that both revisions have, in the order of a state."""
        return tuple(_pair_owners(self))

    def reverse_translation(self) -> "ValueTranslation":
        return ValueTranslation(self.target_program, self.source_program, self.names.invert_direction())

    def translate_value(self, data: Json, type_: ty.Type, target: ty.Type) -> Json:
        """Value in the form of the other revision; members of sets and bags are sorted by their text.

        Raises:
            NoCounterpartError: it has none.
        """
        crossed: Json = self._translate_data(data, type_, target)
        return crossed

    def _translate_data(self, data: Any, type_: ty.Type, target: ty.Type) -> Any:
        if isinstance(target, ty.OptionalType):
            inner = ty.strip_optional(type_)
            return None if data is None else self._translate_data(data, inner, target.inner)
        match type_, target:
            case ty.OptionalType(inner), _:
                if data is None:
                    raise NoCounterpartError
                return self._translate_data(data, inner, target)
            case ty.NumberType(), ty.NumberType(low, high):
                if (low is not None and data < low) or (high is not None and data > high):
                    raise NoCounterpartError
                return data
            case ty.ThingType(kind), ty.ThingType(other):
                self._require_same_name("kind", kind, other)
                return data
            case ty.WordType(values), ty.WordType(other):
                text = self.names.find_new_name("word", f"{values}/{data}")
                if text is None or text.rpartition("/")[0] != other:
                    raise NoCounterpartError
                return text.rpartition("/")[2]
            case (ty.SetType(item), ty.SetType(other)) | (ty.BagType(item), ty.BagType(other)):
                return sorted((self._translate_data(each, item, other) for each in data), key=repr)
            case (ty.ListType(item), ty.ListType(other)) | (ty.DeckType(item), ty.DeckType(other)):
                return [self._translate_data(each, item, other) for each in data]
            case ty.TupleType(parts), ty.TupleType(others) if len(parts) == len(others):
                pairs = zip(data, parts, others, strict=True)
                return [self._translate_data(each, part, other) for each, part, other in pairs]
            case ty.RecordType(record), ty.RecordType(other):
                return self._translate_record(data, record, other)
            case ty.MapType(), ty.MapType():
                return self._translate_map(data, type_, target)
            case ty.PlaneType("pose"), ty.PlaneType("pose"):
                self._require_same_name(
                    "kind",
                    find_posed_kind(self.source_program.kinds) or "",
                    find_posed_kind(self.target_program.kinds) or "",
                )
                return data
            case _ if type_ == target:
                return data
            case _:
                raise NoCounterpartError

    def is_identity_for(self, type_: ty.Type, target: ty.Type) -> bool:
        """Whether every value of a type is written the same in the other revision."""
        if isinstance(target, ty.OptionalType):
            return self.is_identity_for(ty.strip_optional(type_), target.inner)
        match type_, target:
            case ty.NumberType(), ty.NumberType(None, None):
                return True
            case ty.ThingType(kind), ty.ThingType(other):
                return self.names.find_new_name("kind", kind) == other
            case (
                ty.FlagType()
                | ty.TextType()
                | ty.LengthType()
                | ty.FractionType()
                | ty.CellType()
                | ty.DirectionType(),
                _,
            ):
                return type_ == target
            case ty.PlaneType(name), _:
                return type_ == target and name != "pose"
            case _:
                return False

    def _require_same_name(self, sort: str, here: str, there: str) -> None:
        if self.names.find_new_name(sort, here) != there:
            raise NoCounterpartError

    def _translate_record(self, data: dict[str, Any], record: str, other: str) -> dict[str, Any]:
        known = {field.name: field.type for field in self.target_program.records[other].parts}
        crossed = {}
        for part in self.source_program.records[record].parts:
            name = self.translate_part_name(record, part.name)
            if name in known:
                crossed[name] = self._translate_data(data[part.name], part.type, known[name])
        return crossed

    def translate_part_name(self, record: str, part: str) -> str:
        declared_name = self.names.names.get(DeclaredName("part", f"{record}/{part}"))
        return part if declared_name is None else declared_name.name.rpartition("/")[2]

    def _translate_map(self, data: Any, type_: ty.MapType, target: ty.MapType) -> Any:
        pairs = data.items() if isinstance(data, dict) else data
        crossed = [
            [self._translate_data(key, type_.key, target.key), self._translate_data(entry, type_.value, target.value)]
            for key, entry in pairs
        ]
        return write_map_entries(target, sorted(crossed, key=repr))


@dataclasses.dataclass(frozen=True, eq=False)
class RevisionTranslations:
    """Translations between two revisions, in both directions."""

    forward: ValueTranslation  # old to new
    backward: ValueTranslation  # new to old
    # cache of paired die faces, by faces and types
    paired_faces: dict[object, Any] = dataclasses.field(default_factory=dict)

    @cached_property
    def is_identity(self) -> bool:
        """Whether every value of one is the same value of the other, so that nothing is translated."""
        return has_same_data(self.forward.source_program, self.forward.target_program, self.forward.names)

    @cached_property
    def is_interchangeable(self) -> bool:
        """Whether moreover a state file is the same situation for both."""
        return self.is_identity and has_same_starts(self.forward.source_program, self.forward.target_program)

    @cached_property
    def within_new(self) -> ValueTranslation:
        """Translations from the new revision to itself, for what both know."""
        new = self.forward.target_program
        return ValueTranslation(new, new, Correspondence({name: name for name in self.backward.names.names}, {}))


def build_translations(old: Program, new: Program, names: Correspondence) -> RevisionTranslations:
    """Translations between two programs."""
    across = ValueTranslation(old, new, names)
    return RevisionTranslations(across, across.reverse_translation())


_INVARIANT_TYPES = (ty.NumberType, ty.FlagType)


@dataclass(frozen=True, slots=True)
class CommonForm:
    """Common form of the values of one paired play."""

    translations: RevisionTranslations
    old: NameTable  # names of the play in the old revision
    new: NameTable  # names of the play in the new one

    def canonical_old(self, value: Value, type_: ty.Type, target: ty.Type) -> Any:  # compared only
        """Value of the old revision in the new one's type; without counterpart it equals nothing."""
        if self.translations.is_identity or (
            isinstance(type_, _INVARIANT_TYPES) and isinstance(target, _INVARIANT_TYPES)
        ):
            return value
        try:
            return _canonical_json(
                self.translations.forward.translate_value(value_to_json(value, type_, self.old), type_, target)
            )
        except NoCounterpartError:
            return "only old", _canonical_json(value_to_json(value, type_, self.old))

    def canonical_new(self, value: Value, type_: ty.Type) -> Any:  # compared only
        if self.translations.is_identity or isinstance(type_, _INVARIANT_TYPES):
            return value
        data = value_to_json(value, type_, self.new)
        try:
            return _canonical_json(self.translations.within_new.translate_value(data, type_, type_))
        except NoCounterpartError:
            return "only new", _canonical_json(data)

    def pair_faces(
        self, old: tuple[Value, ...], old_type: ty.Type, new: tuple[Value, ...], new_type: ty.Type
    ) -> tuple[tuple[Value, Value], ...] | None:
        """Faces of a die paired as by `pair_values`, cached for all plays: faces name nothing of a play."""
        key = old, old_type, new, new_type
        if key not in self.translations.paired_faces:
            self.translations.paired_faces[key] = self.pair_values(*key)
        result: tuple[tuple[Value, Value], ...] | None = self.translations.paired_faces[key]
        return result

    def pair_values(
        self, old: tuple[Value, ...], old_type: ty.Type, new: tuple[Value, ...], new_type: ty.Type
    ) -> tuple[tuple[Value, Value], ...] | None:
        """Equal values of both paired, whatever their order; None where some have no partner. Dice pair by their order."""
        if len(old) != len(new):
            return None
        if isinstance(old_type, ty.DieType) or isinstance(new_type, ty.DieType):
            return tuple(zip(old, new, strict=True)) if isinstance(old_type, type(new_type)) else None
        first = sorted(((repr(self.canonical_old(item, old_type, new_type)), at) for at, item in enumerate(old)))
        second = sorted(((repr(self.canonical_new(item, new_type)), at) for at, item in enumerate(new)))
        if [text for text, _ in first] != [text for text, _ in second]:
            return None
        items = sorted((at, other) for (_, at), (_, other) in zip(first, second, strict=True))
        return tuple((old[at], new[other]) for at, other in items)


def _canonical_json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class OwnerPair:
    """Owner of stored fields in both revisions, with the fields that both have.

    Fields with another sort of type have no counterpart.
    """

    translation: ValueTranslation
    here: FieldOwner
    there: FieldOwner
    fields: Mapping[str, tuple[Field, Field, bool]]  # by the name here; whether values are written alike

    @property
    def needed_fields(self) -> list[str]:
        """Fields with a start value here and none there."""
        return [name for name, (here, there, _) in self.fields.items() if here.start and there.start is None]

    def translate_fields(self, given: Mapping[str, Any]) -> dict[str, Any]:
        result = {}
        for name, value in given.items():
            if name in self.fields:
                here, there, is_unchanged = self.fields[name]
                result[there.name] = (
                    value if is_unchanged else self.translation.translate_value(value, here.type, there.type)
                )
        return result

    def translate_path(self, path: StatePath) -> StatePath:
        return (*self.there.section, *path[len(self.here.section) :])


def _pair_owners(translation: ValueTranslation) -> Iterator[OwnerPair]:
    targets = {(owner.sort, owner.name): owner for owner in list_field_owners(translation.target_program)}
    for here in list_field_owners(translation.source_program):
        sort = "kind" if here.sort == "attribute" else "board"
        name = (translation.names.find_new_name(sort, here.name) or "?") if here.name else ""
        there = targets.get((here.sort, name))
        if there is not None:
            yield OwnerPair(translation, here, there, dict(_pair_fields(here, there, translation)))


def _pair_fields(
    here: FieldOwner, there: FieldOwner, translation: ValueTranslation
) -> Iterator[tuple[str, tuple[Field, Field, bool]]]:
    for name, field in here.fields.items():
        declared = translation.names.names.get(here.declare_field(name))
        target = None if declared is None else there.fields.get(declared.short_name)
        if target is not None and type(target.type) is type(field.type):
            yield name, (field, target, translation.is_identity_for(field.type, target.type))


def translate_state(state: Mapping[str, Json], translation: ValueTranslation) -> StateData:
    """State in the form of the other revision; what that does not know is left out.

    Raises:
        NoCounterpartError: a value of something both know has no counterpart.
    """
    result: dict[str, Any] = {}
    for pair in translation.owner_pairs:
        given: Any = state.get(pair.here.section[0])
        if given is None or (not pair.there.name and not pair.there.fields):
            continue
        if pair.here.sort == "cell":
            result[pair.there.name] = {key: value for key, value in given.items() if key not in {CELLS, SIDES}}
        elif pair.here.sort in {"attribute", "field"}:
            result[pair.there.section[0]] = {}
        for path, values in pair.here.list_holders(state):
            translated = pair.translate_fields(values)
            if translated or pair.here.sort == "attribute":
                put_in_state(result, pair.translate_path(path), translated)
    result |= _translate_relations(state, translation)
    removed = sorted(_translate_removed(state.get(REMOVED), translation))
    return result | ({REMOVED: removed} if removed else {})


def spell_out_defaults(state: StateData, whole: Mapping[str, Any], translation: ValueTranslation) -> StateData:
    """State with its default values written out wherever the other revision has no start value.

    `whole` is the same state with every value.
    """
    result = copy_state(state)
    for pair in translation.owner_pairs:
        needed = pair.needed_fields
        for path, values in pair.here.list_holders(state) if needed else ():
            known = find_in_state(whole, path) or {}
            lacking = {name: known[name] for name in needed if name in known and name not in values}
            put_in_state(result, path, lacking)
    return result


def _translate_relations(state: Mapping[str, Any], translation: ValueTranslation) -> Iterator[tuple[str, Json]]:
    for name, relation in translation.source_program.relations.items():
        other = translation.names.find_new_name("relation", name) or ""
        if name in state and other in translation.target_program.relations:
            for first, second in zip(
                relation.parameters, translation.target_program.relations[other].parameters, strict=True
            ):
                translation.translate_value("", first.type, second.type)
            yield other, list(state[name])


def _translate_removed(given: Any, translation: ValueTranslation) -> Iterator[str]:
    plurals = {kind.plural for kind in translation.source_program.kinds.values()}
    targets = {pair.here.section[0]: pair.there.section[0] for pair in translation.owner_pairs}
    for written in given or ():
        plural, _, id_ = written.rpartition("/")
        if plural in plurals and plural not in targets:
            raise NoCounterpartError
        yield f"{targets[plural]}/{id_}" if plural in plurals else written


def keep_shared_settings(state: Mapping[str, Json], translation: ValueTranslation) -> StateData:
    """State without readings of settings that the other revision does not have."""
    given = state.get(SETTINGS)
    if not isinstance(given, dict):
        return dict(state)
    known = translation.target_program.settings
    return {
        **state,
        SETTINGS: {
            key: item for key, item in given.items() if translation.names.find_new_name("setting", key) in known
        },
    }


def translate_roles(
    roles: Mapping[str, Json], here: Procedure, there: Procedure, translation: ValueTranslation
) -> dict[str, Json]:
    """Arguments by role in the form of the other revision; roles it does not have are left out.

    Raises:
        NoCounterpartError: a value has no counterpart.
    """
    known: dict[str, Variable] = {variable.name: variable for variable in there.parameters}
    result = {}
    for parameter in here.parameters:
        other = (translation.names.find_new_name("parameter", f"{here.name}/{parameter.name}") or "").rpartition("/")[2]
        if parameter.name in roles and other in known:
            result[other] = translation.translate_value(roles[parameter.name], parameter.type, known[other].type)
    return result


@dataclass(frozen=True, slots=True)
class StartData:
    """Start of a play in one revision: a state in the form of a state file, and roles, both as JSON."""

    state: Mapping[str, Json]
    roles: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class PairedStart:
    """Start of a play in both revisions; pairs are (old, new)."""

    procedures: tuple[Procedure, Procedure]
    starts: tuple[StartData, StartData]
    situations: tuple[Situation, Situation]
    arguments: tuple[tuple[Value, ...], tuple[Value, ...]]  # in the order of the parameters; empty if one is missing
    common_form: CommonForm
    missing_roles: tuple[str, str] = ("", "")  # first missing parameter without default; else empty


def open_in_both(
    procedures: tuple[Procedure, Procedure], starts: tuple[StartData, StartData], translations: RevisionTranslations
) -> PairedStart | None:
    """Start of a play in both, from data; None where one revision refuses the state or the roles."""
    programs = translations.forward.source_program, translations.forward.target_program
    first = parse_situation(dict(starts[0].state), programs[0])
    shared = translations.is_interchangeable and starts[0].state == starts[1].state
    second = first if shared else parse_situation(dict(starts[1].state), programs[1])
    if first is None or second is None:
        return None
    situations = first, second
    return open_with_roles(procedures, starts, situations, translations)


def open_with_roles(
    procedures: tuple[Procedure, Procedure],
    starts: tuple[StartData, StartData],
    situations: tuple[Situation, Situation],
    translations: RevisionTranslations,
) -> PairedStart | None:
    """Start of a play from situations and roles; None where the roles do not fit, or both lack one."""
    programs = translations.forward.source_program, translations.forward.target_program
    lacking = find_missing_role(procedures[0], starts[0].roles), find_missing_role(procedures[1], starts[1].roles)
    old = () if lacking[0] else _read_roles(starts[0].roles, procedures[0], situations[0], programs[0])
    new = () if lacking[1] else _read_roles(starts[1].roles, procedures[1], situations[1], programs[1])
    if old is None or new is None or all(lacking):
        return None
    common = CommonForm(
        translations, NameTable(programs[0], situations[0].base), NameTable(programs[1], situations[1].base)
    )
    return PairedStart(procedures, starts, situations, (old, new), common, lacking)


def find_missing_role(procedure: Procedure, roles: Mapping[str, Json]) -> str:
    """First parameter without a default that the roles omit; empty if none."""
    pairs = zip(procedure.parameters, procedure.defaults, strict=True)
    return next((variable.name for variable, default in pairs if default is None and variable.name not in roles), "")


def _read_roles(
    roles: Mapping[str, Json], procedure: Procedure, situation: Situation, program: Program
) -> tuple[Value, ...] | None:
    read_result = bind_arguments(make_unplaced_map(dict(roles)), procedure, situation, program)
    return None if has_errors(read_result.diagnostics) else read_result.value
