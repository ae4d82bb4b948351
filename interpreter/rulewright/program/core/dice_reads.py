"""What routines read of their names, and of dice only what is observed of each; see `program/dice_observations.py`.

Expressions give the reads of their value, statements those before them from those after them: one abstract
interpretation, backwards. Names are meant by index. An observation may refer to the constants of a routine.

After `roll 3d6 as throw`, `count(each d in throw where d.natural >= limit) > 1` reads of `throw` one observation, `d.natural >=
limit`, if `limit` is a constant: with a limit of 4, the dice 6 2 5 and 5 6 1 are one case. `total(throw)` observes each
face; where the set of these dice is kept, the dice are told apart, and `throw` is fully observed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, reduce
from typing import Any, assert_never

from rulewright.base.frozen import dataclass
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import DependenceAnalysis
from rulewright.program.core.walking import list_branches, list_parts, walk_forms, walk_statements
from rulewright.program.dice_observations import (
    DIE_FIELDS,
    FACE_ONLY,
    FULLY_OBSERVED,
    DiceReads,
    DieObservation,
    DieObservations,
    find_observation_parts,
    is_dice_collection,
    is_dice_type,
    merge_reads,
    substitute_observations,
)

KnownZeros = frozenset[str | core.Local]
"""Attributes, as `Kind/name`, that are 0 or no for every thing, and names that are no."""
_Owners = Mapping[int, tuple[int, ...]]
"""Names whose dice a bound name stands for, by its index."""
_Ends = Mapping[int, tuple[DiceReads, DiceReads]]
"""Reads before the next round, and behind a loop, by its label."""
_OPERATORS = {"equal": "=", "less": "<", "at most": "<=", "more": ">", "at least": ">="}
_SETS_OF_DICE = frozenset({"union", "difference", "set", "with member", "without", "taken"})
_IN_ANY_ORDER = frozenset({"sorted", "count of"})
_NUMBERS_AND_WORDS = (*ty.NUMERIC, ty.WordType, ty.FlagType)
"""Types of names that observations of dice may refer to."""


class DiceReadAnalysis:
    """Dice reads of the routines of one program."""

    def __init__(self, program: core.CoreProgram) -> None:
        self.program = program
        self._routines: dict[str, RoutineReads] = {}
        self._parameters: dict[str, DiceReads] = {}
        self._dependences = DependenceAnalysis(program)

    def find_routine(self, key: str) -> "RoutineReads":
        """The reads of a routine's parts."""
        if key not in self._routines:
            self._routines[key] = RoutineReads(self, self.program.routines[key])
        return self._routines[key]

    def find_parameter_reads(self, key: str) -> DiceReads:
        """Reads of the parameters of a routine that never stops."""
        if key not in self._parameters:
            parameters = [parameter.index for parameter in self.program.routines[key].parameters]
            self._parameters[key] = dict.fromkeys(parameters, FULLY_OBSERVED)
            reads = self.find_routine(key).read_routine()
            self._parameters[key] = {index: reads[index] for index in parameters if index in reads}
        return self._parameters[key]

    def is_pure(self, value: core.Expression) -> bool:
        """Whether an expression need not be evaluated if nothing reads its value."""
        effects = self._dependences.find_effects(value)
        return not effects.may_fault and not effects.may_want

    def may_want(self, expressions: Iterable[core.Expression]) -> bool:
        """Whether some expressions may have to ask for the value of an external term."""
        return self._dependences.find_effects(*expressions).may_want


