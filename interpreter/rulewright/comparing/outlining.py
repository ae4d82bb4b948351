"""From a program to its outline."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rulewright.comparing.lines import Lines
from rulewright.comparing.named import Within
from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Item, Outline, Part
from rulewright.comparing.writing import Writer
from rulewright.frozen import dataclass
from rulewright.program import declarations as d
from rulewright.program.expressions import Expression, Variable
from rulewright.source import Span, Text

Declaration = d.Declared | d.Field


def outline(program: d.Program, texts: Mapping[str, Text]) -> Outline:
    """All declarations of a program with what stands in them."""
    return Outline(tuple(_Outlining(program, texts).items()))


@dataclass(frozen=True, slots=True)
class _Outlining:
    program: d.Program
    texts: Mapping[str, Text]

    def text(self, span: Span) -> str:
        """The text of a span on one line."""
        found = self.texts.get(span.source)
        return " ".join(found.content[span.start : span.end].split()) if found else ""

    def items(self) -> Iterator[Item]:
        """Every declaration, sort by sort."""
        program = self.program
        for values in program.values.values():
            yield self._declared(values, "values", "list of words", items=tuple(self._words(values)))
        for die in program.dice.values():
            yield self._declared(die, "die", "die", ("faces", die.faces))
        for kind in program.kinds.values():
            fields = self._fields(kind.fields, "attribute", kind.name)
            yield self._declared(kind, "kind", "kind", ("plural", kind.plural), items=fields)
        for record in program.records.values():
            yield self._declared(record, "record", "record", items=self._fields(record.parts, "part", record.name))
        for board in program.boards.values():
            inside = self._fields(board.fields, "cell", board.name) + self._fields(board.sides, "side", board.name)
            yield self._declared(board, "board", "board", ("space", board.space), items=inside)
        yield from self._fields(tuple(program.game.values()), "field", "")
        for setting in program.settings.values():
            yield self._declared(setting, "setting", "setting", ("type", setting.type), ("value", setting.value))
        for relation in program.relations.values():
            inside = self._parameters(relation.parameters, relation.name)
            yield self._declared(relation, "relation", "relation", ("symmetric", relation.symmetric), items=inside)
        yield from map(self._function, program.functions.values())
        yield from self._externals()
        yield from self._rules()
        yield from map(self._procedure, program.procedures.values())
        yield from self._answered()

    def _answered(self) -> Iterator[Item]:
        """Rulings of whole files, and clauses answered for without a line."""
        for ruling in self.program.rulings:
            if ruling.address == "" or "/" not in ruling.address:
                yield self._remark("ruling", ruling.id, ruling.text, ruling.span)
        for account in self.program.accounts:
            yield self._remark(account.word, ", ".join(account.clauses), account.reason, account.span)

    def _remark(self, sort: str, id_: str, title: str, span: Span) -> Item:
        return Item(sort, id_, "", None, title, (), (), (), False, self.text(span), span)

    def _lines(self, owner: str, parameters: frozenset[str] = frozenset()) -> Lines:
        return Lines(Writer(Within(self.program, owner, parameters)), self.text)

    def _declared(
        self,
        node: d.Declared,
        sort: str,
        word: str,
        *parts: tuple[str, object],
        said: tuple[Part, ...] = (),
        items: tuple[Item, ...] = (),
        lines: Lines | None = None,
    ) -> Item:
        writer = (lines or self._lines(node.name)).writer
        return Item(
            word,
            node.name,
            node.name,
            Name(sort, node.name),
            node.title,
            node.cites,
            (*said, *writer.parts(*parts)),
            items,
            ordered=False,
            text=self.text(node.span),
            span=node.span,
        )

    def _words(self, values: d.WordList) -> Iterator[Item]:
        for each in values.words:
            name, address = Name("word", f"{values.name}/{each.name}"), f"{values.name}/{each.name}"
            yield Item("word", each.name, address, name, each.title, (), (), (), True, each.name, values.span)

    def _fields(self, fields: tuple[d.Field, ...], sort: str, owner: str) -> tuple[Item, ...]:
        writer = self._lines(owner).writer
        return tuple(
            Item(
                {"cell": "attribute of cells", "side": "attribute of sides", "field": "game field"}.get(sort, sort),
                each.name,
                each.address,
                Name(sort, f"{owner}/{each.name}" if owner else each.name),
                each.title,
                (),
                writer.parts(("type", each.type), ("start", each.start)),
                (),
                ordered=sort == "part",
                text=self.text(each.span),
                span=each.span,
            )
            for each in fields
        )

    def _parameters(
        self, parameters: tuple[Variable, ...], owner: str, lines: Lines | None = None, span: Span | None = None
    ) -> tuple[Item, ...]:
        writer = (lines or self._lines(owner)).writer
        return tuple(
            Item(
                "parameter",
                each.name,
                f"{owner}/{each.name}",
                writer.within.variable(each.name),
                "",
                (),
                writer.parts(("type", each.type)),
                (),
                ordered=True,
                text=each.name,
                span=span or Span("", 0, 0),
            )
            for each in parameters
        )

    def _function(self, node: d.Function) -> Item:
        """Its parameters, then the rows of its body; an attribute of a kind is known by the kind's name."""
        lines = self._lines(node.name)
        body = node.body
        own: tuple[tuple[str, object], ...] = (("gives", node.type), ("symmetric", node.symmetric))
        rows: tuple[object, ...] = ()
        match body:
            case d.Value(value):
                own += (("value", value),)
            case d.Conditions(mode, rows):
                own += (("mode", mode),)
            case d.Selection(binding, conditions):
                own += (("what it goes through", binding), ("mode", conditions.mode))
                rows = conditions.rows
            case d.Tally(_, start, rows):
                own += (("start", start),)
            case d.Decide(rows) | d.Table(rows):
                pass
            case d.Paths(board=board, start=start, cost=cost, rows=rows):
                own += (("board", board), ("start", start))
                own += (("cost", cost.start),) if cost else ()
                rows = (*(cost.rows if cost else ()), *rows)
        items = self._parameters(node.parameters, node.name, lines) + tuple(map(lines.item, rows))
        sort = "attribute" if node.sort == "attribute" else "function"
        return self._declared(node, sort, node.sort, *own, items=items, lines=lines)

    def _externals(self) -> Iterator[Item]:
        for procedure in self.program.external_procedures.values():
            lines = self._lines(procedure.name)
            said = (lines.writer.places("changes", procedure.changes),) if procedure.changes else ()
            inside = self._parameters(procedure.parameters, procedure.name)
            gives = ("gives", procedure.result)
            yield self._declared(procedure, "external", "external procedure", gives, said=said, items=inside)
        for term in self.program.external_terms.values():
            inside = self._parameters(term.parameters, term.name)
            yield self._declared(
                term, "external", "external term", ("gives", term.type), ("default", term.default), items=inside
            )

    def _rules(self) -> Iterator[Item]:
        program = self.program
        for measure in program.measures.values():
            inside = self._parameters(measure.parameters, measure.name)
            yield self._declared(measure, "measure", "measure", ("value", measure.value), items=inside)
        for each in program.invariants.values():
            own = (("for each", each.binding), ("condition", each.condition), ("when", each.guard))
            yield self._declared(each, "invariant", "condition that always holds", *own)
        for event in program.events.values():
            holders, order = ("holders", event.holders), ("order", event.order)
            own = (holders, order, ("gives", event.gives), ("first taker", event.first_taker or None))
            on_removal = ("on removal", event.on_removal or None)
            inside = self._parameters(event.parameters, event.name)
            yield self._declared(event, "event", "event", *own, on_removal, items=inside)
        for handler in program.handlers.values():
            own = (("holder", handler.binding), ("condition", handler.guard), ("optional", handler.optional or None))
            lines = self._lines(handler.name)
            said = (lines.writer.mention("event", "event", handler.event),)
            block = lines.block(handler.block)
            yield self._declared(handler, "handler", "handler", *own, said=said, items=block, lines=lines)
        for rule in program.rules.values():
            own = (("for each", rule.binding), ("condition", rule.condition), ("priority", rule.priority))
            lines = self._lines(rule.name)
            block = lines.block(rule.block)
            yield self._declared(
                rule, "rule", "standing rule", *own, ("lowers", rule.lowers), items=block, lines=lines
            )

    def _procedure(self, node: d.Procedure) -> Item:
        lines = self._lines(node.name, frozenset(each.name for each in node.parameters))
        parameters = tuple(
            _with(item, lines.writer, default)
            for item, default in zip(self._parameters(node.parameters, node.name, lines), node.defaults, strict=True)
        )
        opening = tuple(item for part in node.opening for item in self._opening(part, lines))
        steps = tuple(self._step(each, node.name, lines) for each in node.steps)
        return self._declared(
            node, "procedure", "procedure", ("gives", node.result), items=(*parameters, *opening, *steps), lines=lines
        )

    def _opening(self, part: d.Need | d.Hold | d.Watch | tuple[object, ...], lines: Lines) -> Iterator[Item]:
        match part:
            case d.Hold(rules, span):
                parts = lines.writer.parts(("rules", rules))
                yield Item("hold", "", "", None, "", (), parts, (), False, self.text(span), span)
            case d.Watch():
                event = lines.writer.mention("event", "event", part.event)
                own = (("names", part.parameters), ("condition", part.guard))
                yield Item(
                    "watch",
                    "",
                    part.address,
                    None,
                    "",
                    part.cites,
                    (event, *lines.writer.parts(*own)),
                    lines.block(part.block),
                    ordered=False,
                    text=self.text(part.span),
                    span=part.span,
                )
            case d.Need():
                yield lines.item(part)
            case tuple():
                yield from lines.block(part)  # type: ignore[arg-type]

    def _step(self, node: d.Step, owner: str, lines: Lines) -> Item:
        return Item(
            "step",
            node.id,
            node.address,
            Name("step", f"{owner}/{node.id}"),
            node.title,
            node.cites,
            lines.writer.parts(("condition", node.guard)),
            lines.block(node.block),
            ordered=True,
            text=self.text(node.span),
            span=node.span,
        )


def _with(item: Item, writer: Writer, default: Expression | None) -> Item:
    parts: tuple[Part, ...] = writer.parts(("default", default))
    return replace(item, parts=item.parts + parts)
