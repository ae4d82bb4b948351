"""What expressions read and lines write, said once for the analysis and the machine.

Places of the game are named `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, and by a relation's name.
Every class of expressions and lines has its case here; a new one is an error of the type checker until it has.

A name that holds dice is either read whole, which tells its dice apart, or only looked at through conditions. A look is
what an expression sees of one die, whatever the others show: nested tuples of an operation and its parts,
`("die", attribute)`, `("value", v)` and `("name", index)` for a parameter. What is not proved to be a look is `TOLD`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from typing import Any, assert_never

from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.program.plane import POSE
from rulewright.program.types import DieType, PoolType, SetType, ThingType, Type, held_by, present
from rulewright.program.walk import expressions, parts
from rulewright.roles import nodes

Look = tuple[Any, ...]
Looks = frozenset[Look]
Reads = dict[int, Looks]
"""What is looked at of each name that is read, by its index; of a name that holds no dice always `TOLD`."""

TOLD: Looks = frozenset({("itself",)})
"""Dice are told apart: by choice, order, origin, or in some way not known to be less."""
_FACE: Looks = frozenset({("die", "natural")})


def joined(first: Mapping[int, Looks], second: Mapping[int, Looks]) -> Reads:
    """What two parts read, taken together."""
    found = dict(first)
    for index, looks in second.items():
        found[index] = found.get(index, frozenset()) | looks
    return found


def given(looks: Looks, arguments: Mapping[int, Look | None]) -> Looks:
    """Looks with the arguments of a call in place of parameters: values, or names of the caller.

    Where an argument is neither, the look becomes the attributes of the die that it uses.
    """
    found: set[Look] = set()
    for each in looks:
        put = _put(each, arguments)
        found.update([put] if put is not None else found_in(each, "die"))
    return frozenset(found)


def _put(look: Look, arguments: Mapping[int, Look | None]) -> Look | None:
    if look[0] == "name":
        return arguments.get(look[1])
    if look[0] in {"die", "value", "itself"}:
        return look
    parts_ = [_put(each, arguments) for each in look[1:]]
    return None if None in parts_ else (look[0], *parts_)


def found_in(look: Look, sort: str) -> Iterator[Look]:
    """The parts of a look that are of a sort: the attributes of a die, `die`, or the parameters, `name`."""
    if look[0] == sort:
        yield look
    elif look[0] not in {"die", "value", "name", "itself"}:
        for each in look[1:]:
            yield from found_in(each, sort)


@cache
def sees(looks: Looks) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """A function from a die, as the machine keeps it, to what each of some looks sees; the looks hold no names."""
    constants: dict[str, Any] = {}
    parts = "".join(f"{_written(each, constants)}, " for each in sorted(looks, key=repr))
    return eval(f"lambda die: ({parts})", constants)  # type: ignore[no-any-return]  # noqa: S307 - of our own words


def _written(look: Look, constants: dict[str, Any]) -> str:
    """A look as an expression of Python over `die`; its values are held by names."""
    match look:
        case ("die", name):
            return f"die[{_PLACES[name]}]"
        case ("value", value):
            name = f"v{len(constants)}"
            constants[name] = value
            return name
        case ("not", part):
            return f"(not {_written(part, constants)})"
        case (operator, left, right):
            sign = "==" if operator == "=" else operator
            return f"({_written(left, constants)} {sign} {_written(right, constants)})"
        case _:
            raise AssertionError(look)


_PLACES = {"natural": 2, "face": 2, "first": 1, "rerolls": 3, "part": 5, "name": 6}


_FALLING = frozenset({"natural", "face"})


@cache
def seen_again(looks: Looks) -> Looks:
    """Looks with what else tells dice apart that may be thrown again: how they fell first, and how often they did."""
    found = set(looks)
    waiting = [] if looks >= TOLD else [*looks]
    while waiting:
        fresh = {each for each in _left_again(waiting.pop()) if each not in found}
        found |= fresh
        waiting += fresh
    return frozenset(found)


def _left_again(look: Look) -> Iterator[Look]:
    """What a look sees of a die that has been thrown again, whatever it shows now, as looks at the die before."""
    seen = {name for _, name in found_in(look, "die")}
    if "rerolls" not in seen and not (seen & _FALLING):
        yield look
        return
    match look:
        case ("die", name):
            yield from () if name in _FALLING else (look,)
        case ("not", part):
            yield from _left_again(part)
        case ("and" | "or", left, right):
            yield from _left_again(left)
            yield from _left_again(right)
        case (operator, ("die", "rerolls") as often, ("value", int(times))):
            yield (operator, often, ("value", max(-1, times - 1)))
        case (operator, ("value", int(times)), ("die", "rerolls") as often):
            yield (operator, ("value", max(-1, times - 1)), often)
        case _:
            yield from (each for each in found_in(look, "die") if each[1] not in _FALLING)


class Reading:
    """What the expressions of one program read."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[str, Reads] = {}

    def chosen(self, binding: ex.Binding, constants: frozenset[int], looks: Looks) -> Reads:
        """What a choice among dice reads for whoever takes like dice for the same; `looks` are what is seen later."""
        return joined(self._members(binding, binding, constants, {}), self.named(binding.source, constants, looks))

    def named(
        self,
        value: ex.Expression,
        constants: frozenset[int],
        looks: Looks,
        owners: Mapping[int, tuple[int, ...]] | None = None,
    ) -> Reads:
        """What a value reads that gets a name: of dice, whichever they are, no more than `looks`, what is seen later.

        Which of like dice they are makes no difference to whoever sees that alone.
        """
        owners = owners or {}
        match value:
            case ex.Local(variable=variable) if is_dice(variable.type):
                return dict.fromkeys(owners.get(variable.index, (variable.index,)), looks)
            case ex.Joined(left=left, right=right) if holds_dice(value.type):
                return joined(self.named(left, constants, looks, owners), self.named(right, constants, looks, owners))
            case ex.MakeCollection(items=items) if holds_dice(value.type):
                return reduce(joined, [self.named(each, constants, looks, owners) for each in items], {})
            case ex.Comprehension(binding=binding, value=ex.Local(variable=die)) if (
                over_dice(binding) and binding.variables == (die,) and holds_dice(value.type)
            ):
                source = self.named(binding.source, constants, looks, owners)
                return joined(self._members(binding, binding, constants, owners), source)
            case _:
                return self._read(value, constants, owners)

    def through(self, binding: ex.Binding, read: Iterable[ex.Expression], constants: frozenset[int]) -> Reads:
        """What a loop through dice reads that does not tell their order, where so much is read of each."""
        (die,) = binding.variables
        owners = {} if die is None else {die.index: _from(binding.source, {})}
        each = [self._read(one, constants, owners) for one in read]
        return reduce(joined, each, self.named(binding.source, constants, frozenset()))

    def of(self, node: object, constants: frozenset[int]) -> Reads:
        """What the expressions of a line, row or binding read, but for those of lines inside it.

        Args:
            node: an expression, line, row or binding.
            constants: indices of parameters that are never set.
        """
        found: Reads = {}
        for each in expressions(node):
            found = joined(found, self._read(each, constants, {}))
        return found

    def function(self, name: str) -> Reads:
        """What a function reads of its parameters."""
        if name not in self._functions:
            function = self._program.functions[name]
            mine = frozenset(each.index for each in function.parameters)
            self._functions[name] = dict.fromkeys(mine, TOLD)
            self._functions[name] = {
                index: looks for index, looks in self.of(function.body, mine).items() if index in mine
            }
        return self._functions[name]

    def _read(  # noqa: PLR0911
        self, node: Any, constants: frozenset[int], dice: Mapping[int, tuple[int, ...]]
    ) -> Reads:
        seen: set[int] = set()
        look = _seen(node, constants, seen)
        if look is not None and len(seen) == 1:
            (die,) = seen
            named: Reads = {index: TOLD for _, index in found_in(look, "name")}
            return joined(named, dict.fromkeys(dice.get(die, (die,)), frozenset({look})))
        heap = _heap(node)
        if heap is not None:
            others = [self._read(each, constants, dice) for each in parts(node) if each is not heap]
            return reduce(joined, others, self._members(heap, heap.binding, constants, dice))
        match node:
            case ex.Local(variable=variable):
                return dict.fromkeys(dice.get(variable.index, (variable.index,)), TOLD)
            case (
                ex.Membership(item=first, collection=second)
                | ex.Comparison(operator="=" | "!=", left=first, right=second)
            ) if is_dice(first.type) and is_dice(second.type):
                which = [self.named(each, constants, frozenset(), dice) for each in (first, second)]
                return joined(*which)
            case ex.Aggregate(binding=binding) | ex.Quantifier(binding=binding) if over_dice(binding):
                return self._members(node, binding, constants, dice)
            case ex.Comprehension(binding=binding, type=SetType()) if over_dice(binding):
                return self._members(node, binding, constants, dice)
            case ex.Builtin(name="total", arguments=(ex.Local(variable=pool),)):
                return {pool.index: _FACE}
            case ex.CallFunction(function=name, arguments=arguments):
                return self.call(self.function(name), arguments, constants, dice)
            case _:
                found: Reads = {}
                for each in parts(node):
                    found = joined(found, self._read(each, constants, dice))
                return found

    def call(
        self,
        read: Reads,
        arguments: tuple[ex.Expression, ...],
        constants: frozenset[int],
        dice: Mapping[int, tuple[int, ...]] | None = None,
    ) -> Reads:
        """What a call reads, by what is read of its parameters."""
        values = {index: _argument(each, constants) for index, each in enumerate(arguments)}
        found: Reads = {}
        for index, each in enumerate(arguments):
            looks = given(read.get(index, frozenset()), values) if is_dice(each.type) else TOLD
            found = joined(found, self.named(each, constants, looks, dice))
        return found

    def _members(
        self, node: Any, binding: ex.Binding, constants: frozenset[int], dice: Mapping[int, tuple[int, ...]]
    ) -> Reads:
        found = self.named(binding.source, constants, frozenset(), dice)
        (die,) = binding.variables
        inside = dice if die is None else {**dice, die.index: _from(binding.source, dice)}
        for each in parts(node):
            if each is not binding.source:
                found = joined(found, self._read(each, constants, inside))
        return found


