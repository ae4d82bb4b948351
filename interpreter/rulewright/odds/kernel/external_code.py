"""WebAssembly for externals: one of their stated answers, or of all that they may give and change, drawn by their line."""

from collections.abc import Callable, Iterator
from math import lcm
from typing import Any

from rulewright.documents.answers import read_answer
from rulewright.odds.external_answers import MAX_LISTED_ANSWERS, UnlistedError, ValueLister
from rulewright.odds.kernel import runtime_library as lib
from rulewright.odds.kernel.program_facts import find_changed_place
from rulewright.odds.kernel.routine_code import RoutineCode
from rulewright.odds.kernel.store_code import list_things, store_place
from rulewright.odds.kernel.value_shapes import MAX_EXACT_INTEGER, NONE_CODE, BatchUnsupportedError, Bits
from rulewright.odds.kernel.wasm_assembler import Code, const, select, test_const
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.declarations import ExternalProcedure
from rulewright.runtime.request import Request

_Values = tuple[Code, Callable[[Code], Code]]
"""How many values there are, and the code of one by its number."""


def emit_external(c: RoutineCode, node: core.External, line: Code) -> None:
    """Result and changes of an external procedure, as `PlayAnswerer.draw_external_answer` draws them.

    Raises:
        BatchUnsupportedError: nothing answers, or the answers are not listed here.
    """
    module, external = c.module, c.module.program.external_procedures[node.name]
    stated = None if module.answers.external_odds is None else module.answers.external_odds.answers_by_external
    is_stated = stated is not None and node.name in stated
    if module.is_exhaustive or not (is_stated or module.answers.policy == "random"):
        raise BatchUnsupportedError(f"`{node.name}` comes from elsewhere")
    for argument in node.arguments:
        c.w.drop(c.value(argument))
    result = (_draw_stated if is_stated else _draw_possible)(c, external, line)
    if node.result is not None:
        c.assign(node.result, c.convert(result, external.result, node.result.type))


def _draw_stated(c: RoutineCode, external: ExternalProcedure, line: Code) -> Code:
    module, odds = c.module, c.module.answers.external_odds
    assert odds is not None
    request = Request("external", "", None, "", external.result, name=external.name, changes=external.changes)
    likely_answers = [each for each in odds.answers_by_external[external.name] if each.probability]
    parts = lcm(*[each.probability.denominator for each in likely_answers])
    if parts > MAX_EXACT_INTEGER:
        raise BatchUnsupportedError(f"very unlikely answers of `{external.name}`")
    number, given, end = c.hold(lib.draw_below(module, line, parts)), c.w.new_local(NONE_CODE), 0
    for each in likely_answers:
        answer: Any = read_answer(request, each.answer, odds.names).value
        if answer is None:
            raise BatchUnsupportedError(f"an answer of `{external.name}` that is not possible")
        result, changes = answer
        first, end = end, end + int(each.probability * parts)
        with c.w.when((number >= first) & (number < end)):
            if external.result is not None:
                c.w.set(given, module.encode_constant(result, external.result))
            for name, thing, value in changes:
                place, type_ = find_changed_place(module.executable, name, thing)
                store_place(c, place, module.encode_constant(value, type_))
    return given


def _draw_possible(c: RoutineCode, external: ExternalProcedure, line: Code) -> Code:
    """Each result with each combination of values of all that may be changed, of which the last changes first."""
    module, w = c.module, c.w
    none: _Values = const(1), lambda _: const(NONE_CODE)
    results = none if external.result is None else _list_values(c, external.result)
    changes = [change for name in sorted(external.changes) for change in _list_changes(c, name)]
    total = w.new_local(results[0])
    for _, test, (many, _) in changes:
        with w.when(test):
            w.set(total, select(total, total * many, total > MAX_LISTED_ANSWERS))
    c.require((total > 0) & (total <= MAX_LISTED_ANSWERS), f"very many answers of `{external.name}`, or none")
    number = w.new_local(lib.draw_below(module, line, total))
    for place, test, (many, take) in reversed(changes):
        with w.when(test):
            store_place(c, place, c.hold(take(c.hold(number.operate("rem_u", many)))))
            w.set(number, number.operate("div_u", many))
    return results[1](number)


def _list_changes(c: RoutineCode, name: str) -> Iterator[tuple[core.Place, Code, _Values]]:
    """Places of a name with the test whether they may change, which those of things in play do."""
    module = c.module
    kind, _, attribute = name.rpartition("/")
    if kind == "game":
        place, type_ = find_changed_place(module.executable, name, None)
        yield place, test_const(value=True), _list_values(c, type_)
        return
    if all(each.name != attribute for each in module.program.kinds[kind].fields):
        raise BatchUnsupportedError(f"what goes out of play by `{name}`")
    values = _list_values(c, find_changed_place(module.executable, name, 0)[1])
    for thing in range(module.shapes.thing_counts[kind]):
        place, _ = find_changed_place(module.executable, name, thing)
        yield place, ~module.is_gone(kind, const(thing)), values


def _list_values(c: RoutineCode, type_: Any) -> _Values:
    module = c.module
    match type_:
        case ty.ThingType(kind):
            things = c.hold(list_things(c, kind, gone=False))
            if isinstance(c.shape_of(ty.SetType(type_)), Bits):
                return c.hold(things.count_bits()), lambda number: lib.nth_member(module, things, number)
            return c.hold(things.load()), lambda number: (things + (number << 3)).load(8)
        case ty.OptionalType(ty.ThingType() as inner):
            many, take = _list_values(c, inner)
            return c.hold(many + 1), lambda number: _skip_none(c, take, number)
    try:
        values = ValueLister(module.answers.names).list_values(type_, "gives")
    except UnlistedError as why:
        raise BatchUnsupportedError(str(why)) from None
    codes = [module.shapes.encode(value, type_, module.place_constant) for value in values]
    table = module.place_constant(codes)
    return const(len(codes)), lambda number: (number << 3).load(table)


def _skip_none(c: RoutineCode, take: Callable[[Code], Code], number: Code) -> Code:
    value = c.hold(take(select(number - 1, number, number > 0)))
    return select(value, NONE_CODE, number > 0)
