"""WebAssembly for collections: loops through their members, and what is made or said of them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

from rulewright.odds.batch import sets
from rulewright.odds.batch.shapes import NONE, UnfitError
from rulewright.odds.batch.slots import EXACT, alike, refuse_nested, sized, slot
from rulewright.odds.batch.writer import WORD, Body, constant, flag, held
from rulewright.program import declarations as d, expressions as ex, types as ty
from rulewright.program.expressions import Expression
from rulewright.program.rows import ConditionRow
from rulewright.program.types import Type


@contextmanager
def _each_number(body: Body, low: str, high: str, step: int = 1) -> Iterator[str]:
    """A loop through whole numbers, the last left out."""
    at, end = body.temporary(low), body.temporary(high)
    with body.until(f"(i64.ge_s {held(at)} {held(end)})"):
        yield at
        body.line(f"(local.set {at} (i64.add {held(at)} (i64.const {step})))")


@contextmanager
def visited(body: Body, binding: ex.Binding) -> Iterator[str]:
    """A loop through the members that a binding takes; yields the name of the one it is at.

    Raises:
        UnfitError: such members are not held.
    """
    if isinstance(binding.source, ex.Builtin) and binding.source.name == "pairs" and len(binding.variables) == _PAIR:
        with _pairs(body, binding) as member:
            yield member
        return
    if len(binding.variables) != 1:
        raise UnfitError("several names for one member")
    (variable,) = binding.variables
    if variable is not None and _in_digits(body, binding.source):
        body.faces.add(variable.index)
    with _each(body, binding.source) as member:
        if variable is not None:
            body.set(variable, held(member))
        if binding.where is not None:
            with body.inside(f"if {body.test(binding.where)} (then"):
                yield member
            body.line(")")
        else:
            yield member


def _each(body: Body, node: Expression) -> AbstractContextManager[str]:
    """A loop through the members of a collection, dice by where they lie or what they show."""
    match node.type:
        case ty.PoolType() if isinstance(node, ex.Local) and node.variable.index in body.digits:
            return _each_digit(body, *body.digits[node.variable.index])
        case ty.PoolType():
            pool = body.temporary(body.value(node))
            count = f"(i64.load (i32.wrap_i64 {held(pool)}))"
            first = f"(i64.add {held(pool)} (i64.const {WORD}))"
            return _each_number(body, first, f"(i64.add {first} (i64.shl {count} (i64.const 3)))", WORD)
        case ty.SetType(item):
            return sets.each(body, item, body.value(node))
        case _ if isinstance(node, ex.Interval):
            high = f"(i64.add {body.value(node.high)} (i64.const 1))"
            return _each_number(body, body.value(node.low), high)
        case ty.ListType():
            refuse_nested(node.type)
            return each_item(body, body.value(node))
        case _:
            raise UnfitError(f"the members of {node.type}")


def _in_digits(body: Body, node: Expression) -> bool:
    return isinstance(node, ex.Local) and node.variable.index in body.digits


@contextmanager
def _each_digit(body: Body, dice: str, number: str, faces: list[int]) -> Iterator[str]:
    """A loop through what dice show, which are digits of a number."""
    left, rest = body.temporary(held(dice)), body.temporary(held(number))
    tens, face = body.temporary(), body.temporary()
    with body.until(f"(i64.eqz {held(left)})"):
        size = constant(len(faces))
        body.line(f"(local.set {tens} (i64.div_u {held(rest)} {size}))")
        digit = f"(i64.sub {held(rest)} (i64.mul {held(tens)} {size}))"
        body.line(f"(local.set {face} (i64.add {digit} {constant(faces[0])}))")
        body.line(f"(local.set {rest} {held(tens)})")
        body.line(f"(local.set {left} (i64.sub {held(left)} (i64.const 1)))")
        yield face


@contextmanager
def _pairs(body: Body, binding: ex.Binding) -> Iterator[str]:
    assert isinstance(binding.source, ex.Builtin)
    first, second = (
        ex.Binding((variable,), source, None)
        for variable, source in zip(binding.variables, binding.source.arguments, strict=True)
    )
    with visited(body, first) as member, visited(body, replace(second, where=binding.where)):
        yield member


_PAIR = 2


@contextmanager
def each_item(body: Body, members: str) -> Iterator[str]:
    """A loop through the members of a list, which lie behind their number."""
    start, item = body.temporary(members), body.temporary()
    first = f"(i64.add {held(start)} (i64.const {WORD}))"
    count = f"(i64.load (i32.wrap_i64 {held(start)}))"
    with _each_number(body, first, f"(i64.add {first} (i64.shl {count} (i64.const 3)))", WORD) as at:
        body.line(f"(local.set {item} (i64.load (i32.wrap_i64 {held(at)})))")
        yield item


def item(body: Body, members: str, position: str, type_: Type) -> str:
    """A member of a list by its position from 1; where there is none the play is given back."""
    if not isinstance(type_, ty.ListType):
        raise UnfitError(f"an entry of {type_}")
    refuse_nested(type_)
    start, at = body.temporary(members), body.temporary(position)
    count = f"(i64.load (i32.wrap_i64 {held(start)}))"
    there = f"(i32.and (i64.ge_s {held(at)} (i64.const 1)) (i64.le_s {held(at)} {count}))"
    body.unless(there, "a list has no such entry")
    return f"(i64.load (i32.wrap_i64 (i64.add {held(start)} (i64.shl {held(at)} (i64.const 3)))))"


def _new_list(body: Body, node: ex.Comprehension) -> str:
    """A list made of what members are worth, behind all that was made before it."""
    assert isinstance(node.type, ty.ListType)
    refuse_nested(node.type)
    start, many = body.temporary(new_list(body)), body.temporary(constant(0))
    with visited(body, node.binding):
        body.unless(f"(i64.lt_u {held(many)} {constant(MOST_LISTED)})", "a long list")
        body.line(f"(local.set {many} (i64.add {held(many)} (i64.const 1)))")
        at = f"(i32.wrap_i64 (i64.add {held(start)} (i64.shl {held(many)} (i64.const 3))))"
        body.line(f"(i64.store {at} {body.value(node.value)})")
    body.line(f"(i64.store (i32.wrap_i64 {held(start)}) {held(many)})")
    return held(start)


def new_list(body: Body) -> str:
    """Where a list can be made, behind all that was made before it."""
    return f"(call {body.module.library('space')} {constant(MOST_LISTED + 1)})"


MOST_LISTED = 64
"""A list has room for so many members."""


def quantifier(body: Body, node: ex.Quantifier) -> str:
    """Whether `some`, `no` or `every` member is so, as a test."""
    found, over = body.temporary(constant(0)), body.label()
    with body.inside(f"block {over}"), visited(body, node.binding):
        met = f"(local.set {found} (i64.const 1)) (br {over})"
        body.line(met if node.body is None else f"(if (i32.eqz {body.test(node.body)}) (then {met}))")
    return f"(i64.{'eq' if node.word == 'some' else 'ne'} {held(found)} (i64.const 1))"


def aggregate(body: Body, node: ex.Aggregate) -> str:
    """`count`, `sum`, `min` or `max` over members."""
    if node.word in {"count", "sum"}:
        found, where = body.temporary(constant(0)), node.binding.where
        if node.word == "count" and where is not None:
            with visited(body, replace(node.binding, where=None)):
                body.line(f"(local.set {found} (i64.add {held(found)} {flag(body.test(where))}))")
        else:
            with visited(body, node.binding):
                added = constant(1) if node.word == "count" or node.value is None else body.value(node.value)
                body.line(f"(local.set {found} (i64.add {held(found)} {added}))")
        return sized(body, node.type if node.word == "sum" else ty.NumberType(0, EXACT), held(found))
    worth = node.value
    assert worth is not None
    return _furthest(body, node.word, lambda: visited(body, node.binding), lambda _: body.value(worth))


def _furthest(body: Body, word: str, loop: Callable[[], Any], of: Callable[[str], str]) -> str:
    """The least or greatest of what members are worth; of none the play is given back."""
    found = body.temporary(constant(NONE))
    with loop() as member:
        new = body.temporary(of(member))
        compares = f"(i64.{'lt_s' if word == 'min' else 'gt_s'} {held(new)} {held(found)})"
        first = f"(i64.eq {held(found)} {constant(NONE)})"
        body.line(f"(if (i32.or {first} {compares}) (then (local.set {found} {held(new)})))")
    body.unless(f"(i64.ne {held(found)} {constant(NONE)})", "the least or greatest of nothing")
    return held(found)


def over_members(body: Body, node: ex.Builtin) -> str:
    """`count`, `sum`, `total`, `min` or `max` of one collection."""
    binding = ex.Binding((None,), node.arguments[0], None)
    type_ = binding.source.type
    if node.name == "count" and isinstance(type_, ty.SetType) and not isinstance(binding.source, ex.Interval):
        return sets.count(body, type_.item, body.value(binding.source))

    def worth(member: str) -> str:
        lies = isinstance(type_, ty.PoolType) and not _in_digits(body, binding.source)
        return f"(i64.load (i32.wrap_i64 {held(member)}))" if lies else held(member)

    if isinstance(type_, ty.PoolType) and node.name in {"min", "max"}:
        raise UnfitError(f"`{node.name}` of dice")
    if node.name in {"min", "max"}:
        return _furthest(body, node.name, lambda: visited(body, binding), worth)
    found = body.temporary(constant(0))
    with visited(body, binding) as member:
        added = constant(1) if node.name == "count" else worth(member)
        body.line(f"(local.set {found} (i64.add {held(found)} {added}))")
    return held(found)


def the_only(body: Body, node: ex.TheOnly) -> str:
    """The one member that there is; else the play is given back."""
    found, many = body.temporary(constant(0)), body.temporary(constant(0))
    with visited(body, node.binding) as member:
        body.line(f"(local.set {found} {held(member)}) (local.set {many} (i64.add {held(many)} (i64.const 1)))")
    body.unless(f"(i64.eq {held(many)} (i64.const 1))", "not exactly one member")
    return held(found)


def comprehension(body: Body, node: ex.Comprehension) -> str:
    """A set or list of what members are worth."""
    if isinstance(node.type, ty.ListType):
        return _new_list(body, node)
    if not isinstance(node.type, ty.SetType):
        raise UnfitError(f"values of the type {node.type}")
    item_ = node.type.item
    found = sets.new(body, item_)
    with visited(body, node.binding):
        body.line(sets.put(body, item_, found, body.value(node.value)))
    return held(found)


def held_row(body: Body, row: ConditionRow, *, undecided: bool) -> str:
    """Whether a row holds; `undecided` stands for one that is not judged."""
    if row.guard is None:
        return body.test(row.condition)
    return (
        f"(if (result i32) {body.test(row.guard)} (then {body.tested(row.condition)}) "
        f"(else (i32.const {int(undecided)})))"
    )


def selected(body: Body, binding: ex.Binding, conditions: d.Conditions, type_: Type) -> str:
    """The set of the members that meet conditions."""
    if not isinstance(type_, ty.SetType):
        raise UnfitError(f"values of the type {type_}")
    found, every = sets.new(body, type_.item), conditions.mode == "all"
    with visited(body, binding) as member:
        tests = [held_row(body, row, undecided=every) for row in conditions.rows]
        joined = tests[0] if tests else f"(i32.const {int(every)})"
        for each in tests[1:]:
            joined = f"(i32.{'and' if every else 'or'} {joined} {each})"
        body.line(f"(if {joined} (then {sets.put(body, type_.item, found, held(member))}))")
    return held(found)


def collection(body: Body, node: ex.MakeCollection) -> str:
    """A set, list or map as it is written."""
    match node.type:
        case ty.SetType(item):
            found = sets.new(body, item)
            for each in node.items:
                body.line(sets.put(body, item, found, body.value(each)))
            return held(found)
        case ty.ListType(item) if len(node.items) <= MOST_LISTED:
            refuse_nested(node.type)
            start = body.temporary(f"(call {body.module.library('space')} {constant(len(node.items) + 1)})")
            for at, code in enumerate([constant(len(node.items)), *(slot(body, each, item) for each in node.items)]):
                body.line(f"(i64.store offset={at * WORD} (i32.wrap_i64 {held(start)}) {code})")
            return held(start)
        case ty.MapType():
            return slot(body, node.items[0], node.type)
        case _:
            raise UnfitError(f"values of the type {node.type}")


def is_member(body: Body, node: ex.Membership) -> str:
    """Whether something is a member, as a test."""
    collection = node.collection
    if isinstance(collection, ex.Interval):
        item = body.temporary(body.value(node.item))
        low, high = body.value(collection.low), body.value(collection.high)
        return f"(i32.and (i64.ge_s {held(item)} {low}) (i64.le_s {held(item)} {high}))"
    if isinstance(collection, ex.MakeCollection) and not body.module.shapes.is_reference(node.item.type):
        for each in collection.items:
            alike(node.item.type, each.type)
        item, found = body.temporary(body.value(node.item)), "(i32.const 0)"
        for each in collection.items:
            found = f"(i32.or {found} (i64.eq {held(item)} {body.value(each)}))"
        return found
    if not isinstance(collection.type, ty.SetType):
        raise UnfitError(f"whether something is in {collection.type}")
    of = collection.type.item
    bits = constant(body.module.shapes.bits(of))
    item = body.temporary(body.value(node.item))
    among = sets.has(body.module, of, body.value(collection), held(item))
    return f"(if (result i32) (i64.lt_u {held(item)} {bits}) (then {among}) (else (i32.const 0)))"
