"""`match` and what its cases cover (manual, Flow)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce

from rulewright.analysis.facts import Facts, Proof, number_range, prove, suppose
from rulewright.analysis.infer.arithmetic import check_span, dashed, is_paired
from rulewright.analysis.infer.lookup import words_of
from rulewright.analysis.infer.references import word_wanted
from rulewright.analysis.infer.slots import fit, what_it_shows
from rulewright.analysis.routines.routine_context import Done, Here, join
from rulewright.diagnostics import Label
from rulewright.diagnostics.remedies import left_out
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
    present,
)
from rulewright.program.wording import is_a, literal
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as e, statements as s
from rulewright.syntax.nodes.rows import Cell

_MOST = 1000

_Named = tuple[Expression, ...]
"""What a case names at one place: a value, or every number of a range."""


def match_line(node: s.Match, here: Here) -> Done:
    """`match` with a case for every value."""
    mark = here.mark(node)
    subject = here.scope.infer(node.subject)
    if subject is not None and isinstance(subject.type, DieType):
        remedy = what_it_shows(subject, subject.type.face)
        here.error("RW0509", subject.span, "a `match` takes what a die shows, not the die", remedy=remedy)
        subject = None
    if subject is None:
        return None, join(here.citing(each.cites or node.cites).block(each.block)[1] for each in node.cases)
    cover = Cover(subject, here)
    cases = [[_named(each, subject, here) for each in case.values] for case in node.cases]
    whole = all(named for case in cases for named in case)
    found: list[typed.Case] = []
    ways: list[Facts | None] = []
    for case, values in zip(node.cases, cases, strict=True):
        named = [each for each in values if each]
        for each in named:
            cover.add(each)
        if case.values:
            cover.warn_if_never(named)
            facts = _case_facts(subject, named, here.facts)
        else:
            whole = cover.left(case, node.cases) and whole
            facts = _other_facts(subject, [each for other in cases for each in other if each], here.facts)
        place = here.citing(case.cites or node.cites)
        block, after = place.knowing(facts).block(case.block)
        ways.append(after)
        found.append(typed.Case(tuple(each for one in named for each in one), block, place.cited(()), case.span))
    if not whole or (node.cases[-1].values and not cover.complete(node.head)):
        return None, join(ways)
    return typed.Match(**mark, subject=subject, cases=tuple(found)), join(ways)


class Cover:
    """Which values of a subject have a case; reports cases twice, values without one, and a case for what is left."""

    def __init__(self, subject: Expression, here: Here) -> None:
        self._subject = subject
        self._here = here
        self._all = small_values(subject.type, subject.span, here)
        self._seen: dict[object, Span] = {}

    def add(self, written: tuple[Expression, ...]) -> None:
        """What a case names at one place, a value or the numbers of a range; reports what earlier ones have."""
        if not all(isinstance(each, Literal | WordLiteral) for each in written):
            self._here.error("RW0509", written[0].span, "a case is a word, a number, a flag or `none`")
            return
        span = written[0].span
        twice = [each for each in written if _key(each) in self._seen]
        if twice:
            listed = self._listed(twice)
            one = len(twice) == 1
            message = f"{listed} has a case already" if one else f"this case and an earlier one both cover {listed}"
            self._here.error("RW0509", span, message, secondary=(Label(self._seen[_key(twice[0])], "here"),))
        self._seen = {**{_key(each): span for each in written}, **self._seen}

    def warn_if_never(self, named: Sequence[_Named]) -> None:
        """Warns of a case for values that the subject never has here (RW0404)."""
        values = [each for one in named for each in one]
        same = (_compared(self._subject, "=", each) for each in values)
        if (
            values
            and not self._here.scope.report.broken()
            and all(prove(self._here.facts, each) is Proof.REFUTED for each in same)
        ):
            message = f"this case never happens here: {self._listed(values)}"
            remedy = "leave it out, or correct what rules it out above"
            self._here.warning("RW0404", values[0].span, message, help=remedy)

    def left(self, case: s.Case, cases: Sequence[s.Case]) -> bool:
        """Whether `otherwise` stands where it belongs and some value comes to it; reports what is off."""
        span = replace(case.span, end=case.span.start + len("otherwise"))
        if case is not cases[-1]:
            self._here.error("RW0509", span, "`otherwise` takes every case that is left, so it comes last")
        elif case is cases[0]:
            self._here.error("RW0509", span, "a `match` names some values before `otherwise`")
        elif self._all is not None and not self._open(self._all):
            help_ = "leave it out: the cases above cover every value"
            edits = left_out(case.span)
            self._here.error("RW0509", span, "this `otherwise` is never reached", help=help_, edits=edits)
        else:
            return True
        return False

    def complete(self, span: Span) -> bool:
        """Whether every value that the subject can have here has a case; reports those that have none."""
        possible = small_values(_narrowed(self._subject, self._here), self._subject.span, self._here)
        if possible is None:
            message = f"{is_a(self._subject)}, which has too many cases to `match`"
            self._here.error("RW0509", span, message, help="end with `otherwise:`, or write `if` and `else if`")
            return False
        missing = self._open(possible)
        if any(isinstance(each.type, NumberType) for each in missing):
            verb = "is" if len(missing) == 1 else "are"
            on = ", ".join(_runs(missing, self._here))
            help_ = f"add `on {on}:` or `otherwise:`, with `nothing` if nothing happens"
            message = f"this `match` does not cover every case: {self._listed(missing)} {verb} open"
            self._here.error("RW0509", span, message, help=help_)
        elif missing:
            listed = ", ".join(f"`{_text(each, self._here)}`" for each in missing[:4])
            more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""  # noqa: PLR2004 - four can be read
            message = f"this `match` has no case for {listed}{more}"
            first = _text(missing[0], self._here)
            help_ = f"add `on {first}:` and below it what happens, or `nothing`"
            self._here.error("RW0509", span, message, help=help_)
        return not missing

    def _open(self, values: Iterable[Expression]) -> list[Expression]:
        """Those that have no case and may come."""
        left = (each for each in values if _key(each) not in self._seen)
        same = ((each, _compared(self._subject, "=", each)) for each in left)
        return [each for each, equal in same if prove(self._here.facts, equal) is not Proof.REFUTED]

    def _listed(self, values: list[Expression]) -> str:
        """`2`, `2..4 and 9`."""
        *first, last = [f"`{each}`" for each in _runs(values, self._here)]
        return f"{', '.join(first)} and {last}" if first else last


def _runs(values: Sequence[Expression], here: Here) -> list[str]:
    """Values in their order, numbers that follow each other as one range."""
    found: list[list[Expression]] = []
    for each in values:
        before = _number(found[-1][-1]) if found else None
        if before is not None and _number(each) == before + 1:
            found[-1].append(each)
        else:
            found.append([each])
    ends = [(_text(each[0], here), _text(each[-1], here)) for each in found]
    return [first if len(run) == 1 else f"{first}..{last}" for run, (first, last) in zip(found, ends, strict=True)]


def _narrowed(subject: Expression, here: Here) -> Type:
    """The type of a subject, of a number with the bounds that are known here."""
    if isinstance(subject.type, NumberType) and not subject.type.paired:
        return NumberType(*number_range(here.facts, subject))
    return subject.type


def small_values(type_: Type, span: Span, here: Here) -> list[Expression] | None:
    """Every value of a small type, in order, or none where there are too many."""
    match type_:
        case WordType(name):
            words = words_of(name, here.routine.scope)
            return [WordLiteral(type=type_, span=span, position=position) for _, position in words]
        case FlagType():
            return [Literal(type=FLAG, span=span, value=value) for value in (True, False)]
        case NumberType(int() as low, int() as high) if high - low < _MOST:
            return [Literal(type=NumberType(n, n), span=span, value=n) for n in type_.numbers() or ()]
        case DirectionType():
            return [Literal(type=type_, span=span, value=n) for n in range(type_.count)]
        case OptionalType(inner):
            held = small_values(inner, span, here)
            return held and [Literal(type=NoneType(), span=span, value=None), *held]
        case _:
            return None


def _key(value: Expression) -> object:
    match value:
        case WordLiteral(position=position):
            return ("word", position)
        case Literal(value=held):
            return (type(held).__name__, held)
        case _:
            raise AssertionError(value)


def _text(value: Expression, here: Here) -> str:
    match value:
        case WordLiteral(type=WordType(name), position=position):
            return {at: word for word, at in words_of(name, here.routine.scope)}[position]
        case Literal(value=held):
            return literal(held)
        case _:
            return "…"


def _named(node: e.Expression | Cell, subject: Expression, here: Here) -> _Named:
    """What a case names at one place; empty after an error."""
    if isinstance(node, Cell):
        return _from(node, subject, here)
    better = dashed(node)
    if better is not None:
        here.error("RW0509", node.span, "a range of a case is spelled `..`", remedy=better)
        return ()
    if isinstance(node, e.Binary) and node.operator == "..":
        return _range(node, subject, here)
    value = word_wanted(node, here.scope, subject.type) or here.scope.infer(node, subject.type)
    fitted = value and fit(value, subject.type, here.scope, "a case")
    return (fitted,) if fitted else ()


def _range(node: e.Binary, subject: Expression, here: Here) -> _Named:
    """The numbers of `2..9`; of a `d66` those that it shows."""
    ends = [each for end in (node.left, node.right) for each in _end(end, subject, here)]
    if len(ends) < 2:  # noqa: PLR2004 - a range has two ends
        return ()
    low, high = (_number(each) for each in ends)
    if low is None or high is None:
        here.error("RW0509", node.span, "a range of a case goes from one written number to another")
        return ()
    if high < low:
        here.error("RW0509", node.span, f"`{low}..{high}` holds no number", help="the lower number comes first")
    elif is_paired(subject.type):
        fits = check_span(low, high, node.span, here.routine.scope.report)
        return tuple(each for each in _numbers(low, high, node.span, here) if PAIRED.holds(_number(each) or 0) and fits)
    return _numbers(low, high, node.span, here)


def _end(node: e.Expression, subject: Expression, here: Here) -> _Named:
    """An end of a range; it may be a number between those that a `d66` shows."""
    if not is_paired(subject.type):
        return _named(node, subject, here)
    value = here.scope.infer(node)
    fitted = value and fit(value, NumberType(PAIRED.low, PAIRED.high), here.scope, "a case")
    return (fitted,) if fitted else ()


def _numbers(low: int, high: int, span: Span, here: Here) -> _Named:
    """All numbers of a range, which are not too many."""
    if high - low >= _MOST:
        here.error("RW0509", span, f"a range of a case holds at most {_MOST:,} numbers", help="write `otherwise:`")
        return ()
    return tuple(Literal(type=NumberType(n, n), span=span, value=n) for n in range(low, high + 1))


def _from(node: Cell, subject: Expression, here: Here) -> _Named:
    """The numbers of `4+`, up to the highest that the subject can be."""
    assert node.value is not None
    low = [_number(each) for each in _named(node.value, subject, here)]
    type_ = present(_narrowed(subject, here))
    if low and low[0] is not None and isinstance(type_, NumberType):
        if type_.high is not None:
            return _numbers(low[0], type_.high, node.span, here)
        message = f"{is_a(subject)} and has no highest value, so `{low[0]}+` has no end"
        here.error("RW0509", node.span, message, help="end with `otherwise:`")
    return ()


def _bounds(subject: Expression, named: _Named) -> tuple[Comparison, ...]:
    """What holds of a subject that is one of the values named at one place, all of it together."""
    if len(named) == 1:
        return (_compared(subject, "=", named[0]),)
    return _compared(subject, ">=", named[0]), _compared(subject, "<=", named[-1])


def _compared(subject: Expression, operator: str, value: Expression) -> Comparison:
    return Comparison(type=FLAG, span=value.span, operator=operator, left=subject, right=value)


def _case_facts(subject: Expression, named: Iterable[_Named], facts: Facts) -> Facts:
    """What is known in a case: what all its values have in common."""
    if not isinstance(subject.type, NumberType):
        named = [(each,) for value in named for each in value]
    known = [reduce(lambda a, b: suppose(a, b, truth=True), _bounds(subject, each), facts) for each in named]
    return join(known) or facts


def _other_facts(subject: Expression, named: Iterable[_Named], facts: Facts) -> Facts:
    """What is known where no value of a case came: a range of numbers at an end leaves what is above or below it."""
    for value in named:
        if len(value) > 1 and isinstance(subject.type, NumberType):
            open_ = [each for each in _bounds(subject, value) if prove(facts, each) is not Proof.PROVED]
            facts = suppose(facts, open_[0], truth=False) if len(open_) == 1 else facts
        else:
            facts = reduce(lambda a, b: suppose(a, _compared(subject, "=", b), truth=False), value, facts)
    return facts


def _number(value: Expression) -> int | None:
    """The number that is written; none for anything else."""
    held = value.value if isinstance(value, Literal) else None
    return held if isinstance(held, int) and not isinstance(held, bool) else None
