"""Forward substitution of values for names, and removal of names never read.

Literature: Muchnick 1997, 12.5 (copy propagation), 18.10 (dead code).
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rulewright.base.frozen import replace
from rulewright.diff.normal_forms.alpha_renaming import substitute_names
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import NO_EFFECTS, DependenceAnalysis, Effects, may_meet
from rulewright.program.core.walking import map_blocks, walk_forms

_MAX_SUBSTITUTED_FORMS = 400


class OccurrenceCounts:
    """How often forms mention names, each form walked once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Counter[int], Counter[int]]] = {}

    def count_mentions(self, form: Any) -> Counter[int]:
        """Mentions by the index of the name: reads, writes and bindings."""
        return self._find_counts(form)[1]

    def count_reads(self, form: Any) -> Counter[int]:
        return self._find_counts(form)[2]

    def _find_counts(self, form: Any) -> tuple[Any, Counter[int], Counter[int]]:
        known = self._known.get(id(form))
        if known is None:
            parts = [*walk_forms(form)]
            mentions = Counter(part.index for part in parts if part.__class__ is core.Local)
            reads = Counter(part.local.index for part in parts if part.__class__ is core.Get)
            known = self._known[id(form)] = form, mentions, reads
        return known


def list_blocks(form: Any) -> list[core.Block]:
    """Blocks directly inside a statement or routine."""
    blocks: list[core.Block] = []

    def collect(block: core.Block) -> core.Block:
        blocks.append(block)
        return block

    map_blocks(form, collect)
    return blocks


class ForwardSubstitution:
    """Puts values in place of the names of one routine that only stand for them, where nothing has changed between."""

    def __init__(self, routine: core.Routine, effects: DependenceAnalysis) -> None:
        self._routine = routine
        self._effects = effects
        self._counts = OccurrenceCounts()
        self._occurrences = self._counts.count_mentions((routine.parameters, routine.entry, routine.steps))
        heard = [form for form in walk_forms(routine.entry) if isinstance(form, core.Listening)]
        self._heard = frozenset(index for form in heard for index in self._counts.count_mentions(form))

    def substitute(self) -> core.Routine:
        return map_blocks(self._routine, self._substitute_in_block)  # type: ignore[no-any-return]

    def _substitute_in_block(self, block: core.Block) -> core.Block:
        statements = [*block]
        number = 0
        while number < len(statements):
            statement = statements[number]
            rest = statements[number + 1 :]
            if isinstance(statement, core.Set) and self._may_substitute(statement, rest):
                assert isinstance(statement.place.root, core.Local)
                index = statement.place.root.index
                times = sum(self._counts.count_mentions(item)[index] for item in rest)
                for inner, count in self._counts.count_mentions(statement.value).items():
                    self._occurrences[inner] += count * (times - 1)
                statements[number:] = substitute_names(tuple(rest), {index: statement.value}) if times else rest
            else:
                number += 1
        return tuple(map_blocks(statement, self._substitute_in_block) for statement in statements)

    def _may_substitute(self, statement: core.Set, rest: Sequence[core.Statement]) -> bool:
        place, value = statement.place, statement.value
        if not isinstance(place.root, core.Local) or place.path or place.root.index in self._heard:
            return False
        index = place.root.index
        reads = sum(self._counts.count_reads(item)[index] for item in rest)
        if self._occurrences[index] != reads + 1:
            return False
        found = self._effects.find_effects(value)
        if not found.is_pure or reads * sum(1 for _ in walk_forms(value)) > _MAX_SUBSTITUTED_FORMS:
            return False
        return not reads or _ValueStability(self._effects, found, self._heard, index, self._counts).is_stable_at_reads(
            rest
        )


class _ValueStability:
    """Whether statements leave a value unchanged up to each read of a name that stands for it."""

    def __init__(
        self,
        effects: DependenceAnalysis,
        value: Effects,
        heard: frozenset[int],
        index: int,
        counts: OccurrenceCounts,
    ) -> None:
        self._effects = effects
        self._value = value
        self._is_heard = bool(value.local_reads & heard)
        self._index = index
        self._counts = counts

    def is_stable_at_reads(self, statements: Sequence[core.Statement]) -> bool:
        return self._is_stable_after(statements) is not None

    def _is_stable_after(self, statements: Sequence[core.Statement]) -> bool | None:
        """Whether the value is unchanged after statements; None where the name is read when it may have changed."""
        fresh = True
        for statement in statements:
            if not fresh and self._reads_name(statement):
                return None
            after = self._is_stable_across(statement)
            if after is None:
                return None
            fresh = fresh and after
        return fresh

    def _is_stable_across(self, statement: core.Statement) -> bool | None:
        if self._is_kept_by(self._effects.find_effects(statement)):
            return True
        read = self._reads_name(statement)
        match statement:
            case core.For() | core.Loop():
                return None if read else False
            case core.If() | core.Quiet() | core.Ask():
                blocks = list_blocks(statement)
                after = [self._is_stable_after(block) for block in blocks]
                # what a statement writes itself, such as an answer, it writes before its blocks
                own = self._is_kept_by(self._own_effects(statement))
                if not own and any(map(self._reads_name, blocks)):
                    return None
                return None if None in after else own and all(after)
            case _:
                return False

    def _own_effects(self, statement: core.If | core.Quiet | core.Ask) -> Effects:
        own = self._effects.find_effects(map_blocks(statement, lambda _: ()))
        return replace(own, reads=NO_EFFECTS.reads)

    def _reads_name(self, form: Any) -> bool:
        return self._index in self._counts.count_reads(form)

    def _is_kept_by(self, effects: Effects) -> bool:
        if effects.local_writes & self._value.local_reads or may_meet(effects.writes, self._value.reads):
            return False
        return not (self._is_heard and (effects.has_calls or effects.may_stop))