class RoutineReads:
    """Dice reads of the expressions and statements of one routine.

    Its constants are parameters that are never set, and numbers, words and flags that statements beside each other set,
    and no others: where one is set, what is observed before cannot refer to it.
    """

    def __init__(self, analysis: DiceReadAnalysis, routine: core.Routine) -> None:
        self._analysis = analysis
        self._routine = routine

    @cached_property
    def constants(self) -> frozenset[int]:
        routine = self._routine
        blocks = (routine.entry, *(step.block for step in routine.steps))
        changed = [set(list_changed_names(block)) for block in blocks]
        result = {local.index for local in routine.parameters} - self._change_counts.keys()
        for local in routine.locals:
            places = [block for block, names in zip(blocks, changed, strict=True) if local.index in names]
            is_plain = bool(local.name) and isinstance(local.type, _NUMBERS_AND_WORDS)
            if is_plain and len(places) == 1 and _is_set_at_once(places[0], local.index):
                result.add(local.index)
        return frozenset(result)

    @cached_property
    def _change_counts(self) -> Counter[int]:
        return Counter(list_changed_names(self._routine))

    def is_set_once(self, name: core.Local) -> bool:
        """Whether one statement alone gives a name its values."""
        return self._change_counts[name.index] == 1

    # Statements.

    def read_routine(self) -> DiceReads:
        """Reads at the entry of a routine that never stops."""
        after: DiceReads = {}
        for step in reversed(self._routine.steps):
            guard = {} if step.guard is None else self.read(step.guard)
            after = join_reads(guard, after, self.read_before(step.block, after))
        return self.read_before(self._routine.entry, after)

    def read_before(self, block: core.Block, after: DiceReads, zeros: KnownZeros = frozenset()) -> DiceReads:
        """Reads before statements that do not lead out of themselves, other than to the end of the routine."""
        return self._read_block(block, after, zeros, {})

    def join_branches(
        self, test: core.Expression | None, then: DiceReads, other: DiceReads, zeros: KnownZeros
    ) -> DiceReads:
        """Reads before one of two ways, the first if a test holds or there is none."""
        if test is None:
            return merge_reads(then, other)
        read = merge_reads(other, self.read(test))
        return read if is_never_true(test, zeros) else merge_reads(read, then)

    def forget(self, reads: DiceReads, *names: core.Local | None) -> DiceReads:
        """Reads before some names get new values, which nothing of what they held before is."""
        indices = {name.index for name in names if name is not None}
        kept = {index: observations for index, observations in reads.items() if index not in indices}
        if not indices & self.constants:
            return kept
        known: dict[int, DieObservation | None] = {index: ("name", index) for index in self.constants - indices}
        return {index: substitute_observations(observations, known) for index, observations in kept.items()}

    def _read_block(self, block: core.Block, after: DiceReads, zeros: KnownZeros, ends: _Ends) -> DiceReads:
        for statement in reversed(block):
            after = self._read_statement(statement, after, zeros, ends)
        return after

    def _read_statement(self, statement: core.Statement, after: DiceReads, zeros: KnownZeros, ends: _Ends) -> DiceReads:
        match statement:
            case core.Set(place=core.Place(root=core.Local() as local, path=()), value=value):
                rest = self.forget(after, local)
                if local.index not in after and self._analysis.is_pure(value):
                    return rest
                return merge_reads(rest, self.read_value(value, after.get(local.index, frozenset())))
            case core.Set(place=place, value=value):
                return join_reads(after, self._read_place(place), self.read(value))
            case core.If():
                branches = list_branches(statement)
                reads = self._read_block(branches[-1].other, after, zeros, ends)
                for branch in reversed(branches):
                    then = self._read_block(branch.then, after, zeros, ends)
                    reads = self.join_branches(branch.test, then, reads, zeros)
                return reads
            case core.For():
                return self._read_for(statement, after, zeros, ends)
            case core.Loop(test=test, bound=bound, body=body, label=label):
                behind: DiceReads = {} if test is None else after

                def read_round(again: DiceReads) -> DiceReads:
                    inside = self._read_block(body, again, zeros, {**ends, label: (again, after)})
                    return self.join_branches(test, inside, behind, zeros)

                return merge_reads(_find_fixed_point(read_round), {} if bound is None else self.read(bound))
            case core.Leave(label=label, again=again):
                return ends[label][0 if again else 1]
            case core.Quiet(body=body):
                return self._read_block(body, after, zeros, ends)
            case core.Call(routine=key, arguments=arguments, result=result, nest=nest):
                read = self.read_call(key, self._analysis.find_parameter_reads(key), arguments)
                return join_reads(self.forget(after, result), read, {} if nest is None else self.read(nest))
            case core.Roll(result=result) | core.External(result=result) | core.Trigger(result=result):
                return merge_reads(self.forget(after, result), self.read(*walk_operands(statement)))
            case core.Reroll(dice=dice, by=by):
                return join_reads(after, self.read_value(dice, frozenset()), {} if by is None else self.read(by))
            case core.Draw(place=place, result=result, learner=learner):
                told = {} if learner is None else self.read(learner)
                return join_reads(self.forget(after, result), self._read_place(place), told)
            case core.Shuffle(place=place):
                return merge_reads(after, self._read_place(place))
            case core.Jump():
                return merge_reads(after, self.read(*walk_operands(statement)))
            case core.Ask(then=then, none=none):
                either = join_reads(*(self._read_block(way, after, zeros, ends) for way in (then, none)))
                return merge_reads(self.read_question(statement, either), self.forget(either, statement.result))
            case core.Return() | core.Unwind() | core.Fail():
                return self.read(*walk_operands(statement))
            case core.Note(entry="revealed", values=values):
                return merge_reads(after, self.read(*values))
            case core.Note() | core.Settle() | core.During():
                return after
            case _:
                assert_never(statement)

    def _read_for(self, loop: core.For, after: DiceReads, zeros: KnownZeros, ends: _Ends) -> DiceReads:
        sums = find_commutative_updates(loop) if is_over_dice(loop.names, loop.source) else None
        if sums is not None and not self._analysis.may_want(sums.read):
            (die,) = loop.names
            owners = {} if die is None else {die.index: _find_dice_owners(loop.source, {})}
            each = [self._read(one, owners) for one in sums.read]
            inside = join_reads(self.read_value(loop.source, frozenset()), *each)
            added = {name.index: FULLY_OBSERVED for name in sums.added if name.index in after}
            kept = {index: seen for index, seen in inside.items() if index not in sums.held}
            return join_reads(self.forget(after, *sums.added), added, kept)

        def read_round(again: DiceReads) -> DiceReads:
            inside = self._read_block(loop.body, again, zeros, {**ends, loop.label: (again, after)})
            return merge_reads(after, self.forget(inside, *loop.names))

        return merge_reads(_find_fixed_point(read_round), self.read(loop.source))

    def _read_place(self, place: core.Place) -> DiceReads:
        """What is read where a place inside a value changes, or where it is drawn from: the name that holds it too."""
        root, path = place.root, place.path
        if isinstance(root, core.Local):
            return merge_reads({root.index: FULLY_OBSERVED}, self.read(*walk_operands(path)))
        return self.read(*walk_operands(root, path))

    # Expressions.

    def read(self, *values: core.Expression) -> DiceReads:
        """Reads of expressions."""
        return join_reads(*(self._read(value, {}) for value in values))

    def read_value(
        self, value: core.Expression, observations: DieObservations, owners: _Owners | None = None
    ) -> DiceReads:
        """Reads of a value under a name that is seen later through `observations`.

        Dice that are alike under these observations are exchangeable.
        """
        owners = owners or {}
        match value:
            case core.Get(local=local) if is_dice_type(local.type):
                return dict.fromkeys(owners.get(local.index, (local.index,)), observations)
            case core.Op(name="kept dice", arguments=(pool,)):
                return self.read_value(pool, observations, owners)
            case core.Op(name=name, arguments=arguments) if name in _SETS_OF_DICE and is_dice_collection(value.type):
                return join_reads(*(self.read_value(argument, observations, owners) for argument in arguments))
            case core.Over() if _is_selection_of_dice(value):
                source = self.read_value(value.source, observations, owners)
                return merge_reads(self._read_members(value.names, value.source, value.where, owners), source)
            case _:
                return self._read(value, owners)

    def read_question(self, ask: core.Ask, after: DiceReads, *, even: bool = False) -> DiceReads:
        """Reads of a question; `even`: players do not distinguish dice that are alike in what is observed later."""
        space, result = ask.space, ask.result
        worths = (policy.worth for policy in ask.policies if policy.worth is not None)
        conditions = self.read(*(condition.test for condition in ask.conditions), *worths)
        if even and isinstance(space, core.Members | core.Subsets) and is_over_dice(space.names, space.source):
            observations = merge_reads(after, conditions).get(result.index, frozenset())
            dice = self.read_value(space.source, observations)
            members = merge_reads(dice, self._read_members(space.names, space.source, space.where, {}))
            sizes = (space.low, space.high) if isinstance(space, core.Subsets) else ()
        else:
            members, sizes = self.read(*walk_operands(space)), ()
            if isinstance(space, core.Members | core.Subsets):
                members = self.forget(members, *space.names)
        asked = {} if ask.subject is None else self.read(ask.subject)
        if ask.everyone is not None:
            asked[ask.everyone.index] = FULLY_OBSERVED
        return self.forget(join_reads(conditions, members, asked, self.read(ask.player, *sizes)), result)

    def read_call(
        self, key: str, entered: DiceReads, arguments: tuple[core.Expression, ...], owners: _Owners | None = None
    ) -> DiceReads:
        """Reads of a call of a routine, from the reads of its parameters at its entry."""
        parameters = self._analysis.program.routines[key].parameters
        values = {
            parameter.index: _observe_argument(argument, self.constants)
            for parameter, argument in zip(parameters, arguments, strict=True)
        }
        result: DiceReads = {}
        for parameter, argument in zip(parameters, arguments, strict=True):
            observations = FULLY_OBSERVED
            if is_dice_type(argument.type):
                observations = substitute_observations(entered.get(parameter.index, frozenset()), values)
            result = merge_reads(result, self.read_value(argument, observations, owners))
        return result

    def _read(self, node: core.Expression, owners: _Owners) -> DiceReads:
        observed: set[int] = set()
        observation = _observe_die(node, self.constants, observed)
        if observation is not None and len(observed) == 1:
            (die,) = observed
            named: DiceReads = {index: FULLY_OBSERVED for _, index in find_observation_parts(observation, "name")}
            return merge_reads(named, dict.fromkeys(owners.get(die, (die,)), frozenset({observation})))
        match node:
            case core.Get(local=local):
                return dict.fromkeys(owners.get(local.index, (local.index,)), FULLY_OBSERVED)
            case core.Op(name="in" | "equal", arguments=(first, second)) if _holds_dice(first) and _holds_dice(second):
                which = (self.read_value(argument, frozenset(), owners) for argument in (first, second))
                return join_reads(*which)
            case core.Op(name="total", arguments=(core.Get(local=pool),)):
                return dict.fromkeys(owners.get(pool.index, (pool.index,)), FACE_ONLY)
            case core.Op(name="count of", arguments=(core.Op(name="kept dice") as dice,)):
                return self.read_value(dice, frozenset(), owners)
            case core.Op(name=name, arguments=(core.Over() as each,)) if name in _IN_ANY_ORDER:
                return self._read_gathering(each, owners, ordered=False)
            case core.Over(gather=gather):
                return self._read_gathering(node, owners, ordered=gather in {"list", "only"})
            case core.Bind(local=local, value=value, body=body):
                return join_reads(self._read(value, owners), self.forget(self._read(body, owners), local))
            case core.Apply(routine=key, arguments=arguments):
                return self.read_call(key, self._analysis.find_parameter_reads(key), arguments, owners)
            case core.RollOf(names=names):
                return self.forget(join_reads(*(self._read(each, owners) for each in list_operands(node))), *names)
            case _:
                return join_reads(*(self._read(each, owners) for each in list_operands(node)))

    def _read_gathering(self, node: core.Over, owners: _Owners, *, ordered: bool) -> DiceReads:
        """What is gathered; of dice in no order only what is observed of each."""
        names, source, value = node.names, node.source, node.value
        if not ordered and is_over_dice(names, source):
            whole = value is None and node.gather in {"list", "set", "bag"}
            dice = self.read_value(source, FULLY_OBSERVED if whole else frozenset(), owners)
            return join_reads(dice, *(self._read_members(names, source, each, owners) for each in (node.where, value)))
        if isinstance(source, core.Over) and source.gather == "list" and not ordered:
            members = self._read_gathering(source, owners, ordered=False)
        else:
            members = self._read(source, owners)
        inside = (self._read(each, owners) for each in (node.where, value) if each is not None)
        return merge_reads(members, self.forget(join_reads(*inside), *names))

    def _read_members(
        self, names: core.Names, source: core.Expression, each: core.Expression | None, owners: _Owners
    ) -> DiceReads:
        """What an expression reads of each of some dice."""
        (die,) = names
        if each is None:
            return {}
        return self._read(each, owners if die is None else {**owners, die.index: _find_dice_owners(source, owners)})


