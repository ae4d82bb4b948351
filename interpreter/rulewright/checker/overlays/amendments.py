"""Amendments: pure changes of syntax trees, by address (manual, Overlays)."""

import dataclasses
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, assert_never

from rulewright.base.diagnostics import DiagnosticCollector, Label, Remedy
from rulewright.base.diagnostics.remedies import make_respelling_remedy
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.addresses import (
    AddressedNode,
    DeclarationNode,
    NodeEdit,
    get_bound_name,
    get_node_id,
    get_node_name,
    replace_node,
    walk_addressed_nodes,
)
from rulewright.checker.clauses import resolve_clause_id
from rulewright.checker.overlays.patch_conflicts import (
    AddressPath,
    ChangePolicy,
    OverlayChange,
    PartKey,
    list_address_prefixes,
    make_new_address_keys,
)
from rulewright.program.wording import add_article
from rulewright.syntax.nodes import declarations as d, statements as s
from rulewright.syntax.nodes.expressions import Dotted, MarginCites, Name, NamedType

_FIELD_TYPES = (d.StoredField, d.DerivedField, d.DerivedConditions)
_ROW_TYPES = (s.TallyRow, s.DecideRow, s.TableRow)
_PART_SORTS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (d.Step, "step"),
    (s.Option, "option"),
    (d.Requirement, "require"),
    (d.PathRow, "path row"),
    (s.RankRow, "key"),
    ((*_ROW_TYPES, s.ConditionRow), "row"),
    (s.Let, "let"),
    ((s.Line, d.Watch, d.Hold), "line"),
    (s.Cell, "cell"),
    (_FIELD_TYPES, "field"),
    (d.Word, "word"),
)

REPLACEABLE_SORTS = frozenset({"step", "row", "option", "require", "prefer", "let", "field", "word"})
"""Sorts of parts that `replace` takes by their address."""


def get_part_sort(node: DeclarationNode) -> str:
    """Word for a part in `replace`: `step`, `row`, `option`, `require`, `field` and so on."""
    if isinstance(node, s.Demand):
        return node.word
    return next((word for kind, word in _PART_SORTS if isinstance(node, kind)), type(node).__name__.lower())


def rename_part(part: DeclarationNode, address: Name) -> DeclarationNode:
    """A part under the last element of an address."""
    if isinstance(part, s.Cell):
        return part
    last = address.text.rpartition("/")[2]
    end = address.span.end
    return replace(part, name=Name(last, Span(address.span.source, end - len(last), end)))


def inherit_title_and_cites(new: DeclarationNode, old: DeclarationNode, cites: MarginCites) -> DeclarationNode:
    """The new part with the old title and these cites, where it gives none; `""` is no title."""
    changes: dict[str, Any] = {} if getattr(new, "cites", cites) or not cites else {"cites": cites}
    title = getattr(new, "title", None)
    if title is not None and not title.text:
        changes["title"] = None
    elif title is None and getattr(old, "title", None) is not None and hasattr(new, "title"):
        changes["title"] = old.title
    return replace(new, **changes) if changes else new


def is_procedure_line(node: DeclarationNode) -> bool:
    """Whether a part is a line of a procedure or one of its opening lines."""
    return isinstance(node, s.Line | d.Requirement | d.Watch | d.Hold)


def convert_part(target: d.RowTarget | d.Target, old: DeclarationNode) -> DeclarationNode | None:
    """Part of an amendment in the form of the old one; None where it is of another sort."""
    if isinstance(target, d.RowTarget):
        match target.row:
            case s.TallyRow(change="plus", binder=None, amount=value, guard=None, title=None) if isinstance(
                old, s.Cell
            ):
                return s.Cell("value", value, target.row.span)
        return _convert_row(target.row, type(old))
    part = target.part
    match part:
        case d.Term() if isinstance(old, d.Term):
            gives = old.gives or NamedType(Dotted((Name("flag", part.span),), part.span), part.span)
            return replace(part, parameters=old.parameters, gives=gives)
        case d.Setting() if isinstance(old, d.Setting):
            return replace(part, type=part.type or old.type)
        case s.Let() if isinstance(old, s.Let):
            return replace(part, label=old.label)
        case d.StoredField() if isinstance(old, _FIELD_TYPES):
            return part
        case s.Demand() if isinstance(old, s.Demand) and part.word == old.word:
            return part
        case s.Demand(word="require") if isinstance(old, d.Requirement):
            return _make_requirement(part)
        case d.Step() | s.Option() | d.Word() if isinstance(old, type(part)):
            return part
        case _:
            return None


