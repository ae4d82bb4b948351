"""`match` and the coverage of its cases (manual, Flow)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce

from rulewright.base.diagnostics import Label
from rulewright.base.diagnostics.remedies import make_deletion_edits
from rulewright.base.source import Span
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition
from rulewright.checker.infer.arithmetic import check_paired_span, find_dashed_span_remedy, is_paired_number
from rulewright.checker.infer.name_lookup import iterate_list_words
from rulewright.checker.infer.references import find_expected_word
from rulewright.checker.infer.type_fitting import fit_expression, suggest_die_value
from rulewright.checker.routines.line_context import LineContext, LineResult, join_facts
from rulewright.program import statements as typed
from rulewright.program.expressions import Comparison, Expression, Literal, WordLiteral
from rulewright.program.types import (
    FLAG,
    PAIRED,
    DieType,
    DirectionType,
    FlagType,
    NoneType,
    NumberType,
    OptionalType,
    Type,
    WordType,
    strip_optional,
)
from rulewright.program.wording import describe_expression, format_literal
from rulewright.syntax.nodes import expressions as e, statements as s
from rulewright.syntax.nodes.statements import Cell

_MAX_MATCH_VALUES = 1000  # values of a subject

_CaseValues = tuple[Expression, ...]
"""Values of one pattern of a case: a value, or all numbers of a range."""


def translate_match(node: s.Match, here: LineContext) -> LineResult:
    mark = here.make_line_fields(node)
    subject = here.scope.infer(node.subject)
    if subject is not None and isinstance(subject.type, DieType):
        remedy = suggest_die_value(subject, subject.type.face)
        here.error("RW0509", subject.span, "a `match` takes what a die shows, not the die", remedy=remedy)
        subject = None
    if subject is None:
        return None, join_facts(
            here.with_cites(case_.cites or node.cites).translate_block(case_.block)[1] for case_ in node.cases
        )
    cover = MatchCoverage(subject, here)
    cases = [[_infer_case_values(value, subject, here) for value in case.values] for case in node.cases]
    whole = all(named for case in cases for named in case)
    items: list[typed.Case] = []
    branch_facts: list[Facts | None] = []
    for case, values in zip(node.cases, cases, strict=True):
        named = [value for value in values if value]
        for item in named:
            cover.add_case(item)
        if case.values:
            cover.warn_impossible_case(named)
            facts = _assume_case(subject, named, here.facts)
        else:
            whole = cover.check_otherwise(case, node.cases) and whole
            facts = _assume_no_case(subject, [each for other in cases for each in other if each], here.facts)
        place = here.with_cites(case.cites or node.cites)
        block, after = place.with_facts(facts).translate_block(case.block)
        branch_facts.append(after)
        items.append(
            typed.Case(tuple(each for one in named for each in one), block, place.resolve_cites(()), case.span)
        )
    if not whole or (node.cases[-1].values and not cover.check_complete(node.head)):
        return None, join_facts(branch_facts)
    return typed.Match(**mark, subject=subject, cases=tuple(items)), join_facts(branch_facts)


class MatchCoverage:
    """Values of a subject that have a case; reports repeated cases, values without one, and needless `otherwise`."""

    def __init__(self, subject: Expression, here: LineContext) -> None:
        self._subject = subject
        self._context = here
        self._all_values = list_small_type_values(subject.type, subject.span, here)
        self._covered_spans: dict[object, Span] = {}

    def add_case(self, written: tuple[Expression, ...]) -> None:
        """Adds a value, or the numbers of a range; reports those that earlier cases have."""
        if not all(isinstance(item, Literal | WordLiteral) for item in written):
            self._context.error("RW0509", written[0].span, "a case is a word, a number, a flag or `none`")
            return
        span = written[0].span
        twice = [item for item in written if _make_value_key(item) in self._covered_spans]
        if twice:
            listed = self._format_values(twice)
            one = len(twice) == 1
            message = f"{listed} has a case already" if one else f"this case and an earlier one both cover {listed}"
            self._context.error(
                "RW0509", span, message, secondary=(Label(self._covered_spans[_make_value_key(twice[0])], "here"),)
            )
        self._covered_spans = {**{_make_value_key(item): span for item in written}, **self._covered_spans}

    def warn_impossible_case(self, named: Sequence[_CaseValues]) -> None:
        """Warns of a case for values that the subject never has here (RW0404)."""
        values = [item for one in named for item in one]
        same = (_make_comparison(self._subject, "=", value) for value in values)
        if (
            values
            and not self._context.report.has_error_here()
            and all(prove_condition(self._context.facts, comparison) is Proof.REFUTED for comparison in same)
        ):
            message = f"this case never happens here: {self._format_values(values)}"
            remedy = "leave it out, or correct what rules it out above"
            self._context.warning("RW0404", values[0].span, message, help=remedy)

    def check_otherwise(self, case: s.Case, cases: Sequence[s.Case]) -> bool:
        """Whether `otherwise` stands last and some value is left for it; reports where not."""
        span = replace(case.span, end=case.span.start + len("otherwise"))
        if case is not cases[-1]:
            self._context.error("RW0509", span, "`otherwise` takes every case that is left, so it comes last")
        elif case is cases[0]:
            self._context.error("RW0509", span, "a `match` names some values before `otherwise`")
        elif self._all_values is not None and not self._list_uncovered(self._all_values):
            help_ = "leave it out: the cases above cover every value"
            edits = make_deletion_edits(case.span)
            self._context.error("RW0509", span, "this `otherwise` is never reached", help=help_, edits=edits)
        else:
            return True
        return False

    def check_complete(self, span: Span) -> bool:
        """Whether every possible value has a case; reports those that have none."""
        possible = list_small_type_values(
            _narrow_subject_type(self._subject, self._context), self._subject.span, self._context
        )
        if possible is None:
            message = f"{describe_expression(self._subject)}, which has too many cases to `match`"
            self._context.error("RW0509", span, message, help="end with `otherwise:`, or write `if` and `else if`")
            return False
        missing = self._list_uncovered(possible)
        if any(isinstance(item.type, NumberType) for item in missing):
            verb = "is" if len(missing) == 1 else "are"
            on = ", ".join(_format_value_runs(missing, self._context))
            help_ = f"add `on {on}:` or `otherwise:`, with `nothing` if nothing happens"
            message = f"this `match` does not cover every case: {self._format_values(missing)} {verb} open"
            self._context.error("RW0509", span, message, help=help_)
        elif missing:
            listed = ", ".join(f"`{_format_case_value(item, self._context)}`" for item in missing[:4])
            more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""  # noqa: PLR2004 - four can be read
            message = f"this `match` has no case for {listed}{more}"
            first = _format_case_value(missing[0], self._context)
            help_ = f"add `on {first}:` and below it what happens, or `nothing`"
            self._context.error("RW0509", span, message, help=help_)
        return not missing

    def _list_uncovered(self, values: Iterable[Expression]) -> list[Expression]:
        uncovered = (value for value in values if _make_value_key(value) not in self._covered_spans)
        same = ((item, _make_comparison(self._subject, "=", item)) for item in uncovered)
        return [item for item, equal in same if prove_condition(self._context.facts, equal) is not Proof.REFUTED]

    def _format_values(self, values: list[Expression]) -> str:
        """`2`, `2..4 and 9`."""
        *first, last = [f"`{run}`" for run in _format_value_runs(values, self._context)]
        return f"{', '.join(first)} and {last}" if first else last


def _format_value_runs(values: Sequence[Expression], here: LineContext) -> list[str]:
    items: list[list[Expression]] = []
    for value in values:
        before = _get_written_number(items[-1][-1]) if items else None
        if before is not None and _get_written_number(value) == before + 1:
            items[-1].append(value)
        else:
            items.append([value])
    ends = [(_format_case_value(item[0], here), _format_case_value(item[-1], here)) for item in items]
    return [first if len(run) == 1 else f"{first}..{last}" for run, (first, last) in zip(items, ends, strict=True)]


def _narrow_subject_type(subject: Expression, here: LineContext) -> Type:
    if isinstance(subject.type, NumberType) and not subject.type.paired:
        return NumberType(*compute_number_range(here.facts, subject))
    return subject.type


def list_small_type_values(type_: Type, span: Span, here: LineContext) -> list[Expression] | None:
    """All values of a small type, in order; None where there are too many."""
    match type_:
        case WordType(name):
            words = iterate_list_words(name, here.routine.scope)
            return [WordLiteral(type=type_, span=span, position=position) for _, position in words]
        case FlagType():
            return [Literal(type=FLAG, span=span, value=value) for value in (True, False)]
        case NumberType(int() as low, int() as high) if high - low < _MAX_MATCH_VALUES:
            return [Literal(type=NumberType(n, n), span=span, value=n) for n in type_.list_numbers() or ()]
        case DirectionType():
            return [Literal(type=type_, span=span, value=n) for n in range(type_.count)]
        case OptionalType(inner):
            values = list_small_type_values(inner, span, here)
            return values and [Literal(type=NoneType(), span=span, value=None), *values]
        case _:
            return None


def _make_value_key(value: Expression) -> object:
    match value:
        case WordLiteral(position=position):
            return ("word", position)
        case Literal(value=literal):
            return (type(literal).__name__, literal)
        case _:
            raise AssertionError(value)


def _format_case_value(value: Expression, here: LineContext) -> str:
    match value:
        case WordLiteral(type=WordType(name), position=position):
            return {at: word for word, at in iterate_list_words(name, here.routine.scope)}[position]
        case Literal(value=literal):
            return format_literal(literal)
        case _:
            return "…"


def _infer_case_values(node: e.Expression | Cell, subject: Expression, here: LineContext) -> _CaseValues:
    if isinstance(node, Cell):
        return _infer_open_range(node, subject, here)
    better = find_dashed_span_remedy(node)
    if better is not None:
        here.error("RW0509", node.span, "a range of a case is spelled `..`", remedy=better)
        return ()
    if isinstance(node, e.Binary) and node.operator == "..":
        return _infer_case_range(node, subject, here)
    value = find_expected_word(node, here.scope, subject.type) or here.scope.infer(node, subject.type)
    fitted = value and fit_expression(value, subject.type, here.scope, "a case")
    return (fitted,) if fitted else ()


def _infer_case_range(node: e.Binary, subject: Expression, here: LineContext) -> _CaseValues:
    ends = [item for end in (node.left, node.right) for item in _infer_range_end(end, subject, here)]
    if len(ends) < 2:  # noqa: PLR2004 - a range has two ends
        return ()
    low, high = (_get_written_number(item) for item in ends)
    if low is None or high is None:
        here.error("RW0509", node.span, "a range of a case goes from one written number to another")
        return ()
    if high < low:
        here.error("RW0509", node.span, f"`{low}..{high}` holds no number", help="the lower number comes first")
    elif is_paired_number(subject.type):
        fits = check_paired_span(low, high, node.span, here.report)
        return tuple(
            value
            for value in _make_range_values(low, high, node.span, here)
            if PAIRED.contains_number(_get_written_number(value) or 0) and fits
        )
    return _make_range_values(low, high, node.span, here)


def _infer_range_end(node: e.Expression, subject: Expression, here: LineContext) -> _CaseValues:
    if not is_paired_number(subject.type):
        return _infer_case_values(node, subject, here)
    value = here.scope.infer(node)
    fitted = value and fit_expression(value, NumberType(PAIRED.low, PAIRED.high), here.scope, "a case")
    return (fitted,) if fitted else ()


def _make_range_values(low: int, high: int, span: Span, here: LineContext) -> _CaseValues:
    if high - low >= _MAX_MATCH_VALUES:
        here.error(
            "RW0509", span, f"a range of a case holds at most {_MAX_MATCH_VALUES:,} numbers", help="write `otherwise:`"
        )
        return ()
    return tuple(Literal(type=NumberType(n, n), span=span, value=n) for n in range(low, high + 1))


def _infer_open_range(node: Cell, subject: Expression, here: LineContext) -> _CaseValues:
    assert node.value is not None
    low = [_get_written_number(value) for value in _infer_case_values(node.value, subject, here)]
    type_ = strip_optional(_narrow_subject_type(subject, here))
    if low and low[0] is not None and isinstance(type_, NumberType):
        if type_.high is not None:
            return _make_range_values(low[0], type_.high, node.span, here)
        message = f"{describe_expression(subject)} and has no highest value, so `{low[0]}+` has no end"
        here.error("RW0509", node.span, message, help="end with `otherwise:`")
    return ()


def _make_case_conditions(subject: Expression, named: _CaseValues) -> tuple[Comparison, ...]:
    if len(named) == 1:
        return (_make_comparison(subject, "=", named[0]),)
    return _make_comparison(subject, ">=", named[0]), _make_comparison(subject, "<=", named[-1])


def _make_comparison(subject: Expression, operator: str, value: Expression) -> Comparison:
    return Comparison(type=FLAG, span=value.span, operator=operator, left=subject, right=value)


def _assume_case(subject: Expression, named: Iterable[_CaseValues], facts: Facts) -> Facts:
    if not isinstance(subject.type, NumberType):
        named = [(item,) for value in named for item in value]
    known = [
        reduce(lambda a, b: assume(a, b, truth=True), _make_case_conditions(subject, item), facts) for item in named
    ]
    return join_facts(known) or facts


def _assume_no_case(subject: Expression, named: Iterable[_CaseValues], facts: Facts) -> Facts:
    """Facts where no case came: a range at an end of the subject narrows it."""
    for value in named:
        if len(value) > 1 and isinstance(subject.type, NumberType):
            open_ = [
                condition
                for condition in _make_case_conditions(subject, value)
                if prove_condition(facts, condition) is not Proof.PROVED
            ]
            facts = assume(facts, open_[0], truth=False) if len(open_) == 1 else facts
        else:
            facts = reduce(lambda a, b: assume(a, _make_comparison(subject, "=", b), truth=False), value, facts)
    return facts


def _get_written_number(value: Expression) -> int | None:
    number = value.value if isinstance(value, Literal) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None
