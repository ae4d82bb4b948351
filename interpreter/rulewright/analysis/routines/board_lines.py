"""Verbs of the board: `move`, `turn`, `place`, `remove` (manual, Changing state)."""

from dataclasses import replace

from rulewright.analysis import promises
from rulewright.analysis.facts import suppose
from rulewright.analysis.facts.origins import gone
from rulewright.analysis.infer.language_functions import cells_apart
from rulewright.analysis.infer.lookup import as_code, boards
from rulewright.analysis.infer.plane_functions import apart_on_plane, plane_argument, standing
from rulewright.analysis.infer.slots import fit
from rulewright.analysis.routines.routine_context import Done, Here
from rulewright.diagnostics.remedies import left_out
from rulewright.program import statements as typed
from rulewright.program.declarations import Field
from rulewright.program.expressions import Expression, StoredAttribute
from rulewright.program.plane import ANGLE, POINT, POSE, bases
from rulewright.program.types import CellType, DirectionType, OptionalType, ThingType, member_type, present
from rulewright.program.wording import is_a
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s


def _thing(node: e.Expression, verb: str, here: Here) -> tuple[Expression, str] | None:
    """The thing a verb changes and its kind; none in a watch (RW0516)."""
    if here.routine.sort == "watch":
        here.error("RW0516", node.span, "a `watch` may only change names of its procedure")
        return None
    return acted_on(node, verb, here)


def acted_on(node: e.Expression, verb: str, here: Here) -> tuple[Expression, str] | None:
    """The thing a verb acts on and its kind; reports what is none (RW0403, RW0508)."""
    found = here.scope.infer(node)
    if found is None:
        return None
    if isinstance(found.type, OptionalType) and isinstance(found.type.inner, ThingType):
        kind = found.type.inner.kind
        fitted = fit(found, found.type.inner, here.scope, f"what to {verb}")
        return (fitted, kind) if fitted is not None else None
    if not isinstance(found.type, ThingType):
        each = f"go through them: `for each x in {as_code(found, here.scope)}:`, and this line for `x` below it"
        remedy = each if isinstance(member_type(found.type), ThingType) else ""
        here.error("RW0508", node.span, f"only a thing can {verb}, and {is_a(found)}", help=remedy)
        return None
    return found, found.type.kind


def _field(kind: str, name: str, node: e.Expression, here: Here) -> Field | None:
    """The attribute a verb changes."""
    shape = here.routine.scope.shapes.kinds.get(kind)
    field = next((each for each in shape.fields if each.name == name), None) if shape is not None else None
    if field is None and f"{kind}/{name}" in here.scope.shapes.failed:
        return None
    if field is None:
        plane = bool(boards("plane", here.scope))
        types = {"at": "point" if plane else "hex", "facing": "angle" if plane else "direction"}
        remedy = f"give `{kind}` the attribute `{name}: {types[name]}`"
        here.error("RW0508", node.span, f"`{kind}` has no `{name}`, so it is on no board", help=remedy)
    return field


def _attribute(thing: tuple[Expression, str], field: Field) -> StoredAttribute:
    return StoredAttribute(type=field.type, span=thing[0].span, target=thing[0], kind=thing[1], name=field.name)


def move_line(node: s.Move, here: Here) -> Done:
    """`move thing to cell`."""
    thing = _thing(node.thing, "move", here)
    field = thing and _field(thing[1], "at", node.thing, here)
    if thing is None or field is None:
        return None, here.facts
    cell = here.fitted(node.destination, present(field.type), "where to move")
    _movable(thing[0], cell, node, here)
    here.keeping(_attribute(thing, field), (cell,), node.head)
    facts = here.after_setting(_attribute(thing, field), cell)
    if cell is None:
        return None, facts
    return typed.Move(**here.mark(node), thing=thing[0], kind=thing[1], destination=cell), facts


def _movable(thing: Expression, to: Expression | None, node: s.Move | s.Turn | s.Place, here: Here) -> None:
    """Warns where a thing may be out of play (RW0416), or where it would be put may be off the board (RW0417)."""
    verb = {s.Move: "moves", s.Turn: "turns"}.get(type(node), "is placed")
    promises.need(promises.playing(thing, "RW0416", node.head, f"{verb} nowhere"), here.scope)
    if to is not None and isinstance(present(to.type), CellType):
        promises.need(promises.landing(to, node.head), here.scope)