def _make_requirement(part: s.Demand) -> d.Requirement:
    return d.Requirement(**{field.name: getattr(part, field.name) for field in fields(d.Requirement)})


def _convert_row(row: s.TallyRow | s.DecideRow | s.TableRow, kind: type) -> DeclarationNode | None:
    """A written row as the sort of row at its address: `attacker when c` is valid in a tally, a decide and a term."""
    shared: dict[str, Any] = {"name": row.name, "span": row.span, "cites": row.cites}
    match row:
        case s.TableRow():
            return row if kind is s.TableRow else None
        case s.TallyRow(change="plus", binder=None, amount=value, guard=guard, title=title):
            pass
        case s.DecideRow(value=value, guard=guard, title=title):
            pass
        case _:
            return row if kind is s.TallyRow else None
    if kind is s.TallyRow:
        return s.TallyRow(**shared, title=title, change="plus", amount=value, guard=guard)
    if kind is s.DecideRow:
        return s.DecideRow(**shared, title=title, value=value, guard=guard)
    if kind is s.ConditionRow:
        return s.ConditionRow(**shared, title=title, condition=value, guard=guard)
    return None


def can_stand_beside(target: d.RowTarget | d.Target | None, anchor: DeclarationNode) -> bool:
    """Whether a new part, or with None a line, can stand beside another."""
    if target is None or isinstance(getattr(target, "part", None), s.Line):
        return is_procedure_line(anchor)
    if isinstance(target, d.Target) and isinstance(target.part, s.Demand):
        return isinstance(anchor, s.Demand) or (is_procedure_line(anchor) and target.part.word == "require")
    return convert_part(target, anchor) is not None


def make_part_beside(target: d.RowTarget | d.Target, anchor: DeclarationNode) -> DeclarationNode:
    """Part of an amendment in the form of its neighbour."""
    if isinstance(target, d.RowTarget):
        return _convert_row(target.row, type(anchor))
    if isinstance(target.part, s.Demand) and not isinstance(anchor, s.Demand):
        return _make_requirement(target.part)
    return target.part


def insert_beside(node: DeclarationNode, new: tuple[DeclarationNode, ...], where: str) -> tuple[DeclarationNode, ...]:
    return (*new, node) if where == "before" else (node, *new)


def append_part(container: DeclarationNode, target: d.RowTarget | d.Target) -> DeclarationNode | None:
    """A container with a new part after others of its sort; None where it takes no such part."""
    if isinstance(target, d.RowTarget):
        return _append_row(container, target)
    part = rename_part(target.part, target.address)
    match container, part:
        case d.Procedure(steps=steps), d.Step():
            return replace(container, steps=(*steps, part))
        case d.Procedure(opening=opening), s.Demand(word="require"):
            last = max((at for at, item in enumerate(opening, 1) if isinstance(item, d.Requirement)), default=0)
            return replace(container, opening=(*opening[:last], _make_requirement(part), *opening[last:]))
        case ((d.Procedure() | d.Step() | s.Option() | d.Handler() | d.Whenever()), s.Let()):
            return append_lines(container, (part,))
        case s.Ask(shape=s.Choose() as shape), s.Option():
            return replace(container, shape=replace(shape, options=(*shape.options, part)))
        case s.Ask(demands=demands), s.Demand():
            return replace(container, demands=(*demands, part))
        case ((d.Kind() | d.Record() | d.Board() | d.Game()), d.StoredField()):
            return replace(container, fields=(*container.fields, part))
        case d.Values(words=words), d.Word():
            return replace(container, words=(*words, part))
        case _:
            return None


_ROW_TYPE_BY_CONTAINER: dict[type, type] = {
    d.Tally: s.TallyRow,
    s.TallyLine: s.TallyRow,
    d.Decide: s.DecideRow,
    s.DecideLine: s.DecideRow,
    d.Table: s.TableRow,
}


