"""Lines of the board: `move`, `turn`, `place`, `remove` (manual, Changing state)."""

from dataclasses import replace

from rulewright.base.diagnostics.remedies import make_deletion_edits
from rulewright.checker import preconditions
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.value_origins import make_gone_condition
from rulewright.checker.infer.call_arguments import require_distinct_places
from rulewright.checker.infer.name_lookup import format_as_code, list_boards
from rulewright.checker.infer.plane_functions import infer_plane_argument, require_distinct_points, require_on_table
from rulewright.checker.infer.type_fitting import fit_expression
from rulewright.checker.name_spaces import get_direction_grid
from rulewright.checker.routines.line_context import LineContext, LineResult
from rulewright.program import statements as typed
from rulewright.program.board_geometry import ANGLE, POINT, POSE, list_based_kinds
from rulewright.program.declarations import Field
from rulewright.program.expressions import Expression, StoredAttribute
from rulewright.program.types import CellType, DirectionType, OptionalType, ThingType, get_member_type, strip_optional
from rulewright.program.wording import describe_expression
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s


def _infer_changed_thing(node: e.Expression, verb: str, here: LineContext) -> tuple[Expression, str] | None:
    if here.routine.sort == "watch":
        here.error("RW0516", node.span, "a `watch` may only change names of its procedure")
        return None
    return infer_acted_thing(node, verb, here)


def infer_acted_thing(node: e.Expression, verb: str, here: LineContext) -> tuple[Expression, str] | None:
    """Thing that a verb acts on, and its kind; reports other values (RW0403, RW0508)."""
    result = here.scope.infer(node)
    if result is None:
        return None
    if isinstance(result.type, OptionalType) and isinstance(result.type.inner, ThingType):
        kind = result.type.inner.kind
        fitted = fit_expression(result, result.type.inner, here.scope, f"what to {verb}")
        return (fitted, kind) if fitted is not None else None
    if not isinstance(result.type, ThingType):
        each = f"go through them: `for each x in {format_as_code(result, here.scope)}:`, and this line for `x` below it"
        remedy = each if isinstance(get_member_type(result.type), ThingType) else ""
        here.error("RW0508", node.span, f"only a thing can {verb}, and {describe_expression(result)}", help=remedy)
        return None
    return result, result.type.kind


def _find_board_field(kind: str, name: str, node: e.Expression, here: LineContext, instead: str = "") -> Field | None:
    shape = here.environment.kinds.get(kind)
    field = next((item for item in shape.fields if item.name == name), None) if shape is not None else None
    if field is None and f"{kind}/{name}" in here.environment.failed_declarations:
        return None
    if field is None:
        plane, grid = bool(list_boards("plane", here.scope)), get_direction_grid(here.environment.linked)
        types = {"at": "point" if plane else grid, "facing": "angle" if plane else "direction"}
        remedy = instead or f"give `{kind}` the attribute `{name}: {types[name]}`"
        here.error(
            "RW0508",
            node.span,
            f"`{kind}` has no `{name}`, so it is on no board",
            help=remedy,
            missing=f"{kind}.{name}",
        )
    return field


def _make_attribute(thing: tuple[Expression, str], field: Field) -> StoredAttribute:
    return StoredAttribute(type=field.type, span=thing[0].span, target=thing[0], kind=thing[1], name=field.name)


def translate_move(node: s.Move, here: LineContext) -> LineResult:
    thing = _infer_changed_thing(node.thing, "move", here)
    field = thing and _find_board_field(
        thing[1], "at", node.thing, here, _suggest_setting(thing, node.destination, here)
    )
    if thing is None or field is None:
        return None, here.facts
    cell = here.infer_fitted(node.destination, strip_optional(field.type), "where to move")
    _require_movable(thing[0], cell, node, here)
    here.check_invariants(_make_attribute(thing, field), (cell,), node.head)
    facts = here.apply_assignment(_make_attribute(thing, field), cell)
    if cell is None:
        return None, facts
    return typed.Move(**here.make_line_fields(node), thing=thing[0], kind=thing[1], destination=cell), facts


def _suggest_setting(thing: tuple[Expression, str], to: e.Expression, here: LineContext) -> str:
    """Remedy for a thing that moves where no board is: the only attribute that can hold where it goes."""
    shape = here.environment.kinds.get(thing[1])
    if shape is None or any(item.name == "at" for item in shape.fields):
        return ""
    where = here.scope.infer(to)
    fitting = [item.name for item in shape.fields if where and strip_optional(item.type) == strip_optional(where.type)]
    if where is None or isinstance(strip_optional(where.type), CellType) or len(fitting) != 1:
        return ""
    whose, goal = (format_as_code(one, here.scope) for one in (thing[0], where))
    return f"`move` is for boards; write `set {whose}.{fitting[0]} to {goal}`"