def holds_dice(type_: Type) -> bool:
    """Whether a value of a type is a pool or a set of dice."""
    return isinstance(type_, PoolType) or (isinstance(type_, SetType) and isinstance(type_.item, DieType))


def is_dice(type_: Type) -> bool:
    """Whether a value of a type is a die, a pool or a set of dice."""
    return isinstance(type_, DieType) or holds_dice(type_)


def over_dice(binding: ex.Binding) -> bool:
    """Whether what is bound is one die after the other of pools or sets that have names."""
    return len(binding.variables) == 1 and holds_dice(binding.source.type) and _are_named(binding.source)


def _are_named(dice: ex.Expression) -> bool:
    """Whether dice are those of names, joined, taken from each other or chosen by conditions."""
    match dice:
        case ex.Local():
            return is_dice(dice.type)
        case ex.Joined(left=left, right=right):
            return _are_named(left) and _are_named(right)
        case ex.MakeCollection(items=items):
            return all(map(_are_named, items))
        case ex.Comprehension(binding=binding, value=ex.Local(variable=die)):
            return holds_dice(dice.type) and binding.variables == (die,) and over_dice(binding)
        case _:
            return False


def _from(dice: ex.Expression, owners: Mapping[int, tuple[int, ...]]) -> tuple[int, ...]:
    """The names whose dice these are, as `over_dice` has them."""
    match dice:
        case ex.Local(variable=variable):
            return owners.get(variable.index, (variable.index,))
        case ex.Comprehension(binding=binding):
            return _from(binding.source, owners)
        case _:
            return tuple(dict.fromkeys(name for each in parts(dice) for name in _from(each, owners)))


