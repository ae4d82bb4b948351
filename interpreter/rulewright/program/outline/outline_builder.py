"""Outline of a program: the items of all its declarations, from the syntax nodes that it was made from."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from rulewright.base.frozen import dataclass
from rulewright.base.source import NO_SPAN, Span, Text
from rulewright.program import declarations as d
from rulewright.program.declarations import Program
from rulewright.program.expressions import Variable
from rulewright.program.outline.items import (
    CommentIndex,
    DeclaredName,
    ItemPart,
    LineItemBuilder,
    NamingContext,
    Outline,
    OutlineItem,
    PartWriter,
)
from rulewright.program.types import INCHES

_MARGIN_CITE = re.compile(r" @[\w.:-]+")


_BREAK_AFTER_BRACKET = re.compile(r"(?<=[(\[{])\s*\n\s*")


_BREAK_BEFORE_BRACKET = re.compile(r"\s*\n\s*(?=[)\]}])")


@dataclass(frozen=True, slots=True)
class DeclarationItemBuilder:
    """Builds the items of the declarations of one program."""

    program: d.Program
    texts: Mapping[str, Text]

    def get_span_text(self, span: Span) -> str:
        """Text of a span on one line, without margins; empty for an unknown text."""
        text = self.texts.get(span.source)
        if text is None:
            return ""
        lines = _BREAK_BEFORE_BRACKET.sub("", _BREAK_AFTER_BRACKET.sub("", text.content[span.start : span.end]))
        return _MARGIN_CITE.sub("", " ".join(lines.split()))

    def make_line_builder(self, owner: str, visible: tuple[Variable, ...] = ()) -> LineItemBuilder:
        """Builder for lines of a declaration; `visible` are the variables that callers see."""
        within = NamingContext(self.program, owner, frozenset(variable.name for variable in visible))
        return LineItemBuilder(PartWriter(within, self.get_span_text), self.get_span_text)

    def make_declaration_item(
        self, node: d.Declared, sort: str, word: str, parts: tuple[ItemPart, ...], items: tuple[OutlineItem, ...] = ()
    ) -> OutlineItem:
        """Item of a whole declaration; `sort` is that of its name, `word` its sort in words."""
        return OutlineItem(
            word,
            node.name,
            node.name,
            self.get_span_text(node.span),
            node.span,
            name=DeclaredName(sort, node.name),
            title=node.title,
            cites=node.cites,
            parts=parts,
            items=items,
        )

    def make_parameter_items(
        self, variables: tuple[Variable, ...], lines: LineItemBuilder, defaults: tuple[object, ...] = ()
    ) -> tuple[OutlineItem, ...]:
        """Items of parameters with their defaults; a default of none means there is none."""
        given = defaults or (None,) * len(variables)
        return tuple(
            self._make_parameter_item(variable, lines, default)
            for variable, default in zip(variables, given, strict=True)
        )

    def _make_parameter_item(self, variable: Variable, lines: LineItemBuilder, default: object) -> OutlineItem:
        writer = lines.writer
        return OutlineItem(
            "parameter",
            variable.name,
            f"{writer.context.owner}/{variable.name}",
            f"{variable.name}: {variable.type}",
            NO_SPAN,
            name=writer.context.name_variable(variable.name),
            parts=writer.make_parts(("type", variable.type), ("default", default)),
            ordered=True,
        )


def build_routine_items(declaring: DeclarationItemBuilder) -> Iterator[OutlineItem]:
    """Items of events, procedures, handlers, standing rules and invariants."""
    program = declaring.program
    yield from (_build_invariant_item(declaring, invariant) for invariant in program.invariants.values())
    yield from (_build_event_item(declaring, event) for event in program.events.values())
    yield from (_build_handler_item(declaring, handler) for handler in program.handlers.values())
    yield from (_build_rule_item(declaring, rule) for rule in program.rules.values())
    yield from (_build_procedure_item(declaring, procedure) for procedure in program.procedures.values())


def _build_invariant_item(declaring: DeclarationItemBuilder, node: d.Invariant) -> OutlineItem:
    values = (("for each", node.binding), ("condition", node.condition), ("when", node.guard))
    return declaring.make_declaration_item(
        node, "invariant", "always", declaring.make_line_builder(node.name).writer.make_parts(*values)
    )


def _build_event_item(declaring: DeclarationItemBuilder, node: d.Event) -> OutlineItem:
    lines = declaring.make_line_builder(node.name)
    who = (("holders", node.holders), ("order", node.order), ("first taker", node.first_taker or None))
    parts = lines.writer.make_parts(*who, ("gives", node.gives), ("on removal", node.on_removal or None))
    item = declaring.make_declaration_item(
        node, "event", "event", parts, declaring.make_parameter_items(node.parameters, lines)
    )
    return replace(item, ordered=node.on_removal)


def _build_handler_item(declaring: DeclarationItemBuilder, node: d.Handler) -> OutlineItem:
    lines = declaring.make_line_builder(node.name)
    values = (("holder", node.binding), ("condition", node.guard), ("optional", node.optional or None))
    parts = (lines.writer.make_mention_part("event", "event", node.event), *lines.writer.make_parts(*values))
    return declaring.make_declaration_item(node, "handler", "handler", parts, lines.make_block_items(node.block))


def _build_rule_item(declaring: DeclarationItemBuilder, node: d.StandingRule) -> OutlineItem:
    lines = declaring.make_line_builder(node.name)
    values = (("for each", node.binding), ("condition", node.condition))
    parts = lines.writer.make_parts(*values, ("priority", node.priority), ("lowers", node.lowers))
    return replace(
        declaring.make_declaration_item(node, "rule", "standing rule", parts, lines.make_block_items(node.block)),
        ordered=True,
    )


def _build_procedure_item(declaring: DeclarationItemBuilder, node: d.Procedure) -> OutlineItem:
    lines = declaring.make_line_builder(node.name, node.parameters)
    parameters = declaring.make_parameter_items(node.parameters, lines, node.defaults)
    opening = (item for part in node.opening for item in _build_opening_items(declaring, part, lines))
    steps = (_build_step_item(declaring, step, lines) for step in node.steps)
    parts = lines.writer.make_parts(("gives", node.result), ("inner", node.inner or None))
    return declaring.make_declaration_item(node, "procedure", "procedure", parts, (*parameters, *opening, *steps))


def _build_opening_items(
    declaring: DeclarationItemBuilder, part: object, lines: LineItemBuilder
) -> Iterator[OutlineItem]:
    match part:
        case d.Hold(address, rules, cites, span):
            parts = tuple(lines.writer.make_mention_part("rule", "rule", rule) for rule in rules)
            yield OutlineItem("hold", "", address, declaring.get_span_text(span), span, cites=cites, parts=parts)
        case d.Watch():
            values = lines.writer.make_parts(("names", part.parameters), ("condition", part.guard))
            yield OutlineItem(
                "watch",
                "",
                part.address,
                declaring.get_span_text(part.span),
                part.span,
                cites=part.cites,
                parts=(lines.writer.make_mention_part("event", "event", part.event), *values),
                items=lines.make_block_items(part.block),
            )
        case tuple():
            yield from lines.make_block_items(part)
        case _:
            yield lines.make_line_item(part)


def _build_step_item(declaring: DeclarationItemBuilder, node: d.Step, lines: LineItemBuilder) -> OutlineItem:
    return OutlineItem(
        "step",
        node.id,
        node.address,
        declaring.get_span_text(node.span),
        node.span,
        name=DeclaredName("step", f"{lines.writer.context.owner}/{node.id}"),
        title=node.title,
        cites=node.cites,
        parts=lines.writer.make_parts(("condition", node.guard)),
        items=lines.make_block_items(node.block),
        ordered=True,
    )


_FIELD_SORT_WORDS = {"cell": "attribute of cells", "side": "attribute of sides", "field": "game field"}


def build_thing_items(declaring: DeclarationItemBuilder) -> Iterator[OutlineItem]:
    """Items of value lists, dice, kinds, records, boards, game, settings and relations."""
    program = declaring.program
    for values in program.values.values():
        yield declaring.make_declaration_item(values, "values", "list of words", (), tuple(_build_word_items(values)))
    for die in program.dice.values():
        yield declaring.make_declaration_item(
            die, "die", "die", declaring.make_line_builder(die.name).writer.make_parts(("faces", die.faces))
        )
    for kind in program.kinds.values():
        plural = declaring.make_line_builder(kind.name).writer.make_mention_part("plural", "plural", kind.plural)
        yield declaring.make_declaration_item(
            kind, "kind", "kind", (plural,), _build_field_items(declaring, kind.fields, "attribute", kind.name)
        )
    for record in program.records.values():
        yield declaring.make_declaration_item(
            record, "record", "record", (), _build_field_items(declaring, record.parts, "part", record.name)
        )
    yield from _build_board_items(declaring)
    yield from _build_field_items(declaring, tuple(program.game.values()), "field", "")
    for setting in program.settings.values():
        parts = declaring.make_line_builder(setting.name).writer.make_parts(
            ("type", setting.type), ("value", setting.value)
        )
        yield declaring.make_declaration_item(setting, "setting", "setting", parts)
    for relation in program.relations.values():
        lines = declaring.make_line_builder(relation.name)
        parts = lines.writer.make_parts(("symmetric", relation.symmetric))
        inside = declaring.make_parameter_items(relation.parameters, lines)
        yield declaring.make_declaration_item(relation, "relation", "relation", parts, inside)


def _build_word_items(values: d.WordList) -> Iterator[OutlineItem]:
    for word in values.words:
        address = f"{values.name}/{word.name}"
        name = DeclaredName("word", address)
        yield OutlineItem("word", word.name, address, word.name, values.span, name=name, title=word.title, ordered=True)


def _build_board_items(declaring: DeclarationItemBuilder) -> Iterator[OutlineItem]:
    for board in declaring.program.boards.values():
        unit = None if board.unit == INCHES else board.unit
        bases = None if board.bases == board.unit else board.bases
        parts = declaring.make_line_builder(board.name).writer.make_parts(
            ("space", board.space), ("unit", unit), ("bases", bases)
        )
        cells = _build_field_items(declaring, board.fields, "cell", board.name)
        sides = _build_field_items(declaring, board.sides, "side", board.name)
        yield declaring.make_declaration_item(board, "board", "board", parts, cells + sides)


def _build_field_items(
    declaring: DeclarationItemBuilder, fields: tuple[d.Field, ...], sort: str, owner: str
) -> tuple[OutlineItem, ...]:
    writer = declaring.make_line_builder(owner).writer
    return tuple(
        OutlineItem(
            _FIELD_SORT_WORDS.get(sort, sort),
            field.name,
            field.address,
            declaring.get_span_text(field.span),
            field.span,
            name=DeclaredName(sort, f"{owner}/{field.name}" if owner else field.name),
            title=field.title,
            parts=writer.make_parts(("type", field.type), ("start", field.start)),
            ordered=sort == "part",
        )
        for field in fields
    )


def build_remark_items(declaring: DeclarationItemBuilder) -> Iterator[OutlineItem]:
    """Items of rulings and accounts, which have no effect on play."""
    program = declaring.program
    for ruling in program.rulings:
        if "/" not in ruling.address:
            yield OutlineItem(
                "ruling", ruling.id, "", declaring.get_span_text(ruling.span), ruling.span, title=ruling.text
            )
    for account in program.accounts:
        named = ", ".join(account.clauses)
        yield OutlineItem(
            account.word, named, "", declaring.get_span_text(account.span), account.span, title=account.reason
        )


_NamedValues = tuple[tuple[str, object], ...]


def build_function_items(declaring: DeclarationItemBuilder) -> Iterator[OutlineItem]:
    """Items of functions; a derived attribute is named under its kind."""
    for node in declaring.program.functions.values():
        lines = declaring.make_line_builder(node.name)
        parts, rows = _split_body(node.body)
        items = (*declaring.make_parameter_items(node.parameters, lines), *map(lines.make_line_item, rows))
        gives = None if node.sort in {"attribute", "tally"} else node.type
        values = lines.writer.make_parts(("gives", gives), ("symmetric", node.symmetric or None), *parts)
        yield declaring.make_declaration_item(
            node, "attribute" if node.sort == "attribute" else "function", node.sort, values, items
        )


def _split_body(body: d.Body) -> tuple[_NamedValues, tuple[object, ...]]:
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


def build_external_items(declaring: DeclarationItemBuilder) -> Iterator[OutlineItem]:
    """Items of external procedures and terms."""
    program = declaring.program
    for procedure in program.external_procedures.values():
        lines = declaring.make_line_builder(procedure.name)
        changes = (lines.writer.make_places_part("changes", procedure.changes),) if procedure.changes else ()
        parts = (*lines.writer.make_parts(("gives", procedure.result)), *changes)
        inside = declaring.make_parameter_items(procedure.parameters, lines)
        yield declaring.make_declaration_item(procedure, "external", "external procedure", parts, inside)
    for term in program.external_terms.values():
        lines = declaring.make_line_builder(term.name)
        parts = lines.writer.make_parts(("gives", term.type), ("default", term.default))
        yield declaring.make_declaration_item(
            term, "external", "external term", parts, declaring.make_parameter_items(term.parameters, lines)
        )


def build_measure_items(declaring: DeclarationItemBuilder) -> Iterator[OutlineItem]:
    """Items of measures."""
    for measure in declaring.program.measures.values():
        lines = declaring.make_line_builder(measure.name)
        parts = lines.writer.make_parts(("value", measure.value))
        yield declaring.make_declaration_item(
            measure, "measure", "measure", parts, declaring.make_parameter_items(measure.parameters, lines)
        )


def build_outline(program: Program, texts: Mapping[str, Text]) -> Outline:
    """The outline of a program, declarations grouped by sort.

    Items show their lines as in the texts, with comments; without the text of a file, its items have no text.
    """
    comments = CommentIndex(texts)
    return Outline(tuple(map(comments.add_comments, _build_items(DeclarationItemBuilder(program, texts)))))


def find_ruled_declarations(
    outline: Outline, rulings: Iterable[d.Ruling], texts: Mapping[str, Text]
) -> dict[str, tuple[d.Ruling, ...]]:
    """Rulings between declarations by the declaration that they stand beside: right below it, else right above it.

    A ruling set off by blank lines or a comment stands beside none.
    """
    starts = {
        (item.span.source, texts[item.span.source].get_position(item.span.start).line - 1): item.address
        for item in outline.items
        if item.address and item.span.source in texts
    }
    lines_by_source = {name: text.content.split("\n") for name, text in texts.items()}
    result: dict[str, tuple[d.Ruling, ...]] = {}
    for ruling in rulings:
        source = ruling.span.source
        if "/" not in ruling.address and source in texts:
            lines = lines_by_source[source]
            first = last = texts[source].get_position(ruling.span.start).line - 1
            while first and lines[first].startswith("ruling "):
                first -= 1
            while last < len(lines) and lines[last].startswith("ruling "):
                last += 1
            is_above = not lines[first].strip() or lines[first].startswith("#")
            above = (line for name, line in starts if name == source and line <= first)
            address = starts.get((source, last) if is_above else (source, max(above, default=-1)))
            if address is not None:
                result[address] = (*result.get(address, ()), ruling)
    return result


def _build_items(declaring: DeclarationItemBuilder) -> Iterator[OutlineItem]:
    for part in (
        build_thing_items,
        build_function_items,
        build_external_items,
        build_measure_items,
        build_routine_items,
        build_remark_items,
    ):
        yield from part(declaring)
