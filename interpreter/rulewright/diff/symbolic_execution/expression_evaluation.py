"""Symbolic evaluation of core expressions in one revision.

What is not computed is an uninterpreted function: the same symbol wherever both revisions apply the same operation to
the same values in the same store.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from fractions import Fraction
from math import ceil, floor
from typing import Any

from rulewright.base.frozen import dataclass, replace
from rulewright.diff.normal_forms.alpha_renaming import list_bound_names
from rulewright.diff.normal_forms.form_texts import FormWriter
from rulewright.diff.symbolic_execution.number_ranges import ARITHMETIC, find_unbounded_names
from rulewright.diff.symbolic_execution.path_conditions import (
    OPAQUE,
    Collection,
    Constant,
    Domain,
    LinearForm,
    NotProvedError,
    PathConditions,
    SymbolicValue,
    add_forms,
    make_number,
    scale_form,
)
from rulewright.program import statements as st, types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import DependenceAnalysis, Effects, may_meet
from rulewright.program.core.effects import StorePlaces
from rulewright.program.core.walking import list_parts, map_parts, walk_forms, walk_statements
from rulewright.program.declarations import Program
from rulewright.program.types import FLAG, WHOLE, NumberType

_MAX_MEMBERS = 12
"""Members of a collection that are gathered one by one."""
_ROUNDED = {"floor": floor, "ceiling": ceil}
_KINDS = frozenset({"list", "set", "bag"})
_FOLDED = frozenset({"some", "no", "every", "count", "sum"})
_ANY_ORDER = frozenset({"add", "multiply", "least", "greatest", "distance", "adjacent"})


class FaultError(Exception):
    """The play ends in a fault."""


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision, as symbolic execution sees it.

    Attributes:
        program: of the revision.
        core_program: its core.
        effects: of the core.
        writer: of names that both revisions share.
        words: lists of words that both revisions have alike, by name.
        is_cautious: whether what happens elsewhere may differ, so that each change of the game may be seen.
        unbounded: names that may hold numbers beyond their type.
        known: of forms, by identity: the text without their parts, and the effects of what is left.
        opened: whether routines may be executed where they are applied, by key.
    """

    program: Program
    core_program: core.CoreProgram
    effects: DependenceAnalysis
    writer: FormWriter
    words: frozenset[str]
    is_cautious: bool
    unbounded: frozenset[int]
    known: dict[int, tuple[Any, str, Effects]] = field(default_factory=dict)
    opened: dict[str, bool] = field(default_factory=dict)

    def describe(self, form: Any) -> tuple[str, Effects]:
        """Text of an expression or place without its parts, and what it does itself."""
        known = self.known.get(id(form))
        if known is None:
            holed = map_parts(form, make_hole)
            whole = holed if isinstance(form, core.Value) else core.Load(holed, type=ty.NoneType(), origin=None)
            known = form, self.writer.write(holed, "strict"), self.effects.find_effects(whole)
            self.known[id(form)] = known
        return known[1:]

    def find_domain(self, type_: core.CoreType) -> Domain:
        """Values that a symbol of a type may have."""
        match type_:
            case NumberType() | ty.FlagType():
                return type_
            case ty.WordType(values) if values in self.words:
                return NumberType(0, len(self.program.values[values].words) - 1)
            case ty.OptionalType(inner):
                return ty.OptionalType(self.find_domain(inner))
            case _:
                return OPAQUE

    def find_name_domain(self, name: core.Local) -> Domain:
        """Values that a name may hold at any place."""
        domain = self.find_domain(name.type)
        return _drop_bounds(domain) if name.index in self.unbounded else domain

    def find_result_domain(self, form: core.Expression) -> Domain:
        """Values that an expression may have that is not computed."""
        domain = self.find_domain(form.type)
        is_bounded = not self.unbounded & self.effects.find_effects(form).local_reads
        is_typed = not isinstance(form, core.Op) or form.name not in ARITHMETIC
        return domain if is_bounded and is_typed else _drop_bounds(domain)

    def may_be_opened(self, routine: core.Routine) -> bool:
        """Whether a routine may be executed where it is applied: a function without loops or running totals."""
        known = self.opened.get(routine.key)
        if known is None:
            known = self.opened[routine.key] = (
                routine.key.startswith("function:")
                and all(
                    isinstance(each, core.Set | core.If | core.Return | core.Fail) for each in walk_statements(routine)
                )
                and not find_unbounded_names([routine])
            )
        return known

    def may_be_seen(self, places: StorePlaces) -> bool:
        """Whether a standing rule or an invariant may see a change of places as it happens."""
        return self.is_cautious or any(may_meet(places, frozenset({place})) for place in self.core_program.due_keys)


