"""Standing rules of which one always applies, so that the state never settles (manual, Settling)."""

from collections.abc import Iterator, Sequence

from rulewright.analysis.facts import Facts, Proof, assume, prove
from rulewright.analysis.facts.keys import key
from rulewright.analysis.infer import places
from rulewright.analysis.reads import ANYTHING, reads
from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.frozen import dataclass
from rulewright.program import statements as s
from rulewright.program.declarations import Program, StandingRule
from rulewright.program.effects import written_by
from rulewright.program.expressions import Expression, Local, Logical, Variable
from rulewright.program.walk import all_lines, rebuilt

_QUIET = (s.Nothing, s.Ruling, s.If, s.Match, s.ForEach, s.Together, s.Let)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A standing rule that only writes what is known: conditions, the `where` first, what they read, what it writes."""

    rule: StandingRule
    conditions: tuple[Expression, ...]
    read: frozenset[str]
    written: frozenset[str]


_COMPARED = 12
"""With so many rules before it that read the same a rule is compared, the nearest ones."""


def check_undoing(program: Program, facts: Facts, report: Report) -> None:
    """Warns of two standing rules that undo each other (RW0540).

    Only where it is sure: both are about the same members, and wherever what they leave alone lets both act, one
    applies whenever the other does not. No `lowers` can shrink for both then. The facts say only what functions mean.
    Rules whose conditions read nothing of the game in common do not undo each other.
    """
    told = [found for each in program.rules.values() if (found := _told(each, facts)) is not None]
    for first, second in _pairs(told):
        report.address = second.rule.name
        if _undo(first, second, facts):
            one, other = first.rule.name, second.rule.name
            report.warning(
                "RW0540",
                second.rule.span,
                f"`{one}` and `{other}` undo each other: one of them always applies",
                secondary=(Label(first.rule.span, "the other one"),),
                help="let a state be left in which neither of them applies",
            )
    report.address = ""


def _pairs(told: Sequence[_Rule]) -> Iterator[tuple[_Rule, _Rule]]:
    """Each rule with those before it that read the same, found by what they read."""
    readers: dict[str, list[int]] = {}
    for at, second in enumerate(told):
        near = {each for name in second.read for each in readers.get(name, ())[-_COMPARED:]}
        yield from ((told[each], second) for each in sorted(near)[-_COMPARED:])
        for name in second.read:
            readers.setdefault(name, []).append(at)


def _told(rule: StandingRule, facts: Facts) -> _Rule | None:
    changed: set[str] = set()
    for line in all_lines(rule):
        found = written(line)
        if found is None:
            return None
        changed |= found
    where = rule.binding.where if rule.binding is not None else None
    conditions = (*(_parts(where) if where is not None else ()), *_parts(rule.condition))
    read = frozenset().union(*(reads(each, facts.reads) for each in conditions))
    of_game = frozenset(each for each in read if not each.startswith("local/"))
    return _Rule(rule, conditions, of_game, frozenset(changed))


def written(line: s.Statement) -> frozenset[str] | None:
    """What a line writes; none where it may do anything else."""
    match line:
        case s.Assign(place=place) | s.AddAmount(place=place) | s.AddMember(place=place):
            return places.written(place)
        case s.AddPair() | s.Move() | s.Turn():
            return written_by(line)
        case _:
            return frozenset() if isinstance(line, _QUIET) else None


def _parts(condition: Expression) -> Iterator[Expression]:
    """`a and (b and c)` as the three of them."""
    match condition:
        case Logical(operator="and", left=left, right=right):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield condition


def _undo(first: _Rule, second: _Rule, facts: Facts) -> bool:
    names = _same_members(first.rule, second.rule, first.written | second.written, facts)
    if names is None:
        return False
    written = first.written | second.written
    asked = tuple(_renamed(each, names) for each in second.conditions)
    own, rest = _split(first.conditions, written, facts)
    others, other_rest = _split(asked, written, facts)
    alone, other_alone = ({key(each) for each in each_rest} for each_rest in (rest, other_rest))
    if not own or not others or not (alone <= other_alone or other_alone <= alone):
        return False
    known = facts
    for each in (*rest, *other_rest):
        known = assume(known, each, truth=True)
    return all(prove(assume(known, one, truth=False), other) is Proof.PROVED for one in own for other in others)


def _same_members(
    first: StandingRule, second: StandingRule, written: frozenset[str], facts: Facts
) -> dict[int, Variable] | None:
    """The names of the second rule as those of the first, where both visit the same members that nothing changes."""
    if first.binding is None or second.binding is None:
        return {} if first.binding is second.binding else None
    one, other = first.binding, second.binding
    if len(one.variables) != len(other.variables) or key(one.source) != key(other.source):
        return None
    if reads(one.source, facts.reads) & written:
        return None
    pairs = zip(one.variables, other.variables, strict=True)
    return {b.index: a for a, b in pairs if a is not None and b is not None}


def _renamed(expression: Expression, names: dict[int, Variable]) -> Expression:
    def change(part: Expression) -> Expression:
        return _renamed(part, names)

    if isinstance(expression, Local) and expression.variable.index in names:
        name = names[expression.variable.index]
        return Local(type=expression.type, span=expression.span, variable=name)
    return rebuilt(expression, change)


def _split(
    conditions: tuple[Expression, ...], written: frozenset[str], facts: Facts
) -> tuple[list[Expression], list[Expression]]:
    """The conditions that read what is written, and the others."""
    own: list[Expression] = []
    rest: list[Expression] = []
    for each in conditions:
        read = reads(each, facts.reads)
        (own if read & written or ANYTHING in read else rest).append(each)
    return own, rest
