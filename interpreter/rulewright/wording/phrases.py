"""Conditions as clauses, and the places, amounts and dice of statements."""

import re
from collections.abc import Iterator, Sequence

from rulewright.base.node_roles import walk_nodes
from rulewright.checker.facts.inlining import substitute_locals
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import is_none_literal, make_rows_condition
from rulewright.program.expressions import Binding, Expression
from rulewright.program.roll_options import ROLL_OPTIONS
from rulewright.program.types import PAIRED_FACES, PLAYER, FlagType, PoolType, ThingType, strip_optional
from rulewright.program.wording import add_article
from rulewright.wording.english import (
    COMPARISON_WORDS,
    PREDICATE_PHRASES,
    STATE_SUFFIXES,
    add_definite_article,
    agree_verb,
    contract_clauses,
    drop_article,
    first_upper,
    is_plural,
    is_plural_phrase,
    join_words,
    make_singular,
    say_of_each,
    say_term_holds,
    say_title_clause,
    select_be_form,
    speak_name,
)
from rulewright.wording.noun_phrases import NounPhraseGenerator
from rulewright.wording.variable_names import name_board_attribute, unqualified_name

_QUANTITY_PREFIXES = tuple(
    f"the {word} of " for word in ("number", "sum", "least", "greatest", "lower", "higher", "total")
)
_OPEN_CLAUSE_PATTERN = re.compile(r"\bfor (?:which|each)\b|\b(?:and|or) (?:that|whose)\b|^it is not true\b")
"""Clauses of members that words after them would join."""
_MAX_OPENED_CONDITIONS = 2
_UNOPENED_EXPRESSIONS = (Binding, ex.CallFunction, ex.ExternalValue)
_DUAL_OPERATORS: dict[str, str] = {"and": "or", "or": "and"}


