"""How a play ends, what it gives, and what is measured after it."""

from dataclasses import replace
from typing import TYPE_CHECKING

from rulewright.drivers.session import Session, begin
from rulewright.inputs.findings import Wrong
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Mapping, Node, Scalar
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import quoted
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.request import Ended, Faulted, Refused
from rulewright.machine.run import Outcome
from rulewright.program.declarations import Need
from rulewright.scenarios.beginning import number_of
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.suite import Miss
from rulewright.telling.values import show

if TYPE_CHECKING:
    from rulewright.program.types import Type
import re
from collections.abc import Iterator

from rulewright.inputs.nodes import Key
from rulewright.machine.faults import Fault
from rulewright.machine.snapshot import measuring
from rulewright.machine.values import Value
from rulewright.program.types import NumberType, Type


def otherwise(expect: Mapping, session: Session) -> tuple[Miss, ...]:
    """That a play ended in another way than any expectation says."""
    broken = _broken(expect, session)
    if broken is not None:
        return (broken,)
    wanted = "refused" if "refused" in expect else "fault" if "fault" in expect else "ended"
    got = _how(session.outcome)
    return () if got == wanted else (Miss(wanted, _WORDS[wanted], _told(session)),)


def _broken(expect: Mapping, session: Session) -> Miss | None:
    """The condition of the scenario that no longer held."""
    outcome = session.outcome
    number = number_of(outcome.address) if isinstance(outcome, Faulted) else None
    always = expect.get("always")
    if number is None or not isinstance(always, Items) or not isinstance(outcome, Faulted):
        return None
    condition = always.items[number]
    written = condition.written if isinstance(condition, Scalar) else ""
    return Miss("always", written, f"it does not hold{values_read(outcome, session.begun.names)}")


def always(judging: Judging) -> tuple[Miss, ...]:
    """Conditions that hold at the start and whenever the state has settled; the play itself judges them."""
    list(judging.texts("conditions"))
    return ()


_WORDS = {"refused": "the start is refused", "fault": "the play meets a fault", "ended": "the play ends"}


def _how(outcome: Outcome) -> str:
    match outcome:
        case Refused():
            return "refused"
        case Faulted():
            return "fault"
        case _:
            return "ended"


def values_read(fault: Faulted, names: Names) -> str:
    """The values that a fault tells, in brackets; nothing where it tells none."""
    told = ", ".join(f"{text} = {show(value, type_, names)}" for text, value, type_ in fault.read)
    return f" [{told}]" if told else ""


def _told(session: Session) -> str:
    match session.outcome:
        case Refused(reasons=reasons):
            return f"the start is refused: {'; '.join(each.text for each in reasons)}"
        case Faulted(code=code, address=address, message=message) as fault:
            return f"fault {code} at {address}: {message}{values_read(fault, session.begun.names)}"
        case _:
            return "the play ends"


def refused(judging: Judging) -> tuple[Miss, ...]:
    """The reason of a refused start, word for word; where several are expected, those of all `needs` that fail."""
    expected = [each.written for each in judging.texts("reasons")]
    got = reasons(judging.session, every=len(expected) > 1)
    return () if expected == got else (Miss("refused", _quoted(expected), _quoted(got)),)


def reasons(session: Session, *, every: bool) -> list[str]:
    """The reason why a start is refused, or those of every `needs` that fails, each judged without those before it."""
    outcome, begun = session.outcome, session.begun
    assert isinstance(outcome, Refused)
    found = [each.text for each in outcome.reasons]
    while every and isinstance(outcome, Refused):
        failed = {each.address for each in outcome.reasons}
        begun = replace(begun, executable=_without(failed, begun.procedure.name, begun.executable))
        outcome = begin(begun, session.sources).outcome
        found += [each.text for each in outcome.reasons] if isinstance(outcome, Refused) else []
    return found


