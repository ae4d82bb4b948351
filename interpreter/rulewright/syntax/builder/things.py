"""Declarations of what there is: words, things, values, dice, boards, and accounts of clauses."""

from rulewright.syntax.builder.expressions import binder, expression
from rulewright.syntax.builder.parts import Parts, build_type, dotted, required_title
from rulewright.syntax.builder.rows import conditions
from rulewright.syntax.nodes.declarations import (
    Account,
    Always,
    Bind,
    Board,
    DerivedConditions,
    DerivedField,
    DieDeclaration,
    ExternalProcedure,
    ExternalTerm,
    Face,
    Field,
    Game,
    Kind,
    Measure,
    Parameter,
    Record,
    Ruling,
    Setting,
    StoredField,
    Values,
    Word,
)
from rulewright.syntax.nodes.expressions import Expression
from rulewright.syntax.nodes.types import Type


def parameters(parts: Parts) -> tuple[Parameter, ...]:
    """`(name: type, …)`."""
    return parts.many(parameter)


def parameter(parts: Parts) -> Parameter:
    """`name: type = default`."""
    return Parameter(name=parts.name(), type=parts.one(build_type), default=parts.maybe(expression), span=parts.span)


def values_in_line(parts: Parts) -> Values:
    """`values NAME: a, b`."""
    name, title = parts.name(), parts.title()
    words = tuple(Word(each, each.span) for each in parts.names())
    return Values(span=parts.span, head=parts.head, title=title, cites=parts.cites, name=name, words=words)


def values_in_rows(parts: Parts) -> Values:
    """`values NAME:` with one word to a line."""
    return Values(
        name=parts.name(),
        title=parts.title(),
        words=parts.many(word),
        span=parts.span,
        head=parts.head,
        cites=parts.cites,
    )


def word(parts: Parts) -> Word:
    """A word of a list on its own line."""
    return Word(name=parts.name(), span=parts.span, title=parts.title(), cites=parts.cites)


def kind(parts: Parts) -> Kind:
    """`kind Unit, units:`."""
    return Kind(
        name=parts.name(),
        plural=parts.name(),
        title=parts.title(),
        fields=parts.many(_field),
        span=parts.span,
        head=parts.head,
        cites=parts.cites,
    )


def record(parts: Parts) -> Record:
    """`record Hit:`."""
    return Record(
        name=parts.name(),
        title=parts.title(),
        fields=parts.many(_field),
        span=parts.span,
        head=parts.head,
        cites=parts.cites,
    )


def board(parts: Parts) -> Board:
    """`board field of hex:`."""
    return Board(
        name=parts.name(),
        space=parts.name(),
        title=parts.title(),
        fields=parts.many(_field),
        span=parts.span,
        head=parts.head,
        cites=parts.cites,
    )


def game(parts: Parts) -> Game:
    """`game:`."""
    return Game(fields=parts.many(_field), span=parts.span, head=parts.head, cites=parts.cites)


def _field(parts: Parts) -> Field:
    match parts.rule:
        case "derived":
            return _derived(parts)
        case "derived_when":
            return DerivedConditions(name=parts.name(), conditions=parts.one(conditions), span=parts.span)
        case _:
            return stored_field(parts)


def stored_field(parts: Parts) -> StoredField:
    """`name: type = start "title"`, also between two cells."""
    return StoredField(
        name=parts.name(),
        type=parts.one(build_type),
        start=parts.maybe(expression),
        title=parts.title(),
        cites=parts.cites,
        side=parts.rule == "side",
        span=parts.span,
    )


def _derived(parts: Parts) -> Field:
    return DerivedField(
        name=parts.name(),
        parameters=parts.maybe(parameters) or (),
        value=parts.one(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
    )


def die(parts: Parts) -> DieDeclaration:
    """`die battle_die: infantry * 2, flag`."""
    return DieDeclaration(
        name=parts.name(), faces=parts.many(_face), span=parts.span, head=parts.head, cites=parts.cites
    )


def _face(parts: Parts) -> Face:
    return Face(value=parts.one(expression), count=int(parts.word() or "1"), span=parts.span)


def setting(parts: Parts) -> Setting:
    """`setting NAME: type = value`."""
    return Setting(
        name=parts.name(),
        type=parts.maybe(build_type),
        value=parts.one(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def measure(parts: Parts) -> Measure:
    """`measure NAME(params): value`."""
    return Measure(
        name=parts.name(),
        parameters=parts.maybe(parameters) or (),
        value=parts.one(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def account(parts: Parts) -> Account:
    """`outside`, `void` and `departs`."""
    return Account(
        word=parts.word(), title=parts.one(required_title), cites=parts.cites, span=parts.span, head=parts.head
    )


def external_procedure(parts: Parts) -> ExternalProcedure:
    """`external procedure NAME(params) gives T changes …`."""
    name, params = parts.name(), parts.one(parameters)
    gives, results = parts.maybe(_result) or (None, ())
    return ExternalProcedure(
        name=name,
        parameters=params,
        gives=gives,
        results=results,
        changes=parts.maybe(_changes) or (),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def _result(parts: Parts) -> tuple[Type | None, tuple[Parameter, ...]]:
    if parts.rule == "result_type":
        return parts.one(build_type), ()
    return None, parts.many(parameter)


def _changes(parts: Parts) -> tuple[Expression, ...]:
    return parts.many(expression)


def external_term(parts: Parts) -> ExternalTerm:
    """`external term NAME(params) gives T default value`."""
    return ExternalTerm(
        name=parts.name(),
        parameters=parts.maybe(parameters) or (),
        gives=parts.one(build_type),
        default=parts.maybe(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def bind(parts: Parts) -> Bind:
    """`bind base.attack_test to dice.attack_test`."""
    return Bind(external=parts.one(dotted), to=parts.one(dotted), cites=parts.cites, span=parts.span, head=parts.head)


def always(parts: Parts) -> Always:
    """`always NAME for each x in S: condition`."""
    return Always(
        name=parts.name(),
        binder=parts.maybe(binder),
        condition=parts.one(expression),
        guard=parts.maybe(expression),
        title=parts.title(),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def ruling(parts: Parts) -> Ruling:
    """`ruling ID "reading"`."""
    return Ruling(finding=parts.name(), title=parts.title(), cites=parts.cites, span=parts.span, head=parts.head)
