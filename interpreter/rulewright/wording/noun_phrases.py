"""Expressions as noun phrases of a rulebook; an expression without words is quoted as code."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import is_none_literal
from rulewright.program.declarations import Function, Program
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.wording import ExpressionRenderer, add_article, format_literal
from rulewright.wording.condition_rendering import count_members
from rulewright.wording.english import (
    AGGREGATE_PHRASES,
    ARITHMETIC_SIGNS,
    ATTRIBUTE_WORDS,
    FUNCTION_PHRASES,
    MINUS_PATTERN,
    add_definite_article,
    contract_clauses,
    drop_article,
    first_lower,
    is_plural,
    join_words,
    make_possessive,
    make_relative_clause,
    make_singular,
    speak_name,
)
from rulewright.wording.variable_names import (
    VariableNamer,
    find_asked_variables,
    find_it_variable,
    find_option_titles,
    name_board_attribute,
    plain_type_name,
    quote_phrase_name,
    unqualified_name,
)

_MAX_UNNAMED_LENGTH = 2
_ROUNDING_FUNCTIONS = frozenset({"floor", "ceiling", "round"})
_RELATIVE_PATTERN = re.compile(
    r"(?!(?:an?|any|how|what|who|whom|whose|when|where|which|no)\b)[a-z]+ (?:for|from|in|of|that|which|who|whose) .+"
)


class HasName(Protocol):
    """A parameter, or a part of a record."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def type(self) -> ty.Type:
        """Of its values."""


