"""Ways through programs: parts of expressions, lines of routines, copies with parts replaced, every row and address."""

import re
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Declared, Handler, Procedure, Program, StandingRule
from rulewright.program.expressions import Binding, Expression, Local, Typed
from rulewright.program.rows import DecideRow, TableRow, TallyRow
from rulewright.program.statements import Block, Line, Perform, Place, Statement
from rulewright.program.types import BagType, DeckType, RecordType, ThingType, Type, held_by, present
from rulewright.roles import Role, children, names, nodes, reading
from rulewright.source import Span

_E = TypeVar("_E", bound=Typed | Binding)
_N = TypeVar("_N", bound=Hashable)
_L = TypeVar("_L", bound=Line)


def contents(node: Expression | Binding) -> tuple[Any, ...]:
    """The fields of an expression or binding but type and span, in order of declaration."""
    return _reader(type(node))(node)  # type: ignore[arg-type]


@cache
def _reader(kind: Any) -> Callable[[Any], tuple[Any, ...]]:  # a class of expressions, or of bindings
    return reading(names(kind, Role.PLACE, Role.PROOF))


def parts(node: Expression | Binding) -> list[Expression]:
    """The expressions directly inside, in order of evaluation."""
    found: list[Any] = []
    for each in contents(node):
        if isinstance(each, Typed):
            found.append(each)
        elif isinstance(each, tuple):
            found.extend(item for item in each if isinstance(item, Typed))
        elif isinstance(each, Binding):
            found.extend(parts(each))
    return found


def inside(expression: Expression) -> Iterator[Expression]:
    """The expression and all inside it, outermost first."""
    waiting = [expression]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(reversed(parts(each)))


def rebuilt(node: _E, change: Callable[[Any], Any]) -> _E:
    """A copy whose direct parts went through a function; bindings inside count as parts."""
    changed: dict[str, Any] = {}
    for name, old in zip(names(type(node), Role.PLACE, Role.PROOF), contents(node), strict=True):  # type: ignore[arg-type]
        if isinstance(old, Typed | Binding):
            new = change(old)
        elif isinstance(old, tuple) and old and isinstance(old[0], Typed):
            new = tuple(change(each) for each in old)
        else:
            continue
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node


def rows(program: Program) -> Iterator[TallyRow | DecideRow | TableRow]:
    """The rows of all tallies, decides and tables, in written order."""
    whole = (*program.functions.values(), *routines(program))
    return (each for each in nodes(whole) if isinstance(each, TallyRow | DecideRow | TableRow))


def places(program: Program) -> dict[str, Span]:
    """The span of every declaration, step, line and row, by address; the outermost where several share one."""
    found: dict[str, Span] = {}
    for each in nodes(program):
        address = each.name if isinstance(each, Declared) else getattr(each, "address", "")
        span = getattr(each, "span", None)
        if address and isinstance(span, Span):
            found.setdefault(address, span)
    return found


def place_of(address: str, program: Program) -> Span | None:
    """Where an address is written; none where nothing bears it."""
    return places(program).get(address)


Routine = Procedure | Handler | StandingRule


def routines(program: Program) -> tuple[Routine, ...]:
    """All procedures, handlers and standing rules, in this order."""
    return (*program.procedures.values(), *program.handlers.values(), *program.rules.values())


def lines_of(program: Program, sort: type[_L]) -> Iterator[_L]:
    """The lines of a sort in all routines, in written order."""
    return (each for each in nodes(routines(program)) if isinstance(each, sort))


def root_of(place: Place) -> Place:
    """The name, attribute or field that holds a place, which may be an entry or a part."""
    while isinstance(place, st.EntryPlace | st.PartPlace):
        place = place.target
    return place


