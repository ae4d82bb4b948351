"""Conditions in words, with the values that they read; nothing is said that was not read."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from rulewright.codecs.codec import Named
from rulewright.codecs.table import show
from rulewright.diagnostics.terminal import visible
from rulewright.machine.trace import DieThrown, Entry
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Program, Step
from rulewright.program.expressions import Expression
from rulewright.program.rows import ConditionRow
from rulewright.program.types import CellType, ListType, NumberType, PoolType, SetType, ThingType, present
from rulewright.program.wording import Wording
from rulewright.roles import nodes

_TRUE = {"<": "less than", "<=": "at most", ">": "more than", ">=": "at least"}
_FALSE = {"<": "not less than", "<=": "more than", ">": "not more than", ">=": "less than"}
_SHOWS = {"=": "", "!=": "other than ", ">=": "at least ", "<=": "at most ", ">": "more than ", "<": "less than "}
_UNKNOWN = object()
_MEN = re.compile(r"(?:^|[^aiou\W]|wo)men$")
_PREDICATE = re.compile(r"(has|is|can|cannot|may|must|does) ")
"""How a title begins that says something of a member."""


def spoken(name: str) -> str:
    """A name as people say it: `extra_attack` is `extra attack`."""
    return visible(name.replace("_", " "))


def is_plural(noun: str) -> bool:
    """Whether a noun looks like more than one: `wounds`, `minis` or `men`, not `class`, `status`, `axis` or `omen`."""
    return bool(_MEN.search(noun)) or (noun.endswith("s") and not noun.endswith(("ss", "us", "sis", "xis")))


def singular(noun: str) -> str:
    """`wound` of `wounds`, `army` of `armies`; what does not look like a plural stays.

    >>> [singular(each) for each in ("wounds", "armies", "riflemen", "omen", "status")]
    ['wound', 'army', 'rifleman', 'omen', 'status']
    """
    if not is_plural(noun):
        return noun
    if noun.endswith("men"):
        return f"{noun[:-2]}an"
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun[:-1]


_LONGEST_TITLE = 3
_EXPLAINING = frozenset({"a", "an", "at", "for", "has", "in", "is", "its", "of", "on", "the", "was", "who", "whose"})
"""First words of titles that explain an attribute and do not name it."""


def attribute_called(kind: str, name: str, program: Program) -> str:
    """An attribute as its title calls it, where that is a short name."""
    declared = next((each for each in program.kinds[kind].fields if each.name == name), None)
    words = declared.title.split() if declared else []
    fits = 0 < len(words) <= _LONGEST_TITLE and words[0] not in _EXPLAINING
    return " ".join(words) if fits else spoken(name)


def be(noun: str) -> str:
    """`is`, or `are` after an attribute in the plural: `captain's wounds are 2`."""
    return "are" if ("'" in noun and is_plural(noun.rpartition("' ")[2] if "' " in noun else noun)) else "is"


def verb(id_: str, one: str, more: str, names: Named) -> str:
    """The form of a verb after the id of a thing: `lancers lose`, but `bors loses` among knights of other names."""
    kin = names.kin(id_)
    return more if is_plural(id_) and 2 * sum(map(is_plural, kin)) >= len(kin) > 0 else one


def listed(words: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


class Told:
    """What one entry read, for saying why its condition held or failed; `bound` has what names of its own stand for."""

    def __init__(self, entry: Entry, names: Named, bound: Mapping[str, Any] = MappingProxyType({})) -> None:
        self.entry = entry
        self.names = names.holding(entry.rolls)
        self._bound = bound
        self._wording = Wording(names.program)

    @cached_property
    def _read(self) -> dict[str, Any]:
        return {**self._bound, **{each.text: each.value for each in (*self.entry.owners, *self.entry.reads)}}

    @cached_property
    def _inner(self) -> dict[str, Entry]:
        return {each.title: each for each in self.entry.inner}

    @property
    def condition(self) -> Any:  # an expression, or none
        """The condition that the entry judged: of a test, an opening condition, a guard, a row or a reason."""
        match node := self.entry.node:
            case ConditionRow():
                return node.condition
            case Step(guard=guard):
                return guard
            case st.Repeat(condition=condition):
                return condition
            case st.If(branches=branches):
                conditions = (each.condition for each in branches)
                return next((each for each in conditions if self._wording.text(each) == self.entry.title), None)
            case _:
                return node if isinstance(node, ex.Typed) else None

    def text(self, node: Expression) -> str:
        """The expression in the notation of the language."""
        return visible(self._wording.text(node))

    def things(self, given: Sequence[Expression]) -> tuple[str, ...]:
        """The ids of those of some values that are things, as far as they were read."""
        values = [(each.type, self.value(each)) for each in given if thing(each)]
        return tuple(show(value, type_, self.names) for type_, value in values if value not in {None, _UNKNOWN})

    def place(self, place: st.Place) -> str:
        """The place as a line of the language writes it."""
        return self._wording.place(place)

    # What is known.

    def value(self, node: Expression) -> Any:  # noqa: C901, PLR0911, PLR0912 - one for each sort
        """The value an expression had, where it was read; else a mark for unknown."""
        text = self._wording.text(node)
        if text in self._read:
            return self._read[text]
        match node:
            case ex.Literal(value=value):
                return value
            case ex.WordLiteral(position=position):
                return position
            case ex.Quantifier() if text in self._inner:
                return self._inner[text].result
            case ex.Narrowed(operand=operand):
                return self.value(operand)
            case ex.MakeCollection(items=parts) | ex.MakeTuple(parts=parts):
                found = tuple(self.value(each) for each in parts)
                return _UNKNOWN if any(each is _UNKNOWN for each in found) else found
            case ex.Arithmetic(operator=operator, left=left, right=right) if operator in _SUMS:
                return _summed(operator, self.value(left), self.value(right))
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                found = self.value(condition)
                return found if found is _UNKNOWN else self.value(then if found else otherwise)
            case ex.Not(operand=operand):
                found = self.value(operand)
                return found if found is _UNKNOWN else not found
            case ex.Logical(operator=operator, left=left, right=right):
                return self._logical(operator == "and", self.value(left), right)
            case ex.Comparison(operator=operator, left=left, right=right):
                return _compared(operator, self.value(left), self.value(right))
            case ex.Membership(item=item, collection=collection, negated=negated):
                member, members = self.value(item), self.value(collection)
                known = member is not _UNKNOWN and isinstance(members, tuple)
                return (member in members) != negated if known else _UNKNOWN
            case _:
                return _UNKNOWN

    def _logical(self, every: bool, left: Any, right: Expression) -> Any:  # noqa: FBT001
        if left is _UNKNOWN:
            return _UNKNOWN
        return self.value(right) if bool(left) is every else left

    # Words.

    def shown(self, node: Expression) -> str:
        """The value of an expression in words; several dice by their roll; its text where it was not read."""
        value = self.value(node)
        if isinstance(node.type, PoolType):
            roll = self.names.roll(value) if isinstance(value, int) else None
            return f"`{visible(roll) if roll else self.text(node)}`"
        return f"`{self.text(node)}`" if value is _UNKNOWN else show(value, node.type, self.names)

    def noun(self, node: Expression) -> str:  # noqa: C901, PLR0911, PLR0912 - one for each sort
        """What an expression stands for: a thing by its id, an attribute as what it is of."""
        value = self.value(node)
        match node:
            case ex.Narrowed(operand=operand):
                return self.noun(operand)
            case ex.Local() | ex.GameField() | ex.Itself() if (
                value is not _UNKNOWN and value is not None and thing(node)
            ):
                return show(value, node.type, self.names)
            case ex.Local(variable=variable):
                return spoken(variable.name)
            case ex.Itself():
                return "it"
            case ex.GameField(name=name):
                return spoken(name)
            case ex.SettingValue(name=name):
                return f"the reading `{name}`"
            case ex.DieAttribute(target=target, name="natural" | "face"):
                return self._die(target)
            case ex.CellAttribute(target=target, name=name):
                return f"{spoken(name)} at {self.shown(target)}"
            case ex.Part(target=target, name=name) if name.isdecimal():
                return f"{self.noun(target)}[{name}]"
            case ex.StoredAttribute(target=target, name=name):
                return f"{possessive(self._holder(target))} {'place' if name == 'at' else spoken(name)}"
            case ex.DerivedAttribute(target=target, function=function):
                return f"{possessive(self._holder(target))} {spoken(function.rpartition('/')[2])}"
            case ex.Entry(target=target, key=key):
                held, of = self.noun(target), self.shown(key).strip("`")
                if isinstance(target.type, ListType):
                    return f"number {of} of {'the ' if isinstance(target, ex.Local) else ''}{held}"
                return f"{held} of {self.noun(key)}" if thing(key) else f"{held}[{of}]"
            case ex.CallFunction(function=name) if title := self._titled(name):
                return title
            case ex.Aggregate(word="count", binding=ex.Binding(source=source, where=None)):
                return f"the number of {self.noun(source)}"
            case ex.Builtin(name="count", arguments=(source,)):
                return f"the number of {self.noun(source)}"
            case _:
                return f"`{self._filled(node)}`"

    def _die(self, target: Expression) -> str:
        """A die as its roll calls it, where there was more than one."""
        value = self.value(target)
        roll = self.names.roll(value[0]) if isinstance(value, tuple) and self.names.roll(1) is not None else None
        if roll is None:
            return "the die"
        alone = isinstance(target, ex.Local) and target.variable.name == roll
        return f"`{visible(roll)}`" if alone else f"a die of `{visible(roll)}`"

    def _holder(self, target: Expression) -> str:
        """Of whom or what an attribute is: a thing by its id, also where another attribute holds it."""
        value = self.value(target) if thing(target) else None
        return self.noun(target) if value is None or value is _UNKNOWN else self.shown(target)

    def _is(self, id_: str) -> str:
        return verb(id_, "is", "are", self.names)

    def _filled(self, node: Expression) -> str:
        """A call with what it was given."""
        match node:
            case (
                ex.CallFunction(function=name, arguments=arguments)
                | ex.ExternalValue(external=name, arguments=arguments)
            ) if arguments:
                return f"{name}({', '.join(self.shown(each).strip('`') for each in arguments)})"
            case ex.RelationHolds(relation=name, first=first, second=second):
                return f"{name}({self.shown(first).strip('`')}, {self.shown(second).strip('`')})"
            case _:
                return self.text(node)

    def said(self, node: Expression, truth: bool) -> str:  # noqa: C901, FBT001, PLR0911, PLR0912
        """A true sentence about a condition that held or failed, as short as it is clear."""
        match node:
            case ex.Narrowed(operand=operand) | ex.Rounded(operand=operand):
                return self.said(operand, truth)
            case ex.Not(operand=operand):
                return self.said(operand, not truth)
            case ex.Logical():
                return self._joined(node, truth)
            case ex.Comparison():
                return self._comparison(node, truth)
            case ex.Membership(item=item, collection=collection, negated=negated):
                where = "in" if truth is not negated else "not in"
                return f"{self.noun(item)} {self._is(self.noun(item))} {where} {self._members(collection)}"
            case ex.Quantifier() if self._wording.text(node) in self._inner:
                return self._quantifier(node, self._inner[self._wording.text(node)], truth)
            case ex.Gone(target=target):
                holder = self._holder(target)
                return f"{holder} {self._is(holder)} {'out of' if truth else 'in'} play"
            case ex.CellAttribute():
                return f"{self.noun(node)}: {'yes' if truth else 'no'}"
            case ex.StoredAttribute(target=target, name=name):
                return self._flag(self._holder(target), name, truth)
            case ex.DerivedAttribute(target=target, function=function):
                return self._flag(self._holder(target), function.rpartition("/")[2], truth)
            case ex.CallFunction(function=name) if not truth and (title := self._row(name)):
                return title
            case ex.CallFunction(function=name, arguments=arguments) if title := self._titled(name):
                given = ", ".join(self.shown(each) for each in arguments)
                return f"{title}{_bracketed(given)}: {'yes' if truth else 'no'}"
            case ex.Literal():
                return self.text(node)
            case ex.Local():
                return f"{self.noun(node)}: {'yes' if truth else 'no'}"
            case _:
                return self._code(node, truth)

    @property
    def merely_in_play(self) -> bool:
        """Whether the condition only asks whether something is still there."""
        match self.condition:
            case ex.Not(operand=ex.Gone()):
                return True
            case _:
                return False

    def _titled(self, function: str) -> str:
        return visible(self.names.program.functions[function].title)

    def _code(self, node: Expression, truth: bool) -> str:  # noqa: FBT001
        """A condition that has no words, with the values that it read."""
        texts = {self._wording.text(each) for each in nodes(node) if isinstance(each, ex.Typed)}  # type: ignore[arg-type]
        shown = [
            f"{visible(each.text)} = {show(each.value, each.type, self.names)}"
            for each in self.entry.reads
            if each.text in texts - {self._wording.text(node)} and not each.text.isidentifier() and not each.dice
        ]
        read = f" ({', '.join(shown)})" if shown else ""
        return f"`{self._filled(node)}`: {'yes' if truth else 'no'}{read}"

    def _row(self, function: str) -> str:
        """The author's words of the row of a term that failed."""
        for each in self.entry.inner:
            if each.address == function and each.result is False:
                return next((visible(row.title) for row in each.rows if row.outcome == "failed"), "")
        return ""

    def _joined(self, node: ex.Logical, truth: bool) -> str:  # noqa: FBT001
        every, left, right = node.operator == "and", node.left, node.right
        if truth is every:
            return f"{self.said(left, truth)} and {self.said(right, truth)}"
        first = self.value(left)
        if first is _UNKNOWN:
            return self._code(node, truth)
        return self.said(left if bool(first) is truth else right, truth)

    def _comparison(self, node: ex.Comparison, truth: bool) -> str:  # noqa: FBT001
        counted = self._inner.get(self._wording.text(node.left))
        if counted is not None and of_dice(counted):
            return f"{Told(counted, self.names).counted()}, {self._than(node, truth)}"
        left, value = self.noun(node.left), self.value(node.left)
        if value is _UNKNOWN:
            return self._code(node, truth)
        seen = show(value, node.left.type, self.names)
        if node.operator in {"=", "!="}:
            return self._equal(node, seen, alike=(node.operator == "=") is truth)
        same = "" if left == seen else f" {be(left)} {seen},"
        return f"{left}{same} {self._than(node, truth)}"

    def _equal(self, node: ex.Comparison, seen: str, *, alike: bool) -> str:
        """Two values are the same or not; a name that holds a thing is called by its name here."""
        left, right = self.noun(node.left), self._right(node.right)
        named = isinstance(node.left, ex.Local | ex.GameField) and left == seen
        if named:
            left = spoken(self.text(node.left))
        plain = isinstance(node.right, ex.Local | ex.GameField)
        if alike and thing(node.right) and named and not plain:
            return f"{seen} is {self.noun(node.right)}"
        other = spoken(self.text(node.right)) if plain else self.noun(node.right)
        told = not (_constant(node.left) or _constant(node.right) or self.value(node.right) is _UNKNOWN)
        if alike and told and len({left, other, seen}) == 3:  # noqa: PLR2004 - two names of one value
            return f"{left} and {other} are both {seen}"
        if alike:
            return f"{left} {be(left)} {right}"
        if _constant(node.right):
            return f"{left} {be(left)} {seen}"
        differs = "not equal to" if isinstance(node.right.type, NumberType) else "not"
        return f"{left} {be(left)} {seen}, {differs} {right}"

    def _than(self, node: ex.Comparison, truth: bool) -> str:  # noqa: FBT001
        if node.operator in {"=", "!="}:
            return f"{'' if (node.operator == '=') is truth else 'not '}{self._right(node.right)}"
        return f"{(_TRUE if truth else _FALSE)[node.operator]} {self._right(node.right)}"

    def _right(self, node: Expression) -> str:
        """What is compared with: a constant or thing as it is, anything else with its value."""
        if _constant(node) or thing(node) or isinstance(node, ex.Narrowed):
            return self.shown(node)
        value = self.value(node)
        noun, seen = self.noun(node), self.shown(node)
        if value is _UNKNOWN:
            return noun
        return f"{noun}{_bracketed(seen)}"

    def _members(self, source: Expression) -> str:
        match source:
            case ex.InPlay(kind=kind):
                return spoken(self.names.program.kinds[kind].plural)
            case _:
                return self.shown(source)

    def _flag(self, owner: str, name: str, truth: bool) -> str:  # noqa: FBT001
        if name.endswith(("ed", "en", "gone")) and "_" not in name:
            return f"{owner} {self._is(owner)} {'' if truth else 'not '}{spoken(name)}"
        return f"{possessive(owner)} {spoken(name)}: {'yes' if truth else 'no'}"

    # Quantifiers and counts.

    def _quantifier(self, node: ex.Quantifier, inner: Entry, truth: bool) -> str:  # noqa: FBT001
        within, binding, word = Told(inner, self.names), node.binding, node.word
        item = getattr(binding.source.type, "item", None)
        asked = node.body if word == "every" else binding.where
        found = (word == "some") is truth if word != "every" else not truth
        if found and inner.members and isinstance(item, ThingType | CellType) and len(binding.variables) == 1:
            id_ = show(inner.members[0], item, self.names)
            bound = {variable.name: inner.members[0] for variable in binding.variables if variable is not None}
            within = Told(inner, self.names, bound)
            said = within.said(asked, word != "every") if asked is not None else f"there is {id_}"
            return said if id_ in said else f"{id_}: {said}"
        if within.value(binding.source) == ():
            return f"`{self.text(binding.source)}` is empty"
        if not found and word != "every" and isinstance(asked, ex.Not):
            alone = isinstance(members := within.value(binding.source), tuple) and len(members) == 1
            return f"{'' if alone else 'every one of '}{within.all_of(binding.source)}{within.each_is(asked.operand)}"
        how = "every one of" if word == "every" and not found else "not every one of" if word == "every" else ""
        return f"{how or ('one of' if found else 'none of')} {within.all_of(binding.source)}{within.each_is(asked)}"

    def all_of(self, source: Expression) -> str:
        """The members gone through, by name where they were read."""
        match source:
            case ex.InPlay(kind=kind):
                return f"the {spoken(self.names.program.kinds[kind].plural)}"
            case _ if isinstance(source.type, PoolType):
                return "the dice"
            case _ if self.value(source) is _UNKNOWN:
                return f"`{self.text(source)}`"
            case _:
                found = self.value(source)
                if not isinstance(source.type, SetType | ListType) or not isinstance(found, tuple):
                    return f"`{self.text(source)}`"
                return ", ".join(show(each, source.type.item, self.names) for each in found) or "nobody"

    def each_is(self, asked: Expression | None) -> str:  # noqa: PLR0911 - one for each sort
        """What is asked of every member."""
        match asked:
            case None:
                return ""
            case ex.StoredAttribute(target=ex.Local(), name=name) if name.endswith(("ed", "en")):
                return f" is {spoken(name)}"
            case ex.DerivedAttribute(target=ex.Local(), function=function) if function.endswith(("ed", "en")):
                return f" is {spoken(function.rpartition('/')[2])}"
            case ex.Gone():
                return " is out of play"
            case ex.Not(operand=ex.Gone()):
                return " is in play"
            case ex.Comparison(operator=operator, left=ex.DieAttribute(name="natural" | "face"), right=right):
                return f" shows {_SHOWS[operator]}{self.shown(right)}"
            case ex.CallFunction(function=name, arguments=(ex.Local(),)) if _PREDICATE.match(self._titled(name)):
                return f" {self._titled(name)}"
            case where:
                return f" has `{self.text(where)}`"

    def counted(self) -> str:
        """`2 of 4 dice show 6`, of the entry of a count over dice."""
        where = self.entry.node.binding.where
        pool = next((each for each in self.entry.reads if isinstance(each.type, PoolType)), None)
        every = () if pool is None else _kept(pool.dice)
        if pool is not None and not every:
            return "there are no dice: 0"
        number = len(self.entry.members)
        verb = "shows" if 1 in {number, len(every)} else "show"
        match where:
            case ex.Comparison(operator=operator, left=ex.DieAttribute(name="natural" | "face"), right=right):
                what = f"{verb} {_SHOWS[operator]}{self.shown(right)}"
            case None:
                what = "counted"
            case _:
                what = f"{'has' if number == 1 else 'have'} `{self.text(where)}`"
        of = f" of {len(every)}" if every else ""
        return f"{number}{of} {'die' if len(every) == 1 else 'dice'} {what}"


