"""Whether the rows of a decide cover every case, and whether each is ever reached."""

from collections.abc import Iterator
from itertools import product
from math import prod

from rulewright.analysis.facts import Facts, Proof, number_range, prove, suppose
from rulewright.analysis.facts.keys import Key, equal, key
from rulewright.analysis.functions.cases import SOME, Answer, Question, Questions, answers, free, shown
from rulewright.analysis.infer.names import words_of
from rulewright.analysis.scope import Scope
from rulewright.diagnostics.suggest import left_out
from rulewright.program.expressions import Expression
from rulewright.program.rows import DecideRow
from rulewright.program.types import NumberType

MOST_CASES = 4096


def decide(rows: tuple[DecideRow, ...], scope: Scope) -> bool:
    """Whether every row is reached and every case has one; reports rows and cases of which that is not so."""
    dead = _unreachable(rows, scope.facts)
    questions = Questions()
    tests = [questions.test(row.guard) if row.guard is not None else None for row in rows]
    domains = {name: domain(each, scope) for name, each in questions.found.items()}
    open_case: dict[Key, Answer] | None = None
    exhausted = prod(len(domain) for domain in domains.values()) <= MOST_CASES
    if exhausted:
        reached = set[int]()
        for case in _cases(domains):
            place = next((at for at, test in enumerate(tests) if test is None or test(case)), None)
            if place is not None:
                reached.add(place)
            elif open_case is None:
                open_case = case
        dead |= set(range(len(rows))) - reached
    for place in sorted(dead):
        _never(rows[place], scope)
    if rows[-1].guard is not None and not (exhausted and open_case is None) and not _excluded(rows, scope.facts):
        _open(rows, questions.found, open_case, scope)
        return False
    return not dead


def _cases(domains: dict[Key, list[Answer]]) -> Iterator[dict[Key, Answer]]:
    for chosen in product(*domains.values()):
        yield dict(zip(domains, chosen, strict=True))


def _unreachable(rows: tuple[DecideRow, ...], facts: Facts) -> set[int]:
    dead = set[int]()
    for place, row in enumerate(rows):
        if row.guard is None:
            break
        proof = prove(facts, row.guard)
        if proof is Proof.REFUTED:
            dead.add(place)
        elif proof is Proof.PROVED:
            dead |= set(range(place + 1, len(rows)))
            break
        facts = suppose(facts, row.guard, truth=False)
    return dead


def _excluded(rows: tuple[DecideRow, ...], facts: Facts) -> bool:
    """Whether some row holds when all above it do not, so that no case is left."""
    for row in rows:
        if row.guard is None or prove(facts, row.guard) is Proof.PROVED:
            return True
        facts = suppose(facts, row.guard, truth=False)
    return False


def domain(question: Question, scope: Scope) -> list[Answer]:
    """The answers to a question that are possible here, or for numbers those that make a difference."""
    subject = question.subject
    bounds = number_range(scope.facts, subject) if isinstance(subject.type, NumberType) else (None, None)
    found = answers(question, bounds, lambda values: len(list(words_of(values, scope))))
    return [each for each in found if _possible(question, each, scope.facts)] or found


def _possible(question: Question, answer: Answer, facts: Facts) -> bool:
    subject = question.subject
    if question.judged:
        proof = prove(facts, subject)
        return proof is Proof.UNKNOWN or (proof is Proof.PROVED) is answer
    if question.other is not None or isinstance(subject.type, NumberType):
        return True
    known = _word_known(subject, answer, facts)
    return known is not False


def _word_known(subject: Expression, answer: Answer, facts: Facts) -> bool | None:
    match answer:
        case None:
            other: Key = ("literal", "NoneType", None)
        case int():
            other = ("WordLiteral", answer)
        case _:
            return None
    found = facts.truths.get(equal(key(subject), other))
    return None if found is None else found[0]


def _never(row: DecideRow, scope: Scope) -> None:
    scope.report.error(
        "RW0410",
        row.span,
        f"row `{row.id}` is never reached",
        help="the rows above it take every case in which it would hold, or its condition never holds",
        edits=left_out(row.span),
    )


def _open(
    rows: tuple[DecideRow, ...], found: dict[Key, Question], case: dict[Key, Answer] | None, scope: Scope
) -> None:
    span = rows[0].span.to(rows[-1].span)
    remedy = "end with a row `…: … otherwise`"
    if case is not None and all(_is_free(each, scope) for each in found.values()):
        shown_case = " and ".join(
            shown(question, case[name], lambda values, at: _word(values, at, scope))
            for name, question in found.items()
            if case[name] != SOME
        )
        scope.report.error("RW0408", span, f"no row holds when {shown_case}", help=remedy)
        return
    scope.report.warning(
        "RW0409",
        span,
        "there may be cases that no row covers",
        notes=("It could not be shown that some row always holds; where none does, the run stops here.",),
        help=remedy,
    )


def _is_free(question: Question, scope: Scope) -> bool:
    def seen(expression: Expression) -> bool:
        name = key(expression)
        return name in scope.facts.ranges or any(name in each for each in scope.facts.truths)

    if question.judged and question.other is None:
        return free(question.subject, scope.variables.inputs, seen)
    sides = [each for each in (question.subject, question.other) if each is not None]
    return all(free(each, scope.variables.inputs, seen) for each in sides)


def _word(values: str, position: int, scope: Scope) -> str:
    return next(word for word, place in words_of(values, scope) if place == position)
