"""Which statements and routines of core may stop for an answer: the least fixed point over calls, windows and settling.

A settling may stop only if a rule that it may fire does: one that reads what was written before it, or what such a rule
writes in turn.
"""

from collections.abc import Iterator, Sequence, Set as AbstractSet
from enum import IntEnum
from functools import cached_property
from typing import assert_never

from rulewright.program.core import forms as core
from rulewright.program.core.dependences import EffectAnalysis
from rulewright.program.core.effects import EVERYWHERE, StorePlaces
from rulewright.program.core.walking import list_branches, walk_statements


class Volume(IntEnum):
    """How loud it is where a statement runs; a quieter place inside a louder one is as quiet as it says."""

    LOUD = 0
    """Rules settle, and removals open their windows."""
    QUIET = 1
    """Nothing settles."""
    HELD_BACK = 2
    """Nothing settles, and windows of removals wait for the end of a `Quiet`."""


_Stopping = AbstractSet[tuple[str, Volume]]


class StopAnalysis:
    """Tells of statements and routines of one core program whether they may stop."""

    def __init__(self, program: core.CoreProgram, regarded: AbstractSet[str] = frozenset()) -> None:
        """Routines by key may be `regarded` as stopping whether they do or not, with all that calls them."""
        self._program = program
        self._regarded = regarded
        self.effects = EffectAnalysis(program)
        self._removal_windows = {
            program.windows[form.event]
            for form in walk_statements(tuple(program.routines.values()))
            if isinstance(form, core.Trigger) and form.removal and form.event in program.windows
        }

    def may_stop(self, statement: core.Statement, volume: Volume = Volume.LOUD) -> bool:
        """Whether a statement may stop, or one inside it or called by it; of a `Settle` alone, whether any rule does."""
        return self._may_stop(statement, volume, self._stopping_routines, EVERYWHERE)

    def may_stop_in_block(self, block: core.Block, volume: Volume = Volume.LOUD) -> list[bool]:
        """Of each statement of a block whether it may stop; a `Settle` goes by what its line wrote before it."""
        return [*self._judge_block(block, volume, self._stopping_routines)]

    def may_routine_stop(self, key: str, volume: Volume = Volume.LOUD) -> bool:
        """Whether a routine may stop, or its end, at which held rules settle."""
        return (key, volume) in self._stopping_routines

    @cached_property
    def events_that_want(self) -> frozenset[str]:
        """Events at which a watch may want a value."""
        watches = [
            statement.effect
            for statement in walk_statements(tuple(self._program.routines.values()))
            if isinstance(statement, core.During) and isinstance(statement.effect, core.Listening)
        ]
        return frozenset(watch.event for watch in watches if self.effects.may_want_value(*walk_statements(watch.body)))

    @cached_property
    def _stopping_routines(self) -> _Stopping:
        stopping = {(key, volume) for key in self._regarded for volume in Volume}
        candidates = [(key, volume) for key in self._program.routines for volume in Volume]
        while True:
            fresh = {each for each in candidates if each not in stopping and self._may_run_to_stop(*each, stopping)}
            if not fresh:
                return frozenset(stopping)
            stopping |= fresh

    def _may_run_to_stop(self, key: str, volume: Volume, known: _Stopping) -> bool:
        routine = self._program.routines[key]
        guards = [step.guard for step in routine.steps if step.guard is not None]
        blocks = (routine.entry, *(step.block for step in routine.steps))
        return (not routine.is_pure and self.effects.may_want_value(*guards)) or any(
            self._may_stop_in_block(block, volume, known) for block in blocks
        )

    def _may_stop_in_block(self, block: core.Block, volume: Volume, known: _Stopping) -> bool:
        return any(self._judge_block(block, volume, known))

    def _judge_block(self, block: core.Block, volume: Volume, known: _Stopping) -> Iterator[bool]:
        for number, statement in enumerate(block):
            written: StorePlaces = frozenset()
            if isinstance(statement, core.Settle) and volume == Volume.LOUD:
                written = self._list_settled_places(block[:number], statement)
            yield self._may_stop(statement, volume, known, written)

    def _list_settled_places(self, before: Sequence[core.Statement], settle: core.Settle) -> StorePlaces:
        """What the statements of the same line before a `Settle` may have written; all places if there is none."""
        same = tuple(statement for statement in before if statement.origin is settle.origin)
        return self.effects.collect_written_places(same) if same else EVERYWHERE

    def _list_woken_rules(self, places: StorePlaces) -> AbstractSet[str]:
        """Rules and invariants that are tried where places have changed, by those that fire in turn too."""
        if places >= EVERYWHERE:
            return {*self._program.rules, *self._program.invariants}
        woken: set[str] = set()
        while places:
            fresh = {key for place in places for key in self._program.due_keys.get(place, ())} - woken
            woken |= fresh
            places = frozenset().union(*map(self.effects.get_places_written_by, fresh))
            if places >= EVERYWHERE:
                return {*self._program.rules, *self._program.invariants}
        return woken

    def _may_settling_stop(self, places: StorePlaces, known: _Stopping) -> bool:
        """Whether a settling may stop after places have changed; rules run in a `Quiet`."""
        woken = self._list_woken_rules(places)
        judged = {key if key in self._program.invariants else key.replace("rule:", "find:", 1) for key in woken}
        if not woken.isdisjoint(self._program.rules):
            judged |= {key.replace("rule:", "lowers:", 1) for key in self._program.rules}
        return not judged.isdisjoint(self.effects.wanting_routines) or any(
            (key, Volume.QUIET) in known for key in woken
        )

    def _may_stop(self, statement: core.Statement, volume: Volume, known: _Stopping, written: StorePlaces) -> bool:
        if self.effects.may_want_value(statement):
            return True
        match statement:
            case core.Ask() | core.Roll() | core.Reroll() | core.Draw() | core.Shuffle() | core.External():
                return True
            case core.Call(routine=routine):
                return (routine, volume) in known
            case core.Trigger(event=event, removal=removal):
                waits = removal and volume == Volume.HELD_BACK
                window = (self._program.windows.get(event, ""), volume)
                return not waits and (window in known or event in self.events_that_want)
            case core.Settle():
                return volume == Volume.LOUD and self._may_settling_stop(written, known)
            case core.Unwind():
                return volume == Volume.LOUD and self._may_settling_stop(EVERYWHERE, known)
            case core.During(effect=effect):
                is_holding = isinstance(effect, core.Holding) and volume == Volume.LOUD
                return is_holding and self._may_settling_stop(EVERYWHERE, known)
            case core.Quiet(body=body, holds_back=holds_back):
                inside = max(volume, Volume.HELD_BACK if holds_back else Volume.QUIET)
                opens = holds_back and volume < Volume.HELD_BACK
                windows = {(window, volume) for window in self._removal_windows} if opens else set()
                return self._may_stop_in_block(body, inside, known) or not windows.isdisjoint(known)
            case core.If():
                branches = list_branches(statement)
                blocks = (*(branch.then for branch in branches), branches[-1].other)
                return self.effects.may_want_value(*branches) or any(
                    self._may_stop_in_block(block, volume, known) for block in blocks
                )
            case core.For(body=body) | core.Loop(body=body):
                return self._may_stop_in_block(body, volume, known)
            case core.Set() | core.Leave() | core.Jump() | core.Return() | core.Fail() | core.Note():
                return False
            case _:
                assert_never(statement)