class PhraseGenerator(NounPhraseGenerator):
    """Phrases of the expressions of one declaration."""

    def condition_clause(self, node: Expression, *, truth: bool = True) -> str:
        """Condition or its negation as a clause after `if`."""
        match node:
            case ex.Narrowed(operand=operand):
                return self.condition_clause(operand, truth=truth)
            case ex.Not(operand=operand):
                return self.condition_clause(operand, truth=not truth)
            case ex.Logical(operator=operator):
                word = operator if truth else _DUAL_OPERATORS[operator]
                *others, last = self._flatten_operands(node, word, truth)
                clauses = [self._logical_operand_clause(*each, is_last=False) for each in others]
                clauses.append(self._logical_operand_clause(*last, is_last=True))
                return f" {word} ".join(contract_clauses(clauses, word))
            case ex.Literal(value=bool(value)):
                return "always" if value is truth else "never"
            case ex.Comparison():
                return self._comparison_clause(node, truth)
            case ex.Membership():
                return self._membership_clause(node, truth)
            case ex.Gone(target=target):
                return f"{self.noun_phrase(target)} is {'out of' if truth else 'in'} play"
            case ex.StoredAttribute(target=target, name=name) | ex.CellAttribute(target=target, name=name):
                return self._flag_clause(self.noun_phrase(target), speak_name(name), "marked ", truth)
            case ex.SideAttribute(first=first, second=second, name=name):
                return self._flag_clause(self.side_phrase(first, second), speak_name(name), "marked ", truth)
            case ex.DerivedAttribute(target=target, function=function):
                return self._flag_clause(self.noun_phrase(target), speak_name(function.rpartition("/")[2]), "", truth)
            case ex.Local(variable=variable) if variable in self.asked_variables:
                question = self.asked_variables[variable]
                return f"{self.noun_phrase(question.who)} answered {'yes' if truth else 'no'} to “{question.prompt}”"
            case ex.Quantifier():
                return self._quantifier_clause(node, truth)
            case ex.Builtin(name=name, arguments=arguments) if name in PREDICATE_PHRASES:
                return PREDICATE_PHRASES[name][not truth].format(*map(self._place_phrase, arguments))
            case ex.RelationHolds(relation=relation, first=first, second=second):
                return self.relation_clause(relation, first, second, truth=truth)
            case ex.CallFunction(function=name, arguments=arguments):
                result = self.program.functions[name]
                if (conditions := self.open_short_term(node)) is not node:
                    return self.condition_clause(conditions, truth=truth)
                return self._term_clause(
                    result.title or unqualified_name(name), arguments, truth, mutual=result.symmetric
                )
            case ex.ExternalValue(external=name, arguments=arguments):
                return self._term_clause(self.program.external_terms[name].title or speak_name(name), arguments, truth)
            case _:
                return f"{self.noun_phrase(node)} is {'yes' if truth else 'no'}"

    def open_short_term(self, node: Expression) -> Expression:
        """The conditions of a term in its place, where they are one or two plain ones and its title makes no clause."""
        match node:
            case ex.CallFunction(function=name, arguments=arguments) if len(arguments) > 1:
                term = self.program.functions[name]
            case _:
                return node
        match term.body:
            case d.Conditions(rows=rows) if (
                len(rows) <= _MAX_OPENED_CONDITIONS
                and not any(row.guard for row in rows)
                and not any(isinstance(each, _UNOPENED_EXPRESSIONS) for each in walk_nodes(rows))
                and not self._title_clause(term.title or name, arguments, truth=True, mutual=term.symmetric)
            ):
                given = dict(zip((each.index for each in term.parameters), arguments, strict=True))
                return substitute_locals(make_rows_condition(term.body, node.span), given)
            case _:
                return node

    def relation_clause(self, relation: str, first: Expression, second: Expression, *, truth: bool = True) -> str:
        """Clause that a relation holds for two things, or not."""
        declared = self.program.relations[relation]
        nouns, title = self._argument_phrases((first, second)), declared.title or speak_name(relation)
        return say_term_holds(title, nouns, truth=truth, of_things=True, mutual=declared.symmetric)

    def _term_clause(self, title: str, arguments: Sequence[Expression], truth: bool, *, mutual: bool = False) -> str:  # noqa: FBT001
        nouns, of_things = self._term_nouns(arguments)
        return say_term_holds(title, nouns, truth=truth, of_things=of_things, mutual=mutual)

    def _title_clause(self, title: str, arguments: Sequence[Expression], *, truth: bool, mutual: bool) -> str:
        nouns, of_things = self._term_nouns(arguments)
        return say_title_clause(title, nouns, truth=truth, of_things=of_things, mutual=mutual)

    def _term_nouns(self, arguments: Sequence[Expression]) -> tuple[Sequence[str], bool]:
        """Arguments of a term as nouns, and whether all are things or players."""
        of_things = all(
            isinstance(strip_optional(argument.type), ThingType) or strip_optional(argument.type) == PLAYER
            for argument in arguments
        )
        nouns = self._argument_phrases(arguments) if len(arguments) > 1 else [*map(self.noun_phrase, arguments)]
        return nouns, of_things

    def _flatten_operands(self, node: Expression, word: str, truth: bool) -> list[tuple[Expression, bool]]:  # noqa: FBT001
        """Operands that a word joins, each with whether it or its negation is meant."""
        while isinstance(node, ex.Not | ex.Narrowed):
            truth = truth is not isinstance(node, ex.Not)
            node = node.operand
        node = self.open_short_term(node)
        if isinstance(node, ex.Logical) and (node.operator if truth else _DUAL_OPERATORS[node.operator]) == word:
            operands = (self._flatten_operands(operand, word, truth) for operand in (node.left, node.right))
            return [each for flat in operands for each in flat]
        return [(node, truth)]

    def _logical_operand_clause(self, node: Expression, truth: bool, *, is_last: bool) -> str:  # noqa: FBT001
        clause = self.condition_clause(node, truth=truth)
        open_ended = not is_last and isinstance(node, ex.Quantifier) and _OPEN_CLAUSE_PATTERN.search(clause)
        return f"({clause})" if isinstance(node, ex.Logical) or open_ended else clause

    def _flag_clause(self, owner: str, name: str, marked: str, truth: bool) -> str:  # noqa: FBT001
        clause = name if name.endswith(STATE_SUFFIXES) and " " not in name else f"{marked}“{name}”"
        return f"{owner} {select_be_form(owner)} {'' if truth else 'not '}{clause}"

    def _comparison_clause(self, node: ex.Comparison, truth: bool) -> str:  # noqa: FBT001
        operator = node.operator if truth else ex.NEGATED_OPERATORS[node.operator]
        left, right = node.left, node.right
        if is_none_literal(right):
            return self._presence_clause(left, operator == "!=")
        if isinstance(right, ex.Literal) and isinstance(right.value, bool) and operator in {"=", "!="}:
            return self.condition_clause(left, truth=(operator == "=") is right.value)
        if isinstance(strip_optional(left.type), FlagType):
            return f"{self.quote_code(node)} is {'yes' if truth else 'no'}"
        noun = self.noun_phrase(left)
        shows = " shows " if isinstance(left, ex.DieAttribute) and noun.startswith("what ") else ""
        if shows and operator == "!=":
            return f"{noun.removeprefix('what ').removesuffix(' shows')} does not show {self.comparand_phrase(right)}"
        if shows:
            return f"{noun.removeprefix('what ').removesuffix(' shows')} shows {COMPARISON_WORDS[operator]}{self.comparand_phrase(right)}"
        return f"{self.comparand_phrase(left)} {self._be_form_of(left)} {COMPARISON_WORDS[operator]}{self.compared_value_phrase(right, left)}"

    def _be_form_of(self, node: Expression) -> str:
        if self.noun_phrase(node).startswith(_QUANTITY_PREFIXES):
            return "is"
        noun, bare = self.noun_phrase(node), node.operand if isinstance(node, ex.Narrowed) else node
        named = isinstance(bare, ex.Local | ex.StoredAttribute | ex.DerivedAttribute | ex.Entry)
        many = named and not isinstance(strip_optional(bare.type), ThingType)
        return agree_verb(noun, "is", "are") if many else select_be_form(noun)

    def _presence_clause(self, node: Expression, truth: bool) -> str:  # noqa: FBT001
        match node:
            case ex.Local() | ex.GameField() if self.noun_phrase(node).startswith("the "):
                noun = self.noun_phrase(node).removeprefix("the ")
                return f"there is {add_article(noun) if truth else f'no {noun}'}"
            case ex.StoredAttribute(target=target, name="at"):
                return f"{self.noun_phrase(target)} is {'' if truth else 'not '}on the board"
            case ex.StoredAttribute(target=target, name=name):
                return f"{self.noun_phrase(target)} has {add_article(speak_name(name)) if truth else f'no {speak_name(name)}'}"
            case _:
                empty = "nobody" if strip_optional(node.type) == PLAYER else "none"
                return f"{self.noun_phrase(node)} is {'not ' if truth else ''}{empty}"

    def _membership_clause(self, node: ex.Membership, truth: bool) -> str:  # noqa: FBT001
        inside = truth is not node.negated
        noun = self.comparand_phrase(node.item)
        match node.collection:
            case ex.MakeCollection(items=items) if items:
                either = join_words([self.compared_value_phrase(item, node.item) for item in items], "or")
                return f"{noun} is {either}" if inside else f"{noun} is none of {either.replace(' or ', ' and ')}"
            case ex.Interval(low=low, high=high):
                return f"{noun} is {'' if inside else 'not '}from {self.limit_phrase(low)} to {self.limit_phrase(high)}"
            case ex.BoardCells() as board:
                return f"{noun} is {'' if inside else 'not '}on {self.noun_phrase(board)}"
            case collection:
                return f"{noun} is {'' if inside else 'not '}one of {self.noun_phrase(collection)}"

    def _quantifier_clause(self, node: ex.Quantifier, truth: bool) -> str:  # noqa: FBT001
        binding = node.binding
        if node.word == "every" and node.body is not None:
            return self._universal_clause(binding, node.body, truth)
        some = (node.word == "some") is truth
        match binding.source:
            case ex.InPlay(kind=kind):
                if some and (title := self.titled_member_phrase(binding)):
                    return f"there is {title}"
                noun, which = speak_name(kind).lower(), self.filter_phrase(binding)
                called = "" if binding.where is None else self.find_pronoun_or_name(binding, binding.where)
                if isinstance(called, str) and called.startswith(noun):
                    noun, which = called, which.removeprefix(f", {add_article(called)},")
                return f"there is {add_article(noun) if some else f'no {noun}'}{which}"
            case ex.Interval(low=low, high=high):
                between = f"from {self.limit_phrase(low)} to {self.limit_phrase(high)}"
                return f"there is {'a' if some else 'no'} number {between}{self.filter_phrase(binding)}"
            case _ if isinstance(binding.source.type, PoolType):
                return f"there is {'a' if some else 'no'} die of {self.noun_phrase(binding.source)}{self.filter_phrase(binding)}"
            case source if binding.where is None:
                return self._nonempty_clause(source, some)
            case source:
                which, what = self.definite_members_phrase(source), self.filter_phrase(binding)
                if what.startswith(" that is ") and not isinstance(binding.where, ex.Logical):
                    return f"{'any' if some else 'none'} of {which} is {what.removeprefix(' that is ')}"
                return f"there is {'one' if some else 'none'} of {which}{what}"

    def _nonempty_clause(self, many: Expression, some: bool) -> str:  # noqa: FBT001
        noun, no = self.noun_phrase(many), "" if some else "no "
        match many:
            case ex.StoredAttribute(target=target, name=name) | ex.DerivedAttribute(target=target, function=name):
                called = self._namer.add_sort_word(self.attribute_phrase(name.rpartition("/")[2]), many.type)
                if not any(map(is_plural, called.split())):
                    return f"{noun} is {'not ' if some else ''}empty"
                return f"{self.noun_phrase(target)} has {no}{called}"
            case ex.Builtin(name="occupants"):
                return f"{'something' if some else 'nothing'} {noun.removeprefix('what ')}"
            case _ if is_plural_phrase(noun):
                return f"there are {no}{noun.removeprefix('the ')}"
            case _:
                return f"{noun} {self._be_form_of(many)} {'not ' if some else ''}empty"

    def _universal_clause(self, binding: Binding, body: Expression, truth: bool) -> str:  # noqa: FBT001
        which = add_definite_article(self.filtered_members_phrase(binding))
        with self.refer_as_it(self.find_pronoun_or_name(binding, body)) as called:
            clause = self.condition_clause(body)
        if not called and (said := say_of_each(clause, which)) and (truth or said.startswith("each ")):
            return f"{'' if truth else 'not '}{said}"
        of = f"for each {called} of" if called else "for each of"
        return f"{'' if truth else 'it is not true that '}{of} {which}, {clause}"

    def function_holds_clause(self, function: d.Function) -> str:
        """Clause that a term or derived attribute is true of its argument."""
        name = unqualified_name(function.name.rpartition("/")[2])
        if function.sort == "attribute":
            return self._flag_clause("it", name, "", truth=True)
        of_things = all(isinstance(strip_optional(parameter.type), ThingType) for parameter in function.parameters)
        nouns = [self.variable_phrase(parameter) for parameter in function.parameters]
        return say_term_holds(function.title or name, nouns, truth=True, of_things=of_things, mutual=function.symmetric)

    def standing_rule_phrase(self, rule: d.StandingRule) -> str:
        """When a standing rule acts, and for whom."""
        clause = self.condition_clause(rule.condition)
        if rule.binding is None:
            return f"As soon as {clause}"
        member = self.filtered_member_phrase(rule.binding)
        if rest := _rest_after_member(clause, member):
            return f"As soon as {add_article(member)}{rest}"
        return f"For each {member}, as soon as {clause}"

    def invariant_phrase(self, node: d.Invariant, *, is_first: bool = True) -> str:
        """What always holds, of whom, and when."""
        when = f" if {self.condition_clause(node.guard)}" if node.guard is not None else ""
        phrase = f"{self._universal_invariant_clause(node.binding, node.condition)}{when}"
        return first_upper(phrase) if is_first else phrase

    def _universal_invariant_clause(self, binding: Binding | None, condition: Expression) -> str:
        clause = self.condition_clause(condition)
        match binding, condition:
            case None, _:
                return clause
            case (
                Binding(
                    variables=(one, other), source=ex.Builtin(name="pairs", arguments=(members, others)), where=None
                ),
                ex.Logical(
                    operator="or",
                    left=ex.Comparison(operator="=", left=ex.Local(variable=first), right=ex.Local(variable=second)),
                    right=holds,
                ),
            ) if (
                {one, other} == {first, second}
                and one != other
                and self.noun_phrase(members) == self.noun_phrase(others)
            ):
                return f"for any two different {drop_article(self.definite_members_phrase(members))}: {self.condition_clause(holds)}"
            case _:
                member = self.filtered_member_phrase(binding)
                rest = _rest_after_member(clause, member)
                is_one_statement = not isinstance(condition, ex.Logical | ex.Quantifier) and " no" not in rest
                return f"every {member}{rest}" if rest and is_one_statement else f"for each {member}: {clause}"

    # Changed places.

    def changed_place_phrase(self, place: st.Place) -> str:
        """Phrase of a place that a statement changes."""
        match place:
            case st.VariablePlace(variable):
                return self.variable_phrase(variable)
            case st.GamePlace(name):
                return self.game_field_phrase(name)
            case st.AttributePlace(target, _, name, type_):
                return (
                    f"{self.possessive_phrase(target)} {self._namer.add_sort_word(self.attribute_phrase(name), type_)}"
                )
            case st.CellPlace(target, _, name, type_):
                return f"{name_board_attribute(name, type_)} at {self.noun_phrase(target)}"
            case st.PartPlace(outer, name):
                return f"{'part ' * name.isdecimal()}{speak_name(name)} of {self.changed_place_phrase(outer)}"
            case st.EntryPlace(outer, key):
                return f"{self.changed_place_phrase(outer)} for {self.noun_phrase(key)}"

    def changed_places(self, lines: Sequence[object]) -> list[str]:
        """Distinct places of things and of the game that statements change."""
        return [*dict.fromkeys(what for line in lines for what in self._changed_by_line(line))]

    def changed_variables(self, lines: Sequence[object]) -> list[str]:
        """Distinct variables that statements change."""
        places = (line.place for line in lines if isinstance(line, st.Assign | st.AddAmount | st.AddMember))
        return [
            *dict.fromkeys(self.changed_place_phrase(place) for place in places if isinstance(place, st.VariablePlace))
        ]

    def _changed_by_line(self, line: object) -> Iterator[str]:
        match line:
            case st.Assign(place=st.AttributePlace(target, _, name), value=value) if isinstance(value.type, FlagType):
                yield f"whether {self._flag_clause(self.noun_phrase(target), speak_name(name), 'marked ', truth=True)}"
            case st.Assign(place=place) | st.AddAmount(place=place) | st.AddMember(place=place):
                yield from () if isinstance(place, st.VariablePlace) else (self.changed_place_phrase(place),)
            case st.Move(thing=thing) | st.PlaceThing(thing=thing):
                yield f"{self.possessive_phrase(thing)} place"
            case st.Turn(thing=thing):
                yield f"{self.possessive_phrase(thing)} facing"
            case st.Remove(thing=thing):
                yield f"whether {self.noun_phrase(thing)} is in play"
            case st.AddPair(relation=relation, first=first, second=second):
                yield f"whether {self.relation_clause(relation, first, second)}"
            case _:
                return

    def amount_phrase(self, node: Expression, what: str) -> str:
        """`1 wound` for `what` = `wounds`; other numbers before the noun, other expressions after it."""
        if not isinstance(node, ex.Literal):
            return f"{what} equal to {self.noun_phrase(node)}"
        return f"1 {make_singular(what)}" if node.value == 1 else f"{self.noun_phrase(node)} {what}"

    def value_phrase(self, node: Expression) -> str:
        """Noun phrase of a result: `whether …` for a condition, `no unit` for none of things."""
        match node, strip_optional(node.type):
            case ex.Literal(value=None), ThingType(kind) as type_:
                return "nobody" if type_ == PLAYER else f"no {speak_name(kind).lower()}"
            case ex.Literal() | ex.Local(), _:
                return self.noun_phrase(node)
            case _, FlagType():
                return f"whether {self.condition_clause(node)}"
            case _:
                return self.noun_phrase(node)

    def repetition_phrase(self, bound: Expression) -> str:
        """`once`, `3 times`, `once for each of the hits`, `as many times as the hits exceed the blocks` or as a number."""
        match bound:
            case ex.Literal(value=1):
                return "once"
            case ex.Literal(value=number):
                return f"{number} times"
            case (
                ex.Builtin(name="max", arguments=(ex.Literal(value=0), ex.Arithmetic(operator="-") as excess))
                | ex.Builtin(name="max", arguments=(ex.Arithmetic(operator="-") as excess, ex.Literal(value=0)))
            ):
                more = self.operand_phrase(excess.left)
                exceed = agree_verb(more, "exceeds", "exceed")
                return f"as many times as {more} {exceed} {self.operand_phrase(excess.right)}"
            case _ if agree_verb(noun := self.noun_phrase(bound), "is", "are") == "are" and not noun.startswith(
                _QUANTITY_PREFIXES
            ):
                return f"once for each of {noun}"
            case _:
                return f"as many times as {self.noun_phrase(bound)}"

    def at_most_phrase(self, bound: Expression) -> str:
        """Upper bound of repetitions."""
        return f"at most {self.repetition_phrase(bound)}"


