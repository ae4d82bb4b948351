"""The first screen of a comparison, made from its edits, its clauses and its plays; what another reading brings."""

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright.analysis.symbols import ClauseEntry
from rulewright.comparing.comparison import Whole
from rulewright.comparing.edit_report import Told
from rulewright.comparing.edits import Added, Changed, Correspondence, Edit, Moved, Removed, Renamed, sides
from rulewright.comparing.pairing import translated
from rulewright.comparing.report.evidence import Evidence, evidence_of
from rulewright.comparing.report.halves import Saying
from rulewright.comparing.report.margins import Clauses, Margins, Telling, clauses_of, renamed, turned
from rulewright.comparing.report.rows import (
    CHANGED,
    GONE,
    NEW,
    Draft,
    Drafting,
    Folded,
    Material,
    Row,
    Screen,
    Unedited,
    short_clause,
)
from rulewright.outline import outline
from rulewright.outline.items import Item, Name, Outline
from rulewright.program import declarations as d, expressions as ex, rows as r, statements as st
from rulewright.program.declarations import Program
from rulewright.program.types import MapType
from rulewright.roles import is_node, mapped

_UNKNOWN = object()


def published(program: d.Program) -> d.Program:
    """The program with every setting at its written value, and functions that then come to one value as that."""
    constant: dict[str, ex.Expression] = {}
    while True:
        made: d.Program = _Folding(program.settings, constant).node(program)
        found = {
            name: each.body.value
            for name, each in made.functions.items()
            if isinstance(each.body, d.Value) and _value(each.body.value) is not _UNKNOWN
        }
        if found.keys() <= constant.keys():
            return made
        constant |= found


class _Folding:
    """Puts in the values of settings and of constant functions, and leaves out what these decide."""

    def __init__(self, settings: Mapping[str, d.Setting], constant: Mapping[str, ex.Expression]) -> None:
        self._settings = settings
        self._constant = constant

    def node(self, node: Any) -> Any:  # any class of a program
        """A node with all inside it."""
        if isinstance(node, tuple):
            return tuple(self._members(node))
        if isinstance(node, Mapping):
            inside = {key: self.node(each) for key, each in node.items()}
            return {key: each for key, each in inside.items() if not isinstance(each, _Lines)}
        if isinstance(node, ex.SettingValue):
            return self.node(self._settings[node.name].value)
        if isinstance(node, ex.CallFunction) and node.function in self._constant:
            return self._constant[node.function]
        if not is_node(type(node)) or isinstance(node, ex.Variable | d.Setting):
            return node
        return _decided(mapped(node, self.node))

    def _members(self, row: tuple[Any, ...]) -> Iterator[Any]:
        for each in row:
            made = self.node(each)
            if isinstance(made, _Lines):
                yield from made.lines
            elif made is not None or each is None:
                yield made


@dataclasses.dataclass(frozen=True, slots=True)
class _Lines:
    """What is left of a line: those that stood inside it."""

    lines: tuple[Any, ...] = ()


def _decided(node: Any) -> Any:  # noqa: C901, PLR0911 - one case for each sort
    """A node whose parts are folded, itself folded; what stands for nothing any more is no lines."""
    match node:
        case ex.Not() | ex.Logical() | ex.Comparison() | ex.Conditional() | ex.Membership():
            return _expression(node)
        case ex.Comprehension(binding=binding) if _is_no(binding.where) and not isinstance(node.type, MapType):
            return ex.MakeCollection(items=(), type=node.type, span=node.span)
        case ex.Joined(operator="+", left=left, right=right):
            return right if _is_empty(left) else left if _is_empty(right) else node
        case ex.Quantifier(binding=binding) if _is_no(binding.where):
            return ex.Literal(value=node.word != "some", type=node.type, span=node.span)
        case ex.Binding(where=where) if _is_yes(where):
            return dataclasses.replace(node, where=None)
        case st.If():
            return _branches(node)
        case st.Match():
            return _case(node)
        case st.ForEach(binding=binding) if _is_no(binding.where):
            return _Lines()
        case d.Conditions(mode=mode, rows=rows):
            kept = tuple(each for each in rows if not (_is_yes if mode == "all" else _is_no)(each.condition))
            return dataclasses.replace(node, rows=kept)
        case st.RankKey(value=value, dice=None) if _value(value) is not _UNKNOWN:
            return _Lines()
        case r.Row() | d.Step() | d.Invariant() | st.Demand():
            return _guarded(node)
    return node


