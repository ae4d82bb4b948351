"""Dependences between core forms: what a form reads and writes, whether it may fail, stop or lead elsewhere.

For passes that move, repeat or drop forms. One fold over the forms; what a form calls adds the effects of all routines
that it may come to, the least fixed point. `program/core/effects.py` names the places of the store.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, assert_never, get_args

from rulewright.base.frozen import dataclass, replace
from rulewright.program.core import forms as core
from rulewright.program.core.effects import EVERYWHERE, StorePlaces, get_store_place, list_read_places
from rulewright.program.core.operations import OPERATIONS
from rulewright.program.core.walking import list_parts, walk_expressions, walk_forms
from rulewright.program.declarations import Program
from rulewright.program.types import OptionalType

BODIES = "bodies"
"""Where things stand and face on the plane, whatever their kind."""
DICE = "dice"
"""Faces of dice, which a reroll changes in place; what holds dice does not see their faces."""
WATCHES = "watches:"
"""Before the name of an event the key of all that running calls do when they hear it."""
_NOTHING: frozenset[Any] = frozenset()
_BODY_ATTRIBUTES = frozenset({"at", "facing", "gone"})
_CELL_OPERATIONS = frozenset({"distance", "adjacent", "neighbours", "rear cells"})
"""Operations that fail of none alone."""


@dataclass(frozen=True, slots=True)
class Effects:
    """What evaluation may read and do, as an upper bound."""

    reads: StorePlaces = _NOTHING
    writes: StorePlaces = _NOTHING
    local_reads: frozenset[int] = _NOTHING
    local_writes: frozenset[int] = _NOTHING
    exits: frozenset[int | str] = _NOTHING  # labels of loops left from inside; `return`, `jump`, `unwind`
    callees: frozenset[str] = _NOTHING  # routines that it may come to
    may_fault: bool = False
    may_stop: bool = False  # for an answer, dice, a draw, a shuffle or an external procedure
    may_want: bool = False  # the value of an external term, which may be scripted, asked for and remembered
    may_need: bool = False  # one without a default, for which it stops unless somebody gave it
    has_calls: bool = False  # runs routines that may change the game, or settles
    is_heard: bool = False  # is told to players, or changes what hears and waits in this call

    def join_with(self, *others: "Effects") -> "Effects":
        """What either may do."""
        every = [each for each in {id(each): each for each in (self, *others)}.values() if each is not NO_EFFECTS]
        if len(every) < 2:  # noqa: PLR2004 - nothing to join
            return every[0] if every else NO_EFFECTS
        return Effects(
            _NOTHING.union(*(each.reads for each in every)),
            _NOTHING.union(*(each.writes for each in every)),
            _NOTHING.union(*(each.local_reads for each in every)),
            _NOTHING.union(*(each.local_writes for each in every)),
            _NOTHING.union(*(each.exits for each in every)),
            _NOTHING.union(*(each.callees for each in every)),
            any(each.may_fault for each in every),
            any(each.may_stop for each in every),
            any(each.may_want for each in every),
            any(each.may_need for each in every),
            any(each.has_calls for each in every),
            any(each.is_heard for each in every),
        )

    @property
    def is_pure(self) -> bool:
        """Whether evaluation changes nothing and always comes to its end, so that it may be dropped or repeated."""
        return not (self.writes or self.local_writes or self.may_fault or self.may_want or self.is_ordered)

    @property
    def is_ordered(self) -> bool:
        """Whether something outside the state depends on when it happens."""
        return self.may_stop or self.has_calls or self.is_heard or bool(self.exits)


NO_EFFECTS = Effects()


def may_meet(some: StorePlaces, others: StorePlaces) -> bool:
    """Whether two sets of places may name the same place."""
    return bool(some & others) or bool((some >= EVERYWHERE and others) or (others >= EVERYWHERE and some))


def map_external_changes(program: Program) -> dict[str, StorePlaces]:
    """Places that each external procedure declares to change."""
    return {name: frozenset(external.changes) for name, external in program.external_procedures.items()}


class DependenceAnalysis:
    """Effects in one program.

    Args:
        program: with all routines.
        external_changes: places that each external procedure may change; everything of one that is not named.
        settles: whether what settles in between counts.
    """

    def __init__(
        self,
        program: core.CoreProgram,
        external_changes: Mapping[str, StorePlaces] | None = None,
        *,
        settles: bool = True,
    ) -> None:
        self._program = program
        self._settling = frozenset({core.SETTLING} & program.routines.keys() if settles else ())
        self._external_changes = external_changes or {}
        self._direct: dict[int, tuple[Any, Effects]] = {}
        self._full: dict[int, tuple[Any, Effects]] = {}
        self._by_routine: dict[str, Effects] = {}
        self._watches: dict[str, Effects] = {}
        self._find_watches()

    def find_effects(self, *forms: Any) -> Effects:
        """Effects of forms or blocks, with those of all that they call."""
        if len(forms) == 1 and not isinstance(forms[0], tuple):
            return self._find_effects_of(forms[0])
        inner = [self.find_effects(*form) if isinstance(form, tuple) else self._find_effects_of(form) for form in forms]
        return NO_EFFECTS.join_with(*inner)

    def find_routine_effects(self, key: str) -> Effects:
        """Effects of a call of a routine; a routine that may call itself may fail."""
        known = self._by_routine.get(key)
        if known is None:
            reached, waiting = set[str](), [key]
            parts: list[Effects] = []
            recurs = False
            while waiting:
                each = waiting.pop()
                direct = self._find_direct_effects_of_routine(each)
                parts.append(direct)
                recurs = recurs or key in direct.callees
                new = direct.callees - reached
                reached |= new
                waiting += new
            whole = NO_EFFECTS.join_with(*parts)
            known = self._by_routine[key] = replace(
                whole,
                local_reads=_NOTHING,
                local_writes=_NOTHING,
                exits=whole.exits & {"unwind"},
                may_fault=whole.may_fault or recurs,
            )
        return known

    def _find_effects_of(self, form: Any) -> Effects:
        known = self._full.get(id(form))
        if known is None:
            direct = self._find_direct_effects(form)
            full = direct.join_with(*map(self.find_routine_effects, sorted(direct.callees)))
            known = self._full[id(form)] = form, full
        return known[1]

    def _find_watches(self) -> None:
        """The watches of each event, which any call may have set up, over names of their own."""
        found: dict[str, list[Effects]] = {}
        for routine in self._program.routines.values():
            for form in walk_forms(routine.entry):
                if isinstance(form, core.Listening):
                    heard = self._fold(form.body)
                    found.setdefault(form.event, []).append(
                        replace(heard, local_reads=_NOTHING, local_writes=_NOTHING, exits=heard.exits & {"unwind"})
                    )
        self._watches = {f"{WATCHES}{event}": NO_EFFECTS.join_with(*watches) for event, watches in found.items()}

    def _find_direct_effects_of_routine(self, key: str) -> Effects:
        if key.startswith(WATCHES):
            return self._watches.get(key, NO_EFFECTS)
        routine = self._program.routines.get(key)
        if routine is None:
            return Effects(may_fault=True, may_stop=True, may_want=True, may_need=True, writes=EVERYWHERE)
        direct = self._fold((routine.entry, *((step.guard, step.block) for step in routine.steps)))
        return replace(direct, local_reads=_NOTHING, local_writes=_NOTHING, exits=direct.exits & {"unwind"})

    # The fold.

    def _fold(self, forms: Iterable[Any]) -> Effects:
        found: list[Effects] = []
        waiting = [*forms]
        while waiting:
            form = waiting.pop()
            if isinstance(form, tuple):
                waiting += form
            elif form is not None:
                found.append(self._find_direct_effects(form))
        return NO_EFFECTS.join_with(*found)

    def _find_direct_effects(self, form: Any) -> Effects:
        if id(form) not in self._direct:
            for each in reversed([*walk_forms(form)]):  # parts before what they are in, however deep
                if id(each) not in self._direct:
                    parts = [self._direct[id(part)][1] for part in list_parts(each)]
                    self._direct[id(each)] = each, self._close_scope(each, self._find_own_effects(each), parts)
        return self._direct[id(form)][1]

    def _close_scope(self, form: Any, own: Effects, parts: list[Effects]) -> Effects:
        """Effects of a form with those of its parts: names that it binds and loops that it is are known inside alone."""
        whole = own.join_with(*parts)
        match form:
            case core.Over(names=names) | core.RollOf(names=names) if whole.local_reads:
                bound = {name.index for name in names if name is not None}
                return replace(whole, local_reads=whole.local_reads - bound)
            case core.Bind(local=local):
                return replace(whole, local_reads=whole.local_reads - {local.index})
            case core.For(label=label) | core.Loop(label=label) if whole.exits:
                return replace(whole, exits=whole.exits - {label})
            case core.Listening():  # runs later, over the names of this call
                return Effects(local_reads=whole.local_reads, local_writes=whole.local_writes)
            case _:
                return whole

    def _find_own_effects(self, form: Any) -> Effects:
        """Effects of a form without those of its parts."""
        if form.__class__ in _EXPRESSIONS:
            return self._find_effects_of_value(form)
        if form.__class__ in _STATEMENTS:
            return self._find_effects_of_change(form)
        if isinstance(form, core.Members | core.Subsets):
            return _write_names(form.names)
        return NO_EFFECTS

    def _find_effects_of_value(self, form: core.Expression) -> Effects:
        match form:
            case core.Const() | core.Cond() | core.Bind():
                return NO_EFFECTS
            case core.Get(local=local):
                return Effects(local_reads=frozenset({local.index}))
            case core.Load(root=root):
                return Effects(_name_read_places(form), may_fault=isinstance(root, core.SideAttribute))
            case core.Op(name=name) if name not in OPERATIONS:
                return _FAULT
            case core.Op(name=name, arguments=arguments):
                faults = bool(OPERATIONS[name].faults)
                if faults and name in _CELL_OPERATIONS:
                    faults = any(isinstance(argument.type, OptionalType) for argument in arguments)
                reads = _name_read_places(form)
                return Effects(reads, may_fault=faults) if reads or faults else NO_EFFECTS
            case core.Over(gather=gather):
                return _FAULT if gather in {"least", "greatest", "only"} else NO_EFFECTS
            case core.Apply(routine=routine) | core.Closure(routine=routine):
                return Effects(callees=frozenset({routine}))
            case core.Wanted(default=default):
                callees = frozenset({default} if default is not None else ())
                return Effects(callees=callees, may_want=True, may_need=default is None, may_fault=True)
            case core.RollOf():
                return Effects(may_fault=True)
            case _:
                assert_never(form)

    def _find_effects_of_change(self, form: core.Statement) -> Effects:
        match form:
            case core.Set(place=place):
                return _write(place)
            case core.If() | core.For(names=()) | core.Quiet():
                return NO_EFFECTS
            case core.For(names=names):
                return _write_names(names)
            case core.Loop(bound=bound):
                return Effects(may_fault=bound is not None)
            case core.Leave(label=label):
                return Effects(exits=frozenset({label}))
            case core.Jump(bound=bound):
                return Effects(exits=frozenset({"jump"}), may_fault=bound is not None)
            case core.Return():
                return Effects(exits=frozenset({"return"}))
            case core.Unwind():
                return Effects(exits=frozenset({"unwind"}), may_fault=True, callees=self._settling, has_calls=True)
            case core.Call(routine=routine, result=result):
                called = Effects(callees=frozenset({routine}), has_calls=True, may_fault=form.nest is not None)
                return called.join_with(_write_names((result,)))
            case core.Fail():
                return Effects(may_fault=True)
            case core.Ask(result=result, everyone=everyone):
                read = _NOTHING if everyone is None else frozenset({everyone.index})
                return replace(_write_names((result,)), may_stop=True, may_fault=True, local_reads=read)
            case core.Roll(result=result):
                return replace(_write_names((result,)), may_stop=True, may_fault=True)
            case core.Reroll():
                return Effects(may_stop=True, may_fault=True, writes=_DICE_ALONE)
            case core.Draw(place=place, result=result):
                return replace(_write(place).join_with(_read(place), _write_names((result,))), may_stop=True)
            case core.Shuffle(place=place):
                return replace(_write(place).join_with(_read(place)), may_stop=True)
            case core.External(name=name, result=result):
                changed = self._external_changes.get(name, EVERYWHERE)
                return replace(_write_names((result,)), writes=changed, may_stop=True, may_fault=True)
            case core.Trigger(event=event, result=result):
                window = self._program.windows.get(event)
                heard = frozenset({f"{WATCHES}{event}"} | ({window} if window is not None else set()))
                return replace(_write_names((result,)), callees=heard, has_calls=True)
            case core.Settle():
                return Effects(callees=self._settling, has_calls=True)
            case core.During():
                return Effects(is_heard=True)
            case core.Note(entry=entry):
                return Effects(is_heard=entry == "revealed")
            case _:
                assert_never(form)


class EffectAnalysis:
    """Places of the store that forms of one program read and write through all that they call, but what settles."""

    def __init__(self, program: core.CoreProgram) -> None:
        self._program = program
        self._dependences = DependenceAnalysis(program, settles=False)
        self._wanting: dict[int, tuple[Any, bool]] = {}

    def collect_written_places(self, forms: Any) -> StorePlaces:
        """Places that statements may write."""
        return _list_store_places(self._dependences.find_effects(forms).writes)

    def collect_read_places(self, *forms: core.Expression) -> StorePlaces:
        """Places that expressions read; `EVERYWHERE` too if they may need a value that nobody gave yet."""
        return _list_places_read(self._dependences.find_effects(*forms))

    def get_places_written_by(self, key: str) -> StorePlaces:
        """Places that a routine may write; nothing if there is no such routine."""
        return _list_store_places(self._find_routine_effects(key).writes)

    def get_places_read_by(self, key: str) -> StorePlaces:
        """Places that a pure routine reads; `EVERYWHERE` too if it may need a value that nobody gave yet."""
        return _list_places_read(self._find_routine_effects(key))

    def may_want_value(self, *forms: core.Statement | core.Expression) -> bool:
        """Whether the own expressions of statements, or expressions, may need a value that nobody gave yet."""
        return any(map(self._may_form_want, forms))

    def _may_form_want(self, form: core.Statement | core.Expression) -> bool:
        known = self._wanting.get(id(form))
        if known is None:
            wants = any(self._dependences.find_effects(each).may_need for each in walk_expressions(form))
            known = self._wanting[id(form)] = form, wants
        return known[1]

    @cached_property
    def wanting_routines(self) -> frozenset[str]:
        """Pure routines that may need a value that nobody gave yet."""
        pure = (key for key, routine in self._program.routines.items() if routine.is_pure)
        return frozenset(key for key in pure if self._find_routine_effects(key).may_need)

    def _find_routine_effects(self, key: str) -> Effects:
        return self._dependences.find_routine_effects(key) if key in self._program.routines else NO_EFFECTS


def _list_store_places(places: StorePlaces) -> StorePlaces:
    """Places without those that no declaration names."""
    return frozenset(place for place in places if place not in {BODIES, DICE} and not place.startswith("due/"))


def _list_places_read(found: Effects) -> StorePlaces:
    return _list_store_places(found.reads) | (EVERYWHERE if found.may_need else _NOTHING)


_FAULT = Effects(may_fault=True)
_EXPRESSIONS = frozenset(get_args(core.Expression))
_STATEMENTS = frozenset(get_args(core.Statement))
_DICE_ALONE = frozenset({DICE})


def _name_written_places(root: core.StoreRoot) -> StorePlaces:
    """Places of the store that a write of a root changes."""
    match root:
        case core.Due(key=key):
            return frozenset({f"due/{key}"})
        case core.Attribute(name=name) if name not in _BODY_ATTRIBUTES:
            return frozenset({get_store_place(root)})
        case core.Attribute() | core.Gone():
            return frozenset({get_store_place(root), BODIES})
        case _:
            return frozenset({place} if (place := get_store_place(root)) else ())


def _name_read_places(expression: core.Expression) -> StorePlaces:
    """Places that an expression reads itself, of dice and bodies too."""
    match expression:
        case core.Load(root=core.Due(key=key)):
            return frozenset({f"due/{key}"})
        case core.Op(name=name) if OPERATIONS[name].reads == "dice":
            return _DICE_ALONE
        case core.Op(name=name) if OPERATIONS[name].reads == "bodies":
            return frozenset({BODIES, *list_read_places(expression)})
        case _:
            return frozenset(list_read_places(expression))


def _write(place: core.Place) -> Effects:
    """Effects of a write of a place; what is inside a value is written with all of it."""
    inside = _read(place) if place.path else NO_EFFECTS
    may_fault = any(isinstance(entry, core.ItemOf) for entry in place.path)
    if isinstance(place.root, core.Local):
        return replace(inside, local_writes=frozenset({place.root.index}), may_fault=may_fault)
    return replace(inside, writes=_name_written_places(place.root), may_fault=may_fault)


def _read(place: core.Place) -> Effects:
    if isinstance(place.root, core.Local):
        return Effects(local_reads=frozenset({place.root.index}))
    return Effects(_name_written_places(place.root))


def _write_names(names: core.Names) -> Effects:
    return Effects(local_writes=frozenset(name.index for name in names if name is not None))
