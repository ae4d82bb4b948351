"""From failed cases to the text of their file in which they pass."""

from collections.abc import Iterable, Mapping, Sequence

from rulewright.diagnostics import Diagnostic
from rulewright.frozen import dataclass
from rulewright.scenarios.accepting.agreeing import agreed
from rulewright.scenarios.accepting.edits import applied
from rulewright.scenarios.accepting.proposing import Proposal, cannot, proposals
from rulewright.scenarios.accepting.sameness import plain
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.playing import play
from rulewright.scenarios.reading import read_suite
from rulewright.scenarios.results import Result
from rulewright.scenarios.suite import Suite
from rulewright.source import Text


@dataclass(frozen=True, slots=True)
class Accepted:
    """A scenario file with expectations that are met now.

    Attributes:
        before: its text as it is.
        after: its text with the edits; the same where nothing can be accepted.
        proposals: what the edits make hold.
        left: warnings about failed expectations that stay (RW1050, RW1051, RW1052).
        results: of the cases that were edited, played with the text as it will be.
    """

    before: Text
    after: Text
    proposals: tuple[Proposal, ...]
    left: tuple[Diagnostic, ...]
    results: tuple[Result, ...]


def accepted(suite: Suite, failed: Iterable[Result], rules: Rules) -> Accepted:
    """What can be accepted for the failed cases of a file.

    An edit is made only where every case that shares the value wants the same. The text is read and played again: an
    expectation that is not met then, as one of many random plays may not be, stays as it is.
    """
    found = [proposals(each, rules) for each in failed]
    made, left = [one for each, _ in found for one in each], [one for _, each in found for one in each]
    before = rules.texts[suite.file]
    while True:
        made, shared = agreed(made, suite)
        after = Text(before.name, applied(before.content, (edit for each in made for edit in each.edits)))
        results = _played(after, made, suite, rules)
        missed = [each for each in made if _is_missed(each, results)]
        left += [*shared, *(cannot("RW1052", each.case, each.what, _STILL, _BY_HAND) for each in missed)]
        if not missed:
            return Accepted(before, after, tuple(made), tuple(left), tuple(results.values()))
        made = [each for each in made if each not in missed]


_STILL = "it would fail again"
_BY_HAND = "expect what all its plays have in common; write it by hand where it is an alias"


def _played(after: Text, made: Sequence[Proposal], suite: Suite, rules: Rules) -> dict[str, Result]:
    """The results of the edited cases by name; none where the text says anything else otherwise."""
    names = {each.case.name for each in made}
    read = read_suite(after, rules.provider, {}).value
    if read is None or _rest(read, made) != _rest(suite, made):
        return {}
    return {each.name: play(each, rules) for each in read.cases if each.name in names}


def _rest(suite: Suite, made: Sequence[Proposal]) -> list[object]:
    """All that a file says but for what is edited, as data."""
    edited = {(each.case.name, each.what) for each in made}
    return [
        (
            case.name,
            [plain(node) for node in (case.state, case.script) if node is not None],
            [(key.text, plain(node)) for key, node in case.expect if (case.name, key.text) not in edited],
        )
        for case in suite.cases
    ]


def _is_missed(made: Proposal, results: Mapping[str, Result]) -> bool:
    result = results.get(made.case.name)
    return (
        result is None
        or result.outcome == "wrong"
        or any(each.what not in made.case.expect or each.what == made.what for each in result.misses)
    )
