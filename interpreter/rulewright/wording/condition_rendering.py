"""Conditions as sentences with the values that they read; values that were not read are not stated."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from rulewright.base.diagnostics import make_visible
from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Program, Step
from rulewright.program.expressions import Binding, ConditionRow, Expression
from rulewright.program.types import CellType, ListType, NumberType, PoolType, SetType, ThingType, strip_optional
from rulewright.program.wording import ExpressionRenderer
from rulewright.runtime.codec_protocols import NameSource
from rulewright.runtime.request import RolledDie, TraceEntry
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value
from rulewright.wording.english import (
    add_colon,
    is_plural,
    make_possessive,
    select_be_form,
    select_verb_form,
    speak_name,
)

_TRUE_COMPARISONS = {"<": "less than", "<=": "at most", ">": "more than", ">=": "at least"}
_FALSE_COMPARISONS = {"<": "not less than", "<=": "more than", ">": "not more than", ">=": "less than"}
_DIE_COMPARISONS = {
    "=": "",
    "!=": "other than ",
    ">=": "at least ",
    "<=": "at most ",
    ">": "more than ",
    "<": "less than ",
}
_UNKNOWN = object()
_PREDICATE_PATTERN = re.compile(r"(has|is|can|cannot|may|must|does) ")
"""First words of titles that are predicates of a member."""


def count_members(source: Expression, noun: str) -> str:
    """`the number of units`, `the number of cards in the hand`, but `the number in red's hand`."""
    is_holder = isinstance(source, ex.StoredAttribute | ex.GameField | ex.Local) and not isinstance(
        source.type, PoolType
    )
    return f"the number {'in' if is_holder and not is_plural(noun.partition(' in ')[0]) else 'of'} {noun}"


_MAX_TITLE_WORDS = 3
_EXPLAINING_WORDS = frozenset(
    {"a", "an", "at", "for", "has", "in", "is", "its", "of", "on", "the", "was", "who", "whose"}
)
"""First words of titles that explain an attribute instead of naming it."""


def call_attribute(kind: str, name: str, program: Program) -> str:
    """Title of an attribute if it is a short name, else the name in words."""
    declared = next((field for field in program.kinds[kind].fields if field.name == name), None)
    words = declared.title.split() if declared else []
    fits = 0 < len(words) <= _MAX_TITLE_WORDS and words[0] not in _EXPLAINING_WORDS
    return " ".join(words) if fits else speak_name(name)


class ConditionNarrator:
    """Values that one trace entry read, to explain its condition; `bound`: values of bound variables."""

    def __init__(self, entry: TraceEntry, names: NameSource, bound: Mapping[str, Any] = MappingProxyType({})) -> None:
        self.entry = entry
        self.names = names.with_dice(entry.rolls)
        self._bound_values = bound
        self._wording = ExpressionRenderer(names.program)

    @cached_property
    def _read_values(self) -> dict[str, Any]:
        return {**self._bound_values, **{owner.text: owner.value for owner in (*self.entry.owners, *self.entry.reads)}}

    @cached_property
    def _inner_entries(self) -> dict[str, TraceEntry]:
        return {trace_entry.title: trace_entry for trace_entry in self.entry.inner}

    @property
    def condition(self) -> Any:  # an expression, or none
        """Condition that the entry judged: of a test, opening condition, guard, row or reason."""
        match node := self.entry.node:
            case ConditionRow():
                return node.condition
            case Step(guard=guard):
                return guard
            case st.Repeat(condition=condition):
                return condition
            case st.If(branches=branches):
                conditions = (branch.condition for branch in branches)
                return next(
                    (item for item in conditions if self._wording.render_expression(item) == self.entry.title), None
                )
            case _:
                return node if isinstance(node, ex.Typed) else None

    def expression_text(self, node: Expression) -> str:
        """Source notation of an expression."""
        return make_visible(self._wording.render_expression(node))

    def list_thing_ids(self, given: Sequence[Expression]) -> tuple[str, ...]:
        """Ids of the values that are things, as far as they were read."""
        values = [(item.type, self.evaluate_read(item)) for item in given if is_thing_expression(item)]
        return tuple(format_value(value, type_, self.names) for type_, value in values if value not in {None, _UNKNOWN})

    def place_text(self, place: st.Place) -> str:
        """Source notation of a place."""
        return self._wording.render_place(place)

    # Recorded values.

    def evaluate_read(self, node: Expression) -> Any:
        """Value of an expression from the recorded values; `_UNKNOWN` if it depends on one that was not read."""
        text = self._wording.render_expression(node)
        if text in self._read_values:
            return self._read_values[text]
        match node:
            case ex.Literal(value=value):
                return value
            case ex.WordLiteral(position=position):
                return position
            case ex.Quantifier() if text in self._inner_entries:
                return self._inner_entries[text].result
            case ex.Narrowed(operand=operand):
                return self.evaluate_read(operand)
            case ex.MakeCollection(items=parts) | ex.MakeTuple(parts=parts):
                items = tuple(self.evaluate_read(part) for part in parts)
                return _UNKNOWN if any(each is _UNKNOWN for each in items) else items
            case ex.Arithmetic(operator=operator, left=left, right=right) if operator in _SUM_OPERATORS:
                return _sum_values(operator, self.evaluate_read(left), self.evaluate_read(right))
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                items = self.evaluate_read(condition)
                return items if items is _UNKNOWN else self.evaluate_read(then if items else otherwise)
            case ex.Not(operand=operand):
                items = self.evaluate_read(operand)
                return items if items is _UNKNOWN else not items
            case ex.Logical(operator=operator, left=left, right=right):
                return self._evaluate_logical(operator == "and", self.evaluate_read(left), right)
            case ex.Comparison(operator=operator, left=left, right=right):
                return _compare_values(operator, self.evaluate_read(left), self.evaluate_read(right))
            case ex.Membership(item=item, collection=collection, negated=negated):
                member, members = self.evaluate_read(item), self.evaluate_read(collection)
                known = member is not _UNKNOWN and isinstance(members, tuple)
                return (member in members) != negated if known else _UNKNOWN
            case _:
                return _UNKNOWN

    def _evaluate_logical(self, every: bool, left: Any, right: Expression) -> Any:  # noqa: FBT001
        if left is _UNKNOWN:
            return _UNKNOWN
        return self.evaluate_read(right) if bool(left) is every else left

    # Words.

    def show_expression(self, node: Expression) -> str:
        """Value of an expression in words; a pool by its roll, an unread expression as code."""
        value = self.evaluate_read(node)
        if isinstance(node.type, PoolType):
            roll = self.names.roll_name(value) if isinstance(value, int) else None
            return f"`{make_visible(roll) if roll else self.expression_text(node)}`"
        return f"`{self.expression_text(node)}`" if value is _UNKNOWN else format_value(value, node.type, self.names)

    def name_expression(self, node: Expression) -> str:
        """Name of an expression: a thing by id, an attribute with its owner."""
        value = self.evaluate_read(node)
        match node:
            case ex.Narrowed(operand=operand):
                return self.name_expression(operand)
            case ex.Local() | ex.GameField() | ex.Itself() if (
                value is not _UNKNOWN and value is not None and is_thing_expression(node)
            ):
                return format_value(value, node.type, self.names)
            case ex.Local(variable=variable):
                return speak_name(variable.name)
            case ex.Itself():
                return "it"
            case ex.GameField(name=name):
                return speak_name(name)
            case ex.SettingValue(name=name):
                return f"the reading `{name}`"
            case ex.DieAttribute(target=target, name="natural" | "face"):
                return self._name_die(target)
            case ex.CellAttribute(target=target, name=name):
                return f"{speak_name(name)} at {self.show_expression(target)}"
            case ex.SideAttribute(first=first, second=second, name=name):
                return f"{speak_name(name)} between {self.show_expression(first)} and {self.show_expression(second)}"
            case ex.Part(target=target, name=name) if name.isdecimal():
                return f"{self.name_expression(target)}[{name}]"
            case ex.StoredAttribute(target=target, name=name):
                return f"{make_possessive(self._name_owner(target))} {'place' if name == 'at' else speak_name(name)}"
            case ex.DerivedAttribute(target=target, function=function):
                return f"{make_possessive(self._name_owner(target))} {speak_name(function.rpartition('/')[2])}"
            case ex.Entry(target=target, key=key):
                target_name, of = self.name_expression(target), self.show_expression(key).strip("`")
                if isinstance(target.type, ListType):
                    return f"number {of} of {'the ' if isinstance(target, ex.Local) else ''}{target_name}"
                return (
                    f"{target_name} of {self.name_expression(key)}"
                    if is_thing_expression(key)
                    else f"{target_name}[{of}]"
                )
            case ex.CallFunction(function=name) if title := self._function_title(name):
                return title
            case (
                ex.Aggregate(word="count", binding=ex.Binding(source=source, where=None))
                | ex.Builtin(name="count", arguments=(source,))
            ):
                return count_members(source, self.name_expression(source))
            case _:
                return f"`{self._render_call(node)}`"

    def _name_die(self, target: Expression) -> str:
        """With the number of the die if the roll has several."""
        value = self.evaluate_read(target)
        roll = (
            self.names.roll_name(value[0]) if isinstance(value, tuple) and self.names.roll_name(1) is not None else None
        )
        if roll is None:
            return "the die"
        alone = isinstance(target, ex.Local) and target.variable.name == roll
        return f"`{make_visible(roll)}`" if alone else f"a die of `{make_visible(roll)}`"

    def _name_owner(self, target: Expression) -> str:
        value = self.evaluate_read(target) if is_thing_expression(target) else None
        return self.name_expression(target) if value is None or value is _UNKNOWN else self.show_expression(target)

    def _is_or_are(self, id_: str) -> str:
        return select_verb_form(id_, "is", "are", self.names)

    def _render_call(self, node: Expression) -> str:
        match node:
            case (
                ex.CallFunction(function=name, arguments=arguments)
                | ex.ExternalValue(external=name, arguments=arguments)
            ) if arguments:
                return f"{name}({', '.join(self.show_expression(argument).strip('`') for argument in arguments)})"
            case ex.RelationHolds(relation=name, first=first, second=second):
                return f"{name}({self.show_expression(first).strip('`')}, {self.show_expression(second).strip('`')})"
            case _:
                return self.expression_text(node)

    def explain_condition(self, node: Expression, truth: bool) -> str:  # noqa: FBT001
        """Short true sentence about a condition that held or failed: only the operands that decided."""
        match node:
            case ex.Narrowed(operand=operand) | ex.Rounded(operand=operand):
                return self.explain_condition(operand, truth)
            case ex.Not(operand=operand):
                return self.explain_condition(operand, not truth)
            case ex.Logical():
                return self._explain_logical(node, truth)
            case ex.Comparison():
                return self._explain_comparison(node, truth)
            case ex.Membership(item=item, collection=collection, negated=negated):
                where = "in" if truth is not negated else "not in"
                return f"{self.name_expression(item)} {self._is_or_are(self.name_expression(item))} {where} {self._render_members(collection)}"
            case ex.Quantifier() if self._wording.render_expression(node) in self._inner_entries:
                return self._explain_quantifier(node, self._inner_entries[self._wording.render_expression(node)], truth)
            case ex.Gone(target=target):
                holder = self._name_owner(target)
                return f"{holder} {self._is_or_are(holder)} {'out of' if truth else 'in'} play"
            case ex.CellAttribute() | ex.SideAttribute():
                return f"{self.name_expression(node)}: {'yes' if truth else 'no'}"
            case ex.StoredAttribute(target=target, name=name):
                return self._render_flag(self._name_owner(target), name, truth)
            case ex.DerivedAttribute(target=target, function=function):
                return self._render_flag(self._name_owner(target), function.rpartition("/")[2], truth)
            case ex.CallFunction(function=name) if not truth and (title := self._failed_row_title(name)):
                return title
            case ex.CallFunction(function=name, arguments=arguments) if title := self._function_title(name):
                given = ", ".join(self.show_expression(argument) for argument in arguments)
                return f"{add_colon(title + _bracket_value(given))} {'yes' if truth else 'no'}"
            case ex.Literal():
                return self.expression_text(node)
            case ex.Local():
                return f"{self.name_expression(node)}: {'yes' if truth else 'no'}"
            case _:
                return self._render_code_condition(node, truth)

    @property
    def is_only_in_play_test(self) -> bool:
        """Whether the condition only asks whether something is in play."""
        match self.condition:
            case ex.Not(operand=ex.Gone()):
                return True
            case _:
                return False

    def _function_title(self, function: str) -> str:
        return make_visible(self.names.program.functions[function].title)

    def _render_code_condition(self, node: Expression, truth: bool) -> str:  # noqa: FBT001
        texts = {self._wording.render_expression(typed) for typed in walk_nodes(node) if isinstance(typed, ex.Typed)}  # type: ignore[arg-type]
        shown = [
            f"{make_visible(value_read.text)} = {format_value(value_read.value, value_read.type, self.names)}"
            for value_read in self.entry.reads
            if value_read.text in texts - {self._wording.render_expression(node)}
            and not value_read.text.isidentifier()
            and not value_read.dice
        ]
        read = f" ({', '.join(shown)})" if shown else ""
        return f"`{self._render_call(node)}`: {'yes' if truth else 'no'}{read}"

    def _failed_row_title(self, function: str) -> str:
        for trace_entry in self.entry.inner:
            if trace_entry.address == function and trace_entry.result is False:
                return next((make_visible(row.title) for row in trace_entry.rows if row.outcome == "failed"), "")
        return ""

    def _explain_logical(self, node: ex.Logical, truth: bool) -> str:  # noqa: FBT001
        every, left, right = node.operator == "and", node.left, node.right
        if truth is every:
            return f"{self.explain_condition(left, truth)} and {self.explain_condition(right, truth)}"
        first = self.evaluate_read(left)
        if first is _UNKNOWN:
            return self._render_code_condition(node, truth)
        return self.explain_condition(left if bool(first) is truth else right, truth)

    def _explain_comparison(self, node: ex.Comparison, truth: bool) -> str:  # noqa: FBT001
        counted = self._inner_entries.get(self._wording.render_expression(node.left))
        if counted is not None and counts_dice(counted):
            return (
                f"{ConditionNarrator(counted, self.names).render_dice_count()}, {self._render_comparison(node, truth)}"
            )
        left, value = self.name_expression(node.left), self.evaluate_read(node.left)
        if value is _UNKNOWN:
            return self._render_code_condition(node, truth)
        value_text = format_value(value, node.left.type, self.names)
        if node.operator in {"=", "!="}:
            return self._explain_equality(node, value_text, alike=(node.operator == "=") is truth)
        same = "" if left == value_text else f" {select_be_form(left)} {value_text},"
        return f"{left}{same} {self._render_comparison(node, truth)}"

    def _explain_equality(self, node: ex.Comparison, value_text: str, *, alike: bool) -> str:
        left, right = self.name_expression(node.left), self._render_right_operand(node.right)
        named = isinstance(node.left, ex.Local | ex.GameField) and left == value_text
        if named:
            left = speak_name(self.expression_text(node.left))
        plain = isinstance(node.right, ex.Local | ex.GameField)
        if alike and is_thing_expression(node.right) and named and not plain:
            return f"{value_text} is {self.name_expression(node.right)}"
        other = speak_name(self.expression_text(node.right)) if plain else self.name_expression(node.right)
        shows_value = not (
            _is_constant(node.left) or _is_constant(node.right) or self.evaluate_read(node.right) is _UNKNOWN
        )
        if alike and shows_value and len({left, other, value_text}) == 3:  # noqa: PLR2004 - two names of one value
            return f"{left} and {other} are both {value_text}"
        if alike:
            return f"{left} {select_be_form(left)} {right}"
        if _is_constant(node.right):
            return f"{left} {select_be_form(left)} {value_text}"
        differs = "not equal to" if isinstance(node.right.type, NumberType) else "not"
        return f"{left} {select_be_form(left)} {value_text}, {differs} {right}"

    def _render_comparison(self, node: ex.Comparison, truth: bool) -> str:  # noqa: FBT001
        if node.operator in {"=", "!="}:
            return f"{'' if (node.operator == '=') is truth else 'not '}{self._render_right_operand(node.right)}"
        return f"{(_TRUE_COMPARISONS if truth else _FALSE_COMPARISONS)[node.operator]} {self._render_right_operand(node.right)}"

    def _render_right_operand(self, node: Expression) -> str:
        if _is_constant(node) or is_thing_expression(node) or isinstance(node, ex.Narrowed):
            return self.show_expression(node)
        value = self.evaluate_read(node)
        noun, value_text = self.name_expression(node), self.show_expression(node)
        if value is _UNKNOWN:
            return noun
        return f"{noun}{_bracket_value(value_text)}"

    def _render_members(self, source: Expression) -> str:
        match source:
            case ex.InPlay(kind=kind):
                return speak_name(self.names.program.kinds[kind].plural)
            case _:
                return self.show_expression(source)

    def _render_flag(self, owner: str, name: str, truth: bool) -> str:  # noqa: FBT001
        if name.endswith(("ed", "en", "gone")) and "_" not in name:
            return f"{owner} {self._is_or_are(owner)} {'' if truth else 'not '}{speak_name(name)}"
        return f"{make_possessive(owner)} {speak_name(name)}: {'yes' if truth else 'no'}"

    # Quantifiers and counts.

    def _explain_quantifier(self, node: ex.Quantifier, inner: TraceEntry, truth: bool) -> str:  # noqa: FBT001
        within, binding, word = ConditionNarrator(inner, self.names), node.binding, node.word
        item = getattr(binding.source.type, "item", None)
        predicate = node.body if word == "every" else binding.where
        result = (word == "some") is truth if word != "every" else not truth
        is_named = isinstance(item, ThingType | CellType) and len(binding.variables) == 1
        if result and inner.members and is_named:
            return self._explain_member(binding, inner, inner.members[0], predicate, truth=word != "every")
        if within.evaluate_read(binding.source) == ():
            return f"`{self.expression_text(binding.source)}` is empty"
        if predicate is None:
            return within.describe_emptiness(binding.source, result)
        if not result and word != "every" and isinstance(predicate, ex.Not):
            alone = isinstance(members := within.evaluate_read(binding.source), tuple) and len(members) == 1
            return f"{'' if alone else 'every one of '}{within.name_all_members(binding.source)}{within.render_member_predicate(predicate.operand)}"
        how = "every one of" if word == "every" and not result else "not every one of" if word == "every" else ""
        tested, members = within.render_member_predicate(predicate), within.evaluate_read(binding.source)
        if (
            "`" in tested
            and is_named
            and not result
            and word != "every"
            and isinstance(members, tuple)
            and len(members) == 1
        ):
            return self._explain_member(binding, inner, members[0], predicate, truth=False)
        return f"{how or ('one of' if result else 'none of')} {within.name_all_members(binding.source)}{tested}"

    def _explain_member(
        self, binding: Binding, inner: TraceEntry, member: Value, predicate: Expression | None, *, truth: bool
    ) -> str:
        """Why a condition holds of a member, or does not."""
        id_ = format_value(member, binding.source.type.item, self.names)  # type: ignore[union-attr]
        bound = {variable.name: member for variable in binding.variables if variable is not None}
        if predicate is None:
            return f"there is {id_}"
        sentence = ConditionNarrator(inner, self.names, bound).explain_condition(predicate, truth)
        return sentence if id_ in sentence else f"{id_}: {sentence}"

    def describe_emptiness(self, source: Expression, any_there: bool) -> str:  # noqa: FBT001 - an answer
        """Whether a collection has a member: `no units are in play`, ```pile` is not empty``."""
        if isinstance(source, ex.InPlay):
            plural = speak_name(self.names.program.kinds[source.kind].plural)
            return f"{'some' if any_there else 'no'} {plural} are in play"
        return f"`{self.expression_text(source)}` is {'not ' if any_there else ''}empty"

    def name_all_members(self, source: Expression) -> str:
        """Members of a collection by name, where they were read."""
        match source:
            case ex.InPlay(kind=kind):
                return f"the {speak_name(self.names.program.kinds[kind].plural)}"
            case _ if isinstance(source.type, PoolType):
                return "the dice"
            case _ if self.evaluate_read(source) is _UNKNOWN:
                return f"`{self.expression_text(source)}`"
            case _:
                items = self.evaluate_read(source)
                if not isinstance(source.type, SetType | ListType) or not isinstance(items, tuple):
                    return f"`{self.expression_text(source)}`"
                return ", ".join(format_value(item, source.type.item, self.names) for item in items) or "nobody"

    def render_member_predicate(self, predicate: Expression | None) -> str:
        """Predicate that is tested of every member."""
        match predicate:
            case None:
                return ""
            case ex.StoredAttribute(target=ex.Local(), name=name) if name.endswith(("ed", "en")):
                return f" is {speak_name(name)}"
            case ex.DerivedAttribute(target=ex.Local(), function=function) if function.endswith(("ed", "en")):
                return f" is {speak_name(function.rpartition('/')[2])}"
            case ex.Gone():
                return " is out of play"
            case ex.Not(operand=ex.Gone()):
                return " is in play"
            case ex.Comparison(operator=operator, left=ex.DieAttribute(name="natural" | "face"), right=right):
                return f" shows {_DIE_COMPARISONS[operator]}{self.show_expression(right)}"
            case ex.CallFunction(function=name, arguments=(ex.Local(),)) if _PREDICATE_PATTERN.match(
                self._function_title(name)
            ):
                return f" {self._function_title(name)}"
            case where:
                return f" has `{self.expression_text(where)}`"

    def render_dice_count(self) -> str:
        """`2 of 4 dice show 6`, for an entry that counted dice."""
        where = self.entry.node.binding.where
        pool = next((read for read in self.entry.reads if isinstance(read.type, PoolType)), None)
        every = () if pool is None else _select_kept_dice(pool.dice)
        if pool is not None and not every:
            return "there are no dice: 0"
        number = len(self.entry.members)
        verb = "shows" if 1 in {number, len(every)} else "show"
        match where:
            case ex.Comparison(operator=operator, left=ex.DieAttribute(name="natural" | "face"), right=right):
                what = f"{verb} {_DIE_COMPARISONS[operator]}{self.show_expression(right)}"
            case None:
                what = "counted"
            case _:
                what = f"{'has' if number == 1 else 'have'} `{self.expression_text(where)}`"
        of = f" of {len(every)}" if every else ""
        return f"{number}{of} {'die' if len(every) == 1 else 'dice'} {what}"


def _bracket_value(text: str) -> str:
    alone = text.startswith("(") and text.find(")") == len(text) - 1
    return f" {text}" if alone or not text else f" ({text})"


def _select_kept_dice(dice: tuple[RolledDie, ...]) -> tuple[RolledDie, ...]:
    return tuple(die for die in dice if die.kept)


def counts_dice(entry: TraceEntry) -> bool:
    """Whether an entry counted dice."""
    return isinstance(entry.node, ex.Aggregate) and isinstance(entry.node.binding.source.type, PoolType)


def is_thing_expression(node: Expression) -> bool:
    """Whether an expression has a thing or player as its value."""
    type_ = strip_optional(node.type)
    return isinstance(type_, ThingType)


def _is_constant(node: Expression) -> bool:
    return isinstance(node, ex.Literal | ex.WordLiteral)


def _compare_values(operator: str, left: Any, right: Any) -> Any:
    if left is _UNKNOWN or right is _UNKNOWN:
        return _UNKNOWN
    ordered = operator not in {"=", "!="}
    return _UNKNOWN if ordered and (left is None or right is None) else ex.COMPARISON_FUNCTIONS[operator](left, right)


_SUM_OPERATORS = {"+": lambda left, right: left + right, "-": lambda left, right: left - right}


def _sum_values(operator: str, left: Any, right: Any) -> Any:
    plain = isinstance(left, int) and isinstance(right, int)
    return _SUM_OPERATORS[operator](left, right) if plain else _UNKNOWN


def explain_entry_condition(entry: TraceEntry, names: NameSource, truth: bool) -> str:  # noqa: FBT001
    """Sentence on why the condition of an entry held or failed; code if it has no words."""
    narrator = ConditionNarrator(entry, names)
    node = narrator.condition
    return make_visible(entry.title) if node is None else narrator.explain_condition(node, truth)


def explain_skipped_step(entry: TraceEntry, names: NameSource) -> tuple[str, str]:
    """Failed condition of a skipped step, and the readings that were chosen; one of them is empty."""
    settings = [read for read in entry.reads if read.text in names.program.settings]
    if entry.hidden or ConditionNarrator(entry, names).condition is None:
        return "", ""
    if settings and len(settings) == len(entry.reads):
        return "", ", ".join(
            f"`{make_visible(setting.text)}`: {format_value(setting.value, setting.type, names)}"
            for setting in settings
        )
    return explain_entry_condition(entry, names, truth=False), ""