def _guarded(node: Any) -> Any:  # a row, step or requirement
    guard = getattr(node, "guard", None)
    if _is_no(guard):
        return _Lines()
    return dataclasses.replace(node, guard=None) if _is_yes(guard) else node


def _expression(node: ex.Expression) -> ex.Expression:
    match node:
        case ex.Not(operand=ex.Literal(value=bool(value))):
            return ex.Literal(value=not value, type=node.type, span=node.span)
        case ex.Logical(operator=word, left=left, right=right):
            for one, other in ((left, right), (right, left)):
                if isinstance(one, ex.Literal):
                    return one if (one.value is True) == (word == "or") else other
        case ex.Conditional(condition=ex.Literal(value=value), then=then, otherwise=otherwise):
            return then if value else otherwise
        case ex.Comparison(operator=word, left=left, right=right):
            return _compared(node, word, _value(left), _value(right))
        case ex.Membership(item=item, collection=ex.MakeCollection(items=items)):
            known = [_value(each) for each in (item, *items)]
            if _UNKNOWN not in known:
                return ex.Literal(value=(known[0] in known[1:]) != node.negated, type=node.type, span=node.span)
    return node


def _compared(node: ex.Comparison, word: str, left: Any, right: Any) -> ex.Expression:
    if left is _UNKNOWN or right is _UNKNOWN:
        return node
    if word not in {"=", "!="} and (left is None or right is None):
        return node
    return ex.Literal(value=ex.COMPARES[word](left, right), type=node.type, span=node.span)


def _value(node: object) -> Any:  # what a literal holds
    match node:
        case ex.Literal(value=value):
            return value
        case ex.WordLiteral(position=position):
            return position
        case ex.Narrowed(operand=operand):
            return _value(operand)
    return _UNKNOWN


def _branches(node: st.If) -> object:
    """An `if` without branches that are never taken; where one always is, the lines in it."""
    left = [each for each in node.branches if not _is_no(each.condition)]
    always = next((number for number, each in enumerate(left) if _is_yes(each.condition)), None)
    otherwise = node.otherwise if always is None else left[always].block
    left = left if always is None else left[:always]
    if not left:
        return _Lines(otherwise or ())
    return dataclasses.replace(node, branches=tuple(left), otherwise=otherwise)


def _case(node: st.Match) -> object:
    subject = _value(node.subject)
    for each in node.cases if subject is not _UNKNOWN else ():
        if not each.values or subject in map(_value, each.values):
            return _Lines(each.block)
    return node


def _is_yes(node: object) -> bool:
    return isinstance(node, ex.Literal) and node.value is True


def _is_no(node: object) -> bool:
    return isinstance(node, ex.Literal) and node.value is False


def _is_empty(node: object) -> bool:
    return isinstance(node, ex.MakeCollection) and not node.items


_Key = tuple[str, str, int, str]


