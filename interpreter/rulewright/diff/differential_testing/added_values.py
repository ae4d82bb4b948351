"""Values of a start that only the new revision knows: those of attributes that it adds, each with a default.

The old revision plays such a start without them, and the new one with them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.diff.differential_testing.revision_translation import OwnerPair, ValueTranslation
from rulewright.diff.differential_testing.stored_values import StateData, StatePath, list_field_owners, put_in_state
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import NameTable
from rulewright.documents.state_generation import copy_state
from rulewright.program.declarations import Field, Program
from rulewright.runtime.state import GameSetup, evaluate_start_value
from rulewright.runtime.type_codecs import value_to_json

_OWNER_WORDS = {"cell": "a cell", "side": "a side of a cell", "field": "the game"}


@dataclass(frozen=True, slots=True)
class AddedValue:
    """A value that the old revision has no place for."""

    holder: StatePath  # in a state of the old revision
    name: str  # of the attribute
    value: Json
    label: str  # `hill` of a cell
    is_default: bool  # whether the new revision would begin with it anyway


def find_added_values(state: Mapping[str, Any], across: ValueTranslation) -> tuple[AddedValue, ...] | None:
    """Values of a state of the new revision that the old one does not know; `across` leads from new to old.

    `None` where something else is unknown too, or where an attribute may be an old one with another name.
    """
    result: list[AddedValue] = []
    pairs = {(pair.here.sort, pair.here.name): pair for pair in across.owner_pairs}
    for owner in list_field_owners(across.source_program):
        pair = pairs.get((owner.sort, owner.name))
        for path, values in owner.list_holders(state):
            if pair is None:
                return None
            added = _find_added_fields(pair)
            for name, value in values.items():
                if owner.declare_field(name) in across.names.names:
                    continue
                if name not in added:
                    return None
                is_default = _is_default(value, added[name], across.source_program)
                label = _label_attribute(name, pair)
                result.append(AddedValue(pair.translate_path(path), name, value, label, is_default))
    relations = (name for name in across.source_program.relations if name in state)
    has_other = any(across.names.find_new_name("relation", name) is None for name in relations)
    return None if has_other else tuple(result)


def _find_added_fields(pair: OwnerPair) -> dict[str, Field]:
    """Fields that only the new revision has, with a default; none where the old one has some alone."""
    names = pair.translation.names.names
    targets = {names.get(pair.here.declare_field(name)) for name in pair.here.fields}
    has_lost = any(pair.there.declare_field(name) not in targets for name in pair.there.fields)
    if has_lost or pair.here.sort == "setting":
        return {}
    return {
        name: field
        for name, field in pair.here.fields.items()
        if field.start and pair.here.declare_field(name) not in names
    }


def _is_default(value: Json, field: Field, program: Program) -> bool:
    assert field.start is not None
    try:
        start = evaluate_start_value(field.start, field.type)
    except ValueError:  # it reads something
        return False
    return bool(value_to_json(start, field.type, NameTable(program, GameSetup({}))) == value)


def put_added_values(state: StateData, added: Sequence[AddedValue], across: ValueTranslation) -> StateData:
    """State in the form of a revision, with those of the values that it knows; `across` leads there from the old one."""
    result = copy_state(state)
    for each in added:
        for pair in across.owner_pairs:
            if each.holder[: len(pair.here.section)] == pair.here.section and each.name in pair.there.fields:
                put_in_state(result, pair.translate_path(each.holder), {each.name: each.value})
    return result


def list_added_attributes(across: ValueTranslation) -> tuple[str, ...]:
    """The attributes that a new revision adds with a default, in words; `across` leads from new to old."""
    pairs = sorted(across.owner_pairs, key=lambda pair: pair.here.sort != "field")
    return tuple(dict.fromkeys(_label_attribute(name, pair) for pair in pairs for name in _find_added_fields(pair)))


def _label_attribute(name: str, pair: OwnerPair) -> str:
    return f"`{name}` of {_OWNER_WORDS.get(pair.here.sort) or f'a `{pair.here.name}`'}"


def describe_added_values(added: Sequence[AddedValue]) -> tuple[str, ...]:
    """The attributes whose values make a difference to a default, such as `hill` of a cell."""
    return tuple(dict.fromkeys(each.label for each in added if not each.is_default))
