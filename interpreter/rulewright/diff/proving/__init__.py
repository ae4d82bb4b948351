"""Equivalence proofs by an SMT solver (Z3): two versions of a rule as formulas over shared symbols.

Entry points, each with a limit of the solver's steps, never of time:

- `equivalence_query.prove_functions_equal`: two functions, for all arguments; - `equivalence_query.prove_values_equal`:
two expressions at one place of two routines; - `symbolic_execution.prove_lines_equal`: two sequences of straight lines,
by the state after them; - `prove_declarations_equal`: two functions, or two routines place by place.

All return an `EquivalenceResult`: proved, or why not, with `SituationWish`es for situations worth playing. The caller
maps names by a `ProofRevision` for each side. Without the solver the answer is `SOLVER_MISSING`.

This module is the parallel walk of two versions of a declaration; the solver decides places that differ.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from rulewright.base.node_roles import Role, get_field_names, is_node_class, map_children, walk_nodes
from rulewright.base.source import NO_SPAN, Span
from rulewright.diff.proving.equivalence_query import (
    SOLVER_STEP_LIMIT,
    EquivalenceResult,
    SituationWish,
    prove_functions_equal,
    prove_values_equal,
)
from rulewright.diff.proving.shared_symbols import ProofRevision, type_signature, unbounded_signature
from rulewright.diff.proving.solver_terms import NoFormulaError
from rulewright.diff.proving.symbolic_execution import find_set_names, is_straight, prove_lines_equal
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import make_row_condition
from rulewright.program.declarations import Declared
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import FLAG, WHOLE, NumberType


def reverse_counters(old: Declared, new: Declared) -> Declared | None:
    """OLD with its counters counted from the end at which those of NEW begin; None where all begin at one number.

    An integer variable that only `let`, `set`, `add` and `take` change holds `n`; counted from the other end it holds
    `total - n`. Where it is set, the value is subtracted from `total`; where it is read, `total` less the variable;
    added amounts are taken, and its bounds are mirrored. For any total each line has the outcome it had before, faults
    included: nothing else reads the variable.
    """
    old_counters, new_counters = list(_find_counters(old)), list(_find_counters(new))
    if len(old_counters) != len(new_counters):
        return None
    totals = {
        one.index: first + second
        for (one, first), (_, second) in zip(old_counters, new_counters, strict=True)
        if first != second
    }
    return _CounterReversal(totals).reverse_node(old) if totals else None


def _find_counters(declared: Declared) -> Iterator[tuple[Variable, int]]:
    every = list(walk_nodes(declared))
    others = {
        item.index
        for node in every
        if isinstance(node, st.Line) and not isinstance(node, st.Let)
        for item in (getattr(node, "variable", None), getattr(node, "result", None))
        if isinstance(item, Variable)
    }
    let_indices = set[int]()
    for node in every:
        match node:
            case st.Let(variable=Variable(type=NumberType()) as variable, value=ex.Literal(value=int() as value)):
                if variable.index not in others | let_indices:
                    yield variable, value
                let_indices.add(variable.index)


class _CounterReversal:
    def __init__(self, totals: dict[int, int]) -> None:
        self._totals = totals

    def reverse_node(self, node: Any) -> Any:  # any part of a declaration
        match node:
            case ex.Local(variable=variable) if variable.index in self._totals:
                turned_ = self.reverse_node(variable)
                return self._subtract_from_total(replace(node, type=turned_.type, variable=turned_), variable)
            case st.Let(variable=variable, value=value) if value is not None and variable.index in self._totals:
                return replace(
                    map_children(node, self.reverse_node),
                    value=self._subtract_from_total(self.reverse_node(value), variable),
                )
            case st.Assign(place=st.VariablePlace(variable=variable), value=value) if variable.index in self._totals:
                return replace(
                    map_children(node, self.reverse_node),
                    value=self._subtract_from_total(self.reverse_node(value), variable),
                )
            case st.AddAmount(place=st.VariablePlace(variable=variable)) if variable.index in self._totals:
                low, high = self._reverse_bounds(variable, node.low, node.high)
                return replace(map_children(node, self.reverse_node), take=not node.take, low=low, high=high)
            case Variable(index=index, type=NumberType() as type_) if index in self._totals:
                return replace(node, type=self._reverse_type(node, type_))
            case _:
                return map_children(node, self.reverse_node)

    def _subtract_from_total(self, value: Expression, variable: Variable) -> Expression:
        total = ex.Literal(type=WHOLE, span=value.span, value=self._totals[variable.index])
        return ex.Arithmetic(type=WHOLE, span=value.span, operator="-", left=total, right=value)

    def _reverse_type(self, variable: Variable, type_: NumberType) -> NumberType:
        low, high = self._reverse_bounds(variable, type_.low, type_.high)
        return NumberType(low, high)

    def _reverse_bounds(self, variable: Variable, low: int | None, high: int | None) -> tuple[int | None, int | None]:
        total = self._totals[variable.index]
        return (None if high is None else total - high), (None if low is None else total - low)


_MAX_TAIL_ATTEMPTS = 3
"""Retries with a longer middle, where a common suffix is not proved equal."""
_KNOWN_BY_ID = frozenset({d.Step, st.Option})
FieldComparison = Callable[[Any, Any, str], bool | None]
"""Whether a field of two nodes is equal; None where its parts have to be compared."""
_IGNORED_ROLES = (Role.NAME, Role.PLACE, Role.MARGIN, Role.WORDS, Role.SCOPE)


class NotProvedError(Exception):
    """Two versions are not proved to be equivalent; the message tells why."""

    def __init__(self, because: str, wishes: tuple[SituationWish, ...] = ()) -> None:
        super().__init__(because)
        self.wishes = wishes


@dataclass
class EquivalenceWalk:
    """Parallel walk of two versions of one declaration."""

    old: ProofRevision
    new: ProofRevision
    compare_field: FieldComparison
    step_limit: int = SOLVER_STEP_LIMIT  # solver steps per query
    paired_names: dict[int, Variable] = field(default_factory=dict)  # old variable numbers to equal new variables
    # numbers of variables that only one version has set
    one_sided_names: tuple[set[int], set[int]] = field(default_factory=lambda: (set(), set()))
    _is_exact: bool = False
    # by identity of both expressions and the paired names; the expressions are kept alive
    _known_results: dict[
        tuple[int, int, tuple[tuple[int, int], ...]], tuple[Expression, Expression, EquivalenceResult]
    ] = field(default_factory=dict)

    def check_declarations(self, old: d.Declared, new: d.Declared) -> None:
        """Returns if both are proved to play alike.

        Raises:
            NotProvedError: that could not be proved.
        """
        if isinstance(old, d.Handler) and isinstance(new, d.Handler):
            given = len(self.old.program.events[old.event].parameters)
            self._pair_names(old.variables[:given], new.variables[:given])
        self._walk_nodes(old, new)

    def _pair_names(self, old: Sequence[Variable], new: Sequence[Variable]) -> None:
        if len(old) != len(new):
            raise NotProvedError("they have other names")
        for one, other in zip(old, new, strict=True):
            self._pair_name(one, other)

    def _pair_name(self, old: Variable, new: Variable) -> None:
        """Two variables set or bound at the same place are equal from there on."""
        if unbounded_signature(old.type, self.old) != unbounded_signature(new.type, self.new):
            raise NotProvedError(f"`{new.name}` is of another type")
        if self._paired_number(old.index) not in {None, new.index} or self._is_taken(old.index, new.index):
            raise NotProvedError(f"`{new.name}` stands for something else")
        self.paired_names[old.index] = new

    def _paired_number(self, old: int) -> int | None:
        return self.paired_names[old].index if old in self.paired_names else None

    def _is_taken(self, old: int, new: int) -> bool:
        """Whether one of two variables was set alone, or the new one is known to equal another old one."""
        other = any(there.index == new and here != old for here, there in self.paired_names.items())
        return other or old in self.one_sided_names[0] or new in self.one_sided_names[1]

    def _walk_nodes(self, old: Any, new: Any) -> None:
        match old, new:
            case Span(), _:
                return
            case Variable(), Variable():
                self._pair_name(old, new)
            case ex.Typed(), ex.Typed():
                self._prove_expressions(old, new)  # type: ignore[arg-type]
            case Binding(), Binding():
                self._walk_bindings(old, new)
            case (d.Need(), d.Need()) | (st.Demand(prefer=False), st.Demand(prefer=False)):
                self._prove_expressions(make_row_condition(old), make_row_condition(new))
            case tuple(), tuple():
                self._walk_tuples(old, new)
            case st.If(), st.If():
                self._walk_branches(old, new)
            case _ if type(old) is not type(new):
                raise NotProvedError("they are built differently")
            case _ if is_node_class(type(old)) and _is_type_class(type(old)):  # type: ignore[arg-type]
                self._check_types(old, new)
            case _ if is_node_class(type(old)):
                self._walk_fields(old, new)
            case _ if old != new:
                raise NotProvedError("they say something else where no formula does")

    def _check_types(self, old: Any, new: Any) -> None:
        if type_signature(old, self.old) != type_signature(new, self.new):
            raise NotProvedError("a type is another")

    def _walk_fields(self, old: Any, new: Any) -> None:
        before, self._is_exact = self._is_exact, self._is_exact or _is_place_search(old)
        for name in _compared_fields(type(old)):
            if name == "parameters":
                self._check_parameters(old.parameters, new.parameters)
            same = self.compare_field(old, new, name)
            if same is None:
                self._walk_nodes(*_fill_guards(name, getattr(old, name), getattr(new, name)))
            elif not same:
                raise NotProvedError("they name something else")
        self._is_exact = before

    def _check_parameters(self, old: Sequence[Variable], new: Sequence[Variable]) -> None:
        for one, other in zip(old, new, strict=False):
            self._check_types(one.type, other.type)

    def _walk_bindings(self, old: Binding, new: Binding) -> None:
        self._prove_expressions(old.source, new.source)
        if len(old.variables) != len(new.variables):
            raise NotProvedError("the parts of a member are named differently")
        for one, other in zip(old.variables, new.variables, strict=True):
            if one is not None and other is not None:
                self._pair_name(one, other)
        self._walk_nodes(*_fill_guards("guard", old.where, new.where))

    def _walk_tuples(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> None:
        if any(isinstance(item, st.Line) for item in (*old, *new)):
            self._walk_lines(old, new)
            return
        if len(old) != len(new):
            raise NotProvedError("there are more or fewer rows")
        for one, other in zip(old, new, strict=True):
            self._walk_nodes(one, other)

    def _walk_lines(self, old: tuple[st.Statement, ...], new: tuple[st.Statement, ...]) -> None:
        """Common prefix and suffix of lines are walked; the middle must be straight."""
        first = next((at for at, pair in enumerate(zip(old, new, strict=False)) if not self._can_pair(*pair)), None)
        first = min(len(old), len(new)) if first is None else first
        if first == len(old) == len(new):
            return
        last = self._common_tail_length(old[first:], new[first:])
        failure: NotProvedError | NoFormulaError | None = None
        for number in range(last, max(last - _MAX_TAIL_ATTEMPTS, 0) - 1, -1):
            result = self._attempt_walk(partial(self._prove_middle_lines, old[first:], new[first:], number))
            if result is None:
                return
            failure = failure or result
        assert failure is not None
        raise failure

    def _prove_middle_lines(self, old: tuple[st.Statement, ...], new: tuple[st.Statement, ...], last: int) -> None:
        old_middle, new_middle = old[: len(old) - last], new[: len(new) - last]
        if not (is_straight(old_middle) and is_straight(new_middle)):
            self._explain_difference(old_middle, new_middle)
        result, set_ = prove_lines_equal(
            self.old, self.new, (old_middle, new_middle), self.paired_names, self.step_limit
        )
        self._require_equivalent(result)
        self.paired_names.update(
            {here: variable for here, variable in set_.items() if not self._is_taken(here, variable.index)}
        )
        self.one_sided_names[0].update(
            set_name for set_name in find_set_names(old_middle) if set_name not in self.paired_names
        )
        known = {paired_name.index for paired_name in self.paired_names.values()}
        self.one_sided_names[1].update(set_name for set_name in find_set_names(new_middle) if set_name not in known)
        for one, other in zip(old[len(old) - last :], new[len(new) - last :], strict=True):
            self._walk_nodes(one, other)

    def _common_tail_length(self, old: tuple[st.Statement, ...], new: tuple[st.Statement, ...]) -> int:
        kinds = [type(one) is type(other) for one, other in zip(reversed(old), reversed(new), strict=False)]
        built = next((at for at, same in enumerate(kinds) if not same), len(kinds))
        if len(old) == len(new):
            return built if built < len(old) else built - 1
        return built

    def _can_pair(self, old: Any, new: Any) -> bool:
        return self._attempt_walk(partial(self._walk_nodes, old, new)) is None

    def _attempt_walk(self, walk: Callable[[], None]) -> NotProvedError | NoFormulaError | None:
        """Reason why a walk failed, with the known variables restored; None where it did not."""
        names, alone = dict(self.paired_names), (set(self.one_sided_names[0]), set(self.one_sided_names[1]))
        try:
            walk()
        except (NotProvedError, NoFormulaError) as apart:
            self.paired_names, self.one_sided_names = names, alone
            return apart
        return None

    def _walk_branches(self, old: st.If, new: st.If) -> None:
        """Branches by the block that is carried out in the end.

        A block that is one more branch line is judged before any other line, like the branches around it. So two such
        decision trees are equivalent if in every situation they meet the same fault, or lead to equivalent blocks: that
        is one number in each revision, which the solver compares. A block equivalent to one of OLD has its number,
        every other one a number of its own, which can only be equal where nothing leads to it.
        """
        old_blocks, new_blocks = (list(_leaf_blocks((item,))) for item in (old, new))
        numbers: list[int] = []
        failures: list[NotProvedError | NoFormulaError] = []  # why blocks at the same place are not alike
        for place, block in enumerate(new_blocks):
            for at in sorted(range(len(old_blocks)), key=lambda at: at != place):
                failure = self._attempt_walk(partial(self._walk_nodes, old_blocks[at], block))
                if failure is None:
                    numbers.append(at)
                    break
                failures += [failure] if at == place else []
            else:
                numbers.append(len(old_blocks) + place)
        chosen = _chosen_block_number((old,), iter(range(len(old_blocks)))), _chosen_block_number((new,), iter(numbers))
        failure = self._attempt_walk(partial(self._prove_expressions, *chosen))
        if failure is not None:
            raise NotProvedError(str(next(iter(failures), failure)), getattr(failure, "wishes", ()))

    def _explain_difference(self, old: Sequence[st.Statement], new: Sequence[st.Statement]) -> None:
        if len(old) == len(new):
            for one, other in zip(old, new, strict=True):
                self._walk_nodes(one, other)
        raise NotProvedError("lines that ask, roll or call were added, removed or moved")

    def _prove_expressions(self, old: Expression, new: Expression) -> None:
        if self._is_written_alike(old, new):
            return
        if self._is_exact:
            raise NotProvedError("a place is sought by trying")
        names_ = tuple(sorted((here, variable.index) for here, variable in self.paired_names.items()))
        key = (id(old), id(new), names_)
        if key not in self._known_results:
            result = prove_values_equal(self.old, self.new, (old, new), self.paired_names, self.step_limit)
            self._known_results[key] = old, new, result
        self._require_equivalent(self._known_results[key][2])

    def _require_equivalent(self, result: EquivalenceResult) -> None:
        if not result.is_equivalent:
            raise NotProvedError(result.reason, result.wishes)

    def _is_written_alike(self, old: Any, new: Any) -> bool:
        match old, new:
            case Variable(), Variable():
                return self._paired_number(old.index) == new.index
            case tuple(), tuple():
                return len(old) == len(new) and all(map(self._is_written_alike, old, new))
            case Binding(), Binding():
                return self._are_bindings_alike(old, new)
            case ex.Typed(), ex.Typed() if type(old) is type(new):
                return self._are_expressions_alike(old, new)
            case _:
                return type(old) is type(new) and bool(old == new)

    def _are_expressions_alike(self, old: Any, new: Any) -> bool:
        if isinstance(old, ex.Narrowed | ex.MakeCollection | ex.Comprehension | ex.WordLiteral | ex.Rounded) and (
            type_signature(old.type, self.old) != type_signature(new.type, self.new)
        ):
            return False
        parts = list(get_field_names(type(old), Role.PLACE, Role.PROOF))
        if "binding" in parts:
            parts = ["binding", *(part for part in parts if part != "binding")]
        for name in parts:
            same = self.compare_field(old, new, name)
            if same is False or (same is None and not self._is_written_alike(getattr(old, name), getattr(new, name))):
                return False
        return True

    def _are_bindings_alike(self, old: Binding, new: Binding) -> bool:
        if not self._is_written_alike(old.source, new.source) or len(old.variables) != len(new.variables):
            return False
        before = dict(self.paired_names)
        for one, other in zip(old.variables, new.variables, strict=True):
            if (one is None) != (other is None):
                return False
            if one is not None and other is not None:
                self.paired_names[one.index] = other
        same = self._is_written_alike(old.where, new.where)
        self.paired_names = self.paired_names if same else before
        return same


def prove_declarations_equal(
    old: ProofRevision,
    new: ProofRevision,
    pair: tuple[d.Declared, d.Declared],
    same_field: FieldComparison,
    limit: int = SOLVER_STEP_LIMIT,
) -> EquivalenceResult:
    """Whether a function, routine or invariant plays alike in both revisions.

    Lines and expressions of the pair are taken as given; what they call is looked up in the revisions.
    """
    before, after = pair
    old, new = old.for_declaration(before), new.for_declaration(after)
    if isinstance(before, d.Function) and isinstance(after, d.Function):
        return _prove_declared_functions(old, new, (before, after), limit)
    result = _walk_declarations(EquivalenceWalk(old, new, same_field, limit), before, after)
    other = None if result.is_equivalent else reverse_counters(before, after)
    if (
        other is not None
        and _walk_declarations(
            EquivalenceWalk(old.for_declaration(other), new, same_field, limit), other, after
        ).is_equivalent
    ):
        return EquivalenceResult(is_equivalent=True)
    return result


def _walk_declarations(pairing: EquivalenceWalk, old: d.Declared, new: d.Declared) -> EquivalenceResult:
    try:
        pairing.check_declarations(old, new)
    except (NotProvedError, NoFormulaError) as apart:
        return EquivalenceResult(is_equivalent=False, reason=str(apart), wishes=getattr(apart, "wishes", ()))
    return EquivalenceResult(is_equivalent=True)


def _prove_declared_functions(
    old: ProofRevision, new: ProofRevision, pair: tuple[d.Function, d.Function], limit: int
) -> EquivalenceResult:
    if any(isinstance(function.body, d.Paths) for function in pair):
        return EquivalenceResult(is_equivalent=False, reason="ways on a board have no formula")
    first, second = (
        (node.symmetric, bool(node.owner), *(type_signature(parameter.type, side) for parameter in node.parameters))
        for node, side in zip(pair, (old, new), strict=True)
    )
    if first != second:
        return EquivalenceResult(is_equivalent=False, reason="they take other arguments")
    return prove_functions_equal(old, new, (pair[0].name, pair[1].name), limit)


def _compared_fields(kind: Any) -> tuple[str, ...]:  # a class of nodes
    """Fields that count in play; steps and options are known by their ids."""
    return get_field_names(kind, *(_IGNORED_ROLES[1:] if kind in _KNOWN_BY_ID else _IGNORED_ROLES))


def _fill_guards(name: str, old: Any, new: Any) -> tuple[Any, Any]:
    if name != "guard" or (old is None) == (new is None):
        return old, new
    always = ex.Literal(type=FLAG, span=(old or new).span, value=True)
    return old or always, new or always


def _leaf_blocks(block: st.Block) -> Iterator[st.Block]:
    """Leaves of a decision tree of branches."""
    match block:
        case (st.If(branches=branches, otherwise=otherwise),):
            for branch in branches:
                yield from _leaf_blocks(branch.block)
            yield from _leaf_blocks(otherwise or ())
        case _:
            yield block


def _chosen_block_number(block: st.Block, numbers: Iterator[int]) -> Expression:
    match block:
        case (st.If(branches=branches, otherwise=otherwise, span=span),):
            then = [_chosen_block_number(item.block, numbers) for item in branches]
            result = _chosen_block_number(otherwise or (), numbers)
            for branch, number in zip(reversed(branches), reversed(then), strict=True):
                result = ex.Conditional(
                    type=WHOLE, span=span, condition=branch.condition, then=number, otherwise=result
                )
            return result
        case _:
            return ex.Literal(type=WHOLE, span=NO_SPAN, value=next(numbers))


def _is_place_search(node: object) -> bool:
    """Whether it asks for a place; places are tried, some of them taken from the conditions."""
    return isinstance(node, st.Ask) and isinstance(node.shape, st.PlaceWhere | st.TurnHow)


@cache
def _is_type_class(kind: type) -> bool:
    return kind.__module__ == "rulewright.program.types"
