"""Where rules give names: declarations, their parts, the names they have for themselves, and what lines are called."""

from collections.abc import Iterator
from typing import Any

from rulewright.analysis.addresses import Part, acting, bound_name, column_ids, name_of, parts
from rulewright.analysis.symbols import Linked, Module
from rulewright.frozen import dataclass
from rulewright.references.index import Role, Target
from rulewright.references.names import Found, Names, Piece, Segment
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, expressions as e, rows as r, statements as s
from rulewright.syntax.nodes.expressions import Name, written_in

Node = Any

WITH_FIELDS = (d.Kind, d.Record, d.Board, d.Game)
_BINDING: dict[type, Role] = {s.Ask: Role.ASKED, s.Roll: Role.ROLLED, s.Draw: Role.DRAWN}
_SORTS: dict[type, str] = {
    d.Values: "list of words",
    d.DieDeclaration: "die",
    d.Kind: "kind",
    d.Record: "record",
    d.Board: "board",
    d.Setting: "setting",
    d.Measure: "measure",
    d.Term: "term",
    d.Relation: "relation",
    d.Tally: "tally",
    d.Decide: "decide",
    d.Table: "table",
    d.Paths: "paths",
    d.ExternalProcedure: "external procedure",
    d.ExternalTerm: "external term",
    d.Always: "always",
    d.Event: "event",
    d.Handler: "handler",
    d.Whenever: "standing rule",
    d.Procedure: "procedure",
    d.Word: "word",
    d.Step: "step",
    s.Option: "option",
    d.StoredField: "attribute",
    d.DerivedField: "attribute",
    d.DerivedConditions: "attribute",
}

PARTS, TYPES, NAMES, CALLABLES, OTHERS = "parts", "types", "names", "callables", "others"
"""The name spaces of a program, and what has its name inside of a declaration."""

_SPACES = {
    "list of words": TYPES,
    "kind": TYPES,
    "record": TYPES,
    "die": NAMES,
    "board": NAMES,
    "setting": NAMES,
    "always": OTHERS,
    "handler": OTHERS,
    "standing rule": OTHERS,
}
"""The name spaces of sorts of declarations, of others `CALLABLES`."""


@dataclass(frozen=True, slots=True)
class Home:
    """A declaration in the module that owns it."""

    module: Module
    node: Node

    @property
    def plain(self) -> str:
        """The name of the declaration without a prefix."""
        return "game" if isinstance(self.node, d.Game) else self.node.name.text

    @property
    def name(self) -> str:
        """What the program calls it."""
        return self.module.prefix + self.plain


def homes(linked: Linked) -> Iterator[Home]:
    """The declarations with a name, those derived by `like` last, each after its base."""
    derived: dict[str, Home] = {}
    for module in linked.modules:
        for node in module.declarations:
            if type(node) in _SORTS or isinstance(node, d.Game):
                home = Home(module, node)
                if home.name in linked.derivations:
                    derived[home.name] = home
                else:
                    yield home
    yield from (derived[name] for name in linked.derivations if name in derived)


def _with_written(linked: Linked) -> Iterator[Home]:
    """The declarations with a name, then for what overlays take away as files write them, where that is another."""
    known = set[tuple[int, str]]()
    for home in homes(linked):
        known.add((id(home.node), home.module.prefix))
        yield home
    for module in linked.modules:
        for node in (each for file in module.files for each in file.declarations):
            if (id(node), module.prefix) not in known and (type(node) in _SORTS or isinstance(node, d.Game)):
                yield Home(module, node)


