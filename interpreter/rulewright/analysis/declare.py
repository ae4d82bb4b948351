"""What is declared: types and fields first, then what is called, then start values (manual, Things)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from rulewright.analysis import functions
from rulewright.analysis.declaration_edits import Key
from rulewright.analysis.facts.intervals import Range
from rulewright.analysis.infer import fresh, infer
from rulewright.analysis.infer.slots import common, fitted
from rulewright.analysis.name_spaces import PLAYERS, resolve_type
from rulewright.analysis.reads import reads, written_out
from rulewright.analysis.recheck import Part
from rulewright.analysis.report import Report
from rulewright.analysis.signatures import Declarations, Start, Work, bind_externals, declare_callables, is_entered
from rulewright.analysis.symbols import Linked, Module
from rulewright.diagnostics import Edit
from rulewright.diagnostics.remedies import left_out, meant, written
from rulewright.program import declarations as typed, types as ty
from rulewright.program.expressions import Expression
from rulewright.program.types import Type
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, expressions as e


def declare(linked: Linked, report: Report, kept: Mapping[Key, Part] | None = None) -> Declarations:
    """Types everything declared, makes functions known (`functions.announce`), and infers start values.

    Fills `Symbol.type` and `Symbol.parameters` in the modules and `Linked.binds` on the way. Reports RW0207, RW0208,
    RW0214 to RW0224 and what types and expressions report. What is kept of functions is not made again.
    """
    work = Work(linked, report)
    work.found.shapes.parts.kept = kept or {}
    declare_things(work)
    declare_callables(work)
    _refresh(linked)
    functions.announce(linked, work.found.shapes, report)
    declare_starts(work)
    _refresh(linked)
    bind_externals(linked, work.found.shapes, report)
    return work.found


def _refresh(linked: Linked) -> None:
    """Gives names that modules share what has become known of them where they are declared."""
    spaces = [(module.prefix, space) for module in linked.modules for space in (module.names, module.callables)]
    own = (each for prefix, space in spaces for name, each in space.items() if each.name == prefix + name)
    owned = {(each.sort, each.name): each for each in own}
    for _, space in spaces:
        space.update({name: owned.get((old.sort, old.name), old) for name, old in space.items()})


_Fields = tuple[typed.Field, ...]


def declare_things(work: Work) -> None:
    """Fills everything of the declarations but relations and externals; start values wait in `work.starts`."""
    shared = {"name": "player", "title": "", "cites": (), "span": Span("", 0, 0)}
    work.found.shapes.kinds["player"] = typed.Kind(**shared, plural=PLAYERS, fields=(), derived=())  # type: ignore[arg-type]
    declaring: dict[type[Any], Callable[[Any, Module, Work], None]] = {
        d.Values: _values,
        d.Kind: _kind,
        d.Record: _record,
        d.Board: _board,
        d.Game: _game,
        d.Setting: _setting,
        d.Always: _count,
    }
    for sort, declared in declaring.items():
        for module, node in work.each(sort):
            declared(node, module, work)


def _values(node: d.Values, module: Module, work: Work) -> None:
    name = module.prefix + node.name.text
    words = tuple(typed.Word(word.name.text, word.title.text if word.title else "") for word in node.words)
    work.found.values[name] = typed.WordList(**work.shared(name, node), words=words)


def _kind(node: d.Kind, module: Module, work: Work) -> None:
    kinds = work.found.shapes.kinds
    if node.name.text == "player":
        old = kinds["player"]
        stored, derived = _fields(node.fields, "player", module, work, known=old.fields)
        fields, functions = (*old.fields, *stored), (*old.derived, *derived)
        kinds["player"] = typed.Kind(**work.shared("player", node), plural=PLAYERS, fields=fields, derived=functions)
    elif is_entered(module.types, node.name):
        name = module.prefix + node.name.text
        stored, derived = _fields(node.fields, name, module, work)
        plural = module.prefix + node.plural.text
        kinds[name] = typed.Kind(**work.shared(name, node), plural=plural, fields=stored, derived=derived)


def _count(node: d.Always, module: Module, work: Work) -> None:
    """Learns from `always two: count(players) >= 2` how many things of a kind there are.

    Where it is one number, as in `count(players) = 2`, none can leave.
    """
    condition = node.condition
    if node.binder is not None or node.guard is not None or not isinstance(condition, e.Binary):
        return
    match condition.left, condition.operator, condition.right:
        case e.Call(e.Reference(name="count"), (e.Argument(None, e.Reference(name=plural)),)), sign, bound:
            low, high = _bounds(sign, bound)
        case _:
            return
    symbol, shapes = module.names.get(plural), work.found.shapes
    if symbol is None or symbol.sort != "plural" or symbol.name not in shapes.kinds or (low, high) == (None, None):
        return
    if low == high:
        shapes.kinds[symbol.name] = replace(shapes.kinds[symbol.name], number=low)
        shapes.lasting_counts[symbol.name] = low, high
    least, most = shapes.always_counted.get(symbol.name, (0, None))
    both = [each for each in (most, high) if each is not None]
    shapes.always_counted[symbol.name] = max(least or 0, low or 0), min(both, default=None)


def _bounds(sign: str, bound: e.Expression) -> Range:
    """The least and the most that a number compared with a whole number, or `in` a range of two, can be."""
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


def _record(node: d.Record, module: Module, work: Work) -> None:
    if not is_entered(module.types, node.name):
        return
    name = module.prefix + node.name.text
    for part in node.fields:
        if isinstance(part, d.StoredField) and part.start is not None:
            message = "a part of a record has no start value: it is made whole"
            gone = left_out(Span(part.name.span.source, part.type.span.end, part.start.span.end))
            work.report.error("RW0218", part.name.span, message, help="leave out `= …`", edits=gone)
    parts, derived = _fields(node.fields, name, module, work)
    work.found.shapes.records[name] = typed.Record(**work.shared(name, node), parts=parts, derived=derived)


def _fields(
    nodes: tuple[d.Field, ...], owner: str, module: Module, work: Work, known: _Fields = ()
) -> tuple[_Fields, tuple[str, ...]]:
    """The stored fields of a kind, record or board, and the names of the functions of its derived ones."""
    seen = {each.name for each in known}
    stored: list[typed.Field] = []
    derived: list[str] = []
    for node in nodes:
        address = f"{owner}/{node.name.text}"
        if node.name.text in {"gone", "pose"}:
            message = f"everything has `.{node.name.text}` already"
            work.report.error("RW0208", node.name.span, message, help="choose another name")
        elif work.is_new(node.name, seen):
            if isinstance(node, d.StoredField):
                stored.extend(_field(node, address, module, work))
            else:
                derived.append(address)
    return tuple(stored), tuple(derived)


def _field(node: d.StoredField, address: str, module: Module, work: Work) -> _Fields:
    """The one field, or none where its type could not be read."""
    type_ = resolve_type(node.type, module, work.linked, work.report)
    if type_ is None or not _may_be_stored(type_, node, work):
        work.found.shapes.failed.add(address)
        return ()
    if node.start is not None:
        work.starts.append(Start(node.start, type_, module, address, _into(address, work)))
    title = node.title.text if node.title else ""
    return (typed.Field(name=node.name.text, address=address, type=type_, start=None, title=title, span=node.span),)


def _may_be_stored(type_: Type, node: d.StoredField, work: Work) -> bool:
    """Whether values of a type may be stored: a fraction may not, for it has no bounds (RW0244)."""
    waiting = [type_]
    for each in waiting:
        waiting.extend(ty.held_by(each))
    if not any(isinstance(each, ty.FractionType) for each in waiting):
        return True
    remedy = "round it with `floor`, `ceiling` or `round`, or keep the two numbers and divide them in a `term`"
    work.report.error("RW0244", node.type.span, "a fraction has no bounds, so it is not stored", help=remedy)
    return False


def _into(address: str, work: Work) -> Callable[[Expression], None]:
    """Puts a start value into the field of an address."""
    owner, _, name = address.partition("/")
    found = work.found

    def filled(fields: _Fields, start: Expression) -> _Fields:
        return tuple(replace(each, start=start) if each.address == address else each for each in fields)

    def take(start: Expression) -> None:
        kinds = found.shapes.kinds
        if owner == "game":
            found.game[name] = replace(found.game[name], start=start)
        elif owner in kinds:
            kinds[owner] = replace(kinds[owner], fields=filled(kinds[owner].fields, start))
        elif owner in found.boards:
            board = found.boards[owner]
            fields, sides = filled(board.fields, start), filled(board.sides, start)
            _show(replace(board, fields=fields, sides=sides), work)

    return take


def _show(board: typed.Board, work: Work) -> None:
    """Makes a board and the attributes of its cells and sides known."""
    work.found.boards[board.name] = board
    work.found.shapes.cells[board.name] = {each.name: each for each in board.fields}
    work.found.shapes.sides[board.name] = {each.name: each for each in board.sides}


def _board(node: d.Board, module: Module, work: Work) -> None:
    if not is_entered(module.names, node.name) or not _is_space(node, work) or not _are_units(node, work):
        return
    if node.space.text == "plane":
        _plane(node, module, work)
        return
    for each in node.fields:
        if not isinstance(each, d.StoredField):
            message = "a cell has no derived attributes"
            work.report.error("RW0219", each.name.span, message, help="declare a `term` of a hex")
    name = module.prefix + node.name.text
    stored, _ = _fields(node.fields, name, module, work)
    _starting(node, {each.name: each.type for each in stored}, work)
    between = {each.name.text for each in node.fields if isinstance(each, d.StoredField) and each.side}
    fields = tuple(each for each in stored if each.name not in between)
    sides = tuple(each for each in stored if each.name in between)
    _show(typed.Board(**work.shared(name, node), space=node.space.text, fields=fields, sides=sides), work)


def _starting(node: d.Board, types: Mapping[str, Type], work: Work) -> None:
    """Reports attributes of cells and sides without a start value: rules may ask for those off the board (RW0426)."""
    for each in node.fields:
        if not isinstance(each, d.StoredField) or each.start is not None or each.name.text not in types:
            continue
        whose = "side" if each.side else "cell"
        message = f"`{each.name.text}` of a {whose} has no start value"
        first, end = _first(types[each.name.text], work), each.type.span.end
        remedy = f"write what most {whose}s begin with after the type" + (f", such as `= {first}`" if first else "")
        edits = (Edit(Span(each.type.span.source, end, end), f" = {first}"),) if first else ()
        work.report.error("RW0426", each.name.span, message, help=remedy, edits=edits)


def _first(type_: Type, work: Work) -> str:
    """The least value of a type as it is written; nothing where there is none."""
    match type_:
        case ty.FlagType():
            return "no"
        case ty.OptionalType():
            return "none"
        case ty.NumberType(low=int(low)):
            return str(low)
        case ty.WordType(values=values):
            return work.found.values[values].words[0].name
        case ty.SetType() | ty.MapType():
            return "{}"
    return ""


def _plane(node: d.Board, module: Module, work: Work) -> None:
    """The one board of the plane, which has no cells (RW0240, RW0241)."""
    for each in node.fields:
        message = f"a board of the plane has no cells, so none has `{each.name.text}`"
        remedy = "declare a kind with an `outline: polygon` and give it the attribute"
        work.report.error("RW0240", each.name.span, message, help=remedy)
    other = next((each for each in work.found.boards.values() if each.space == "plane"), None)
    if other is not None:
        message = f"there is a board of the plane already, `{other.name}`"
        work.report.error("RW0241", node.name.span, message, help="a point lies on the one board of the plane")
        return
    unit = node.unit.text if node.unit else ty.INCHES
    bases = node.bases.text if node.bases else unit
    name = module.prefix + node.name.text
    _show(typed.Board(**work.shared(name, node), space="plane", fields=(), sides=(), unit=unit, bases=bases), work)


def _is_space(node: d.Board, work: Work) -> bool:
    """Whether there are boards of what a board is said to be of (RW0215)."""
    space, known = node.space.text, [*ty.GRIDS, "plane"]
    if space not in known:
        message = f"there is no board of `{space}`"
        listed = "a board is `of hex`, `of square`, `of square8` or `of plane`"
        edits = meant(space, known, node.space.span).edits
        work.report.error("RW0215", node.space.span, message, help=listed, edits=edits)
    return space in known


def _are_units(node: d.Board, work: Work) -> bool:
    """Whether the units of a board are known, and it is a plane, where lengths are counted (RW0245)."""
    said = [each for each in (node.unit, node.bases) if each is not None]
    if said and node.space.text != "plane":
        edits = (Edit(Span(said[0].span.source, node.space.span.end, said[-1].span.end), ""),)
        message = f"cells of {node.space.text} are counted and have no unit"
        work.report.error("RW0245", said[0].span, message, help="leave the unit out", edits=edits)
        return False
    unknown = [each for each in said if each.text not in ty.LENGTHS]
    for each in unknown:
        remedy = meant(each.text, ty.LENGTHS, each.span, "a unit is `inches`, `cm` or `mm`")
        if each.text.lower() in _CALLED:
            remedy = written(_CALLED[each.text.lower()], each.span)
        work.report.error("RW0245", each.span, f"lengths are not counted in `{each.text}`", remedy=remedy)
    return not unknown


_CALLED = {
    **dict.fromkeys(("in", "inch"), ty.INCHES),
    **dict.fromkeys(("centimetre", "centimetres", "centimeter", "centimeters"), "cm"),
    **dict.fromkeys(("millimetre", "millimetres", "millimeter", "millimeters"), "mm"),
}
"""Other names of units."""


def _game(node: d.Game, module: Module, work: Work) -> None:
    for each in node.fields:
        if not isinstance(each, d.StoredField):
            work.report.error("RW0219", each.name.span, "`game` stores all it holds", help="declare a `term`")
        elif is_entered(module.names, each.name):
            name = module.prefix + each.name.text
            for made in _field(each, f"game/{name}", module, work):
                work.found.game[name] = made
                module.names[each.name.text] = replace(module.names[each.name.text], type=made.type)


def _setting(node: d.Setting, module: Module, work: Work) -> None:
    if not is_entered(module.names, node.name) or node.type is None:
        return
    type_ = resolve_type(node.type, module, work.linked, work.report)
    if type_ is None:
        return
    name = module.prefix + node.name.text
    module.names[node.name.text] = replace(module.names[node.name.text], type=type_)

    def take(value: Expression) -> None:
        work.found.settings[name] = typed.Setting(**work.shared(name, node), type=type_, value=value)

    work.starts.append(Start(node.value, type_, module, name, take))


def declare_starts(work: Work) -> None:
    """Infers the start values that wait, and the faces of all dice.

    Reports RW0216 (a start value that is not written out) and RW0220 (faces of unlike types).
    """
    for start in work.starts:
        work.report.address = start.address
        scope = fresh(work.linked, start.module, work.found.shapes, work.report)
        value = fitted(start.node, start.type, scope, f"`{start.address.rpartition('/')[2]}`")
        if value is not None and is_fixed(value, "a start value", work.report):
            start.take(value)
    for module, die in work.each(d.DieDeclaration):
        if is_entered(module.names, die.name):
            _die(die, module, work)


def is_fixed(value: Expression, what: str, report: Report) -> bool:
    """Whether a start value, default or face of a die is known before any play (RW0216)."""
    remedy = "write the value out" + (", or let the state give it" if what == "a start value" else "")
    if reads(value):
        report.error("RW0216", value.span, f"{what} is fixed: it reads nothing of the game", help=remedy)
        return False
    if not written_out(value):
        message = f"{what} is written out: only sums, cells and points are worked out in it"
        report.error("RW0216", value.span, message, help=remedy)
        return False
    return True


MOST_FACES = 1000
"""Faces of one die, declared or thrown by its number."""


def _die(node: d.DieDeclaration, module: Module, work: Work) -> None:
    made = _faces(node, module, work)
    if made is not None:
        shown, faces = made
        name = module.prefix + node.name.text
        work.found.dice[name] = typed.NamedDie(**work.shared(name, node), face_type=shown, faces=faces)
        module.names[node.name.text] = replace(module.names[node.name.text], type=shown)


def _faces(node: d.DieDeclaration, module: Module, work: Work) -> tuple[Type, tuple[Expression, ...]] | None:
    """The type that all faces share, and every face as often as it occurs."""
    scope = fresh(work.linked, module, work.found.shapes, work.report)
    shown: Type | None = None
    found: list[Expression] = []
    for face in node.faces:
        if face.count > MOST_FACES - len(found):
            remedy = "write the smallest numbers for how often each face occurs"
            work.report.error("RW0521", face.span, f"a die has from 1 to {MOST_FACES} faces", help=remedy)
            return None
        value = infer(face.value, scope, shown or list_of(face.value, module))
        if value is None or not is_fixed(value, "a face of a die", work.report):
            return None
        both = value.type if shown is None else common(shown, value.type)
        if both is None:
            message = "the faces of a die have one type"
            work.report.error("RW0220", face.span, message, help="declare a `values` list with all of them")
            return None
        shown = both
        found.extend([value] * face.count)
    return None if shown is None else (shown, tuple(found))


def list_of(node: e.Expression, module: Module) -> Type | None:
    """The list of a bare word that is in one list only, where nothing else says which list is meant."""
    lists = module.words.get(node.name, []) if isinstance(node, e.Reference) else []
    return lists[0].type if len(lists) == 1 else None
