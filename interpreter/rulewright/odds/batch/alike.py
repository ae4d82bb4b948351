"""What is seen of dice: dice of which only the face is asked need not lie anywhere.

Faces that look the same to all that follows need not be told apart where chance goes every way. What is known of all
plays is worked out while writing. Where the dice of a pool are only counted by conditions that nothing changes after
the throw, faces that fulfil the same of these are found while playing.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rulewright.drivers.chance import together
from rulewright.machine import graph as g
from rulewright.machine.graph import FIRST_SLOT
from rulewright.odds.batch.shapes import UnfitError
from rulewright.odds.batch.writer import Body, Module, constant, flag, held
from rulewright.program import expressions as ex, statements as st
from rulewright.program.effects import TOLD, Footprint, Looks, given, sees, written_by
from rulewright.program.expressions import Expression
from rulewright.program.walk import routines
from rulewright.roles import nodes

Test = tuple[ex.Variable, Expression]
"""A condition on a die."""


def is_gone_through_once(body: Body, line: st.Roll, faces: list[int]) -> bool:
    """Whether dice that fit one number are only counted or added up, in one place, for what they show."""
    (part,), (written, mentioned) = line.parts, _mentioned(body, line)
    bound = None if part.count is None else getattr(part.count.type, "high", None)
    if bound is None or bound > together(len(faces))[0] or faces != list(range(faces[0], faces[0] + len(faces))):
        return False
    return len(mentioned) == 1 and any(_goes_through(each, mentioned[0]) for each in written)


def is_looked_at(body: Body, line: st.Roll) -> bool:
    """Whether of a die nothing is asked but what it shows."""
    written, mentioned = _mentioned(body, line)
    return bool(written) and _are_shown(mentioned, written)


def _mentioned(body: Body, line: st.Roll) -> tuple[Sequence[object], Sequence[object]]:
    """All that is written of a procedure, and where in it the dice of a line are mentioned.

    Nothing where another line throws dice of that name, or a watch may read it.
    """
    procedure, dice = body.module.program.procedures.get(body.address), line.variable
    written = [] if procedure is None or dice.index in body.kept else list(nodes(procedure))
    if [each.variable for each in written if isinstance(each, st.Roll)].count(dice) != 1:
        return (), ()
    named = (each for each in written if isinstance(each, ex.Local | st.VariablePlace))
    return written, [each for each in named if each.variable == dice]


def _goes_through(node: object, pool: object) -> bool:
    """Whether a node goes through the dice of a pool and asks of each only what it shows."""
    match node:
        case ex.Builtin(name="count" | "sum" | "total", arguments=(source,)):
            return source is pool
        case ex.Aggregate(word="count" | "sum", binding=ex.Binding((die,), source)) if source is pool:
            mentioned = [each for each in nodes(node) if isinstance(each, ex.Local) and each.variable == die]
            return die is None or _are_shown(mentioned, nodes(node))
        case _:
            return False


def _are_shown(mentioned: Sequence[object], written: Iterable[object]) -> bool:
    """Whether a die is mentioned only where something asks what it shows."""
    shown = [each.target for each in written if isinstance(each, ex.DieAttribute) and each.name in _SHOWN]
    return all(any(each is one for one in shown) for each in mentioned)


def sorts(body: Body, line: st.Roll, faces: list[int]) -> dict[int, int]:
    """One of the faces that look the same in every play, and how many there are.

    Raises:
        UnfitError: dice are told apart.
    """
    looks = _looks(body, line)
    if looks >= TOLD:
        raise UnfitError("dice that are told apart")
    found: dict[object, list[int]] = {}
    for face in faces:
        found.setdefault(sees(looks)((tuple(faces), face, face, 0, True, None, None)), []).append(face)
    return {each[0]: len(each) for each in found.values()}


def _looks(body: Body, line: st.Roll) -> Looks:
    """What is seen of dice once they are thrown, whatever calls the routine."""
    executable = body.module.executable
    found: list[Looks] = []
    for flow in range(len(executable.tables.flows)):
        for block in executable.liveness.blocks(flow):
            if isinstance(block.exit, g.Fallen) and block.exit.chance.line.address == line.address:
                after = executable.liveness.after(flow, block.exit.chance.then, frozenset())
                seen = TOLD if after is None else after.get(FIRST_SLOT + line.variable.index, frozenset())
                found.append(given(seen, {}))
    return frozenset().union(*found) if found else TOLD


def judged(body: Body, line: st.Roll, faces: Sequence[int]) -> list[str] | None:
    """For each of some faces the name of the set of the conditions it fulfils; none where more is asked of the dice."""
    asked = _conditions(body, line)
    if asked is None or len(asked) > _MOST_CONDITIONS:
        return None
    found = []
    try:
        with body.aside() as lines:
            for face in faces:
                fulfilled = body.temporary(constant(0))
                for number, (die, condition) in enumerate(asked):
                    body.set(die, constant(face))
                    body.faces.add(die.index)
                    bits = f"(i64.shl {flag(body.test(condition))} {constant(number)})"
                    body.line(f"(local.set {fulfilled} (i64.or {held(fulfilled)} {bits}))")
                found.append(fulfilled)
    except UnfitError:
        return None
    finally:
        body.faces.difference_update(die.index for die, _ in asked)
    body.lines += lines
    return found


_MOST_CONDITIONS = 60


def _conditions(body: Body, line: st.Roll) -> list[Test] | None:
    """All that is asked of the dice of a pool, where that stands when they are thrown."""
    procedure = body.module.program.procedures.get(body.address)
    if procedure is None or body.kept or line.parts[0].count is None:
        return None
    whole = list(nodes(procedure))
    counted: dict[int, list[Test]] = {}
    for each in whole:
        source, tests = _asks(each)
        if isinstance(source, ex.Local) and source.variable.index == line.variable.index:
            counted[id(source)] = tests
    pools = [each for each in whole if isinstance(each, ex.Local | st.VariablePlace)]
    if any(each.variable.index == line.variable.index and id(each) not in counted for each in pools):
        return None
    found = [test for tests in counted.values() for test in tests]
    stands = _Standing(body.module, whole, line)
    return found if all(stands.whatever(*each) for each in found) else None


def _asks(node: object) -> tuple[Expression | None, list[Test]]:
    """What a node goes through, and the conditions by which it counts members or finds whether there are any."""
    match node:
        case ex.Aggregate(word="count", binding=ex.Binding((die,), source, where)):
            return source, [(die, where)] if die is not None and where is not None else []
        case ex.Quantifier(binding=ex.Binding((die,), source, where), body=body):
            return source, [(die, each) for each in (where, body) if die is not None and each is not None]
        case _:
            return None, []


class _Standing:
    """What nothing changes between a roll and the end of its procedure."""

    def __init__(self, module: Module, whole: Sequence[Any], roll: st.Roll) -> None:
        self._footprint = Footprint(module.program)
        lines = [each for each in nodes(routines(module.program)) if isinstance(each, st.Line)]
        self._changed = frozenset().union(*map(written_by, lines))  # type: ignore[arg-type]
        at = next(number for number, each in enumerate(whole) if isinstance(each, st.Roll) and each.span == roll.span)
        again = any(isinstance(each, st.Repeat | st.ForEach | st.Proceed) for each in whole)
        later = whole if again else whole[at:]
        self._set = {variable.index for each in later for variable in _set_by(each)}

    def whatever(self, die: ex.Variable, condition: Expression) -> bool:
        """Whether a condition on a die reads what its faces show, and else what nothing changes."""
        inside = list(nodes(condition))
        shown = [each.target for each in inside if isinstance(each, ex.DieAttribute) and each.name in _SHOWN]
        own = {
            variable.index for each in inside if isinstance(each, ex.Binding) for variable in each.variables if variable
        }
        for each in inside:
            if isinstance(each, ex.ExternalValue):
                return False
            if isinstance(each, ex.Local) and each.variable.index == die.index:
                if not any(each is target for target in shown):
                    return False
            elif isinstance(each, ex.Local) and each.variable.index in self._set - own:
                return False
        return not self._footprint.reads(condition) & self._changed


_SHOWN = ("natural", "face")


def _set_by(node: object) -> Iterator[ex.Variable]:
    """The names that a node sets."""
    if isinstance(node, ex.Binding):
        yield from (each for each in node.variables if each is not None)
    elif isinstance(node, st.VariablePlace | st.Line):
        found = (getattr(node, name, None) for name in ("variable", "result", "answers"))
        yield from (each for each in found if isinstance(each, ex.Variable))
