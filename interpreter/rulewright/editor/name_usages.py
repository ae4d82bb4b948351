"""Occurrences of names where rules use them: expressions, types, statements and margins, with roles."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role, walk_nodes
from rulewright.base.source import Span
from rulewright.checker.clauses import resolve_clause_id
from rulewright.checker.symbols import LinkedModule, LinkedProgram, Symbol
from rulewright.editor.name_declarations import list_name_scopes, list_owned_declarations
from rulewright.editor.name_index import NameRole, NameTarget, OccurrenceCollector, RulesetNameTables
from rulewright.program import expressions as ex
from rulewright.program.declarations import Program
from rulewright.program.statements import AttributePlace, CellPlace
from rulewright.program.types import RecordType, strip_optional
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Dotted, Name, walk_written_nodes


class TypedExpressionIndex:
    """Typed expressions by span; empty for a ruleset with errors."""

    def __init__(self, program: Program | None) -> None:
        self._typed_by_span: dict[Span, list[ex.Typed]] = defaultdict(list)
        self._owners_by_place: dict[tuple[Span, str], tuple[str, str]] = {}
        for node in walk_nodes(program, Role.PROOF) if program is not None else ():
            self._index_node(node)

    def _index_node(self, each: Any) -> None:  # any node of a program
        match each:
            case ex.Typed():
                self._typed_by_span[each.span].append(each)
            case (
                AttributePlace(target=target, kind=owner, name=name) | CellPlace(target=target, board=owner, name=name)
            ):
                self._owners_by_place[target.span, name] = owner, name

    def find_word(self, span: Span) -> tuple[str, int] | None:
        """List and position of the word at a span."""
        result = next(
            (
                word_literal
                for word_literal in self._typed_by_span.get(span, ())
                if isinstance(word_literal, ex.WordLiteral)
            ),
            None,
        )
        return None if result is None else (strip_optional(result.type).values, result.position)  # type: ignore[union-attr]

    def find_attribute(self, span: Span, target: Span, name: str) -> tuple[str, str] | None:
        """Owner and name of the attribute at a span, of the expression `target`."""
        if (target, name) in self._owners_by_place:
            return self._owners_by_place[target, name]
        result = (
            owned
            for typed in self._typed_by_span.get(span, ())
            for owned in _read_attributes(typed)
            if owned[1] == name
        )
        return next(result, None) or self._find_record_part(target, name)

    def _find_record_part(self, target: Span, name: str) -> tuple[str, str] | None:
        for typed in self._typed_by_span.get(target, ()):
            type_ = strip_optional(typed.type)
            if isinstance(type_, RecordType):
                return type_.record, name
        return None


def _read_attributes(each: ex.Typed) -> Iterator[tuple[str, str]]:
    match each:
        case ex.StoredAttribute(kind=owner, name=name) | ex.CellAttribute(board=owner, name=name):
            yield owner, name
        case ex.SideAttribute(board=owner, name=name):
            yield owner, name
        case ex.DerivedAttribute(function=function) | ex.CallFunction(function=function) if "/" in function:
            owner, _, name = function.rpartition("/")
            yield owner, name
        case ex.Part(target=target, name=name):
            type_ = strip_optional(target.type)
            if isinstance(type_, RecordType):
                yield type_.record, name


AnyNode = Any

LANGUAGE_ATTRIBUTES = frozenset(
    {"natural", "face", "first", "rerolls", "part", "name", "gone", "pose", "thing", "at", "facing", "x", "y"}
)
"""Attributes of values that the language defines; a declared attribute can have the same name."""


@dataclass(frozen=True, slots=True)
class NameContext:
    """Scope of an expression."""

    module: LinkedModule  # of the text
    scope: str  # declaration, or `Kind/attribute`, in the program
    owner: str = ""  # kind or record of a derived attribute, or empty


class UsageCollector:
    """Collector of using occurrences; all declarations are collected before."""

    def __init__(
        self,
        linked: LinkedProgram,
        checked: TypedExpressionIndex,
        names: RulesetNameTables,
        collector: OccurrenceCollector,
    ) -> None:
        self._linked, self._typed_expressions, self._names, self._occurrences = linked, checked, names, collector

    def collect_usages(self) -> None:
        """Collect usages in declarations with overlays applied, then in what overlays remove."""
        known = set[tuple[int, str]]()
        for home in list_owned_declarations(self._linked):
            view = self._linked.procedure_views.get(home.name, home.module)
            self._collect_in_declaration(home.name, home.node, view)
            known.add((id(home.node), view.prefix))
        for module in self._linked.modules:
            for file in module.files:
                self._collect_file(module, file, known)

    def _collect_file(self, module: LinkedModule, file: d.File, known: set[tuple[int, str]]) -> None:
        for header in file.headers:
            if isinstance(header, d.AmendsHeader) and isinstance(header.name, Name):
                self._collect_amends_header(header.name)
        for declaration in file.declarations:
            if (id(declaration), module.prefix) in known:
                continue
            if isinstance(declaration, d.ProcedureLike):
                self._collect_derived_procedure(module, declaration)
            elif isinstance(declaration, d.Game) or hasattr(declaration, "name"):
                name = "game" if isinstance(declaration, d.Game) else declaration.name.text
                self._collect_in_declaration(module.prefix + name, declaration, module)
            else:
                self._collect_in_declaration(_amended_declaration(module, declaration), declaration, module)

    def _collect_amends_header(self, name: Name) -> None:
        for module in self._linked.modules:
            header = module.header
            if header is not None and header.name.text == name.text:
                self._occurrences.add_occurrence(
                    name.span, name.text, self._occurrences.find_target(header.name.span), NameRole.AMENDED
                )

    def _collect_derived_procedure(self, module: LinkedModule, node: d.ProcedureLike) -> None:
        place = NameContext(module, module.prefix + node.name.text)
        base = self._collect_callable(node.base, place, NameRole.READ)
        self._collect_argument_names(node.arguments, base)
        for written_node in walk_written_nodes(
            (node.parameters, tuple(one.value for one in node.arguments), node.cites)
        ):
            self._collect_node(written_node, place, {}, set())
        self._collect_in_declaration(place.scope, node.amendments, module)

    def _collect_in_declaration(self, name: str, node: AnyNode, module: LinkedModule) -> None:
        for below, scope in list_name_scopes(node):
            owner = name if below and isinstance(node, d.Kind | d.Record) else ""
            roles: dict[int, NameRole] = {}
            called: set[int] = set()
            for written_node in walk_written_nodes(scope):
                self._collect_node(
                    written_node,
                    NameContext(module.get_module_at(written_node.span), name + below, owner),
                    roles,
                    called,
                )
        for item in getattr(node, "cites", ()):
            self._collect_cite(item)

    def _collect_node(self, node: AnyNode, place: NameContext, roles: dict[int, NameRole], called: set[int]) -> None:
        match node:
            case e.Cite():
                self._collect_cite(node)
            case e.NamedType(name=dotted):
                self._collect_dotted_name(dotted, place, "types", NameRole.TYPED)
            case e.Call():
                called.add(id(node.function))
                self._collect_call(node, place)
            case e.Aggregate(function=function):
                called.add(id(function))
            case e.Reference() if id(node) not in called:
                self._collect_reference(node, place, roles.get(id(node), NameRole.READ))
            case e.Attribute() if id(node) not in called:
                self._collect_attribute(node, place, roles.get(id(node), NameRole.READ), node.span)
            case s.Set(place=changed) | s.Change(place=changed) | s.Reroll(dice=changed) | s.Shuffle(deck=changed):
                roles[id(_strip_index_keys(changed))] = NameRole.CHANGED
            case s.Draw(source=changed):
                roles[id(_strip_index_keys(changed))] = NameRole.CHANGED
            case s.Remove(thing=thing):
                roles[id(_strip_index_keys(thing))] = NameRole.REMOVED
            case s.Move(thing=thing) | s.Turn(thing=thing) | s.Place(thing=thing):
                roles[id(_strip_index_keys(thing))] = NameRole.MOVED
            case s.Proceed(step=step):
                self._occurrences.add_occurrence(
                    step.span, step.text, self._names.steps.get((place.scope, step.text)), NameRole.REACHED
                )
            case s.Perform():
                self._collect_perform(node, place)
            case s.Trigger(event=event):
                self._collect_argument_names(node.arguments, self._collect_callable(event, place, NameRole.TRIGGERED))
            case d.Handler(event=event) | d.Watch(event=event):
                self._collect_heard_event(event, place)
            case s.Finish(procedure=Name() as name):
                self._collect_callable(Dotted((name,), name.span), place, NameRole.FINISHED)
            case d.Hold(names=names):
                for item in names:
                    self._collect_dotted_name(Dotted((item,), item.span), place, "others", NameRole.HELD)
            case s.Reveal(name=name):
                self._occurrences.add_occurrence(
                    name.span, name.text, self._find_own_name(name.text, place), NameRole.READ
                )
            case d.Bind(external=external, to=target):
                self._collect_callable(external, place, NameRole.BOUND)
                self._collect_callable(target, place, NameRole.CALLED)
            case d.Paths(board=board):
                self._collect_dotted_name(Dotted((board,), board.span), place, "names", NameRole.READ)
            case d.DieDeclaration(faces=faces):
                self._collect_words_of_one_list([face.value for face in faces], place)
            case d.Table():
                self._collect_table_words(node, place)
            case _:
                pass

    def _collect_cite(self, cite: e.Cite) -> None:
        """The document is not part of the name."""
        whole = resolve_clause_id(cite, self._linked.document_by_source)
        target = self._names.clauses.get(whole)
        if target is None:
            target = self._names.clauses[whole] = NameTarget("clause", whole, cite.span.source)
        number = cite.clause.rpartition(":")[2]
        span = Span(cite.span.source, cite.span.end - len(number), cite.span.end)
        self._occurrences.add_occurrence(span, number, target, NameRole.CITED)

    # Names.

    def _find_own_name(self, name: str, place: NameContext) -> NameTarget | None:
        """Variable of the declaration, or parameter of the event that it handles."""
        return self._names.own_names.get((place.scope, name))

    def _symbol_target(self, symbol: Symbol | None) -> NameTarget | None:
        return None if symbol is None else self._occurrences.find_target(symbol.span)

    def _collect_reference(self, node: e.Reference, place: NameContext, role: NameRole) -> None:
        word = self._typed_expressions.find_word(node.span)
        if word is not None:
            self._occurrences.add_occurrence(node.span, node.name, self._names.words.get((word[0], node.name)), role)
            return
        target = self._find_own_name(node.name, place) or self._names.attributes.get((place.owner, node.name))
        if target is None:
            target, role = self._resolve_file_name(node, place, role)
        if target is not None:
            self._occurrences.add_occurrence(node.span, node.name, target, role)
        elif words := place.module.words.get(node.name):
            self._occurrences.add_occurrence(
                node.span, node.name, self._symbol_target(words[0]), role, sure=len(words) == 1
            )

    def _resolve_file_name(
        self, node: e.Reference, place: NameContext, role: NameRole
    ) -> tuple[NameTarget | None, NameRole]:
        module = place.module
        for space, does in (("names", role), ("types", NameRole.READ), ("callables", NameRole.CALLED)):
            symbol = getattr(module, space).get(node.name)
            if symbol is not None and not (space == "callables" and node.name in module.words):
                stored = role if isinstance(symbol.node, d.Relation) else does
                return self._symbol_target(symbol), stored
        return (self._find_prefix(node.name), NameRole.READ) if node.name in module.uses else (None, role)

    def _find_prefix(self, name: str) -> NameTarget | None:
        for module in self._linked.modules:
            for file in module.files:
                for header in file.headers:
                    if isinstance(header, d.UseHeader) and header.prefix and header.prefix.text == name:
                        return self._occurrences.find_target(header.prefix.span)
        return None

    def _collect_words_of_one_list(self, values: list[AnyNode], place: NameContext) -> None:
        """The list that has all of them."""
        names = [reference.name for reference in values if isinstance(reference, e.Reference)]
        lists = [{symbol.name for symbol in place.module.words.get(name, ())} for name in names]
        common = set.intersection(*lists) if lists else set()
        for value in values if len(common) == 1 else ():
            if isinstance(value, e.Reference):
                (one,) = common
                self._occurrences.add_occurrence(
                    value.span, value.name, self._names.words.get((one, value.name)), NameRole.READ
                )

    def _collect_table_words(self, node: d.Table, place: NameContext) -> None:
        wanted = [parameter.type for parameter in node.parameters]
        results = [node.gives] * (len(node.across.cells) if node.across else 1)
        if node.across:
            about = next(
                (parameter.type for parameter in node.parameters if parameter.name.text == node.across.name.text), None
            )
            self._occurrences.add_occurrence(
                node.across.name.span,
                node.across.name.text,
                self._find_own_name(node.across.name.text, place),
                NameRole.READ,
            )
            self._collect_cell_words(node.across.cells, [about] * len(node.across.cells), place)
            wanted = [parameter.type for parameter in node.parameters if parameter.name.text != node.across.name.text]
        for row in node.rows:
            self._collect_cell_words(row.cells, [*wanted, *results], place)

    def _collect_cell_words(self, cells: tuple[s.Cell, ...], wanted: list[AnyNode], place: NameContext) -> None:
        for cell, type_ in zip(cells, wanted, strict=False):
            if isinstance(type_, e.OptionalType):
                type_ = type_.inner  # noqa: PLW2901 - the type without its `?`
            if isinstance(cell.value, e.Reference) and isinstance(type_, e.NamedType):
                symbol = _resolve_dotted(type_.name, place.module, "types")
                values = symbol.name if symbol is not None else ""
                name = cell.value.name
                self._occurrences.add_occurrence(
                    cell.value.span, name, self._names.words.get((values, name)), NameRole.READ
                )

    def _collect_attribute(self, node: e.Attribute, place: NameContext, role: NameRole, whole: Span) -> None:
        """`target.name`: a name of a used ruleset, a word of a list, or an attribute."""
        name, module = node.name, self._find_used_module(node.target, place)
        if module is not None:
            symbol = next(
                (space[name.text] for space in (module.names, module.types, module.callables) if name.text in space),
                None,
            )
            self._occurrences.add_occurrence(name.span, name.text, self._symbol_target(symbol), role)
            return
        type_ = self._find_type_symbol(node.target, place)
        if type_ is not None and type_.sort == "values":
            self._occurrences.add_occurrence(name.span, name.text, self._names.words.get((type_.name, name.text)), role)
            return
        if type_ is not None and type_.sort == "kind":
            self._occurrences.add_occurrence(
                name.span, name.text, self._names.attributes.get((type_.name, name.text)), NameRole.CHANGED
            )
            return
        owned = self._typed_expressions.find_attribute(whole, node.target.span, name.text)
        if owned is not None:
            self._occurrences.add_occurrence(name.span, name.text, self._names.attributes.get(owned), role)
            return
        alike = self._names.find_attributes(name.text)
        if alike and not (name.text in LANGUAGE_ATTRIBUTES and self._names.programs):
            self._occurrences.add_occurrence(name.span, name.text, alike[0], role, sure=len(alike) == 1)

    def _find_used_module(self, node: AnyNode, place: NameContext) -> LinkedModule | None:
        if isinstance(node, e.Reference) and self._find_own_name(node.name, place) is None:
            return place.module.uses.get(node.name)
        return None

    def _find_type_symbol(self, node: AnyNode, place: NameContext) -> Symbol | None:
        match node:
            case e.Reference(name=name) if self._find_own_name(name, place) is None:
                return place.module.types.get(name)
            case e.Attribute(target=target, name=name) if (module := self._find_used_module(target, place)) is not None:
                return module.types.get(name.text)
            case _:
                return None

    # Calls.

    def _collect_call(self, node: e.Call, place: NameContext) -> None:
        match node.function:
            case e.Reference(name=name, span=span):
                symbol = place.module.callables.get(name) or place.module.types.get(name)
                target = self._symbol_target(symbol) or self._names.attributes.get((place.owner, name))
                self._occurrences.add_occurrence(span, name, target, NameRole.CALLED)
                owner = symbol.name if symbol else f"{place.owner}/{name}"
            case e.Attribute(target=target_node, name=name):
                self._collect_attribute(node.function, place, NameRole.CALLED, node.span)
                module = self._find_used_module(target_node, place)
                symbol = (module.callables.get(name.text) or module.types.get(name.text)) if module else None
                owned = self._typed_expressions.find_attribute(node.span, target_node.span, name.text)
                owner = symbol.name if symbol else "/".join(owned) if owned else ""
            case _:
                return
        self._collect_argument_names(node.arguments, owner)

    def _collect_argument_names(self, arguments: tuple[e.Argument, ...], owner: str) -> None:
        for argument in arguments:
            if argument.name is not None:
                key = owner, argument.name.text
                target = self._names.own_names.get(key) or self._names.attributes.get(key)
                self._occurrences.add_occurrence(argument.name.span, argument.name.text, target, NameRole.FILLED)

    def _collect_dotted_name(self, dotted: Dotted, place: NameContext, space: str, role: NameRole) -> str:
        """Returns the name in the program."""
        module: LinkedModule | None = place.module
        *prefixes, last = dotted.parts
        for prefix in prefixes:
            self._occurrences.add_occurrence(prefix.span, prefix.text, self._find_prefix(prefix.text), NameRole.READ)
            module = module.uses.get(prefix.text) if module else None
        symbol = getattr(module, space).get(last.text) if module else None
        self._occurrences.add_occurrence(last.span, last.text, self._symbol_target(symbol), role)
        return symbol.name if symbol else ""

    def _collect_callable(self, dotted: Dotted, place: NameContext, role: NameRole) -> str:
        return self._collect_dotted_name(dotted, place, "callables", role)

    def _collect_perform(self, node: s.Perform, place: NameContext) -> None:
        name = self._collect_callable(node.procedure, place, NameRole.PERFORMED)
        self._collect_argument_names(node.arguments, name)
        for step in node.steps or ():
            self._occurrences.add_occurrence(
                step.span, step.text, self._names.steps.get((name, step.text)), NameRole.REACHED
            )

    def _collect_heard_event(self, event: Dotted, place: NameContext) -> None:
        name = self._collect_callable(event, place, NameRole.HEARD)
        heard = {key: name_target for (owner, key), name_target in self._names.own_names.items() if owner == name}
        for key, name_target in heard.items():
            self._names.own_names.setdefault((place.scope, key), name_target)


def _strip_index_keys(changed: AnyNode) -> AnyNode:
    """Changed place without its keys."""
    while isinstance(changed, e.Index):
        changed = changed.target
    return changed


def _resolve_dotted(dotted: Dotted, module: LinkedModule, space: str) -> Symbol | None:
    home: LinkedModule | None = module
    for part in dotted.parts[:-1]:
        home = home.uses.get(part.text) if home else None
    return getattr(home, space).get(dotted.parts[-1].text) if home else None


def _amended_declaration(module: LinkedModule, node: AnyNode) -> str:
    address = next((amendment_address for amendment_address in _amendment_addresses(node)), None)
    return module.prefix + address.text.partition("/")[0] if address else ""


def _amendment_addresses(node: AnyNode) -> Iterator[Name]:
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


def list_amended_addresses_by_procedure(file: d.File) -> Iterator[tuple[str, Name]]:
    """Addresses in amendments, each with its procedure by `like` if it is in one."""
    for declaration in file.declarations:
        if isinstance(declaration, d.ProcedureLike):
            yield from (
                (declaration.name.text, name) for one in declaration.amendments for name in _amendment_addresses(one)
            )
        else:
            yield from (("", name) for name in _amendment_addresses(declaration))
