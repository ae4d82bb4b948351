"""Lists of words, kinds, records, boards, game fields and settings, all but their start values (manual, Things)."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from rulewright.analysis.collect import PLAYERS
from rulewright.analysis.declare.declaring import Start, Work, is_entered
from rulewright.analysis.symbols import Module
from rulewright.analysis.types import resolve_type
from rulewright.diagnostics import Edit
from rulewright.diagnostics.suggest import left_out, meant
from rulewright.program import declarations as typed
from rulewright.program.expressions import Expression
from rulewright.program.types import GRIDS, FlagType, MapType, NumberType, OptionalType, SetType, Type, WordType
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d

_TAKEN = frozenset({"gone", "pose"})
_Fields = tuple[typed.Field, ...]


def declare_things(work: Work) -> None:
    """Fills everything of the declarations but relations and externals; start values wait in `work.starts`."""
    shared = {"name": "player", "title": "", "cites": (), "span": Span("", 0, 0)}
    work.found.shapes.kinds["player"] = typed.Kind(**shared, plural=PLAYERS, fields=(), derived=())  # type: ignore[arg-type]
    for module, values in work.each(d.Values):
        _values(values, module, work)
    for module, kind in work.each(d.Kind):
        _kind(kind, module, work)
    for module, record in work.each(d.Record):
        _record(record, module, work)
    for module, board in work.each(d.Board):
        _board(board, module, work)
    for module, game in work.each(d.Game):
        _game(game, module, work)
    for module, setting in work.each(d.Setting):
        _setting(setting, module, work)


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
        if node.name.text in _TAKEN:
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
    if type_ is None:
        work.found.shapes.failed.add(address)
        return ()
    if node.start is not None:
        work.starts.append(Start(node.start, type_, module, address, _into(address, work)))
    title = node.title.text if node.title else ""
    return (typed.Field(name=node.name.text, address=address, type=type_, start=None, title=title, span=node.span),)


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
    if not is_entered(module.names, node.name) or not _is_space(node, work):
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
    """Cells and sides begin with a value each, for rules may ask for those off the board too (RW0426)."""
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
        case FlagType():
            return "no"
        case OptionalType():
            return "none"
        case NumberType(low=int(low)):
            return str(low)
        case WordType(values=values):
            return work.found.values[values].words[0].name
        case SetType() | MapType():
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
    name = module.prefix + node.name.text
    _show(typed.Board(**work.shared(name, node), space="plane", fields=(), sides=()), work)


def _is_space(node: d.Board, work: Work) -> bool:
    """Whether a board is made of something there is (RW0215)."""
    match node.space.text:
        case space if space in GRIDS:
            return True
        case "plane":
            return True
        case space:
            message = f"there is no board of `{space}`"
            listed = "a board is `of hex`, `of square`, `of square8` or `of plane`"
            edits = meant(space, [*GRIDS, "plane"], node.space.span).edits
            work.report.error("RW0215", node.space.span, message, help=listed, edits=edits)
            return False


def _game(node: d.Game, module: Module, work: Work) -> None:
    for each in node.fields:
        if not isinstance(each, d.StoredField):
            work.report.error("RW0219", each.name.span, "a game field is stored", help="declare a `term`")
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
