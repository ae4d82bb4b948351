"""A whole file: headers and declarations."""

from collections.abc import Callable

from rulewright.syntax.builder import asks, notions, statements, things
from rulewright.syntax.builder.amendments import AMENDMENTS, WHOLE, procedure_like
from rulewright.syntax.builder.parts import VERBS, Parts, required_title
from rulewright.syntax.nodes.declarations import (
    AmendsHeader,
    Declaration,
    DocumentHeader,
    Header,
    RulesetHeader,
    UseHeader,
)

VERBS.update(asks.VERBS)
VERBS.update(statements.VERBS)


def headers(parts: Parts) -> tuple[Header, ...]:
    """The headers at the top of a file."""
    return parts.many(lambda each: _HEADERS[each.rule](each), *_HEADERS)


def declarations(parts: Parts) -> tuple[Declaration, ...]:
    """The declarations after the headers."""
    return parts.many(lambda each: _DECLARATIONS[each.rule](each))


def _ruleset(parts: Parts) -> Header:
    return RulesetHeader(
        name=parts.name(),
        title=parts.title(),
        revision=parts.one(required_title),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def _amends(parts: Parts) -> Header:
    return AmendsHeader(
        name=parts.name(),
        revision=parts.one(required_title),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def _document(parts: Parts) -> Header:
    return DocumentHeader(name=parts.name(), title=parts.title(), cites=parts.cites, span=parts.span, head=parts.head)


def _use(parts: Parts) -> Header:
    return UseHeader(
        path=parts.one(required_title),
        prefix=parts.maybe_name(),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


_HEADERS: dict[str, Callable[[Parts], Header]] = {
    "ruleset": _ruleset,
    "amends": _amends,
    "document": _document,
    "use": _use,
}

_DECLARATIONS: dict[str, Callable[[Parts], Declaration]] = {
    "values_in_line": things.values_in_line,
    "values_in_rows": things.values_in_rows,
    "kind": things.kind,
    "record": things.record,
    "board": things.board,
    "game": things.game,
    "die": things.die,
    "setting": things.setting,
    "measure": things.measure,
    "account": things.account,
    "external_procedure": things.external_procedure,
    "external_term": things.external_term,
    "bind": things.bind,
    "always": things.always,
    "ruling": things.ruling,
    "term_means": notions.term_means,
    "term_when": notions.term_when,
    "term_over": notions.term_over,
    "procedure_like": procedure_like,
    **WHOLE,
    **AMENDMENTS,
}
