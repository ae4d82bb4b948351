"""Declarations of notions: terms, relations, tallies, decisions, tables and paths."""

from rulewright.syntax.builder.expressions import binder, expression
from rulewright.syntax.builder.parts import Parts, build_type
from rulewright.syntax.builder.rows import cell, conditions, decide_row, demanded, table_row, tally_row
from rulewright.syntax.builder.things import parameters
from rulewright.syntax.nodes.declarations import Across, Decide, PathRow, Paths, Relation, Table, Tally, Term
from rulewright.syntax.nodes.rows import TallyRow


def term_means(parts: Parts) -> Term:
    """`term NAME(params) gives T means value`."""
    return Term(
        name=parts.name(),
        parameters=parts.maybe(parameters) or (),
        gives=parts.one(build_type),
        value=parts.one(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def term_when(parts: Parts) -> Term:
    """`term NAME(params) when all:`."""
    name, params, rows = parts.name(), parts.maybe(parameters) or (), parts.one(conditions)
    return Term(
        name=name,
        parameters=params,
        conditions=rows,
        title=rows.title,
        cites=rows.cites,
        span=parts.span,
        head=parts.head,
    )


def term_over(parts: Parts) -> Term:
    """`term NAME(params) gives T over each x in S when all:`."""
    name, params, gives = parts.name(), parts.maybe(parameters) or (), parts.one(build_type)
    over, rows = parts.one(binder), parts.one(conditions)
    return Term(
        name=name,
        parameters=params,
        gives=gives,
        over=over,
        conditions=rows,
        title=rows.title,
        cites=rows.cites,
        span=parts.span,
        head=parts.head,
    )


def relation_means(parts: Parts) -> Relation:
    """`relation NAME(a: A, b: B) symmetric`, stored or derived by a value."""
    return Relation(
        name=parts.name(),
        parameters=parts.one(parameters),
        symmetric=bool(parts.word()),
        value=parts.maybe(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def relation_when(parts: Parts) -> Relation:
    """`relation NAME(a: A, b: B) when all:`."""
    name, params, symmetric = parts.name(), parts.one(parameters), bool(parts.word())
    rows = parts.one(conditions)
    return Relation(
        name=name,
        parameters=params,
        symmetric=symmetric,
        conditions=rows,
        title=rows.title,
        cites=rows.cites,
        span=parts.span,
        head=parts.head,
    )


def tally(parts: Parts) -> Tally:
    """`tally NAME(params) from start:`."""
    return Tally(
        name=parts.name(),
        parameters=parts.one(parameters),
        start=parts.one(expression),
        title=parts.title(),
        rows=parts.many(tally_row),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def decide(parts: Parts) -> Decide:
    """`decide NAME(params) gives T:`."""
    return Decide(
        name=parts.name(),
        parameters=parts.one(parameters),
        gives=parts.one(build_type),
        title=parts.title(),
        rows=parts.many(decide_row),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def table(parts: Parts) -> Table:
    """`table NAME(params) gives T:`."""
    return Table(
        name=parts.name(),
        parameters=parts.one(parameters),
        gives=parts.one(build_type),
        title=parts.title(),
        across=parts.maybe(_across),
        rows=parts.many(table_row),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def _across(parts: Parts) -> Across:
    return Across(name=parts.name(), cells=parts.many(cell), span=parts.span, cites=parts.cites)


def paths(parts: Parts) -> Paths:
    """`paths NAME(params) on BOARD from start:`."""
    name, params, on = parts.name(), parts.one(parameters), parts.name()
    start, title, rows = parts.one(expression), parts.title(), parts.many(_path_line)
    return Paths(
        name=name,
        parameters=params,
        board=on,
        start=start,
        title=title,
        costs=tuple(row for row in rows if isinstance(row, TallyRow)),
        rows=tuple(row for row in rows if isinstance(row, PathRow)),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def _path_line(parts: Parts) -> TallyRow | PathRow:
    if parts.rule == "cost":
        return parts.one(tally_row)
    return PathRow(word=parts.word(), **demanded(parts))
