"""Declarations as items: what there is, what is computed, what other texts give, and what only people read."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Name, Part, Within
from rulewright.outline.lines import Lines, Writer
from rulewright.program import declarations as d
from rulewright.program.expressions import Variable
from rulewright.program.types import INCHES
from rulewright.source import NOWHERE, Span, Text

_MARGIN = re.compile(r" @[\w.:-]+")
_OPENED = re.compile(r"(?<=[(\[{])\s*\n\s*")
_CLOSED = re.compile(r"\s*\n\s*(?=[)\]}])")


@dataclass(frozen=True, slots=True)
class Declaring:
    """Makes items of the declarations of one program."""

    program: d.Program
    texts: Mapping[str, Text]

    def text(self, span: Span) -> str:
        """The text of a span on one line, without margins; empty where it is not known."""
        found = self.texts.get(span.source)
        if found is None:
            return ""
        lines = _CLOSED.sub("", _OPENED.sub("", found.content[span.start : span.end]))
        return _MARGIN.sub("", " ".join(lines.split()))

    def lines(self, owner: str, seen: tuple[Variable, ...] = ()) -> Lines:
        """Makes items of the lines of a declaration; callers see these of its variables."""
        within = Within(self.program, owner, frozenset(each.name for each in seen))
        return Lines(Writer(within, self.text), self.text)

    def item(
        self, node: d.Declared, sort: str, word: str, parts: tuple[Part, ...], items: tuple[Item, ...] = ()
    ) -> Item:
        """A whole declaration: the sort of its name, and the word for what it is."""
        return Item(
            word,
            node.name,
            node.name,
            self.text(node.span),
            node.span,
            name=Name(sort, node.name),
            title=node.title,
            cites=node.cites,
            parts=parts,
            items=items,
        )

    def parameters(
        self, variables: tuple[Variable, ...], lines: Lines, defaults: tuple[object, ...] = ()
    ) -> tuple[Item, ...]:
        """The parameters of a declaration with their defaults, none where nothing is given."""
        given = defaults or (None,) * len(variables)
        return tuple(self._parameter(each, lines, default) for each, default in zip(variables, given, strict=True))

    def _parameter(self, variable: Variable, lines: Lines, default: object) -> Item:
        writer = lines.writer
        return Item(
            "parameter",
            variable.name,
            f"{writer.within.owner}/{variable.name}",
            f"{variable.name}: {variable.type}",
            NOWHERE,
            name=writer.within.variable(variable.name),
            parts=writer.parts(("type", variable.type), ("default", default)),
            ordered=True,
        )


def routines(declaring: Declaring) -> Iterator[Item]:
    """Everything that happens."""
    program = declaring.program
    yield from (_invariant(declaring, each) for each in program.invariants.values())
    yield from (_event(declaring, each) for each in program.events.values())
    yield from (_handler(declaring, each) for each in program.handlers.values())
    yield from (_rule(declaring, each) for each in program.rules.values())
    yield from (_procedure(declaring, each) for each in program.procedures.values())


def _invariant(declaring: Declaring, node: d.Invariant) -> Item:
    said = (("for each", node.binding), ("condition", node.condition), ("when", node.guard))
    return declaring.item(node, "invariant", "always", declaring.lines(node.name).writer.parts(*said))


def _event(declaring: Declaring, node: d.Event) -> Item:
    lines = declaring.lines(node.name)
    who = (("holders", node.holders), ("order", node.order), ("first taker", node.first_taker or None))
    parts = lines.writer.parts(*who, ("gives", node.gives), ("on removal", node.on_removal or None))
    item = declaring.item(node, "event", "event", parts, declaring.parameters(node.parameters, lines))
    return replace(item, ordered=node.on_removal)


def _handler(declaring: Declaring, node: d.Handler) -> Item:
    lines = declaring.lines(node.name)
    said = (("holder", node.binding), ("condition", node.guard), ("optional", node.optional or None))
    parts = (lines.writer.mention("event", "event", node.event), *lines.writer.parts(*said))
    return declaring.item(node, "handler", "handler", parts, lines.block(node.block))


def _rule(declaring: Declaring, node: d.StandingRule) -> Item:
    lines = declaring.lines(node.name)
    said = (("for each", node.binding), ("condition", node.condition))
    parts = lines.writer.parts(*said, ("priority", node.priority), ("lowers", node.lowers))
    return replace(declaring.item(node, "rule", "standing rule", parts, lines.block(node.block)), ordered=True)


def _procedure(declaring: Declaring, node: d.Procedure) -> Item:
    lines = declaring.lines(node.name, node.parameters)
    parameters = declaring.parameters(node.parameters, lines, node.defaults)
    opening = (item for part in node.opening for item in _opening(declaring, part, lines))
    steps = (_step(declaring, each, lines) for each in node.steps)
    parts = lines.writer.parts(("gives", node.result), ("inner", node.inner or None))
    return declaring.item(node, "procedure", "procedure", parts, (*parameters, *opening, *steps))


def _opening(declaring: Declaring, part: object, lines: Lines) -> Iterator[Item]:
    match part:
        case d.Hold(address, rules, cites, span):
            parts = tuple(lines.writer.mention("rule", "rule", each) for each in rules)
            yield Item("hold", "", address, declaring.text(span), span, cites=cites, parts=parts)
        case d.Watch():
            said = lines.writer.parts(("names", part.parameters), ("condition", part.guard))
            yield Item(
                "watch",
                "",
                part.address,
                declaring.text(part.span),
                part.span,
                cites=part.cites,
                parts=(lines.writer.mention("event", "event", part.event), *said),
                items=lines.block(part.block),
            )
        case tuple():
            yield from lines.block(part)
        case _:
            yield lines.item(part)


def _step(declaring: Declaring, node: d.Step, lines: Lines) -> Item:
    return Item(
        "step",
        node.id,
        node.address,
        declaring.text(node.span),
        node.span,
        name=Name("step", f"{lines.writer.within.owner}/{node.id}"),
        title=node.title,
        cites=node.cites,
        parts=lines.writer.parts(("condition", node.guard)),
        items=lines.block(node.block),
        ordered=True,
    )


_WORDS = {"cell": "attribute of cells", "side": "attribute of sides", "field": "game field"}


def things(declaring: Declaring) -> Iterator[Item]:
    """Everything that says what there is."""
    program = declaring.program
    for values in program.values.values():
        yield declaring.item(values, "values", "list of words", (), tuple(_words(values)))
    for die in program.dice.values():
        yield declaring.item(die, "die", "die", declaring.lines(die.name).writer.parts(("faces", die.faces)))
    for kind in program.kinds.values():
        plural = declaring.lines(kind.name).writer.mention("plural", "plural", kind.plural)
        yield declaring.item(kind, "kind", "kind", (plural,), _fields(declaring, kind.fields, "attribute", kind.name))
    for record in program.records.values():
        yield declaring.item(record, "record", "record", (), _fields(declaring, record.parts, "part", record.name))
    yield from _boards(declaring)
    yield from _fields(declaring, tuple(program.game.values()), "field", "")
    for setting in program.settings.values():
        parts = declaring.lines(setting.name).writer.parts(("type", setting.type), ("value", setting.value))
        yield declaring.item(setting, "setting", "setting", parts)
    for relation in program.relations.values():
        lines = declaring.lines(relation.name)
        parts = lines.writer.parts(("symmetric", relation.symmetric))
        inside = declaring.parameters(relation.parameters, lines)
        yield declaring.item(relation, "relation", "relation", parts, inside)


def _words(values: d.WordList) -> Iterator[Item]:
    for each in values.words:
        address = f"{values.name}/{each.name}"
        name = Name("word", address)
        yield Item("word", each.name, address, each.name, values.span, name=name, title=each.title, ordered=True)


def _boards(declaring: Declaring) -> Iterator[Item]:
    for board in declaring.program.boards.values():
        unit = None if board.unit == INCHES else board.unit
        bases = None if board.bases == board.unit else board.bases
        parts = declaring.lines(board.name).writer.parts(("space", board.space), ("unit", unit), ("bases", bases))
        cells = _fields(declaring, board.fields, "cell", board.name)
        sides = _fields(declaring, board.sides, "side", board.name)
        yield declaring.item(board, "board", "board", parts, cells + sides)


def _fields(declaring: Declaring, fields: tuple[d.Field, ...], sort: str, owner: str) -> tuple[Item, ...]:
    writer = declaring.lines(owner).writer
    return tuple(
        Item(
            _WORDS.get(sort, sort),
            each.name,
            each.address,
            declaring.text(each.span),
            each.span,
            name=Name(sort, f"{owner}/{each.name}" if owner else each.name),
            title=each.title,
            parts=writer.parts(("type", each.type), ("start", each.start)),
            ordered=sort == "part",
        )
        for each in fields
    )


def remarks(declaring: Declaring) -> Iterator[Item]:
    """What only people read."""
    program = declaring.program
    for ruling in program.rulings:
        if "/" not in ruling.address:
            yield Item("ruling", ruling.id, "", declaring.text(ruling.span), ruling.span, title=ruling.text)
    for account in program.accounts:
        named = ", ".join(account.clauses)
        yield Item(account.word, named, "", declaring.text(account.span), account.span, title=account.reason)


_Parts = tuple[tuple[str, object], ...]


def functions(declaring: Declaring) -> Iterator[Item]:
    """Terms, tallies, decides, tables, derived relations; a derived attribute is known by the name of its kind."""
    for node in declaring.program.functions.values():
        lines = declaring.lines(node.name)
        parts, rows = _body(node.body)
        items = (*declaring.parameters(node.parameters, lines), *map(lines.item, rows))
        gives = None if node.sort in {"attribute", "tally"} else node.type
        said = lines.writer.parts(("gives", gives), ("symmetric", node.symmetric or None), *parts)
        yield declaring.item(node, "attribute" if node.sort == "attribute" else "function", node.sort, said, items)


def _body(body: d.Body) -> tuple[_Parts, tuple[object, ...]]:
    """What a body says itself, and its rows."""
    match body:
        case d.Value(value):
            return (("value", value),), ()
        case d.Conditions(mode, rows):
            return (("mode", mode),), rows
        case d.Selection(binding, conditions):
            return (("what it goes through", binding), ("mode", conditions.mode)), conditions.rows
        case d.Tally(_, start, rows):
            return (("start", start),), rows
        case d.Decide(rows) | d.Table(rows):
            return (), rows
        case d.Paths():
            cost = body.cost
            parts = (("board", body.board), ("start", body.start), ("cost", cost.start if cost else None))
            return parts, (*(cost.rows if cost else ()), *body.rows)


def externals(declaring: Declaring) -> Iterator[Item]:
    """Procedures and terms of other texts."""
    program = declaring.program
    for procedure in program.external_procedures.values():
        lines = declaring.lines(procedure.name)
        changes = (lines.writer.places("changes", procedure.changes),) if procedure.changes else ()
        said = (*lines.writer.parts(("gives", procedure.result)), *changes)
        inside = declaring.parameters(procedure.parameters, lines)
        yield declaring.item(procedure, "external", "external procedure", said, inside)
    for term in program.external_terms.values():
        lines = declaring.lines(term.name)
        said = lines.writer.parts(("gives", term.type), ("default", term.default))
        yield declaring.item(term, "external", "external term", said, declaring.parameters(term.parameters, lines))


def measures(declaring: Declaring) -> Iterator[Item]:
    """Values that reports ask for."""
    for measure in declaring.program.measures.values():
        lines = declaring.lines(measure.name)
        said = lines.writer.parts(("value", measure.value))
        yield declaring.item(measure, "measure", "measure", said, declaring.parameters(measure.parameters, lines))
