"""Start situations for both revisions: generated, completed or mutated."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.diff.differential_testing.revision_translation import (
    NoCounterpartError,
    PairedStart,
    RevisionTranslations,
    StartData,
    ValueTranslation,
    keep_shared_settings,
    open_with_roles,
    spell_out_defaults,
    translate_roles,
    translate_state,
)
from rulewright.diff.differential_testing.shared_questions import make_value_source
from rulewright.diff.differential_testing.stored_values import (
    StateData,
    find_in_state,
    list_field_owners,
    put_in_state,
)
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import GAME, SETTINGS, NameTable
from rulewright.documents.state_generation import BASE_ATTRIBUTE, PLACE_ATTRIBUTE, copy_state, parse_situation
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_sampling import (
    THOUSANDTHS_PER_UNIT,
    ChoiceSource,
    NoValueError,
    SizeRanges,
    ValueSampler,
    base_radius,
    choose_one,
    choose_with_chance,
    make_board_shape,
    thousandths_to_json,
)
from rulewright.program.board_geometry import POINT
from rulewright.program.declarations import Field, Procedure, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.outline.items import DeclaredName
from rulewright.program.types import FlagType, NumberType, OptionalType, ThingType, Type, strip_optional
from rulewright.runtime.state import GameSetup, Situation, evaluate_start_value
from rulewright.runtime.type_codecs import value_to_json

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


def draw_starts(  # noqa: PLR0913, PLR0917
    paired_state: PairedState,
    side: int,
    procedures: tuple[Procedure, Procedure],
    translations: RevisionTranslations,
    chooser: ChoiceSource,
    wished: Mapping[str, Json] | None = None,
) -> Iterator[PairedStart]:
    """Up to 40 starts of a procedure in a situation; roles are drawn in one revision except for wished ones."""
    translation = translations.backward if side else translations.forward
    here, there = procedures[side], procedures[1 - side]
    names = NameTable(translation.source_program, paired_state.situations[side].base)
    optional = find_optional_roles(here, there, translation)
    given = wished or {}
    every = [
        [given[parameter.name]]
        if parameter.name in given
        else [
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


(
    _MAX_MUTATIONS,
    _NEAR_CONSTANT_PERCENT,
    _REFERENCE_PERCENT,
    _READ_PLACE_PERCENT,
    _SAME_PLACE_PERCENT,
    _DISTANCE_PERCENT,
    _FROM_EDGE_PERCENT,
) = 3, 60, 25, 70, 20, 70, 70


@dataclass(frozen=True, slots=True)
class _StateValue:
    holder: Any
    key: str
    type: Type
    place: str


def mutate_state(
    state: StateData, program: Program, constants: Sequence[int], read: Collection[str], values: ValueSampler
) -> StateData:
    """State with one to three values drawn anew: numbers often a constant or another number, things often where one is.

    On the plane things are often placed a constant apart.
    """
    result = copy_state(state)
    _spell_out_settings(result, program, read)
    spots = [state_value for state_value in _iterate_state_values(result, program) if _may_mutate(state_value, values)]
    numbers = [state_value.holder[state_value.key] for state_value in spots if isinstance(state_value.type, NumberType)]
    near = [state_value for state_value in spots if state_value.place in read] or spots
    for _ in range(1 + values.chooser.below(_MAX_MUTATIONS) if spots else 0):
        spot = choose_one(values.chooser, near if choose_with_chance(values.chooser, _READ_PLACE_PERCENT) else spots)
        others = [
            state_value.holder for state_value in spots if state_value.place == spot.place and state_value is not spot
        ]
        if spot.key == PLACE_ATTRIBUTE and others and choose_with_chance(values.chooser, _SAME_PLACE_PERCENT):
            drawn = choose_one(values.chooser, others)[PLACE_ATTRIBUTE]
        elif (
            spot.key == PLACE_ATTRIBUTE
            and others
            and strip_optional(spot.type) == POINT
            and choose_with_chance(values.chooser, _DISTANCE_PERCENT)
        ):
            drawn = _draw_point_off_others(
                spot.holder, choose_one(values.chooser, others), constants, program, values.chooser
            )
        else:
            drawn = _draw_new_value(spot, [*constants, *numbers], values)
        spot.holder[spot.key] = drawn
    return result


def level_numbers(state: StateData, program: Program, level: int | None) -> StateData:
    """State with all numbers of its things set to one level where they can hold it; to their maximum without a level."""
    result = copy_state(state)
    for spot in _iterate_state_values(result, program):
        number = spot.type if isinstance(spot.type, NumberType) else None
        wanted = level if level is not None or number is None else number.high
        if number is not None and wanted is not None and number.contains_number(wanted) and "/" in spot.place:
            spot.holder[spot.key] = wanted
    return result


def _draw_point_off_others(
    thing: Any, other: Any, constants: Sequence[int], program: Program, chooser: ChoiceSource
) -> Json:
    bases = (
        [item[BASE_ATTRIBUTE] for item in (thing, other) if BASE_ATTRIBUTE in item]
        if choose_with_chance(chooser, _FROM_EDGE_PERCENT)
        else []
    )
    written = [constant for constant in constants if constant >= 0 and {constant - 1, constant + 1} <= set(constants)]
    far = choose_one(chooser, written or [0])
    way = (far * THOUSANDTHS_PER_UNIT + sum(base_radius(base, program) for base in bases)) * choose_one(
        chooser, (1, -1)
    )
    at = [round(item * THOUSANDTHS_PER_UNIT) for item in other[PLACE_ATTRIBUTE]]
    at[chooser.below(2)] += way
    return [thousandths_to_json(item) for item in at]


def _may_mutate(spot: _StateValue, values: ValueSampler) -> bool:
    if spot.key == BASE_ATTRIBUTE:
        return False
    return not isinstance(spot.type, ThingType) or choose_with_chance(values.chooser, _REFERENCE_PERCENT)


def _iterate_state_values(state: StateData, program: Program) -> Iterator[_StateValue]:
    """Values of things, of the game and of settings."""
    for owner in list_field_owners(program):
        for _, values in owner.list_holders(state) if owner.sort not in {"cell", "side"} else ():
            for name, field in owner.fields.items():
                if name in values:
                    yield _StateValue(values, name, field.type, f"{owner.label}/{name}")


def _spell_out_settings(state: StateData, program: Program, read: Collection[str]) -> None:
    """Put the readings of settings that are read and not given into a state."""
    given = find_in_state(state, (SETTINGS,)) or {}
    for name, setting in program.settings.items():
        if f"{SETTINGS}/{name}" in read and name not in given:
            start = evaluate_start_value(setting.value, setting.type)
            written = value_to_json(start, setting.type, NameTable(program, GameSetup({})))
            put_in_state(state, (SETTINGS,), {name: written})


def _draw_new_value(spot: _StateValue, turning: Sequence[int], values: ValueSampler) -> Any:
    match spot.type:
        case NumberType() if choose_with_chance(values.chooser, _NEAR_CONSTANT_PERCENT):
            now = spot.holder[spot.key]
            near = [*turning, now - 1, now + 1]
            fits = [item for item in near if spot.type.contains_number(item)]
            return choose_one(values.chooser, fits) if fits else now
        case FlagType():
            return not spot.holder[spot.key]
        case type_:
            return values.sample_value(type_)