def join_reads(*reads: DiceReads) -> DiceReads:
    """Union of the reads of some parts."""
    return reduce(merge_reads, reads, {})


def walk_operands(*forms: Any) -> Iterator[core.Expression]:
    """Outermost expressions in some forms or tuples of forms."""
    for form in forms:
        if isinstance(form, core.Value):
            yield form  # type: ignore[misc]
        elif isinstance(form, tuple):
            yield from walk_operands(*form)
        elif form is not None and not isinstance(form, core.Local):
            yield from walk_operands(*list_parts(form))


def list_operands(node: core.Expression) -> list[core.Expression]:
    """Expressions directly inside an expression."""
    return [*walk_operands(*list_parts(node))]


def _find_fixed_point(read_round: Callable[[DiceReads], DiceReads]) -> DiceReads:
    reads: DiceReads = {}
    while (grown := merge_reads(reads, read_round(reads))) != reads:
        reads = grown
    return reads


def is_never_true(test: core.Expression, zeros: KnownZeros) -> bool:
    """Whether a test cannot hold for these known zeros."""
    match test:
        case core.Get(local=local):
            return local in zeros
        case core.Load(root=core.Attribute(kind=kind, name=name), type=ty.FlagType()):
            return f"{kind}/{name}" in zeros
        case core.Op(
            name="more" | "at least" as operator,
            arguments=(core.Load(root=core.Attribute(kind=kind, name=name)), core.Const(value=int(least))),
        ):
            return least >= (0 if operator == "more" else 1) and f"{kind}/{name}" in zeros
        case core.Cond(test=first, then=second, other=core.Const(value=False)):
            return is_never_true(first, zeros) or is_never_true(second, zeros)
        case core.Cond(test=first, then=then, other=other):
            ways = (other,) if is_never_true(first, zeros) else (then, other)
            return all(is_never_true(way, zeros) for way in ways)
        case core.Const(value=value):
            return value is False
        case _:
            return False


