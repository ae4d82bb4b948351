"""Start situations for both revisions: completed, paired, opened, and with other values."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from rulewright.base.diagnostics import has_errors
from rulewright.base.frozen import dataclass
from rulewright.diff.differential_testing.added_values import AddedValue, put_added_values
from rulewright.diff.differential_testing.revision_translation import (
    NoCounterpartError,
    PairedStart,
    RevisionTranslations,
    StartData,
    ValueTranslation,
    keep_shared_settings,
    open_in_both,
    open_with_roles,
    spell_out_defaults,
    translate_roles,
    translate_state,
)
from rulewright.diff.differential_testing.shared_questions import FirstChooser, make_value_source
from rulewright.diff.differential_testing.stored_values import StateData, list_field_owners
from rulewright.documents.document_nodes import Json, make_unplaced_map
from rulewright.documents.name_table import GAME, NameTable
from rulewright.documents.state_file import parse_state
from rulewright.documents.state_generation import copy_state, parse_situation
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_sampling import (
    ChoiceSource,
    NoValueError,
    SizeRanges,
    ValueSampler,
    make_board_shape,
)
from rulewright.program.declarations import Field, Procedure, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.outline.items import DeclaredName
from rulewright.program.types import NumberType, OptionalType, ThingType, Type
from rulewright.runtime.state import Situation

CellPosition = tuple[int, int]


def fill_state(
    state: Mapping[str, Any], program: Program, cells: Sequence[CellPosition], chooser: ChoiceSource
) -> StateData:
    """State with a drawn value for everything without a start value, and with every board; the rest keeps its start.

    Raises:
        NoValueError: something can have no value, such as a reference to a kind without things.
    """
    sizes = SizeRanges()
    result: dict[str, Any] = dict(state)
    things = {kind.name: list(result.get(kind.plural, {})) for kind in program.kinds.values()}
    for board in program.boards.values():
        if board.name not in result and board.space != "plane":
            written, cells = make_board_shape(board, chooser, sizes)
            result[board.name] = {"shape": written}
    values = ValueSampler(program, chooser, things, cells, sizes)
    for kind in program.kinds.values():
        given = result.get(kind.plural, {})
        result[kind.plural] = {id_: _fill_values(attributes, kind.fields, values) for id_, attributes in given.items()}
    if program.game:
        result[GAME] = _fill_values(result.get(GAME, {}), program.game.values(), values)
    return result


def _fill_values(given: Mapping[str, Any], fields: Iterable[Field], values: ValueSampler) -> dict[str, Any]:
    lacking = {
        field.name: values.sample_value(field.type)
        for field in fields
        if field.start is None and field.name not in given
    }
    return {**given, **lacking}


_MAX_ROLE_CHOICES, _VALUES_PER_ROLE = 40, 3
OMITTED_ARGUMENT: Json = {"left": "out"}
"""Placeholder for an argument that is left to its default."""


@dataclass(frozen=True, slots=True)
class PairedState:
    """State that both revisions can read, as data and as situation, of the old and of the new revision."""

    states: tuple[StateData, StateData]
    situations: tuple[Situation, Situation]


def pair_state(
    state: StateData, side: int, translations: RevisionTranslations, chooser: ChoiceSource
) -> PairedState | None:
    """State of one revision (0 is the old one) with its counterpart; None where either cannot be read."""
    translation = translations.backward if side else translations.forward
    source_state = keep_shared_settings(state, translation)
    here = parse_situation(source_state, translation.source_program)
    if here is None:
        return None
    try:
        cells = [cell for result in here.base.boards.values() for cell in result]
        if translations.is_identity:
            target_state = source_state
        else:
            source_state = spell_out_defaults(
                source_state, state_to_json(here, translation.source_program), translation
            )
            target_state = fill_state(
                translate_state(source_state, translation), translation.target_program, cells, chooser
            )
    except (NoCounterpartError, NoValueError):
        return None
    there = here if translations.is_interchangeable else parse_situation(target_state, translation.target_program)
    if there is None:
        return None
    return (
        PairedState((target_state, source_state), (there, here))
        if side
        else PairedState((source_state, target_state), (here, there))
    )


def draw_starts(
    paired_state: PairedState,
    side: int,
    procedures: tuple[Procedure, Procedure],
    translations: RevisionTranslations,
    chooser: ChoiceSource,
) -> Iterator[PairedStart]:
    """Up to 40 starts of a procedure in a situation; roles are drawn in one revision."""
    translation = translations.backward if side else translations.forward
    here, there = procedures[side], procedures[1 - side]
    names = NameTable(translation.source_program, paired_state.situations[side].base)
    optional = find_optional_roles(here, there, translation)
    every = [
        [
            *list_role_candidates(parameter.type, paired_state.situations[side], make_value_source(names, chooser)),
            *([OMITTED_ARGUMENT] if parameter.name in optional else []),
        ]
        for parameter in here.parameters
    ]
    possible = list(product(*every))
    for _ in range(min(_MAX_ROLE_CHOICES, len(possible))):
        roles = name_values(
            (parameter.name for parameter in here.parameters), possible.pop(chooser.below(len(possible)))
        )
        try:
            other = translate_roles(roles, here, there, translation)
        except NoCounterpartError:
            continue
        both = (other, roles) if side else (roles, other)
        starts = StartData(paired_state.states[0], both[0]), StartData(paired_state.states[1], both[1])
        opened = open_with_roles(procedures, starts, paired_state.situations, translations)
        if opened is not None:
            yield opened


_LOST_MESSAGE = "it holds something that the new revision does not know"


def open_written_start(  # noqa: PLR0913
    begins: str,
    written: StartData,
    translations: RevisionTranslations,
    side: int = 0,
    *,
    added: Sequence[AddedValue] = (),
    fills: bool = False,
) -> PairedStart | str:
    """Start of a play as one revision (0 is the old one) writes it, in both; or why the other cannot begin it.

    Args:
        begins: procedure.
        written: state and roles.
        translations: between both.
        side: the revision.
        added: values that the other one has besides, as far as it knows them.
        fills: whether the other one gets the plainest value for whatever else it needs.
    """
    across = translations.backward if side else translations.forward
    procedure = across.source_program.procedures.get(begins)
    other = across.target_program.procedures.get(across.names.find_new_name("procedure", begins) or "")
    if procedure is None or other is None:
        return f"there is no procedure `{begins}` any more"
    if other.inner:
        return f"`{other.name}` is an inner procedure now, and cannot be begun"
    situation = parse_situation(dict(written.state), across.source_program)
    if situation is None:
        return "the old revision does not take its start"
    here = spell_out_defaults(dict(written.state), state_to_json(situation, across.source_program), across)
    try:
        there = put_added_values(translate_state(here, across), added, across)
        if fills:
            there = fill_state(there, across.target_program, (), FirstChooser())
        roles = translate_roles(written.roles, procedure, other, across)
    except (NoCounterpartError, NoValueError):
        return _LOST_MESSAGE
    procedures, starts = (procedure, other), (StartData(here, written.roles), StartData(there, roles))
    if side:
        procedures, starts = procedures[::-1], starts[::-1]
    return open_in_both(procedures, starts, translations) or _explain_refused_start(there, across)


def _explain_refused_start(state: StateData, across: ValueTranslation) -> str:
    read_result = parse_state(make_unplaced_map(dict(state)), across.target_program)
    first = next((diagnostic for diagnostic in read_result.diagnostics if has_errors([diagnostic])), None)
    return "it lacks a role that the new revision wants" if first is None else first.message


def name_values(names: Iterable[str], chosen: Sequence[Json]) -> dict[str, Json]:
    """Values by name, without `OMITTED_ARGUMENT`."""
    return {name: value for name, value in zip(names, chosen, strict=True) if value is not OMITTED_ARGUMENT}


def find_optional_roles(here: Procedure, there: Procedure, translation: ValueTranslation) -> frozenset[str]:
    """Parameters that a play of either revision may omit, by their names here."""
    names = {
        parameter.name: translation.names.find_new_name("parameter", f"{here.name}/{parameter.name}")
        for parameter in here.parameters
    }
    optional_there = {
        f"{there.name}/{variable.name}" for variable, default in _parameters_with_defaults(there) if default is not None
    }
    optional_here = {variable.name for variable, default in _parameters_with_defaults(here) if default is not None}
    return frozenset(optional_here | {name for name, target in names.items() if target in optional_there})


def _parameters_with_defaults(procedure: Procedure) -> Iterator[tuple[Variable, Expression | None]]:
    return zip(procedure.parameters, procedure.defaults, strict=True)


def list_role_candidates(type_: Type, situation: Situation, values: ValueSampler) -> list[Json]:
    """Arguments for a parameter of a type: all things in play, or some drawn values."""
    match type_:
        case ThingType(kind):
            removed = situation.gone.get(kind, ())
            return [thing for at, thing in enumerate(situation.base.things[kind]) if at not in removed]
        case OptionalType(inner):
            return [None, *list_role_candidates(inner, situation, values)]
        case _:
            try:
                return [values.sample_value(type_) for _ in range(_VALUES_PER_ROLE)]
            except NoValueError:
                return []


def drop_changed_values(state: StateData, altered: Collection[DeclaredName], program: Program) -> StateData:
    """State without values of changed stored data, so that each revision begins with its own start value."""
    result = copy_state(state)
    for owner in list_field_owners(program):
        changed = [name for name in owner.fields if owner.declare_field(name) in altered]
        for _, values in owner.list_holders(result) if changed else ():
            for name in changed:
                values.pop(name, None)
    return result


def level_numbers(state: StateData, program: Program, level: int | None) -> StateData:
    """State with the numbers of things, game and settings set to one level where they can hold it.

    Without a level each is set to its maximum.
    """
    result = copy_state(state)
    for owner in list_field_owners(program):
        numbers = {name: field.type for name, field in owner.fields.items() if isinstance(field.type, NumberType)}
        for _, values in owner.list_holders(result) if owner.sort not in {"cell", "side"} else ():
            for name in numbers.keys() & values.keys():
                wanted = numbers[name].high if level is None else level
                if wanted is not None and numbers[name].contains_number(wanted):
                    values[name] = wanted
    return result