def _drop_bounds(domain: Domain) -> Domain:
    match domain:
        case NumberType():
            return WHOLE
        case ty.OptionalType(inner):
            return ty.OptionalType(_drop_bounds(inner))
        case _:
            return domain


FindClass = Callable[[Revision, Any, Sequence[core.Local]], Any]
"""What stands for an expression with free names in both revisions."""


@dataclass(frozen=True, slots=True)
class _Write:
    place: str
    keys: tuple[SymbolicValue, ...]
    value: SymbolicValue
    places: StorePlaces
    domain: Domain
    is_symmetric: bool


class ExpressionEvaluation:
    """Evaluation on one path.

    Attributes:
        path: what it takes to be so.
        names: values of the names of the routine.
        events: what happened so far that others may see.
    """

    def __init__(
        self, revision: Revision, path: PathConditions, names: dict[int, SymbolicValue], find_class: FindClass
    ) -> None:
        self.revision = revision
        self.path = path
        self.names = names
        self.events: list[Any] = []
        self._find_class = find_class
        self._writes: list[_Write] = []
        self._epoch = 0
        self._changes = 0  # of the store, after which values are asked for again

    # The store.

    def take_snapshot(self, reads: StorePlaces | None = None) -> tuple[Any, ...]:
        """What is known to stand in places of the store, of all of them where none are given."""
        known = [each for each in self._writes if reads is None or may_meet(each.places, reads)]
        told = [
            (each.place, each.keys, each.value)
            for each in known
            if not self.path.is_same(each.value, self._read_unwritten(each.place, each.keys, each.domain))
        ]
        return self._epoch, tuple(sorted(self.path.normalize(tuple(told)), key=repr))

    def forget_store(self) -> None:
        """Goes on with a store of which nothing is known."""
        self._writes = []
        self._epoch += 1

    def read_place(self, root: core.StoreRoot, type_: core.CoreType) -> SymbolicValue:
        place, keys, effects = self._locate(root)
        domain = self.revision.find_domain(type_)
        if effects.may_fault:
            self.fail_perhaps((place, keys))
        is_derived = isinstance(root, core.Pair)
        if any((is_derived or each.place != place) and may_meet(each.places, effects.reads) for each in self._writes):
            return self.path.read_symbol(("load", place, keys, self.take_snapshot(effects.reads)), domain)
        for write in reversed(self._writes):
            if self._is_at(write, place, keys):
                return write.value
        return self._read_unwritten(place, keys, domain, is_fixed=not effects.reads)

    def write_place(
        self, root: core.StoreRoot, type_: core.CoreType, value: SymbolicValue, places: StorePlaces
    ) -> None:
        place, keys, _ = self._locate(root)
        self._changes += 1
        self._writes = [each for each in self._writes if not self._is_at(each, place, keys)]
        self._writes.append(_Write(place, keys, value, places, self.revision.find_domain(type_), _is_symmetric(root)))
        if self.revision.may_be_seen(places):
            self.events.append(("write", place, keys, value))

    def _is_at(self, write: _Write, place: str, keys: tuple[SymbolicValue, ...]) -> bool:
        """Whether something was written to a place with these keys."""
        if write.place != place:
            return False
        turns = (keys, keys[::-1]) if write.is_symmetric else (keys,)
        return any(all(map(self.path.is_equal, write.keys, turn)) for turn in turns)

    def _locate(self, root: core.StoreRoot) -> tuple[str, tuple[SymbolicValue, ...], Effects]:
        keys = [self.path.normalize(self.evaluate(part)) for part in list_parts(root)]
        place, effects = self.revision.describe(root)
        return place, tuple(sorted(keys, key=repr) if _is_symmetric(root) else keys), effects

    def _read_unwritten(
        self, place: str, keys: tuple[SymbolicValue, ...], domain: Domain, *, is_fixed: bool = False
    ) -> SymbolicValue:
        return self.path.read_symbol(("load", place, keys, 0 if is_fixed else self._epoch), domain)

    # Expressions.

    def is_true(self, form: core.Expression) -> bool:
        return self.path.is_true(self.evaluate(form))

    def evaluate(self, form: core.Expression) -> SymbolicValue:
        """The value of an expression."""
        match form:
            case core.Const():
                return self._read_constant(form)
            case core.Get(local=local):
                if local.index not in self.names:
                    raise NotProvedError
                return self.path.normalize(self.names[local.index])
            case core.Load(root=root):
                return self.read_place(root, form.type)
            case core.Cond(test=test, then=then, other=other):
                return self.evaluate(then if self.is_true(test) else other)
            case core.Bind(local=local, value=value, body=body):
                self.names[local.index] = self.evaluate(value)
                return self.evaluate(body)
            case core.Op(name="narrow", arguments=(operand,), facts=(type_,)):
                return self._narrow(form, self.evaluate(operand), type_)
            case core.Op(name="in", arguments=(item, core.Over() as members)) if self._is_filter(members):
                return self._find_among(form, item, members)
            case core.Op(arguments=arguments):
                return self._apply(form, [self.path.normalize(self.evaluate(each)) for each in arguments])
            case core.Over(source=source):
                listed = self._list_members(self.evaluate(source), form)
                return self._gather_opaquely(form) if listed is None else self._gather(form, listed)
            case core.Apply(arguments=arguments):
                return self.apply_routine(form, [self.evaluate(each) for each in arguments])
            case core.Closure(captured=arguments) | core.Wanted(arguments=arguments):
                return self.read_opaque(form, [self.evaluate(each) for each in arguments])
            case _:
                raise NotProvedError

    def apply_routine(self, form: core.Apply, given: list[SymbolicValue]) -> SymbolicValue:
        """What a pure routine gives for arguments."""
        return self.read_opaque(form, given)

    def _read_constant(self, form: core.Const) -> SymbolicValue:
        value, type_ = form.value, form.type
        held = type_ if isinstance(type_, core.RankingType) else ty.strip_optional(type_)
        if value is None or isinstance(value, bool):
            return value
        text = self.revision.writer.write(form)
        if isinstance(form.origin, st.Option):
            return Constant("option", text, is_told_apart=True)
        match held:
            case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) if isinstance(value, tuple):
                parts = (self._read_constant(replace(form, value=each, type=item, origin=None)) for each in value)
                return Collection(type(held).__name__.removesuffix("Type").lower(), tuple(parts))
            case NumberType() | ty.FractionType():
                return make_number(value)
            case ty.WordType(values):
                known = values in self.revision.words
                return make_number(value) if known else Constant("word", text, is_told_apart=True)
            case ty.TextType() | ty.CellType() | ty.DirectionType():
                return Constant(type(held).__name__, text, is_told_apart=True)
            case _:
                return Constant("", text)

    def read_opaque(self, form: Any, given: Iterable[SymbolicValue], stands_for: Any = None) -> SymbolicValue:
        """The value of an expression that is not computed."""
        text, effects = self.revision.describe(form)
        if stands_for is not None:
            effects = self.revision.effects.find_effects(form)
        key: Any = (stands_for or text, tuple(map(self.path.normalize, given)))
        if effects.reads:
            key = (*key, self.take_snapshot(effects.reads))
        if effects.may_want:
            key = (*key, self._changes, self.take_snapshot())
            self.events.append(("want", key))
        if effects.may_fault:
            self.fail_perhaps(key)
        return self.path.read_symbol(key, self.revision.find_result_domain(form))

    def fail_perhaps(self, key: Any) -> None:
        """A fault on one of two ways."""
        if self.path.is_true(self.path.read_symbol(("fails", key), FLAG)):
            raise FaultError

    def _narrow(self, form: core.Op, value: SymbolicValue, type_: ty.Type) -> SymbolicValue:
        value = self.path.open_optional(value)
        if value is None:
            if isinstance(type_, ty.OptionalType):
                return None
            raise FaultError
        given = form.arguments[0].type
        match value, ty.strip_optional(type_):
            case LinearForm(), NumberType(low, high, paired=False) if _is_whole(value):
                if low is not None and self._is_less(value, make_number(low)):
                    raise FaultError
                if high is not None and self._is_less(make_number(high), value):
                    raise FaultError
                return value
            case _, ty.FlagType() | ty.WordType() | ty.ThingType() | ty.CellType():
                return value
            case _, held if not isinstance(given, core.RankingType) and ty.strip_optional(given) == held:
                return value
            case _:
                return self.read_opaque(form, [value])

    # Operations.

    def _apply(self, form: core.Op, given: list[SymbolicValue]) -> SymbolicValue:
        path, name = self.path, form.name
        match name, given:
            case "not", [flag]:
                return not path.is_true(flag)
            case "equal", [one, other]:
                return path.is_equal(one, other)
            case "less", [one, other]:
                return self._is_less(one, other)
            case "more", [one, other]:
                return self._is_less(other, one)
            case "at most", [one, other]:
                return not self._is_less(other, one)
            case "at least", [one, other]:
                return not self._is_less(one, other)
            case "in", [LinearForm() as one, Collection("interval", (low, high))] if _is_whole(one):
                return not self._is_less(one, low) and not self._is_less(high, one)
            case "in", [one, Collection(kind, members)] if kind in _KINDS:
                return any(path.is_equal(one, each) for each in members)
            case "interval", [LinearForm(), LinearForm()]:
                return Collection("interval", tuple(given))
            case _, _ if name in _KINDS and not any(isinstance(each.type, ty.DieType) for each in form.arguments):
                return Collection(name, tuple(given))
            case "count of" | "sum of" | "least of" | "greatest of", [Collection() as source]:
                different = self._list_different(source)
                if different is not None:
                    return self._fold(name.removesuffix(" of"), different, form)
            case "tuple", _:
                return tuple(given)
            case "part", [tuple() as parts]:
                return parts[form.facts[0]]
            case _ if all(isinstance(each, LinearForm) for each in given) and given:
                value = self._compute(name, given, form)
                if value is not None:
                    return value
        if name in _ANY_ORDER and isinstance(form.type, NumberType | ty.FractionType | ty.FlagType):
            given = sorted(given, key=repr)
        path.computed += given
        return self.read_opaque(form, given)

    def _is_less(self, one: SymbolicValue, other: SymbolicValue) -> bool:
        one, other = self.path.normalize(one), self.path.normalize(other)
        if isinstance(one, LinearForm) and isinstance(other, LinearForm):
            return self.path.find_sign(add_forms(one, other, -1), exact=False) < 0
        return self.path.is_true(self.path.read_symbol(("less", one, other), FLAG))

    def _compute(self, name: str, given: list[LinearForm], form: core.Op) -> SymbolicValue | None:
        """A number that is computed; None where it is no linear form."""
        first, *rest = given
        match name, rest:
            case "add", [second]:
                return add_forms(first, second)
            case "subtract", [second]:
                return add_forms(first, second, -1)
            case "negate", []:
                return scale_form(first, -1)
            case "absolute", []:
                return scale_form(first, -1) if self._is_less(first, make_number(0)) else first
            case "multiply", [second] if not first.terms or not second.terms:
                return scale_form(second, first.constant) if not first.terms else scale_form(first, second.constant)
            case "divide", [second] if self.path.find_sign(second, exact=True) == 0:
                raise FaultError
            case "divide", [LinearForm((), constant)]:
                return scale_form(first, 1 / Fraction(constant))
            case "floor" | "ceiling" | "round", [] if _is_whole(first):
                return first
            case "floor" | "ceiling", [] if not first.terms:
                return make_number(_ROUNDED[name](first.constant))
            case "round", [] if not first.terms:
                size = floor(abs(Fraction(first.constant)) + Fraction(1, 2))
                return make_number(size if first.constant >= 0 else -size)
            case "least" | "greatest", _:
                return self._fold(name, given, form)
            case "shift word", [steps]:
                shifted = self._fold("greatest", [add_forms(first, steps), make_number(0)], form)
                return self._fold("least", [shifted, make_number(form.facts[0])], form)
            case _:
                return None

    # Collections.

    def _is_filter(self, members: core.Over) -> bool:
        """Whether something is one of some members if it meets their condition, which may be tried of anything."""
        is_named = len(members.names) == 1 and members.names[0] is not None and members.where is not None
        is_kept = members.gather in _KINDS and members.value is None
        return is_named and is_kept and self.revision.effects.find_effects(members.where).is_pure

    def _find_among(self, form: core.Op, item: core.Expression, members: core.Over) -> bool:
        (name,) = members.names
        assert name is not None
        assert members.where is not None
        value = self.evaluate(item)
        source = self.evaluate(members.source)
        if not self.path.is_true(self._apply(form, [value, source])):
            return False
        self.names[name.index] = self.path.open_optional(value)
        return self.is_true(members.where)

    def _list_members(self, source: SymbolicValue, form: core.Over) -> Sequence[SymbolicValue] | None:
        """Members that are gathered one by one; None where they are not known, or the order of a set may count."""
        source = self.path.normalize(source)
        if not isinstance(source, Collection) or form.gather not in _FOLDED or len(form.names) != 1:
            return None
        inside = [part for part in (form.where, form.value) if part is not None]
        if source.kind in {"set", "bag"} and not self.revision.effects.find_effects(*inside).is_pure:
            return None
        return self._list_different(source)

    def _list_different(self, source: Collection) -> Sequence[SymbolicValue] | None:
        if source.kind == "interval":
            low, high = (self.path.normalize(end) for end in source.members)
            if low.terms or high.terms:
                self.path.computed += [low, high]
                return None
            numbers = range(int(low.constant), int(high.constant) + 1)
            return None if len(numbers) > _MAX_MEMBERS else [make_number(each) for each in numbers]
        if source.kind != "set":
            return source.members
        result: list[SymbolicValue] = []
        for member in source.members:
            if not any(self.path.is_equal(member, known) for known in result):
                result.append(member)
        return result

    def _gather(self, form: core.Over, members: Sequence[SymbolicValue]) -> SymbolicValue:
        (name,) = form.names
        kept: list[SymbolicValue] = []
        for member in members:
            if name is not None:
                self.names[name.index] = member
            if form.where is not None and not self.is_true(form.where):
                continue
            if form.gather == "every":
                assert form.value is not None
                if not self.is_true(form.value):
                    return False
                continue
            if form.gather in {"some", "no"}:
                return form.gather == "some"
            kept.append(member if form.value is None else self.evaluate(form.value))
        return form.gather != "some" if form.gather in {"some", "no", "every"} else self._fold(form.gather, kept, form)

    def _fold(self, name: str, members: Sequence[SymbolicValue], form: Any) -> SymbolicValue:
        if name == "count":
            return make_number(len(members))
        if not all(isinstance(each, LinearForm) for each in members):
            return self.read_opaque(form, members, ("fold", name, len(members)))
        if name == "sum":
            total = make_number(0)
            for each in members:
                total = add_forms(total, each)
            return total
        if not members:
            raise FaultError
        best, *rest = members
        for each in rest:
            is_less = self._is_less(each, best) if name == "least" else self._is_less(best, each)
            best = each if is_less else best
        return best

    def _gather_opaquely(self, form: core.Over) -> SymbolicValue:
        free = list_free_names((form.where, form.value), list_bound_names(form))
        stands_for = self._find_class(self.revision, form, free)
        return self.read_opaque(form, [self.evaluate(form.source), *self._read_names(free)], ("over", stands_for))

    def _read_names(self, names: Iterable[core.Local]) -> Iterator[SymbolicValue]:
        for name in names:
            if name.index not in self.names:
                raise NotProvedError
            yield self.names[name.index]


def list_free_names(form: Any, bound: Iterable[core.Local | None] = ()) -> list[core.Local]:
    """Names that a form reads or writes and that no expression binds in it, each once, in order."""
    inside = {name.index for part in walk_forms(form) for name in list_bound_names(part) if name is not None}
    inside |= {name.index for name in bound if name is not None}
    found = (part for part in walk_forms(form) if isinstance(part, core.Local))
    return [*{local.index: local for local in found if local.index not in inside}.values()]


def _is_symmetric(root: core.StoreRoot) -> bool:
    return isinstance(root, core.SideAttribute) or (isinstance(root, core.Pair) and root.symmetric)


def make_hole(part: Any) -> Any:
    """What stands for a part in the text of a form without its parts."""
    type_ = part.type if isinstance(part, core.Value | core.Local) else ty.NoneType()
    return core.Const(None, type=type_, origin=None)


def _is_whole(form: LinearForm) -> bool:
    return all(Fraction(each).denominator == 1 for each in (form.constant, *(times for _, times in form.terms)))
