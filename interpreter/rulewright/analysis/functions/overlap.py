"""Whether the order of a decide's rows decides where no text says so: two rows that may hold at once (RW0565)."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import prod

from rulewright.analysis.facts import Facts, Proof, number_range, prove, suppose
from rulewright.analysis.facts.keys import key
from rulewright.analysis.functions.cases import Questions
from rulewright.analysis.functions.cover import MOST_CASES, domain
from rulewright.analysis.scope import Scope
from rulewright.diagnostics import Label
from rulewright.program.expressions import Aggregate, Binding, Comparison, Expression
from rulewright.program.rows import DecideRow
from rulewright.program.types import COUNT, FLAG, ListType, SetType

_Both = tuple[bool, ...]


def check_overlap(rows: tuple[DecideRow, ...], cited: Sequence[bool], scope: Scope) -> None:
    """Warns of the first two rows that may hold at once with unlike values, neither being a case of the other.

    A row that is a case of the one below it is meant to come first. What is `otherwise` or cites a clause of its own
    is said by the text.
    """
    judged = [each for each in rows if each.guard is not None]
    cases = list(_cases(judged, scope))
    for first, second in combinations(range(len(judged)), 2):
        one, other = judged[first], judged[second]
        if cited[first] or cited[second] or not cases or not _unlike(one, other, scope.facts):
            continue
        reached = [case for case in cases if not any(case[:first])]
        crossed = {(case[first], case[second]) for case in reached} >= {(True, True), (True, False), (False, True)}
        if crossed and _independent(judged, first, second, scope.facts):
            _report(one, other, scope)
            return


def _cases(rows: Sequence[DecideRow], scope: Scope) -> Iterator[_Both]:
    """Which rows hold, in every case there may be; none where there are too many."""
    questions = Questions()
    tests = [questions.test(each.guard) for each in rows if each.guard is not None]
    domains = {name: domain(each, scope) for name, each in questions.found.items()}
    if prod(map(len, domains.values())) > MOST_CASES:
        return
    for chosen in product(*domains.values()):
        case = dict(zip(domains, chosen, strict=True))
        yield tuple(test(case) for test in tests)


def _unlike(one: DecideRow, other: DecideRow, facts: Facts) -> bool:
    """Whether two rows may give two values where both hold."""
    if key(one.value) == key(other.value):
        return False
    for each in (one, other):
        facts = suppose(facts, _guard(each), truth=True)
    same = Comparison(type=FLAG, span=one.span, operator="=", left=one.value, right=other.value)
    return prove(facts, same) is not Proof.PROVED and not (_empty(one.value, facts) and _empty(other.value, facts))


def _empty(value: Expression, facts: Facts) -> bool:
    """Whether a value is a collection without members."""
    collection = isinstance(value.type, SetType | ListType)
    size = Aggregate(type=COUNT, span=value.span, word="count", binding=Binding((None,), value, None), value=None)
    return collection and number_range(facts, size) == (0, 0)


def _independent(rows: Sequence[DecideRow], first: int, second: int, facts: Facts) -> bool:
    """Whether each of two conditions may hold with the other and without it, where no row above holds."""
    for each in rows[:first]:
        facts = suppose(facts, _guard(each), truth=False)
    one, other = _guard(rows[first]), _guard(rows[second])
    return all(
        prove(suppose(facts, given, truth=True), asked) is Proof.UNKNOWN
        for given, asked in ((one, other), (other, one))
    )


def _guard(row: DecideRow) -> Expression:
    assert row.guard is not None
    return row.guard


def _report(one: DecideRow, other: DecideRow, scope: Scope) -> None:
    scope.report.warning(
        "RW0565",
        other.span,
        f"row `{other.id}` may hold together with `{one.id}`, which comes first and wins",
        secondary=(Label(one.span, "this row"),),
        notes=("Nothing here says that the order is meant.",),
        help="let one of them exclude the other, cite the clause that says so, or write a `ruling` above the decide",
    )
