"""Two routines walked in lockstep, and what differs executed over the same symbols on every path.

Translation validation (Necula 2000): statements that are alike at both ends of two blocks are paired and stepped over;
the rows between them are executed symbolically in both revisions, from the same symbol for each pair of names. So

    let hits = count(blows)                  let hits = count(blows)
    if hits > 3:                             let excess = max(hits - 3, 0)
      take hits - 3 from target.health       take excess from target.health

pairs `hits` with `hits`, and executes what follows on the paths `hits > 3` and `hits <= 3`: both leave the same health
on each, so that the routines are equivalent. What is not proved within the bounds below is left to plays.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from typing import Any

from rulewright.base.frozen import replace
from rulewright.diff.normal_forms.form_texts import list_compared_fields
from rulewright.diff.normal_forms.jump_threading import never_falls_through
from rulewright.diff.symbolic_execution.block_execution import (
    FELL_THROUGH,
    BlockExecution,
    name_by_place,
    write_path,
)
from rulewright.diff.symbolic_execution.expression_evaluation import (
    ExpressionEvaluation,
    FaultError,
    Revision,
    list_free_names,
)
from rulewright.diff.symbolic_execution.path_conditions import (
    NotProvedError,
    PathConditions,
    SharedSymbols,
    SymbolicValue,
    WidenedError,
    explore_paths,
)
from rulewright.program.core import forms as core
from rulewright.program.core.lower_expressions import make_flag
from rulewright.program.core.walking import is_statement, list_parts, map_blocks, walk_forms, walk_statements

_MAX_ROUNDS = 8
"""Executions of the same rows: each knows more calls, or more symbols by their values, than the one before."""


_MAX_TAIL_ATTEMPTS = 3
"""Lengths of a common end of two blocks that are tried, from the longest, before the whole blocks are executed."""


_MAX_DEPTH = 8
"""Folds within folds that are compared by what they do with each member."""


_CONDITIONS = frozenset({"where", "guard"})
"""Fields whose absence is a condition that always holds."""


_NEVER_RETURNS = frozenset({"return", "unwind", "need", "fault"})


class LockstepComparison:
    """Comparison of routines of two revisions, whose declared names are written alike."""

    def __init__(self, old: Revision, new: Revision) -> None:
        self._old, self._new = old, new
        self._classes = _ExpressionClasses(old, new)

    def is_equivalent(self, old: core.Routine, new: core.Routine) -> bool:
        """Whether both are proved to do the same for the same arguments, in every state."""
        heads = [
            (
                routine.key.partition(":")[0],
                revision.writer.write(routine.parameters),
                len(routine.steps),
                None if routine.result is None else revision.writer.write_type(routine.result),
            )
            for revision, routine in ((self._old, old), (self._new, new))
        ]
        if heads[0] != heads[1]:
            return False
        try:
            _RoutineWalk(self._old, self._new, self._classes, old, new).walk()
        except (NotProvedError, RecursionError):
            return False
        return True


class _ExpressionClasses:
    """Expressions with bound and free names that are proved to have the same value, by what stands for them."""

    def __init__(self, old: Revision, new: Revision) -> None:
        self._old, self._new = old, new
        self._known: list[tuple[Revision, core.Over, Sequence[core.Local], int]] = []
        self._numbers: dict[Any, int] = {}
        self._fresh = count()
        self._depth = 0

    def find_class(self, revision: Revision, form: core.Over, free: Sequence[core.Local]) -> int:
        """What stands for what a fold does with each member."""
        folded = replace(form, source=make_flag(None, value=True))
        domains = tuple(None if name is None else revision.find_name_domain(name) for name in (*form.names, *free))
        key = revision.writer.write(name_by_place(folded, free), "strict"), domains
        if key not in self._numbers:
            proved = (
                number
                for known, *other, number in self._known
                if known is not revision and self._are_equal((known, *other), (revision, folded, free))
            )
            found = next(proved, None)
            self._numbers[key] = next(self._fresh) if found is None else found
            self._known.append((revision, folded, free, self._numbers[key]))
        return self._numbers[key]

    def _are_equal(self, one: Any, other: Any) -> bool:
        if one[0] is not self._old:
            one, other = other, one
        (_, old, old_free), (_, new, new_free) = one, other
        if (old.gather, len(old.names), len(old_free)) != (new.gather, len(new.names), len(new_free)):
            return False
        if self._depth > _MAX_DEPTH or (old.value is None) != (new.value is None):
            return False
        named = [*zip(old.names, new.names, strict=True), *zip(old_free, new_free, strict=True)]
        pairs = [(before, after) for before, after in named if before is not None and after is not None]
        always = make_flag(None, value=True)
        self._depth += 1
        try:
            compare_values(self, (self._old, self._new), (old.where or always, new.where or always), pairs)
            if old.value is not None:
                compare_values(self, (self._old, self._new), (old.value, new.value), pairs)
        except NotProvedError:
            return False
        finally:
            self._depth -= 1
        return True


_Pairs = Iterable[tuple[core.Local, core.Local]]


_Run = Callable[[PathConditions], tuple[Any, Any]]


def compare_values(
    classes: _ExpressionClasses, revisions: tuple[Revision, Revision], forms: tuple[Any, Any], pairs: _Pairs
) -> None:
    """Shows that two expressions have the same value, or meet a fault, where names hold the same in pairs."""
    named = [*pairs]

    def run(path: PathConditions) -> tuple[Any, Any]:
        names = _read_names(path, revisions, named)
        one, other = (
            _evaluate(BlockExecution(revision, path, known, classes.find_class), form)
            for revision, known, form in zip(revisions, names, forms, strict=True)
        )
        return one, other

    _compare_outcomes(run)


def _evaluate(evaluation: ExpressionEvaluation, form: core.Expression) -> tuple[Any, ...]:
    try:
        value = evaluation.evaluate(form)
    except FaultError:
        return "fault", tuple(evaluation.events)
    return value, tuple(evaluation.events)


def _read_names(
    path: PathConditions, revisions: tuple[Revision, Revision], pairs: _Pairs
) -> tuple[dict[int, SymbolicValue], dict[int, SymbolicValue]]:
    names: tuple[dict[int, SymbolicValue], dict[int, SymbolicValue]] = {}, {}
    for number, pair in enumerate(pairs):
        for revision, local, known in zip(revisions, pair, names, strict=True):
            known[local.index] = path.read_symbol(("name", number), revision.find_name_domain(local))
    return names


def _compare_outcomes(run: _Run) -> None:
    """Shows that two runs end alike on all paths; where they do not, values are tried one by one."""
    symbols = SharedSymbols()
    for _ in range(_MAX_ROUNDS):
        try:
            more = _find_difference(run, symbols)
        except WidenedError:
            continue
        if more is None:
            return
        if symbols.has_calls and not symbols.opens_calls:
            symbols.opens_calls = True
        elif more:
            symbols.tried.update(more)
        else:
            break
    raise NotProvedError


def _find_difference(run: _Run, symbols: SharedSymbols) -> list[int] | None:
    """Values to be tried, of a path on which two runs end otherwise; none if there is no such path."""
    for path in explore_paths(symbols):
        if not path.is_same(*run(path)):
            ends = run(path)  # with all that the path has come to take to be so
            if not path.is_same(*ends):
                return path.list_triable(*ends, *path.computed)
    return None


class _RoutineWalk:
    """Walk of two routines in lockstep.

    Names that are paired once stay so: whatever writes one of them writes the other one too. `valid` are the old names
    that hold what their partners hold at the place that is reached, on every way to it.
    """

    def __init__(
        self, old: Revision, new: Revision, classes: _ExpressionClasses, before: core.Routine, after: core.Routine
    ) -> None:
        self._revisions = old, new
        self._classes = classes
        self._routines = before, after
        self._partners: dict[int, core.Local] = {}
        self._locals: dict[int, core.Local] = {}
        self._jumps: dict[int, set[int]] = {}
        self._has_watches = any(
            isinstance(form, core.Listening) for routine in (before, after) for form in walk_forms(routine)
        )

    def walk(self) -> None:
        old, new = self._routines
        valid: set[int] = set()
        starts: list[set[int]] = []
        for one, other in zip(old.parameters, new.parameters, strict=True):
            self._pair(one, other, valid)
        self._compare_blocks(old.entry, new.entry, valid)
        for number, (one_step, other_step) in enumerate(zip(old.steps, new.steps, strict=True)):
            valid &= self._jumps.get(number, valid)
            starts.append({*valid})
            if one_step.guard is not None or other_step.guard is not None:
                raise NotProvedError
            self._compare_blocks(one_step.block, other_step.block, valid)
        if any(not start <= self._jumps.get(number, start) for number, start in enumerate(starts)):
            raise NotProvedError  # a jump back comes to a step with less

    # Names.

    def _pair(self, old: core.Local | None, new: core.Local | None, valid: set[int]) -> None:
        """Notes that two names were given the same value."""
        if old is None or new is None:
            if {getattr(old, "index", None)} & self._partners.keys() or new in self._partners.values():
                raise NotProvedError
            return
        partner = self._partners.get(old.index)
        if partner != new and (partner is not None or new in self._partners.values()):
            raise NotProvedError
        self._partners[old.index] = new
        self._locals[old.index] = old
        valid.add(old.index)

    def _list_pairs(self, valid: set[int]) -> list[tuple[core.Local, core.Local]]:
        return [(self._locals[index], self._partners[index]) for index in sorted(valid)]

    def _attempt(self, compare: Callable[[set[int]], None], valid: set[int]) -> bool:
        """Whether a comparison succeeds; where it does not, nothing is changed."""
        partners, jumps, now = dict(self._partners), {key: {*each} for key, each in self._jumps.items()}, {*valid}
        try:
            compare(now)
        except NotProvedError:
            self._partners, self._jumps = partners, jumps
            return False
        valid.clear()
        valid |= now
        return True

    # Statements.

    def _compare_blocks(self, old: core.Block, new: core.Block, valid: set[int]) -> None:
        """Rows of statements: those alike at both ends are walked, what is between is executed."""
        while old and new and self._attempt(partial(self._compare_statements, old[0], new[0]), valid):
            old, new = old[1:], new[1:]
        if not old and not new:
            return
        ends = zip(reversed(old), reversed(new), strict=False)
        tail = 0
        for one, other in ends:
            if type(one) is not type(other):
                break
            tail += 1
        tail = min(tail, max(len(old), len(new)) - 1)
        lengths = [*range(tail, max(tail - _MAX_TAIL_ATTEMPTS, 0), -1), 0]
        if not any(self._attempt(partial(self._compare_middle, old, new, length), valid) for length in lengths):
            raise NotProvedError

    def _compare_middle(self, old: core.Block, new: core.Block, tail: int, valid: set[int]) -> None:
        cut, other_cut = len(old) - tail, len(new) - tail
        self._execute_rows(old[:cut], new[:other_cut], valid)
        for one, other in zip(old[cut:], new[other_cut:], strict=True):
            self._compare_statements(one, other, valid)

    def _execute_rows(self, old: core.Block, new: core.Block, valid: set[int]) -> None:
        """Executes rows of statements; pairs names that then hold the same."""
        pairs = self._list_pairs(valid)
        written = [
            revision.effects.find_effects(block).local_writes
            for revision, block in zip(self._revisions, (old, new), strict=True)
        ]
        common: set[tuple[int, int]] | None = None
        jumps, unset = set[int](), set[int]()
        bound = {
            index for index, partner in self._partners.items() if index in written[0] or partner.index in written[1]
        }

        def run(path: PathConditions) -> tuple[Any, Any]:
            nonlocal common
            names = _read_names(path, self._revisions, pairs)
            runs = [
                BlockExecution(revision, path, known, self._classes.find_class)
                for revision, known in zip(self._revisions, names, strict=True)
            ]
            for each in runs:
                each.may_have_events = not self._has_watches
            outcomes = [each.run_to_outcome(block) for each, block in zip(runs, (old, new), strict=True)]
            way = outcomes[0][0]
            if way == FELL_THROUGH:
                unset.update(index for index in bound if index not in names[0])
                same = {
                    (one, other)
                    for one in names[0]
                    for other in names[1]
                    if (one in written[0] or other in written[1]) and path.is_same(names[0][one], names[1][other])
                }
                common = same if common is None else common & same
            elif way[0] == "jump":
                jumps.add(way[1])
            if way[0] not in _NEVER_RETURNS:  # what is paired holds the same on every way on
                held = [
                    [each.get(index, ("unset", at)) for index, each in zip(pair, names, strict=True)]
                    for at, pair in enumerate((index, self._partners[index].index) for index in sorted(bound))
                ]
                outcomes = [(*outcome, *(row[at] for row in held)) for at, outcome in enumerate(outcomes)]
            return outcomes[0], outcomes[1]

        _compare_outcomes(run)
        for step in jumps:
            self._note_jump(step, valid)
        valid |= bound - unset
        before, after = map(_find_locals, (old, new))
        for one, other in sorted(common or ()):
            if one in before and other in after:
                first, second = before[one], after[other]
                if one not in self._partners and second not in self._partners.values():
                    self._pair(first, second, valid)

    def _note_jump(self, step: int, valid: set[int]) -> None:
        self._jumps[step] = self._jumps.get(step, valid) & valid

    def _compare_statements(self, old: core.Statement, new: core.Statement, valid: set[int]) -> None:
        if isinstance(old, core.Jump):
            self._note_jump(old.step, valid)
        if self._have_same_text(old, new, valid) and not _has_inner_jumps(old):
            return
        match old, new:
            case core.Set(), core.Set() if isinstance(old.place.root, core.Local) and not old.place.path:
                if not isinstance(new.place.root, core.Local) or new.place.path:
                    raise NotProvedError
                self._compare_values(old.value, new.value, valid)
                self._pair(old.place.root, new.place.root, valid)
            case core.Set(), core.Set():
                self._compare_places(old.place, new.place, valid)
                self._compare_values(old.value, new.value, valid)
            case core.If(), core.If():
                self._compare_values(old.test, new.test, valid)
                self._compare_branches([(old.then, new.then, valid), (old.other, new.other, valid)], valid)
            case core.For(), core.For():
                self._require_same_fields(old, new, "label")
                self._compare_values(old.source, new.source, valid)
                inside = {*valid}
                self._pair_all(old.names, new.names, inside)
                self._compare_blocks(old.body, new.body, inside)
            case core.Loop(), core.Loop():
                self._require_same_fields(old, new, "label")
                self._compare_optional(old.test, new.test, valid)
                self._compare_optional(old.bound, new.bound, valid)
                self._compare_blocks(old.body, new.body, {*valid})
            case core.Quiet(), core.Quiet():
                self._require_same_fields(old, new, "holds_back")
                self._compare_blocks(old.body, new.body, valid)
            case core.Ask(), core.Ask():
                self._compare_questions(old, new, valid)
            case core.Jump(), core.Jump():
                self._require_same_fields(old, new, "step")
                self._compare_optional(old.bound, new.bound, valid)
                self._pair(old.rounds, new.rounds, set())
            case _ if type(old) is not type(new) or isinstance(old, core.During):
                raise NotProvedError
            case _:
                self._compare_fields(old, new, valid, but="result")
                self._pair(getattr(old, "result", None), getattr(new, "result", None), valid)

    def _compare_branches(self, branches: Sequence[tuple[core.Block, core.Block, set[int]]], valid: set[int]) -> None:
        """Blocks of which one is run, each with the names that are valid before it."""
        behind: list[set[int]] = []
        for old, new, before in branches:
            inside = {*before}
            self._compare_blocks(old, new, inside)
            if not never_falls_through(old):
                behind.append(inside)
        if behind:
            valid.clear()
            valid |= set.intersection(*behind)

    def _compare_questions(self, old: core.Ask, new: core.Ask, valid: set[int]) -> None:
        if isinstance(old.space, core.Poses | core.Headings):
            raise NotProvedError  # places are tried, some of them taken from the conditions
        if (old.everyone is None) != (new.everyone is None) or type(old.space) is not type(new.space):
            raise NotProvedError
        named = [
            (old.everyone, new.everyone), (old.result, new.result),
            *zip(getattr(old.space, "names", ()), getattr(new.space, "names", ()), strict=True),
        ]  # fmt: skip
        mine = {name.index for pair in named for name in pair if name is not None}
        first = (old.player, old.subject, new.player, new.subject)
        sources = [getattr(space, name, None) for space in (old.space, new.space) for name in ("source", "low", "high")]
        if any(
            isinstance(form, core.Local) and form.index in mine
            for form in walk_forms([each for each in (*first, *sources) if each is not None])
        ):
            raise NotProvedError
        inside = {*valid}
        for one, other in named:
            self._pair(one, other, inside)
        self._compare_fields(old, new, inside, but=("result", "everyone", "then", "none"))
        kept = all(map(self._is_first_set_by, self._routines, self._revisions, (old, new)))
        without = inside if kept else {*valid} - {old.result.index}
        self._compare_branches([(old.then, new.then, inside), (old.none, new.none, without)], valid)

    def _is_first_set_by(self, routine: core.Routine, revision: Revision, asking: core.Ask) -> bool:
        """Whether no statement before a question sets its result, which then holds none or its value elsewhere."""
        setting = (
            statement
            for statement in walk_statements(routine)
            if asking.result.index in revision.effects.find_effects(map_blocks(statement, lambda _: ())).local_writes
        )
        return next(setting) is asking

    # Parts of statements.

    def _compare_fields(self, old: Any, new: Any, valid: set[int], but: str | tuple[str, ...] = ()) -> None:
        """Fields of two forms of one class: those without parts are written alike."""
        known = {but} if isinstance(but, str) else {*but}
        names = [name for name in list_compared_fields(old.__class__) if name not in known]
        parts = [name for name in names if _has_parts(getattr(old, name)) or _has_parts(getattr(new, name))]
        self._require_same_fields(old, new, *(name for name in names if name not in parts))
        for name in parts:
            one, other = getattr(old, name), getattr(new, name)
            if name in _CONDITIONS:
                one, other = (make_flag(None, value=True) if each is None else each for each in (one, other))
            self._compare(one, other, valid)

    def _compare(self, old: Any, new: Any, valid: set[int]) -> None:
        match old, new:
            case tuple(), tuple():
                if len(old) != len(new):
                    raise NotProvedError
                for one, other in zip(old, new, strict=True):
                    self._compare(one, other, valid)
            case core.Local() | None, core.Local() | None:
                if old is not new and (old is None or new is None or not self._is_paired(old, new, valid)):
                    raise NotProvedError
            case core.RollOf(), core.RollOf() if not old.names and not new.names:
                self._compare_fields(old, new, valid)
            case core.Value(), core.Value():
                self._compare_values(old, new, valid)
            case core.Place(), core.Place():
                self._compare_places(old, new, valid)
            case _ if type(old) is not type(new) or is_statement(old):
                raise NotProvedError
            case _ if hasattr(old, "__dataclass_fields__"):
                self._compare_fields(old, new, valid)
            case _ if old != new:
                raise NotProvedError

    def _require_same_fields(self, old: Any, new: Any, *names: str) -> None:
        """Fields without parts, as they are written; the others are left out."""
        others = {*list_compared_fields(old.__class__)} - {*names}
        one, other = (
            revision.writer.write(replace(form, **dict.fromkeys(others, ())))
            for revision, form in zip(self._revisions, (old, new), strict=True)
        )
        if one != other:
            raise NotProvedError

    def _compare_places(self, old: core.Place, new: core.Place, valid: set[int]) -> None:
        if isinstance(old.root, core.Local) or isinstance(new.root, core.Local):
            self._compare(old.root, new.root, valid)
        elif self._revisions[0].describe(old.root)[0] != self._revisions[1].describe(new.root)[0]:
            raise NotProvedError
        else:
            self._compare((*list_parts(old.root),), (*list_parts(new.root),), valid)
        paths = [write_path(revision, place) for revision, place in zip(self._revisions, (old, new), strict=True)]
        if paths[0] != paths[1]:
            raise NotProvedError
        one, other = (tuple(part for entry in place.path for part in list_parts(entry)) for place in (old, new))
        self._compare(one, other, valid)

    def _compare_optional(self, old: core.Expression | None, new: core.Expression | None, valid: set[int]) -> None:
        if (old is None) != (new is None):
            raise NotProvedError
        if old is not None:
            self._compare_values(old, new, valid)

    def _compare_values(self, old: Any, new: Any, valid: set[int]) -> None:
        if not self._have_same_text(old, new, valid):
            compare_values(self._classes, self._revisions, (old, new), self._list_pairs(valid))

    def _pair_all(self, old: core.Names, new: core.Names, valid: set[int]) -> None:
        if len(old) != len(new):
            raise NotProvedError
        for one, other in zip(old, new, strict=True):
            self._pair(one, other, valid)

    def _is_paired(self, old: core.Local, new: core.Local, valid: set[int]) -> bool:
        return old.index in valid and self._partners[old.index] == new

    def _have_same_text(self, old: Any, new: Any, valid: set[int]) -> bool:
        """Whether two forms are written alike, and the names in them hold the same."""
        free = list_free_names(old), list_free_names(new)
        if type(old) is not type(new) or len(free[0]) != len(free[1]):
            return False
        if not all(self._is_paired(one, other, valid) for one, other in zip(*free, strict=True)):
            return False
        texts = [
            revision.writer.write(name_by_place(form, names))
            for revision, form, names in zip(self._revisions, (old, new), free, strict=True)
        ]
        return texts[0] == texts[1]


def _has_inner_jumps(statement: core.Statement) -> bool:
    return not isinstance(statement, core.Jump) and any(isinstance(form, core.Jump) for form in walk_forms(statement))


def _find_locals(block: core.Block) -> dict[int, core.Local]:
    return {form.index: form for form in walk_forms(block) if isinstance(form, core.Local)}


def _has_parts(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_has_parts, value))
    return hasattr(value, "__dataclass_fields__") and type(value).__module__ == core.__name__