def _append_row(container: DeclarationNode, target: d.RowTarget) -> DeclarationNode | None:
    conditions = getattr(container, "conditions", None)
    kind = s.ConditionRow if conditions is not None else _ROW_TYPE_BY_CONTAINER.get(type(container))
    row = _convert_row(target.row, kind) if kind is not None else None
    if row is None:
        return None
    new = rename_part(row, target.address)
    if conditions is not None:
        return replace(container, conditions=replace(conditions, rows=(*conditions.rows, new)))
    return replace(container, rows=(*container.rows, new))


def append_lines(node: DeclarationNode, lines: tuple[d.Opening, ...]) -> DeclarationNode | None:
    """A step, procedure or line with further lines at its end; None where it takes none."""
    if isinstance(node, d.Procedure):
        return replace(node, opening=(*node.opening, *lines))
    plain = tuple(line for line in lines if isinstance(line, s.Line))
    if len(plain) < len(lines) or (isinstance(node, s.Ask) and isinstance(node.shape, s.Choose)):
        return None
    if isinstance(node, s.If):
        first, *others = node.branches
        return replace(node, branches=(replace(first, block=_extend_block(first.block, plain)), *others))
    if isinstance(node, d.Step | d.Handler | d.Whenever | s.Option | s.Ask | s.ForEach | s.Repeat | s.Together):
        return replace(node, block=_extend_block(node.block, plain))
    return None


def _extend_block(block: s.Block | None, lines: tuple[s.Statement, ...]) -> s.Block:
    return replace(block, lines=(*block.lines, *lines)) if block else s.Block(lines, lines[0].span)


_AMENDMENT_TYPES = (d.Replace, d.ReplaceWhole, d.ReplaceLine, d.Insert, d.InsertLines, d.RemovePart)
DeclarationsBySource = dict[str, tuple[d.Declaration, ...]]


def take_amendments(texts: DeclarationsBySource, source: str) -> tuple[d.Amendment, ...]:
    """Removes the amendments from a text and returns them."""
    items = texts[source]
    texts[source] = tuple(item for item in items if not isinstance(item, _AMENDMENT_TYPES))
    return tuple(item for item in items if isinstance(item, _AMENDMENT_TYPES))


def report_misplaced_amendments(amendments: tuple[d.Amendment, ...], report: DiagnosticCollector) -> None:
    """Reports amendments where the file does not begin with `amends` (RW0613)."""
    for amendment in amendments:
        remedy = 'put this into a file of its own that begins with `amends NAME revision "1"`'
        report.error(
            "RW0613",
            amendment.head,
            "only a file that begins with `amends` can change other rules",
            help=remedy,
            missing="amends",
        )


def collect_departed_clauses(texts: DeclarationsBySource, source: str, documents: Mapping[str, str]) -> frozenset[str]:
    """Clauses that a text `departs` from."""
    return frozenset(
        resolve_clause_id(cite, documents)
        for text in texts[source]
        if isinstance(text, d.Account) and text.word == "departs"
        for cite in text.cites
    )