def value_at(place: Place, span: Span) -> Expression:
    """The value that a place holds."""
    match place:
        case st.VariablePlace(variable=variable):
            return ex.Local(type=variable.type, span=span, variable=variable)
        case st.EntryPlace(target=target, key=key, type=type_):
            return ex.Entry(type=type_, span=span, target=value_at(target, span), key=key)
        case st.PartPlace(target=target, name=name, position=position, type=type_):
            return ex.Part(type=type_, span=span, target=value_at(target, span), name=name, position=position)
        case st.AttributePlace(target=thing, kind=kind, name=name, type=type_):
            return ex.StoredAttribute(type=type_, span=span, target=thing, kind=kind, name=name)
        case st.GamePlace(name=name, type=type_):
            return ex.GameField(type=type_, span=span, name=name)
        case st.CellPlace(target=cell, board=board, name=name, type=type_):
            return ex.CellAttribute(type=type_, span=span, target=cell, board=board, name=name)


def bound_in_secret(line: Statement) -> ex.Variable | None:
    """The name of what one player alone comes to know by a line."""
    match line:
        case st.Ask(secret=True, variable=variable):
            return variable
        case st.Draw(learner=learner, variable=variable) if learner is not None:
            return variable
        case _:
            return None


def moved_unseen(line: Statement) -> ex.Variable | None:
    """The name of what a line puts into a bag or deck, or takes out of one, whatever it is."""
    match line:
        case st.AddMember(place=place, member=Local(variable=variable), otherwise=None):
            return variable if isinstance(place.type, BagType | DeckType) else None
        case _:
            return None


_NUMBER = re.compile(r"#[0-9]+")


def shared_address(address: str) -> str:
    """The address of a line without its numbers, where only its name counts: for questions, and for values of names.

    Lines of one step that bind the same name, or act on the same thing, are numbered in the order of the text, and
    which of them asks may depend on settings.

    >>> shared_address("melee/4/rolled#2")
    'melee/4/rolled'
    """
    return _NUMBER.sub("", address)


def ends_in(address: str | None, written: str | None) -> bool:
    """Whether an address equals what is written, or ends in it after a `/`; no where either is none."""
    return address is not None and written is not None and f"/{address}".endswith(f"/{written}")


def performing(procedure: str, program: Program) -> list[tuple[Routine, Perform]]:
    """The lines that perform a procedure, each with its procedure, handler or standing rule, in their order."""
    return [
        (caller, line)
        for caller in routines(program)
        for line in all_lines(caller)
        if isinstance(line, Perform) and line.procedure == procedure
    ]


def is_about_its_caller(procedure: str, program: Program) -> bool:
    """Whether only one line performs a procedure, and every thing it hands over is a parameter of its own procedure."""
    lines = performing(procedure, program)
    return len(lines) == 1 and all(
        isinstance(given, Local) and given.variable in getattr(caller, "parameters", ())
        for caller, line in lines
        for given in line.arguments
        if isinstance(present(given.type), ThingType)
    )


def mentioned(procedure: Procedure, program: Program) -> Iterator[object]:
    """All nodes that a play of a procedure may come to: its own, and those of whatever they name, and so on.

    Handlers, standing rules and invariants count in every play. It may yield too much, never too little: any text that
    equals the name of a declaration counts as naming it.
    """
    groups = (program.procedures, program.functions, program.external_procedures, program.external_terms)
    known = {name: each for group in groups for name, each in group.items()}
    always = (program.handlers, program.rules, program.invariants)
    waiting: deque[object] = deque((procedure, *(each for group in always for each in group.values())))
    met = {procedure.name}
    while waiting:
        for node in nodes(waiting.popleft()):
            yield node
            for field in getattr(type(node), "__dataclass_fields__", ()):
                name = getattr(node, field)
                if isinstance(name, str) and name in known and name not in met:
                    met.add(name)
                    waiting.append(known[name])


def expressions(node: object) -> Iterator[Expression]:
    """The outermost expressions of a line, row, place or opening line, but for those of lines inside it."""
    if isinstance(node, Typed):
        yield node  # type: ignore[misc]
    elif node is not None:
        for each in children(node):
            if not isinstance(each, Line):
                yield from expressions(each)


def inner(node: object) -> Iterator[Statement]:
    """The lines directly inside a line, in any of its blocks."""
    for each in children(node):
        if isinstance(each, Line):
            yield each  # type: ignore[misc]
        elif not isinstance(each, Typed):
            yield from inner(each)


