"""From failed cases to the text of their file in which they pass."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.drivers.session import Session
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings
from rulewright.inputs.nodes import Items, Node
from rulewright.inputs.nodes import Mapping as MappingNode
from rulewright.inputs.wording import quoted
from rulewright.scenarios.accepting.editing import Edit, Editor, NothingFitsError, applied, plain
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.expectations.ending import otherwise
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.expectations.table import value_of
from rulewright.scenarios.playing import play
from rulewright.scenarios.reading import read_suite
from rulewright.scenarios.suite import Case, Result, Suite
from rulewright.source import Text


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


def agreed(made: Sequence[Proposal], suite: Suite) -> tuple[list[Proposal], list[Diagnostic]]:
    """The proposals whose values no other case needs otherwise, and RW1050 for the rest."""
    sharing, rest, left = _sharing(suite), list(made), list[Diagnostic]()
    while True:
        wanting = _wanting(rest)
        others = {(each.case.name, each.what): _others(each, sharing, wanting) for each in rest}
        barred = [each for each in rest if others[each.case.name, each.what]]
        if not barred:
            return rest, left
        left += [_shared(each, sorted(others[each.case.name, each.what])) for each in barred]
        rest = [each for each in rest if each not in barred]


def _shared(made: Proposal, names: Sequence[str]) -> Diagnostic:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    because = f"{quoted(names[0])}{more} shares it and needs it otherwise"
    return cannot(
        "RW1050", made.case, made.what, because, "give each of the cases its own `expect:`, or mend the rules"
    )


def _others(made: Proposal, sharing: dict[str, set[str]], wanting: dict[Edit, set[str]]) -> set[str]:
    """The cases that share what would be edited and do not want the same."""
    return {name for edit in made.edits for name in sharing[edit.owner] - wanting[edit]}


def _wanting(made: Sequence[Proposal]) -> dict[Edit, set[str]]:
    """The names of the cases that propose each edit."""
    found: dict[Edit, set[str]] = defaultdict(set)
    for each in made:
        for edit in each.edits:
            found[edit].add(each.case.name)
    return found


def _sharing(suite: Suite) -> dict[str, set[str]]:
    """The names of the cases that expect each value, by its pointer."""
    found: dict[str, set[str]] = defaultdict(set)
    for case in suite.cases:
        for pointer in _pointers(case.expect):
            found[pointer].add(case.name)
    return found


def _pointers(node: Node) -> Iterator[str]:
    yield node.pointer
    children: Sequence[Node] = ()
    if isinstance(node, MappingNode):
        children = [child for _, child in node]
    elif isinstance(node, Items):
        children = node.items
    for each in children:
        yield from _pointers(each)


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