def place_line(node: s.Place, here: Here) -> Done:
    """`place thing at spot`; `none` lifts it off the board where `at` may be none."""
    thing = _thing(node.thing, "be placed", here)
    field = thing and _field(thing[1], "at", node.thing, here)
    if thing is None or field is None:
        return None, here.facts
    on_plane = present(field.type) == POINT
    spot = _pose(node.spot, thing[1], field, here) if on_plane else here.fitted(node.spot, field.type, "where to place")
    _movable(thing[0], spot, node, here)
    here.keeping(_attribute(thing, field), (None if on_plane else spot,), node.head)
    facts = here.after_writing(frozenset({f"{thing[1]}/at"} | ({f"{thing[1]}/facing"} if on_plane else set())))
    if spot is None:
        return None, facts
    return typed.PlaceThing(**here.mark(node), thing=thing[0], kind=thing[1], spot=spot), facts


def _pose(node: e.Expression, kind: str, field: Field, here: Here) -> Expression | None:
    """Where a thing is placed on the plane: a pose of its kind (RW0343), or none."""
    if kind not in bases(here.scope.shapes.kinds):
        message = f"`place` puts a base somewhere, and `{kind}` has no `base`"
        here.error("RW0343", node.span, message, help=f"give `{kind}` the attribute `base: shape`, or `move` it")
        return None
    wanted = OptionalType(POSE) if isinstance(field.type, OptionalType) else POSE
    return here.fitted(node, wanted, "where to place")


def turn_line(node: s.Turn, here: Here) -> Done:
    """`turn thing to heading`, `turn thing to face place`."""
    thing = _thing(node.thing, "turn", here)
    field = thing and _field(thing[1], "facing", node.thing, here)
    if thing is None or field is None:
        return None, here.facts
    facing = present(field.type)
    if node.face and facing == ANGLE:
        heading = plane_argument(node.heading, "spot", "face", here.scope)
    else:
        wanted = CellType(facing.space) if node.face and isinstance(facing, DirectionType) else facing
        heading = here.fitted(node.heading, wanted, "what to face" if node.face else "the new facing")
    _movable(thing[0], None, node, here)
    if node.face and heading is not None:
        _faced(thing, field, heading, node, here)
    here.keeping(_attribute(thing, field), (None if node.face else heading,), node.head)
    facts = here.after_setting(_attribute(thing, field), None if node.face else heading)
    if heading is None:
        return None, facts
    return typed.Turn(**here.mark(node), thing=thing[0], kind=thing[1], heading=heading, face=node.face), facts


def _faced(thing: tuple[Expression, str], field: Field, heading: Expression, node: s.Turn, here: Here) -> None:
    """Warns where what is to be faced may be where the thing stands (RW0419), or out of play (RW0422)."""
    if isinstance(heading.type, CellType):
        at = replace(_attribute(thing, field), type=heading.type, name="at")
        cells_apart(at, heading, node.head, here.scope)
        return
    if isinstance(heading.type, ThingType):
        promises.need(promises.playing(heading, "RW0422", node.head, "cannot be faced"), here.scope)
        standing(heading, "nothing can be faced", here.scope)
    apart_on_plane(thing[0], heading, node.head, here.scope)


def remove_line(node: s.Remove, here: Here) -> Done:
    """`remove thing`, which opens the windows of its removal."""
    thing = _thing(node.thing, "be removed", here)
    if thing is None:
        return None, here.facts
    if here.scope.shapes.kinds[thing[1]].number is not None:
        message = f"no {thing[1]} can leave play, because an `always` says how many there are"
        remedy = "leave this line out, or change the `always`"
        here.error("RW0547", node.head, message, help=remedy, edits=left_out(node.span))
    events = _removal_events(thing[1], here)
    facts = here.after_writing(frozenset({f"{thing[1]}/gone"}), events)
    facts = suppose(facts, gone(thing[0]), truth=True)
    return typed.Remove(**here.mark(node), thing=thing[0], kind=thing[1], events=events), facts


def _removal_events(kind: str, here: Here) -> tuple[str, ...]:
    """The events `on removal` of things of a kind, in order of declaration."""
    found: dict[str, None] = {}
    for module in here.routine.scope.linked.modules:
        for symbol in module.callables.values():
            node = symbol.node
            removal = isinstance(node, d.Event) and node.on_removal
            if removal and [type_ for _, type_ in symbol.parameters] == [ThingType(kind)]:
                found[symbol.name] = None
    return tuple(found)
