"""Conditions as clauses of a sentence, and the places, amounts and numbers that lines speak of."""

from collections.abc import Iterator, Sequence

from rulewright.chapter.english import HOLDS, IS, STATES, agreed, are_several, held, is_of_it, the
from rulewright.chapter.names import plain_name
from rulewright.chapter.nouns import Nouns
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import is_none
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import PLAYER, FlagType, PoolType, ThingType, present
from rulewright.program.wording import a
from rulewright.telling.conditions import be, listed, singular, spoken

_FIGURES = ("the number of ", "the sum of ", "the least of ", "the greatest of ", "the total of ")
_OTHER: dict[str, str] = {"and": "or", "or": "and"}


class Phrases(Nouns):
    """Puts the expressions of one declaration into words."""

    def sentence(self, node: Expression, *, truth: bool = True) -> str:  # noqa: C901, PLR0911, PLR0912
        """A condition, or its opposite, as a clause that can follow `if`."""
        match node:
            case ex.Narrowed(operand=operand):
                return self.sentence(operand, truth=truth)
            case ex.Not(operand=operand):
                return self.sentence(operand, truth=not truth)
            case ex.Logical(operator=operator, left=left, right=right):
                word = operator if truth else _OTHER[operator]
                return f"{self._side(left, word, truth)} {word} {self._side(right, word, truth)}"
            case ex.Literal(value=bool(value)):
                return "always" if value is truth else "never"
            case ex.Comparison():
                return self._comparison(node, truth)
            case ex.Membership():
                return self._membership(node, truth)
            case ex.Gone(target=target):
                return f"{self.noun(target)} is {'out of' if truth else 'in'} play"
            case ex.StoredAttribute(target=target, name=name) | ex.CellAttribute(target=target, name=name):
                return self._flag(self.noun(target), spoken(name), "marked ", truth)
            case ex.DerivedAttribute(target=target, function=function):
                return self._flag(self.noun(target), spoken(function.rpartition("/")[2]), "", truth)
            case ex.Local(variable=variable) if variable in self.asked:
                asked = self.asked[variable]
                return f"{self.noun(asked.who)} answered {'yes' if truth else 'no'} to “{asked.prompt}”"
            case ex.Quantifier():
                return self._quantifier(node, truth)
            case ex.Builtin(name=name, arguments=arguments) if name in HOLDS:
                return HOLDS[name][not truth].format(*map(self._spot, arguments))
            case ex.RelationHolds(relation=relation, first=first, second=second):
                return self.related(relation, first, second, truth=truth)
            case ex.CallFunction(function=name, arguments=arguments):
                found = self.program.functions[name]
                return self._held(found.title or plain_name(name), arguments, truth, mutual=found.symmetric)
            case ex.ExternalValue(external=name, arguments=arguments):
                return self._held(self.program.external_terms[name].title or spoken(name), arguments, truth)
            case _:
                return f"{self.noun(node)} is {'yes' if truth else 'no'}"

    def related(self, relation: str, first: Expression, second: Expression, *, truth: bool = True) -> str:
        """That a relation applies to two things, or does not."""
        declared = self.program.relations[relation]
        nouns, title = self._arguments((first, second)), declared.title or spoken(relation)
        return held(title, nouns, truth=truth, of_things=True, mutual=declared.symmetric)

    def _held(self, title: str, arguments: Sequence[Expression], truth: bool, *, mutual: bool = False) -> str:  # noqa: FBT001
        of_things = all(isinstance(present(each.type), ThingType) or present(each.type) == PLAYER for each in arguments)
        nouns = self._arguments(arguments) if len(arguments) > 1 else [*map(self.noun, arguments)]
        return held(title, nouns, truth=truth, of_things=of_things, mutual=mutual)

    def _side(self, node: Expression, word: str, truth: bool) -> str:  # noqa: FBT001
        said = self.sentence(node, truth=truth)
        bare = node
        while isinstance(bare, ex.Not | ex.Narrowed):
            truth = truth is not isinstance(bare, ex.Not)
            bare = bare.operand
        mixed = isinstance(bare, ex.Logical) and (bare.operator if truth else _OTHER[bare.operator]) != word
        return f"({said})" if mixed else said

    def _flag(self, owner: str, name: str, marked: str, truth: bool) -> str:  # noqa: FBT001
        said = name if name.endswith(STATES) and " " not in name else f"{marked}“{name}”"
        return f"{owner} {be(owner)} {'' if truth else 'not '}{said}"

    def _comparison(self, node: ex.Comparison, truth: bool) -> str:  # noqa: FBT001
        operator = node.operator if truth else ex.OPPOSITE[node.operator]
        left, right = node.left, node.right
        if is_none(right):
            return self._there_is(left, operator == "!=")
        if isinstance(right, ex.Literal) and isinstance(right.value, bool) and operator in {"=", "!="}:
            return self.sentence(left, truth=(operator == "=") is right.value)
        if isinstance(present(left.type), FlagType):
            return f"{self.code(node)} is {'yes' if truth else 'no'}"
        noun = self.noun(left)
        shows = " shows " if isinstance(left, ex.DieAttribute) and noun.startswith("what ") else ""
        if shows:
            return f"{noun.removeprefix('what ').removesuffix(' shows')} shows {IS[operator]}{self.side(right)}"
        return f"{self.side(left)} {self._are(left)} {IS[operator]}{self.answer(right, left)}"

    def _are(self, node: Expression) -> str:
        if self.noun(node).startswith(_FIGURES):
            return "is"
        noun, bare = self.noun(node), node.operand if isinstance(node, ex.Narrowed) else node
        named = isinstance(bare, ex.Local | ex.StoredAttribute | ex.DerivedAttribute | ex.Entry)
        many = named and not isinstance(present(bare.type), ThingType)
        return agreed(noun, "is", "are") if many else be(noun)

    def _there_is(self, node: Expression, truth: bool) -> str:  # noqa: FBT001
        match node:
            case ex.Local() | ex.GameField() if self.noun(node).startswith("the "):
                noun = self.noun(node).removeprefix("the ")
                return f"there is {a(noun) if truth else f'no {noun}'}"
            case ex.StoredAttribute(target=target, name="at"):
                return f"{self.noun(target)} is {'' if truth else 'not '}on the board"
            case ex.StoredAttribute(target=target, name=name):
                return f"{self.noun(target)} has {a(spoken(name)) if truth else f'no {spoken(name)}'}"
            case _:
                empty = "nobody" if present(node.type) == PLAYER else "none"
                return f"{self.noun(node)} is {'not ' if truth else ''}{empty}"

    def _membership(self, node: ex.Membership, truth: bool) -> str:  # noqa: FBT001
        inside = truth is not node.negated
        noun = self.side(node.item)
        match node.collection:
            case ex.MakeCollection(items=items) if items:
                either = listed([self.answer(each, node.item) for each in items], "or")
                return f"{noun} is {either}" if inside else f"{noun} is none of {either.replace(' or ', ' and ')}"
            case ex.Interval(low=low, high=high):
                return f"{noun} is {'' if inside else 'not '}from {self.noun(low)} to {self.noun(high)}"
            case collection:
                return f"{noun} is {'' if inside else 'not '}one of {self.noun(collection)}"

    def _quantifier(self, node: ex.Quantifier, truth: bool) -> str:  # noqa: FBT001, PLR0911
        binding = node.binding
        if node.word == "every" and node.body is not None:
            return self._every(binding, node.body, truth)
        some = (node.word == "some") is truth
        match binding.source:
            case ex.InPlay(kind=kind):
                noun = spoken(kind).lower()
                return f"there is {a(noun) if some else f'no {noun}'}{self.where(binding)}"
            case ex.Interval(low=low, high=high):
                between = f"from {self.noun(low)} to {self.noun(high)}"
                return f"there is {'a' if some else 'no'} number {between}{self.where(binding)}"
            case _ if isinstance(binding.source.type, PoolType):
                return f"there is {'a' if some else 'no'} die of {self.noun(binding.source)}{self.where(binding)}"
            case source if binding.where is None:
                return self._there_are(source, some)
            case source:
                which, what = self.among(source), self.where(binding)
                if what.startswith(" that is ") and not isinstance(binding.where, ex.Logical):
                    return f"{'any' if some else 'none'} of {which} is {what.removeprefix(' that is ')}"
                return f"there is {'one' if some else 'none'} of {which}{what}"

    def _there_are(self, many: Expression, some: bool) -> str:  # noqa: FBT001
        """That a collection holds something, or nothing."""
        noun, no = self.noun(many), "" if some else "no "
        match many:
            case ex.StoredAttribute(target=target, name=name) | ex.DerivedAttribute(target=target, function=name):
                called = self._names.with_sort(self.attribute(name.rpartition("/")[2]), many.type)
                return f"{self.noun(target)} has {no}{called}"
            case ex.Builtin(name="occupants"):
                return f"{'something' if some else 'nothing'} {noun.removeprefix('what ')}"
            case _ if are_several(noun):
                return f"there are {no}{noun.removeprefix('the ')}"
            case _:
                return f"{noun} {self._are(many)} {'not ' if some else ''}empty"

    def _every(self, binding: Binding, body: Expression, truth: bool) -> str:  # noqa: FBT001
        which = the(self.members(binding))
        with self.about(self.alone(binding, body)) as called:
            said = self.sentence(body)
        if not called and is_of_it(said):
            return f"{'' if truth else 'not '}each of {which} is {said.removeprefix('it is ')}"
        of = f"for each {called} of" if called else "for each of"
        return f"{'' if truth else 'it is not true that '}{of} {which}, {said}"

    def applies(self, function: d.Function) -> str:
        """What is so of whom a term or attribute is for, where it is yes."""
        name = plain_name(function.name.rpartition("/")[2])
        if function.sort == "attribute":
            return self._flag("it", name, "", truth=True)
        of_things = all(isinstance(present(each.type), ThingType) for each in function.parameters)
        nouns = [self.variable(each) for each in function.parameters]
        return held(function.title or name, nouns, truth=True, of_things=of_things, mutual=function.symmetric)

    # Places that change.

    def place(self, place: st.Place) -> str:
        """A place that a line changes."""
        match place:
            case st.VariablePlace(variable):
                return self.variable(variable)
            case st.GamePlace(name):
                return self.field(name)
            case st.AttributePlace(target, _, name, type_):
                return f"{self.whose(target)} {self._names.with_sort(self.attribute(name), type_)}"
            case st.CellPlace(target, _, name):
                return f"“{spoken(name)}” at {self.noun(target)}"
            case st.PartPlace(outer, name):
                return f"{'part ' * name.isdecimal()}{spoken(name)} of {self.place(outer)}"
            case st.EntryPlace(outer, key):
                return f"{self.place(outer)} for {self.noun(key)}"

    def changes(self, lines: Sequence[object]) -> list[str]:
        """What lines change of things and of the game, each once."""
        return [*dict.fromkeys(what for each in lines for what in self._changed(each))]

    def names_changed(self, lines: Sequence[object]) -> list[str]:
        """Which names of the routine lines change, each once."""
        places = (each.place for each in lines if isinstance(each, st.Assign | st.AddAmount | st.AddMember))
        return [*dict.fromkeys(self.place(each) for each in places if isinstance(each, st.VariablePlace))]

    def _changed(self, line: object) -> Iterator[str]:
        match line:
            case st.Assign(place=st.AttributePlace(target, _, name), value=value) if isinstance(value.type, FlagType):
                yield f"whether {self._flag(self.noun(target), spoken(name), 'marked ', truth=True)}"
            case st.Assign(place=place) | st.AddAmount(place=place) | st.AddMember(place=place):
                yield from () if isinstance(place, st.VariablePlace) else (self.place(place),)
            case st.Move(thing=thing) | st.PlaceThing(thing=thing):
                yield f"{self.whose(thing)} place"
            case st.Turn(thing=thing):
                yield f"{self.whose(thing)} facing"
            case st.Remove(thing=thing):
                yield f"whether {self.noun(thing)} is in play"
            case st.AddPair(relation=relation, first=first, second=second):
                yield f"whether {self.related(relation, first, second)}"
            case _:
                return

    def amount(self, node: Expression, what: str) -> str:
        """`1 wound` of what is called `wounds`; another number before the name, anything else behind it."""
        if not isinstance(node, ex.Literal):
            return f"{what} equal to {self.noun(node)}"
        return f"1 {singular(what)}" if node.value == 1 else f"{self.noun(node)} {what}"

    def value(self, node: Expression) -> str:
        """What an expression stands for; of a condition whether it holds."""
        if isinstance(present(node.type), FlagType) and not isinstance(node, ex.Literal):
            return f"whether {self.sentence(node)}"
        return self.noun(node)

    def times(self, bound: Expression) -> str:
        """How often: `once`, `3 times`, `as many times as the number of units`."""
        if isinstance(bound, ex.Literal) and bound.value == 1:
            return "once"
        return f"{bound.value} times" if isinstance(bound, ex.Literal) else f"as many times as {self.noun(bound)}"

    def at_most(self, bound: Expression) -> str:
        """How often at most."""
        return f"at most {self.times(bound)}"