# Names.


def list_changed_names(*forms: Any) -> Iterator[int]:
    """Names that statements give values, by index, once for each time; those bound by loops and in part too."""
    for statement in walk_statements(*forms):
        match statement:
            case core.Set(place=place) | core.Shuffle(place=place):
                names: core.Names = (place.root,) if isinstance(place.root, core.Local) else ()
            case core.Draw(place=place, result=result):
                names = (place.root, result) if isinstance(place.root, core.Local) else (result,)
            case core.For(names=bound):
                names = bound
            case core.During(effect=core.Listening(parameters=parameters)):
                names = parameters
            case (
                core.Call(result=result) | core.Ask(result=result) | core.Roll(result=result)
                | core.External(result=result) | core.Trigger(result=result) | core.Jump(rounds=result)
            ):  # fmt: skip
                names = (result,)
            case _:
                names = ()
        yield from (name.index for name in names if name is not None)


def _is_set_at_once(block: core.Block, name: int) -> bool:
    """Whether what changes a name in a block are statements beside each other, and none of them a part of its value."""
    changing = [at for at, statement in enumerate(block) if name in list_changed_names(statement)]
    several = block[changing[0] : changing[-1] + 1]
    if len(several) > len(changing):
        return False
    if len(several) > 1:
        return all(isinstance(statement, core.Set | core.If | core.For) for statement in several)
    (statement,) = several
    if isinstance(statement, core.Set):
        return not statement.place.path
    inner = [inside for inside in _list_inner_blocks(statement) if name in list_changed_names(inside)]
    return isinstance(statement, core.If) if len(inner) > 1 else bool(inner) and _is_set_at_once(inner[0], name)


