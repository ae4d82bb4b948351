"""Scenarios that show what cannot even begin: a state, settings or roles that are no such, or break an `always`."""

from collections.abc import Iterator

from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.inputs.arguments import find_procedure
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Node, Scalar
from rulewright.inputs.wording import shown
from rulewright.machine.codes import INVARIANT_BROKEN
from rulewright.machine.executable import Executable
from rulewright.machine.limits import Limits
from rulewright.machine.request import Faulted
from rulewright.machine.run import judge
from rulewright.machine.situation import Situation
from rulewright.scenarios.beginning import Rules, opening, roles_of, situation_of, unknown_clauses
from rulewright.scenarios.expectations.ending import values_read
from rulewright.scenarios.results import Miss, Result
from rulewright.scenarios.suite import Case


def judged(case: Case, expected: Node, rules: Rules) -> Result:
    """The result of a case that expects findings about its state, settings and roles; nothing is played."""
    found = _found(case, rules)
    texts = _texts(expected)
    wrong = (*found.diagnostics, *texts.diagnostics)
    if found.value is None or texts.value is None:
        return Result(case, "wrong", wrong=wrong)
    got = found.value
    right = len(got) == len(texts.value) and all(a in b for a, b in zip(texts.value, got, strict=True))
    if right:
        return Result(case, "passed")
    return Result(case, "failed", (Miss("invalid", _told(texts.value), _told(got)),))


def _found(case: Case, rules: Rules) -> Read[tuple[str, ...]]:
    """What is said of the state, the settings and the roles, in order; everything else has to be right."""
    ruled = rules.of(case)
    procedure = None if ruled.value is None else find_procedure(case.procedure.text, ruled.value.program).value
    if ruled.value is None or procedure is None:
        return Read(None, opening(case, rules, Limits()).diagnostics)
    wrong = (*unknown_clauses(case, ruled.value), *_unplayed(case))
    if wrong:
        return Read(None, wrong)
    program = ruled.value.program
    situation = situation_of(case, program)
    if situation.value is None:
        return Read(_messages(situation.diagnostics))
    roles = roles_of(case, procedure, situation.value, program)
    return Read((*_broken(ruled.value.executable, situation.value), *_messages(roles.diagnostics)))


def _broken(executable: Executable, situation: Situation) -> Iterator[str]:
    """The first `always` that does not hold of a start, in the words of the fault that a play of it meets."""
    outcome = judge(executable, situation)
    if isinstance(outcome, Faulted) and outcome.code == INVARIANT_BROKEN:
        yield f"{outcome.message}{values_read(outcome, Names(executable.program, situation.base))}"


def _unplayed(case: Case) -> tuple[Diagnostic, ...]:
    """RW1013 for answers that nobody will ask for."""
    if case.script is None:
        return ()
    message, remedy = "a start with `invalid` has no `script`", "take the script out: nothing is asked"
    place = Label(case.script.span)
    return (Diagnostic("RW1013", Severity.ERROR, message, place, help=remedy, pointer=case.script.pointer),)


def _messages(diagnostics: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    return tuple(each.message for each in diagnostics if each.severity is Severity.ERROR)


def _texts(expected: Node) -> Read[tuple[str, ...]]:
    """The parts of messages that are expected; at least one, none empty."""
    findings = Findings()
    items = expected.items if isinstance(expected, Items) else ()
    found = tuple(each.written for each in items if isinstance(each, Scalar) and each.written.strip())
    if not items or len(found) < len(items):
        given = "this list says nothing" if isinstance(expected, Items) else f"this is {shown(expected)}"
        wanted = "a list of parts of what is said of the state, the settings or the roles"
        findings.error("RW1002", expected, f"{given}; it must be {wanted}")
    return findings.read(found)


def _told(messages: tuple[str, ...]) -> str:
    return "; ".join(messages) or "nothing is wrong with it"
