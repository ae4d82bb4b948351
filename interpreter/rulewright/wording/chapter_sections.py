"""Sections of a chapter: procedures, reactions, terms, tables, things, readings, externals."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.conditions import is_none_literal
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.walk import list_lines_of_class
from rulewright.program.wording import add_article
from rulewright.wording.chapter_document import (
    ChapterSection,
    CrossReference,
    Paragraph,
    RowTableGenerator,
    drop_empty_columns,
)
from rulewright.wording.english import (
    ATTRIBUTE_WORDS,
    add_definite_article,
    drop_article,
    first_upper,
    join_words,
    quote_title,
    speak_name,
)
from rulewright.wording.phrases import PhraseGenerator
from rulewright.wording.sentences import (
    NO_ANNOTATIONS,
    Annotations,
    SentenceGenerator,
    make_anchor,
    step_heading,
    step_number,
)
from rulewright.wording.variable_names import (
    MAX_LETTER_NAME_LENGTH,
    describe_board,
    describe_changed_attribute,
    describe_type_values,
    plain_type_name,
    unqualified_name,
)

_COUNTABLE_TYPES = (ty.ThingType, ty.RecordType, ty.CellType, ty.SetType, ty.ListType, ty.MapType)
_MODE_PHRASES = {"all": "all of these hold", "any": "at least one of these holds"}
_ACCOUNT_PHRASES = {"outside": "left out", "void": "without effect", "departs": "departed from"}
_PATH_RULE_PHRASES = {
    "enter": "a move is allowed only if",
    "halt": "after a move one has to stop if",
    "end": "one may end after a move, or stay, only if",
}
_ALWAYS_PATH_RULE_PHRASES = {
    "enter": "every move is allowed",
    "halt": "after a move one has to stop",
    "end": "one may end after any move, or stay",
}
_PATH_COUNTER_PHRASES = {"moves": "“moves” counts the moves made with it", "spent": "“spent” is what they cost"}


class SectionBuilder:
    """Sections of a program.

    Args:
        program: a checked ruleset.
        annotations: what stands beside the rules.
    """

    def __init__(self, program: Program, annotations: Annotations = NO_ANNOTATIONS) -> None:
        self._program = program
        self._annotations = annotations

    def _make_section(
        self,
        sort: str,
        node: d.Declared,
        entries: Sequence[Paragraph],
        sections: Sequence[ChapterSection] = (),
        heading: str = "",
    ) -> ChapterSection:
        return ChapterSection(
            first_upper(heading or node.title or unqualified_name(node.name)),
            "",
            make_anchor(sort, node.name),
            node.cites,
            tuple(entries),
            tuple(sections),
            self._annotations.notes.get(node.name, ()),
            span=node.span,
            footnotes=self._annotations.footnotes.get(node.name, ()),
        )

    def _make_phrases(
        self, variables: Sequence[Variable] = (), blocks: object = (), parameters: Sequence[Variable] = ()
    ) -> PhraseGenerator:
        return PhraseGenerator(self._program, variables, blocks, parameters)

    # Procedures.

    def procedure_sections(self, *, is_brief: bool = False) -> Iterator[ChapterSection]:
        """Procedures: those that no other performs, each followed by its parts as they are first carried out.

        Brief ones do not say for whom they are, what they result in, and what a refusal says.
        """
        for procedure in self._order_procedures():
            yield self._make_procedure_section(procedure, is_brief=is_brief)

    def _order_procedures(self) -> list[d.Procedure]:
        every = self._program.procedures
        parts = {
            name: [node.procedure for node in walk_nodes(procedure) if isinstance(node, st.Perform)]
            for name, procedure in every.items()
        }
        carried = {part for name, performed in parts.items() for part in performed if part != name}
        order: dict[str, None] = {}

        def visit(name: str) -> None:
            if name not in order:
                order[name] = None
                for part in parts[name]:
                    visit(part)

        for name in sorted(every, key=lambda name: (every[name].inner, name in carried)):
            visit(name)
        return [every[name] for name in order]

    def _make_procedure_section(self, node: d.Procedure, *, is_brief: bool) -> ChapterSection:
        phrases = self._make_phrases(node.variables, node, node.parameters)
        lines = SentenceGenerator(self._program, phrases, self._annotations)
        roles = () if is_brief else self._role_paragraphs(node, phrases)
        entries = [*roles, *self._opening_paragraphs(node, phrases, lines, is_brief=is_brief)]
        steps = [self._make_step_section(node, step, phrases, lines) for step in node.steps]
        return self._make_section("procedure", node, entries, steps)

    def _parameter_paragraphs(
        self, parameters: Sequence[Variable], phrases: PhraseGenerator, defaults: Sequence[Expression | None] = ()
    ) -> Iterator[Paragraph]:
        items = []
        for item, default in zip_longest(parameters, defaults):
            noun, type_ = phrases.variable_phrase(item).removeprefix("the "), describe_type_values(item.type)
            unsaid = [] if default is None else [f"{phrases.noun_phrase(default)} if not given"]
            is_one = isinstance(ty.strip_optional(item.type), ty.ThingType | ty.WordType | ty.RecordType | ty.CellType)
            more = "; ".join([*([] if noun.endswith(type_) else [type_]), *unsaid])
            items.append(f"{add_article(noun) if is_one else noun}{f' ({more})' if more else ''}")
        if items:
            yield Paragraph(f"For {join_words(items)}.")

    def _role_paragraphs(self, node: d.Procedure, phrases: PhraseGenerator) -> Iterator[Paragraph]:
        yield from self._parameter_paragraphs(node.parameters, phrases, node.defaults)
        if node.result is not None:
            yield Paragraph(f"Its result is {self._result_phrase(node.result)}.")
        if node.inner:
            yield Paragraph("It is only carried out as a part of others.")

    def _result_phrase(self, type_: ty.Type) -> str:
        match type_:
            case ty.WordType(name):
                return f"one of these: {join_words(self._program.values[name].titles.display_names, 'or')}"
            case ty.NumberType(int(), int()):
                return f"a number from {describe_type_values(type_)}"
            case _ if isinstance(ty.strip_optional(type_), _COUNTABLE_TYPES):
                return add_article(describe_type_values(type_))
            case _:
                return describe_type_values(type_)

    def _opening_paragraphs(
        self, node: d.Procedure, phrases: PhraseGenerator, lines: SentenceGenerator, *, is_brief: bool
    ) -> Iterator[Paragraph]:
        needs, rows = [need for need in node.opening if isinstance(need, d.Need)], RowTableGenerator(phrases)
        if needs and is_brief:
            yield Paragraph(f"It may begin only if {'; '.join(map(rows.guarded_condition_phrase, needs))}.")
        elif needs:
            grid = rows.make_condition_grid(needs, "Refused with")
            yield Paragraph(f"It may begin only if {'all of these hold' if needs[1:] else 'this holds'}:", grid=grid)
        for item in node.opening:
            match item:
                case d.Hold(rules=rules, cites=cites):
                    titles = [self._program.rules[rule].title or speak_name(rule) for rule in sorted(rules)]
                    quoted_titles = join_words([f"“{title}”" for title in titles])
                    yield Paragraph(
                        f"Until it ends, {quoted_titles} {'waits' if len(titles) == 1 else 'wait'}.", cites=cites
                    )
                case d.Watch(event=event, guard=guard, block=block, cites=cites, address=address):
                    title = self._program.events[event].title or speak_name(event)
                    when = f", if {phrases.condition_clause(guard)}" if guard is not None else ""
                    see = (CrossReference(title, make_anchor("event", event)),)
                    sentence = f"Until it ends, whenever “{title}” happens{when}:"
                    footnotes = self._annotations.footnotes.get(address, ())
                    yield Paragraph(sentence, lines.block_with_margins(block, cites), cites, see, footnotes=footnotes)
                case d.Need():
                    pass
                case block:
                    told = [
                        line for line in block if not _is_unset(line) or set(line.cites) - self._list_cites(node, line)
                    ]
                    yield from lines.block_with_margins(told, node.cites)

    def _list_cites(self, node: d.Procedure, without: st.Statement) -> set[str]:
        others = (each for each in walk_nodes(node) if each is not without)
        return {clause for each in others for clause in getattr(each, "cites", ())}

    def _make_step_section(
        self, procedure: d.Procedure, step: d.Step, phrases: PhraseGenerator, lines: SentenceGenerator
    ) -> ChapterSection:
        only = (RowTableGenerator(phrases).make_guard_paragraph(step.guard),) if step.guard is not None else ()
        return ChapterSection(
            step_heading(step),
            step_number(step.id),
            make_anchor("step", f"{procedure.name} {step.id}"),
            step.cites if step.cites != procedure.cites else (),
            (*only, *lines.block_with_margins(step.block, procedure.cites, step.cites)),
            notes=self._annotations.notes.get(step.address, ()),
            span=step.span,
            footnotes=self._annotations.footnotes.get(step.address, ()),
        )

    # Reactions.

    def event_sections(self) -> Iterator[ChapterSection]:
        """Events with their handlers."""
        for event in self._program.events.values():
            handlers = [handler for handler in self._program.handlers.values() if handler.event == event.name]
            yield self._make_section(
                "event",
                event,
                [*self._event_paragraphs(event)],
                [self._make_handler_section(handler) for handler in handlers],
            )

    def _event_paragraphs(self, event: d.Event) -> Iterator[Paragraph]:
        phrases = self._make_phrases(event.variables, event, event.parameters)
        yield from self._parameter_paragraphs(event.parameters, phrases)
        if event.on_removal:
            yield Paragraph("It happens whenever the thing leaves play.")
        if event.holders is not None:
            once = ", and the first that reacts ends it" if event.first_taker else ""
            yield Paragraph(f"These may react: {phrases.noun_phrase(event.holders)}{once}.")
        if event.order is not None:
            yield Paragraph(f"They react in this order of players: {phrases.noun_phrase(event.order)}.")
        if event.gives is not None:
            yield Paragraph(f"Each reaction gives a result: {describe_type_values(event.gives)}.")

    def _make_handler_section(self, node: d.Handler) -> ChapterSection:
        phrases = self._make_phrases(node.variables, node)
        lines = SentenceGenerator(self._program, phrases, self._annotations, "The reaction")
        who = f"For each {phrases.filtered_member_phrase(node.binding)}"
        when = f", if {phrases.condition_clause(node.guard)}" if node.guard is not None else ""
        may = f"; its player may decline{quote_title(node.title)}" if node.optional else ""
        heading = speak_name(node.name) if node.optional else node.title or speak_name(node.name)
        return self._make_section(
            "handler",
            node,
            [Paragraph(f"{who}{when}{may}:", lines.block_with_margins(node.block, node.cites))],
            (),
            heading,
        )

    def standing_rule_paragraphs(self) -> tuple[Paragraph, ...]:
        """Which of several standing rules acts first."""
        first = Paragraph("If several of these rules apply at once, the one that stands first here acts first.")
        return (first,) if len(self._program.rules) > 1 else ()

    def standing_rule_sections(self) -> Iterator[ChapterSection]:
        """Standing rules in the order in which they act, and invariants."""
        for rule in sorted(self._program.rules.values(), key=lambda rule: rule.priority):
            used_variables = {
                each.variable for each in walk_nodes((rule.condition, rule.block)) if isinstance(each, ex.Local)
            }
            phrases = self._make_phrases([each for each in rule.variables if each in used_variables], rule)
            lines = SentenceGenerator(self._program, phrases, self._annotations, "The rule")
            sentence = f"{phrases.standing_rule_phrase(rule)}:"
            yield self._make_section(
                "rule", rule, [Paragraph(sentence, lines.block_with_margins(rule.block, rule.cites))]
            )
        entries = [self._make_invariant_paragraph(each) for each in self._program.invariants.values()]
        if entries:
            yield ChapterSection("What must always hold", "", make_anchor("part", "always"), entries=tuple(entries))

    def _make_invariant_paragraph(self, node: d.Invariant) -> Paragraph:
        phrases = self._make_phrases(node.variables, node)
        title = f"{first_upper(node.title)}: " if node.title else ""
        sentence = f"{title}{phrases.invariant_phrase(node, is_first=not title)}."
        return Paragraph(sentence, cites=node.cites, footnotes=self._annotations.footnotes.get(node.name, ()))

    # Functions.

    def function_sections(self, *bodies: type) -> Iterator[ChapterSection]:
        """Functions with a body of these classes, without derived attributes."""
        for function in self._program.functions.values():
            if function.sort != "attribute" and isinstance(function.body, bodies):
                yield self._make_function_section(function)

    def row_table_sections(self, *bodies: type) -> Iterator[ChapterSection]:
        """Functions with a body of these classes as tables alone, also derived attributes."""
        for function in self._program.functions.values():
            if isinstance(function.body, bodies):
                heading = first_upper(function.title or speak_name(function.name.replace("/", ": ")))
                yield ChapterSection(heading, "", "", entries=tuple(self.function_body_paragraphs(function)))

    def _make_function_section(self, node: d.Function) -> ChapterSection:
        parameters = [parameter for parameter in node.parameters if parameter.name != "self"]
        return self._make_section(
            "function",
            node,
            [
                *self._parameter_paragraphs(parameters, self._make_function_phrases(node)),
                *self.function_body_paragraphs(node),
            ],
        )

    def _make_function_phrases(self, node: d.Function) -> PhraseGenerator:
        return self._make_phrases(node.variables, node, node.parameters)

    def function_body_paragraphs(self, node: d.Function) -> Iterator[Paragraph]:
        """How the value of a function is computed."""
        phrases = self._make_function_phrases(node)
        match node.body:
            case d.Value(value):
                flag = str(node.type) == "flag" and not isinstance(value, ex.Literal)
                noun = "" if flag else phrases.noun_phrase(value)
                is_several = isinstance(node.type, ty.SetType | ty.ListType) and not noun.startswith("every ")
                sentence = (
                    f"{_definition_clause(node, phrases)} if {phrases.condition_clause(value)}"
                    if flag
                    else f"{'They are' if is_several else 'It is'} {noun}"
                )
                yield Paragraph(first_upper(f"{sentence}."))
            case d.Conditions(rows=(row,)) if not (row.title or row.guard):
                sentence = f"{_definition_clause(node, phrases)} if {phrases.condition_clause(row.condition)}."
                yield Paragraph(first_upper(sentence), cites=row.cites)
            case d.Conditions(mode, rows):
                sentence = f"{first_upper(_definition_clause(node, phrases))} if {_MODE_PHRASES[mode]}:"
                yield Paragraph(sentence, grid=RowTableGenerator(phrases).make_condition_grid(rows, "Reason if not"))
            case d.Selection(binding, conditions):
                with phrases.refer_as_it(phrases.find_pronoun_or_name(binding, conditions.rows)) as called:
                    every = f"Each {phrases.filtered_member_phrase(binding)}"
                    grid_ = RowTableGenerator(phrases).make_condition_grid(conditions.rows, "Reason if not")
                which = (
                    every if called else f"They are {add_definite_article(phrases.filtered_members_phrase(binding))}"
                )
                yield Paragraph(f"{which} for which {_MODE_PHRASES[conditions.mode]}:", grid=grid_)
            case d.Tally() | d.Decide():
                yield RowTableGenerator(phrases).make_rule_table(node.body)
            case d.Table(rows):
                heads = tuple(
                    drop_article(phrases.variable_phrase(one))
                    if len(one.name) <= MAX_LETTER_NAME_LENGTH
                    else speak_name(one.name)
                    for one in node.parameters
                )
                yield Paragraph("Look it up:", grid=RowTableGenerator(phrases).make_lookup_grid(heads, rows))
            case d.Paths():
                yield from self._path_paragraphs(node.body, phrases)

    def _path_paragraphs(self, body: d.Paths, phrases: PhraseGenerator) -> Iterator[Paragraph]:
        names = {node.name for node in walk_nodes(body) if isinstance(node, Variable)}
        counts = [text for name, text in _PATH_COUNTER_PHRASES.items() if getattr(body, name).name in names]
        sentence = f"They are the cells of the {speak_name(body.board)} to which moves lead from {phrases.noun_phrase(body.start)}. "
        sentence += f"A move goes from {phrases.variable_phrase(body.left)} into {phrases.variable_phrase(body.entered)}, its neighbour"
        yield Paragraph(f"{'; '.join([sentence, *counts])}.")
        if body.cost is not None:
            yield self._cost_paragraph(body.cost, phrases)
        for row in body.rows:
            when = f"if {phrases.condition_clause(row.guard)}, " if row.guard is not None else ""
            sentence = f"{when}{_PATH_RULE_PHRASES[row.word]} {phrases.condition_clause(row.condition)}"
            if isinstance(row.condition, ex.Literal) and row.condition.value is True:
                sentence = f"{when}{_ALWAYS_PATH_RULE_PHRASES[row.word]}"
            yield Paragraph(f"{first_upper(sentence)}{quote_title(row.title)}.", cites=row.cites)

    def _cost_paragraph(self, cost: d.Tally, phrases: PhraseGenerator) -> Paragraph:
        start, rows, title = cost.start, cost.rows, ""
        cites: tuple[str, ...] = ()
        match cost:
            case d.Tally(
                start=ex.Literal(value=0), rows=(ex.TallyRow(change="plus", guard=None, binding=None) as first, *rest)
            ):
                start, rows, title, cites = first.amount, tuple(rest), quote_title(first.title), first.cites
        grid = RowTableGenerator(phrases).make_tally_grid(rows) if rows else None
        more = ", changed by each row that applies:" if rows else "."
        return Paragraph(f"A move costs {phrases.noun_phrase(start)}{title}{more}", grid=grid, cites=cites)

    # Things.

    def removed_things_paragraphs(self) -> Iterator[Paragraph]:
        """Rules of removed things, if any statement removes some."""
        program = self._program
        if any(list_lines_of_class(program, st.Remove)):
            where = ", also the place where it was last" if program.boards else ""
            nowhere = "stands nowhere, but keeps" if program.boards else "keeps"
            yield Paragraph(f"What is out of play {nowhere} its attributes{where}.")

    def declaration_sections(self) -> Iterator[ChapterSection]:
        """Kinds, the game, records, relations, boards, words and dice."""
        program = self._program
        for kind in program.kinds.values():
            if kind.fields or kind.derived or kind.title:
                yield self._make_section(
                    "kind",
                    kind,
                    [*self._field_table_paragraphs(kind.fields), *self._derived_attribute_paragraphs(kind.derived)],
                )
        if program.game:
            game = tuple(self._field_table_paragraphs(tuple(program.game.values())))
            yield ChapterSection("The game", "", make_anchor("part", "game"), entries=game)
        for record in program.records.values():
            if record.span.end:
                yield self._make_section(
                    "record",
                    record,
                    [*self._field_table_paragraphs(record.parts), *self._derived_attribute_paragraphs(record.derived)],
                )
        for relation in program.relations.values():
            yield self._make_section("relation", relation, [self._make_relation_paragraph(relation)])
        for board in program.boards.values():
            sentence = Paragraph(f"A board of {describe_board(board)}.")
            yield self._make_section(
                "board",
                board,
                [
                    sentence,
                    *self._field_table_paragraphs(board.fields),
                    *self._field_table_paragraphs(board.sides, "Side"),
                ],
            )
        if program.values:
            yield ChapterSection(
                "Words",
                "",
                make_anchor("part", "words"),
                entries=tuple(map(self._make_word_list_paragraph, program.values.values())),
            )

    def _field_table_paragraphs(self, fields: Sequence[d.Field], head: str = "Attribute") -> Iterator[Paragraph]:
        if fields:
            rows = tuple(
                (
                    ATTRIBUTE_WORDS.get(field.name, speak_name(field.name)),
                    describe_type_values(field.type),
                    "" if field.start is None else self._make_phrases().noun_phrase(field.start),
                    field.title,
                )
                for field in fields
            )
            yield Paragraph(
                "", grid=drop_empty_columns((head, "Values", "At the start", "Meaning"), rows, ((),) * len(rows))
            )

    def _derived_attribute_paragraphs(self, names: Sequence[str]) -> Iterator[Paragraph]:
        for name in names:
            function = self._program.functions[name]
            head = speak_name(name.rpartition("/")[2])
            sentence = f"Of each, {head}{quote_title(function.title)}:"
            yield Paragraph(sentence, tuple(self.function_body_paragraphs(function)), function.cites)

    def _make_relation_paragraph(self, node: d.Relation) -> Paragraph:
        phrases = self._make_phrases(node.parameters, (), node.parameters)
        first, second = map(phrases.variable_phrase, node.parameters)
        side = (
            f"If it holds for {first} and {second}, it also holds for {second} and {first}."
            if node.symmetric
            else f"If it holds for {first} and {second}, it need not hold for {second} and {first}."
        )
        return Paragraph(f"It is noted of {first} and {second} until a rule ends it. {side}")

    def _make_word_list_paragraph(self, values: d.WordList) -> Paragraph:
        items = [f"{speak_name(word.name)}{quote_title(word.title)}" for word in values.words]
        name = f"{first_upper(plain_type_name(values.name))}{quote_title(values.title)}"
        return Paragraph(f"{name}: {join_words(items, 'or')}.", cites=values.cites)

    def dice_paragraphs(self) -> tuple[Paragraph, ...]:
        """Declared dice with their faces."""
        return tuple(map(self._make_die_paragraph, self._program.dice.values()))

    def _make_die_paragraph(self, die: d.NamedDie) -> Paragraph:
        say = self._make_phrases()
        faces = Counter("blank" if is_none_literal(item) else say.noun_phrase(item) for item in die.faces)
        items = join_words([f"{number} × {face}" if number > 1 else face for face, number in faces.items()])  # noqa: RUF001
        return Paragraph(f"{first_upper(speak_name(die.name))}: {items}.", cites=die.cites)

    # Readings and externals.

    def reading_sections(self, rulings: Sequence[d.Ruling]) -> Iterator[ChapterSection]:
        """Settings, rulings that are no footnotes, and clauses without a rule."""
        yield from self.chosen_reading_sections(rulings)
        if self._program.accounts:
            accounts = [
                ((", ".join(account.clauses), _ACCOUNT_PHRASES[account.word], account.reason), ())
                for account in self._program.accounts
            ]
            yield _make_table_section("Clauses without a rule", ("Clauses", "Here", "Why"), accounts)

    def chosen_reading_sections(self, rulings: Sequence[d.Ruling]) -> Iterator[ChapterSection]:
        """Settings with the chosen value, and these rulings."""
        program = self._program
        if program.settings:
            chosen = [
                (
                    (
                        setting.title or speak_name(setting.name),
                        self._make_phrases().noun_phrase(setting.value),
                        describe_readings(program, setting.type),
                    ),
                    setting.cites,
                )
                for setting in program.settings.values()
            ]
            yield _make_table_section("Chosen for each play", ("Reading", "As written", "Possible"), chosen)
        if rulings:
            rows = [((ruling.id, ruling.text), ()) for ruling in rulings]
            yield _make_table_section("Chosen once", ("Ruling", "Reading"), rows)

    def external_sections(self) -> Iterator[ChapterSection]:
        """External procedures and terms."""
        program = self._program
        every: list[d.ExternalProcedure | d.ExternalTerm] = [*program.external_procedures.values()]
        every += program.external_terms.values()
        for external in every:
            entries = [
                *self._parameter_paragraphs(
                    external.parameters,
                    self._make_phrases(external.parameters, (), external.parameters),
                )
            ]
            gives = external.result if isinstance(external, d.ExternalProcedure) else external.type
            if gives is not None:
                entries.append(Paragraph(f"Its result is {self._result_phrase(gives)}."))
            if isinstance(external, d.ExternalProcedure) and external.changes:
                changes = join_words([describe_changed_attribute(one) for one in external.changes])
                entries.append(Paragraph(f"It may change: {changes}."))
            if isinstance(external, d.ExternalTerm) and external.default is not None:
                say = self._make_phrases(external.parameters, (), external.parameters)
                sentence = say.noun_phrase(external.default)
                if isinstance(external.type, ty.FlagType) and not isinstance(external.default, ex.Literal):
                    sentence = f"yes if {say.condition_clause(external.default)}, else no"
                entries.append(Paragraph(f"If not given, it is {sentence}."))
            yield self._make_section("external", external, entries)


def _is_unset(line: st.Statement) -> bool:
    """Whether a line before all steps only says that a name has no value yet."""
    return isinstance(line, st.Let) and (line.value is None or is_none_literal(line.value))


def _definition_clause(node: d.Function, phrases: PhraseGenerator) -> str:
    sentence = phrases.function_holds_clause(node)
    return "it applies" if " applies to " in sentence else sentence


def describe_readings(program: Program, type_: ty.Type) -> str:
    """All values of a setting."""
    if not isinstance(type_, ty.WordType):
        return describe_type_values(type_)
    return join_words([word.title or speak_name(word.name) for word in program.values[type_.values].words], "or")


def _make_table_section(
    heading: str, heads: tuple[str, ...], rows: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]
) -> ChapterSection:
    grid = drop_empty_columns(heads, tuple(row for row, _ in rows), tuple(cites for _, cites in rows))
    return ChapterSection(heading, "", make_anchor("part", heading), entries=(Paragraph("", grid=grid),))