def _heap(node: object) -> ex.Comprehension | None:
    """The list made of dice, one from each, that an expression takes as it comes in any order."""
    match node:
        case (
            ex.Aggregate(binding=ex.Binding(source=ex.Comprehension() as made))
            | ex.Quantifier(binding=ex.Binding(source=ex.Comprehension() as made))
        ) if over_dice(made.binding):
            return made
        case ex.Builtin(name=name, arguments=(ex.Comprehension() as made,)) if name in {"sorted", "sum"} and over_dice(
            made.binding
        ):
            return made
        case _:
            return None


def _argument(node: ex.Expression, constants: frozenset[int]) -> Look | None:
    match node:
        case ex.Literal(value=value):
            return ("value", value)
        case ex.WordLiteral(position=position):
            return ("value", position)
        case ex.Local(variable=variable) if variable.index in constants:
            return ("name", variable.index)
        case _:
            return None


def _seen(node: Any, constants: frozenset[int], dice: set[int]) -> Look | None:
    """How an expression sees dice, which are added by their names; none where it sees anything else."""
    match node:
        case ex.DieAttribute(target=ex.Local(variable=variable), name=name) if name in _PLACES:
            dice.add(variable.index)
            return ("die", name)
        case (
            ex.Comparison(operator=operator, left=left, right=right)
            | ex.Logical(operator=operator, left=left, right=right)
        ):
            first, second = _seen(left, constants, dice), _seen(right, constants, dice)
            return None if first is None or second is None else (operator, first, second)
        case ex.Not(operand=operand):
            inner = _seen(operand, constants, dice)
            return None if inner is None else ("not", inner)
        case _:
            return _argument(node, constants)