def possessive(owner: str) -> str:
    """`anvil's`, `the rangers'`, `the boss's`."""
    return f"{owner}'" if owner.endswith("s") and not owner.endswith("ss") else f"{owner}'s"


def _bracketed(seen: str) -> str:
    """A value in brackets, a place in its own."""
    alone = seen.startswith("(") and seen.find(")") == len(seen) - 1
    return f" {seen}" if alone or not seen else f" ({seen})"


def _kept(dice: tuple[DieThrown, ...]) -> tuple[DieThrown, ...]:
    return tuple(each for each in dice if each.kept)


def of_dice(entry: Entry) -> bool:
    """Whether an entry counted dice."""
    return isinstance(entry.node, ex.Aggregate) and isinstance(entry.node.binding.source.type, PoolType)


def thing(node: Expression) -> bool:
    """Whether an expression stands for a thing of a kind, or a player."""
    type_ = present(node.type)
    return isinstance(type_, ThingType)


def _constant(node: Expression) -> bool:
    return isinstance(node, ex.Literal | ex.WordLiteral)


def _compared(operator: str, left: Any, right: Any) -> Any:
    if left is _UNKNOWN or right is _UNKNOWN:
        return _UNKNOWN
    ordered = operator not in {"=", "!="}
    return _UNKNOWN if ordered and (left is None or right is None) else ex.COMPARES[operator](left, right)


_SUMS = {"+": lambda left, right: left + right, "-": lambda left, right: left - right}


def _summed(operator: str, left: Any, right: Any) -> Any:
    plain = isinstance(left, int) and isinstance(right, int)
    return _SUMS[operator](left, right) if plain else _UNKNOWN


def because(entry: Entry, names: Named, truth: bool) -> str:  # noqa: FBT001
    """Why the condition of an entry held or failed, in one sentence; its text where it cannot be said."""
    told = Told(entry, names)
    node = told.condition
    return visible(entry.title) if node is None else told.said(node, truth)


def why_skipped(entry: Entry, names: Named) -> tuple[str, str]:
    """Why a step was skipped: the condition that failed, or the readings chosen, of which one is empty."""
    settings = [each for each in entry.reads if each.text in names.program.settings]
    if entry.hidden or Told(entry, names).condition is None:
        return "", ""
    if settings and len(settings) == len(entry.reads):
        return "", ", ".join(f"`{visible(each.text)}`: {show(each.value, each.type, names)}" for each in settings)
    return because(entry, names, truth=False), ""