def blocks_inside(line: st.Statement) -> list[st.Block]:  # noqa: PLR0911
    """The blocks of a line, in order of the text; an empty one for each that may stand there and does not."""
    match line:
        case st.If(branches=branches, otherwise=otherwise):
            return [*(each.block for each in branches), otherwise or ()]
        case st.Match(cases=cases):
            return [each.block for each in cases]
        case st.Together(block=block) | st.ForEach(block=block) | st.Repeat(block=block):
            return [block]
        case st.Ask(shape=st.Choose(options=options), otherwise=otherwise):
            return [*(each.block for each in options), line.block, otherwise or ()]
        case st.Ask(block=block, otherwise=otherwise):
            return [block, otherwise or ()]
        case st.AddAmount(otherwise=otherwise) | st.AddMember(otherwise=otherwise) | st.Draw(otherwise=otherwise):
            return [otherwise or ()]
        case _:
            return []


def every(lines: Block) -> Iterator[Statement]:
    """The lines of a block and all inside them, in order of the text."""
    for each in lines:
        yield each
        yield from every(tuple(inner(each)))


def all_lines(routine: Routine, steps: tuple[str, str] | None = None) -> Iterator[Statement]:
    """Every line of a routine, those of its watches included; of its steps only those from one to another, if given."""
    if isinstance(routine, Procedure):
        for part in routine.opening:
            yield from every(part if isinstance(part, tuple) else tuple(inner(part)))
        ids = [each.id for each in routine.steps]
        first, last = map(ids.index, steps) if steps else (0, len(ids) - 1)
        for step in routine.steps[first : last + 1]:
            yield from every(step.block)
    else:
        yield from every(routine.block)


def leaves(block: st.Block | None) -> bool:
    """Whether the end of a block is never reached."""
    return any(map(leads_elsewhere, block or ()))


def leads_elsewhere(line: st.Statement) -> bool:  # noqa: PLR0911 - one for each sort of line
    """Whether the lines after a line are never carried out."""
    match line:
        case st.Proceed() | st.Finish() | st.FinishOuter() | st.Stop():
            return True
        case st.If(branches=branches, otherwise=otherwise):
            return leaves(otherwise) and all(leaves(each.block) for each in branches)
        case st.Match(cases=cases):
            return all(leaves(each.block) for each in cases)
        case st.Together(block=block):
            return leaves(block)
        case st.Ask(shape=st.Choose(options), otherwise=otherwise):
            return all(leaves(each.block) for each in options) and (otherwise is None or leaves(otherwise))
        case st.Ask(shape=st.Whether(), block=block, otherwise=otherwise):
            return leaves(block) and leaves(otherwise)
        case st.Ask(block=block, otherwise=otherwise):
            return leaves(block) and (otherwise is None or leaves(otherwise))
        case _:
            return False


def may_hold(type_: Type, sorts: tuple[type, ...], program: Program) -> bool:
    """Whether values of a type are, or hold, values of some sorts of types."""
    record = program.records.get(type_.record) if isinstance(type_, RecordType) else None
    parts = () if record is None else tuple([each.type for each in record.parts])
    return isinstance(type_, sorts) or any(may_hold(each, sorts, program) for each in (*held_by(type_), *parts))


def reached(start: Iterable[_N], leads: Callable[[_N], Iterable[_N]]) -> frozenset[_N]:
    """The start and all that it leads to, directly or through others."""
    found = set(start)
    waiting = list(found)
    while waiting:
        fresh = [each for each in leads(waiting.pop()) if each not in found]
        found.update(fresh)
        waiting += fresh
    return frozenset(found)


def inner_first(leads: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Every name once, after those it leads to; in a circle of names one has to come before what it leads to."""
    met: set[str] = set()
    done: set[str] = set()
    for start in leads:
        waiting = [start]
        while waiting:
            name = waiting[-1]
            if name not in met:
                met.add(name)
                waiting.extend(each for each in leads[name] if each not in met)
                continue
            waiting.pop()
            if name not in done:
                done.add(name)
                yield name


def step_addresses(program: Program) -> tuple[str, ...]:
    """Addresses of all steps of all procedures."""
    return tuple(step.address for each in program.procedures.values() for step in each.steps)
