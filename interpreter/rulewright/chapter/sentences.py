"""Lines of routines as sentences of a rulebook."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from rulewright.chapter.document import CrossReference, Paragraph
from rulewright.chapter.english import agreed, are_several, explaining, first_upper, the
from rulewright.chapter.phrases import Phrases
from rulewright.chapter.rows import Rows
from rulewright.chapter.throws import Throws
from rulewright.program import expressions as ex, statements as st
from rulewright.program.conditions import is_none
from rulewright.program.declarations import Program, Step
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import DeckType, FlagType, NumberType
from rulewright.telling.conditions import attribute_called, listed, spoken

_NO_VERB = re.compile(
    r"an?|the|any|some|another|more|no|one|two|three|four|five|six|whom?|whose|which|where|what|when|how|why|do|does|did|is|are|"
    r"was|were|has|have|had|can|could|may|might|must|shall|should|will|would|[^a-z].*"
)
"""The first word of a question that is more than a verb with what belongs to it."""
_YOURS = ((r"\byour\b", "their"), (r"\byou\b", "they"), (r"\byours\b", "theirs"))


class Sentences:
    """Puts the lines of one routine into words.

    Args:
        program: whose names are meant.
        phrases: puts the expressions of the routine into words.
        notes: the author's comments, by address of a line.
        routine: what the routine is called in its own lines.
    """

    def __init__(
        self, program: Program, phrases: Phrases, notes: Mapping[str, tuple[str, ...]], routine: str = "The procedure"
    ) -> None:
        self._program = program
        self._routine = routine
        self._say = phrases
        self._notes = notes
        self._rows = Rows(phrases)
        self._throws = Throws(phrases)
        self._around: tuple[tuple[str, ...], ...] = ((),)

    def under(self, block: Sequence[st.Statement], *margins: tuple[str, ...]) -> tuple[Paragraph, ...]:
        """The lines of a block inside these margins; what they take over from them is not told again."""
        before, self._around = self._around, margins
        made = self.block(block)
        self._around = before
        return made

    def block(self, block: Sequence[st.Statement]) -> tuple[Paragraph, ...]:
        """The lines of a block, one entry each; readings met on the way stand among them."""
        made: list[Paragraph] = []
        before: st.Statement | None = None
        for each in block:
            if not isinstance(each, st.Nothing):
                made += self._told(each, before)
                before = each
        return tuple(made)

    def _told(self, line: st.Statement, before: st.Statement | None) -> list[Paragraph]:
        """A line; of an `if` each branch by itself."""
        around, self._around = self._around, (*self._around, line.cites)
        made, others = self._line(line, before), self._others(line) if isinstance(line, st.If) else []
        self._around = around
        clauses = line.cites if line.cites not in around else ()
        return [replace(made, cites=clauses, notes=self._notes.get(line.address, ()), span=line.span), *others]

    def _line(self, line: st.Statement, before: st.Statement | None) -> Paragraph:  # noqa: C901, PLR0911, PLR0912, PLR0915 - each sort
        say = self._say
        match line:
            case st.Let():
                return Paragraph(self._let(line))
            case st.Assign():
                return Paragraph(f"{first_upper(self._set(line))}.")
            case st.AddAmount():
                return self._amount(line)
            case st.AddMember(place=place, member=member, take=take):
                verb, where = ("Take", "from") if take else ("Add", "to")
                return self._else(Paragraph(f"{verb} {say.noun(member)} {where} {say.place(place)}."), line.otherwise)
            case st.AddPair(relation=relation, first=first, second=second, take=take):
                return Paragraph(f"From now on, {say.related(relation, first, second, truth=not take)}.")
            case st.Move(thing=thing, destination=destination):
                return Paragraph(f"Move {say.noun(thing)} to {say.noun(destination)}.")
            case st.Turn(thing=thing, heading=heading, face=face):
                return Paragraph(f"Turn {say.noun(thing)} to {'face ' if face else ''}{say.noun(heading)}.")
            case st.PlaceThing(thing=thing, spot=ex.Literal(value=None)):
                return Paragraph(f"Take {say.noun(thing)} off the board.")
            case st.PlaceThing(thing=thing, spot=spot):
                return Paragraph(f"Place {say.noun(thing)} at {say.noun(spot)}.")
            case st.Remove(thing=thing):
                return Paragraph(f"Remove {say.noun(thing)} from play.")
            case st.Together(block=block):
                return Paragraph("All of this happens at once:", self.block(block))
            case st.If(branches=branches):
                return Paragraph(f"{self.condition(branches[0].condition, before)}:", self.block(branches[0].block))
            case st.Match(subject=subject, cases=cases):
                inside = tuple(self._case(each, subject) for each in cases)
                return Paragraph(f"Depending on {say.noun(subject)}:", inside)
            case st.ForEach(binding=binding, block=block):
                return Paragraph(f"{self.for_each(binding)}:", self.block(block))
            case st.Repeat(condition=condition, bound=bound, block=block):
                said = f"Repeat while {say.sentence(condition)}, {say.at_most(bound)}:"
                return Paragraph(said, self.block(block))
            case st.Nothing():
                return Paragraph("Nothing happens.")
            case st.Stop():
                return Paragraph("Stop repeating this.")
            case st.Proceed(step=step, bound=bound):
                often = f" ({say.at_most(bound)})" if bound is not None else ""
                return Paragraph(f"Go to {self._step(step, line.address)}{often}.")
            case st.Finish(value=value):
                return Paragraph(f"{self._routine} ends{self._result(value)}.")
            case st.FinishOuter(procedure=procedure, value=value):
                title = self._program.procedures[procedure].title or spoken(procedure)
                return Paragraph(f"“{title}” ends{self._result(value)}.")
            case st.Perform():
                return self._perform(line)
            case st.PerformExternal(external=external, arguments=arguments, result=result):
                title = self._program.external_procedures[external].title or spoken(external)
                said = f"Carry out “{title}”{self._with(arguments)} (rules in another text){self._named(result)}."
                return Paragraph(said, see=(CrossReference(title, anchor("external", external)),))
            case st.Trigger():
                return self._trigger(line)
            case st.TallyLine(variable=variable, start=start, title=title):
                called = say.variable(variable)
                starts = f"{_headed(title, called)} {agreed(called, 'starts', 'start')} at {say.noun(start)}"
                return replace(self._rows.figures(line), said=f"{starts}; each row that applies changes it:")
            case st.DecideLine(variable=variable, title=title):
                called = say.variable(variable)
                decided = "is decided by the first row that applies"
                same = title.lower() == called.removeprefix("the ")
                said = (
                    f"{title}: the first row that applies decides:" if same else f"{_headed(title, called)} {decided}:"
                )
                return replace(self._rows.figures(line), said=said)
            case st.Rank(variable=variable, binding=binding, keys=keys):
                said = f"Put each {say.one_by_one(binding)} in order ({say.variable(variable)}):"
                return Paragraph(said, tuple(map(self.key, keys)))
            case st.Roll():
                return Paragraph(self._roll(line))
            case st.Reroll(dice=dice, by=by):
                who = f"{first_upper(say.noun(by))} rolls" if by is not None else "Roll"
                return Paragraph(f"{who} {say.noun(dice)} again.")
            case st.Draw(place=place, variable=variable, learner=learner):
                how = "from the top of {}" if isinstance(place.type, DeckType) else "at random from {}"
                who = "Draw" if learner is None else f"{first_upper(say.noun(learner))} draws in secret"
                made = Paragraph(f"{who} {_a(say.variable(variable))} {how.format(say.place(place))}.")
                return self._else(made, line.otherwise, "If there is none:")
            case st.Shuffle(place=place):
                return Paragraph(f"Shuffle {say.place(place)}.")
            case st.Reveal(variable=variable):
                return Paragraph(f"Reveal {say.variable(variable)}.")
            case st.Ruling(number=number, text=text):
                return Paragraph(f"Ruling {number}: {text}.")
            case st.Ask():
                return self._ask(line, say.noun(line.who))
            case st.AskAll(players=players, question=question):
                return self._ask(question, f"at the same time, each of {the(say.members(players))}")

    # Single sorts of lines.

    def _let(self, line: st.Let) -> str:
        called = self._say.variable(line.variable)
        match line.value:
            case None:
                return f"{first_upper(called)} is not known yet."
            case ex.Literal(value=None):
                return f"There is no {called.removeprefix('the ')} yet."
            case ex.Literal(value=bool(value)):
                return f"Let {called} be {'yes' if value else 'no'}."
            case value:
                return f"Let {called} be {self._say.value(value)}."

    def _set(self, line: st.Assign) -> str:  # noqa: PLR0911 - one for each sort
        say = self._say
        match line.place, line.value:
            case ((st.AttributePlace(target, _, name) | st.CellPlace(target, _, name)), ex.Literal(value=bool(truth))):
                mark, whom = f"“{spoken(name)}”", say.noun(target)
                return f"mark {whom} {mark}" if truth else f"{whom} is no longer marked {mark}"
            case ((st.VariablePlace() | st.GamePlace() as place), ex.Literal(value=bool(truth))):
                return f"let {say.place(place)} be {'yes' if truth else 'no'}"
            case st.AttributePlace(target, _, name), value if is_none(value):
                return f"{say.noun(target)} has no {spoken(name)} any more"
            case place, value if is_none(value):
                return f"there is no {say.place(place).removeprefix('the ')} any more"
            case st.AttributePlace(target, _, name), ex.MakeCollection(items=()):
                return f"{say.noun(target)} has no {say.attribute(name)} any more"
            case place, ex.MakeCollection(items=()) if are_several(say.place(place)):
                return f"there are no {say.place(place).removeprefix('the ')} any more"
            case place, value:
                noun = say.place(place)
                return f"{noun} {agreed(noun, 'becomes', 'become')} {say.value(value)}"

    def _amount(self, line: st.AddAmount) -> Paragraph:
        say, take = self._say, line.take
        far = ", as far as possible" if line.up_to else ""
        match line.place:
            case st.AttributePlace(target, kind, name):
                verb, called = "loses" if take else "gains", attribute_called(kind, name, self._program)
                said = f"{say.noun(target)} {verb} {say.amount(line.amount, called)}{far}."
            case place:
                verb, where = ("take", "from") if take else ("add", "to")
                said = f"{verb} {say.noun(line.amount)} {where} {say.place(place)}{far}."
        return self._else(Paragraph(first_upper(said)), line.otherwise)

    def _else(self, made: Paragraph, block: st.Block | None, head: str = "If that is impossible:") -> Paragraph:
        inside = self.block(block or ())
        if block is None:
            return made
        without = Paragraph(head if inside else f"{head} nothing happens.", inside)
        return Paragraph(made.said, (*made.inside, without), see=made.see)

    def _others(self, line: st.If) -> list[Paragraph]:
        """The branches of an `if` behind its first one."""
        made = [
            Paragraph(f"Otherwise, if {self._say.sentence(each.condition)}:", self.block(each.block))
            for each in line.branches[1:]
        ]
        return [*made, Paragraph("Otherwise:", self.block(line.otherwise))] if line.otherwise else made

    def condition(self, condition: Expression, before: st.Statement | None) -> str:
        """`If so` right after the question that is meant; else the condition."""
        asked = before.variable if isinstance(before, st.Ask) and isinstance(before.shape, st.Whether) else None
        match condition:
            case ex.Local(variable=variable) if variable == asked:
                return "If so"
            case ex.Not(operand=ex.Local(variable=variable)) if variable == asked:
                return "If not"
            case _:
                return f"If {self._say.sentence(condition)}"

    def _case(self, case: st.Case, subject: Expression) -> Paragraph:
        values = listed(list(self._values(case.values, subject)), "or")
        inside = self.block(case.block)
        head = first_upper(values) if values else "Otherwise"
        return Paragraph(f"{head}:" if inside else f"{head}: nothing happens.", inside, case.cites)

    def _values(self, values: Sequence[Expression], subject: Expression) -> Iterator[str]:
        """The values of a case; three numbers or more that follow each other as `2 to 7`."""

        def before(at: tuple[int, Expression]) -> object:
            match at:
                case place, ex.Literal(type=NumberType(), value=int() as number):
                    return number - place
                case _:
                    return at

        for _, found in groupby(enumerate(values), before):
            first, *more = [self._say.answer(each, subject) for _, each in found]
            yield from [f"{first} to {more[-1]}"] if len(more) > 1 else [first, *more]

    def for_each(self, binding: Binding) -> str:
        """How often, or for what, the lines of a loop are carried out."""
        match binding:
            case Binding(variables=(None,), source=ex.Interval(low=ex.Literal(value=1), high=high), where=None):
                return first_upper(self._say.times(high))
            case Binding(variables=(None,), source=ex.Interval(low=low, high=high), where=None):
                return f"Once for each number from {self._say.noun(low)} to {self._say.noun(high)}"
            case _:
                return f"For each {self._say.one_by_one(binding)}"

    def _result(self, value: Expression | None) -> str:
        return "" if value is None else f", and its result is {self._say.value(value)}"

    def _with(self, arguments: Sequence[Expression]) -> str:
        return f" for {listed([self._say.noun(each) for each in arguments])}" if arguments else ""

    def _named(self, result: Variable | None) -> str:
        return "" if result is None else f"; its result is {self._say.variable(result)}"

    def _perform(self, line: st.Perform) -> Paragraph:
        procedure = self._program.procedures[line.procedure]
        title = procedure.title or spoken(line.procedure)
        part = f"steps {line.steps[0]} to {line.steps[1]} of " if line.steps else ""
        given = self._say.roles(procedure.parameters, line.arguments)
        deep = f", at most {self._say.noun(line.depth)} deep" if line.depth is not None else ""
        said = f"Carry out {part}“{title}”{given}{deep}{self._named(line.result)}."
        return Paragraph(said, see=(CrossReference(title, anchor("procedure", line.procedure)),))

    def _trigger(self, line: st.Trigger) -> Paragraph:
        event = self._program.events[line.event]
        title = event.title or spoken(event.name)
        reacts = event.holders is not None or any(each.event == event.name for each in self._program.handlers.values())
        given = "" if line.result is None else f"; what they give is {self._say.variable(line.result)}"
        now = f": resolve the reactions to it now{given}" if reacts else ""
        said = f"“{title}” happens{self._say.roles(event.parameters, line.arguments)}{now}."
        return Paragraph(said, see=(CrossReference(title, anchor("event", event.name)),))

    def key(self, key: st.RankKey) -> Paragraph:
        """A key of a rank, as an entry of its list."""
        say = self._say
        name = key.title or spoken(key.id)
        if key.dice is not None:
            return Paragraph(
                f"{name}: {say.noun(key.value)} rolls {self._throws.dice(key.dice)}, {key.best} first", cites=key.cites
            )
        if key.best == "ask":
            return Paragraph(f"{name}: {say.noun(key.value)} decides", cites=key.cites)
        if isinstance(key.value.type, FlagType):
            where = "first" if key.best == "highest" else "last"
            return Paragraph(f"{name}: {where} if {say.sentence(key.value)}", cites=key.cites)
        return Paragraph(f"{name}: {say.noun(key.value)}, {key.best} first", cites=key.cites)

    def _roll(self, line: st.Roll) -> str:
        say = self._say
        who = f"{first_upper(say.noun(line.by))} rolls" if line.by is not None else "Roll"
        options = [f", {self._throws.option(each)}" for each in line.options]
        return f"{who} {self._throws.dice(line.parts)}{''.join(options)} ({spoken(line.variable.name)})."

    def _step(self, step: str, address: str) -> str:
        procedure = self._program.procedures.get(address.partition("/")[0])
        titles = [titled(each) for each in procedure.steps if each.id == step] if procedure else []
        return called(step, titles[0] if titles else spoken(step))

    # Questions.

    def _ask(self, line: st.Ask, who: str) -> Paragraph:
        secret = " in secret" if line.secret else ""
        said, inside = self._question(line, who, secret)
        demands = [self.demand(each) for each in line.demands]
        after = self.block(line.block)
        otherwise = self.block(line.otherwise or ())
        if isinstance(line.shape, st.Whether):
            yes = [Paragraph("If so:", after)] if after else []
            no = [Paragraph("If not:", otherwise)] if otherwise else []
            return Paragraph(said, (*demands, *yes, *no))
        no = [Paragraph("If there is no possible answer:", otherwise)] if otherwise else []
        return Paragraph(said, (*inside, *demands, *after, *no))

    def _question(self, line: st.Ask, who: str, secret: str) -> tuple[str, tuple[Paragraph, ...]]:  # noqa: PLR0911
        say, prompt = self._say, line.prompt.strip()
        name = say.variable(line.variable)
        asks = f"{first_upper(who)} decides{secret}"
        match line.shape:
            case st.Whether(guard):
                only = (
                    f" This is asked only if {say.sentence(guard)}; if not, the answer is no."
                    if guard is not None
                    else ""
                )
                kept = f" ({name})" if line.variable not in say.asked else ""
                return f"{self._may(who, prompt, secret)}{kept}.{only}", ()
            case st.OneOf(binding):
                return f"{asks}, “{prompt}”: {name}, {self._among(binding)}.", ()
            case st.Pick(low, high, binding):
                least, most = say.part(low), say.part(high)
                much = f"{least if least == most else f'{least} to {most}'} of {the(say.members(binding))}"
                return f"{asks}, “{prompt}”: {much} ({name}).", ()
            case st.Split(amount, over):
                return f"{asks}, “{prompt}”: {say.noun(amount)} divided among {say.noun(over)} ({name}).", ()
            case st.Order(items):
                return f"{asks}, “{prompt}”: an order of {the(say.noun(items))} ({name}).", ()
            case st.PlaceWhere(thing):
                return f"{asks}, “{prompt}”: a place and facing for {say.noun(thing)} ({name}).", ()
            case st.TurnHow(thing):
                return f"{asks}, “{prompt}”: a facing for {say.noun(thing)} ({name}).", ()
            case st.Choose(options):
                return f"{asks}, “{prompt}”:", tuple(map(self._choice, options))

    def _among(self, binding: Binding) -> str:
        """Of what one is chosen: `from 1 to 3`, `one of the units that are ready`."""
        say = self._say
        match binding.source:
            case ex.Interval() as source if binding.where is None:
                return f"from {say.noun(source)}"
            case ex.MakeCollection(items=items) if items and binding.where is None:
                return listed([say.part(each) for each in items], "or")
            case source if binding.where is not None and isinstance(say.alone(binding, binding.where), str):
                return f"one of {say.among(source)}, and only one for which {say.sentence(binding.where)}"
            case _:
                return f"one of {the(say.members(binding))}"

    def _may(self, who: str, prompt: str, secret: str) -> str:
        """`The owner may push the losing unit.` of a prompt that begins with a verb; else the prompt as it is."""
        words = prompt.rstrip("?").split(" ")
        if prompt.endswith("?") and not _NO_VERB.fullmatch(words[0].lower()):
            said = f"{words[0].lower()}{' ' if words[1:] else ''}{' '.join(words[1:])}"
            for pattern, instead in _YOURS:
                said = re.sub(pattern, instead, said)
            return f"{first_upper(who)} may{secret} {said}"
        return f"{first_upper(who)} answers{secret} yes or no: “{prompt}”"

    def _choice(self, option: st.Option) -> Paragraph:
        guard = f" (only if {self._say.sentence(option.guard)})" if option.guard is not None else ""
        title = option.title or spoken(option.id)
        return Paragraph(f"{title}{guard}{':' if option.block else '.'}", self.block(option.block), option.cites)

    def demand(self, demand: st.Demand) -> Paragraph:
        """What an answer must satisfy."""
        when = f"If {self._say.sentence(demand.guard)}, " if demand.guard is not None else ""
        head = "if possible" if demand.prefer else "this must hold"
        said = f"{when}{head}: {self._say.sentence(demand.condition)}{explaining(demand.title)}."
        return Paragraph(first_upper(said), cites=demand.cites)


def anchor(sort: str, name: str) -> str:
    """What links to a place of the chapter lead to."""
    return re.sub(r"[^a-z0-9]+", "-", f"{sort}-{name}".lower()).strip("-")


def numbered(step: str) -> str:
    """What a step is numbered by, a figure or a letter; empty where its id is a word, which its title says better."""
    return step if len(step) == 1 or any(map(str.isdigit, step)) else ""


def titled(step: Step) -> str:
    """What stands over a step: its title; of one that has none its id, unless it is numbered by that."""
    return step.title or ("" if numbered(step.id) else first_upper(spoken(step.id)))


def called(step: str, title: str) -> str:
    """What a jump calls a step: by its number, else by its title."""
    is_bare = step[:1].isdigit() or len(step) == 1
    return f"“{title}”" if not numbered(step) else f"step {step}" if is_bare else step


def _headed(title: str, called: str) -> str:
    return f"{title}: {called}" if title else first_upper(called)


def _a(noun: str) -> str:
    return f"a {noun.removeprefix('the ')}" if noun.startswith("the ") else noun