def _list_inner_blocks(statement: core.Statement) -> tuple[core.Block, ...]:
    match statement:
        case core.If(then=then, other=other):
            return then, other
        case core.For(body=body) | core.Loop(body=body) | core.Quiet(body=body):
            return (body,)
        case core.Ask(then=then, none=none):
            return then, none
        case _:
            return ()


# Dice.


def is_over_dice(names: core.Names, source: core.Expression) -> bool:
    """Whether names are bound to the dice of named pools or sets, one by one."""
    return len(names) == 1 and _is_named_dice(source)


def is_choice_of_dice(space: core.AnswerSpace) -> bool:
    """Whether a question is for some of the dice of named pools or sets."""
    return isinstance(space, core.Members | core.Subsets) and is_over_dice(space.names, space.source)


def _is_named_dice(dice: core.Expression) -> bool:
    """Whether dice are those of names, joined, subtracted or filtered by conditions."""
    match dice:
        case core.Get(local=local):
            return is_dice_type(local.type)
        case core.Op(name="kept dice", arguments=(pool,)):
            return _is_named_dice(pool)
        case core.Op(name=name, arguments=arguments):
            return name in _SETS_OF_DICE and all(map(_is_named_dice, arguments))
        case core.Over():
            return _is_selection_of_dice(dice)
        case _:
            return False


