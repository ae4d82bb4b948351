"""Statements of routines as sentences of a rulebook."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import groupby

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as st
from rulewright.program.conditions import is_none_literal
from rulewright.program.declarations import Program, Step
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.statements import does_nothing
from rulewright.program.types import DeckType, FlagType, ListType, NumberType
from rulewright.program.wording import add_article
from rulewright.wording.chapter_document import CrossReference, Footnote, Paragraph, RowTableGenerator
from rulewright.wording.condition_rendering import call_attribute
from rulewright.wording.english import (
    add_definite_article,
    agree_verb,
    end_sentence,
    first_upper,
    is_plural,
    is_plural_phrase,
    join_words,
    quote_title,
    speak_name,
)
from rulewright.wording.phrases import DicePhraseGenerator, PhraseGenerator

_NON_VERB_PATTERN = re.compile(
    r"an?|the|any|some|another|more|no|one|two|three|four|five|six|whom?|whose|which|where|what|when|how|why|do|does|did|is|are|"
    r"was|were|has|have|had|can|could|may|might|must|shall|should|will|would|[^a-z].*"
)
"""First words of prompts that are more than a verb phrase."""
_PROCEDURE_NOUNS = frozenset(
    {"Action", "Check", "Move", "Phase", "Procedure", "Roll", "Round", "Sequence", "Step", "Table", "Test", "Turn"}
)
_LEAST_CAPITAL_LENGTH = 4
_SECOND_PERSON_WORDS = ((r"\byour\b", "their"), (r"\byou\b", "they"), (r"\byours\b", "theirs"))


@dataclass(frozen=True, slots=True)
class Annotations:
    """What stands beside the rules, by address."""

    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # comments of the author
    footnotes: Mapping[str, tuple[Footnote, ...]] = field(default_factory=dict)  # rulings beside declarations, settings


NO_ANNOTATIONS = Annotations()


class SentenceGenerator:
    """Sentences of the statements of one routine.

    Args:
        program: scope of all names.
        phrases: of the expressions of the routine.
        annotations: comments of the author and chosen readings by address of a statement.
        routine: what its own statements call the routine.
    """

    def __init__(
        self,
        program: Program,
        phrases: PhraseGenerator,
        annotations: Annotations = NO_ANNOTATIONS,
        routine: str = "The procedure",
    ) -> None:
        self._program = program
        self._routine_name = routine
        self._phrases = phrases
        self._annotations = annotations
        self._rulings: list[Footnote] = []  # met and not yet told
        self._row_tables = RowTableGenerator(phrases)
        self._dice_phrases = DicePhraseGenerator(phrases)
        self._enclosing_cites: tuple[tuple[str, ...], ...] = ((),)

    def block_with_margins(self, block: Sequence[st.Statement], *margins: tuple[str, ...]) -> tuple[Paragraph, ...]:
        """Statements of a block with margins around it; inherited margins are not repeated."""
        before, self._enclosing_cites = self._enclosing_cites, margins
        paragraphs = self.block_paragraphs(block)
        self._enclosing_cites = before
        if not self._rulings:
            return paragraphs
        *others, last = paragraphs or (Paragraph("Nothing happens."),)
        return (*others, replace(last, footnotes=(*last.footnotes, *self._take_rulings())))

    def _take_rulings(self) -> tuple[Footnote, ...]:
        rulings, self._rulings = tuple(self._rulings), []
        return rulings

    def block_paragraphs(self, block: Sequence[st.Statement]) -> tuple[Paragraph, ...]:
        """A paragraph for each statement of a block that does something; rulings are footnotes of the next one."""
        paragraphs: list[Paragraph] = []
        before: st.Statement | None = None
        for item in block:
            if does_nothing((item,)):
                around = {clause for cites in self._enclosing_cites for clause in cites}
                self._rulings += [
                    make_ruling_footnote(line.number, line.text, [each for each in line.cites if each not in around])
                    for line in walk_nodes(item)
                    if isinstance(line, st.Ruling)
                ]
            else:
                paragraphs += self.line_paragraphs(item, before)
                before = item
        return tuple(paragraphs)

    def line_paragraphs(self, line: st.Statement, before: st.Statement | None = None) -> list[Paragraph]:
        """A statement, and the other branches of a condition."""
        around, self._enclosing_cites = self._enclosing_cites, (*self._enclosing_cites, line.cites)
        rulings = self._take_rulings()
        paragraph, others = (
            self._make_line_paragraph(line, before),
            self._other_branch_paragraphs(line) if isinstance(line, st.If) else [],
        )
        self._enclosing_cites = around
        clauses = line.cites if line.cites not in around else ()
        notes, footnotes = self._annotations.notes, self._annotations.footnotes
        paragraph = replace(
            paragraph,
            cites=clauses,
            notes=notes.get(line.address, ()),
            span=line.span,
            footnotes=(*rulings, *footnotes.get(line.address, ()), *self._take_rulings()),
        )
        return [paragraph, *others]

    def _make_line_paragraph(self, line: st.Statement, before: st.Statement | None) -> Paragraph:
        say = self._phrases
        match line:
            case st.Let():
                return Paragraph(self._let_sentence(line))
            case st.Assign():
                return Paragraph(f"{first_upper(self._assignment_clause(line))}.")
            case st.AddAmount():
                return self._make_amount_paragraph(line)
            case st.AddMember(place=place, member=member, take=take):
                verb, where = ("Take", "from") if take else ("Add", "to")
                what = "a blank" if is_none_literal(member) else say.noun_phrase(member)
                return self._add_else_paragraph(
                    Paragraph(f"{verb} {what} {where} {say.changed_place_phrase(place)}."),
                    line.otherwise,
                )
            case st.AddPair(relation=relation, first=first, second=second, take=take):
                return Paragraph(f"From now on, {say.relation_clause(relation, first, second, truth=not take)}.")
            case st.Move(thing=thing, destination=destination):
                return Paragraph(f"Move {say.noun_phrase(thing)} to {say.noun_phrase(destination)}.")
            case st.Turn(thing=thing, heading=heading, face=face):
                return Paragraph(
                    f"Turn {say.noun_phrase(thing)} to {'face ' if face else ''}{say.noun_phrase(heading)}."
                )
            case st.PlaceThing(thing=thing, spot=ex.Literal(value=None)):
                return Paragraph(f"Take {say.noun_phrase(thing)} off the board.")
            case st.PlaceThing(thing=thing, spot=spot):
                return Paragraph(f"Place {say.noun_phrase(thing)} at {say.noun_phrase(spot)}.")
            case st.Remove(thing=thing):
                return Paragraph(f"Remove {say.noun_phrase(thing)} from play.")
            case st.Together(block=block):
                return self._headed_paragraph("All of this happens at once:", block)
            case st.If(branches=branches):
                return self._headed_paragraph(f"{self.if_clause(branches[0].condition, before)}:", branches[0].block)
            case st.Match(subject=subject, cases=cases):
                inside = tuple(self._make_case_paragraph(case_, subject) for case_ in cases)
                return Paragraph(f"Depending on {say.noun_phrase(subject)}:", inside)
            case st.ForEach(binding=binding, block=block):
                return self._headed_paragraph(f"{self.loop_phrase(binding)}:", block)
            case st.Repeat(condition=condition, block=block):
                sentence = f"Repeat while {say.condition_clause(condition)}:"
                return self._headed_paragraph(sentence, block)
            case st.Nothing(remark=remark):
                return Paragraph(end_sentence(first_upper(remark)) if remark else "Nothing happens.")
            case st.Ruling(number=number, text=text):
                return Paragraph(end_sentence(f"Ruling {number}: {text}"))
            case st.Stop():
                return Paragraph("Stop repeating this.")
            case st.Proceed(step=step):
                return Paragraph(f"Go to {self._step_reference(step, line.address)}.")
            case st.Finish(value=value):
                return Paragraph(f"{self._routine_name} ends{self._result_clause(value)}.")
            case st.FinishOuter(procedure=procedure, value=value):
                title = self._program.procedures[procedure].title or speak_name(procedure)
                return Paragraph(f"“{title}” ends{self._result_clause(value)}.")
            case st.Perform():
                return self._make_perform_paragraph(line)
            case st.PerformExternal(external=external, arguments=arguments, result=result):
                title = self._program.external_procedures[external].title or speak_name(external)
                sentence = f"Carry out {_quote_performed(title)}{self._arguments_phrase(arguments)} (rules in another text){self._result_name_clause(result)}."
                return Paragraph(sentence, see=(CrossReference(title, make_anchor("external", external)),))
            case st.Trigger():
                return self._make_trigger_paragraph(line)
            case st.TallyLine(variable=variable, start=start, title=title):
                called = say.variable_phrase(variable)
                starts = f"{_prefix_title(title, called)} {agree_verb(called, 'starts', 'start')} at {say.noun_phrase(start)}"
                return replace(
                    self._row_tables.make_rule_table(line), text=f"{starts}; each row that applies changes it:"
                )
            case st.DecideLine(variable=variable, title=title):
                called = say.variable_phrase(variable)
                decided = "is decided by the first row that applies"
                same = title.lower() == called.removeprefix("the ")
                sentence = (
                    f"{title}: the first row that applies decides:"
                    if same
                    else f"{_prefix_title(title, called)} {decided}:"
                )
                return replace(self._row_tables.make_rule_table(line), text=sentence)
            case st.Rank(variable=variable, binding=binding, keys=keys):
                sentence = f"Put each {say.filtered_member_phrase(binding)} in order ({say.variable_phrase(variable)}):"
                return Paragraph(sentence, tuple(self.rank_key_paragraph(key, is_first=key is keys[0]) for key in keys))
            case st.Roll():
                return Paragraph(self._roll_sentence(line))
            case st.Reroll(dice=dice, by=by):
                who = f"{first_upper(say.noun_phrase(by))} rolls" if by is not None else "Roll"
                return Paragraph(f"{who} {say.noun_phrase(dice)} again.")
            case st.Draw(place=place, variable=variable, learner=learner):
                how = "from the top of {}" if isinstance(place.type, DeckType) else "at random from {}"
                who = "Draw" if learner is None else f"{first_upper(say.noun_phrase(learner))} draws in secret"
                paragraph = Paragraph(
                    f"{who} {_indefinite_noun(say.variable_phrase(variable))} {how.format(say.changed_place_phrase(place))}."
                )
                return self._add_else_paragraph(paragraph, line.otherwise, "If there is none:")
            case st.Shuffle(place=place):
                return Paragraph(f"Shuffle {say.changed_place_phrase(place)}.")
            case st.Reveal(variable=variable):
                return Paragraph(f"Reveal {say.variable_phrase(variable)}.")
            case st.Ask():
                return self._make_question_paragraph(line, say.noun_phrase(line.who))
            case st.AskAll(players=players, question=question):
                return self._make_question_paragraph(
                    question, f"at the same time, each of {add_definite_article(say.filtered_members_phrase(players))}"
                )

    # Statements by class.

    def _let_sentence(self, line: st.Let) -> str:
        called = self._phrases.variable_phrase(line.variable)
        match line.value:
            case None:
                return f"{first_upper(called)} is not known yet."
            case ex.Literal(value=None):
                return f"There is no {called.removeprefix('the ')} yet."
            case ex.Literal(value=bool(value)):
                return f"Let {called} be {'yes' if value else 'no'}."
            case value:
                return f"Let {called} be {self._phrases.value_phrase(value)}."

    def _assignment_clause(self, line: st.Assign) -> str:
        say = self._phrases
        match line.place, line.value:
            case ((st.AttributePlace(target, _, name) | st.CellPlace(target, _, name)), ex.Literal(value=bool(truth))):
                mark, whom = f"“{speak_name(name)}”", say.noun_phrase(target)
                return f"mark {whom} {mark}" if truth else f"{whom} is no longer marked {mark}"
            case ((st.VariablePlace() | st.GamePlace() as place), ex.Literal(value=bool(truth))):
                return f"let {say.changed_place_phrase(place)} be {'yes' if truth else 'no'}"
            case place, ex.Joined(operator="+", left=left, right=right) if say.noun_phrase(
                left
            ) == say.changed_place_phrase(place):
                return f"add {self._several_phrase(right)} to {say.changed_place_phrase(place)}"
            case st.AttributePlace(target, _, name), value if is_none_literal(value):
                return f"{say.noun_phrase(target)} has no {speak_name(name)} any more"
            case place, value if is_none_literal(value):
                return f"there is no {say.changed_place_phrase(place).removeprefix('the ')} any more"
            case st.AttributePlace(target, _, name), ex.MakeCollection(items=()) if is_plural(
                say.attribute_phrase(name)
            ):
                return f"{say.noun_phrase(target)} has no {say.attribute_phrase(name)} any more"
            case place, ex.MakeCollection(items=()) if not isinstance(place, st.AttributePlace) and is_plural_phrase(
                say.changed_place_phrase(place)
            ):
                return f"there are no {say.changed_place_phrase(place).removeprefix('the ')} any more"
            case place, ex.MakeCollection(items=()):
                return f"empty {say.changed_place_phrase(place)}"
            case place, value:
                noun, phrase = say.changed_place_phrase(place), say.value_phrase(value)
                shift = phrase.removeprefix(f"{noun} moved ")
                if shift != phrase:
                    return f"{noun} {agree_verb(noun, 'moves', 'move')} {shift}"
                return f"{noun} {agree_verb(noun, 'becomes', 'become')} {phrase}"

    def _several_phrase(self, node: Expression) -> str:
        """What is added or taken; several equal ones as `2 of Lull`."""
        match node:
            case ex.Comprehension(
                binding=Binding(variables=(None,), source=ex.Interval(low=ex.Literal(value=1), high=often), where=None),
                value=value,
                type=ListType(),
            ):
                return f"{self._phrases.embedded_phrase(often)} of {self._phrases.noun_phrase(value)}"
            case _:
                return self._phrases.noun_phrase(node)

    def _make_amount_paragraph(self, line: st.AddAmount) -> Paragraph:
        say, take = self._phrases, line.take
        far = ", as far as possible" if line.up_to else ""
        otherwise = line.otherwise
        if otherwise is not None and does_nothing(otherwise):
            is_one_of_a_stock = (
                take and line.low == 0 and isinstance(line.amount, ex.Literal) and line.amount.value == 1
            )
            far = ", if it has one" if is_one_of_a_stock else ", if that is possible"
            self.block_paragraphs(otherwise)  # rulings at most, as footnotes of this line
            otherwise = None
        match line.place:
            case st.AttributePlace(target, kind, name):
                verb, called = "loses" if take else "gains", call_attribute(kind, name, self._program)
                sentence = f"{say.noun_phrase(target)} {verb} {say.amount_phrase(line.amount, called)}{far}."
            case place:
                verb, where = ("take", "from") if take else ("add", "to")
                amount = say.noun_phrase(line.amount)
                sentence = f"{verb} {amount}{',' if ', rounded ' in amount else ''} {where} {say.changed_place_phrase(place)}{far}."
        return self._add_else_paragraph(Paragraph(first_upper(sentence)), otherwise)

    def _headed_paragraph(self, head: str, block: st.Block, cites: tuple[str, ...] = ()) -> Paragraph:
        """Statements of a block under a head that ends in a colon."""
        inside = self.block_paragraphs(block)
        return Paragraph(head if inside else f"{head} nothing happens.", inside, cites, footnotes=self._take_rulings())

    def _branch_paragraphs(self, head: str, block: st.Block) -> list[Paragraph]:
        """A branch under its head; of one that does nothing only the rulings are kept, for the line that it belongs to."""
        if does_nothing(block):
            self.block_paragraphs(block)
            return []
        return [self._headed_paragraph(head, block)]

    def _add_else_paragraph(
        self, paragraph: Paragraph, block: st.Block | None, head: str = "If that is impossible:"
    ) -> Paragraph:
        if block is None:
            return paragraph
        return replace(paragraph, inside=(*paragraph.inside, self._headed_paragraph(head, block)))

    def _other_branch_paragraphs(self, line: st.If) -> list[Paragraph]:
        paragraphs = [
            self._headed_paragraph(f"Otherwise, if {self._phrases.condition_clause(branch.condition)}:", branch.block)
            for branch in line.branches[1:]
        ]
        return [*paragraphs, *self._branch_paragraphs("Otherwise:", line.otherwise or ())]

    def if_clause(self, condition: Expression, before: st.Statement | None) -> str:
        """`If so` directly after the question that is meant, else the condition."""
        flag_variable = before.variable if isinstance(before, st.Ask) and isinstance(before.shape, st.Whether) else None
        match condition:
            case ex.Local(variable=variable) if variable == flag_variable:
                return "If so"
            case ex.Not(operand=ex.Local(variable=variable)) if variable == flag_variable:
                return "If not"
            case _:
                return f"If {self._phrases.condition_clause(condition)}"

    def _make_case_paragraph(self, case: st.Case, subject: Expression) -> Paragraph:
        values = self.case_values_phrase(case.values, subject)
        return self._headed_paragraph(f"{first_upper(values) if values else 'Otherwise'}:", case.block, case.cites)

    def case_values_phrase(self, values: Sequence[Expression], subject: Expression | None = None) -> str:
        """Values of a case, `2 to 7 or 12`, in the words of what is compared with them if it is given."""
        return join_words(list(self._case_value_phrases(values, subject)), "or")

    def _case_value_phrases(self, values: Sequence[Expression], subject: Expression | None) -> Iterator[str]:
        """Three or more consecutive numbers as `2 to 7`."""
        say = self._phrases

        def run_key(at: tuple[int, Expression]) -> object:
            match at:
                case place, ex.Literal(type=NumberType(), value=int() as number):
                    return number - place
                case _:
                    return at

        for _, result in groupby(enumerate(values), run_key):
            first, *more = [
                say.compared_value_phrase(item, subject) if subject else say.noun_phrase(item) for _, item in result
            ]
            yield from [f"{first} to {more[-1]}"] if len(more) > 1 else [first, *more]

    def loop_condition(self, line: st.LoopLine) -> str:
        """Under which condition the lines of a loop run."""
        if isinstance(line, st.ForEach):
            return self.loop_phrase(line.binding)
        return f"while {self._phrases.condition_clause(line.condition)}"

    def loop_phrase(self, binding: Binding) -> str:
        """How often, or for which members, a loop runs."""
        match binding:
            case Binding(variables=(None,), source=ex.Interval(low=ex.Literal(value=1), high=high), where=None):
                return first_upper(self._phrases.repetition_phrase(high))
            case Binding(variables=(None,), source=ex.Interval(low=low, high=high), where=None):
                return (
                    f"Once for each number from {self._phrases.limit_phrase(low)} to {self._phrases.limit_phrase(high)}"
                )
            case _:
                return f"For each {self._phrases.filtered_member_phrase(binding)}"

    def _result_clause(self, value: Expression | None) -> str:
        return "" if value is None else f", and its result is {self._phrases.value_phrase(value)}"

    def _arguments_phrase(self, arguments: Sequence[Expression]) -> str:
        return (
            f" for {join_words([self._phrases.noun_phrase(argument) for argument in arguments])}" if arguments else ""
        )

    def _result_name_clause(self, result: Variable | None) -> str:
        return "" if result is None else f"; its result is {self._phrases.variable_phrase(result)}"

    def _make_perform_paragraph(self, line: st.Perform) -> Paragraph:
        procedure = self._program.procedures[line.procedure]
        title = procedure.title or speak_name(line.procedure)
        part = f"steps {line.steps[0]} to {line.steps[1]} of " if line.steps else ""
        given = self._phrases.roles_phrase(procedure.parameters, line.arguments)
        deep = f" (never more than {self._phrases.noun_phrase(line.depth)} deep)" if line.depth is not None else ""
        sentence = f"Carry out {part}{_quote_performed(title)}{given}{deep}{self._result_name_clause(line.result)}."
        return Paragraph(sentence, see=(CrossReference(title, make_anchor("procedure", line.procedure)),))

    def _make_trigger_paragraph(self, line: st.Trigger) -> Paragraph:
        event = self._program.events[line.event]
        title = event.title or speak_name(event.name)
        reacts = event.holders is not None or any(
            handler.event == event.name for handler in self._program.handlers.values()
        )
        given = "" if line.result is None else f"; what they give is {self._phrases.variable_phrase(line.result)}"
        now = f": resolve the reactions to it now{given}" if reacts else ""
        sentence = f"“{title}” happens{self._phrases.roles_phrase(event.parameters, line.arguments)}{now}."
        return Paragraph(sentence, see=(CrossReference(title, make_anchor("event", event.name)),))

    def rank_key_paragraph(self, key: st.RankKey, *, is_first: bool = False) -> Paragraph:
        """List item of a key of a rank."""
        say = self._phrases
        name = key.title or speak_name(key.id)
        if key.dice is not None:
            return Paragraph(
                f"{name}: {say.noun_phrase(key.value)} rolls {self._dice_phrases.rolled_dice_phrase(key.dice)}, {key.best} first",
                cites=key.cites,
            )
        if key.best == "ask":
            does = "decides" if is_first else "may rearrange those of theirs that stand next to each other"
            return Paragraph(f"{name}: {say.noun_phrase(key.value)} {does}", cites=key.cites)
        if isinstance(key.value.type, FlagType):
            where = "first" if key.best == "highest" else "last"
            return Paragraph(f"{name}: {where} if {say.condition_clause(key.value)}", cites=key.cites)
        return Paragraph(f"{name}: {say.noun_phrase(key.value)}, {key.best} first", cites=key.cites)

    def _roll_sentence(self, line: st.Roll) -> str:
        say = self._phrases
        who = f"{first_upper(say.noun_phrase(line.by))} rolls" if line.by is not None else "Roll"
        dice = self._dice_phrases.rolled_dice_phrase(line.parts, line.options)
        return f"{who} {dice} ({speak_name(line.variable.name)})."

    def _step_reference(self, step: str, address: str) -> str:
        procedure = self._program.procedures.get(address.partition("/")[0])
        titles = [step_heading(item) for item in procedure.steps if item.id == step] if procedure else []
        return step_reference(step, titles[0] if titles else speak_name(step))

    # Questions.

    def _make_question_paragraph(self, line: st.Ask, who: str) -> Paragraph:
        secret = " in secret" if line.secret else ""
        sentence, inside = self._question_sentence(line, who, secret)
        demands = [self.demand_paragraph(demand) for demand in line.demands]
        otherwise = line.otherwise or ()
        if isinstance(line.shape, st.Whether):
            branches = (*self._branch_paragraphs("If so:", line.block), *self._branch_paragraphs("If not:", otherwise))
            return Paragraph(sentence, (*demands, *branches))
        after = self.block_paragraphs(line.block)
        no = self._branch_paragraphs("If there is no possible answer:", otherwise)
        return Paragraph(sentence, (*inside, *demands, *after, *no))

    def _question_sentence(self, line: st.Ask, who: str, secret: str) -> tuple[str, tuple[Paragraph, ...]]:
        say, prompt = self._phrases, line.prompt.strip()
        name = say.variable_phrase(line.variable)
        asks, whom = first_upper(who), f"({name}; “{prompt}”)"
        match line.shape:
            case st.Whether(guard):
                when = f"If {say.condition_clause(guard)}, " if guard is not None else ""
                name_note = f" ({name})" if line.variable not in say.asked_variables else ""
                is_used_later = not (line.block or line.otherwise)
                unasked = "; otherwise the answer is no" if when and is_used_later else ""
                return f"{first_upper(f'{when}{self._may_clause(who, prompt, secret)}')}{name_note}{unasked}.", ()
            case st.OneOf(binding):
                source = self._choice_source_phrase(binding)
                is_named = source.strip("“").startswith(add_article(name.removeprefix("the ")))
                return f"{asks} chooses{secret} {source} {f'(“{prompt}”)' if is_named else whom}.", ()
            case st.Pick(low, high, binding):
                least, most = say.picked_number_phrase(low), say.picked_number_phrase(high)
                count = least if least == most else f"up to {most}" if least == "0" else f"{least} to {most}"
                much = f"{count} of {add_definite_article(say.filtered_members_phrase(binding))}"
                return f"{asks} chooses{secret} {much} {whom}.", ()
            case st.Split(amount, over):
                return f"{asks} divides{secret} {say.noun_phrase(amount)} among {say.noun_phrase(over)} {whom}.", ()
            case st.Order(items):
                return f"{asks} puts {add_definite_article(say.noun_phrase(items))} in order{secret} {whom}.", ()
            case st.PlaceWhere(thing):
                return f"{asks} chooses{secret} a place and facing for {say.noun_phrase(thing)} {whom}.", ()
            case st.TurnHow(thing):
                return f"{asks} chooses{secret} a facing for {say.noun_phrase(thing)} {whom}.", ()
            case st.Choose(options):
                return f"{asks} decides{secret}, “{prompt}”:", tuple(map(self._make_option_paragraph, options))

    def _choice_source_phrase(self, binding: Binding) -> str:
        """`a number from 1 to 3`, `one of the units that are ready`."""
        say = self._phrases
        if title := say.titled_member_phrase(binding):
            return title
        match binding.source:
            case ex.Interval() as source if binding.where is None:
                return f"a number from {say.noun_phrase(source)}"
            case ex.MakeCollection(items=items) if items and binding.where is None:
                return join_words([say.embedded_phrase(item) for item in items], "or")
            case source if binding.where is not None and isinstance(
                say.find_pronoun_or_name(binding, binding.where), str
            ):
                return f"one of {say.definite_members_phrase(source)}, and only one for which {say.condition_clause(binding.where)}"
            case source:
                members = add_definite_article(say.filtered_members_phrase(binding))
                if " that are each " in members:
                    members = f"{say.definite_members_phrase(source)}{say.filter_phrase(binding)}"
                return f"one of {members}"

    def _may_clause(self, who: str, prompt: str, secret: str) -> str:
        """`the owner may push the losing unit` if the prompt begins with a verb; else the prompt itself."""
        words = prompt.rstrip("?").split(" ")
        if prompt.endswith("?") and not _NON_VERB_PATTERN.fullmatch(words[0].lower()):
            sentence = f"{words[0].lower()}{' ' if words[1:] else ''}{' '.join(words[1:])}"
            for pattern, instead in _SECOND_PERSON_WORDS:
                sentence = re.sub(pattern, instead, sentence)
            return f"{who} may{secret} {sentence}"
        return f"{who} answers{secret} yes or no: “{prompt}”"

    def _make_option_paragraph(self, option: st.Option) -> Paragraph:
        guard = f" (only if {self._phrases.condition_clause(option.guard)})" if option.guard is not None else ""
        title, inside = option.title or speak_name(option.id), self.block_paragraphs(option.block)
        return Paragraph(f"{title}{guard}{':' if inside else '.'}", inside, option.cites)

    def demand_paragraph(self, demand: st.Demand) -> Paragraph:
        """Requirement on an answer."""
        when = f"If {self._phrases.condition_clause(demand.guard)}, " if demand.guard is not None else ""
        head = "if possible" if demand.prefer else "this must hold"
        sentence = f"{when}{head}: {self._phrases.condition_clause(demand.condition)}{quote_title(demand.title)}."
        return Paragraph(first_upper(sentence), cites=demand.cites)


def make_ruling_footnote(ruling: str, text: str, cites: Sequence[str] = ()) -> Footnote:
    """Footnote of a ruling with this id."""
    return Footnote(end_sentence(first_upper(text)), ruling, tuple(cites))


def make_anchor(sort: str, name: str) -> str:
    """Anchor of a place in the chapter."""
    return re.sub(r"[^a-z0-9]+", "-", f"{sort}-{name}".lower()).strip("-")


def step_number(step: str) -> str:
    """Number of a step, a figure or letter; empty if its id is a word."""
    return step if len(step) == 1 or any(map(str.isdigit, step)) else ""


def step_heading(step: Step) -> str:
    """Title of a step; its id if it has no title and no number."""
    return step.title or ("" if step_number(step.id) else first_upper(speak_name(step.id)))


def step_reference(step: str, title: str) -> str:
    """Reference of a jump to a step: its number, else its title."""
    is_bare = step[:1].isdigit() or len(step) == 1
    return f"“{title}”" if not step_number(step) else f"step {step}" if is_bare else step


def _quote_performed(title: str) -> str:
    """`the “Attack Test Procedure”`; no article before a title that is a sentence, such as `“Deal wounds”`."""
    words = re.split(r" \(|[,:]", title, maxsplit=1)[0].split(" ")
    is_name = len(words) > 1 and words[-1] in _PROCEDURE_NOUNS and words[0] not in {"A", "An", "The"}
    is_name = is_name and all(word[:1].isupper() for word in words if len(word) >= _LEAST_CAPITAL_LENGTH)
    return f"the “{title}”" if is_name else f"“{title}”"


def _prefix_title(title: str, called: str) -> str:
    return f"{title}: {called}" if title else first_upper(called)


def _indefinite_noun(noun: str) -> str:
    """`a card` of `the drawn card`; what has no noun is one of them."""
    return add_article(noun.removeprefix("the ").removeprefix("drawn ")) if noun.startswith("the ") else f"one ({noun})"
