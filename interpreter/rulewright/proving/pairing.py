"""Two versions of a declaration, walked side by side: where they part, the solver is asked."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import condition_of
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import FLAG, WHOLE
from rulewright.proving.apart import LIMIT, Told, Wish, functions_told_apart, values_told_apart
from rulewright.proving.counters import turned
from rulewright.proving.formulas import RefusedError
from rulewright.proving.lines import is_straight, lines_told_apart, names_set
from rulewright.proving.reading import Revision, kin, signature
from rulewright.roles import Role, is_node, names
from rulewright.source import NOWHERE, Span

_TRIES = 3
"""How often more lines are taken as one row, where those at the end are built alike and are not alike."""
_KNOWN_BY_ID = frozenset({d.Step, st.Option})
SameField = Callable[[Any, Any, str], bool | None]
"""Whether a field of two nodes says the same; none where that has to be looked at part by part."""
_LEFT_OUT = (Role.NAME, Role.PLACE, Role.MARGIN, Role.WORDS, Role.SCOPE)


class ApartError(Exception):
    """Two versions are not proved to be alike; the message tells why."""

    def __init__(self, because: str, wishes: tuple[Wish, ...] = ()) -> None:
        super().__init__(because)
        self.wishes = wishes


@dataclass
class Pairing:
    """Walks two versions of one declaration."""

    old: Revision
    new: Revision
    same_field: SameField  # whether fields say the same
    limit: int = LIMIT  # steps of the solver for each question
    # numbers of names of the old version, with the names of the new one they are known to be equal to
    names: dict[int, Variable] = field(default_factory=dict)
    # numbers of names that lines of one version set and those of the other do not
    alone: tuple[set[int], set[int]] = field(default_factory=lambda: (set(), set()))
    _exact: bool = False
    # what the solver said of two expressions, by which they are and what is known of names; they are kept, so that no
    # other is taken for them
    _told: dict[tuple[int, int, tuple[tuple[int, int], ...]], tuple[Expression, Expression, Told]] = field(
        default_factory=dict
    )

    def check(self, old: d.Declared, new: d.Declared) -> None:
        """Returns if both are proved to play alike.

        Raises:
            ApartError: that could not be proved.
        """
        if isinstance(old, d.Handler) and isinstance(new, d.Handler):
            given = len(self.old.program.events[old.event].parameters)
            self._check_names(old.variables[:given], new.variables[:given])
        self._node(old, new)

    def _check_names(self, old: Sequence[Variable], new: Sequence[Variable]) -> None:
        if len(old) != len(new):
            raise ApartError("they have other names")
        for one, other in zip(old, new, strict=True):
            self._name(one, other)

    def _name(self, old: Variable, new: Variable) -> None:
        """Two names that are set or bound at the same place hold the same from there on."""
        if kin(old.type, self.old) != kin(new.type, self.new):
            raise ApartError(f"`{new.name}` is of another type")
        if self._partner(old.index) not in {None, new.index} or self._is_taken(old.index, new.index):
            raise ApartError(f"`{new.name}` stands for something else")
        self.names[old.index] = new

    def _partner(self, old: int) -> int | None:
        """The number of the new name that is known to be equal to an old one."""
        return self.names[old].index if old in self.names else None

    def _is_taken(self, old: int, new: int) -> bool:
        """Whether one of two names was set alone, or the new one is known to be another old one."""
        other = any(there.index == new and here != old for here, there in self.names.items())
        return other or old in self.alone[0] or new in self.alone[1]

    def _node(self, old: Any, new: Any) -> None:  # noqa: C901 - any part of a declaration
        match old, new:
            case Span(), _:
                return
            case Variable(), Variable():
                self._name(old, new)
            case ex.Typed(), ex.Typed():
                self._value(old, new)  # type: ignore[arg-type]
            case Binding(), Binding():
                self._binding(old, new)
            case (d.Need(), d.Need()) | (st.Demand(prefer=False), st.Demand(prefer=False)):
                self._value(condition_of(old), condition_of(new))
            case tuple(), tuple():
                self._row(old, new)
            case st.If(), st.If():
                self._branches(old, new)
            case _ if type(old) is not type(new):
                raise ApartError("they are built differently")
            case _ if is_node(type(old)) and _is_type(type(old)):  # type: ignore[arg-type]
                self._types(old, new)
            case _ if is_node(type(old)):
                self._fields(old, new)
            case _ if old != new:
                raise ApartError("they say something else where no formula does")

    def _types(self, old: Any, new: Any) -> None:
        if signature(old, self.old) != signature(new, self.new):
            raise ApartError("a type is another")

    def _fields(self, old: Any, new: Any) -> None:
        before, self._exact = self._exact, self._exact or _is_sought(old)
        for name in _said(type(old)):
            if name == "parameters":
                self._parameters(old.parameters, new.parameters)
            same = self.same_field(old, new, name)
            if same is None:
                self._node(*_guards(name, getattr(old, name), getattr(new, name)))
            elif not same:
                raise ApartError("they name something else")
        self._exact = before

    def _parameters(self, old: Sequence[Variable], new: Sequence[Variable]) -> None:
        """Parameters must be of types with the same values, which are given from outside; other names need not be."""
        for one, other in zip(old, new, strict=False):
            self._types(one.type, other.type)

    def _binding(self, old: Binding, new: Binding) -> None:
        self._value(old.source, new.source)
        if len(old.variables) != len(new.variables):
            raise ApartError("the parts of a member are named differently")
        for one, other in zip(old.variables, new.variables, strict=True):
            if one is not None and other is not None:
                self._name(one, other)
        self._node(*_guards("guard", old.where, new.where))

    def _row(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> None:
        if any(isinstance(each, st.Line) for each in (*old, *new)):
            self._lines(old, new)
            return
        if len(old) != len(new):
            raise ApartError("there are more or fewer rows")
        for one, other in zip(old, new, strict=True):
            self._node(one, other)

    def _lines(self, old: tuple[st.Statement, ...], new: tuple[st.Statement, ...]) -> None:
        """Lines that are alike from the front and from the back; what is left between must be straight."""
        first = next((at for at, pair in enumerate(zip(old, new, strict=False)) if not self._tried(*pair)), None)
        first = min(len(old), len(new)) if first is None else first
        if first == len(old) == len(new):
            return
        last = self._alike_at_the_end(old[first:], new[first:])
        apart: ApartError | RefusedError | None = None
        for number in range(last, max(last - _TRIES, 0) - 1, -1):
            found = self._attempted(partial(self._between, old[first:], new[first:], number))
            if found is None:
                return
            apart = apart or found
        assert apart is not None
        raise apart

    def _between(self, old: tuple[st.Statement, ...], new: tuple[st.Statement, ...], last: int) -> None:
        """Lines of which so many at the end are built alike."""
        mine, theirs = old[: len(old) - last], new[: len(new) - last]
        if not (is_straight(mine) and is_straight(theirs)):
            self._why(mine, theirs)
        told, set_ = lines_told_apart(self.old, self.new, (mine, theirs), self.names, self.limit)
        self._heed(told)
        self.names.update({here: each for here, each in set_.items() if not self._is_taken(here, each.index)})
        self.alone[0].update(each for each in names_set(mine) if each not in self.names)
        known = {each.index for each in self.names.values()}
        self.alone[1].update(each for each in names_set(theirs) if each not in known)
        for one, other in zip(old[len(old) - last :], new[len(new) - last :], strict=True):
            self._node(one, other)

    def _alike_at_the_end(self, old: tuple[st.Statement, ...], new: tuple[st.Statement, ...]) -> int:
        """How many lines at the end are built alike; whether they are alike is seen after what stands before them."""
        kinds = [type(one) is type(other) for one, other in zip(reversed(old), reversed(new), strict=False)]
        built = next((at for at, same in enumerate(kinds) if not same), len(kinds))
        if len(old) == len(new):
            return built if built < len(old) else built - 1
        return built

    def _tried(self, old: Any, new: Any) -> bool:
        return self._attempted(partial(self._node, old, new)) is None

    def _attempted(self, walk: Callable[[], None]) -> ApartError | RefusedError | None:
        """Why a walk failed, with all that is known of names as it was before; none where it did not."""
        names, alone = dict(self.names), (set(self.alone[0]), set(self.alone[1]))
        try:
            walk()
        except (ApartError, RefusedError) as apart:
            self.names, self.alone = names, alone
            return apart
        return None

    def _branches(self, old: st.If, new: st.If) -> None:
        """Branches by which block is carried out in the end.

        A block that is one more line of branches is judged before any other line, like the branches around it. So two
        such trees of conditions play alike if in every situation they meet the same fault, or lead to blocks that are
        alike: that is one number in each revision, which the solver compares. A block that is alike to one of OLD
        bears its number, every other one a number of its own, which can only be equal where nothing leads to it.
        """
        mine, theirs = (list(_leaves((each,))) for each in (old, new))
        numbers: list[int] = []
        aparts: list[ApartError | RefusedError] = []  # why blocks at the same place are not alike
        for place, block in enumerate(theirs):
            for at in sorted(range(len(mine)), key=lambda at: at != place):
                apart = self._attempted(partial(self._node, mine[at], block))
                if apart is None:
                    numbers.append(at)
                    break
                aparts += [apart] if at == place else []
            else:
                numbers.append(len(mine) + place)
        chosen = _chosen((old,), iter(range(len(mine)))), _chosen((new,), iter(numbers))
        apart = self._attempted(partial(self._value, *chosen))
        if apart is not None:
            raise ApartError(str(next(iter(aparts), apart)), getattr(apart, "wishes", ()))

    def _why(self, old: Sequence[st.Statement], new: Sequence[st.Statement]) -> None:
        """Tells why lines that are not straight are not alike."""
        if len(old) == len(new):
            for one, other in zip(old, new, strict=True):
                self._node(one, other)
        raise ApartError("lines that ask, roll or call were added, removed or moved")

    def _value(self, old: Expression, new: Expression) -> None:
        if self._written_alike(old, new):
            return
        if self._exact:
            raise ApartError("a place is sought by trying")
        names_ = tuple(sorted((here, each.index) for here, each in self.names.items()))
        asked = (id(old), id(new), names_)
        if asked not in self._told:
            told = values_told_apart(self.old, self.new, (old, new), self.names, self.limit)
            self._told[asked] = old, new, told
        self._heed(self._told[asked][2])

    def _heed(self, told: Told) -> None:
        if not told.alike:
            raise ApartError(told.because, told.wishes)

    def _written_alike(self, old: Any, new: Any) -> bool:
        """Whether two expressions say the same, name for name."""
        match old, new:
            case Variable(), Variable():
                return self._partner(old.index) == new.index
            case tuple(), tuple():
                return len(old) == len(new) and all(map(self._written_alike, old, new))
            case Binding(), Binding():
                return self._bindings_alike(old, new)
            case ex.Typed(), ex.Typed() if type(old) is type(new):
                return self._expressions_alike(old, new)
            case _:
                return type(old) is type(new) and bool(old == new)

    def _expressions_alike(self, old: Any, new: Any) -> bool:
        if isinstance(old, ex.Narrowed | ex.MakeCollection | ex.Comprehension | ex.WordLiteral | ex.Rounded) and (
            signature(old.type, self.old) != signature(new.type, self.new)
        ):
            return False
        parts = list(names(type(old), Role.PLACE, Role.PROOF))
        if "binding" in parts:
            parts = ["binding", *(each for each in parts if each != "binding")]
        for name in parts:
            same = self.same_field(old, new, name)
            if same is False or (same is None and not self._written_alike(getattr(old, name), getattr(new, name))):
                return False
        return True

    def _bindings_alike(self, old: Binding, new: Binding) -> bool:
        if not self._written_alike(old.source, new.source) or len(old.variables) != len(new.variables):
            return False
        before = dict(self.names)
        for one, other in zip(old.variables, new.variables, strict=True):
            if (one is None) != (other is None):
                return False
            if one is not None and other is not None:
                self.names[one.index] = other
        same = self._written_alike(old.where, new.where)
        self.names = self.names if same else before
        return same


def declarations_told_apart(
    old: Revision, new: Revision, pair: tuple[d.Declared, d.Declared], same_field: SameField, limit: int = LIMIT
) -> Told:
    """Whether a function, or something that is carried out or always holds, plays alike in both revisions.

    Lines and expressions of either are taken as they stand in the pair; what they call is looked up in the revisions.
    """
    before, after = pair
    old, new = old.about(before), new.about(after)
    if isinstance(before, d.Function) and isinstance(after, d.Function):
        return _functions(old, new, (before, after), limit)
    told = _walked(Pairing(old, new, same_field, limit), before, after)
    other = None if told.alike else turned(before, after)
    if other is not None and _walked(Pairing(old.about(other), new, same_field, limit), other, after).alike:
        return Told(alike=True)
    return told


def _walked(pairing: Pairing, old: d.Declared, new: d.Declared) -> Told:
    try:
        pairing.check(old, new)
    except (ApartError, RefusedError) as apart:
        return Told(alike=False, because=str(apart), wishes=getattr(apart, "wishes", ()))
    return Told(alike=True)


def _functions(old: Revision, new: Revision, pair: tuple[d.Function, d.Function], limit: int) -> Told:
    if any(isinstance(each.body, d.Paths) for each in pair):
        return Told(alike=False, because="ways on a board have no formula")
    first, second = (
        (node.symmetric, bool(node.owner), *(signature(each.type, side) for each in node.parameters))
        for node, side in zip(pair, (old, new), strict=True)
    )
    if first != second:
        return Told(alike=False, because="they take other arguments")
    return functions_told_apart(old, new, (pair[0].name, pair[1].name), limit)


def _said(kind: Any) -> tuple[str, ...]:  # a class of nodes
    """The fields that count in play; steps and options are known by their ids."""
    return names(kind, *(_LEFT_OUT[1:] if kind in _KNOWN_BY_ID else _LEFT_OUT))


def _guards(name: str, old: Any, new: Any) -> tuple[Any, Any]:
    """Conditions of which one is not written: it always holds."""
    if name != "guard" or (old is None) == (new is None):
        return old, new
    always = ex.Literal(type=FLAG, span=(old or new).span, value=True)
    return old or always, new or always


def _leaves(block: st.Block) -> Iterator[st.Block]:
    """The blocks to which branches lead, where a block that is nothing but branches leads to theirs."""
    match block:
        case (st.If(branches=branches, otherwise=otherwise),):
            for each in branches:
                yield from _leaves(each.block)
            yield from _leaves(otherwise or ())
        case _:
            yield block


def _chosen(block: st.Block, numbers: Iterator[int]) -> Expression:
    """The number of the block that is carried out in the end, numbers given in the order of `_leaves`."""
    match block:
        case (st.If(branches=branches, otherwise=otherwise, span=span),):
            then = [_chosen(each.block, numbers) for each in branches]
            made = _chosen(otherwise or (), numbers)
            for each, number in zip(reversed(branches), reversed(then), strict=True):
                made = ex.Conditional(type=WHOLE, span=span, condition=each.condition, then=number, otherwise=made)
            return made
        case _:
            return ex.Literal(type=WHOLE, span=NOWHERE, value=next(numbers))


def _is_sought(node: object) -> bool:
    """Whether it asks for a place, which is judged by trying places, some of them taken from the conditions."""
    return isinstance(node, st.Ask) and isinstance(node.shape, st.PlaceWhere | st.TurnHow)


@cache
def _is_type(kind: type) -> bool:
    return kind.__module__ == "rulewright.program.types"