class NounPhraseGenerator(ABC):
    """Noun phrases of the expressions of one declaration.

    Args:
        program: scope of all names.
        variables: of the declaration.
        parts: nodes that use the variables.
        parameters: variables that callers set.
    """

    def __init__(
        self,
        program: Program,
        variables: Sequence[Variable] = (),
        parts: object = (),
        parameters: Sequence[Variable] = (),
    ) -> None:
        self.program = program
        self._wording = ExpressionRenderer(program)
        self._namer = VariableNamer(program, variables, parts, parameters)
        items = [*walk_nodes(parts)]
        self.asked_variables = find_asked_variables(items)
        self._option_titles = find_option_titles(items)
        self._it_variable: Variable | None = None

    def quote_code(self, node: Expression) -> str:
        """Source notation of an expression, between backticks."""
        return f"`{self._wording.render_expression(node)}`"

    @contextmanager
    def refer_as_it(self, members: "Variable | str") -> Iterator[str]:
        """Context in which a member is called `it`; yields the names to state first if it cannot be."""
        before, self._it_variable = self._it_variable, None if isinstance(members, str) else members
        try:
            yield members if isinstance(members, str) else ""
        finally:
            self._it_variable = before

    def find_pronoun_or_name(self, binding: Binding, expression: object) -> "Variable | str":
        """The variable if `it` is unambiguous in `expression`, else the names of the members."""
        if binding.variables == (None,):
            return ""
        return find_it_variable(binding, expression) or " and ".join(
            drop_article(self.variable_phrase(variable)) for variable in binding.variables if variable
        )

    # Things and values.

    def variable_phrase(self, variable: Variable) -> str:
        """`the attacker`; names of one or two letters by their sort."""
        return "it" if variable == self._it_variable else self._namer.call_variable(variable)

    def game_field_phrase(self, name: str) -> str:
        """Title of a field of the game if it is a noun phrase, else its name."""
        field = self.program.game[name]
        title = field.title
        if title.startswith("the ") and "," not in title:
            return title
        if isinstance(field.type, ty.FlagType):
            return f"“{title or speak_name(name)}”"
        if _RELATIVE_PATTERN.fullmatch(title):
            return f"the {title}"
        player = " player" if ty.strip_optional(field.type) == ty.PLAYER and "player" not in name else ""
        return f"the {speak_name(name)}{player}"

    def side_phrase(self, first: Expression, second: Expression) -> str:
        """The side between two cells."""
        return f"the side between {self.noun_phrase(first)} and {self.noun_phrase(second)}"

    def attribute_phrase(self, name: str) -> str:
        """Noun of an attribute."""
        return ATTRIBUTE_WORDS.get(name) or quote_phrase_name(speak_name(name))

    def possessive_phrase(self, node: Expression) -> str:
        """`the attacker's`, `its`."""
        noun = self.noun_phrase(node)
        return "its" if noun == "it" else make_possessive(noun)

    def noun_phrase(self, node: Expression) -> str:
        """Noun phrase of an expression."""
        match node:
            case ex.Narrowed(operand=operand) | ex.Rounded(operand=operand):
                return self.noun_phrase(operand)
            case ex.Literal(value=None):
                return "nothing"
            case ex.Literal(value=value):
                return MINUS_PATTERN.sub("−", format_literal(value))  # noqa: RUF001
            case ex.WordLiteral(type=ty.WordType(values), position=position):
                word = self.program.values[values].words[position]
                return word.title or speak_name(word.name)
            case ex.WordLiteral():
                return speak_name(self._wording.render_expression(node))
            case ex.Local(variable=variable):
                return self.variable_phrase(variable)
            case ex.Itself():
                return "it"
            case ex.GameField(name=name):
                return self.game_field_phrase(name)
            case ex.SettingValue(name=name):
                title = self.program.settings[name].title
                return f"the reading “{title.rstrip('?')}”" if title else f"the reading `{name}`"
            case ex.InPlay(kind=kind):
                return f"the {speak_name(self.program.kinds[kind].plural)} in play"
            case ex.Removed(kind=kind):
                return f"the {speak_name(self.program.kinds[kind].plural)} out of play"
            case ex.BoardCells(board=board):
                return f"the {speak_name(board)}"
            case ex.StoredAttribute(target=target, name=name) | ex.PlaneAttribute(target=target, name=name):
                return f"{self.possessive_phrase(target)} {self._namer.add_sort_word(self.attribute_phrase(name), node.type)}"
            case ex.Part(target=target, name=name) if name.isdecimal():
                return f"part {name} of {self.noun_phrase(target)}"
            case ex.Part(target=ex.Local() as target, name=name):
                return f"{self.possessive_phrase(target)} {self.attribute_phrase(name)}"
            case ex.DerivedAttribute(target=target, function=function):
                called = self.attribute_phrase(function.rpartition("/")[2])
                return f"{self.possessive_phrase(target)} {self._namer.add_sort_word(called, node.type)}"
            case ex.CellAttribute(target=target, name=name):
                return f"{name_board_attribute(name, node.type)} at {self.noun_phrase(target)}"
            case ex.SideAttribute(first=first, second=second, name=name):
                return f"{name_board_attribute(name, node.type)} on {self.side_phrase(first, second)}"
            case ex.DieAttribute(target=target, name="natural" | "face"):
                return "what it shows" if self.noun_phrase(target) == "it" else f"what {self.noun_phrase(target)} shows"
            case ex.Entry(target=target, key=ex.Literal(value=1)) if isinstance(target.type, ty.ListType):
                return f"the first of {self.noun_phrase(target)}"
            case ex.Entry(target=target, key=key) if isinstance(target.type, ty.ListType):
                return f"number {self.embedded_phrase(key)} of {self.noun_phrase(target)}"
            case ex.Entry(target=target, key=key):
                return f"{self.noun_phrase(target)} for {self.embedded_phrase(key)}"
            case ex.CallFunction(function=name, arguments=arguments):
                declared = self.program.functions[name]
                if declared.sort == "attribute" and arguments:
                    called = self.attribute_phrase(name.rpartition("/")[2])
                    return f"{self.possessive_phrase(arguments[0])} {called}{self._given_phrase(declared, arguments)}"
                given = [
                    _strip_cap(*pair)
                    for pair in zip(arguments, (each.type for each in declared.parameters), strict=True)
                ]
                return self._call_phrase(declared.title, name, given)
            case ex.ExternalValue(external=name, arguments=arguments):
                return self._call_phrase(self.program.external_terms[name].title, name, arguments)
            case ex.Builtin(name="other", arguments=(one, ex.Local() as several)) if (
                noun := make_singular(self.noun_phrase(several))
            ) != self.noun_phrase(several):
                return f"{noun} that is not {self.noun_phrase(one)}"
            case ex.Builtin(name="other", arguments=(one, several)):
                return f"whichever of {self.noun_phrase(several)} is not {self.noun_phrase(one)}"
            case (
                ex.Builtin(name="count", arguments=(source,))
                | ex.Aggregate(word="count", binding=Binding(source=source, where=None))
            ) if _may_repeat_a_member(source):
                return f"the number of different values among {self.noun_phrase(source)}"
            case ex.Builtin(name="count", arguments=(source,)):
                members = self._plural_members_phrase(source)
                is_range = isinstance(source, ex.Comprehension) and isinstance(source.binding.source, ex.Interval)
                return count_members(source, members.removeprefix("every ") if is_range else members)
            case ex.Builtin(name="min" | "max") if (bounded := _split_bounded_number(node)) is not None:
                return self._bounded_phrase(*bounded)
            case ex.Builtin(name="min" | "max", arguments=(_, _, *_)):
                return self.limit_phrase(node)
            case ex.Builtin(name=name, arguments=(ex.Arithmetic() as number,)) if name in _ROUNDING_FUNCTIONS:
                return FUNCTION_PHRASES[name].format(self.noun_phrase(number))
            case ex.Builtin(name="along", arguments=(word, ex.Literal(value=int(steps)))) if steps < 0:
                return f"{self._place_phrase(word)} moved back by {-steps}"
            case ex.Builtin(name=name, arguments=arguments) if name in FUNCTION_PHRASES:
                return FUNCTION_PHRASES[name].format(*map(self._place_phrase, arguments))
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return f"{self.comparand_phrase(then)} if {self.condition_clause(condition)}, else {self.comparand_phrase(otherwise)}"
            case ex.Arithmetic() if _is_fraction_literal(node):
                return f"{self.noun_phrase(node.left)}/{self.noun_phrase(node.right)}"
            case ex.Arithmetic():
                operands = [*self._iterate_operands(node)]
                has_clause = any(operand.startswith("what ") for _, operand in operands)
                signs = {**ARITHMETIC_SIGNS, "+": "plus", "-": "minus"} if has_clause else ARITHMETIC_SIGNS
                return "".join(f" {signs[sign]} {operand}" if sign else operand for sign, operand in operands)
            case ex.Negation(operand=operand):
                return f"−{self.operand_phrase(operand)}"  # noqa: RUF001
            case ex.Joined(operator="+", left=left, right=right):
                return f"{self.noun_phrase(left)} together with {self.noun_phrase(right)}"
            case ex.Joined(left=left, right=right):
                return f"{self.noun_phrase(left)} without {self.noun_phrase(right)}"
            case ex.MakeCollection(items=(default,), type=ty.MapType(key)):
                return f"{self.noun_phrase(default)} for each {plain_type_name(str(key))}"
            case ex.MakeRecord(parts=parts, type=ty.RecordType(record)):
                return f"{add_article(plain_type_name(record))}{self.roles_phrase(self.program.records[record].parts, parts)}"
            case ex.MakeCollection(items=items) if not items:
                return "nothing"
            case ex.MakeCollection(items=items) | ex.MakeTuple(parts=items):
                return join_words([self.noun_phrase(item) for item in items])
            case ex.Interval(low=low, high=high):
                return f"{self.limit_phrase(low)} to {self.limit_phrase(high)}"
            case ex.Comprehension(
                binding=Binding(variables=(Variable() as one,)) as binding, value=ex.Local() as local
            ) if local.variable == one:
                repeats = isinstance(binding.source.type, ty.ListType | ty.PoolType)
                if isinstance(node.type, ty.SetType) and repeats and not isinstance(binding.source, ex.Interval):
                    return f"the different values among {add_definite_article(self.filtered_members_phrase(binding))}"
                is_named = binding.where is not None and isinstance(
                    self.find_pronoun_or_name(binding, binding.where), str
                )
                return (
                    f"every {self.filtered_member_phrase(binding)}"
                    if is_named
                    else add_definite_article(self.filtered_members_phrase(binding))
                )
            case ex.Comprehension(
                binding=Binding(variables=(Variable(), Variable()) as both) as binding, value=ex.MakeTuple(parts=parts)
            ) if [part.variable for part in parts if isinstance(part, ex.Local)] == [*both]:
                return f"every pair of {self.filtered_member_phrase(binding)}"
            case ex.Comprehension(
                binding=Binding(variables=(one,), source=source, where=None),
                value=ex.DieAttribute(target=ex.Local(variable=variable), name="natural" | "face"),
            ) if variable == one and isinstance(source.type, ty.PoolType):
                different = "the different values of " if isinstance(node.type, ty.SetType) else ""
                return f"{different}what {self.definite_members_phrase(source)} show"
            case ex.Comprehension(binding=Binding(variables=(_,)) as binding, value=value):
                different = "the different values of " if isinstance(node.type, ty.SetType) else ""
                with self.refer_as_it(self.find_pronoun_or_name(binding, value)) as called:
                    return f"{different}{self.noun_phrase(value)} for each {called}{' ' if called else ''}of {add_definite_article(self.filtered_members_phrase(binding))}"
            case ex.Aggregate(
                word="sum",
                binding=Binding(variables=(one,), source=source, where=None),
                value=ex.Local(variable=variable),
            ) if variable == one and _may_repeat_a_member(source):
                return f"the sum of the different values among {self.noun_phrase(source)}"
            case ex.Aggregate(word="sum" | "min" | "max" as word, binding=binding, value=value) if value is None or (
                isinstance(value, ex.Local) and (value.variable,) == binding.variables
            ):
                return f"{AGGREGATE_PHRASES[word]} {add_definite_article(self.filtered_members_phrase(binding))}"
            case ex.Aggregate(word="sum" | "min" | "max" as word, binding=binding, value=value) if value is not None:
                return f"{AGGREGATE_PHRASES[word]} {self._distributed_phrase(binding, value)}"
            case ex.Aggregate(word="count", binding=binding):
                members = self._plural_members_phrase(binding.source)
                return f"{count_members(binding.source, members)}{self.filter_phrase(binding, 'are')}"
            case ex.TheOnly(binding=binding):
                return f"the only one of {add_definite_article(self.filtered_members_phrase(binding))}"
            case _:
                return self.quote_code(node)

    def _iterate_operands(self, node: ex.Arithmetic) -> Iterator[tuple[str, str]]:
        """Operands in order, with the operators before them; those of a sum to its left as if it had no brackets."""
        is_sum = isinstance(node.left, ex.Arithmetic) and {node.operator, node.left.operator} <= {"+", "-"}
        if is_sum and isinstance(node.left, ex.Arithmetic):
            yield from self._iterate_operands(node.left)
        else:
            yield "", self.operand_phrase(node.left)
        yield node.operator, self.operand_phrase(node.right)

    def _place_phrase(self, node: Expression) -> str:
        """`the attacker` for the attacker's place."""
        bare = node.operand if isinstance(node, ex.Narrowed) else node
        return self.embedded_phrase(bare.target if isinstance(bare, ex.StoredAttribute) and bare.name == "at" else node)

    def limit_phrase(self, node: Expression) -> str:
        """A number at the end of a range, `1 to the least of 3 and the strength`."""
        match _strip_checker_nodes(node):
            case ex.Builtin(name="min" | "max" as name, arguments=(_, _, *_) as arguments):
                parts = [self._bracket_phrase(each, _is_ambiguous_in_list(each, arguments)) for each in arguments]
                of = f"the {'lower' if name == 'min' else 'higher'} of" if len(parts) == 2 else AGGREGATE_PHRASES[name]  # noqa: PLR2004
                return f"{of} {join_words(parts)}"
            case _:
                return self.noun_phrase(node)

    def _bounded_phrase(self, number: Expression, bound: ex.Literal, noun: str) -> str:
        """`the strength, to a maximum of 7 and a minimum of 0`."""
        joint = ", to" if _split_bounded_number(number) is None else " and"
        return f"{self.noun_phrase(number)}{joint} a {noun} of {self.noun_phrase(bound)}"

    def _distributed_phrase(self, binding: Binding, value: Expression) -> str:
        """`the attack of the attackers`."""
        members = add_definite_article(self.filtered_members_phrase(binding))
        match value:
            case ex.StoredAttribute(target=ex.Local(variable=one), name=name) if binding.variables == (one,):
                return f"the {speak_name(name)} of {members}"
            case ex.DerivedAttribute(target=ex.Local(variable=one), function=function) if binding.variables == (one,):
                return f"the {speak_name(function.rpartition('/')[2])} of {members}"
            case ex.CellAttribute(target=ex.Local(variable=one), name=name) if binding.variables == (one,):
                return f"{name_board_attribute(name, value.type)} at {members}"
            case _:
                with self.refer_as_it(self.find_pronoun_or_name(binding, value)) as called:
                    return f"{self.noun_phrase(value)}, for each {called}{' ' if called else ''}of {members}"

    def embedded_phrase(self, node: Expression) -> str:
        """Noun phrase inside another, in brackets if it could absorb the words after it."""
        return self._bracket_phrase(node, _is_compound_phrase(node))

    def picked_number_phrase(self, node: Expression) -> str:
        """How many are picked: `up to the least of 3 and the strength`."""
        is_extreme = isinstance(bare := _strip_checker_nodes(node), ex.Builtin) and bare.name in {"min", "max"}
        return self.limit_phrase(node) if is_extreme else self.embedded_phrase(node)

    def comparand_phrase(self, node: Expression) -> str:
        """Noun phrase next to a verb, in brackets if it contains a comma or `if`."""
        bare = _strip_checker_nodes(node)
        is_rounded = isinstance(bare, ex.Builtin) and bare.name in _ROUNDING_FUNCTIONS
        is_bounded = _split_bounded_number(bare) is not None
        return self._bracket_phrase(node, is_rounded or is_bounded or isinstance(bare, ex.Conditional))

    def compared_value_phrase(self, node: Expression, to: Expression) -> str:
        """Phrase of a compared value; an option by its title if the other side is the chosen answer."""
        match _strip_checker_nodes(to), _strip_checker_nodes(node):
            case (
                ex.Local(variable=variable) | ex.Entry(target=ex.Local(variable=variable)),
                ex.Literal(value=str(option)),
            ) if option in self._option_titles.get(variable, {}):
                return f"“{self._option_titles[variable][option]}”"
            case _:
                return self.comparand_phrase(node)

    def operand_phrase(self, node: Expression) -> str:
        """Brackets also if its sign could be read with the words before it."""
        return self._bracket_phrase(node, _is_compound_phrase(node) or _ends_openly(node))

    def _bracket_phrase(self, node: Expression, is_so: bool) -> str:  # noqa: FBT001
        return f"({self.noun_phrase(node)})" if is_so else self.noun_phrase(node)

    def _call_phrase(self, title: str, name: str, arguments: Sequence[Expression]) -> str:
        given = f" for {join_words(self._argument_phrases(arguments))}" if arguments else ""
        called = title or unqualified_name(name)
        called = first_lower(called) if called.startswith(("A ", "An ", "The ")) else called
        if not title and len(arguments) == 1 and called.endswith(" of"):
            return f"the “{called}” {self._argument_phrases(arguments)[0]}"
        return f"“{called}”{given}"

    def _given_phrase(self, function: Function, arguments: Sequence[Expression]) -> str:
        """Arguments of an attribute of a thing, `(far: yes, N: 2)`; empty if it has none."""
        given = [
            f"{speak_name(parameter.name)}: {self.noun_phrase(argument)}"
            for parameter, argument in zip(function.parameters, arguments, strict=True)
        ]
        return f" ({', '.join(given[1:])})" if given[1:] else ""

    def _argument_phrases(self, arguments: Sequence[Expression]) -> list[str]:
        """A loop variable by its sort, as `it` reads badly after `for`."""
        result = []
        for item in arguments:
            noun = self._bracket_phrase(item, _is_ambiguous_in_list(item, arguments))
            sort = (
                "number"
                if isinstance(ty.strip_optional(item.type), ty.NumberType)
                else self._namer.sort_word(item.type)
            )
            result.append(f"that {sort or 'one'}" if noun == "it" else noun)
        return result

    def roles_phrase(self, names: Sequence[HasName], values: Sequence[Expression]) -> str:
        """`(the attacker, amount: 1)`; without arguments that are none, without names that repeat."""
        roles = [
            noun
            if len(name) <= _MAX_UNNAMED_LENGTH
            or f"{noun} ".startswith((f"the {name} ", f"“{name}” "))
            or noun.endswith(f" “{name}”")
            else f"{name}: {noun}"
            for has_name, value in zip(names, values, strict=True)
            if not is_none_literal(value)
            for name, noun in ((speak_name(has_name.name), self.noun_phrase(_strip_cap(value, has_name.type))),)
        ]
        return f" ({', '.join(roles)})" if roles else ""

    # Members of collections.

    def _plural_members_phrase(self, source: Expression) -> str:
        match source:
            case ex.InPlay(kind=kind):
                return speak_name(self.program.kinds[kind].plural)
            case ex.BoardCells():
                return f"cells of {self.noun_phrase(source)}"
            case ex.Interval(low=low, high=high):
                return f"numbers from {self.limit_phrase(low)} to {self.limit_phrase(high)}"
            case ex.MakeCollection(items=items) if items and all(map(_is_literal_value, items)):
                sort = "numbers" if isinstance(items[0].type, ty.NumberType) else self._namer.sort_word(source.type)
                return f"{sort} {self.noun_phrase(source)}".strip()
            case _ if isinstance(source.type, ty.PoolType):
                noun = self.noun_phrase(source)
                return drop_article(noun) if noun.endswith(" dice") else f"dice of {noun}"
            case ex.Comprehension(binding=Binding(source=ex.Interval())):
                return self.noun_phrase(source).removeprefix("every ")
            case ex.StoredAttribute() | ex.DerivedAttribute() | ex.GameField():
                noun, members = self.noun_phrase(source), self._namer.sort_word(source.type)
                return f"{members} in {noun}" if members and not is_plural(noun) else noun
            case _:
                return self.noun_phrase(source)

    def filtered_members_phrase(self, binding: Binding) -> str:
        """`units that are destroyed`."""
        return f"{self._plural_members_phrase(binding.source)}{self.filter_phrase(binding, 'are')}"

    def titled_member_phrase(self, binding: Binding) -> str:
        """`“a unit that can be announced”`, if that is the title of what members are filtered by; else empty."""
        match binding:
            case Binding(
                variables=(one,),
                source=ex.InPlay(kind=kind),
                where=ex.CallFunction(function=function, arguments=(ex.Local(variable=variable),)),
            ) if one == variable:
                title = self.program.functions[function].title
                return f"“{title}”" if f"{title} ".startswith(f"{add_article(plain_type_name(kind))} ") else ""
            case _:
                return ""

    def filter_phrase(self, binding: Binding, be_: str = "is") -> str:
        """Condition on each member; empty if there is none."""
        if binding.where is None:
            return ""
        match binding.where:
            case ex.Comparison(operator="!=", left=ex.Local(variable=one), right=ex.Itself()) if binding.variables == (
                one,
            ):
                return " other than it"
        with self.refer_as_it(self.find_pronoun_or_name(binding, binding.where)) as called:
            if called:
                return f", {add_article(called)}, for which {self.condition_clause(binding.where)}"
            return f" {join_words(contract_clauses([*self._relative_clauses(binding.where, several=be_ == 'are')], 'and'))}"

    def _relative_clauses(
        self, condition: Expression, *, several: bool, is_one_of_several: bool = False
    ) -> Iterator[str]:
        match condition:
            case ex.Logical(operator="and", left=left, right=right):
                yield from self._relative_clauses(left, several=several, is_one_of_several=True)
                yield from self._relative_clauses(right, several=several, is_one_of_several=True)
            case ex.CallFunction() if (opened := self.open_short_term(condition)) is not condition:
                yield from self._relative_clauses(opened, several=several, is_one_of_several=is_one_of_several)
            case _:
                clause = self.condition_clause(condition)
                bare = condition.operand if isinstance(condition, ex.Not) else condition
                if is_one_of_several and isinstance(bare, ex.Logical):
                    clause = f"({clause})"
                is_one = not isinstance(condition, ex.Logical)
                yield (is_one and make_relative_clause(clause, several=several)) or f"for which {clause}"

    def single_member_phrase(self, binding: Binding) -> str:
        """`unit of the participants`."""
        (one, *others) = binding.variables
        if one is None or others:
            names = [
                "any" if variable is None else drop_article(self.variable_phrase(variable))
                for variable in binding.variables
            ]
            match binding.source:
                case ex.Builtin(name="pairs", arguments=(first, second)) if self.definite_members_phrase(
                    first
                ) != self.definite_members_phrase(second):
                    return f"{add_article(names[0])} of {self.definite_members_phrase(first)} and {add_article(names[1])} of {self.definite_members_phrase(second)}"
                case ex.Builtin(name="pairs", arguments=(first, _)):
                    return f"{' and '.join(names)} of {self.definite_members_phrase(first)}"
            return f"{' and '.join(names)} of {self.definite_members_phrase(binding.source)}"
        called = drop_article(self.variable_phrase(one))
        match binding.source:
            case ex.InPlay(kind=kind) if f"{called} ".startswith(f"{plain_type_name(kind)} "):
                return called
            case ex.Interval():
                return f"{called} from {self.noun_phrase(binding.source)}"
            case ex.BoardCells():
                return f"{called} of {self.noun_phrase(binding.source)}"
            case ex.Comprehension(
                binding=Binding(variables=(member,), source=ex.InPlay(kind=kind)) as inner, value=ex.Local() as value
            ) if (
                f"{called} ".startswith(f"{plain_type_name(kind)} ")
                and value.variable == member
                and (which := self.filter_phrase(inner)).startswith(" ")
            ):
                return f"{called}{which}"
            case ex.StoredAttribute() | ex.DerivedAttribute() | ex.GameField() as source:
                return f"{called} of {add_definite_article(self.noun_phrase(source))}"
            case _:
                return f"{called} of {self.definite_members_phrase(binding.source)}"

    def definite_members_phrase(self, source: Expression) -> str:
        """`the units`, `the attack dice`."""
        return add_definite_article(self._plural_members_phrase(source))

    def filtered_member_phrase(self, binding: Binding) -> str:
        """A single member with its condition."""
        if binding.where is None:
            return self.single_member_phrase(binding)
        with self.refer_as_it(self.find_pronoun_or_name(binding, binding.where)) as called:
            relative_clauses = (
                [f"for which {self.condition_clause(binding.where)}"]
                if called
                else self._relative_clauses(binding.where, several=False)
            )
            clauses = join_words(contract_clauses([*relative_clauses], "and"))
        in_turn = isinstance(binding.source, ex.Builtin) and binding.source.name == "starting_with"
        return f"{self.single_member_phrase(binding)}{', but only one' if in_turn else ''} {clauses}"

    @abstractmethod
    def open_short_term(self, node: Expression) -> Expression:
        """The conditions of a short term in its place; other expressions as they are."""

    @abstractmethod
    def condition_clause(self, node: Expression, *, truth: bool = True) -> str:
        """Condition or its negation as a clause after `if`."""