class Readings:
    """Two revisions as they play by what is written, beside two revisions as they are.

    Args:
        programs: of the old revision and of the new one.
        outlines: of both.
        same: what of one is what of the other.
    """

    def __init__(
        self, programs: tuple[Program, Program], outlines: tuple[Outline, Outline], same: Correspondence
    ) -> None:
        self._are_there = any(each.settings for each in programs)
        self._old, self._new = (
            {_key(item): item for item in outline(published(each), {}).every()} if self._are_there else {}
            for each in programs
        )
        self._around = tuple(
            {id(each): item for item in outline_.every() for each in item.items} for outline_ in outlines
        )
        self._same = same

    def only(self, edit: Edit) -> bool:  # noqa: PLR0911 - one case for each sort
        """Whether an edit makes no difference to the rules as they are read where nothing else is chosen."""
        if not self._are_there:
            return False
        match edit:
            case Added(new):
                return new.sort in _READ and _key(new) not in self._new
            case Removed(old):
                return old.sort in _READ and _key(old) not in self._old
            case Changed(old, new):
                before, after = self._old.get(_key(old)), self._new.get(_key(new))
                if before is None or after is None:
                    return before is after
                return _said(before, self._same.names) == _said(after, {})
            case Moved(old, new):
                if self._stays(old, new):
                    return False
                before, after = self._parent(old, 0), self._parent(new, 1)
                return before is not None and after is not None and self._are_partners(before, after)
        return False

    def _stays(self, old: Item, new: Item) -> bool:
        """Whether an item only has another place among its neighbours."""
        before, after = (around.get(id(item)) for around, item in zip(self._around, (old, new), strict=True))
        if before is None or after is None:
            return before is after
        return self._are_partners(before, after)

    def _parent(self, item: Item, side: int) -> Item | None:
        """What an item stands in; of lines, what decides something by the readings that are written."""
        known = (self._old, self._new)[side]
        around = self._around[side].get(id(item))
        while around is not None and (_key(around) not in known or any(each.sort == "branch" for each in around.items)):
            around = self._around[side].get(id(around))
        return around

    def _are_partners(self, old: Item, new: Item) -> bool:
        return self._same.addresses.get(old.address) == new.address and old.sort == new.sort


_READ = frozenset(
    {"line", "branch", "else", "case", "condition", "modifier", "row", "requirement", "step", "key", "always"}
)


def _key(item: Item) -> _Key:
    return item.sort, item.span.source, item.span.start, item.id


def _said(item: Item, names: Mapping[Name, Name]) -> object:
    return tuple((part.name, translated(part.form, names)) for part in item.parts)


_PROVED = frozenset({"function", "procedure", "handler", "rule"})
_INNER = frozenset({"step", "parameter", "local"})
_KINDS = {CHANGED: 0, NEW: 1, GONE: 2}
Lists = tuple[Sequence[ClauseEntry], Sequence[ClauseEntry]]


def screen(programs: tuple[Program, Program], lists: Lists, whole: Whole, told: Sequence[Told]) -> Screen:
    """The rows of two revisions, the most noticeable first, and what is folded.

    What only another reading brings is folded, but where nothing else could bring what plays show.

    Args:
        programs: the old revision and the new one.
        lists: the clauses of the documents of both.
        whole: what was compared, with plays or without.
        told: every edit in words.
    """
    comparison = whole.comparison
    same, outlines = comparison.correspondence, comparison.outlines
    readings = Readings(programs, outlines, same)
    rules = [each for each in told if each.section == "rules"]
    margins = Margins(outlines[0]), Margins(outlines[1])
    proved = tuple(each.number for each in rules if _is_proved(comparison.edits[each.number], whole, margins))
    unfolded = [each.number for each in rules if each.number not in proved]
    quiet = tuple(each for each in unfolded if readings.only(comparison.edits[each]))
    if len(quiet) == len(unfolded) and whole.behaviour is not None and whole.behaviour.witnesses:
        quiet = ()
    clauses = clauses_of(lists, outlines, margins, same)
    spoken = [each for each in rules if each.number not in quiet and each.number not in proved]
    drafting = Drafting(
        Material(comparison.edits, spoken, margins, clauses, Saying(programs, outlines, same.names), same.names)
    )
    drafts = _without_doubles(drafting.drafts())
    told_of = _prefixes(programs)
    rows = tuple(_ranked(drafts, evidence_of(whole, [each.row.edits for each in drafts]), told_of))
    folded = Folded(
        readings=(*quiet, *(each.number for each in told if each.section == "declarations" and _is_setting(each))),
        helpers=(
            *sorted(drafting.helpers),
            *(each.number for each in told if each.section == "declarations" and not _is_setting(each)),
        ),
        same=tuple(sorted(drafting.same - {number for row in rows for number in row.edits})),
        wording=_numbers(told, "wording"),
        margins=_numbers(told, "margins"),
        rewritten=(*_numbers(told, "rewritten"), *proved),
    )

    def unedited(old: str, new: str) -> Unedited:
        was = clauses.old[old].says if old else ""
        return Unedited(short_clause(old, told_of), short_clause(new, told_of), was, clauses.new[new].says)

    return Screen(
        rows,
        tuple(unedited(*each) for each in _reworded(clauses, rows)),
        tuple(unedited("", each) for each in _stated(clauses, rows)),
        tuple(_names(whole)),
        folded,
    )