def _require_movable(
    thing: Expression, to: Expression | None, node: s.Move | s.Turn | s.Place, here: LineContext
) -> None:
    """Requires a thing in play (RW0416) and a target on the board (RW0417)."""
    verb = {s.Move: "moves", s.Turn: "turns"}.get(type(node), "is placed")
    preconditions.require_in_play(thing, "RW0416", node.head, f"{verb} nowhere", here.scope)
    if to is not None and isinstance(strip_optional(to.type), CellType):
        preconditions.require_on_board(to, node.head, here.scope)


def translate_place(node: s.Place, here: LineContext) -> LineResult:
    """`place thing at spot`; `none` lifts it off the board where `at` may be none."""
    thing = _infer_changed_thing(node.thing, "be placed", here)
    field = thing and _find_board_field(thing[1], "at", node.thing, here)
    if thing is None or field is None:
        return None, here.facts
    on_plane = strip_optional(field.type) == POINT
    spot = (
        _infer_placed_pose(node.spot, thing[1], field, here)
        if on_plane
        else here.infer_fitted(node.spot, field.type, "where to place")
    )
    _require_movable(thing[0], spot, node, here)
    here.check_invariants(_make_attribute(thing, field), (None if on_plane else spot,), node.head)
    facts = here.apply_writes(frozenset({f"{thing[1]}/at"} | ({f"{thing[1]}/facing"} if on_plane else set())))
    if spot is None:
        return None, facts
    return typed.PlaceThing(**here.make_line_fields(node), thing=thing[0], kind=thing[1], spot=spot), facts


def _infer_placed_pose(node: e.Expression, kind: str, field: Field, here: LineContext) -> Expression | None:
    if kind not in list_based_kinds(here.environment.kinds):
        message = f"`place` puts a base somewhere, and `{kind}` has no `base`"
        here.error("RW0343", node.span, message, help=f"give `{kind}` the attribute `base: shape`, or `move` it")
        return None
    wanted = OptionalType(POSE) if isinstance(field.type, OptionalType) else POSE
    return here.infer_fitted(node, wanted, "where to place")


def translate_turn(node: s.Turn, here: LineContext) -> LineResult:
    """`turn thing to heading`, `turn thing to face place`."""
    thing = _infer_changed_thing(node.thing, "turn", here)
    field = thing and _find_board_field(thing[1], "facing", node.thing, here)
    if thing is None or field is None:
        return None, here.facts
    facing = strip_optional(field.type)
    if node.face and facing == ANGLE:
        heading = infer_plane_argument(node.heading, "spot", "face", here.scope)
    else:
        wanted = CellType(facing.space) if node.face and isinstance(facing, DirectionType) else facing
        heading = here.infer_fitted(node.heading, wanted, "what to face" if node.face else "the new facing")
    _require_movable(thing[0], None, node, here)
    if node.face and heading is not None:
        _require_faceable(thing, field, heading, node, here)
    here.check_invariants(_make_attribute(thing, field), (None if node.face else heading,), node.head)
    facts = here.apply_assignment(_make_attribute(thing, field), None if node.face else heading)
    if heading is None:
        return None, facts
    return typed.Turn(
        **here.make_line_fields(node), thing=thing[0], kind=thing[1], heading=heading, face=node.face
    ), facts


def _require_faceable(
    thing: tuple[Expression, str], field: Field, heading: Expression, node: s.Turn, here: LineContext
) -> None:
    """Warns where the target of `face` may be where the thing stands (RW0419), or out of play (RW0422)."""
    if isinstance(heading.type, CellType):
        at = replace(_make_attribute(thing, field), type=heading.type, name="at")
        require_distinct_places(at, heading, node.head, here.scope)
        return
    if isinstance(heading.type, ThingType):
        preconditions.require_in_play(heading, "RW0422", node.head, "cannot be faced", here.scope)
        require_on_table(heading, "nothing can be faced", here.scope)
    require_distinct_points(thing[0], heading, node.head, here.scope)


def translate_remove(node: s.Remove, here: LineContext) -> LineResult:
    """`remove thing`, which opens the windows of its removal."""
    thing = _infer_changed_thing(node.thing, "be removed", here)
    if thing is None:
        return None, here.facts
    if here.environment.kinds[thing[1]].number is not None:
        message = f"no {thing[1]} can leave play, because an `always` says how many there are"
        remedy = "leave this line out, or change the `always`"
        here.error("RW0547", node.head, message, help=remedy, edits=make_deletion_edits(node.span))
    events = _find_removal_events(thing[1], here)
    facts = here.apply_writes(frozenset({f"{thing[1]}/gone"}), events)
    facts = assume(facts, make_gone_condition(thing[0]), truth=True)
    return typed.Remove(**here.make_line_fields(node), thing=thing[0], kind=thing[1], events=events), facts


def _find_removal_events(kind: str, here: LineContext) -> tuple[str, ...]:
    mapping: dict[str, None] = {}
    for module in here.environment.linked.modules:
        for symbol in module.callables.values():
            node = symbol.node
            removal = isinstance(node, d.Event) and node.on_removal
            if removal and [type_ for _, type_ in symbol.parameters] == [ThingType(kind)]:
                mapping[symbol.name] = None
    return tuple(mapping)
