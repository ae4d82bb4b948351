"""From a case that failed to the edits that would make its expectations hold."""

from collections.abc import Sequence

from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.drivers.session import Session
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings
from rulewright.inputs.wording import quoted
from rulewright.scenarios.accepting.editing import Editor
from rulewright.scenarios.accepting.edits import Edit
from rulewright.scenarios.accepting.sameness import NothingFitsError
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.expectations.ending import otherwise
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.expectations.table import value_of
from rulewright.scenarios.playing import play
from rulewright.scenarios.results import Result
from rulewright.scenarios.suite import Case


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would make one expectation of a case hold.

    Attributes:
        case: it.
        what: key of the expectation.
        edits: of the text of its file.
    """

    case: Case
    what: str
    edits: tuple[Edit, ...]


def proposals(result: Result, rules: Rules) -> tuple[list[Proposal], list[Diagnostic]]:
    """The proposals for a case that failed, and RW1051 for what nothing can be proposed for.

    The case is played again, up to the play that fails.
    """
    case, sessions = result.case, list[Session]()
    again = play(case, rules, sessions.append)
    editor, made, left = Editor(rules.texts[case.file].content), list[Proposal](), list[Diagnostic]()
    for what in dict.fromkeys(each.what for each in again.misses):
        try:
            made.append(_proposal(case, what, sessions[-1:], rules, editor))
        except NothingFitsError as nothing:
            left.append(cannot("RW1051", case, what, nothing.because, "edit it by hand, or mend the rules"))
    return made, left


def cannot(code: str, case: Case, what: str, because: str, remedy: str) -> Diagnostic:
    """A warning about an expectation that stays as it is, or about all where a play ends otherwise."""
    told = what in case.expect
    key, named = (case.expect.key(what), f"`{what}`") if told else (case.place, "what is expected")
    message = f"{named} of {quoted(case.name)} is not accepted: {because}"
    return Diagnostic(code, Severity.WARNING, message, Label(key.span), help=remedy, pointer=key.pointer)


def _proposal(case: Case, what: str, sessions: Sequence[Session], rules: Rules, editor: Editor) -> Proposal:
    """The proposal for one expectation.

    Raises:
        NothingFitsError: there is none.
    """
    if not sessions:
        because = "nothing is played"
        raise NothingFitsError(because)
    if otherwise(case.expect, sessions[-1]):
        because = "a condition of it does not hold" if what == "always" else "the play ends in another way"
        raise NothingFitsError(because)
    ruled, node, key = rules.of(case).value, case.expect.get(what), case.expect.key(what)
    assert ruled is not None
    assert node is not None
    wanted = value_of(what, Judging(node, sessions[-1], ruled, Findings()))
    return Proposal(case, what, tuple(editor.edits(key, node, wanted)))