def _is_selection_of_dice(each: core.Over) -> bool:
    """Whether what is gathered are those of some dice for which a condition holds."""
    is_itself = each.value is None or (isinstance(each.value, core.Get) and (each.value.local,) == each.names)
    return is_itself and is_dice_collection(each.type) and is_over_dice(each.names, each.source)


def _holds_dice(value: core.Expression) -> bool:
    return is_dice_type(value.type) or (isinstance(value, core.Op) and value.name == "kept dice")


def _find_dice_owners(dice: core.Expression, owners: _Owners) -> tuple[int, ...]:
    match dice:
        case core.Get(local=local):
            return owners.get(local.index, (local.index,))
        case core.Over(source=source):
            return _find_dice_owners(source, owners)
        case _:
            return tuple(
                dict.fromkeys(name for each in list_operands(dice) for name in _find_dice_owners(each, owners))
            )


def _observe_argument(node: core.Expression, constants: frozenset[int]) -> DieObservation | None:
    match node:
        case core.Const(value=value):
            return ("value", value)
        case core.Get(local=local) if local.index in constants:
            return ("name", local.index)
        case _:
            return None


def _observe_die(node: core.Expression, constants: frozenset[int], dice: set[int]) -> DieObservation | None:
    """Observation by an expression of one die, its name added to `dice`; none if it reads anything else."""
    parts: tuple[core.Expression, ...]
    match node:
        case core.Op(name="die", arguments=(core.Get(local=local),), facts=(name,)) if name in DIE_FIELDS:
            dice.add(local.index)
            return ("die", name)
        case core.Op(name=operation, arguments=(left, right)) if operation in _OPERATORS:
            word, parts = _OPERATORS[operation], (left, right)
        case core.Op(name="not", arguments=(operand,)):
            word, parts = "not", (operand,)
        case core.Cond(test=left, then=right, other=core.Const(value=False)):
            word, parts = "and", (left, right)
        case core.Cond(test=left, then=core.Const(value=True), other=right):
            word, parts = "or", (left, right)
        case _:
            return _observe_argument(node, constants)
    observed = [_observe_die(part, constants, dice) for part in parts]
    return None if None in observed else (word, *observed)


