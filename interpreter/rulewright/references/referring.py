"""Where rules use names: expressions, types, lines and margins, with what a name does there."""

from collections.abc import Iterator
from typing import Any

from rulewright.analysis.clauses import clause_id
from rulewright.analysis.symbols import Linked, Module, Symbol
from rulewright.frozen import dataclass
from rulewright.references.checked import CheckedPlaces
from rulewright.references.declaring import homes, scopes
from rulewright.references.index import Role, Target
from rulewright.references.names import Found, Names
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, expressions as e, rows as r, statements as s
from rulewright.syntax.nodes.expressions import Dotted, Name, written_in

Node = Any

OF_LANGUAGE = frozenset(
    {"natural", "face", "first", "rerolls", "part", "name", "gone", "pose", "thing", "at", "facing", "x", "y"}
)
"""Attributes that values of the language have, whatever attributes of these names rules declare."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression stands: whose names it sees."""

    module: Module  # whose text it is
    scope: str  # the declaration, or `Kind/attribute`, as the program calls it
    owner: str = ""  # the kind or record whose attribute it works out, or empty


class Referring:
    """Notes every name where it is used; each declared name was noted before."""

    def __init__(self, linked: Linked, checked: CheckedPlaces, names: Names, found: Found) -> None:
        self._linked, self._checked, self._names, self._found = linked, checked, names, found

    def run(self) -> None:
        """Notes what declarations say, overlays applied, then what files say that overlays take away."""
        known = set[tuple[int, str]]()
        for home in homes(self._linked):
            view = self._linked.views.get(home.name, home.module)
            self._declaration(home.name, home.node, view)
            known.add((id(home.node), view.prefix))
        for module in self._linked.modules:
            for file in module.files:
                self._file(module, file, known)

    def _file(self, module: Module, file: d.File, known: set[tuple[int, str]]) -> None:
        for header in file.headers:
            if isinstance(header, d.AmendsHeader) and isinstance(header.name, Name):
                self._amends(header.name)
        for each in file.declarations:
            if (id(each), module.prefix) in known:
                continue
            if isinstance(each, d.ProcedureLike):
                self._like(module, each)
            elif isinstance(each, d.Game) or hasattr(each, "name"):
                name = "game" if isinstance(each, d.Game) else each.name.text
                self._declaration(module.prefix + name, each, module)
            else:
                self._declaration(_amended(module, each), each, module)

    def _amends(self, name: Name) -> None:
        for module in self._linked.modules:
            header = module.header
            if header is not None and header.name.text == name.text:
                self._found.note(name.span, name.text, self._found.target(header.name.span), Role.AMENDED)

    def _like(self, module: Module, node: d.ProcedureLike) -> None:
        place = Place(module, module.prefix + node.name.text)
        base = self._callable(node.base, place, Role.READ)
        self._arguments(node.arguments, base)
        for each in written_in((node.parameters, tuple(one.value for one in node.arguments), node.cites)):
            self._node(each, place, {}, set())
        self._declaration(place.scope, node.amendments, module)

    def _declaration(self, name: str, node: Node, module: Module) -> None:
        for below, scope in scopes(node):
            owner = name if below and isinstance(node, d.Kind | d.Record) else ""
            roles: dict[int, Role] = {}
            called: set[int] = set()
            for each in written_in(scope):
                self._node(each, Place(module.at(each.span), name + below, owner), roles, called)
        for each in getattr(node, "cites", ()):
            self._cite(each)

    def _node(  # noqa: C901, PLR0912 - one case for each sort of node
        self, node: Node, place: Place, roles: dict[int, Role], called: set[int]
    ) -> None:
        match node:
            case e.Cite():
                self._cite(node)
            case e.NamedType(name=dotted):
                self._dotted(dotted, place, "types", Role.TYPED)
            case e.Call():
                called.add(id(node.function))
                self._call(node, place)
            case e.Aggregate(function=function):
                called.add(id(function))
            case e.Reference() if id(node) not in called:
                self._reference(node, place, roles.get(id(node), Role.READ))
            case e.Attribute() if id(node) not in called:
                self._attribute(node, place, roles.get(id(node), Role.READ), node.span)
            case s.Set(place=changed) | s.Change(place=changed) | s.Reroll(dice=changed) | s.Shuffle(deck=changed):
                roles[id(_outermost(changed))] = Role.CHANGED
            case s.Draw(source=changed):
                roles[id(_outermost(changed))] = Role.CHANGED
            case s.Remove(thing=thing):
                roles[id(_outermost(thing))] = Role.REMOVED
            case s.Move(thing=thing) | s.Turn(thing=thing) | s.Place(thing=thing):
                roles[id(_outermost(thing))] = Role.MOVED
            case s.Proceed(step=step):
                self._found.note(step.span, step.text, self._names.steps.get((place.scope, step.text)), Role.REACHED)
            case s.Perform():
                self._perform(node, place)
            case s.Trigger(event=event):
                self._arguments(node.arguments, self._callable(event, place, Role.TRIGGERED))
            case d.Handler(event=event) | d.Watch(event=event):
                self._hear(event, place)
            case s.Finish(procedure=Name() as name):
                self._callable(Dotted((name,), name.span), place, Role.FINISHED)
            case d.Hold(names=held):
                for each in held:
                    self._dotted(Dotted((each,), each.span), place, "others", Role.HELD)
            case s.Reveal(name=name):
                self._found.note(name.span, name.text, self._own(name.text, place), Role.READ)
            case d.Bind(external=external, to=target):
                self._callable(external, place, Role.BOUND)
                self._callable(target, place, Role.CALLED)
            case d.Paths(board=board):
                self._dotted(Dotted((board,), board.span), place, "names", Role.READ)
            case d.DieDeclaration(faces=faces):
                self._alike([each.value for each in faces], place)
            case d.Table():
                self._table(node, place)
            case _:
                pass

    def _cite(self, cite: e.Cite) -> None:
        """The number of a clause in a margin; its document is not part of the name."""
        whole = clause_id(cite, self._linked.documents)
        target = self._names.clauses.get(whole)
        if target is None:
            target = self._names.clauses[whole] = Target("clause", whole, cite.span.source)
        number = cite.clause.rpartition(":")[2]
        span = Span(cite.span.source, cite.span.end - len(number), cite.span.end)
        self._found.note(span, number, target, Role.CITED)

    # names -------------------------------------------------------------------------------------------------------

    def _own(self, name: str, place: Place) -> Target | None:
        """A name of the declaration's own, or a parameter of the event that it hears."""
        return self._names.own.get((place.scope, name))

    def _symbol(self, symbol: Symbol | None) -> Target | None:
        return None if symbol is None else self._found.target(symbol.span)

    def _reference(self, node: e.Reference, place: Place, role: Role) -> None:
        word = self._checked.word(node.span)
        if word is not None:
            self._found.note(node.span, node.name, self._names.words.get((word[0], node.name)), role)
            return
        target = self._own(node.name, place) or self._names.attributes.get((place.owner, node.name))
        if target is None:
            target, role = self._of_file(node, place, role)
        if target is not None:
            self._found.note(node.span, node.name, target, role)
        elif words := place.module.words.get(node.name):
            self._found.note(node.span, node.name, self._symbol(words[0]), role, sure=len(words) == 1)

    def _of_file(self, node: e.Reference, place: Place, role: Role) -> tuple[Target | None, Role]:
        """A name of the file: what has a value, a type, a prefix, or what is called without arguments."""
        module = place.module
        for space, does in (("names", role), ("types", Role.READ), ("callables", Role.CALLED)):
            symbol = getattr(module, space).get(node.name)
            if symbol is not None and not (space == "callables" and node.name in module.words):
                stored = role if isinstance(symbol.node, d.Relation) else does
                return self._symbol(symbol), stored
        return (self._prefix(node.name), Role.READ) if node.name in module.uses else (None, role)

    def _prefix(self, name: str) -> Target | None:
        """The prefix that a text gives to a ruleset it uses."""
        for module in self._linked.modules:
            for file in module.files:
                for header in file.headers:
                    if isinstance(header, d.UseHeader) and header.prefix and header.prefix.text == name:
                        return self._found.target(header.prefix.span)
        return None

    def _alike(self, values: list[Node], place: Place) -> None:
        """Words that are of one list: the one that has all of them."""
        names = [each.name for each in values if isinstance(each, e.Reference)]
        lists = [{symbol.name for symbol in place.module.words.get(name, ())} for name in names]
        common = set.intersection(*lists) if lists else set()
        for each in values if len(common) == 1 else ():
            if isinstance(each, e.Reference):
                (one,) = common
                self._found.note(each.span, each.name, self._names.words.get((one, each.name)), Role.READ)

    def _table(self, node: d.Table, place: Place) -> None:
        """The words of the cells of a table, of the lists that its parameters and its result are of."""
        wanted = [each.type for each in node.parameters]
        results = [node.gives] * (len(node.across.cells) if node.across else 1)
        if node.across:
            about = next((each.type for each in node.parameters if each.name.text == node.across.name.text), None)
            self._found.note(
                node.across.name.span, node.across.name.text, self._own(node.across.name.text, place), Role.READ
            )
            self._cells(node.across.cells, [about] * len(node.across.cells), place)
            wanted = [each.type for each in node.parameters if each.name.text != node.across.name.text]
        for row in node.rows:
            self._cells(row.cells, [*wanted, *results], place)

    def _cells(self, cells: tuple[r.Cell, ...], wanted: list[Node], place: Place) -> None:
        for cell, type_ in zip(cells, wanted, strict=False):
            if isinstance(type_, e.OptionalType):
                type_ = type_.inner  # noqa: PLW2901 - the type without its `?`
            if isinstance(cell.value, e.Reference) and isinstance(type_, e.NamedType):
                symbol = _last(type_.name, place.module, "types")
                values = symbol.name if symbol is not None else ""
                name = cell.value.name
                self._found.note(cell.value.span, name, self._names.words.get((values, name)), Role.READ)

    def _attribute(self, node: e.Attribute, place: Place, role: Role, whole: Span) -> None:
        """`target.name`: a name of a used ruleset, a word of a list, or an attribute."""
        name, module = node.name, self._module(node.target, place)
        if module is not None:
            symbol = next(
                (space[name.text] for space in (module.names, module.types, module.callables) if name.text in space),
                None,
            )
            self._found.note(name.span, name.text, self._symbol(symbol), role)
            return
        type_ = self._type(node.target, place)
        if type_ is not None and type_.sort == "values":
            self._found.note(name.span, name.text, self._names.words.get((type_.name, name.text)), role)
            return
        if type_ is not None and type_.sort == "kind":
            self._found.note(name.span, name.text, self._names.attributes.get((type_.name, name.text)), Role.CHANGED)
            return
        owned = self._checked.attribute(whole, node.target.span, name.text)
        if owned is not None:
            self._found.note(name.span, name.text, self._names.attributes.get(owned), role)
            return
        alike = self._names.attribute(name.text)
        if alike and not (name.text in OF_LANGUAGE and self._names.programs):
            self._found.note(name.span, name.text, alike[0], role, sure=len(alike) == 1)

    def _module(self, node: Node, place: Place) -> Module | None:
        """The used ruleset that a prefix stands for."""
        if isinstance(node, e.Reference) and self._own(node.name, place) is None:
            return place.module.uses.get(node.name)
        return None

    def _type(self, node: Node, place: Place) -> Symbol | None:
        """The list of words, or the kind of which an external says that it changes it, that a name stands for."""
        match node:
            case e.Reference(name=name) if self._own(name, place) is None:
                return place.module.types.get(name)
            case e.Attribute(target=target, name=name) if (module := self._module(target, place)) is not None:
                return module.types.get(name.text)
            case _:
                return None

    # calls -------------------------------------------------------------------------------------------------------

    def _call(self, node: e.Call, place: Place) -> None:
        match node.function:
            case e.Reference(name=name, span=span):
                symbol = place.module.callables.get(name) or place.module.types.get(name)
                target = self._symbol(symbol) or self._names.attributes.get((place.owner, name))
                self._found.note(span, name, target, Role.CALLED)
                owner = symbol.name if symbol else f"{place.owner}/{name}"
            case e.Attribute(target=target_node, name=name):
                self._attribute(node.function, place, Role.CALLED, node.span)
                module = self._module(target_node, place)
                symbol = (module.callables.get(name.text) or module.types.get(name.text)) if module else None
                owned = self._checked.attribute(node.span, target_node.span, name.text)
                owner = symbol.name if symbol else "/".join(owned) if owned else ""
            case _:
                return
        self._arguments(node.arguments, owner)

    def _arguments(self, arguments: tuple[e.Argument, ...], owner: str) -> None:
        for each in arguments:
            if each.name is not None:
                key = owner, each.name.text
                target = self._names.own.get(key) or self._names.attributes.get(key)
                self._found.note(each.name.span, each.name.text, target, Role.FILLED)

    def _dotted(self, dotted: Dotted, place: Place, space: str, role: Role) -> str:
        """A name with the prefixes before it; the answer is what the program calls it."""
        module: Module | None = place.module
        *prefixes, last = dotted.parts
        for each in prefixes:
            self._found.note(each.span, each.text, self._prefix(each.text), Role.READ)
            module = module.uses.get(each.text) if module else None
        symbol = getattr(module, space).get(last.text) if module else None
        self._found.note(last.span, last.text, self._symbol(symbol), role)
        return symbol.name if symbol else ""

    def _callable(self, dotted: Dotted, place: Place, role: Role) -> str:
        return self._dotted(dotted, place, "callables", role)

    def _perform(self, node: s.Perform, place: Place) -> None:
        name = self._callable(node.procedure, place, Role.PERFORMED)
        self._arguments(node.arguments, name)
        for each in node.steps or ():
            self._found.note(each.span, each.text, self._names.steps.get((name, each.text)), Role.REACHED)

    def _hear(self, event: Dotted, place: Place) -> None:
        """An event that is heard, whose parameters have their names there."""
        name = self._callable(event, place, Role.HEARD)
        heard = {key: each for (owner, key), each in self._names.own.items() if owner == name}
        for key, each in heard.items():
            self._names.own.setdefault((place.scope, key), each)


