"""Linear forms of whole numbers: sums in which equal terms cancel, and counts give way to the sizes they are counted in.

`men - hits` is not below 0 where `hits` counts some of a roll of `men` dice: the count is at most the number of dice, and
`men - men` is 0. Bounds of types alone cannot show it, since they forget that both terms speak of the same number.
"""

from collections.abc import Callable, Iterator, Mapping

from rulewright.base.frozen import dataclass, replace
from rulewright.checker.facts.fact_store import FactKey, Facts, make_key, normalize_claim
from rulewright.checker.facts.intervals import Interval, add_intervals, intersect_intervals, multiply_intervals
from rulewright.program import expressions as ex
from rulewright.program.conditions import make_size_expression
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import NumberType

_MAX_TERMS = 6  # of a form; a chosen limit, as is the next
_MAX_REPLACED_COUNTS = 3  # one after another
_Resolve = Callable[[Expression], Expression]


@dataclass(frozen=True, slots=True)
class LinearForm:
    """A constant and terms, each an expression with a factor that is not 0, by the key of the expression."""

    terms: Mapping[FactKey, tuple[Expression, int]]
    constant: int = 0

    def plus(self, other: "LinearForm", factor: int = 1) -> "LinearForm":
        """The sum with a multiple of another form."""
        terms = dict(self.terms)
        for key, (term, times) in other.terms.items():
            terms[key] = (term, terms.get(key, (term, 0))[1] + factor * times)
        kept = {key: term for key, term in terms.items() if term[1]}
        return LinearForm(kept, self.constant + factor * other.constant)


def bound_sum(
    facts: Facts, total: Expression, resolve: _Resolve, evaluate: Callable[[Expression], Interval]
) -> Interval:
    """Interval of a sum or difference by what cancels in it; no bounds where nothing does.

    `resolve` gives the value of a name where it has only one, `evaluate` the interval of a term.
    """
    forms = _FormBuilder(facts, resolve)
    form = forms.build(total)
    bounds: Interval = (None, None)
    if len(form.terms) > _MAX_TERMS or not (forms.has_counts or forms.is_simplified):
        return bounds
    for sign in (1, -1):
        for majorant in (form, *forms.iterate_majorants(form, sign, _MAX_REPLACED_COUNTS)):
            low, high = _evaluate_form(majorant, evaluate)
            bounds = intersect_intervals(bounds, (None, high) if sign > 0 else (low, None))
    return bounds


def _evaluate_form(form: LinearForm, evaluate: Callable[[Expression], Interval]) -> Interval:
    total: Interval = (form.constant, form.constant)
    for term, times in form.terms.values():
        total = add_intervals(total, multiply_intervals((times, times), evaluate(term)))
    return total


class _FormBuilder:
    def __init__(self, facts: Facts, resolve: _Resolve) -> None:
        self._facts = facts
        self._resolve = resolve
        self.has_counts = False  # whether a term counts members
        self.is_simplified = False  # whether terms cancelled each other, or two counts made one

    def build(self, expression: Expression) -> LinearForm:
        """The form of a number, with names replaced by their values."""
        value = self._resolve(expression)
        match value:
            case ex.Narrowed(operand=operand):
                return self.build(operand)
            case ex.Literal(value=int() as number) if not isinstance(number, bool):
                return LinearForm({}, number)
            case ex.Negation(operand=operand):
                return LinearForm({}).plus(self.build(operand), -1)
            case ex.Arithmetic(operator="+" | "-" as operator, left=left, right=right, type=NumberType()):
                one, other = self.build(left), self.build(right)
                result = self._join_counts(one.plus(other, 1 if operator == "+" else -1))
                self.is_simplified |= len(result.terms) < len(one.terms) + len(other.terms)
                return result
            case _:
                self.has_counts |= _get_counted(value) is not None
                return LinearForm({make_key(value): (value, 1)})

    def _join_counts(self, form: LinearForm) -> LinearForm:
        """The form with the number of all members for two counts of which one takes just what the other leaves."""
        counts = [(key, binding, times) for key, binding, times in _iterate_counts(form) if binding.where is not None]
        for at, (key, binding, times) in enumerate(counts):
            for other_key, other, other_times in counts[at + 1 :]:
                if times == other_times and _are_complements(binding, other):
                    rest = {each: term for each, term in form.terms.items() if each not in {key, other_key}}
                    return LinearForm(rest, form.constant).plus(self._build_size(binding), times)
        return form

    def _build_size(self, binding: Binding) -> LinearForm:
        """Number of all members of the collection that a binding goes through."""
        match self._resolve_source(binding.source):
            case ex.Local(variable=variable) if variable.index in self._facts.sizes:
                return self.build(self._facts.sizes[variable.index][0])
            case source:
                size = make_size_expression(replace(binding, source=source, where=None), source.span)
                return LinearForm({make_key(size): (size, 1)})

    def _resolve_source(self, source: Expression) -> Expression:
        return self._resolve(source) if isinstance(source, ex.Local) else source

    def iterate_majorants(self, form: LinearForm, sign: int, most: int) -> Iterator[LinearForm]:
        """Forms that are at least (`sign` 1) or at most (-1) this one: a count is at most the size it is counted in."""
        for key, binding, times in _iterate_counts(form):
            whole = self._build_size(binding)
            if times * sign > 0 and most and key not in whole.terms:
                rest = LinearForm({each: term for each, term in form.terms.items() if each != key}, form.constant)
                replaced = self._join_counts(rest.plus(whole, times))
                yield replaced
                yield from self.iterate_majorants(replaced, sign, most - 1)


def _get_counted(value: Expression) -> Binding | None:
    return value.binding if isinstance(value, ex.Aggregate) and value.word == "count" else None


def _iterate_counts(form: LinearForm) -> Iterator[tuple[FactKey, Binding, int]]:
    for key, (term, times) in form.terms.items():
        if (binding := _get_counted(term)) is not None:
            yield key, binding, times


def _are_complements(one: Binding, other: Binding) -> bool:
    """Whether each member of one collection is counted by one of two bindings, and by one alone."""
    if one.where is None or other.where is None or make_key(one.source) != make_key(other.source):
        return False
    if len(one.variables) != 1 or len(other.variables) != 1 or None in {*one.variables, *other.variables}:
        return False
    (first,), (second,) = one.variables, other.variables
    claims = (
        normalize_claim(one.where, {first.index: 0}),  # type: ignore[union-attr]
        normalize_claim(other.where, {second.index: 0}),  # type: ignore[union-attr]
    )
    return claims[0].key == claims[1].key and claims[0].truth is not claims[1].truth
