"""What goes on without end, until a bound stops the run: jumps and performs made again, rules that undo each other.

Only what is sure is told: no line on the way leads elsewhere, and nothing on it changes what the line hangs on
(manual, Faults and Settling).
"""

from collections.abc import Iterator, Sequence

from rulewright.analysis.facts import Facts, Proof, prove, suppose
from rulewright.analysis.facts.knowledge import conjuncts, key
from rulewright.analysis.infer.references import written_keys
from rulewright.analysis.reads import ANYTHING, reads
from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.frozen import dataclass
from rulewright.program import statements as s
from rulewright.program.declarations import Procedure, Program, StandingRule
from rulewright.program.effects import written_by
from rulewright.program.expressions import Expression, Local, Variable
from rulewright.program.walk import all_lines, every, inner, lines_of, rebuilt
from rulewright.program.wording import Wording

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
            message = f"`{one}` and `{other}` undo each other: one of them always applies"
            there = (Label(first.rule.span, "the other one"),)
            remedy = "let a state be left in which neither of them applies"
            report.warning("RW0540", second.rule.span, message, secondary=there, help=remedy)
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
        found = _written_by(line)
        if found is None:
            return None
        changed |= found
    where = rule.binding.where if rule.binding is not None else None
    conditions = (*(conjuncts(where) if where is not None else ()), *conjuncts(rule.condition))
    read = frozenset().union(*(reads(each, facts.reads) for each in conditions))
    of_game = frozenset(each for each in read if not each.startswith("local/"))
    return _Rule(rule, conditions, of_game, frozenset(changed))


def _written_by(line: s.Statement) -> frozenset[str] | None:
    """What a line writes; none where it may do anything else."""
    match line:
        case s.Assign(place=place) | s.AddAmount(place=place) | s.AddMember(place=place):
            return written_keys(place)
        case s.AddPair() | s.Move() | s.Turn():
            return written_by(line)
        case _:
            return frozenset() if isinstance(line, _QUIET) else None


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
        known = suppose(known, each, truth=True)
    return all(prove(suppose(known, one, truth=False), other) is Proof.PROVED for one in own for other in others)


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


_CALLS = (s.Perform, s.Trigger, s.Remove)
_BINDS = (s.Roll, s.Ask, s.AskAll, s.Repeat, s.Proceed, s.Perform)
_Way = tuple[s.Statement, tuple[Expression, ...]]


def check_endless(program: Program, facts: Facts, report: Report) -> None:
    """Warns of jumps back (RW0860) and of procedures that perform themselves (RW0861) without end.

    The facts say only what functions read.
    """
    ended = any(lines_of(program, s.FinishOuter))
    for procedure in program.procedures.values():
        report.address = procedure.name
        finding = _Endless(program, procedure, facts, ended=ended)
        for line, conditions in finding.jumps():
            back = f"nothing from step `{line.step}` on changes {_quoted(conditions, program)}"
            back = back if conditions else f"every way from step `{line.step}` leads back to it"
            remedy = "change on the way what it depends on, or leave the way with `finish` or a jump further down"
            report.warning("RW0860", line.span, f"once this jump is made no player can end it: {back}", help=remedy)
        for call, conditions in finding.performs():
            back = (
                f"nothing in it changes {_quoted(conditions, program)}"
                if conditions
                else "every way through it leads here"
            )
            remedy = "perform it only where something is left that becomes less each time"
            message = f"no player can end this: `{procedure.name}` performs itself, and {back}"
            report.warning("RW0861", call.span, message, help=remedy)
    report.address = ""


def _quoted(conditions: tuple[Expression, ...], program: Program) -> str:
    wording = Wording(program)
    return " and ".join(f"`{each}`" for each in dict.fromkeys(map(wording.text, conditions)))