def _outermost(changed: Node) -> Node:
    """The name itself of what a line changes, without keys."""
    while isinstance(changed, e.Index):
        changed = changed.target
    return changed


def _last(dotted: Dotted, module: Module, space: str) -> Symbol | None:
    home: Module | None = module
    for each in dotted.parts[:-1]:
        home = home.uses.get(each.text) if home else None
    return getattr(home, space).get(dotted.parts[-1].text) if home else None


def _amended(module: Module, node: Node) -> str:
    """The declaration that an amendment is about."""
    address = next((each for each in _addresses(node)), None)
    return module.prefix + address.text.partition("/")[0] if address else ""


def _addresses(node: Node) -> Iterator[Name]:
    match node:
        case d.Replace(target=target):
            yield target.address
        case d.Insert(anchor=anchor, target=target):
            yield from (anchor,) if anchor else ()
            yield target.address
        case d.ReplaceLine(address=address) | d.RemovePart(address=address):
            yield address
        case d.InsertLines(anchor=anchor):
            yield anchor
        case _:
            return


def amended_addresses(file: d.File) -> Iterator[tuple[str, Name]]:
    """Every address in amendments, after the procedure by `like` that it stands in, if it does."""
    for each in file.declarations:
        if isinstance(each, d.ProcedureLike):
            yield from ((each.name.text, name) for one in each.amendments for name in _addresses(one))
        else:
            yield from (("", name) for name in _addresses(each))