@dataclass(frozen=True, slots=True)
class Amender:
    """Application of the amendments of one text."""

    texts: DeclarationsBySource  # declarations by source; changed in place
    texts_read: DeclarationsBySource  # declarations as the author read them, by which numbers in addresses count
    changeable_sources: tuple[str, ...]
    overlay: str  # source of the amendments
    departed_clauses: frozenset[str]
    documents: Mapping[str, str]  # document of bare cites, by source
    conflict_policy: ChangePolicy
    report: DiagnosticCollector
    # amended nodes by address, as the author read them; None where there is none
    amended_nodes: dict[str, DeclarationNode | None] = dataclasses.field(default_factory=dict)

    def apply_amendment(self, amendment: d.Amendment) -> None:
        """Applies one amendment.

        Reports RW0610 (no such address), RW0611 (exists already), RW0612 (two overlays at one address), RW0615 and
        RW0616 (the wrong sort there).
        """
        match amendment:
            case d.Replace(target=target):
                self._replace_part(target)
            case d.ReplaceWhole(declaration=declaration):
                self._replace_declaration(declaration)
            case d.ReplaceLine():
                self._replace_line(amendment)
            case d.Insert():
                self._insert_part(amendment)
            case d.InsertLines():
                self._insert_lines(amendment)
            case d.RemovePart(address=address):
                result = self._find_part(address, "remove")
                if result is not None and self._may_change(address, result, "remove"):
                    self._edit_declaration(result, lambda _: ())
            case _:
                assert_never(amendment)

    def _replace_part(self, target: d.RowTarget | d.Target) -> None:
        result = self._find_part(target.address, "replace")
        if result is None:
            return
        part = convert_part(target, result.node)
        if part is None:
            self._report_wrong_sort(target.address, result.node, _get_target_sort(target), target.span)
        elif self._may_change(target.address, result, "replace"):
            new = self._inherit_margin(rename_part(part, target.address), result.node)
            self._edit_declaration(result, lambda _: (new,))

    def _replace_declaration(self, declaration: DeclarationNode) -> None:
        name = get_node_name(declaration)
        assert name is not None
        result = self._find_part(name, "replace", type(declaration))
        if result is not None and self._may_change(name, result, "replace"):
            self._edit_declaration(result, lambda old: (self._inherit_margin(declaration, old),))

    def _replace_line(self, amendment: d.ReplaceLine) -> None:
        result = self._find_part(amendment.address, "replace")
        if result is None:
            return
        if not is_procedure_line(result.node):
            self._report_wrong_sort(amendment.address, result.node, "line", amendment.span, "replace ")
        elif self._may_lines_stand(amendment.lines, result) and self._may_change(amendment.address, result, "replace"):
            self._edit_declaration(result, lambda old: self._inherit_line_margin(amendment.lines, old))

    def _inherit_line_margin(self, lines: tuple[d.Opening, ...], old: DeclarationNode) -> tuple[DeclarationNode, ...]:
        if len(lines) > 1:
            cited = any(line.cites for line in lines)
            return lines if cited else tuple(self._inherit_margin(line, old, titled=False) for line in lines)
        new = self._inherit_margin(lines[0], old)
        label = getattr(old, "label", None)
        unnamed = isinstance(new, s.Line) and new.label is None and get_bound_name(new) is None
        return (dataclasses.replace(new, label=label),) if label and unnamed else (new,)

    def _insert_part(self, amendment: d.Insert) -> None:
        address = amendment.target.address
        if amendment.anchor is None:
            self._append_part(amendment.target)
            return
        anchor = self._find_part(amendment.anchor, "beside")
        if anchor is None:
            return
        above = anchor.address.rpartition("/")[0]
        wanted = f"{above}/{address.text}" if above else address.text
        if not can_stand_beside(amendment.target, anchor.node):
            self._report_no_room(amendment.anchor, anchor.node, amendment.target)
        elif self._check_new_address(address, wanted, anchor, anchor.path[:-1]) and self._may_change(
            amendment.anchor, anchor, "beside"
        ):
            part = rename_part(make_part_beside(amendment.target, anchor.node), address)
            self._edit_declaration(anchor, lambda node: insert_beside(node, (part,), amendment.where))

    def _append_part(self, target: d.RowTarget | d.Target) -> None:
        if "/" not in target.address.text:
            message = f"`{target.address.text}` does not say where it belongs"
            remedy = "give the whole address, or say `insert after ADDRESS`"
            self.report.error("RW0616", target.address.span, message, help=remedy)
            return
        container = self._find_part(target.address, "insert", within=True)
        if container is None or not self._check_new_address(
            target.address, target.address.text, container, container.path
        ):
            return
        grown = append_part(container.node, target)
        if grown is None:
            self._report_no_room(target.address, container.node, target)
        else:
            self._edit_declaration(container, lambda _: (grown,))

    def _insert_lines(self, amendment: d.InsertLines) -> None:
        into = amendment.where == "into"
        change_kind = "lines" if into else "beside"
        anchor = self._find_part(amendment.anchor, change_kind)
        if anchor is None:
            return
        grown = append_lines(anchor.node, amendment.lines) if into else None
        if grown is None and (into or not can_stand_beside(None, anchor.node)):
            self._report_no_lines(amendment, anchor.node)
            return
        if not into and not self._may_lines_stand(amendment.lines, anchor):
            return
        around = self._make_change_record(anchor, anchor.path[:-1], "lines", amendment.anchor)
        if not self._may_change(amendment.anchor, anchor, change_kind) or not (
            into or self.conflict_policy.claim_change(around)
        ):
            return
        if into:
            self._edit_declaration(anchor, lambda _: (grown,))
        else:
            self._edit_declaration(anchor, lambda node: insert_beside(node, amendment.lines, amendment.where))

    def _may_lines_stand(self, lines: tuple[d.Opening, ...], located: "_LocatedPart") -> bool:
        """Whether lines may stand beside a part; reports opening lines elsewhere than before the steps (RW0616)."""
        whole = located.declaration
        astray = next((line for line in lines if not isinstance(line, s.Line)), None)
        if astray is None or (isinstance(whole, d.Procedure) and any(item is located.node for item in whole.opening)):
            return True
        word = "require" if isinstance(astray, d.Requirement) else type(astray).__name__.lower()
        message = f"`{word}` can only come before the steps of a procedure"
        self.report.error("RW0616", astray.head if isinstance(astray, d.Declared) else astray.span, message)
        return False

    def _find_part(
        self, address: Name, change_kind: str, sort: type | None = None, *, within: bool = False
    ) -> "_LocatedPart | None":
        """Part at an address (with `within` the one around it), as the author read it, else as amended; reports none."""
        wanted = address.text.rpartition("/")[0] if within else address.text
        meant = self._find_part_in(wanted, self.texts_read, sort)
        result = self._find_current_part(meant) if meant is not None else None
        self.amended_nodes.setdefault(wanted, meant.node if meant else None)
        result = result or self._find_part_in(wanted, self.texts, sort, is_own=True)
        if result is None:
            self._report_missing_address(address, wanted, change_kind, meant)
        return result

    def _find_part_in(
        self, wanted: str, texts: DeclarationsBySource, sort: type | None, *, is_own: bool = False
    ) -> "_LocatedPart | None":
        """Part at an address; with `is_own` only one that the amendments of this text brought."""
        root = wanted.partition("/")[0]
        for source, declaration in self._list_declarations(texts):
            for part in walk_addressed_nodes(declaration) if get_node_id(declaration) == root else ():
                fits = part.has_own_address and (sort is None or isinstance(part.node, sort))
                if fits and part.address == wanted and (not is_own or part.node.span.source == self.overlay):
                    return _LocatedPart(wanted, part.node, part.ancestors, part.has_own_address, source, declaration)
        return None

    def _find_current_part(self, meant: "_LocatedPart") -> "_LocatedPart | None":
        """Present place of a part that was read; None where it is gone or was replaced."""
        root, node = get_node_id(meant.declaration), meant.node
        for source, declaration in self._list_declarations(self.texts):
            if declaration is meant.declaration:
                return meant
            for part in walk_addressed_nodes(declaration) if get_node_id(declaration) == root else ():
                if part.has_own_address and type(part.node) is type(node) and part.node.span == node.span:
                    return _LocatedPart(
                        meant.address, part.node, part.ancestors, part.has_own_address, source, declaration
                    )
        return None

    def _report_missing_address(
        self, address: Name, wanted: str, change_kind: str, meant: "_LocatedPart | None"
    ) -> None:
        path, keys = (
            (_get_address_path(meant.path), _get_part_keys(meant.path))
            if meant
            else (list_address_prefixes(wanted), make_new_address_keys(wanted))
        )
        if wanted != address.text:
            path, keys = (*path, address.text), (*keys, *make_new_address_keys(address.text)[-1:])
        changes = (
            OverlayChange(name, path, keys, change_kind, self.overlay, address.span) for name in self.changeable_sources
        )
        if not any(self.conflict_policy.has_rival_change(touch) for touch in changes):
            end = address.span.end - len(address.text.removeprefix(wanted))
            written = Name(wanted, Span(address.span.source, address.span.start, end))
            self.conflict_policy.report_missing(
                written, path, [item for _, item in self._list_declarations(self.texts)]
            )

    def _list_declarations(self, texts: DeclarationsBySource) -> list[tuple[str, d.Declaration]]:
        return [(name, text) for name in self.changeable_sources for text in texts[name]]

    def _edit_declaration(self, located: "_LocatedPart", edit: NodeEdit) -> None:
        self.texts[located.source] = tuple(
            part
            for text in self.texts[located.source]
            for part in (replace_node(text, located.node, edit) if text is located.declaration else (text,))
        )

    def _inherit_margin(self, new: DeclarationNode, old: DeclarationNode, *, titled: bool = True) -> DeclarationNode:
        """The new part with the old title, and the old cites but for those that the overlay departs from."""
        margin = getattr(old, "cites", ())
        cites = tuple(cite for cite in margin if resolve_clause_id(cite, self.documents) not in self.departed_clauses)
        return inherit_title_and_cites(new, old if titled else new, cites)

    def _may_change(self, address: Name, located: "_LocatedPart", change_kind: str) -> bool:
        return self.conflict_policy.claim_change(self._make_change_record(located, located.path, change_kind, address))

    def _make_change_record(
        self, located: "_LocatedPart", path: tuple[AddressedNode, ...], change_kind: str, address: Name
    ) -> OverlayChange:
        return OverlayChange(
            located.source, _get_address_path(path), _get_part_keys(path), change_kind, self.overlay, address.span
        )

    def _check_new_address(
        self, address: Name, wanted: str, beside: "_LocatedPart", around: tuple[AddressedNode, ...]
    ) -> bool:
        was, there = self._find_part_in(wanted, self.texts_read, None), self._find_part_in(wanted, self.texts, None)
        keys = _get_part_keys(was.path) if was else (*_get_part_keys(around), *make_new_address_keys(wanted)[-1:])
        touch = OverlayChange(
            beside.source, (*_get_address_path(around), wanted), keys, "insert", self.overlay, address.span
        )
        if there is None:
            return self.conflict_policy.claim_change(touch)
        if not self.conflict_policy.has_rival_change(touch):
            place = get_node_name(there.node)
            label = (Label(place.span, "it stands here"),) if place else ()
            message, remedy = f"`{wanted}` exists already", "`replace` it, or choose another id"
            self.report.error("RW0611", address.span, message, secondary=label, help=remedy)
        return False

    def _report_wrong_sort(self, address: Name, old: DeclarationNode, sort: str, written: Span, verb: str = "") -> None:
        message = f"`{address.text}` is {add_article(get_part_sort(old))}, not {add_article(sort)}"
        remedy = _suggest_replacement(address, old, Span(written.source, written.start, address.span.start), verb)
        self.report.error("RW0615", address.span, message, remedy=remedy)

    def _report_no_room(self, anchor: Name, node: DeclarationNode, target: d.RowTarget | d.Target) -> None:
        message, remedy = (
            f"{add_article(_get_target_sort(target))} cannot stand beside or in {add_article(get_part_sort(node))}",
            "",
        )
        if isinstance(node, d.Paths | d.PathRow):
            paths = anchor.text.partition("/")[0]
            message = f"of the paths `{paths}` only `cost` rows are changed one by one"
            remedy = f"insert it before or after a `cost` row, or write `replace paths {paths}(…)` with all its rows"
        self.report.error("RW0616", anchor.span, message, help=remedy)

    def _report_no_lines(self, amendment: d.InsertLines, node: DeclarationNode) -> None:
        remedy = ""
        if isinstance(node, d.Step) and amendment.where != "into":
            remedy = f"write `insert into {amendment.anchor.text}:`, or insert a step"
        message = f"lines cannot stand {amendment.where} {add_article(get_part_sort(node))}"
        self.report.error("RW0616", amendment.anchor.span, message, help=remedy)


