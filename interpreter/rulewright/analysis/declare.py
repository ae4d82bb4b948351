"""What is declared: types and fields first, then the values they start with (manual, Things)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from rulewright.analysis import functions
from rulewright.analysis.binds import bind_externals
from rulewright.analysis.changes import changes
from rulewright.analysis.cites import qualify
from rulewright.analysis.collect import PLAYERS
from rulewright.analysis.fit import common, fit
from rulewright.analysis.infer import infer
from rulewright.analysis.reads import reads
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Shapes, fresh
from rulewright.analysis.symbols import Linked, Module, Symbol
from rulewright.analysis.types import resolve_type
from rulewright.analysis.unsupported import unsupported
from rulewright.program import declarations as typed
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import FLAG, RecordType, ThingType, Type
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Expression as ExpressionNode
from rulewright.syntax.nodes.names import Name

_NOWHERE = Span("", 0, 0)


@dataclass(slots=True)
class Declarations:
    """Everything declared that is no function and no routine, by qualified name, in order of declaration."""

    shapes: Shapes = field(default_factory=Shapes)
    values: dict[str, typed.WordList] = field(default_factory=dict)
    dice: dict[str, typed.NamedDie] = field(default_factory=dict)
    boards: dict[str, typed.Board] = field(default_factory=dict)
    game: dict[str, typed.Field] = field(default_factory=dict)
    settings: dict[str, typed.Setting] = field(default_factory=dict)
    relations: dict[str, typed.Relation] = field(default_factory=dict)
    external_procedures: dict[str, typed.ExternalProcedure] = field(default_factory=dict)


def declare(linked: Linked, report: Report) -> Declarations:
    """Types everything declared, makes functions known (`functions.announce`), and infers start values.

    Fills `Symbol.type` and `Symbol.parameters` in the modules and `Linked.binds` on the way. Reports RW0207, RW0208,
    RW0214 to RW0220 and what types and expressions report.
    """
    work = _Work(linked, report, Declarations())
    work.types()
    work.callables()
    functions.announce(linked, work.found.shapes, report)
    work.starts()
    bind_externals(linked, work.found.shapes, report)
    return work.found


_Named = TypeVar("_Named", bound=d.Declared)


@dataclass(slots=True)
class _Start:
    """A start value still to be inferred, and where it goes."""

    node: ExpressionNode
    type: Type
    module: Module
    address: str
    take: Callable[[Expression], None]


@dataclass(slots=True)
class _Work:
    """Declarations in the making."""

    linked: Linked
    report: Report
    found: Declarations
    pending: list[_Start] = field(default_factory=list)

    def types(self) -> None:
        """Kinds, records, boards, fields and settings, with everything but their start values."""
        nobody = typed.Kind(name="player", title="", cites=(), span=_NOWHERE, plural=PLAYERS, fields=(), derived=())
        self.found.shapes.kinds["player"] = nobody
        for module, node in self._each(d.Values):
            name = module.prefix + node.name.text
            words = tuple(typed.Word(w.name.text, w.title.text if w.title else "") for w in node.words)
            self.found.values[name] = typed.WordList(**self._shared(name, node), words=words)
        for module, node in self._each(d.Kind):
            self._kind(node, module)
        for module, record in self._each(d.Record):
            self._record(record, module)
        for module, board in self._each(d.Board):
            self._board(board, module)
        for module, game in self._each(d.Game):
            self._game(game, module)
        for module, setting in self._each(d.Setting):
            self._setting(setting, module)

    def _each(self, sort: type[_Named]) -> Iterator[tuple[Module, _Named]]:
        for module in self.linked.modules:
            for node in module.declarations:
                if isinstance(node, sort):
                    name = getattr(node, "name", None)
                    self.report.address = module.prefix + name.text if name else "game"
                    yield module, node

    def _shared(self, name: str, node: d.Declared) -> dict[str, object]:
        title = node.title.text if node.title else ""
        return {"name": name, "title": title, "cites": qualify(node.cites, self.linked), "span": node.head}

    def _is_entered(self, space: Mapping[str, Symbol], name: Name) -> bool:
        """Whether a declaration is the one its name stands for, and not a second one."""
        symbol = space.get(name.text)
        return symbol is not None and symbol.span == name.span

    def _kind(self, node: d.Kind, module: Module) -> None:
        kinds = self.found.shapes.kinds
        if node.name.text == "player":
            old = kinds["player"]
            stored, derived = self._fields(node.fields, "player", module, known=old.fields)
            shared = self._shared("player", node)
            kinds["player"] = typed.Kind(
                **shared, plural=PLAYERS, fields=(*old.fields, *stored), derived=(*old.derived, *derived)
            )
        elif self._is_entered(module.types, node.name):
            name = module.prefix + node.name.text
            stored, derived = self._fields(node.fields, name, module)
            plural = module.prefix + node.plural.text
            kinds[name] = typed.Kind(**self._shared(name, node), plural=plural, fields=stored, derived=derived)

    def _record(self, node: d.Record, module: Module) -> None:
        if self._is_entered(module.types, node.name):
            name = module.prefix + node.name.text
            parts, derived = self._fields(node.fields, name, module)
            for part in node.fields:
                if isinstance(part, d.StoredField) and part.start is not None:
                    message = "a part of a record has no start value: it is made whole"
                    self.report.error("RW0218", part.name.span, message, help="leave out `= …`")
            self.found.shapes.records[name] = typed.Record(**self._shared(name, node), parts=parts, derived=derived)

    def _fields(
        self, nodes: tuple[d.Field, ...], owner: str, module: Module, known: tuple[typed.Field, ...] = ()
    ) -> tuple[tuple[typed.Field, ...], tuple[str, ...]]:
        """The stored fields of a kind or record, and the function names of its derived ones."""
        seen = {each.name for each in known}
        stored: list[typed.Field] = []
        derived: list[str] = []
        for node in nodes:
            if self._is_doubled(node.name, seen):
                continue
            if not isinstance(node, d.StoredField):
                derived.append(f"{owner}/{node.name.text}")
                continue
            made = self._field(node, f"{owner}/{node.name.text}", module)
            if made is not None:
                stored.append(made)
        return tuple(stored), tuple(derived)

    def _is_doubled(self, name: Name, seen: set[str]) -> bool:
        if name.text in _TAKEN:
            message = f"everything has `.{name.text}` already"
            self.report.error("RW0208", name.span, message, help="choose another name")
            return True
        if name.text in seen:
            message = f"`{name.text}` is declared twice"
            self.report.error("RW0207", name.span, message, help="choose another name for one of them")
            return True
        seen.add(name.text)
        return False

    def _field(self, node: d.StoredField, address: str, module: Module) -> typed.Field | None:
        type_ = resolve_type(node.type, module, self.linked, self.report)
        if type_ is None:
            self.found.shapes.failed.add(address)
            return None
        if node.start is not None:
            self.pending.append(_Start(node.start, type_, module, address, self._into_field(address)))
        title = node.title.text if node.title else ""
        return typed.Field(name=node.name.text, address=address, type=type_, start=None, title=title, span=node.span)

    def _into_field(self, address: str) -> Callable[[Expression], None]:
        return lambda start: self._set_start(address, start)

    def _set_start(self, address: str, start: Expression) -> None:
        """Puts a start value into the one field of that address."""

        def filled(fields: tuple[typed.Field, ...]) -> tuple[typed.Field, ...]:
            return tuple(replace(each, start=start) if each.address == address else each for each in fields)

        owner, _, name = address.partition("/")
        shapes = self.found.shapes
        if owner == "game":
            self.found.game[name] = replace(self.found.game[name], start=start)
        elif owner in shapes.kinds:
            kind = shapes.kinds[owner]
            shapes.kinds[owner] = replace(kind, fields=filled(kind.fields))
        elif owner in self.found.boards:
            board = self.found.boards[owner]
            board = replace(board, fields=filled(board.fields), sides=filled(board.sides))
            self.found.boards[owner] = board
            self._show_cells(board)

    def _show_cells(self, board: typed.Board) -> None:
        self.found.shapes.cells[board.name] = {each.name: each for each in board.fields}
        self.found.shapes.sides[board.name] = {each.name: each for each in board.sides}

    def _board(self, node: d.Board, module: Module) -> None:
        if not self._is_entered(module.names, node.name):
            return
        space = node.space.text
        if space in {"square", "plane"}:
            unsupported(self.report, node.space.span, "squares are" if space == "square" else "the plane is")
        elif space != "hex":
            message = f"there is no board of `{space}`"
            self.report.error("RW0215", node.space.span, message, help="a board is `of hex`, `of square` or `of plane`")
            return
        name = module.prefix + node.name.text
        stored, derived = self._fields(node.fields, name, module)
        for each in node.fields:
            if not isinstance(each, d.StoredField):
                message = "a cell has no derived attributes"
                self.report.error("RW0219", each.name.span, message, help="declare a `term` of a hex")
        del derived
        sided = {each.name.text for each in node.fields if isinstance(each, d.StoredField) and each.side}
        board = typed.Board(
            **self._shared(name, node),
            space=space,
            fields=tuple(each for each in stored if each.name not in sided),
            sides=tuple(each for each in stored if each.name in sided),
        )
        self.found.boards[name] = board
        self._show_cells(board)

    def _game(self, node: d.Game, module: Module) -> None:
        for each in node.fields:
            if not isinstance(each, d.StoredField):
                message = "a game field is stored"
                self.report.error("RW0219", each.name.span, message, help="declare a `term`")
            elif self._is_entered(module.names, each.name):
                name = module.prefix + each.name.text
                made = self._field(each, f"game/{name}", module)
                if made is not None:
                    self.found.game[name] = made
                    module.names[each.name.text] = replace(module.names[each.name.text], type=made.type)

    def _setting(self, node: d.Setting, module: Module) -> None:
        if not self._is_entered(module.names, node.name):
            return
        type_ = resolve_type(node.type, module, self.linked, self.report)
        if type_ is None:
            return
        name = module.prefix + node.name.text
        module.names[node.name.text] = replace(module.names[node.name.text], type=type_)
        shared = self._shared(name, node)

        def take(value: Expression) -> None:
            self.found.settings[name] = typed.Setting(**shared, type=type_, value=value)  # type: ignore[arg-type]

        self.pending.append(_Start(node.value, type_, module, name, take))

    def callables(self) -> None:
        """Parameters and results of everything that can be called."""
        for module in self.linked.modules:
            for node in module.declarations:
                name = getattr(node, "name", None)
                if name is not None and self._is_entered(module.callables, name):
                    self.report.address = module.prefix + name.text
                    self._callable(node, module, name)
        self._refresh()

    def _refresh(self) -> None:
        """Shared names learn what their owners know by now."""
        owned = {(symbol.sort, symbol.name): symbol for module in self.linked.modules for symbol in _own(module)}
        for module in self.linked.modules:
            for space in (module.names, module.callables):
                space.update({name: owned.get((old.sort, old.name), old) for name, old in space.items()})

    def _callable(self, node: d.Declaration, module: Module, name: Name) -> None:
        symbol = module.callables[name.text]
        parameters = self._parameters(getattr(node, "parameters", ()), module, node)
        module.callables[name.text] = replace(symbol, parameters=parameters)
        shapes = self.found.shapes
        match node:
            case d.Relation():
                self._relation(node, symbol.name, parameters)
            case d.ExternalProcedure():
                self._external(node, symbol.name, parameters, module)
            case d.ProcedureLike():
                unsupported(self.report, node.head, "`like` is")
            case d.Paths():
                unsupported(self.report, node.head, "`paths` is")
            case d.Event(first_taker=True):
                unsupported(self.report, node.head, "`first taker` is")
            case d.Term(conditions=conditions, gives=None) if conditions is not None:
                shapes.results[symbol.name] = FLAG
        gives = getattr(node, "gives", None)
        if gives is not None and not isinstance(node, d.Event):
            type_ = resolve_type(gives, module, self.linked, self.report)
            if type_ is not None:
                shapes.results[symbol.name] = type_
            else:
                shapes.failed.add(symbol.name)

    def _parameters(
        self, nodes: tuple[d.Parameter, ...], module: Module, owner: d.Declaration
    ) -> tuple[tuple[str, Type], ...]:
        found: dict[str, Type] = {}
        seen: set[str] = set()
        for node in nodes:
            if node.default is not None and not isinstance(owner, d.Procedure | d.ProcedureLike):
                message = "only parameters of procedures have defaults"
                self.report.error("RW0217", node.span, message, help="leave out `= …`")
            type_ = resolve_type(node.type, module, self.linked, self.report)
            if not self._is_doubled_parameter(node.name, seen) and type_ is not None:
                found[node.name.text] = type_
        return tuple(found.items())

    def _is_doubled_parameter(self, name: Name, seen: set[str]) -> bool:
        if name.text not in seen:
            seen.add(name.text)
            return False
        message = f"`{name.text}` is declared twice"
        self.report.error("RW0207", name.span, message, help="choose another name for one of them")
        return True

    def _relation(self, node: d.Relation, name: str, parameters: tuple[tuple[str, Type], ...]) -> None:
        self.found.shapes.results[name] = FLAG
        if len(node.parameters) != 2:  # noqa: PLR2004 - a relation links two things
            message = "a relation links two things"
            self.report.error("RW0214", node.head, message, help="give it two parameters, or declare a `term`")
            return
        if len(parameters) != len(node.parameters):
            return
        (first, first_type), (second, second_type) = parameters
        if node.symmetric and first_type != second_type:
            message = "the two sides of a symmetric relation have one type"
            self.report.error("RW0214", node.parameters[1].span, message)
        if node.value is not None or node.conditions is not None:
            return
        for parameter, (_, type_) in zip(node.parameters, parameters, strict=True):
            if not isinstance(type_, ThingType):
                message = "a stored relation links things of a kind"
                self.report.error("RW0214", parameter.span, message, help="only derived relations take other values")
                return
        self.found.relations[name] = typed.Relation(
            **self._shared(name, node),
            parameters=(Variable(first, 0, first_type), Variable(second, 1, second_type)),
            symmetric=node.symmetric,
        )

    def _external(
        self, node: d.ExternalProcedure, name: str, parameters: tuple[tuple[str, Type], ...], module: Module
    ) -> None:
        result: Type | None = None
        if node.results:
            result = self._named_results(node, name, module)
        elif node.gives is not None:
            result = resolve_type(node.gives, module, self.linked, self.report)
        if result is not None:
            self.found.shapes.results[name] = result
        elif node.results:
            self.found.shapes.failed.add(name)
        self.found.external_procedures[name] = typed.ExternalProcedure(
            **self._shared(name, node),
            parameters=tuple(Variable(text, index, type_) for index, (text, type_) in enumerate(parameters)),
            result=result,
            changes=changes(node, module, self.found.shapes, self.report),
        )

    def _named_results(self, node: d.ExternalProcedure, name: str, module: Module) -> Type | None:
        """Named results make a record type of the external's own name."""
        made = self._parameters(node.results, module, node)
        if len(made) != len(node.results):
            return None
        titles = {each.name.text: each.span for each in node.results}
        parts = tuple(
            typed.Field(name=text, address=f"{name}/{text}", type=type_, start=None, title="", span=titles[text])
            for text, type_ in made
        )
        self.found.shapes.records[name] = typed.Record(**self._shared(name, node), parts=parts, derived=())
        return RecordType(name)

    def starts(self) -> None:
        """Start values, settings and the faces of dice."""
        for start in self.pending:
            self.report.address = start.address
            scope = fresh(self.linked, start.module, self.found.shapes, self.report)
            value = infer(start.node, scope, start.type)
            fitted = value and fit(value, start.type, scope, f"`{start.address.rpartition('/')[2]}`")
            if fitted is None:
                continue
            if reads(fitted):
                message = "a start value is fixed: it reads nothing of the game"
                self.report.error("RW0216", fitted.span, message, help="write the value out, or let the state give it")
                continue
            start.take(fitted)
        for module, die in self._each(d.DieDeclaration):
            if self._is_entered(module.names, die.name):
                self._die(die, module)
        self._refresh()

    def _die(self, node: d.DieDeclaration, module: Module) -> None:
        faces: list[Expression] = []
        face_type: Type | None = None
        scope = fresh(self.linked, module, self.found.shapes, self.report)
        for face in node.faces:
            expected = face_type or self._word_type(face.value, module)
            value = infer(face.value, scope, expected)
            if value is None:
                return
            shared = value.type if face_type is None else common(face_type, value.type)
            if shared is None:
                message = "the faces of a die have one type"
                self.report.error("RW0220", face.span, message, help="declare a `values` list with all of them")
                return
            face_type = shared
            faces.extend([value] * face.count)
        if face_type is not None:
            name = module.prefix + node.name.text
            self.found.dice[name] = typed.NamedDie(**self._shared(name, node), face_type=face_type, faces=tuple(faces))
            module.names[node.name.text] = replace(module.names[node.name.text], type=face_type)

    def _word_type(self, node: ExpressionNode, module: Module) -> Type | None:
        """The list of a bare word that is in one list only."""
        lists = module.words.get(getattr(node, "name", ""), []) if isinstance(getattr(node, "name", ""), str) else []
        return lists[0].type if len(lists) == 1 else None


_TAKEN = frozenset({"gone", "pose"})


def _own(module: Module) -> Iterator[Symbol]:
    for space in (module.names, module.callables):
        yield from (symbol for name, symbol in space.items() if symbol.name == module.prefix + name)
