"""The sections of a chapter, from a program: procedures, reactions, terms and tables, things, readings."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from rulewright.chapter.document import CrossReference, Paragraph, Section, grid
from rulewright.chapter.english import PLACE, explaining, first_upper, the
from rulewright.chapter.names import board_of, changed, plain, plain_name, values
from rulewright.chapter.phrases import Phrases
from rulewright.chapter.rows import Rows
from rulewright.chapter.sentences import Sentences, anchor, numbered, titled
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.conditions import is_none
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.walk import lines_of
from rulewright.program.wording import a
from rulewright.roles import nodes
from rulewright.telling.conditions import listed, spoken

_COUNTED = (ty.ThingType, ty.RecordType, ty.CellType, ty.SetType, ty.ListType, ty.MapType)
_MODES = {"all": "all of these hold", "any": "at least one of these holds"}
_WORDS = {"outside": "left out", "void": "without effect", "departs": "departed from"}
_PATHS = {
    "enter": "A move is allowed only if",
    "halt": "After a move one has to stop if",
    "end": "One may end after a move only if",
}
_COUNTS = {"moves": "“moves” counts the moves made with it", "spent": "“spent” is what they cost"}


class Sections:
    """Makes the sections of a program.

    Args:
        program: a checked ruleset.
        notes: the author's comments, by address.
    """

    def __init__(self, program: Program, notes: Mapping[str, tuple[str, ...]]) -> None:
        self._program = program
        self._notes = notes

    def _section(
        self,
        sort: str,
        node: d.Declared,
        entries: Sequence[Paragraph],
        sections: Sequence[Section] = (),
        heading: str = "",
    ) -> Section:
        return Section(
            first_upper(heading or node.title or plain_name(node.name)),
            "",
            anchor(sort, node.name),
            node.cites,
            tuple(entries),
            tuple(sections),
            self._notes.get(node.name, ()),
            span=node.span,
        )

    def _phrases(
        self, variables: Sequence[Variable] = (), blocks: object = (), parameters: Sequence[Variable] = ()
    ) -> Phrases:
        return Phrases(self._program, variables, blocks, parameters)

    # What is carried out.

    def procedures(self) -> Iterator[Section]:
        """Procedures, those that no other carries out first."""
        return map(self._procedure, self.ordered())

    def ordered(self) -> list[d.Procedure]:
        """Procedures in the order of the text, those that no other carries out first."""
        every = self._program.procedures.values()
        carried = {each.procedure for each in nodes(tuple(every)) if isinstance(each, st.Perform)}
        return sorted(every, key=lambda each: each.inner or each.name in carried)

    def _procedure(self, node: d.Procedure) -> Section:
        phrases = self._phrases(node.variables, node, node.parameters)
        lines = Sentences(self._program, phrases, self._notes)
        entries = [*self._roles(node, phrases), *self._opening(node, phrases, lines)]
        steps = [self._step(node, each, phrases, lines) for each in node.steps]
        return self._section("procedure", node, entries, steps)

    def _given(
        self, parameters: Sequence[Variable], phrases: Phrases, defaults: Sequence[Expression | None] = ()
    ) -> Iterator[Paragraph]:
        """What something is carried out or worked out for; nothing where it is for nobody."""
        told = []
        for each, default in zip_longest(parameters, defaults):
            noun, type_ = phrases.variable(each).removeprefix("the "), values(each.type)
            unsaid = [] if default is None else [f"{phrases.noun(default)} if not given"]
            is_one = isinstance(ty.present(each.type), ty.ThingType | ty.WordType | ty.RecordType | ty.CellType)
            more = "; ".join([*([] if noun.endswith(type_) else [type_]), *unsaid])
            told.append(f"{a(noun) if is_one else noun}{f' ({more})' if more else ''}")
        if told:
            yield Paragraph(f"For {listed(told)}.")

    def _roles(self, node: d.Procedure, phrases: Phrases) -> Iterator[Paragraph]:
        yield from self._given(node.parameters, phrases, node.defaults)
        if node.result is not None:
            yield Paragraph(f"Its result is {self._result(node.result)}.")
        if node.inner:
            yield Paragraph("It is only carried out as a part of others.")

    def _result(self, type_: ty.Type) -> str:
        """What a procedure may give: of words each, as people say it."""
        match type_:
            case ty.WordType(name):
                return f"one of these: {listed(self._program.values[name].titles.called, 'or')}"
            case ty.NumberType(int(), int()):
                return f"a number from {values(type_)}"
            case _ if isinstance(ty.present(type_), _COUNTED):
                return a(values(type_))
            case _:
                return values(type_)

    def _opening(self, node: d.Procedure, phrases: Phrases, lines: Sentences) -> Iterator[Paragraph]:
        needs = [each for each in node.opening if isinstance(each, d.Need)]
        if needs:
            yield Paragraph(
                "It may begin only if all of these hold:", grid=Rows(phrases).conditions(needs, "Refused with")
            )
        for each in node.opening:
            match each:
                case d.Hold(rules=rules, cites=cites):
                    titles = [self._program.rules[rule].title or spoken(rule) for rule in sorted(rules)]
                    held = listed([f"“{title}”" for title in titles])
                    yield Paragraph(f"Until it ends, {held} {'waits' if len(titles) == 1 else 'wait'}.", cites=cites)
                case d.Watch(event=event, guard=guard, block=block, cites=cites):
                    title = self._program.events[event].title or spoken(event)
                    when = f", if {phrases.sentence(guard)}" if guard is not None else ""
                    see = (CrossReference(title, anchor("event", event)),)
                    said = f"Until it ends, whenever “{title}” happens{when}:"
                    yield Paragraph(said, lines.under(block, cites), cites, see)
                case d.Need():
                    pass
                case block:
                    yield from lines.under(block, node.cites)

    def _step(self, procedure: d.Procedure, step: d.Step, phrases: Phrases, lines: Sentences) -> Section:
        only = (Rows(phrases).only(step.guard),) if step.guard is not None else ()
        return Section(
            titled(step),
            numbered(step.id),
            anchor("step", f"{procedure.name} {step.id}"),
            step.cites if step.cites != procedure.cites else (),
            (*only, *lines.under(step.block, procedure.cites, step.cites)),
            notes=self._notes.get(step.address, ()),
            span=step.span,
        )

    # What happens by itself.

    def reactions(self) -> Iterator[Section]:
        """Events with what reacts to them."""
        for event in self._program.events.values():
            handlers = [each for each in self._program.handlers.values() if each.event == event.name]
            yield self._section("event", event, [*self._event(event)], [self._handler(each) for each in handlers])

    def _event(self, event: d.Event) -> Iterator[Paragraph]:
        phrases = self._phrases(event.variables, event, event.parameters)
        yield from self._given(event.parameters, phrases)
        if event.on_removal:
            yield Paragraph("It happens whenever the thing leaves play.")
        if event.holders is not None:
            once = ", and the first that reacts ends it" if event.first_taker else ""
            yield Paragraph(f"These may react: {phrases.noun(event.holders)}{once}.")
        if event.order is not None:
            yield Paragraph(f"They react in this order of players: {phrases.noun(event.order)}.")
        if event.gives is not None:
            yield Paragraph(f"Each reaction gives a result: {values(event.gives)}.")

    def _handler(self, node: d.Handler) -> Section:
        phrases = self._phrases(node.variables, node)
        lines = Sentences(self._program, phrases, self._notes, "The reaction")
        who = f"For each {phrases.one_by_one(node.binding)}"
        when = f", if {phrases.sentence(node.guard)}" if node.guard is not None else ""
        may = f"; its player may decline{explaining(node.title)}" if node.optional else ""
        heading = spoken(node.name) if node.optional else node.title or spoken(node.name)
        return self._section(
            "handler", node, [Paragraph(f"{who}{when}{may}:", lines.under(node.block, node.cites))], (), heading
        )

    def standing(self) -> Iterator[Section]:
        """Standing rules, and what must always hold."""
        for rule in self._program.rules.values():
            seen = {each.variable for each in nodes((rule.condition, rule.block)) if isinstance(each, ex.Local)}
            phrases = self._phrases([each for each in rule.variables if each in seen], rule)
            lines = Sentences(self._program, phrases, self._notes, "The rule")
            each = f", for each {phrases.one_by_one(rule.binding)}:" if rule.binding else ""
            said = f"As soon as{each} {phrases.sentence(rule.condition)}:"
            yield self._section("rule", rule, [Paragraph(said, lines.under(rule.block, rule.cites))])
        entries = [self._invariant(each) for each in self._program.invariants.values()]
        if entries:
            yield Section("What must always hold", "", anchor("part", "always"), entries=tuple(entries))

    def _invariant(self, node: d.Invariant) -> Paragraph:
        phrases = self._phrases(node.variables, node)
        each = f"For each {phrases.one_by_one(node.binding)}: " if node.binding else ""
        when = f" if {phrases.sentence(node.guard)}" if node.guard is not None else ""
        said = f"{each}{phrases.sentence(node.condition)}{when}{explaining(node.title)}."
        return Paragraph(first_upper(said), cites=node.cites)

    # What is worked out.

    def functions(self, *bodies: type) -> Iterator[Section]:
        """Functions with a body of these sorts, but for attributes, which stand with their kinds."""
        for each in self._program.functions.values():
            if each.sort != "attribute" and isinstance(each.body, bodies):
                yield self._function(each)

    def _function(self, node: d.Function) -> Section:
        parameters = [each for each in node.parameters if each.name != "self"]
        return self._section("function", node, [*self._given(parameters, self._inside(node)), *self.body(node)])

    def _inside(self, node: d.Function) -> Phrases:
        return self._phrases(node.variables, node, node.parameters)

    def body(self, node: d.Function) -> Iterator[Paragraph]:
        """How a function comes to its value."""
        phrases = self._inside(node)
        match node.body:
            case d.Value(value):
                flag = str(node.type) == "flag" and not isinstance(value, ex.Literal)
                are = "They are" if isinstance(node.type, ty.SetType | ty.ListType) else "It is"
                said = (
                    f"{_defined(node, phrases)} if {phrases.sentence(value)}"
                    if flag
                    else f"{are} {phrases.noun(value)}"
                )
                yield Paragraph(first_upper(f"{said}."))
            case d.Conditions(rows=(row,)) if not (row.title or row.guard):
                said = f"{_defined(node, phrases)} if {phrases.sentence(row.condition)}."
                yield Paragraph(first_upper(said), cites=row.cites)
            case d.Conditions(mode, rows):
                said = f"{first_upper(_defined(node, phrases))} if {_MODES[mode]}:"
                yield Paragraph(said, grid=Rows(phrases).conditions(rows, "Reason if not"))
            case d.Selection(binding, conditions):
                with phrases.about(phrases.alone(binding, conditions.rows)) as called:
                    every = f"Each {phrases.one_by_one(binding)}"
                    grid_ = Rows(phrases).conditions(conditions.rows, "Reason if not")
                which = every if called else f"They are {the(phrases.members(binding))}"
                yield Paragraph(f"{which} for which {_MODES[conditions.mode]}:", grid=grid_)
            case d.Tally() | d.Decide():
                yield Rows(phrases).figures(node.body)
            case d.Table(rows):
                heads = tuple(spoken(each.name) for each in node.parameters)
                yield Paragraph("Look it up:", grid=Rows(phrases).table(heads, rows))
            case d.Paths():
                yield from self._paths(node.body, phrases)

    def _paths(self, body: d.Paths, phrases: Phrases) -> Iterator[Paragraph]:
        names = {each.name for each in nodes(body) if isinstance(each, Variable)}
        counts = [text for name, text in _COUNTS.items() if getattr(body, name).name in names]
        said = f"They are the cells of the {spoken(body.board)} to which moves lead from {phrases.noun(body.start)}. "
        said += f"A move goes from {phrases.variable(body.left)} into {phrases.variable(body.entered)}, its neighbour"
        yield Paragraph(f"{'; '.join([said, *counts])}.")
        if body.cost is not None:
            said = f"A move costs {phrases.noun(body.cost.start)}"
            rows = body.cost.rows
            yield Paragraph(
                f"{said}{', changed by each row that applies:' if rows else '.'}",
                grid=Rows(phrases).tally(rows) if rows else None,
            )
        for row in body.rows:
            said = f"{_PATHS[row.word]} {phrases.sentence(row.condition)}{explaining(row.title)}."
            yield Paragraph(said, cites=row.cites)

    # Things.

    def out_of_play(self) -> Iterator[Paragraph]:
        """What is so of things that were removed, where lines remove any."""
        program = self._program
        if any(lines_of(program, st.Remove)):
            where = ", also the place where it was last" if program.boards else ""
            nowhere = "stands nowhere, but keeps" if program.boards else "keeps"
            yield Paragraph(f"What is out of play {nowhere} its attributes{where}.")

    def things(self) -> Iterator[Section]:
        """Kinds, the game, records, boards, words and dice."""
        program = self._program
        for kind in program.kinds.values():
            if kind.fields or kind.derived or kind.title:
                yield self._section("kind", kind, [*self._fields(kind.fields), *self._derived(kind.derived)])
        if program.game:
            game = tuple(self._fields(tuple(program.game.values())))
            yield Section("The game", "", anchor("part", "game"), entries=game)
        for record in program.records.values():
            if record.span.end:
                yield self._section("record", record, [*self._fields(record.parts), *self._derived(record.derived)])
        for board in program.boards.values():
            said = Paragraph(f"A board of {board_of(board)}.")
            yield self._section("board", board, [said, *self._fields(board.fields), *self._fields(board.sides, "Side")])
        if program.values:
            yield Section(
                "Words", "", anchor("part", "words"), entries=tuple(map(self._words, program.values.values()))
            )

    def _fields(self, fields: Sequence[d.Field], head: str = "Attribute") -> Iterator[Paragraph]:
        if fields:
            rows = tuple(
                (
                    PLACE.get(each.name, spoken(each.name)),
                    values(each.type),
                    "" if each.start is None else self._phrases().noun(each.start),
                    each.title,
                )
                for each in fields
            )
            yield Paragraph("", grid=grid((head, "Values", "At the start", "Meaning"), rows, ((),) * len(rows)))

    def _derived(self, names: Sequence[str]) -> Iterator[Paragraph]:
        for name in names:
            function = self._program.functions[name]
            head = spoken(name.rpartition("/")[2])
            said = f"Of each, {head}{explaining(function.title)}:"
            yield Paragraph(said, tuple(self.body(function)), function.cites)

    def _words(self, values: d.WordList) -> Paragraph:
        told = [f"{spoken(each.name)}{explaining(each.title)}" for each in values.words]
        name = f"{first_upper(plain(values.name))}{explaining(values.title)}"
        return Paragraph(f"{name}: {listed(told, 'or')}.", cites=values.cites)

    def dice(self) -> tuple[Paragraph, ...]:
        """Dice with names, each with its faces."""
        return tuple(map(self._die, self._program.dice.values()))

    def _die(self, die: d.NamedDie) -> Paragraph:
        say = self._phrases()
        faces = Counter("blank" if is_none(each) else say.noun(each) for each in die.faces)
        told = listed([f"{number} × {face}" if number > 1 else face for face, number in faces.items()])  # noqa: RUF001
        return Paragraph(f"{first_upper(spoken(die.name))}: {told}.", cites=die.cites)

    # Readings, and what is elsewhere.

    def readings(self) -> Iterator[Section]:
        """Readings, and clauses that no rule carries out."""
        yield from self.chosen()
        if self._program.accounts:
            accounts = [
                ((", ".join(each.clauses), _WORDS[each.word], each.reason), ()) for each in self._program.accounts
            ]
            yield _listing("Clauses without a rule", ("Clauses", "Here", "Why"), accounts)

    def chosen(self) -> Iterator[Section]:
        """Settings with what is chosen, and readings chosen once."""
        program = self._program
        if program.settings:
            chosen = [
                (
                    (each.title or spoken(each.name), self._phrases().noun(each.value), self._possible(each.type)),
                    each.cites,
                )
                for each in program.settings.values()
            ]
            yield _listing("Chosen for each play", ("Reading", "As written", "Possible"), chosen)
        if program.rulings:
            rulings = [((each.id, each.text), ()) for each in program.rulings]
            yield _listing("Chosen once", ("Ruling", "Reading"), rulings)

    def _possible(self, type_: ty.Type) -> str:
        """What a setting can be: its words, each as people say it."""
        if not isinstance(type_, ty.WordType):
            return values(type_)
        return listed([each.title or spoken(each.name) for each in self._program.values[type_.values].words], "or")

    def externals(self) -> Iterator[Section]:
        """Procedures and terms of other texts."""
        program = self._program
        every: list[d.ExternalProcedure | d.ExternalTerm] = [*program.external_procedures.values()]
        every += program.external_terms.values()
        for each in every:
            entries = [*self._given(each.parameters, self._phrases(each.parameters, (), each.parameters))]
            gives = each.result if isinstance(each, d.ExternalProcedure) else each.type
            if gives is not None:
                entries.append(Paragraph(f"Its result is {self._result(gives)}."))
            if isinstance(each, d.ExternalProcedure) and each.changes:
                changes = listed([changed(one) for one in each.changes])
                entries.append(Paragraph(f"It may change: {changes}."))
            if isinstance(each, d.ExternalTerm) and each.default is not None:
                say = self._phrases(each.parameters, (), each.parameters)
                said = say.noun(each.default)
                if isinstance(each.type, ty.FlagType) and not isinstance(each.default, ex.Literal):
                    said = f"yes if {say.sentence(each.default)}, else no"
                entries.append(Paragraph(f"If not given, it is {said}."))
            yield self._section("external", each, entries)


def _defined(node: d.Function, phrases: Phrases) -> str:
    """What is so, in the section of a term: of a title that is no verb only that it applies."""
    said = phrases.applies(node)
    return "it applies" if " applies to " in said else said


def _listing(heading: str, heads: tuple[str, ...], rows: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> Section:
    made = grid(heads, tuple(row for row, _ in rows), tuple(cites for _, cites in rows))
    return Section(heading, "", anchor("part", heading), entries=(Paragraph("", grid=made),))
