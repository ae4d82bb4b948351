"""Typing of declarations: types and fields first, then signatures, then start values (manual, Things)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from rulewright.base.diagnostics import DiagnosticCollector, Edit
from rulewright.base.diagnostics.remedies import make_deletion_edits, make_name_remedy, make_replacement_remedy
from rulewright.base.source import Span
from rulewright.checker.change_impact import ResultKey
from rulewright.checker.effects import EffectIndex
from rulewright.checker.facts.intervals import Interval
from rulewright.checker.functions import demand_building
from rulewright.checker.incremental import DeclarationResult
from rulewright.checker.infer.expression_inference import infer_expression, make_declaration_scope
from rulewright.checker.infer.type_fitting import find_common_type, infer_fitted
from rulewright.checker.name_spaces import PLAYERS_PLURAL
from rulewright.checker.read_sets import collect_reads, is_written_out
from rulewright.checker.scope import PendingStart, TypeEnvironment
from rulewright.checker.signatures import bind_externals, declare_callables, is_first_of_name
from rulewright.checker.symbols import LinkedModule, LinkedProgram
from rulewright.program import declarations as typed, types as ty
from rulewright.program.expressions import Expression
from rulewright.program.types import Type
from rulewright.syntax.nodes import declarations as d, expressions as e


def declare_all(
    linked: LinkedProgram,
    report: DiagnosticCollector,
    results_before: Mapping[ResultKey, DeclarationResult] | None = None,
) -> TypeEnvironment:
    """Types all declarations, registers functions (`demand_building.register_functions`) and infers start values.

    Fills `Symbol.type` and `Symbol.parameters` in the modules and `LinkedProgram.external_bindings`. Reports RW0207,
    RW0208, RW0214 to RW0224 and what types and expressions report. `results_before` are results of an earlier check.
    """
    environment = TypeEnvironment(linked, report)
    environment.results_store.reusable = results_before or {}
    declare_things(environment)
    declare_callables(environment)
    _refresh_shared_symbols(linked)
    demand_building.register_functions(environment)
    declare_starts(environment)
    _refresh_shared_symbols(linked)
    bind_externals(environment)
    environment.effects = EffectIndex(environment)
    return environment


def _refresh_shared_symbols(linked: LinkedProgram) -> None:
    """Copies types and parameters of symbols to the modules that share them."""
    spaces = [(module.prefix, space) for module in linked.modules for space in (module.names, module.callables)]
    module_symbols = (
        symbol for prefix, space in spaces for name, symbol in space.items() if symbol.name == prefix + name
    )
    owned = {(symbol.sort, symbol.name): symbol for symbol in module_symbols}
    for _, space in spaces:
        space.update({name: owned.get((old.sort, old.name), old) for name, old in space.items()})


_FieldTuple = tuple[typed.Field, ...]


def declare_things(environment: TypeEnvironment) -> None:
    shared = {"name": "player", "title": "", "cites": (), "span": Span("", 0, 0)}
    kinds = environment.kinds
    kinds["player"] = typed.Kind(**shared, plural=PLAYERS_PLURAL, fields=(), derived=())  # type: ignore[arg-type]
    declaring: dict[type[Any], Callable[[Any, LinkedModule, TypeEnvironment], None]] = {
        d.Values: _declare_word_list,
        d.Kind: _declare_kind,
        d.Record: _declare_record,
        d.Board: _declare_board,
        d.Game: _declare_game_fields,
        d.Setting: _declare_setting,
        d.Always: _learn_counted_kind,
    }
    for sort, declared in declaring.items():
        for module, node in environment.iterate_declarations(sort):
            declared(node, module, environment)


def _declare_word_list(node: d.Values, module: LinkedModule, environment: TypeEnvironment) -> None:
    name = module.prefix + node.name.text
    words = tuple(typed.Word(word.name.text, word.title.text if word.title else "") for word in node.words)
    environment.values[name] = typed.WordList(**environment.make_shared_fields(name, node), words=words)


def _declare_kind(node: d.Kind, module: LinkedModule, environment: TypeEnvironment) -> None:
    kinds = environment.kinds
    if node.name.text == "player":
        old = kinds["player"]
        stored, derived = _declare_fields(node.fields, "player", module, environment, known=old.fields)
        fields, functions = (*old.fields, *stored), (*old.derived, *derived)
        kinds["player"] = typed.Kind(
            **environment.make_shared_fields("player", node), plural=PLAYERS_PLURAL, fields=fields, derived=functions
        )
    elif is_first_of_name(module.types, node.name):
        name = module.prefix + node.name.text
        stored, derived = _declare_fields(node.fields, name, module, environment)
        plural = module.prefix + node.plural.text
        kinds[name] = typed.Kind(
            **environment.make_shared_fields(name, node), plural=plural, fields=stored, derived=derived
        )


def _learn_counted_kind(node: d.Always, module: LinkedModule, environment: TypeEnvironment) -> None:
    """Learns the number of things of a kind from `always two: count(players) >= 2`.

    Where it is one number, as in `count(players) = 2`, none can leave play.
    """
    condition = node.condition
    if node.binder is not None or node.guard is not None or not isinstance(condition, e.Binary):
        return
    match condition.left, condition.operator, condition.right:
        case e.Call(e.Reference(name="count"), (e.Argument(None, e.Reference(name=plural)),)), sign, bound:
            low, high = _get_comparison_bounds(sign, bound)
        case _:
            return
    symbol = module.names.get(plural)
    if symbol is None or symbol.sort != "plural" or symbol.name not in environment.kinds or (low, high) == (None, None):
        return
    if low == high:
        environment.kinds[symbol.name] = replace(environment.kinds[symbol.name], number=low)
        environment.lasting_counts[symbol.name] = low, high
    least, most = environment.always_counted.get(symbol.name, (0, None))
    both = [item for item in (most, high) if item is not None]
    environment.always_counted[symbol.name] = max(least or 0, low or 0), min(both, default=None)


def _get_comparison_bounds(sign: str, bound: e.Expression) -> Interval:
    """Interval of a number that is compared with a whole number, or `in` a range of two."""
    match sign, bound:
        case "=", e.WholeNumber(value=number):
            return number, number
        case ">=" | ">", e.WholeNumber(value=number):
            return number + (sign == ">"), None
        case "<=" | "<", e.WholeNumber(value=number):
            return None, number - (sign == "<")
        case "in", e.Binary(operator="..", left=e.WholeNumber(value=low), right=e.WholeNumber(value=high)):
            return low, high
        case _:
            return None, None


def _declare_record(node: d.Record, module: LinkedModule, environment: TypeEnvironment) -> None:
    if not is_first_of_name(module.types, node.name):
        return
    name = module.prefix + node.name.text
    for part in node.fields:
        if isinstance(part, d.StoredField) and part.start is not None:
            message = "a part of a record has no start value: it is made whole"
            edits = make_deletion_edits(Span(part.name.span.source, part.type.span.end, part.start.span.end))
            environment.report.error("RW0218", part.name.span, message, help="leave out `= …`", edits=edits)
    parts, derived = _declare_fields(node.fields, name, module, environment)
    environment.records[name] = typed.Record(**environment.make_shared_fields(name, node), parts=parts, derived=derived)


def _declare_fields(
    nodes: tuple[d.Field, ...], owner: str, module: LinkedModule, environment: TypeEnvironment, known: _FieldTuple = ()
) -> tuple[_FieldTuple, tuple[str, ...]]:
    """Stored fields of a kind, record or board, and names of the functions of its derived ones."""
    names = {field.name for field in known}
    stored: list[typed.Field] = []
    derived: list[str] = []
    for node in nodes:
        address = f"{owner}/{node.name.text}"
        if node.name.text in {"gone", "pose"}:
            message = f"everything has `.{node.name.text}` already"
            environment.report.error("RW0208", node.name.span, message, help="choose another name")
        elif environment.check_new_name(node.name, names):
            if isinstance(node, d.StoredField):
                stored.extend(_declare_stored_field(node, address, module, environment))
            else:
                derived.append(address)
    return tuple(stored), tuple(derived)


def _declare_stored_field(
    node: d.StoredField, address: str, module: LinkedModule, environment: TypeEnvironment
) -> _FieldTuple:
    type_ = environment.resolve_type(node.type, module)
    if type_ is None or not _can_store_type(type_, node, environment):
        environment.failed_declarations.add(address)
        return ()
    if node.start is not None:
        environment.pending_starts.append(
            PendingStart(node.start, type_, module, address, partial(_store_start, address, environment))
        )
    title = node.title.text if node.title else ""
    return (typed.Field(name=node.name.text, address=address, type=type_, start=None, title=title, span=node.span),)


def _can_store_type(type_: Type, node: d.StoredField, environment: TypeEnvironment) -> bool:
    """Whether values of a type may be stored: a fraction may not, for it has no bounds (RW0244)."""
    waiting = [type_]
    for item in waiting:
        waiting.extend(ty.list_held_types(item))
    if not any(isinstance(held, ty.FractionType) for held in waiting):
        return True
    remedy = "round it with `floor`, `ceiling` or `round`, or keep the two numbers and divide them in a `term`"
    environment.report.error("RW0244", node.type.span, "a fraction has no bounds, so it is not stored", help=remedy)
    return False


def _store_start(address: str, environment: TypeEnvironment, start: Expression) -> None:
    owner, _, name = address.partition("/")

    def fill_start(fields: _FieldTuple) -> _FieldTuple:
        return tuple(replace(field, start=start) if field.address == address else field for field in fields)

    if owner == "game":
        environment.game[name] = replace(environment.game[name], start=start)
    elif owner in environment.kinds:
        kind = environment.kinds[owner]
        environment.kinds[owner] = replace(kind, fields=fill_start(kind.fields))
    elif owner in environment.boards:
        board = environment.boards[owner]
        _register_board(replace(board, fields=fill_start(board.fields), sides=fill_start(board.sides)), environment)


def _register_board(board: typed.Board, environment: TypeEnvironment) -> None:
    environment.boards[board.name] = board
    environment.cell_attributes[board.name] = {field.name: field for field in board.fields}
    environment.side_attributes[board.name] = {side.name: side for side in board.sides}


def _declare_board(node: d.Board, module: LinkedModule, environment: TypeEnvironment) -> None:
    if (
        not is_first_of_name(module.names, node.name)
        or not _check_board_space(node, environment)
        or not _check_board_units(node, environment)
    ):
        return
    if node.space.text == "plane":
        _declare_plane_board(node, module, environment)
        return
    for field in node.fields:
        if not isinstance(field, d.StoredField):
            message = "a cell has no derived attributes"
            environment.report.error("RW0219", field.name.span, message, help="declare a `term` of a hex")
    name = module.prefix + node.name.text
    stored, _ = _declare_fields(node.fields, name, module, environment)
    _check_cell_starts(node, {item.name: item.type for item in stored}, environment)
    between = {field.name.text for field in node.fields if isinstance(field, d.StoredField) and field.side}
    fields = tuple(item for item in stored if item.name not in between)
    sides = tuple(item for item in stored if item.name in between)
    _register_board(
        typed.Board(**environment.make_shared_fields(name, node), space=node.space.text, fields=fields, sides=sides),
        environment,
    )


def _check_cell_starts(node: d.Board, types: Mapping[str, Type], environment: TypeEnvironment) -> None:
    """Reports attributes of cells and sides without a start value: rules may ask for those off the board (RW0426)."""
    for field in node.fields:
        if not isinstance(field, d.StoredField) or field.start is not None or field.name.text not in types:
            continue
        whose = "side" if field.side else "cell"
        message = f"`{field.name.text}` of a {whose} has no start value"
        first, end = _format_least_value(types[field.name.text], environment), field.type.span.end
        remedy = f"write what most {whose}s begin with after the type" + (f", such as `= {first}`" if first else "")
        edits = (Edit(Span(field.type.span.source, end, end), f" = {first}"),) if first else ()
        environment.report.proved_error("RW0426", field.name.span, message, help=remedy, edits=edits)


def _format_least_value(type_: Type, environment: TypeEnvironment) -> str:
    match type_:
        case ty.FlagType():
            return "no"
        case ty.OptionalType():
            return "none"
        case ty.NumberType(low=int(low)):
            return str(low)
        case ty.WordType(values=values):
            return environment.values[values].words[0].name
        case ty.SetType() | ty.MapType():
            return "{}"
    return ""


def _declare_plane_board(node: d.Board, module: LinkedModule, environment: TypeEnvironment) -> None:
    for field in node.fields:
        message = f"a board of the plane has no cells, so none has `{field.name.text}`"
        remedy = "declare a kind with an `outline: polygon` and give it the attribute"
        environment.report.error("RW0240", field.name.span, message, help=remedy)
    other = next((board for board in environment.boards.values() if board.space == "plane"), None)
    if other is not None:
        message = f"there is a board of the plane already, `{other.name}`"
        environment.report.error("RW0241", node.name.span, message, help="a point lies on the one board of the plane")
        return
    unit = node.unit.text if node.unit else ty.INCHES
    bases = node.bases.text if node.bases else unit
    name = module.prefix + node.name.text
    _register_board(
        typed.Board(
            **environment.make_shared_fields(name, node), space="plane", fields=(), sides=(), unit=unit, bases=bases
        ),
        environment,
    )


def _check_board_space(node: d.Board, environment: TypeEnvironment) -> bool:
    space, known = node.space.text, [*ty.GRID_STEPS, "plane"]
    if space not in known:
        message = f"there is no board of `{space}`"
        listed = "a board is `of hex`, `of square`, `of square8` or `of plane`"
        edits = make_name_remedy(space, known, node.space.span).edits
        environment.report.error("RW0215", node.space.span, message, help=listed, edits=edits)
    return space in known


def _check_board_units(node: d.Board, environment: TypeEnvironment) -> bool:
    units = [item for item in (node.unit, node.bases) if item is not None]
    if units and node.space.text != "plane":
        edits = (Edit(Span(units[0].span.source, node.space.span.end, units[-1].span.end), ""),)
        message = f"cells of {node.space.text} are counted and have no unit"
        environment.report.error("RW0245", units[0].span, message, help="leave the unit out", edits=edits)
        return False
    unknown = [item for item in units if item.text not in ty.INCHES_PER_UNIT]
    for name in unknown:
        remedy = make_name_remedy(name.text, ty.INCHES_PER_UNIT, name.span, "a unit is `inches`, `cm` or `mm`")
        if name.text.lower() in _UNIT_ALIASES:
            remedy = make_replacement_remedy(_UNIT_ALIASES[name.text.lower()], name.span)
        environment.report.error("RW0245", name.span, f"lengths are not counted in `{name.text}`", remedy=remedy)
    return not unknown


_UNIT_ALIASES = {
    **dict.fromkeys(("in", "inch"), ty.INCHES),
    **dict.fromkeys(("centimetre", "centimetres", "centimeter", "centimeters"), "cm"),
    **dict.fromkeys(("millimetre", "millimetres", "millimeter", "millimeters"), "mm"),
}


def _declare_game_fields(node: d.Game, module: LinkedModule, environment: TypeEnvironment) -> None:
    for field in node.fields:
        if not isinstance(field, d.StoredField):
            environment.report.error("RW0219", field.name.span, "`game` stores all it holds", help="declare a `term`")
        elif is_first_of_name(module.names, field.name):
            name = module.prefix + field.name.text
            for stored_field in _declare_stored_field(field, f"game/{name}", module, environment):
                environment.game[name] = stored_field
                module.names[field.name.text] = replace(module.names[field.name.text], type=stored_field.type)


def _declare_setting(node: d.Setting, module: LinkedModule, environment: TypeEnvironment) -> None:
    if not is_first_of_name(module.names, node.name) or node.type is None:
        return
    type_ = environment.resolve_type(node.type, module)
    if type_ is None:
        return
    name = module.prefix + node.name.text
    module.names[node.name.text] = replace(module.names[node.name.text], type=type_)

    def store_setting_value(value: Expression) -> None:
        environment.settings[name] = typed.Setting(
            **environment.make_shared_fields(name, node), type=type_, value=value
        )

    environment.pending_starts.append(PendingStart(node.value, type_, module, name, store_setting_value))


def declare_starts(environment: TypeEnvironment) -> None:
    for start in environment.pending_starts:
        environment.report.address = start.address
        scope = make_declaration_scope(start.module, environment)
        value = infer_fitted(start.node, start.type, scope, f"`{start.address.rpartition('/')[2]}`")
        if value is not None and check_fixed_value(value, "a start value", environment.report):
            start.store(value)
    for module, die in environment.iterate_declarations(d.DieDeclaration):
        if is_first_of_name(module.names, die.name):
            _declare_die(die, module, environment)


def check_fixed_value(value: Expression, what: str, report: DiagnosticCollector) -> bool:
    """Whether a start value, default or die face is known before any play (RW0216)."""
    remedy = "write the value out" + (", or let the state give it" if what == "a start value" else "")
    if collect_reads(value):
        report.error("RW0216", value.span, f"{what} is fixed: it reads nothing of the game", help=remedy)
        return False
    if not is_written_out(value):
        message = f"{what} is written out: only sums, cells and points are worked out in it"
        report.error("RW0216", value.span, message, help=remedy)
        return False
    return True


MAX_DIE_FACES = 1000
"""Most faces of one die, declared or thrown by its number; a chosen limit."""


def _declare_die(node: d.DieDeclaration, module: LinkedModule, environment: TypeEnvironment) -> None:
    die_faces = _infer_die_faces(node, module, environment)
    if die_faces is not None:
        shown, faces = die_faces
        name = module.prefix + node.name.text
        environment.dice[name] = typed.NamedDie(
            **environment.make_shared_fields(name, node), face_type=shown, faces=faces
        )
        module.names[node.name.text] = replace(module.names[node.name.text], type=shown)


def _infer_die_faces(
    node: d.DieDeclaration, module: LinkedModule, environment: TypeEnvironment
) -> tuple[Type, tuple[Expression, ...]] | None:
    scope = make_declaration_scope(module, environment)
    shown: Type | None = None
    result: list[Expression] = []
    for face in node.faces:
        if face.count > MAX_DIE_FACES - len(result):
            remedy = "write the smallest numbers for how often each face occurs"
            environment.report.error("RW0521", face.span, f"a die has from 1 to {MAX_DIE_FACES} faces", help=remedy)
            return None
        value = infer_expression(face.value, scope, shown or get_word_list_type(face.value, module))
        if value is None or not check_fixed_value(value, "a face of a die", environment.report):
            return None
        both = value.type if shown is None else find_common_type(shown, value.type)
        if both is None:
            message = "the faces of a die have one type"
            environment.report.error("RW0220", face.span, message, help="declare a `values` list with all of them")
            return None
        shown = both
        result.extend([value] * face.count)
    return None if shown is None else (shown, tuple(result))


def get_word_list_type(node: e.Expression, module: LinkedModule) -> Type | None:
    """Type of a bare word that is in one list only."""
    lists = module.words.get(node.name, []) if isinstance(node, e.Reference) else []
    return lists[0].type if len(lists) == 1 else None
