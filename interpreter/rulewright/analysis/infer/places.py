"""Places that lines can change."""

from rulewright.analysis import infer
from rulewright.analysis.language.wording import wording
from rulewright.analysis.scope import Scope
from rulewright.program.effects import place_of
from rulewright.program.expressions import (
    CellAttribute,
    DerivedAttribute,
    Entry,
    Expression,
    GameField,
    Gone,
    Local,
    Part,
    SettingValue,
    StoredAttribute,
)
from rulewright.program.statements import (
    AttributePlace,
    CellPlace,
    EntryPlace,
    GamePlace,
    PartPlace,
    Place,
    VariablePlace,
)
from rulewright.program.types import Type
from rulewright.syntax.nodes.expressions import Expression as Node


def place(node: Node, scope: Scope) -> Place | None:
    """What `set`, `add`, `take`, `draw` and `shuffle` change; reports values that cannot be changed.

    Whether a name may be changed (parameters and names of a loop may not) is for the caller to say.
    """
    found = infer.infer(node, scope)
    return None if found is None else _place(found, scope)


def _place(value: Expression, scope: Scope) -> Place | None:  # noqa: PLR0911 - one case for each sort
    match value:
        case Local(variable=variable):
            return VariablePlace(variable)
        case GameField(name=name):
            return GamePlace(name, _declared_game(name, value.type, scope))
        case StoredAttribute(target=target, kind=kind, name=name):
            fields = {field.name: field.type for field in scope.shapes.kinds[kind].fields}
            return AttributePlace(target, kind, name, fields[name])
        case CellAttribute(target=target, board=board, name=name):
            return CellPlace(target, board, name, scope.shapes.cells[board][name].type)
        case Entry(target=target, key=key, type=type_):
            outer = _place(target, scope)
            return None if outer is None else EntryPlace(outer, key, type_)
        case Part(target=target, name=name, position=position, type=type_):
            outer = _place(target, scope)
            return None if outer is None else PartPlace(outer, name, position, type_)
        case _:
            scope.report.error("RW0330", value.span, _refusal(value))
            return None


def _declared_game(name: str, narrowed: Type, scope: Scope) -> Type:
    for module in scope.linked.modules:
        symbol = module.names.get(name.removeprefix(module.prefix))
        if symbol is not None and symbol.name == name and symbol.sort == "game":
            return symbol.type or narrowed
    return narrowed


def _refusal(value: Expression) -> str:
    match value:
        case DerivedAttribute():
            return f"`{wording(value)}` is derived and cannot be changed"
        case SettingValue():
            return f"`{wording(value)}` is a setting, fixed for the play"
        case Gone():
            return f"`{wording(value)}` cannot be set; `remove` takes a thing out of play"
        case _:
            return "this is a value and not a place that can be changed"


def written(changed: Place) -> frozenset[str]:
    """What is written when the place changes, in the notation of `forget`."""
    root = changed
    while isinstance(root, EntryPlace | PartPlace):
        root = root.target
    return frozenset({f"local/{root.variable.index}"}) if isinstance(root, VariablePlace) else place_of(root)