class DicePhraseGenerator:
    """Phrases of dice; `say` renders the expressions in them."""

    def __init__(self, say: PhraseGenerator) -> None:
        self._phrases = say

    def rolled_dice_phrase(self, parts: Sequence[st.Dice], options: Sequence[st.RollOption] = ()) -> str:
        """Dice of a roll, each part with its options, and options of the whole roll."""
        part_phrases = []
        for part in parts:
            called = f" for {self._phrases.noun_phrase(part.part)}" if part.part is not None else ""
            more = (
                "" if part.advantage is None else f", with an advantage of {self._phrases.noun_phrase(part.advantage)}"
            )
            part_phrases.append(
                f"{self._dice_count_phrase(part)}{called}{more}{self._options_phrase(part.options, [part])}"
            )
        return " and ".join(part_phrases) + self._options_phrase(options, parts)

    def _options_phrase(self, options: Sequence[st.RollOption], parts: Sequence[st.Dice]) -> str:
        (first, *more) = parts
        is_one = first.count is None or (isinstance(first.count, ex.Literal) and first.count.value == 1)
        return "".join(f", {self._option_phrase(option, of_one=is_one and not more)}" for option in options)

    def _dice_count_phrase(self, dice: st.Dice) -> str:
        one, several = self._die_names(dice.die)
        match dice.count:
            case None:
                return f"one {one}"
            case ex.Literal(value=1):
                return f"1{one}" if one[1:].isdigit() else f"one {one}"
            case ex.Literal(value=int(number)):
                return f"{number}{one}" if one[1:].isdigit() else f"{number} {several}"
            case count:
                return f"as many {several} as {self._phrases.noun_phrase(count)}"

    def _die_names(self, die: st.Die) -> tuple[str, str]:
        """Singular and plural: `red attack die`, `red attack dice`."""
        match die:
            case st.NumberedDie(faces):
                return f"d{faces}", f"d{faces}"
            case st.PairedDie():
                name = st.get_die_name(PAIRED_FACES, "")
                return name, name
            case st.ComputedDie(faces=faces):
                end = f" with {self._phrases.noun_phrase(faces)} faces"
                return f"die{end}", f"dice{end}"
            case st.NamedDie(name):
                called = speak_name(name).removesuffix(" dice").removesuffix(" die")
                return f"{called} die", f"{called} dice"

    def _option_phrase(self, option: st.RollOption, *, of_one: bool) -> str:
        """Effect of a roll option, on one die or on each of several."""
        value, rule = self._phrases.noun_phrase(option.value), ROLL_OPTIONS[option.word]
        each = "" if of_one else " for each die rolled"
        often = "" if option.bound is None else f", {self._phrases.at_most_phrase(option.bound)}{each}"
        value += " or more" if option.best == "more" else ""
        phrase = rule.phrase if isinstance(option.value, ex.Literal) else rule.computed_phrase or rule.phrase
        return phrase.format(value=value, best=option.best, bound=often)


def _rest_after_member(clause: str, member: str) -> str:
    """`'s health is 0` of `the unit's health is 0`; empty if the clause begins with something else."""
    found = re.match(rf"the {re.escape(member)}(?='s | is | has )", clause)
    return clause[found.end() :] if found else ""