class _Endless:
    """The lines of one procedure that are made without end, with the conditions under which they are."""

    def __init__(self, program: Program, procedure: Procedure, facts: Facts, *, ended: bool) -> None:
        self._program = program
        self._procedure = procedure
        self._facts = facts
        self._ended = ended
        self._parameters = {f"local/{each.index}" for each in procedure.parameters}

    def jumps(self) -> Iterator[tuple[s.Proceed, tuple[Expression, ...]]]:
        """Jumps back that are taken again whenever they were taken once."""
        steps = self._procedure.steps
        order = {step.id: place for place, step in enumerate(steps)}
        for place, step in enumerate(steps):
            for line, conditions in _sure_ways(step.block, () if step.guard is None else (step.guard,)):
                if isinstance(line, s.Proceed) and order.get(line.step, place + 1) <= place:
                    way = tuple(each for part in steps[order[line.step] : place + 1] for each in every(part.block))
                    forward = {each.id for each in steps[order[line.step] + 1 : place + 1]}
                    if not self._leads_out(way, line, forward) and self._stays(conditions, way, frozenset()):
                        yield line, conditions

    def performs(self) -> Iterator[tuple[s.Perform, tuple[Expression, ...]]]:
        """Lines by which the procedure performs itself whenever it is performed, with the same arguments."""
        way = tuple(all_lines(self._procedure))
        for line, conditions in self._anywhere():
            if isinstance(line, s.Perform) and line.procedure == self._procedure.name and line.steps is None:
                pairs = zip(self._procedure.parameters, line.arguments, strict=True)
                other = frozenset(
                    f"local/{own.index}"
                    for own, given in pairs
                    if not isinstance(given, Local) or given.variable.index != own.index
                )
                if not self._leads_out(way, line, frozenset()) and self._stays(conditions, way, other):
                    yield line, conditions

    def _anywhere(self) -> Iterator[_Way]:
        for part in self._procedure.opening:
            if isinstance(part, tuple):
                yield from _sure_ways(part, ())
        for step in self._procedure.steps:
            yield from _sure_ways(step.block, () if step.guard is None else (step.guard,))

    def _leads_out(self, way: tuple[s.Statement, ...], line: s.Statement, forward: frozenset[str] | set[str]) -> bool:
        """Whether a line of a way may lead elsewhere: out of the routine, or to another step than those before it."""
        for each in way:
            if isinstance(each, s.Finish | s.FinishOuter) or (isinstance(each, _CALLS) and self._ended):
                return True
            if isinstance(each, s.Proceed) and each is not line and each.step not in forward:
                return True
        return self._ended and bool(self._program.rules)

    def _stays(self, conditions: tuple[Expression, ...], way: tuple[s.Statement, ...], other: frozenset[str]) -> bool:
        """Whether conditions that held once hold again: what they read nothing on the way can change."""
        read = frozenset(key for each in conditions for key in reads(each, self._facts.reads))
        if not read:
            return True
        if ANYTHING in read or any(key.startswith("local/") and key not in self._parameters for key in read):
            return False
        changed = set(other)
        for each in way:
            keys = _written_on_way(each, self._procedure.name)
            if keys is None:
                return False
            changed |= keys
        game = any(not key.startswith("local/") for key in changed)
        opening = (part for each in self._program.procedures.values() for part in each.opening)
        watched = game and any(not isinstance(part, tuple) and tuple(inner(part)) for part in opening)
        return not read & changed and not (game and (self._program.rules or watched))


def _written_on_way(line: s.Statement, procedure: str) -> frozenset[str] | None:
    """What a line writes but for names it binds; none where it may do anything else."""
    match line:
        case s.Draw(place=place) | s.Shuffle(place=place):
            return written_keys(place)
        case s.Reroll():
            return frozenset({"dice"})
        case s.Perform(procedure=called):
            return frozenset() if called == procedure else None
        case _:
            return frozenset() if isinstance(line, _BINDS) else _written_by(line)


def _sure_ways(block: s.Block, conditions: tuple[Expression, ...]) -> Iterator[_Way]:
    """The lines that are surely carried out where some conditions hold, with those conditions."""
    for line in block:
        yield line, conditions
        if isinstance(line, s.If):
            above = conditions
            for branch in line.branches:
                above = (*above, branch.condition)
                yield from _sure_ways(branch.block, above)
            yield from _sure_ways(line.otherwise or (), above)
        elif isinstance(line, s.Match):
            for case in line.cases:
                yield from _sure_ways(case.block, (*conditions, line.subject))
