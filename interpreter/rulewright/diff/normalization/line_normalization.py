"""Normal forms of lines: control flow, branches, dead tails, variables, order; inlining of performed procedures."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Any

from rulewright.base.frozen import replace
from rulewright.base.node_roles import map_children, walk_nodes
from rulewright.base.source import Span
from rulewright.diff.normalization.dependence_analysis import DependenceAnalysis, PurityAnalysis
from rulewright.diff.normalization.expression_normalization import ExpressionNormalizer
from rulewright.diff.normalization.name_normalization import find_changed_names, rows_expression
from rulewright.diff.normalization.sums_and_intervals import SwitchAnalysis, SwitchArm, TwoWayBranch, sort_arms
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import chain_conditions, combine_conditions, make_row_condition
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import FLAG, NumberType
from rulewright.program.walk import list_lines_of_class, make_place_value

_LEAVING_LINES = (st.Finish, st.FinishOuter, st.Proceed, st.Stop)
_BLANK_TEXT_FIELDS: Mapping[str, Any] = {"title": "", "prompt": "", "text": "", "cites": (), "id": ""}


def strip_texts(node: Any) -> Any:
    """Part of a declaration without titles, questions, clauses and ids, with only the lines that do something."""
    if isinstance(node, tuple):
        return tuple(strip_texts(item) for item in node if not isinstance(item, st.Ruling | st.Nothing))
    stripped = map_children(node, strip_texts)
    if isinstance(node, ex.Typed) or not hasattr(node, "__dataclass_fields__"):
        return stripped
    kept_fields = {"id"} if isinstance(node, st.Option | d.Step) else set()
    silent = {
        name: value for name, value in _BLANK_TEXT_FIELDS.items() if name not in kept_fields and hasattr(stripped, name)
    }
    if isinstance(node, st.Line):
        silent["address"] = ""
    return replace(stripped, **silent) if silent else stripped


class ControlFlowNormalizer:
    """Normalization of control flow, before expressions: branches end where something jumps."""

    def __init__(self, calm: PurityAnalysis) -> None:
        self._purity = calm

    def normalize_parts(self, parts: Any) -> Any:
        """Parts of a declaration with normalized control flow; last jumps to where control goes anyway are dropped."""
        if not isinstance(parts, tuple) or not parts:
            return parts
        *rest, last = parts
        normalized = tuple(map(self._normalize_inside, rest))
        match last:
            case (st.Line(), *_):
                return *normalized, self._trim_tail(self._normalize_inside(last), _is_plain_finish)
            case (d.Step(), *_):
                return *normalized[:-1], self._trim_opening(normalized[-1], last[0]), tuple(self._normalize_steps(last))
            case () if normalized and isinstance(normalized[-1], tuple):
                return *normalized[:-1], self._trim_opening(normalized[-1], None), ()
            case _:
                return *normalized, self._normalize_inside(last)

    def _trim_opening(self, opening: tuple[Any, ...], first: d.Step | None) -> tuple[Any, ...]:
        if not opening or not isinstance(opening[-1], tuple):
            return opening
        *before, last = opening
        return *before, self._trim_tail(last, _make_tail_test(first))

    def _normalize_steps(self, steps: tuple[d.Step, ...]) -> Iterator[d.Step]:
        for step, following in zip_longest(steps, steps[1:]):
            block = self._trim_tail(tuple(self._normalize_block(step.block)), _make_tail_test(following))
            yield replace(step, block=block)

    def _normalize_block(self, block: st.Block) -> Iterator[st.Statement]:
        lines = [item for line in block for item in self._normalize_line(line)]
        for number, item in enumerate(lines):
            rest = tuple(lines[number + 1 :])
            if isinstance(item, st.If) and rest and (leads := _branch_exits(item, rest)):
                (branch,) = item.branches
                then, other = branch.block, item.otherwise or ()
                if leads == (False, False):
                    then, other = (tuple(self._normalize_block((*block, *rest))) for block in (then, other))
                elif leads == (True, False):
                    other = tuple(self._normalize_block((*other, *rest)))
                elif leads == (False, True):
                    then = tuple(self._normalize_block((*then, *rest)))
                yield replace(item, branches=(replace(branch, block=then),), otherwise=other or None)
                return
            yield item
            if is_leaving(item):
                return

    def _trim_tail(self, block: st.Block, tail: Callable[[st.Statement], bool]) -> st.Block:
        while block and tail(block[-1]):
            block = block[:-1]
        if block and isinstance(block[-1], st.If):
            last = block[-1]
            branches = tuple(replace(branch, block=self._trim_tail(branch.block, tail)) for branch in last.branches)
            otherwise = None if last.otherwise is None else self._trim_tail(last.otherwise, tail) or None
            return (*block[:-1], replace(last, branches=branches, otherwise=otherwise))
        return block

    def _normalize_line(self, line: st.Statement) -> Iterator[st.Statement]:
        normalized = self._normalize_inside(line)
        match normalized:
            case st.If(branches=(first, *rest)):
                inner = (
                    tuple(self._normalize_line(replace(normalized, branches=tuple(rest))))
                    if rest
                    else normalized.otherwise
                )
                yield _merge_nested_branch(replace(normalized, branches=(first,), otherwise=inner or None))
            case st.Match(subject=subject, cases=cases) if self._purity.is_pure(subject):
                yield from self._match_to_branches(normalized, list(cases))
            case st.ForEach(binding=ex.Binding(where=where)) if where is not None:
                inner = (make_branch(where, normalized.block, None, normalized.span),)
                yield replace(normalized, binding=replace(normalized.binding, where=None), block=inner)
            case st.AddAmount() if (value := _find_added_value(normalized)) is not None:
                yield st.Assign(address="", cites=(), span=normalized.span, place=normalized.place, value=value)
            case st.AddAmount(place=st.AttributePlace() | st.GamePlace()):
                yield replace(normalized, low=None, high=None)
            case st.DecideLine(variable=variable, rows=rows) if (value := rows_expression(rows)) is not None:
                place = st.VariablePlace(variable)
                yield st.Assign(address="", cites=(), span=normalized.span, place=place, value=value)
            case _:
                yield normalized

    def _normalize_inside(self, node: Any) -> Any:
        if isinstance(node, tuple) and node and isinstance(node[0], st.Line):
            return tuple(self._normalize_block(node))
        if isinstance(node, ex.Typed | ex.Binding):
            return node
        normalized = map_children(node, self._normalize_inside)
        if isinstance(normalized, st.Ask):
            return replace(normalized, demands=tuple(_merge_demands(normalized)))
        return normalized

    def _match_to_branches(self, line: st.Match, cases: list[st.Case]) -> Iterator[st.Statement]:
        """`match` as branches; its cases are exhaustive."""
        first, *rest = cases
        if not rest:
            yield from first.block
            return
        subject = line.subject
        equal = [
            ex.Comparison(type=FLAG, span=subject.span, operator="=", left=subject, right=value)
            for value in first.values
        ]
        inner = tuple(self._match_to_branches(line, rest))
        yield make_branch(chain_conditions(equal, "or", line.span), first.block, inner, line.span)


def _is_plain_finish(line: st.Statement) -> bool:
    return isinstance(line, st.Finish) and line.value is None


def _make_tail_test(following: d.Step | None) -> Callable[[st.Statement], bool]:
    """Test whether a last line jumps to where control goes anyway: to the next step, or to the end."""
    if following is None:
        return _is_plain_finish
    return lambda line: isinstance(line, st.Proceed) and line.step == following.id and line.bound is None


def make_branch(condition: Expression, block: st.Block, otherwise: st.Block | None, span: Span) -> st.If:
    """`if` with one branch and an else block."""
    branch = st.Branch(condition, block, (), span)
    return st.If(address="", cites=(), span=span, branches=(branch,), otherwise=otherwise or None)


def _merge_nested_branch(line: st.If) -> st.If:
    """Branch that holds nothing but another branch, as one branch on both conditions."""
    match line:
        case st.If(
            branches=(st.Branch(condition=first, block=(st.If(branches=(inner,), otherwise=None),)),), otherwise=None
        ):
            return make_branch(combine_conditions("and", first, inner.condition), inner.block, None, line.span)
        case _:
            return line


def is_leaving(line: st.Statement) -> bool:
    """Whether nothing in its block is carried out after a line."""
    match line:
        case st.If(branches=branches, otherwise=otherwise):
            return (
                bool(otherwise)
                and _is_block_leaving(otherwise)
                and all(_is_block_leaving(branch.block) for branch in branches)
            )
        case _:
            return isinstance(line, _LEAVING_LINES)


def _is_block_leaving(block: st.Block | None) -> bool:
    return bool(block) and is_leaving(block[-1])  # type: ignore[index]


def _branch_exits(line: st.If, rest: st.Block) -> tuple[bool, bool] | None:
    """Whether the branch, and the else block, jump; None where nothing inside does.

    Where something inside does, a last line that ends everything is distributed over the branches.
    """
    result = _is_block_leaving(line.branches[0].block), _is_block_leaving(line.otherwise)
    ended = len(rest) == 1 and isinstance(rest[0], st.Finish)
    inside = ended and any(isinstance(node, st.Finish) for node in walk_nodes((line.branches, line.otherwise or ())))
    return result if any(result) or inside else None


def _merge_demands(line: st.Ask) -> Iterator[st.Demand]:
    """Requirements as one condition; preferences in their order."""
    required = [demand for demand in line.demands if not demand.prefer]
    if required:
        condition = chain_conditions([make_row_condition(demand) for demand in required], "and", line.span)
        yield replace(required[0], condition=condition, guard=None, address="")
    yield from (replace(demand, address="") for demand in line.demands if demand.prefer)


def _find_added_value(line: st.AddAmount) -> Expression | None:
    value = _find_held_value(line.place)
    kind = line.place.type
    if value is None or line.up_to or line.otherwise is not None or not isinstance(kind, NumberType):
        return None
    is_bounded = line.low not in {None, kind.low} or line.high not in {None, kind.high}
    if not isinstance(line.amount.type, NumberType) or is_bounded:
        return None
    operator = "-" if line.take else "+"
    return ex.Arithmetic(type=kind, span=line.span, operator=operator, left=value, right=line.amount)


def _find_held_value(place: st.Place) -> Expression | None:
    plain = isinstance(place, st.VariablePlace | st.GamePlace | st.AttributePlace)
    return make_place_value(place, Span("", 0, 0)) if plain else None


def _single_branch(block: st.Block) -> TwoWayBranch[st.Block] | None:
    match block:
        case (st.If(branches=(branch,), otherwise=otherwise),):
            return TwoWayBranch(branch.condition, branch.block, otherwise or ())
        case _:
            return None


class LineNormalizer:
    """Normalizer of the lines of one declaration, after `ControlFlowNormalizer`: conditions, branches, order."""

    def __init__(
        self,
        values: ExpressionNormalizer,
        calm: PurityAnalysis,
        effects: DependenceAnalysis | None,
        key: Callable[[Any], Any],
    ) -> None:
        self._expressions = values
        self._purity = calm
        self._dependences = effects
        self._key = key
        self._switches: SwitchAnalysis[st.Block] = SwitchAnalysis(values.find_subset, key, _single_branch)

    def normalize_part(self, node: Any) -> Any:
        match node:
            case ex.Typed():
                return self._expressions.normalize_expression(node)  # type: ignore[arg-type]
            case ex.Binding():
                return self._expressions.normalize_binding(node)
            case (st.Line(), *_):
                result = tuple(item for line in node for item in self._rewrite_line(line))
                return result if self._dependences is None else self._dependences.order_lines(result, self._key)
            case st.Demand(prefer=False) | d.PathRow(word="enter") if node.guard is not None:
                return self.normalize_part(replace(node, condition=make_row_condition(node), guard=None))
            case st.Choose(options=options):
                return st.Choose(tuple(sorted(map(self.normalize_part, options), key=self._key)))
            case _:
                return map_children(node, self.normalize_part)

    def _rewrite_line(self, line: st.Statement) -> Iterator[st.Statement]:
        rewritten = map_children(line, self.normalize_part)
        match rewritten:
            case st.If(branches=(branch,), otherwise=otherwise):
                yield from self._rewrite_branches(branch.condition, branch.block, otherwise or (), rewritten.span)
            case st.Assign(value=ex.Conditional() as value):
                yield from self._rewrite_conditional_assign(rewritten, value)
            case st.Together(block=block) if self._dependences is not None and self._dependences.may_settle_at_once(
                rewritten
            ):
                yield from block
            case _:
                yield rewritten

    def _rewrite_conditional_assign(self, line: st.Assign, value: ex.Conditional) -> Iterator[st.Statement]:
        """Line that may set a place to its own value, as one that is carried out where the value differs."""
        current_value = _find_held_value(line.place)
        key = (
            None
            if current_value is None or not self._is_same_place(line.place, line.place)
            else self._key(current_value)
        )
        if key == self._key(value.then):
            condition, changed = self._expressions.negate_condition(value.condition), value.otherwise
        elif key == self._key(value.otherwise):
            condition, changed = value.condition, value.then
        else:
            yield line
            return
        yield from self._rewrite_branches(condition, (replace(line, value=changed),), (), line.span)

    def _rewrite_branches(
        self, condition: Expression, block: st.Block, otherwise: st.Block, span: Span
    ) -> Iterator[st.Statement]:
        values = self._expressions
        if isinstance(condition, ex.Literal):
            yield from block if condition.value else otherwise
            return
        if self._key(block) == self._key(otherwise) and self._purity.is_pure(condition):
            yield from block
            return
        match block, otherwise:
            case (st.Assign(place=one) as first,), (st.Assign(place=other) as second,) if self._is_same_place(
                one, other
            ):
                conditional = ex.Conditional(
                    type=one.type, span=span, condition=condition, then=first.value, otherwise=second.value
                )
                yield replace(first, value=values.normalize_conditional(conditional))
                return
            case (st.Finish(value=ex.Typed(type=NumberType() as type_) as one) as first,), (
                st.Finish(value=ex.Typed(type=NumberType()) as other),
            ):
                conditional = ex.Conditional(type=type_, span=span, condition=condition, then=one, otherwise=other)
                yield replace(first, value=values.normalize_conditional(conditional))
                return
        branches = TwoWayBranch(condition, block, otherwise)
        joined = self._switches.merge_branches(branches)
        arms = self._switches.find_arms(branches)
        if joined is not None:
            yield from self._merge_branches(joined, branches, span)
        elif arms is not None:
            yield from self._order_switch(arms, span)
        elif not block or (otherwise and values.is_denial(condition)):
            yield make_branch(values.negate_condition(condition), otherwise, block, span)
        else:
            yield make_branch(condition, block, otherwise, span)

    def _is_same_place(self, one: st.Place, other: st.Place) -> bool:
        """Whether two places are the same, and pure."""
        steady = isinstance(one, st.VariablePlace | st.GamePlace) or (
            isinstance(one, st.AttributePlace) and self._purity.is_pure(one.target)
        )
        return steady and bool(self._key(one) == self._key(other))

    def _merge_branches(
        self, joined: tuple[str, TwoWayBranch[st.Block], bool], branches: TwoWayBranch[st.Block], span: Span
    ) -> Iterator[st.Statement]:
        operator, inner, turned = joined
        second = self._expressions.negate_condition(inner.condition) if turned else inner.condition
        condition = self._expressions.join_conditions(operator, branches.condition, second)
        if operator == "or":
            yield from self._rewrite_branches(condition, branches.then, inner.then if turned else inner.otherwise, span)
        else:
            yield from self._rewrite_branches(
                condition, inner.otherwise if turned else inner.then, branches.otherwise, span
            )

    def _order_switch(self, arms: list[SwitchArm[st.Block]], span: Span) -> Iterator[st.Statement]:
        """Arms of a switch on one value in the order of its values, the idle one last."""
        *first, (_, otherwise) = sort_arms(arms, lambda block: not block)
        for subset, block in reversed(first):
            branch = make_branch(self._expressions.subset_translator.write_condition(subset), block, otherwise, span)
            otherwise = (branch,)
        yield from otherwise


_MAX_INLINED_LINES = 200
"""Lines that one `perform` may expand to."""


class ProcedureInliner:
    """Inlining of procedures at the lines that perform them.

    Only of a procedure that opens with nothing but lines, goes through its steps in order, finishes at the end of its
    lines, and is not ended by its name from elsewhere. Its variables get fresh numbers.
    """

    def __init__(
        self,
        program: d.Program,
        calm: PurityAnalysis,
        names: Collection[str],
        numbers: Iterator[int],
        joined: Callable[[d.Procedure], d.Procedure],
    ) -> None:
        self._program = program
        self._purity = calm
        self._names = frozenset(names) & program.procedures.keys()
        self._numbers = numbers
        self._fuse_steps = joined
        self._blocks_by_procedure: dict[str, st.Block | None] = {}
        self._watched: frozenset[int] = frozenset()

    def inline_performs(self, node: d.Declared, parts: Any) -> Any:
        """Parts of a routine with procedures inlined; a line that ends the routine by its name becomes a `finish`."""
        if not self._names:
            return parts
        self._watched = find_changed_names(
            walk_nodes(tuple(watch for watch in walk_nodes(parts) if isinstance(watch, d.Watch)))
        )
        inlined = self._inline_inside(parts)
        return _finish_named_endings(inlined, node.name) if isinstance(node, d.Procedure) else inlined

    def _inline_inside(self, node: Any) -> Any:
        if isinstance(node, ex.Typed | ex.Binding):
            return node
        if isinstance(node, tuple) and node and isinstance(node[0], st.Line):
            return tuple(inlined for line in node for inlined in self._inline_line(line))
        return map_children(node, self._inline_inside)

    def _inline_line(self, line: st.Statement) -> st.Block:
        inlined = map_children(line, self._inline_inside)
        spelled = None
        if (
            isinstance(inlined, st.Perform)
            and inlined.procedure in self._names
            and not inlined.steps
            and inlined.depth is None
        ):
            spelled = self._expand_perform(inlined)
        return (inlined,) if spelled is None else spelled

    def _expand_perform(self, line: st.Perform) -> st.Block | None:
        block = self._find_inlinable_block(line.procedure)
        if block is None:
            return None
        changed = find_changed_names(walk_nodes(block))
        put = _LineSubstitution(self._numbers)
        lets: list[st.Statement] = []
        parameters = self._program.procedures[line.procedure].parameters
        for parameter, argument in zip(parameters, line.arguments, strict=True):
            if parameter.index not in changed and self._is_stable_argument(argument):
                put.arguments[parameter.index] = argument
            else:
                lets.append(_make_let(line, put.freshen_variable(parameter), argument))
        is_last = bool(block) and isinstance(block[-1], st.Finish)
        ended = _replace_tail_finish(
            put.substitute_arguments(block), lambda value: self._replace_finish(line, value, is_last=is_last)
        )
        return None if ended is None else (*lets, *ended)

    def _is_stable_argument(self, argument: Expression) -> bool:
        """Whether an argument is constant throughout: none, or a variable of the caller that no watch sets."""
        match argument:
            case ex.Local(variable=variable):
                return variable.index not in self._watched
            case _:
                return isinstance(argument, ex.Literal | ex.WordLiteral)

    def _replace_finish(self, line: st.Perform, value: Expression | None, *, is_last: bool) -> st.Block | None:
        if value is None or line.result is None:
            return () if value is None or self._purity.is_pure(value) else None
        if is_last:
            return (_make_let(line, line.result, value),)
        place = st.VariablePlace(line.result)
        return (st.Assign(address="", cites=(), span=line.span, place=place, value=value),)

    def _find_inlinable_block(self, name: str) -> st.Block | None:
        if name not in self._blocks_by_procedure:
            self._blocks_by_procedure[name] = None  # in a ring it stands for itself
            procedure = self._fuse_steps(self._program.procedures[name])
            lines = [part if isinstance(part, tuple) else (part,) for part in procedure.opening]
            block = tuple(item for part in lines for item in part)
            if (
                procedure.steps
                or name in self._procedures_ended_by_name
                or not all(isinstance(item, st.Line) for item in block)
            ):
                return None
            inlined = self._inline_inside(strip_texts(block))
            if sum(isinstance(node, st.Line) for node in walk_nodes(inlined)) <= _MAX_INLINED_LINES:
                (self._blocks_by_procedure[name],) = (
                    ControlFlowNormalizer(self._purity).normalize_parts((inlined,)) if inlined else ((),)
                )
        return self._blocks_by_procedure[name]

    @cached_property
    def _procedures_ended_by_name(self) -> frozenset[str]:
        return frozenset(line.procedure for line in list_lines_of_class(self._program, st.FinishOuter))


def _make_let(line: st.Perform, variable: Variable, value: Expression) -> st.Let:
    return st.Let(address="", cites=(), span=line.span, variable=variable, value=value)


def _finish_named_endings(node: Any, name: str) -> Any:
    match node:
        case ex.Typed() | ex.Binding():
            return node
        case st.FinishOuter(procedure=ended, value=value) if ended == name:
            return st.Finish(address=node.address, cites=node.cites, span=node.span, value=value)
        case _:
            return map_children(node, lambda part: _finish_named_endings(part, name))


_ReplaceFinish = Callable[[Expression | None], st.Block | None]


def _replace_tail_finish(block: st.Block, returned: _ReplaceFinish) -> st.Block | None:
    """Block with something else for each `finish`; None where a `finish` stands before the end."""
    if not block:
        return ()
    *before, last = block
    if _has_finish(before):
        return None
    end = _replace_last_line(last, returned)
    return None if end is None else (*before, *end)


def _replace_all_tails(blocks: Sequence[st.Block], returned: _ReplaceFinish) -> list[st.Block] | None:
    items = [replaced for block in blocks if (replaced := _replace_tail_finish(block, returned)) is not None]
    return items if len(items) == len(blocks) else None


def _replace_last_line(line: st.Statement, returned: _ReplaceFinish) -> st.Block | None:
    match line:
        case st.Finish(value=value):
            return returned(value)
        case st.If(branches=branches, otherwise=otherwise):
            blocks = _replace_all_tails([branch.block for branch in branches], returned)
            rest = _replace_tail_finish(otherwise or (), returned)
            if blocks is None or rest is None:
                return None
            new_branches = tuple(replace(branch, block=block) for branch, block in zip(branches, blocks, strict=True))
            return (replace(line, branches=new_branches, otherwise=rest or None),)
        case st.Ask(shape=shape, block=block, otherwise=otherwise):
            options = shape.options if isinstance(shape, st.Choose) else ()
            blocks = _replace_all_tails([option.block for option in options], returned)
            then, rest = _replace_tail_finish(block, returned), _replace_tail_finish(otherwise or (), returned)
            if blocks is None or then is None or rest is None:
                return None
            if options:
                shape = st.Choose(tuple(replace(option, block=of) for option, of in zip(options, blocks, strict=True)))
            rest = None if otherwise is None else rest
            return (replace(line, shape=shape, block=then, otherwise=rest),)
        case _:
            return None if _has_finish(line) else (line,)


def _has_finish(node: Any) -> bool:
    return any(isinstance(item, st.Finish) for item in walk_nodes(node))


class _LineSubstitution:
    """Substitution of arguments for parameters; all other variables get fresh numbers.

    Attributes:
        arguments: by the numbers of parameters.
    """

    def __init__(self, numbers: Iterator[int]) -> None:
        self.arguments: dict[int, Expression] = {}
        self._numbers = numbers
        self._fresh_variables: dict[int, Variable] = {}

    def substitute_arguments(self, part: Any) -> Any:
        match part:
            case ex.Local(variable=variable) if variable.index in self.arguments:
                return self.arguments[variable.index]
            case Variable():
                return self.freshen_variable(part)
            case _:
                return map_children(part, self.substitute_arguments)

    def freshen_variable(self, variable: Variable) -> Variable:
        if variable.index not in self._fresh_variables:
            self._fresh_variables[variable.index] = replace(variable, index=next(self._numbers))
        return self._fresh_variables[variable.index]
