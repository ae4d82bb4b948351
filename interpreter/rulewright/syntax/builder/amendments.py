"""Amendments: what an overlay or a `like` changes."""

from collections.abc import Callable

from rulewright.syntax.builder import notions, routines
from rulewright.syntax.builder.asks import demand, option
from rulewright.syntax.builder.expressions import arguments, binder, expression
from rulewright.syntax.builder.parts import Parts, build_type, dotted
from rulewright.syntax.builder.routines import opening, step
from rulewright.syntax.builder.rows import cell, demanded, guard_or_otherwise, tally_change
from rulewright.syntax.builder.things import parameters, setting, stored_field, word
from rulewright.syntax.nodes.declarations import (
    Amendment,
    Decide,
    Event,
    Handler,
    Insert,
    InsertLines,
    Needs,
    Paths,
    Procedure,
    ProcedureLike,
    Relation,
    RemovePart,
    Replace,
    ReplaceWhole,
    RowTarget,
    Table,
    Tally,
    Target,
    Term,
    Whenever,
)
from rulewright.syntax.nodes.expressions import Expression, Unary
from rulewright.syntax.nodes.names import Cite
from rulewright.syntax.nodes.rows import DecideRow, TableRow, TallyRow
from rulewright.syntax.nodes.statements import Let

Whole = Relation | Tally | Decide | Table | Paths | Event | Handler | Whenever | Procedure

WHOLE: dict[str, Callable[[Parts], Whole]] = {
    "relation_means": notions.relation_means,
    "relation_when": notions.relation_when,
    "tally": notions.tally,
    "decide": notions.decide,
    "table": notions.table,
    "paths": notions.paths,
    "event": routines.event,
    "handler": routines.handler,
    "whenever": routines.whenever,
    "procedure": routines.procedure,
}
"""What can be replaced as a whole."""


def amendment(parts: Parts) -> Amendment:
    """Any amendment."""
    return AMENDMENTS[parts.rule](parts)


def procedure_like(parts: Parts) -> ProcedureLike:
    """`inner procedure NAME(params) like BASE(args):`."""
    return ProcedureLike(
        inner=bool(parts.word()),
        name=parts.name(),
        parameters=parts.one(parameters),
        base=parts.one(dotted),
        arguments=parts.maybe(arguments) or (),
        title=parts.title(),
        amendments=parts.many(amendment),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def _replace(parts: Parts) -> Amendment:
    target = parts.one(_target)
    return Replace(target=target, cites=_cites(target), span=parts.span, head=parts.head)


def _replace_whole(parts: Parts) -> Amendment:
    declaration = parts.one(_whole)
    return ReplaceWhole(declaration=declaration, cites=declaration.cites, span=parts.span, head=parts.head)


def _append(parts: Parts) -> Amendment:
    target = parts.one(_target)
    return Insert(where="", anchor=None, target=target, cites=_cites(target), span=parts.span, head=parts.head)


def _insert(parts: Parts) -> Amendment:
    where, anchor, target = parts.word(), parts.name(), parts.one(_target)
    return Insert(where=where, anchor=anchor, target=target, cites=_cites(target), span=parts.span, head=parts.head)


def _insert_lines(parts: Parts) -> Amendment:
    return InsertLines(
        where=parts.word(),
        anchor=parts.name(),
        lines=parts.many(opening),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def _remove_part(parts: Parts) -> Amendment:
    return RemovePart(address=parts.name(), cites=parts.cites, span=parts.span, head=parts.head)


AMENDMENTS: dict[str, Callable[[Parts], Amendment]] = {
    "replace": _replace,
    "replace_whole": _replace_whole,
    "append": _append,
    "insert": _insert,
    "insert_lines": _insert_lines,
    "remove_part": _remove_part,
}


def _cites(target: RowTarget | Target) -> tuple[Cite, ...]:
    part = target.row if isinstance(target, RowTarget) else target.part
    return part.cites


def _whole(parts: Parts) -> Whole:
    return WHOLE[parts.rule](parts)


def _target(parts: Parts) -> RowTarget | Target:
    return _TARGETS[parts.rule](parts)


def _row(parts: Parts) -> RowTarget:
    address, span, cites = parts.name(), parts.span, parts.cites
    change, amount = parts.one(tally_change)
    found = parts.maybe(binder)
    otherwise = parts.follows_word()
    guard = guard_or_otherwise(parts)
    title = parts.title()
    if otherwise or (guard is not None and change == "plus" and found is None and not _is_signed(amount)):
        decide = DecideRow(name=address, value=amount, guard=guard, title=title, cites=cites, span=span)
        return RowTarget(address, span, decide)
    tally = TallyRow(
        name=address, change=change, amount=amount, binder=found, guard=guard, title=title, cites=cites, span=span
    )
    return RowTarget(address, span, tally)


def _is_signed(amount: Expression) -> bool:
    return isinstance(amount, Unary) and amount.operator != "not"


def _table_row(parts: Parts) -> RowTarget:
    address = parts.name()
    return RowTarget(address, parts.span, TableRow(address, parts.many(cell), parts.span, parts.cites))


def _step(parts: Parts) -> Target:
    found = step(parts)
    return Target(found.name, parts.span, found)


def _option(parts: Parts) -> Target:
    found = option(parts)
    return Target(found.name, parts.span, found)


def _demand(parts: Parts) -> Target:
    found = demand(parts)
    return Target(found.name, parts.span, found)


def _needs(parts: Parts) -> Target:
    found = Needs(**demanded(parts))
    return Target(found.name, parts.span, found)


def _let(parts: Parts) -> Target:
    found = Let(
        name=parts.name(),
        type=parts.maybe(build_type),
        value=parts.maybe(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )
    return Target(found.name, parts.span, found)


def _term(parts: Parts) -> Target:
    found = Term(
        name=parts.name(),
        parameters=(),
        value=parts.one(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )
    return Target(found.name, parts.span, found)


def _setting(parts: Parts) -> Target:
    found = setting(parts)
    return Target(found.name, parts.span, found)


def _field(parts: Parts) -> Target:
    found = stored_field(parts)
    return Target(found.name, parts.span, found)


def _word(parts: Parts) -> Target:
    found = word(parts)
    return Target(found.name, parts.span, found)


_TARGETS: dict[str, Callable[[Parts], RowTarget | Target]] = {
    "target_row": _row,
    "target_table_row": _table_row,
    "target_step": _step,
    "target_option": _option,
    "target_demand": _demand,
    "target_needs": _needs,
    "target_let": _let,
    "target_term": _term,
    "target_setting": _setting,
    "target_field": _field,
    "target_word": _word,
}
