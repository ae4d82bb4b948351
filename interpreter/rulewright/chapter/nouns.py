"""What expressions stand for, as a rulebook names it: things, values and members of collections.

What has no words of its own is quoted as its author wrote it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from rulewright.chapter.english import FUNCTIONS, OVER, PLACE, SIGNS, is_of_it, the
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import (
    PLAYER,
    CellType,
    DieType,
    FlagType,
    ListType,
    MapType,
    PoolType,
    RecordType,
    ThingType,
    Type,
    WordType,
    present,
)
from rulewright.program.wording import Wording, a, literal
from rulewright.roles import nodes
from rulewright.telling.conditions import listed, spoken

_SHORT = 2
_ORDINALS = ("first", "second")
_BINDERS = (ex.Quantifier, ex.Aggregate, ex.Comprehension, ex.TheOnly)
_LEADS = frozenset("all any again at both by each every from in no none of on other some to".split())  # noqa: SIM905


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
        asked: by name that only a yes-or-no question sets, that question.
        parameters: those of the names that callers give.
    """

    def __init__(
        self,
        program: Program,
        variables: Sequence[Variable] = (),
        asked: Mapping[Variable, st.Ask] | None = None,
        parameters: Sequence[Variable] = (),
    ) -> None:
        self.program = program
        self._wording = Wording(program)
        self._variables = variables
        self._parameters = parameters
        self.asked = asked or {}
        self._it: Variable | None = None
        self.called: dict[Variable, str] = {}

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

    def _alone(self, binding: Binding, said: Expression) -> "Variable | str":
        """The member, where `it` can only mean that one; else what the members are called."""
        (one, *others) = binding.variables
        if one is None and not others:
            return ""
        inner = (each for each in nodes(said) if isinstance(each, _BINDERS))
        if one is None or others or any(_mentions(each, one) for each in inner):
            return " and ".join(self.variable(each).removeprefix("the ") for each in binding.variables if each)
        return one

    # Things and values.

    def variable(self, variable: Variable) -> str:
        """What a name of the routine stands for: `the attacker`; one of a letter or two by its kind."""
        if variable == self._it:
            return "it"
        if variable in self.called:
            return self.called[variable]
        if len(variable.name) > _SHORT:
            name = spoken(variable.name)
            return f"“{name}”" if _stands_alone(variable, name) else f"the {name}"
        noun = _sort(variable.type)
        others = [each for each in self._variables if each.name != variable.name and self._clashes(each, noun)]
        alike = [each for each in self._parameters if each == variable or each in others]
        if len(alike) == len(_ORDINALS) and len(others) == 1 and variable in alike:
            return f"the {_ORDINALS[alike.index(variable)]} {noun}"
        return f"the {noun}" if noun and not others else f"`{variable.name}`"

    def _clashes(self, other: Variable, noun: str) -> bool:
        return spoken(other.name) == noun or (len(other.name) <= _SHORT and _sort(other.type) == noun)

    def whose(self, node: Expression) -> str:
        """`the attacker's`, `its`."""
        noun = self.noun(node)
        if noun == "it":
            return "its"
        return f"{noun}'" if noun.endswith("s") and not noun.endswith("ss") else f"{noun}'s"

    def noun(self, node: Expression) -> str:  # noqa: C901, PLR0911, PLR0912, PLR0915 - one for each sort
        """What an expression stands for."""
        match node:
            case ex.Narrowed(operand=operand) | ex.Rounded(operand=operand):
                return self.noun(operand)
            case ex.Literal(value=None):
                return "nothing"
            case ex.Literal(value=value):
                return literal(value)
            case ex.WordLiteral(type=WordType(values), position=position):
                word = self.program.values[values].words[position]
                return word.title or spoken(word.name)
            case ex.WordLiteral():
                return spoken(self._wording.text(node))
            case ex.Local(variable=variable):
                return self.variable(variable)
            case ex.Itself():
                return "it"
            case ex.GameField(name=name):
                title = self.program.game[name].title
                player = " player" if present(node.type) == PLAYER and "player" not in name else ""
                return f"“{title}”" if title else f"the {spoken(name)}{player}"
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
                return f"{self.whose(target)} {PLACE.get(name, spoken(name))}"
            case ex.Part(target=ex.Local() as target, name=name):
                return f"{self.whose(target)} {PLACE.get(name, spoken(name))}"
            case ex.DerivedAttribute(target=target, function=function):
                return f"{self.whose(target)} {spoken(function.rpartition('/')[2])}"
            case ex.CellAttribute(target=target, name=name):
                return f"{spoken(name)} at {self.noun(target)}"
            case ex.DieAttribute(target=target, name="natural" | "face"):
                return "what it shows" if self.noun(target) == "it" else f"what {self.noun(target)} shows"
            case ex.Entry(target=target, key=ex.Literal(value=1)) if isinstance(target.type, ListType):
                return f"the first of {self.noun(target)}"
            case ex.Entry(target=target, key=key) if isinstance(target.type, ListType):
                return f"number {self.noun(key)} of {self.noun(target)}"
            case ex.Entry(target=target, key=key):
                return f"{self.noun(target)} for {self.noun(key)}"
            case ex.CallFunction(function=name, arguments=arguments):
                return self._called(self.program.functions[name].title, name, arguments)
            case ex.ExternalValue(external=name, arguments=arguments):
                return self._called(self.program.external_terms[name].title, name, arguments)
            case ex.Builtin(name="other", arguments=(one, several)):
                return f"whichever of {self.noun(several)} is not {self.noun(one)}"
            case ex.Builtin(name="count", arguments=(source,)):
                return f"the number of {self._members(source)}"
            case ex.Builtin(name="min" | "max" as name, arguments=arguments) if len(arguments) > 1:
                return f"{OVER[name]} {listed([self.noun(each) for each in arguments])}"
            case ex.Builtin(name=name, arguments=arguments) if name in FUNCTIONS:
                return FUNCTIONS[name].format(*map(self._spot, arguments))
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return f"{self.noun(then)} if {self.sentence(condition)}, else {self.noun(otherwise)}"
            case ex.Arithmetic(operator=operator, left=left, right=right):
                return f"{self._operand(left)} {SIGNS[operator]} {self._operand(right)}"
            case ex.Negation(operand=operand):
                return f"−{self._operand(operand)}"  # noqa: RUF001
            case ex.Joined(operator="+", left=left, right=right):
                return f"{self.noun(left)} together with {self.noun(right)}"
            case ex.Joined(left=left, right=right):
                return f"{self.noun(left)} without {self.noun(right)}"
            case ex.MakeCollection(items=(default,), type=MapType(key)):
                return f"{self.noun(default)} for each {_many(key)}"
            case ex.MakeRecord(parts=parts, type=RecordType(record)):
                return f"{a(spoken(record).lower())}{self.roles(self.program.records[record].parts, parts)}"
            case ex.MakeCollection(items=items) if not items:
                return "nothing"
            case ex.MakeCollection(items=items) | ex.MakeTuple(parts=items):
                return listed([self.noun(each) for each in items])
            case ex.Interval(low=low, high=high):
                return f"{self.noun(low)} to {self.noun(high)}"
            case ex.Comprehension(
                binding=Binding(variables=(Variable() as one,)) as binding, value=ex.Local() as own
            ) if own.variable == one:
                return the(self.members(binding))
            case ex.Comprehension(
                binding=Binding(variables=(one,), source=source, where=None),
                value=ex.DieAttribute(target=ex.Local(variable=own), name="natural" | "face"),
            ) if own == one and isinstance(source.type, PoolType):
                return f"what the dice of {self.noun(source)} show"
            case ex.Comprehension(binding=Binding(variables=(_,)) as binding, value=value):
                with self.about(self._alone(binding, value)) as called:
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
        return self.noun(bare.target if isinstance(bare, ex.StoredAttribute) and bare.name == "at" else node)

    def _of_each(self, binding: Binding, value: Expression) -> str:
        """`the attack of the attackers`, of any other value what it is for each of them."""
        members = the(self.members(binding))
        match value:
            case ex.StoredAttribute(target=ex.Local(variable=one), name=name) if binding.variables == (one,):
                return f"the {spoken(name)} of {members}"
            case ex.DerivedAttribute(target=ex.Local(variable=one), function=function) if binding.variables == (one,):
                return f"the {spoken(function.rpartition('/')[2])} of {members}"
            case _:
                with self.about(self._alone(binding, value)) as called:
                    return f"{self.noun(value)}, for each {called}{' ' if called else ''}of {members}"

    def _operand(self, node: Expression) -> str:
        noun = self.noun(node)
        bare = node.operand if isinstance(node, ex.Narrowed) else node
        return f"({noun})" if isinstance(bare, ex.Arithmetic | ex.Conditional | ex.Joined) else noun

    def _called(self, title: str, name: str, arguments: Sequence[Expression]) -> str:
        given = f" for {listed([*map(self._argument, arguments)])}" if arguments else ""
        return f"“{title or spoken(name)}”{given}"

    def _argument(self, node: Expression) -> str:
        """What a term is asked of; the member that is gone through by its sort, for `it` reads badly behind `for`."""
        noun = self.noun(node)
        return f"that {_sort(node.type) or 'one'}" if noun == "it" else noun

    def roles(self, names: Sequence[Named], values: Sequence[Expression]) -> str:
        """`(the attacker, amount: 1)`: what each is; nothing where it is none, what has its own name once."""
        told = [
            noun if noun == f"the {spoken(each.name)}" else f"{spoken(each.name)}: {noun}"
            for each, value in zip(names, values, strict=True)
            if not (isinstance(value, ex.Literal) and value.value is None)
            for noun in (self.noun(value),)
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
            case _ if isinstance(source.type, PoolType):
                return f"dice of {self.noun(source)}"
            case _:
                return self.noun(source)

    def members(self, binding: Binding) -> str:
        """Members with what is asked of them: `units that are destroyed`."""
        return f"{self._members(binding.source)}{self.where(binding, 'are')}"

    def where(self, binding: Binding, be_: str = "is") -> str:
        """What is asked of each member; nothing where all are meant."""
        if binding.where is None:
            return ""
        with self.about(self._alone(binding, binding.where)) as called:
            said = self.sentence(binding.where)
        if called:
            return f" {called} for which {said}"
        return f" that {be_} {said.removeprefix('it is ')}" if is_of_it(said) else f" for which {said}"

    def each(self, binding: Binding) -> str:
        """Members one by one, under the name that the text gives them: `unit of the participants`."""
        (one, *others) = binding.variables
        if one is None or others:
            names = ["_" if each is None else self.variable(each).removeprefix("the ") for each in binding.variables]
            return f"{' and '.join(names)} of {self._members(binding.source)}"
        called = self.variable(one).removeprefix("the ")
        match binding.source:
            case ex.InPlay(kind=kind) if spoken(kind).lower() == called:
                return called
            case ex.Interval():
                return f"{called} from {self.noun(binding.source)}"
            case _:
                return f"{called} of {self._members(binding.source)}"

    def one_by_one(self, binding: Binding) -> str:
        """Members one by one, with what is asked of each."""
        if binding.where is None:
            return self.each(binding)
        with self.about(self._alone(binding, binding.where)) as called:
            said = self.sentence(binding.where)
        if not called and is_of_it(said):
            return f"{self.each(binding)} that is {said.removeprefix('it is ')}"
        return f"{self.each(binding)} for which {said}"

    @abstractmethod
    def sentence(self, node: Expression, *, truth: bool = True) -> str:
        """A condition, or its opposite, as a clause that can follow `if`."""


def _mentions(node: object, variable: Variable) -> bool:
    return any(isinstance(each, ex.Local) and each.variable == variable for each in nodes(node))


def _stands_alone(variable: Variable, name: str) -> bool:
    """Whether a name reads better between quotes than after `the`: a flag, or one that begins like a phrase."""
    first, *_, last = [*name.split(" "), name.rpartition(" ")[2]]
    return isinstance(variable.type, FlagType) or first in _LEADS or (last in _LEADS and last != first)


def _sort(type_: Type) -> str:
    """What sort of thing a value is: `unit`, `player`, `hex`; empty for numbers and words."""
    match present(type_):
        case ThingType(kind):
            return spoken(kind).lower()
        case CellType(space):
            return "hex" if space == "hex" else "square"
        case DieType():
            return "die"
        case _:
            return ""


def _many(type_: Type) -> str:
    return spoken(str(type_)).lower()