Places = frozenset[str]
_NOWHERE: Places = frozenset()


def read_by(node: ex.Expression) -> Iterable[str]:  # noqa: C901, PLR0911 - one case for each sort
    """The places of the game that an expression reads itself, not by what stands in it or in functions it calls.

    What is defined elsewhere, names and dice are no places of the game.
    """
    match node:
        case ex.StoredAttribute(kind=kind, name=name):
            return (f"{kind}/{name}",)
        case ex.GameField(name=name):
            return (f"game/{name}",)
        case ex.InPlay(kind=kind) | ex.Removed(kind=kind):
            return (f"{kind}/gone",)
        case ex.Gone(target=target):
            return _gone(target.type)
        case ex.CellAttribute(board=board, name=name) | ex.SideAttribute(board=board, name=name):
            return (f"{board}/{name}",)
        case ex.RelationHolds(relation=relation, first=first, second=second):
            return (relation, *_gone(first.type), *_gone(second.type))
        case ex.PlaneAttribute(name=name, kind=kind):
            return (f"{kind}/at", f"{kind}/facing") if name == "pose" else ()
        case ex.Builtin(name="occupants", type=type_):
            return tuple(f"{kind}/{each}" for kind in kinds(type_) for each in ("at", "gone"))
        case ex.Builtin(name="connected", arguments=(start, *_)):
            return _gone(start.type)
        case ex.Builtin(places=places):
            return places
        case (
            ex.Literal() | ex.WordLiteral() | ex.Local() | ex.Itself() | ex.SettingValue() | ex.BoardCells()
            | ex.DerivedAttribute() | ex.CallFunction() | ex.ExternalValue() | ex.Part() | ex.DieAttribute()
            | ex.MakeRecord() | ex.MakeTuple() | ex.MakeCollection() | ex.Comprehension() | ex.Quantifier()
            | ex.TheOnly() | ex.Aggregate() | ex.Entry() | ex.Rounded() | ex.Conditional() | ex.Logical() | ex.Not()
            | ex.Comparison() | ex.Membership() | ex.Interval() | ex.Arithmetic() | ex.Negation() | ex.Joined()
            | ex.Narrowed()
        ):  # fmt: skip
            return ()
        case _:
            assert_never(node)


