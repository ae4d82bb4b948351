"""Independent neighbours in a canonical order: list scheduling over the graph of dependences (Muchnick 1997, 17.1)."""

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush

from rulewright.base.frozen import dataclass
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import DependenceAnalysis, Effects, may_meet
from rulewright.program.core.effects import StorePlaces
from rulewright.program.core.walking import map_blocks, walk_forms, walk_statements

_NEED = "RW0809"


@dataclass(frozen=True, slots=True)
class _Unit:
    """A statement with the settling behind it; those without effects are not moved."""

    statements: core.Block
    effects: Effects | None = None
    woken: frozenset[str] = frozenset()  # invariants that are due after it


class StatementScheduler:
    """Puts statements in order that neither see nor disturb each other.

    A statement is moved if it neither asks, calls, leaves nor tells anything, and no standing rule reads what it
    changes. Two that one invariant reads keep their order, so that none breaks between.
    """

    def __init__(self, program: core.CoreProgram, effects: DependenceAnalysis) -> None:
        self._due_keys = program.due_keys
        self._effects = effects
        self.has_asking_rules = (
            core.SETTLING in program.routines and effects.find_routine_effects(core.SETTLING).may_want
        )
        heard = {
            form.event
            for routine in program.routines.values()
            for form in walk_forms(routine.entry)
            if isinstance(form, core.Listening)
        } | program.windows.keys()
        # the window of a removal opens while what the removal makes due still waits
        self.may_wait_due = any(
            isinstance(statement, core.Trigger) and statement.removal and statement.event in heard
            for routine in program.routines.values()
            for statement in walk_statements(routine)
        )

    def order_block(self, block: core.Block, key: Callable[[object], object]) -> core.Block:
        """Statements of a block in a canonical order (topological sort, least key first)."""
        units = self._group(block)
        result: list[core.Statement] = []
        free: list[_Unit] = []
        for unit in units:
            if unit.effects is not None:
                free.append(unit)
                continue
            result += (*self._sort(free, key), *unit.statements)
            free = []
        return (*result, *self._sort(free, key))

    def dissolve_quiet(self, block: core.Block) -> core.Block:
        """A block in which nothing tells whether some of its statements settle one by one."""
        result: list[core.Statement] = []
        dissolved: core.Quiet | None = None
        for statement in block:
            if isinstance(statement, core.Quiet) and self._may_dissolve(statement):
                result += statement.body
                dissolved = statement
            elif not (isinstance(statement, core.Settle) and dissolved and statement.origin is dissolved.origin):
                result.append(statement)
        return tuple(result)

    def _may_dissolve(self, quiet: core.Quiet) -> bool:
        """Whether nothing inside makes a rule or an invariant due, so that it settles nothing at its end either."""
        effects = self._effects.find_effects(quiet)
        if effects.is_ordered or self.may_wait_due or (effects.writes and self.has_asking_rules):
            return False
        return not may_meet(effects.writes, frozenset(self._due_keys))

    def _group(self, block: core.Block) -> list[_Unit]:
        units: list[list[core.Statement]] = []
        for statement in block:
            if isinstance(statement, core.Settle) and units:
                units[-1].append(statement)
            else:
                units.append([statement])
        return [self._make_unit(tuple(statements)) for statements in units]

    def _make_unit(self, statements: core.Block) -> _Unit:
        settles = any(isinstance(inner, core.Settle) for inner in walk_statements(statements))
        needs = any(isinstance(inner, core.Fail) and inner.fault == _NEED for inner in walk_statements(statements))
        effects = (
            self._effects.find_effects(_strip_settling(statements))
            if settles
            else self._effects.find_effects(statements)
        )
        woken = self._find_woken(effects.writes)
        is_seen = any(key.startswith("rule:") for key in woken) or (bool(effects.writes) and self.has_asking_rules)
        if needs or is_seen or effects.is_ordered or effects.may_want or (settles and self.may_wait_due):
            return _Unit(statements)
        return _Unit(statements, effects, woken)

    def _find_woken(self, places: StorePlaces) -> frozenset[str]:
        return frozenset(key for place in places for key in self._due_keys.get(place, ()))

    def _sort(self, units: Sequence[_Unit], key: Callable[[object], object]) -> core.Block:
        if len(units) < 2:  # noqa: PLR2004 - one alone is in order
            return tuple(statement for unit in units for statement in unit.statements)
        behind = [
            [earlier for earlier in range(number) if not _may_swap(units[earlier], unit)]
            for number, unit in enumerate(units)
        ]
        waits = [len(earlier) for earlier in behind]
        keys = [key(unit.statements) for unit in units]
        ready = [(keys[number], number) for number, count in enumerate(waits) if not count]
        heapify(ready)
        result: list[core.Statement] = []
        while ready:
            _, number = heappop(ready)
            result += units[number].statements
            for later in range(number + 1, len(units)):
                if number in behind[later]:
                    waits[later] -= 1
                    if not waits[later]:
                        heappush(ready, (keys[later], later))
        return tuple(result)


def _strip_settling(block: core.Block) -> core.Block:
    return tuple(
        map_blocks(statement, _strip_settling) for statement in block if not isinstance(statement, core.Settle)
    )


def _may_swap(one: _Unit, other: _Unit) -> bool:
    """Whether two neighbours may be exchanged."""
    first, second = one.effects, other.effects
    assert first is not None
    assert second is not None
    if first.local_writes & (second.local_writes | second.local_reads) or second.local_writes & first.local_reads:
        return False
    if may_meet(first.writes, second.reads) or may_meet(second.writes, first.reads):
        return False
    if may_meet(first.writes, second.writes) and not _is_same_assignment(one, other):
        return False
    return not one.woken & other.woken


def _is_same_assignment(one: _Unit, other: _Unit) -> bool:
    """Whether two statements put the same constant into places."""
    match one.statements, other.statements:
        case (core.Set(place=first, value=core.Const() as this), *_), (
            core.Set(place=second, value=core.Const() as that),
            *_,
        ):
            return not first.path and not second.path and this.type == that.type and this == that
        case _:
            return False
