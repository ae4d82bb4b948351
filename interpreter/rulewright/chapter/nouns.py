"""What expressions stand for, as a rulebook names it: things, values and members of collections.

What has no words of its own is quoted as its author wrote it.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rulewright.chapter.english import FUNCTIONS, MINUS, OVER, PLACE, SIGNS, bare, relative, the
from rulewright.chapter.names import Names, alone, asked_in, called_alone, options_in, plain, plain_name
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import is_none
from rulewright.program.declarations import Program
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.wording import Wording, a, literal
from rulewright.roles import nodes
from rulewright.telling.conditions import listed, possessive, spoken

_SHORT = 2
_ROUNDED = frozenset({"floor", "ceiling", "round"})
_RELATIVE = re.compile(
    r"(?!(?:an?|any|how|what|who|whom|whose|when|where|which|no)\b)[a-z]+ (?:for|from|in|of|that|which|who|whose) .+"
)


class Named(Protocol):
    """What has a name: a parameter, or a part of a record."""

    @property
    def name(self) -> str:
        """Its name."""


class Nouns(ABC):
    """Says what the expressions of one declaration stand for.

    Args:
        program: whose names are meant.
        variables: all names of the declaration.
        parts: the nodes in which they are used.
        parameters: those of the names that callers give.
    """

    def __init__(
        self,
        program: Program,
        variables: Sequence[Variable] = (),
        parts: object = (),
        parameters: Sequence[Variable] = (),
    ) -> None:
        self.program = program
        self._wording = Wording(program)
        self._names = Names(program, variables, parts, parameters)
        found = [*nodes(parts)]
        self.asked = asked_in(found)
        self._options = options_in(found)
        self._it: Variable | None = None

    def code(self, node: Expression) -> str:
        """The expression in the notation of the language, between backticks."""
        return f"`{self._wording.text(node)}`"

    @contextmanager
    def about(self, members: "Variable | str") -> Iterator[str]:
        """Within it a member is called `it`, or by names that are to be said first."""
        before, self._it = self._it, None if isinstance(members, str) else members
        try:
            yield members if isinstance(members, str) else ""
        finally:
            self._it = before

    def alone(self, binding: Binding, said: object) -> "Variable | str":
        """The member, where `it` can only mean that one; else what the members are called."""
        if binding.variables == (None,):
            return ""
        return alone(binding, said) or " and ".join(bare(self.variable(each)) for each in binding.variables if each)

    # Things and values.

    def variable(self, variable: Variable) -> str:
        """What a name of the routine stands for: `the attacker`; one of a letter or two by its sort."""
        return "it" if variable == self._it else self._names.called(variable)

    def field(self, name: str) -> str:
        """What a value of the game is called: by its title if that is a noun, else by its name."""
        found = self.program.game[name]
        title = found.title
        if title.startswith("the ") and "," not in title:
            return title
        if isinstance(found.type, ty.FlagType):
            return f"“{title or spoken(name)}”"
        if _RELATIVE.fullmatch(title):
            return f"the {title}"
        player = " player" if ty.present(found.type) == ty.PLAYER and "player" not in name else ""
        return f"the {spoken(name)}{player}"

    def attribute(self, name: str) -> str:
        """What an attribute is called."""
        return PLACE.get(name) or called_alone(spoken(name))

    def whose(self, node: Expression) -> str:
        """`the attacker's`, `its`."""
        noun = self.noun(node)
        return "its" if noun == "it" else possessive(noun)

    def noun(self, node: Expression) -> str:  # noqa: C901, PLR0911, PLR0912, PLR0915 - each sort
        """What an expression stands for."""
        match node:
            case ex.Narrowed(operand=operand) | ex.Rounded(operand=operand):
                return self.noun(operand)
            case ex.Literal(value=None):
                return "nothing"
            case ex.Literal(value=value):
                return MINUS.sub("−", literal(value))  # noqa: RUF001
            case ex.WordLiteral(type=ty.WordType(values), position=position):
                word = self.program.values[values].words[position]
                return word.title or spoken(word.name)
            case ex.WordLiteral():
                return spoken(self._wording.text(node))
            case ex.Local(variable=variable):
                return self.variable(variable)
            case ex.Itself():
                return "it"
            case ex.GameField(name=name):
                return self.field(name)
            case ex.SettingValue(name=name):
                title = self.program.settings[name].title
                return f"the reading “{title.rstrip('?')}”" if title else f"the reading `{name}`"
            case ex.InPlay(kind=kind):
                return f"the {spoken(self.program.kinds[kind].plural)} in play"
            case ex.Removed(kind=kind):
                return f"the {spoken(self.program.kinds[kind].plural)} out of play"
            case ex.BoardCells(board=board):
                return f"the {spoken(board)}"
            case ex.StoredAttribute(target=target, name=name) | ex.PlaneAttribute(target=target, name=name):
                return f"{self.whose(target)} {self._names.with_sort(self.attribute(name), node.type)}"
            case ex.Part(target=target, name=name) if name.isdecimal():
                return f"part {name} of {self.noun(target)}"
            case ex.Part(target=ex.Local() as target, name=name):
                return f"{self.whose(target)} {self.attribute(name)}"
            case ex.DerivedAttribute(target=target, function=function):
                called = self.attribute(function.rpartition("/")[2])
                return f"{self.whose(target)} {self._names.with_sort(called, node.type)}"
            case ex.CellAttribute(target=target, name=name):
                return f"“{spoken(name)}” at {self.noun(target)}"
            case ex.DieAttribute(target=target, name="natural" | "face"):
                return "what it shows" if self.noun(target) == "it" else f"what {self.noun(target)} shows"
            case ex.Entry(target=target, key=ex.Literal(value=1)) if isinstance(target.type, ty.ListType):
                return f"the first of {self.noun(target)}"
            case ex.Entry(target=target, key=key) if isinstance(target.type, ty.ListType):
                return f"number {self.part(key)} of {self.noun(target)}"
            case ex.Entry(target=target, key=key):
                return f"{self.noun(target)} for {self.part(key)}"
            case ex.CallFunction(function=name, arguments=arguments):
                return self._called(self.program.functions[name].title, name, arguments)
            case ex.ExternalValue(external=name, arguments=arguments):
                return self._called(self.program.external_terms[name].title, name, arguments)
            case ex.Builtin(name="other", arguments=(one, several)):
                return f"whichever of {self.noun(several)} is not {self.noun(one)}"
            case ex.Builtin(name="count", arguments=(source,)):
                return f"the number of {self._members(source)}"
            case ex.Builtin(name="min" | "max" as name, arguments=arguments) if len(arguments) > 1:
                parts = [self._bracketed(each, _goes_on(each, arguments)) for each in arguments]
                return f"{OVER[name]} {listed(parts)}"
            case ex.Builtin(name=name, arguments=(ex.Arithmetic() as number,)) if name in _ROUNDED:
                return FUNCTIONS[name].format(self.noun(number))
            case ex.Builtin(name="along", arguments=(word, ex.Literal(value=int(steps)))) if steps < 0:
                return f"{self._spot(word)} moved back by {-steps}"
            case ex.Builtin(name=name, arguments=arguments) if name in FUNCTIONS:
                return FUNCTIONS[name].format(*map(self._spot, arguments))
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return f"{self.side(then)} if {self.sentence(condition)}, else {self.side(otherwise)}"
            case ex.Arithmetic(
                operator="+" | "-" as operator, left=ex.Arithmetic(operator="+" | "-") as left, right=right
            ):
                return f"{self.noun(left)} {SIGNS[operator]} {self._operand(right)}"
            case ex.Arithmetic(operator=operator, left=left, right=right):
                return f"{self._operand(left)} {SIGNS[operator]} {self._operand(right)}"
            case ex.Negation(operand=operand):
                return f"−{self._operand(operand)}"  # noqa: RUF001
            case ex.Joined(operator="+", left=left, right=right):
                return f"{self.noun(left)} together with {self.noun(right)}"
            case ex.Joined(left=left, right=right):
                return f"{self.noun(left)} without {self.noun(right)}"
            case ex.MakeCollection(items=(default,), type=ty.MapType(key)):
                return f"{self.noun(default)} for each {plain(str(key))}"
            case ex.MakeRecord(parts=parts, type=ty.RecordType(record)):
                return f"{a(plain(record))}{self.roles(self.program.records[record].parts, parts)}"
            case ex.MakeCollection(items=items) if not items:
                return "nothing"
            case ex.MakeCollection(items=items) | ex.MakeTuple(parts=items):
                return listed([self.noun(each) for each in items])
            case ex.Interval(low=low, high=high):
                return f"{self.noun(low)} to {self.noun(high)}"
            case ex.Comprehension(
                binding=Binding(variables=(Variable() as one,)) as binding, value=ex.Local() as own
            ) if own.variable == one:
                is_named = binding.where is not None and isinstance(self.alone(binding, binding.where), str)
                return f"every {self.one_by_one(binding)}" if is_named else the(self.members(binding))
            case ex.Comprehension(
                binding=Binding(variables=(Variable(), Variable()) as both) as binding, value=ex.MakeTuple(parts=parts)
            ) if [each.variable for each in parts if isinstance(each, ex.Local)] == [*both]:
                return f"every pair of {self.one_by_one(binding)}"
            case ex.Comprehension(
                binding=Binding(variables=(one,), source=source, where=None),
                value=ex.DieAttribute(target=ex.Local(variable=own), name="natural" | "face"),
            ) if own == one and isinstance(source.type, ty.PoolType):
                return f"what {self.among(source)} show"
            case ex.Comprehension(binding=Binding(variables=(_,)) as binding, value=value):
                with self.about(self.alone(binding, value)) as called:
                    return f"{self.noun(value)} for each {called}{' ' if called else ''}of {the(self.members(binding))}"
            case ex.Aggregate(word="sum" | "min" | "max" as word, binding=binding, value=value) if value is None or (
                isinstance(value, ex.Local) and (value.variable,) == binding.variables
            ):
                return f"{OVER[word]} {the(self.members(binding))}"
            case ex.Aggregate(word="sum" | "min" | "max" as word, binding=binding, value=value) if value is not None:
                return f"{OVER[word]} {self._of_each(binding, value)}"
            case ex.Aggregate(word="count", binding=binding):
                return f"the number of {self.members(binding)}"
            case ex.TheOnly(binding=binding):
                return f"the only one of {self.members(binding)}"
            case _:
                return self.code(node)

    def _spot(self, node: Expression) -> str:
        """A place by what stands there: `the attacker` for the attacker's place."""
        bare = node.operand if isinstance(node, ex.Narrowed) else node
        return self.part(bare.target if isinstance(bare, ex.StoredAttribute) and bare.name == "at" else node)

    def _of_each(self, binding: Binding, value: Expression) -> str:
        """`the attack of the attackers`, of any other value what it is for each of them."""
        members = the(self.members(binding))
        match value:
            case ex.StoredAttribute(target=ex.Local(variable=one), name=name) if binding.variables == (one,):
                return f"the {spoken(name)} of {members}"
            case ex.DerivedAttribute(target=ex.Local(variable=one), function=function) if binding.variables == (one,):
                return f"the {spoken(function.rpartition('/')[2])} of {members}"
            case _:
                with self.about(self.alone(binding, value)) as called:
                    return f"{self.noun(value)}, for each {called}{' ' if called else ''}of {members}"

    def part(self, node: Expression) -> str:
        """What an expression stands for inside the words of another, in brackets where these could go on in it."""
        return self._bracketed(node, _is_compound(node))

    def side(self, node: Expression) -> str:
        """What an expression stands for beside a verb, in brackets where a comma or `if` stands in it."""
        bare = _plain(node)
        is_rounded = isinstance(bare, ex.Builtin) and bare.name in _ROUNDED
        return self._bracketed(node, is_rounded or isinstance(bare, ex.Conditional))

    def answer(self, node: Expression, to: Expression) -> str:
        """What a value is called beside what it is compared with: an option by its title, beside the answer chosen."""
        match _plain(to), _plain(node):
            case (
                ex.Local(variable=variable) | ex.Entry(target=ex.Local(variable=variable)),
                ex.Literal(value=str(option)),
            ) if option in self._options.get(variable, {}):
                return f"“{self._options[variable][option]}”"
            case _:
                return self.side(node)

    def _operand(self, node: Expression) -> str:
        """A side of a sum, in brackets also where its sign could belong to the last words."""
        return self._bracketed(node, _is_compound(node) or _is_open(node))

    def _bracketed(self, node: Expression, is_so: bool) -> str:  # noqa: FBT001
        return f"({self.noun(node)})" if is_so else self.noun(node)

    def _called(self, title: str, name: str, arguments: Sequence[Expression]) -> str:
        given = f" for {listed(self._arguments(arguments))}" if arguments else ""
        return f"“{title or plain_name(name)}”{given}"

    def _arguments(self, asked: Sequence[Expression]) -> list[str]:
        """What a term is asked of; the member that is gone through by its sort, for `it` reads badly behind `for`."""
        found = []
        for each in asked:
            noun = self._bracketed(each, _goes_on(each, asked))
            sort = "number" if isinstance(ty.present(each.type), ty.NumberType) else self._names.sort(each.type)
            found.append(f"that {sort or 'one'}" if noun == "it" else noun)
        return found

    def roles(self, names: Sequence[Named], values: Sequence[Expression]) -> str:
        """`(the attacker, amount: 1)`: what each is; nothing where it is none, what has its own name once."""
        told = [
            noun if len(name) <= _SHORT or f"{noun} ".startswith((f"the {name} ", f"“{name}” ")) else f"{name}: {noun}"
            for each, value in zip(names, values, strict=True)
            if not is_none(value)
            for name, noun in ((spoken(each.name), self.noun(value)),)
        ]
        return f" ({', '.join(told)})" if told else ""

    # Members of collections.

    def _members(self, source: Expression) -> str:
        """The members of a collection, in the plural."""
        match source:
            case ex.InPlay(kind=kind):
                return spoken(self.program.kinds[kind].plural)
            case ex.BoardCells():
                return f"cells of {self.noun(source)}"
            case ex.Interval(low=low, high=high):
                return f"numbers from {self.noun(low)} to {self.noun(high)}"
            case ex.MakeCollection(items=items) if items and all(map(_is_constant, items)):
                sort = "numbers" if isinstance(items[0].type, ty.NumberType) else self._names.sort(source.type)
                return f"{sort} {self.noun(source)}".strip()
            case _ if isinstance(source.type, ty.PoolType):
                noun = self.noun(source)
                return bare(noun) if noun.endswith(" dice") else f"dice of {noun}"
            case _:
                return self.noun(source)

    def members(self, binding: Binding) -> str:
        """Members with what is asked of them: `units that are destroyed`."""
        return f"{self._members(binding.source)}{self.where(binding, 'are')}"

    def where(self, binding: Binding, be_: str = "is") -> str:
        """What is asked of each member; nothing where all are meant."""
        if binding.where is None:
            return ""
        with self.about(self.alone(binding, binding.where)) as called:
            if called:
                return f", {a(called)}, for which {self.sentence(binding.where)}"
            return f" {listed([*self._asked_of_it(binding.where, several=be_ == 'are')])}"

    def _asked_of_it(self, condition: Expression, *, several: bool) -> Iterator[str]:
        """Each part of a condition on `it` as a relative clause, as far as that reads well."""
        match condition:
            case ex.Logical(operator="and", left=left, right=right):
                yield from self._asked_of_it(left, several=several)
                yield from self._asked_of_it(right, several=several)
            case _:
                said = self.sentence(condition)
                is_one = not isinstance(condition, ex.Logical)
                yield (is_one and relative(said, several=several)) or f"for which {said}"

    def each(self, binding: Binding) -> str:
        """Members one by one, under the name that the text gives them: `unit of the participants`."""
        (one, *others) = binding.variables
        if one is None or others:
            names = ["any" if each is None else bare(self.variable(each)) for each in binding.variables]
            match binding.source:
                case ex.Builtin(name="pairs", arguments=(first, second)) if self.among(first) != self.among(second):
                    return f"{a(names[0])} of {self.among(first)} and {a(names[1])} of {self.among(second)}"
                case ex.Builtin(name="pairs", arguments=(first, _)):
                    return f"{' and '.join(names)} of {self.among(first)}"
            return f"{' and '.join(names)} of {self.among(binding.source)}"
        called = bare(self.variable(one))
        match binding.source:
            case ex.InPlay(kind=kind) if plain(kind) == called:
                return called
            case ex.Interval():
                return f"{called} from {self.noun(binding.source)}"
            case _:
                return f"{called} of {self.among(binding.source)}"

    def among(self, source: Expression) -> str:
        """The members of a collection with their article: `the units`, `the attack dice`."""
        return the(self._members(source))

    def one_by_one(self, binding: Binding) -> str:
        """Members one by one, with what is asked of each."""
        if binding.where is None:
            return self.each(binding)
        with self.about(self.alone(binding, binding.where)) as called:
            asked = (
                [f"for which {self.sentence(binding.where)}"]
                if called
                else self._asked_of_it(binding.where, several=False)
            )
            clauses = listed([*asked])
        return f"{self.each(binding)} {clauses}"

    @abstractmethod
    def sentence(self, node: Expression, *, truth: bool = True) -> str:
        """A condition, or its opposite, as a clause that can follow `if`."""