class Declaring:
    """Notes every name where it is given."""

    def __init__(self, linked: Linked, names: Names, found: Found) -> None:
        self._linked, self._names, self._found = linked, names, found

    def run(self) -> None:
        """Notes all, then takes the addresses apart."""
        for home in _with_written(self._linked):
            self._whole(home)
            self._parts(home)
            self._own(home)
        for module in self._linked.modules:
            for file in module.files:
                self._headers(file)
                self._found.prose.update(each.span for each in file.comments)
                self._said(file)

    def _give(self, space: str, address: str, name: Name, new: Target) -> Target:
        """What has this address in a name space: what it was before, here or in what an overlay amends; else new."""
        here, known = self._found.target(name.span), self._names.declared.get((space, address))
        target = here or known or new
        self._names.declared.setdefault((space, address), target)
        self._found.note(name.span, name.text, target, Role.AMENDED if known and not here else Role.DECLARED)
        return target

    def _whole(self, home: Home) -> None:
        node = home.node
        if isinstance(node, d.Game):
            return
        sort = _SORTS[type(node)]
        given = self._give(
            _SPACES.get(sort, CALLABLES), home.name, node.name, Target(sort, home.plain, node.name.span.source)
        )
        self._found.extents.setdefault(given, node.span)
        self._title(given, node)
        if isinstance(node, d.Kind):
            plural = node.plural
            target = Target("plural", plural.text, plural.span.source)
            self._give(NAMES, home.module.prefix + plural.text, plural, target)
        if isinstance(node, d.ExternalProcedure):
            for each in node.results:
                target = Target("result", f"{home.plain}.{each.name.text}", each.name.span.source)
                given = self._give(PARTS, f"{home.name}/{each.name.text}", each.name, target)
                self._names.attributes.setdefault((home.name, each.name.text), given)

    def _parts(self, home: Home) -> None:
        for part in parts(home.node):
            name = name_of(part.node)
            if part.node is home.node or not part.own:
                continue
            if name is None:
                self._nameless(part)
                continue
            target = self._part(home, part, name)
            if target is None:
                continue
            given = self._give(PARTS, home.module.prefix + part.address, name, target)
            self._found.extents.setdefault(given, part.node.span)
            self._title(given, part.node)
            if target.sort == "step":
                self._names.steps.setdefault((home.name, name.text), given)
            elif target.sort == "word":
                self._names.words.setdefault((home.name, name.text), given)
            elif target.sort in {"attribute", "field of the game"}:
                self._names.attributes.setdefault((home.name, name.text), given)

    def _nameless(self, part: Part) -> None:
        """A line, row or cell without a name, under the address that it has where it is read first."""
        node, span = part.node, part.node.span
        if not {span, part.address} & self._found.nameless:
            sort = "line" if isinstance(node, s.Line) else "row" if isinstance(node, r.TableRow) else "cell"
            self._found.extents[Target(sort, part.address, span.source)] = span
        self._found.nameless |= {span, part.address}

    def _title(self, target: Target, node: Node) -> None:
        title = getattr(node, "title", None)
        if title is not None:
            self._found.titles.setdefault(target, title.text)

    def _part(self, home: Home, part: Part, name: Name) -> Target | None:
        """What a named part is; none where its name is one of the declaration's own."""
        node, source = part.node, name.span.source
        if isinstance(node, s.Line):
            return Target("line", part.address, source) if node.label else None
        if isinstance(node, d.StoredField | d.DerivedField | d.DerivedConditions):
            if isinstance(home.node, d.Game):
                return Target("field of the game", name.text, source)
            return Target("attribute", f"{home.plain}.{name.text}", source)
        if isinstance(node, d.Word):
            return Target("word", f"{home.plain}.{name.text}", source)
        return Target(_SORTS.get(type(node), "row"), part.address, source)

    def _own(self, home: Home) -> None:
        derivation = self._linked.derivations.get(home.name)
        for below, scope in scopes(home.node):
            owner = home.name + below
            for name, role in own_names(scope):
                known = self._found.target(name.span) or self._names.own.get((owner, name.text))
                if known is None and derivation is not None and _is_taken_over(name.text, derivation):
                    known = self._names.own.get((derivation.base, name.text))
                address = f"{home.plain}{below}.{name.text}".replace("/", ".")
                target = known or Target("name", address, name.span.source)
                self._names.own.setdefault((owner, name.text), target)
                self._found.note(name.span, name.text, target, role)

    def _headers(self, file: d.File) -> None:
        for each in file.headers:
            match each:
                case d.RulesetHeader(name=name):
                    self._give("rulesets", name.text, name, Target("ruleset", name.text, name.span.source))
                case d.UseHeader(prefix=Name() as name):
                    self._found.note(name.span, name.text, Target("prefix", name.text, name.span.source), Role.DECLARED)
                case _:
                    pass

    def _said(self, file: d.File) -> None:
        """What is written for people, and the numbers of rulings."""
        for each in written_in((file.headers, file.declarations)):
            if isinstance(each, e.Title | e.TextLiteral):
                self._found.prose.add(each.span)
            elif isinstance(each, d.Ruling | s.RulingLine):
                number = each.number
                target = self._names.rulings.setdefault(number.text, Target("ruling", number.text, number.span.source))
                self._found.note(number.span, number.text, target, Role.DECLARED)