def _is_proved(edit: Edit, whole: Whole, margins: tuple[Margins, Margins]) -> bool:
    """Whether an edit only writes its routine or function otherwise, whatever becomes of what that mentions."""
    left = whole.comparison.remaining.old, whole.comparison.remaining.new
    inside = [
        (margins[side].declaration(item), side)
        for side, item in enumerate(sides(edit))
        if item is not None and margins[side].around(item) is not None
    ]
    return bool(inside) and all(
        around.name is not None and around.name.sort in _PROVED and around.name not in left[side]
        for around, side in inside
    )


def _reworded(clauses: Clauses, rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Clauses that no row is about, and that read otherwise, those first that seem to say something else."""
    told = {each for row in rows for each in row.clauses[1]}
    found = list[tuple[int, str, str]]()
    for old, new in clauses.became.items():
        before, after = clauses.old[old].says, clauses.new[new].says
        if before and after and before != after and new not in told and not clauses.reads_same(old, new):
            found.append((turned(before, after), old, new))
    yield from ((old, new) for _, old, new in sorted(found, key=lambda each: -each[0]))


def _stated(clauses: Clauses, rows: Sequence[Row]) -> Iterator[str]:
    """Clauses of the new document alone that some line carries out, but no row is about, the most telling first."""
    came, told = {*clauses.became.values()}, {each for row in rows for each in row.clauses[1]}
    left = (each for name, each in clauses.new.items() if name not in told and name not in came and not each.word)
    telling = Telling(renamed(each.says, clauses.names) for each in clauses.old.values())
    yield from telling.ordered(each for each in left if each.says)


def _numbers(told: Sequence[Told], section: str) -> tuple[int, ...]:
    return tuple(each.number for each in told if each.section == section)


def _is_setting(each: Told) -> bool:
    return each.place.startswith("setting ")


def _prefixes(programs: tuple[Program, Program]) -> frozenset[str]:
    """The documents that clauses need not name: of revisions with one document each."""
    names = [[each.name for each in program.documents] for program in programs]
    return frozenset(name for each in names for name in each) if all(len(each) <= 1 for each in names) else frozenset()


def _without_doubles(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts whose two halves are not the same, each once, with the edits of all that read as it does."""
    found: dict[tuple[str, str, str, str], Draft] = {}
    for each in drafts:
        row = each.row
        key = row.kind, row.name, row.was, row.now
        if key in found:
            first = found[key]
            found[key] = replace(first, row=replace(first.row, edits=(*first.row.edits, *row.edits)))
        elif row.kind != CHANGED or row.was != row.now:
            found[key] = each
    return list(found.values())


def _ranked(drafts: Sequence[Draft], evidence: Sequence[Evidence], prefixes: Collection[str]) -> Iterator[Row]:
    made = [(each, replace(each.row, evidence=shows)) for each, shows in zip(drafts, evidence, strict=True)]
    made.sort(
        key=lambda pair: (
            _KINDS[pair[1].kind],
            not pair[0].spoken,
            not pair[1].shown,
            not pair[0].direct,
            pair[0].place,
        )
    )
    for _, row in made:
        cited = dict.fromkeys(row.clauses[1] or row.clauses[0])
        yield replace(row, cited=tuple(short_clause(each, prefixes) for each in cited))


def _names(whole: Whole) -> Iterator[tuple[str, str]]:
    for each in whole.comparison.edits:
        if isinstance(each, Renamed) and each.old.name and each.old.name.sort not in _INNER and each.new.id:
            yield each.old.id, each.new.id