def _without(needs: set[str], name: str, executable: Executable) -> Executable:
    """A ruleset with a procedure that does not ask for some of its `needs`."""
    program = executable.program
    procedure = program.procedures[name]
    opening = tuple(each for each in procedure.opening if not (isinstance(each, Need) and each.address in needs))
    procedures = {**program.procedures, name: replace(procedure, opening=opening)}
    return compile_program(replace(program, procedures=procedures), traced=executable.traced)


def _quoted(texts: list[str]) -> str:
    return "; ".join(quoted(each) for each in texts) or "no reason"


def fault(judging: Judging) -> tuple[Miss, ...]:
    """The code of a fault, or a part of its message."""
    outcome, node = judging.session.outcome, judging.node
    assert isinstance(outcome, Faulted)
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        judging.wrong(node, "the code of a fault or a part of its message")
        return ()
    if node.value == outcome.code or node.value in outcome.message:
        return ()
    return (Miss("fault", quoted(node.value), f"{outcome.code}: {outcome.message}", outcome.address),)


def result(judging: Judging) -> tuple[Miss, ...]:
    """What the procedure gives."""
    outcome, type_ = judging.session.outcome, judging.session.begun.procedure.result
    assert isinstance(outcome, Ended)
    if type_ is None:
        name = judging.session.begun.procedure.name
        judging.findings.error("RW1007", judging.node, f"{quoted(name)} gives nothing", help="take `result:` out")
        return ()
    return compared(judging, Miss("result", "", ""), judging.node, type_, outcome.result)


def compared(judging: Judging, of: Miss, node: Node, type_: "Type", got: object) -> tuple[Miss, ...]:
    """What was written against what came, as a miss of this sort."""
    expected = ValueReader(judging.names, judging.findings).read(node, type_, f"`{of.place or of.what}`")
    if isinstance(expected, Wrong) or expected == got:
        return ()
    return (Miss(of.what, show(expected, type_, judging.names), show(got, type_, judging.names), of.place),)


def measured(judging: Judging) -> tuple[Miss, ...]:
    """Measures after the play, by name; one with parameters by what is given for each, one inside the other."""
    session, of = judging.session, judging.program.measures
    assert session.state is not None
    worth = measuring(session.begun.executable, session.state)
    misses: tuple[Miss, ...] = ()
    for key, node in judging.entries("measures to values"):
        name = judging.address(key.text, key, tuple(of), "measure")
        if name is None:
            continue
        for keys, arguments, expected in given(judging, name, node):
            place = f"{name}({', '.join(keys)})" if keys else name
            try:
                value = worth(name, arguments)
            except Fault as fault:
                misses += (Miss("measures", "a value", f"nothing: {fault.message}", place),)
                continue
            misses += compared(judging, Miss("measures", "", "", place), expected, of[name].type, value)
    return misses


_Given = tuple[tuple[str, ...], tuple[Value, ...], Node]
"""What is given to a measure, as it is written and as values, and what is expected of it then."""


def given(judging: Judging, name: str, node: Node) -> Iterator[_Given]:
    """What is expected of a measure, for all that is given to it there."""
    found: list[_Given] = [((), (), node)]
    for each in judging.program.measures[name].parameters:
        found = [
            ((*keys, key.text), (*arguments, value), inner)
            for keys, arguments, outer in found
            for key, inner in _entries(judging, outer, f"`{each.name}` of `{name}`")
            if not isinstance(value := _value(judging, key, each.type, each.name), Wrong)
        ]
    yield from found


def _entries(judging: Judging, node: Node, what: str) -> Iterator[tuple[Key, Node]]:
    if isinstance(node, Mapping):
        yield from node
    else:
        judging.wrong(node, f"a mapping from what {what} is to values")


def _value(judging: Judging, key: Key, type_: Type, name: str) -> Value | Wrong:
    """What a key says is given."""
    number = isinstance(type_, NumberType) and re.fullmatch(r"-?[0-9]{1,9}", key.text)
    node = Scalar(int(key.text) if number else key.text, key.text, key.span, key.pointer)
    return ValueReader(judging.names, judging.findings).read(node, type_, f"`{name}`")