def _is_taken_over(name: str, derivation: Any) -> bool:  # of `analysis.symbols`
    """Whether a parameter plays the role of the base that has its name, without saying so."""
    given = {each.name.text for each in derivation.node.arguments if each.name}
    return derivation.roles.get(name) == name and name not in given


def add_addresses(linked: Linked, names: Names, found: Found) -> None:
    """Takes the addresses of all parts apart, once every name in them is noted."""
    for home in _with_written(linked):
        prefix = home.module.prefix
        for part in parts(home.node):
            if part.own:
                segments = _segments(part, found)
                first = Segment(
                    prefix + segments[0].text, tuple(each.moved(len(prefix)) for each in segments[0].pieces)
                )
                names.addresses.add((first, *segments[1:]))


def _segments(part: Part, found: Found) -> tuple[Segment, ...]:
    """The segments of the address of a part; a line in a block belongs to the step, not to the line around it."""
    way = [each for each in part.around if part.address.startswith(f"{each.address}/")]
    segments, before = [], ""
    for each in (*way, part):
        text = each.address.removeprefix(before)
        segments.append(Segment(text, tuple(_pieces(each, text, found))))
        before = f"{each.address}/"
    return tuple(segments)


def _pieces(part: Part, text: str, found: Found) -> Iterator[Piece]:
    node, name = part.node, name_of(part.node)
    if isinstance(node, r.TableRow | r.Cell):
        yield from _of_cell(part, text, found)
    elif name is not None:
        start = text.find(name.text)
        yield from _at(name.text, name.span, start, found)
    elif isinstance(node, s.Line | d.Watch):
        verb, called = acting(node)
        start = len(verb) + 1
        for written, span in called:
            yield from _at(written, span, start, found)
            start += len(written) + 1


def _at(written: str, span: Span, start: int, found: Found) -> Iterator[Piece]:
    target = found.target(span)
    if target is not None and start >= 0:
        yield Piece(start, start + len(written), target)


def _of_cell(part: Part, text: str, found: Found) -> Iterator[Piece]:
    """The name of a row of a table, or the word of the cell that it, or its column, is called by."""
    if isinstance(part.node, r.TableRow) and part.node.name is not None:
        yield from _at(part.node.name.text, part.node.name.span, 0, found)
        return
    match _naming(part, text).value:
        case e.Reference(name=name, span=span) if text.startswith(name):
            yield from _at(name, span, 0, found)
        case e.Attribute(name=Name() as name) if text.startswith(name.text):
            yield from _at(name.text, name.span, 0, found)


def _naming(part: Part, text: str) -> r.Cell:
    """The cell that a row or column is called by."""
    if isinstance(part.node, r.TableRow):
        return part.node.cells[0]
    across = part.around[0].node.across
    return across.cells[column_ids(across).index(text)]  # type: ignore[no-any-return]


def scopes(declaration: Node) -> Iterator[tuple[str, Node]]:
    """What has names of its own, each with what its address has beside that of the declaration."""
    if isinstance(declaration, WITH_FIELDS):
        yield from ((f"/{each.name.text}", each) for each in declaration.fields)
    else:
        yield "", declaration


def own_names(scope: Node) -> Iterator[tuple[Name, Role]]:
    """Each place where a name of its own is given, with how; a parameter first."""
    for each in getattr(scope, "parameters", ()):
        yield each.name, Role.DECLARED
    for node in written_in(scope):
        for name in _bound(node):
            if name.text != "_":
                yield name, _BINDING.get(type(node), Role.DECLARED)


def _bound(node: Node) -> tuple[Name, ...]:
    match node:
        case e.Binder(names=names):
            return names
        case s.Asked(each_name=Name() as name):
            return (name,)
        case s.Line():
            bound = bound_name(node)
            return (bound,) if bound else ()
        case _:
            return ()