def _strip_checker_nodes(node: Expression) -> Expression:
    """Without the nodes that the checker adds."""
    while isinstance(node, ex.Narrowed | ex.Rounded):
        node = node.operand
    return node


def _strip_cap(node: Expression, type_: ty.Type) -> Expression:
    """Without a cap that only keeps a number within its type: `hits` of `min(40, hits)` for 0 to 40."""
    match _strip_checker_nodes(node):
        case (
            ex.Builtin(name="min", arguments=(ex.Literal(value=int(cap)), inner))
            | ex.Builtin(name="min", arguments=(inner, ex.Literal(value=int(cap))))
        ) if isinstance(type_, ty.NumberType) and cap == type_.high:
            return inner
        case _:
            return node


def _is_literal_value(node: Expression) -> bool:
    return isinstance(node, ex.Literal | ex.WordLiteral)


def _may_repeat_a_member(node: Expression) -> bool:
    """Whether two members that are written in a set may be equal, and then count once."""
    match _strip_checker_nodes(node):
        case ex.MakeCollection(items=items, type=ty.SetType()):
            return len(items) > 1 and not all(map(_is_literal_value, items))
        case _:
            return False


def _is_compound_phrase(node: Expression) -> bool:
    """Whether its phrase has `and`, a sign, a comma or `if`."""
    match _strip_checker_nodes(node):
        case ex.Builtin(name=name) if name in {"min", "max", *_ROUNDING_FUNCTIONS}:
            return True
        case ex.MakeCollection(items=items, type=type_):
            return len(items) > 1 and not isinstance(type_, ty.MapType)
        case bare:
            return isinstance(bare, ex.Arithmetic | ex.Conditional | ex.Joined) and not _is_fraction_literal(bare)