def _plain(node: Expression) -> Expression:
    """An expression without what only the checker knows of it."""
    while isinstance(node, ex.Narrowed | ex.Rounded):
        node = node.operand
    return node


def _is_constant(node: Expression) -> bool:
    return isinstance(node, ex.Literal | ex.WordLiteral)


def _is_compound(node: Expression) -> bool:
    """Whether the words of an expression are several things, with `and`, a sign, a comma or `if` between them."""
    match _plain(node):
        case ex.Builtin(name=name) if name in {"min", "max", *_ROUNDED}:
            return True
        case ex.MakeCollection(items=items, type=type_):
            return len(items) > 1 and not isinstance(type_, ty.MapType)
        case bare:
            return isinstance(bare, ex.Arithmetic | ex.Conditional | ex.Joined)


def _goes_on(node: Expression, beside: Sequence[Expression]) -> bool:
    """Whether the words of one of several things are several themselves, or could go on in those of the next."""
    match _plain(node):
        case ex.CallFunction(arguments=arguments) | ex.ExternalValue(arguments=arguments) if arguments:
            return len(arguments) > 1 or len(beside) > 1
        case bare:
            return _is_compound(bare)


def _is_open(node: Expression) -> bool:
    """Whether the words of an expression end in a number, or in what is asked of members."""
    match _plain(node):
        case ex.Builtin(name=name, arguments=arguments) if name in FUNCTIONS and arguments:
            return isinstance(ty.present(arguments[-1].type), ty.NumberType) or len(arguments) > 1
        case ex.CallFunction(arguments=arguments) | ex.ExternalValue(arguments=arguments) if arguments:
            return isinstance(ty.present(arguments[-1].type), ty.NumberType)
        case ex.Entry(target=target, key=key):
            return isinstance(ty.present(key.type), ty.NumberType) and not isinstance(target.type, ty.ListType)
        case ex.Aggregate(word=word, binding=binding):
            return word != "count" or binding.where is not None
        case _:
            return False
