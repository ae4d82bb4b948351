"""Plays scenarios against mutants, in this process or in several, and proves of some that they play the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from rulewright.analysis.facts.intervals import Range, overlap
from rulewright.analysis.facts.knowledge import Facts
from rulewright.analysis.facts.prove import number_range
from rulewright.comparing.edits import Correspondence
from rulewright.comparing.proved_pairs import Pairs, Remaining
from rulewright.drivers.session import Session
from rulewright.files import Provider
from rulewright.files.providers import Revised
from rulewright.machine.faults import Limits
from rulewright.machine.request import Faulted
from rulewright.mutations.mutant import Mutant
from rulewright.program.declarations import Declared, Function, Program, StandingRule
from rulewright.program.expressions import COMPARES, Comparison, Expression, Literal
from rulewright.program.types import NumberType
from rulewright.proving.bounds import Highest
from rulewright.proving.functions import calls
from rulewright.proving.pairing import declarations_told_apart
from rulewright.proving.reading import Revision
from rulewright.roles import Role, is_node, names
from rulewright.scenarios.kept import KeptRules
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.play import play
from rulewright.scenarios.suite import Result
from rulewright.scoring.baseline import Baseline, plainest, plays_of, with_text
from rulewright.scoring.report import Verdict
from rulewright.workers import started_workers
from rulewright.workspace import Loaded, Located
from rulewright.workspace.load import Again

SAME = "both are checked to the same program"
WRITTEN = "both say the same once what means the same is written the same"
RULES = "standing rules keep their order"
SOLVED = "a solver proves that no situation tells them apart"

_MOST = 1000
_UNCHANGED = Correspondence({}, {})
_PLAYED = frozenset({"functions", "measures", "invariants", "events", "handlers", "rules", "procedures"})
_NEVER_ENDED = "RW0901"
_AT_ONCE = 4


def same(before: Program, after: Program) -> str:
    """Why two programs play the same; empty where that could not be shown."""
    reasons = list(_reasons(before, after))
    if "" not in reasons:
        return next(iter(reasons), SAME)
    if Pairs(before, after, _UNCHANGED).left() == Remaining((), ()):
        return WRITTEN
    return SOLVED if _solved(before, after) else ""


def _solved(before: Program, after: Program) -> bool:
    """Whether a solver proves all that differs to play alike."""
    unplayed = (each for each in names(Program, Role.PLACE) if each not in _PLAYED)
    if any("" in _reasons(getattr(before, each), getattr(after, each)) for each in unplayed):
        return False
    pairs = list(_differing(before, after))
    if any(pair is None for pair in pairs):
        return False
    altered = {pair[0].name for pair in pairs if pair is not None and isinstance(pair[0], Function)}
    old, new = (_revision(mark, each, altered) for mark, each in (("old", before), ("new", after)))
    told = (declarations_told_apart(old, new, pair, lambda *_: None) for pair in pairs if pair is not None)
    return all(each.alike and each.rows for each in told)


def _differing(before: Program, after: Program) -> Iterator[tuple[Declared, Declared] | None]:
    """The declarations that differ; none for a group of which only one program has some."""
    for sort in sorted(_PLAYED):
        first, second = getattr(before, sort), getattr(after, sort)
        if list(first) != list(second) or _order(first) != _order(second):
            yield None
            continue
        for name in first:
            if "" in _reasons(first[name], second[name]):
                yield first[name], second[name]


def _revision(mark: str, program: Program, altered: set[str]) -> Revision:
    """A revision whose names are those of the other one, too."""
    lost = set(altered)
    while more := {name for name in program.functions if name not in lost and calls(program, name) & lost}:
        lost |= more
    return Revision(mark, program, lambda _, name: name, lambda name: name not in lost, Highest(program))


def _reasons(before: Any, after: Any) -> Iterator[str]:  # any part of a program
    """One for each difference; empty where there is none."""
    if before is after:
        return
    if isinstance(before, Comparison) and isinstance(after, Comparison):
        below = list(_parts(before, after))
        yield from [_alike(before, after)] if "" in below else below
    elif isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from _mappings(before, after)
    elif isinstance(before, tuple) and isinstance(after, tuple):
        yield from _tuples(before, after)
    elif is_node(type(before)) and type(before) is type(after):
        yield from _parts(before, after)
    elif type(before) is not type(after) or before != after:
        yield ""


def _parts(before: Any, after: Any) -> Iterator[str]:
    for name in names(type(before), Role.PLACE):
        yield from _reasons(getattr(before, name), getattr(after, name))


def _tuples(before: tuple[Any, ...], after: tuple[Any, ...]) -> Iterator[str]:
    if len(before) != len(after):
        yield ""
        return
    yield from chain.from_iterable(map(_reasons, before, after))


def _mappings(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> Iterator[str]:
    if list(before) != list(after):
        yield ""
        return
    if _order(before) and _order(before) == _order(after):
        for name in before:
            yield from _rules(before[name], after[name])
        return
    for name in before:
        yield from _reasons(before[name], after[name])


def _order(group: Mapping[Any, Any]) -> list[str]:
    """The standing rules of a group in the order in which they are tried; none where it holds something else."""
    if not all(isinstance(each, StandingRule) for each in group.values()):
        return []
    return sorted(group, key=lambda name: (group[name].priority, list(group).index(name)))


def _rules(before: StandingRule, after: StandingRule) -> Iterator[str]:
    if before.priority != after.priority:
        yield RULES
    for name in names(StandingRule, Role.PLACE):
        if name != "priority":
            yield from _reasons(getattr(before, name), getattr(after, name))


def _alike(before: Comparison, after: Comparison) -> str:
    """Why no value of a whole number tells two comparisons of it apart; empty where one may."""
    if not _is_whole(before.left) or _differ(before.left, after.left):
        return ""
    low, high = number_range(Facts(), before.left)
    if not _differ(before.right, after.right):
        signs = _signs((low, high), number_range(Facts(), before.right)) if _is_whole(before.right) else (-1, 0, 1)
        pairs = [(sign, 0, 0) for sign in signs]
    else:
        first, second = _literal(before.right), _literal(after.right)
        if first is None or second is None or low is None or high is None or high - low > _MOST:
            return ""
        pairs = [(value, first, second) for value in range(low, high + 1)]
    one, other = COMPARES[before.operator], COMPARES[after.operator]
    alike = all(one(value, first) == other(value, second) for value, first, second in pairs)
    return f"the number is {low} to {high}, and both agree on each of these" if alike else ""


def _differ(before: Expression, after: Expression) -> bool:
    return bool(list(_reasons(before, after)))


def _is_whole(expression: Expression) -> bool:
    return isinstance(expression.type, NumberType)


def _signs(first: Range, second: Range) -> tuple[int, ...]:
    """How numbers of two ranges can differ: below 0, not at all, above 0."""
    below = first[0] is None or second[1] is None or first[0] < second[1]
    above = first[1] is None or second[0] is None or first[1] > second[0]
    met = overlap(first, second)
    level = None in met or met[0] <= met[1]  # type: ignore[operator]
    return tuple(sign for sign, possible in ((-1, below), (0, level), (1, above)) if possible)


def _literal(expression: Expression) -> int | None:
    if isinstance(expression, Literal) and isinstance(expression.value, int) and not isinstance(expression.value, bool):
        return expression.value
    return None


@dataclass(frozen=True)
class Judge:
    """Judges mutants; each is seen as an edit of rules that are loaded once."""

    baseline: Baseline  # what they are held against
    provider: Provider  # where texts come from
    _again: Again = field(default_factory=Again)
    _begun: set[tuple[Located, tuple[str, ...]]] = field(default_factory=set)

    def verdict(self, mutant: Mutant) -> Verdict:
        """What becomes of a mutant."""
        rules = self._rules(mutant)
        checked = rules.of(plainest(mutant, self.baseline).case)
        if checked.value is None:
            return Verdict("refused", checked.diagnostics[0].message if checked.diagnostics else "")
        runs = plays_of(mutant, self.baseline)
        for number, run in enumerate(runs, 1):
            sessions: list[Session] = []
            result = play(run.case, rules, sessions.append, Limits(work=run.limit))
            if result.outcome != "passed":
                return Verdict("killed", _seen(result, sessions), (run.case.file, run.case.name), number)
        proof = self._proof(mutant, rules)
        return Verdict("equivalent", proof, plays=len(runs)) if proof else Verdict("survived", plays=len(runs))

    def _rules(self, mutant: Mutant) -> Rules:
        text = mutant.applied(self.baseline.texts[mutant.place.source])
        return Rules(Revised(self.provider, {text.name: text.content}), loader=self._load)

    def _load(self, located: Located, overlays: tuple[str, ...], provider: Provider) -> Loaded:
        if (located, overlays) not in self._begun:
            self._begun.add((located, overlays))
            self._again.load(located, overlays, self.provider)
        return self._again.load(located, overlays, provider)

    @cached_property
    def _unchanged(self) -> Rules:
        return KeptRules(self.provider)

    def _proof(self, mutant: Mutant, rules: Rules) -> str:
        """Why a mutant plays as the rules do, whatever the ruleset it is part of; empty where that is not known."""
        if mutant.line is not None and mutant.line in self.baseline.dead:
            return self.baseline.dead[mutant.line]
        proofs = []
        for run in {each.ruleset: each for each in with_text(mutant, self.baseline)}.values():
            before, after = self._unchanged.of(run.case).value, rules.of(run.case).value
            proof = same(before.program, after.program) if before and after else ""
            if not proof:
                return ""
            proofs.append(proof)
        return proofs[0]


def _seen(result: Result, sessions: Sequence[Session]) -> str:
    """What a scenario saw of a change, in a few words."""
    outcomes = (each.outcome for each in sessions)
    if any(isinstance(each, Faulted) and each.code == _NEVER_ENDED for each in outcomes):
        return "it never ended"
    if result.outcome == "wrong":
        found = result.wrong[0] if result.wrong else None
        return f"{found.message} ({found.code})" if found else ""
    return ", ".join(dict.fromkeys(each.what for each in result.misses))


def verdicts(
    mutants: Sequence[Mutant], baseline: Baseline, provider: Provider, workers: int
) -> Iterator[tuple[Mutant, Verdict]]:
    """What becomes of each mutant, as soon as it is known.

    When nobody asks for more, what was not begun is given up.
    """
    if workers == 1 or len(mutants) == 1:
        judge = Judge(baseline, provider)
        for each in mutants:
            yield each, judge.verdict(each)
        return
    from concurrent.futures import as_completed  # noqa: PLC0415 - seldom wanted

    parts = [mutants[first : first + _AT_ONCE] for first in range(0, len(mutants), _AT_ONCE)]
    pool = started_workers(workers, _begin, baseline, provider)
    try:
        for done in as_completed([pool.submit(_part, part) for part in parts]):
            yield from done.result()
    finally:
        pool.shutdown(cancel_futures=True)


_JUDGES: list[Judge] = []
"""The one of a worker, which keeps what it read."""


def _begin(baseline: Baseline, provider: Provider) -> None:
    _JUDGES[:] = [Judge(baseline, provider)]


def _part(mutants: Sequence[Mutant]) -> list[tuple[Mutant, Verdict]]:
    return [(each, _JUDGES[0].verdict(each)) for each in mutants]