@dataclass(frozen=True, slots=True)
class _LocatedPart(AddressedNode):
    source: str
    declaration: d.Declaration


def _get_address_path(path: tuple[AddressedNode, ...]) -> AddressPath:
    return tuple(part.address for part in path)


def _get_part_keys(path: tuple[AddressedNode, ...]) -> tuple[PartKey, ...]:
    return tuple((path[0].address, type(part.node).__name__, part.node.span) for part in path)


def _suggest_replacement(address: Name, old: DeclarationNode, word: Span, verb: str) -> Remedy:
    sort = get_part_sort(old)
    above = address.text.rpartition("/")[0]
    if sort in REPLACEABLE_SORTS:
        return Remedy(f"write `replace {sort} {address.text}`", make_respelling_remedy(word, f"{verb}{sort} ").edits)
    if is_procedure_line(old):
        return Remedy(f"write `replace line {address.text}:` and the new line below it")
    if isinstance(old, s.Cell):
        return Remedy(f"write `replace row {address.text}: ` and the value")
    if above:
        return Remedy(f"write `{above}` anew, with this {sort} as you want it")
    return Remedy(f"write `replace {sort} {address.text}` with all that belongs to it")


def _get_target_sort(target: d.RowTarget | d.Target) -> str:
    return "row" if isinstance(target, d.RowTarget) else get_part_sort(target.part)
