"""A program as it plays by the readings that are written, and which edits only matter where another is chosen.

It is made to be looked at, never to be run: names that are set and no longer read stay.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from rulewright.comparing.edits import Added, Changed, Correspondence, Edit, Moved, Removed
from rulewright.comparing.pairing import translated
from rulewright.outline import outline
from rulewright.outline.items import Item, Name, Outline
from rulewright.program import declarations as d
from rulewright.program import expressions as ex
from rulewright.program import rows as r
from rulewright.program import statements as st
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

    def node(self, node: Any) -> Any:  # noqa: ANN401 - any class of a program
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


def _decided(node: Any) -> Any:  # noqa: ANN401, C901, PLR0911 - one case for each sort
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


def _guarded(node: Any) -> Any:  # noqa: ANN401 - a row, step or requirement
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


def _compared(node: ex.Comparison, word: str, left: Any, right: Any) -> ex.Expression:  # noqa: ANN401
    if left is _UNKNOWN or right is _UNKNOWN:
        return node
    if word not in {"=", "!="} and (left is None or right is None):
        return node
    return ex.Literal(value=ex.COMPARES[word](left, right), type=node.type, span=node.span)


def _value(node: object) -> Any:  # noqa: ANN401 - what a literal holds
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
        if subject in map(_value, each.values):
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
        self._old, self._new = (_known(each) if self._are_there else {} for each in programs)
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
                before, after = self._parent(old, 0), self._parent(new, 1)
                return before is not None and after is not None and self._are_partners(before, after)
        return False

    def _parent(self, item: Item, side: int) -> Item | None:
        """What an item stands in; of lines, what decides something by the readings that are written."""
        known = (self._old, self._new)[side]
        around = self._around[side].get(id(item))
        while around is not None and (_key(around) not in known or _is_all_inside(around)):
            around = self._around[side].get(id(around))
        return around

    def _are_partners(self, old: Item, new: Item) -> bool:
        return self._same.addresses.get(old.address) == new.address and old.sort == new.sort


_READ = frozenset(
    {"line", "branch", "else", "case", "condition", "modifier", "row", "requirement", "step", "key", "always"}
)


def _known(program: Program) -> Mapping[_Key, Item]:
    return {_key(each): each for each in outline(published(program), {}).every()}


def _key(item: Item) -> _Key:
    return item.sort, item.span.source, item.span.start, item.id


def _said(item: Item, names: Mapping[Name, Name]) -> object:
    return tuple((part.name, translated(part.form, names)) for part in item.parts)


def _is_all_inside(item: Item) -> bool:
    return any(each.sort == "branch" for each in item.items)