def _split_bounded_number(node: Expression) -> tuple[Expression, ex.Literal, str] | None:
    """The number and the written bound of `max(0, n)` or `min(n, 7)`, with what the bound is; None of others."""
    match _strip_checker_nodes(node):
        case ex.Builtin(name="min" | "max" as name, arguments=(one, other)):
            noun = "minimum" if name == "max" else "maximum"
            match _strip_checker_nodes(one), _strip_checker_nodes(other):
                case (ex.Literal(), ex.Literal()):
                    return None
                case (ex.Literal() as bound, _):
                    return other, bound, noun
                case (_, ex.Literal() as bound):
                    return one, bound, noun
                case _:
                    return None
        case _:
            return None


def _is_fraction_literal(node: Expression) -> bool:
    match node:
        case ex.Arithmetic(operator="/", left=ex.Literal(), right=ex.Literal()):
            return True
        case _:
            return False


def _is_ambiguous_in_list(node: Expression, beside: Sequence[Expression]) -> bool:
    """Whether its phrase would run into its neighbours in a list."""
    match _strip_checker_nodes(node):
        case ex.CallFunction(arguments=arguments) | ex.ExternalValue(arguments=arguments) if arguments:
            return len(arguments) > 1 or len(beside) > 1
        case bare:
            return _is_compound_phrase(bare)


def _ends_openly(node: Expression) -> bool:
    """Whether its phrase ends in a number or in a condition on members."""
    match _strip_checker_nodes(node):
        case ex.Builtin(name=name, arguments=arguments) if name in FUNCTION_PHRASES and arguments:
            return isinstance(ty.strip_optional(arguments[-1].type), ty.NumberType) or len(arguments) > 1
        case ex.CallFunction(arguments=arguments) | ex.ExternalValue(arguments=arguments) if arguments:
            return isinstance(ty.strip_optional(arguments[-1].type), ty.NumberType)
        case ex.Entry(target=target, key=key):
            return isinstance(ty.strip_optional(key.type), ty.NumberType) and not isinstance(target.type, ty.ListType)
        case ex.Aggregate(word=word, binding=binding):
            return word != "count" or binding.where is not None
        case _:
            return False