# Sums.


@dataclass(frozen=True, slots=True)
class CommutativeUpdates:
    """What a loop does in which the order of members has no effect."""

    added: tuple[core.Local, ...]  # numbers that it only adds to, or takes from
    held: frozenset[int]  # temporaries of one round
    read: tuple[core.Expression, ...]  # what it reads beside these numbers


class _NotCommutativeError(Exception):
    """A statement does something else than to add."""


def find_commutative_updates(loop: core.For) -> CommutativeUpdates | None:
    """The updates of a loop, if no amount is negative, each number is bounded in one way, and nothing else reads it."""
    updates: dict[core.Local, set[tuple[str, int | None]]] = {}
    held: set[int] = set()
    try:
        read = [*_collect_updates(loop.body, loop.label, updates, held)]
    except _NotCommutativeError:
        return None
    named = {form.index for form in walk_forms(tuple(read)) if isinstance(form, core.Local)}
    if any(len(kinds) > 1 or local.index in named for local, kinds in updates.items()):
        return None
    return CommutativeUpdates((*updates,), frozenset(held), tuple(read))


def _collect_updates(
    block: core.Block, label: int, updates: dict[core.Local, set[tuple[str, int | None]]], held: set[int]
) -> Iterator[core.Expression]:
    """Expressions read beside the changed numbers; how each changes, by its bound, is added to `updates`."""
    for statement in block:
        match statement:
            case core.Note():
                pass
            case core.Leave(label=again_label, again=True) if again_label == label:
                pass
            case core.If(test=test, then=then, other=other):
                yield test
                yield from _collect_updates(then, label, updates, held)
                yield from _collect_updates(other, label, updates, held)
            case core.Set(place=core.Place(root=core.Local(name="") as local, path=()), value=value):
                held.add(local.index)
                yield value
            case core.Set(place=core.Place(root=core.Local() as local, path=()), value=value):
                kind, amount = _split_update(local, value)
                updates.setdefault(local, set()).add(kind)
                yield amount
            case _:
                raise _NotCommutativeError


def _split_update(local: core.Local, value: core.Expression) -> tuple[tuple[str, int | None], core.Expression]:
    """How a number changes, with its bound: `add` or `subtract`, none where nothing bounds it; and the amount."""
    bound: int | None = None
    operation = ""
    match value:
        case core.Op(
            name="least" | "greatest" as name,
            arguments=(core.Const(value=int(most)), whole) | (whole, core.Const(value=int(most))),
        ):
            bound, operation = most, "add" if name == "least" else "subtract"
        case _:
            whole = value
    match whole:
        case core.Op(name="add", arguments=(core.Get(local=here), amount) | (amount, core.Get(local=here))):
            fits = operation in {"", "add"}
        case core.Op(name="subtract", arguments=(core.Get(local=here), amount)):
            fits = operation in {"", "subtract"}
        case _:
            raise _NotCommutativeError
    if here != local or not fits or not _is_never_negative(amount):
        raise _NotCommutativeError
    return (whole.name, bound), amount


def _is_never_negative(amount: core.Expression) -> bool:
    type_ = amount.type
    return isinstance(type_, ty.NumberType) and type_.low is not None and type_.low >= 0
