"""Traversals of programs: subexpressions, lines, rows, addresses, and copies with parts replaced."""

import re
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

from rulewright.base.frozen import replace
from rulewright.base.node_roles import (
    Role,
    get_children,
    get_field_names,
    get_field_roles,
    is_node_class,
    list_fields_of_type,
    make_field_reader,
    walk_nodes,
)
from rulewright.base.source import Span
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import (
    Declared,
    Event,
    ExternalProcedure,
    Handler,
    Procedure,
    Program,
    StandingRule,
)
from rulewright.program.expressions import Binding, DecideRow, Expression, Local, TableRow, TallyRow, Typed
from rulewright.program.statements import Block, Line, Perform, Place, Statement
from rulewright.program.types import BagType, DeckType, RecordType, ThingType, Type, list_held_types, strip_optional

_E = TypeVar("_E", bound=Typed | Binding)
_N = TypeVar("_N", bound=Hashable)
_L = TypeVar("_L", bound=Line)


def get_contents(node: Expression | Binding) -> tuple[Any, ...]:
    """Fields of an expression or binding without type and span, in order of declaration."""
    return _get_content_reader(type(node))(node)  # type: ignore[arg-type]


@cache
def _get_content_reader(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    return make_field_reader(get_field_names(kind, Role.PLACE, Role.PROOF))


def get_subexpressions(node: Expression | Binding) -> list[Expression]:
    """Direct subexpressions, in order of evaluation."""
    result: list[Any] = []
    for content in get_contents(node):
        if isinstance(content, Typed):
            result.append(content)
        elif isinstance(content, tuple):
            result.extend(item for item in content if isinstance(item, Typed))
        elif isinstance(content, Binding):
            result.extend(get_subexpressions(content))
    return result


def walk_subexpressions(expression: Expression) -> Iterator[Expression]:
    """The expression and all its subexpressions, preorder."""
    waiting = [expression]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(reversed(get_subexpressions(each)))


def rebuild_expression(node: _E, change: Callable[[Any], Any]) -> _E:
    """Copy with each direct part replaced by `change`; bindings count as parts."""
    changed: dict[str, Any] = {}
    for name, old in zip(get_field_names(type(node), Role.PLACE, Role.PROOF), get_contents(node), strict=True):  # type: ignore[arg-type]
        if isinstance(old, Typed | Binding):
            new = change(old)
        elif isinstance(old, tuple) and old and isinstance(old[0], Typed):
            new = tuple(change(item) for item in old)
        else:
            continue
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node


def list_computed_rows(program: Program) -> Iterator[TallyRow | DecideRow | TableRow]:
    """Rows of all tallies, decides and tables, in written order."""
    whole = (*program.functions.values(), *list_routines(program))
    return (node for node in walk_nodes(whole) if isinstance(node, TallyRow | DecideRow | TableRow))


def map_address_spans(program: Program) -> dict[str, Span]:
    """Span of every declaration, step, line and row by address; the outermost where several share one."""
    result: dict[str, Span] = {}
    for node in walk_nodes(program):
        address = node.name if isinstance(node, Declared) else getattr(node, "address", "")
        span = getattr(node, "span", None)
        if address and isinstance(span, Span):
            result.setdefault(address, span)
    return result


def find_address_span(address: str, program: Program) -> Span | None:
    """Span of an address; none where nothing has it."""
    return map_address_spans(program).get(address)


AnyRoutine = Procedure | Handler | StandingRule


def list_routines(program: Program) -> tuple[AnyRoutine, ...]:
    """All procedures, handlers and standing rules, in this order."""
    return (*program.procedures.values(), *program.handlers.values(), *program.rules.values())


def list_lines_of_class(program: Program, sort: type[_L]) -> Iterator[_L]:
    """Lines of a class in all routines, in written order."""
    return (node for node in walk_nodes(list_routines(program)) if isinstance(node, sort))


def get_root_place(place: Place) -> Place:
    """The variable, attribute or field that holds an entry or part, at any depth."""
    while isinstance(place, st.EntryPlace | st.PartPlace):
        place = place.target
    return place


def get_changed_places(line: st.Line) -> tuple[Place, ...]:
    """Places that a line changes, in written order."""
    return tuple(getattr(line, name) for name in list_fields_of_type(type(line), Place))


def get_bound_variable(line: Statement) -> ex.Variable | None:
    """Variable that a line binds, as a name or to its result."""
    bound = list_fields_of_type(type(line), st.BoundVariable, st.BoundResult)
    return getattr(line, bound[0]) if bound else None


def make_place_value(place: Place, span: Span) -> Expression:
    """Expression for the current value of a place."""
    match place:
        case st.VariablePlace(variable=variable):
            return ex.Local(type=variable.type, span=span, variable=variable)
        case st.EntryPlace(target=target, key=key, type=type_):
            return ex.Entry(type=type_, span=span, target=make_place_value(target, span), key=key)
        case st.PartPlace(target=target, name=name, position=position, type=type_):
            return ex.Part(type=type_, span=span, target=make_place_value(target, span), name=name, position=position)
        case st.AttributePlace(target=thing, kind=kind, name=name, type=type_):
            return ex.StoredAttribute(type=type_, span=span, target=thing, kind=kind, name=name)
        case st.GamePlace(name=name, type=type_):
            return ex.GameField(type=type_, span=span, name=name)
        case st.CellPlace(target=cell, board=board, name=name, type=type_):
            return ex.CellAttribute(type=type_, span=span, target=cell, board=board, name=name)


def find_value_place(value: Expression, get_declared_type: Callable[[Expression], Type]) -> Place | None:
    """The place whose value an expression is, with the type that it was declared with; none for what is computed."""
    match value:
        case Local(variable=variable):
            return st.VariablePlace(variable)
        case ex.Entry(target=target, key=key, type=type_):
            outer = find_value_place(target, get_declared_type)
            return outer and st.EntryPlace(outer, key, type_)
        case ex.Part(target=target, name=name, position=position, type=type_):
            outer = find_value_place(target, get_declared_type)
            return outer and st.PartPlace(outer, name, position, type_)
        case ex.StoredAttribute(target=thing, kind=kind, name=name):
            return st.AttributePlace(thing, kind, name, get_declared_type(value))
        case ex.GameField(name=name):
            return st.GamePlace(name, get_declared_type(value))
        case ex.CellAttribute(target=cell, board=board, name=name):
            return st.CellPlace(cell, board, name, get_declared_type(value))
        case _:
            return None


def get_secret_variable(line: Statement) -> ex.Variable | None:
    """Variable of what a line reveals to one player alone."""
    match line:
        case st.Ask(secret=True, variable=variable):
            return variable
        case st.Draw(learner=learner, variable=variable) if learner is not None:
            return variable
        case _:
            return None


def get_hidden_move_variable(line: Statement) -> ex.Variable | None:
    """Variable of a member that a line moves into or out of a bag or deck."""
    match line:
        case st.AddMember(place=place, member=Local(variable=variable), otherwise=None):
            return variable if isinstance(place.type, BagType | DeckType) else None
        case _:
            return None


_ADDRESS_NUMBER = re.compile(r"#[0-9]+")


def strip_address_numbers(address: str) -> str:
    """Address of a line without its number, for questions and values of names.

    Lines of one step that bind the same name, or act on the same thing, are numbered in the order of the text; which of
    them asks may depend on settings.

    >>> strip_address_numbers("melee/4/rolled#2")
    'melee/4/rolled'
    """
    return _ADDRESS_NUMBER.sub("", address)


def is_address_suffix(address: str | None, written: str | None) -> bool:
    """Whether an address equals a text, or ends in it after a `/`; no if either is none."""
    return address is not None and written is not None and f"/{address}".endswith(f"/{written}")


def find_performing_lines(procedure: str, program: Program) -> list[tuple[AnyRoutine, Perform]]:
    """Call sites of a procedure, each with its routine, in order."""
    return [
        (caller, line)
        for caller in list_routines(program)
        for line in walk_routine_lines(caller)
        if isinstance(line, Perform) and line.procedure == procedure
    ]


def is_about_caller(procedure: str, program: Program) -> bool:
    """Whether a procedure has one call site, whose arguments that are things are all parameters of its caller."""
    lines = find_performing_lines(procedure, program)
    return len(lines) == 1 and all(
        isinstance(given, Local) and given.variable in getattr(caller, "parameters", ())
        for caller, line in lines
        for given in line.arguments
        if isinstance(strip_optional(given.type), ThingType)
    )


def walk_reachable_nodes(procedure: Procedure, program: Program) -> Iterator[object]:
    """All nodes that a play of a procedure may reach: its own, and those of everything they name, transitively.

    Handlers, standing rules and invariants count in every play. An over-approximation: any text that equals the name of
    a declaration counts as naming it.
    """
    groups = (program.procedures, program.functions, program.external_procedures, program.external_terms)
    known = {name: item for group in groups for name, item in group.items()}
    always = (program.handlers, program.rules, program.invariants)
    waiting: deque[object] = deque((procedure, *(item for group in always for item in group.values())))
    met = {procedure.name}
    while waiting:
        for node in walk_nodes(waiting.popleft()):
            yield node
            for field in getattr(type(node), "__dataclass_fields__", ()):
                name = getattr(node, field)
                if isinstance(name, str) and name in known and name not in met:
                    met.add(name)
                    waiting.append(known[name])


def get_outer_expressions(node: object) -> Iterator[Expression]:
    """Outermost expressions of a line, row, place or opening line, without those of lines inside it."""
    if isinstance(node, Typed):
        yield node  # type: ignore[misc]
    elif node is not None:
        for child in get_children(node):
            if not isinstance(child, Line):
                yield from get_outer_expressions(child)


def get_inner_lines(node: object) -> Iterator[Statement]:
    """Lines directly inside a line, in any of its blocks."""
    for child in get_children(node):
        if isinstance(child, Line):
            yield child  # type: ignore[misc]
        elif not isinstance(child, Typed):
            yield from get_inner_lines(child)


def get_blocks(node: object) -> list[Block]:
    """Blocks of a line or part of one, in written order; an empty one for each optional block left out."""
    result: list[Block] = []
    for name, is_block in _list_block_fields(type(node)):  # type: ignore[arg-type]
        value = getattr(node, name)
        if is_block:
            result.append(value or ())
        else:
            parts = value if isinstance(value, tuple) else (value,)
            result += (block for part in parts if not isinstance(part, Line | Typed) for block in get_blocks(part))
    return result


@cache
def _list_block_fields(kind: Any) -> tuple[tuple[str, bool], ...]:
    """Fields of a class that are blocks, and those that may hold some."""
    if not is_node_class(kind):
        return ()
    roles = get_field_roles(kind)
    return tuple(
        (field.name, field.type in {Block, Block | None}) for field in fields(kind) if roles[field.name] is Role.CHILD
    )


def get_fallback(line: Statement) -> Block:
    """Block of the `else` of a line that asks, adds, takes or draws: it runs if the line cannot be carried out."""
    return () if isinstance(line, st.If) else getattr(line, "otherwise", None) or ()


def find_called_declaration(line: st.CallLine, program: Program) -> Procedure | ExternalProcedure | Event:
    """What a line carries out: a procedure, one of another text, or an event."""
    match line:
        case st.Perform(procedure=name):
            return program.procedures[name]
        case st.PerformExternal(external=name):
            return program.external_procedures[name]
        case st.Trigger(event=name):
            return program.events[name]


def walk_block_lines(lines: Block) -> Iterator[Statement]:
    """All lines of a block, nested ones too, preorder."""
    for line in lines:
        yield line
        yield from walk_block_lines(tuple(get_inner_lines(line)))


def walk_routine_lines(routine: AnyRoutine, steps: tuple[str, str] | None = None) -> Iterator[Statement]:
    """All lines of a routine, those of its watches too; with `steps` only those from one step to another."""
    if isinstance(routine, Procedure):
        for part in routine.opening:
            yield from walk_block_lines(part if isinstance(part, tuple) else tuple(get_inner_lines(part)))
        ids = [item.id for item in routine.steps]
        first, last = map(ids.index, steps) if steps else (0, len(ids) - 1)
        for step in routine.steps[first : last + 1]:
            yield from walk_block_lines(step.block)
    else:
        yield from walk_block_lines(routine.block)


def has_unreachable_end(block: st.Block | None) -> bool:
    """Whether control never reaches the end of a block."""
    return any(map(is_exit_line, block or ()))


def is_exit_line(line: st.Statement) -> bool:
    """Whether control never passes a line."""
    ways = line.alternatives
    return isinstance(line, st.ExitLine) or (bool(ways) and all(map(has_unreachable_end, ways)))


def may_hold_type(type_: Type, sorts: tuple[type, ...], program: Program) -> bool:
    """Whether values of a type are or hold, transitively, values of some classes of types."""
    record = program.records.get(type_.record) if isinstance(type_, RecordType) else None
    parts = () if record is None else tuple([part.type for part in record.parts])
    return isinstance(type_, sorts) or any(
        may_hold_type(held_type, sorts, program) for held_type in (*list_held_types(type_), *parts)
    )


def compute_transitive_closure(start: Iterable[_N], leads: Callable[[_N], Iterable[_N]]) -> frozenset[_N]:
    """The start and everything reachable from it, by a worklist."""
    members = set(start)
    waiting = list(members)
    while waiting:
        fresh = [lead for lead in leads(waiting.pop()) if lead not in members]
        members.update(fresh)
        waiting += fresh
    return frozenset(members)


def sort_dependencies_first(leads: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Topological order by depth-first search: every name once, after those it leads to; cycles are cut."""
    met: set[str] = set()
    visited: set[str] = set()
    for start in leads:
        waiting = [start]
        while waiting:
            name = waiting[-1]
            if name not in met:
                met.add(name)
                waiting.extend(lead for lead in leads[name] if lead not in met)
                continue
            waiting.pop()
            if name not in visited:
                visited.add(name)
                yield name


def list_step_addresses(program: Program) -> tuple[str, ...]:
    """Addresses of all steps of all procedures."""
    return tuple(step.address for procedure in program.procedures.values() for step in procedure.steps)