def called_by(node: ex.Expression) -> str:
    """The function, or the relation, that an expression asks for; empty where it asks for none."""
    match node:
        case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
            return name
        case ex.Builtin(name="connected", relation=name):
            return name
        case _:
            return ""


def kinds(type_: Type) -> tuple[str, ...]:
    """The kinds of the things that a value of a type is, or holds directly."""
    if isinstance(type_, ThingType):
        return (type_.kind,)
    return tuple(each.kind for each in held_by(type_) if isinstance(each, ThingType))


def _gone(type_: Type) -> Iterable[str]:
    return (f"{kind}/gone" for kind in kinds(type_))


def written_by(line: st.Statement) -> Places:  # noqa: PLR0911 - one case for each sort
    """The places of the game that a line writes itself; names of the routine are not places."""
    match line:
        case st.Assign() | st.AddAmount() | st.AddMember() | st.Draw() | st.Shuffle():
            return place_of(line.place)
        case st.AddPair(relation=relation):
            return frozenset({relation})
        case st.PlaceThing(kind=kind, spot=spot) if present(spot.type) == POSE:
            return frozenset({f"{kind}/at", f"{kind}/facing"})
        case st.Move(kind=kind) | st.PlaceThing(kind=kind):
            return frozenset({f"{kind}/at"})
        case st.Turn(kind=kind):
            return frozenset({f"{kind}/facing"})
        case st.Remove(kind=kind):
            return frozenset({f"{kind}/gone"})
        case (
            st.Let() | st.Together() | st.If() | st.Match() | st.ForEach() | st.Repeat() | st.Nothing() | st.Stop()
            | st.Proceed() | st.Finish() | st.FinishOuter() | st.Perform() | st.PerformExternal() | st.Trigger()
            | st.TallyLine() | st.DecideLine() | st.Rank() | st.Roll() | st.Reroll() | st.Reveal() | st.Ruling()
            | st.Ask() | st.AskAll()
        ):  # fmt: skip
            return _NOWHERE
        case _:
            assert_never(line)


def place_of(place: st.Place) -> Places:
    """The place of the game that is changed where a value is put; none for a name of the routine."""
    match place:
        case st.EntryPlace(target=target) | st.PartPlace(target=target):
            return place_of(target)
        case st.AttributePlace(kind=kind, name=name):
            return frozenset({f"{kind}/{name}"})
        case st.GamePlace(name=name):
            return frozenset({f"game/{name}"})
        case st.CellPlace(board=board, name=name):
            return frozenset({f"{board}/{name}"})
        case st.VariablePlace():
            return _NOWHERE
        case _:
            assert_never(place)


class Footprint:
    """What the parts of one program read, as `effects` names places; an external term without default by its name."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[str, Places] = {}
        self._directly: dict[str, tuple[Places, frozenset[str]]] = {}

    def reads(self, node: Any) -> Places:
        """Every place an expression, binding or row may read, through functions too."""
        found, called = self._direct(node)
        return found.union(*(self._function(each) for each in called))

    def _direct(self, node: Any) -> tuple[Places, frozenset[str]]:
        """What is read outside functions, and the functions that are called."""
        found: set[str] = set()
        called: set[str] = set()
        for each in nodes(node):
            if isinstance(each, ex.ExternalValue):
                default = self._program.external_terms[each.external].default
                found |= self.reads(default) if default is not None else {each.external}
            elif isinstance(each, ex.Typed):
                found.update(read_by(each))  # type: ignore[arg-type]
                name = called_by(each)  # type: ignore[arg-type]
                if name:
                    (called if name in self._program.functions else found).add(name)
        return frozenset(found), frozenset(called)

    def _function(self, name: str) -> Places:
        if name not in self._functions:
            found, waiting, known = set[str](), [name], {name}
            while waiting:
                each = waiting.pop()
                if each in self._functions:
                    found |= self._functions[each]
                    continue
                if each not in self._directly:
                    self._directly[each] = self._direct(self._program.functions[each].body)
                places, called = self._directly[each]
                found |= places
                waiting += called - known
                known |= called
            self._functions[name] = frozenset(found)
        return self._functions[name]
