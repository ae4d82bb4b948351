"""From failed cases to the text of their file in which they pass."""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.drivers.session import Session
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings, finding, quoted
from rulewright.inputs.nodes import Items, Json, Key, Mapping, Node, Scalar, child_pointer, one_line
from rulewright.machine.faults import Limits
from rulewright.scenarios.expectations.ending import otherwise
from rulewright.scenarios.expectations.lines import Judging
from rulewright.scenarios.expectations.proposals import NothingFitsError, plain, same
from rulewright.scenarios.expectations.shapes import ODDS
from rulewright.scenarios.expectations.table import value_of
from rulewright.scenarios.expected_odds import proposed_odds
from rulewright.scenarios.opening import Rules, opening
from rulewright.scenarios.play import play
from rulewright.scenarios.recording import WIDEST, laid
from rulewright.scenarios.suite import Case, Result, Suite
from rulewright.scenarios.suite_reader import read_suite
from rulewright.source import Text

_STILL = "it would fail again"
_BY_HAND = "expect what all its plays have in common; edit an alias or a table with too few columns by hand"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """What is written in place of a part of a scenario file."""

    start: int  # offset of the first code point that goes
    end: int  # offset after the last
    text: str  # what comes instead
    owner: str  # JSON pointer of the value that becomes another


def applied(content: str, edits: Iterable[Edit]) -> str:
    """A text after edits that do not overlap."""
    done, parts = 0, []
    for each in sorted(set(edits)):
        parts += [content[done : each.start], each.text]
        done = each.end
    return "".join([*parts, content[done:]])


_Part = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Editor:
    """Edits one text; comments, order and quotes of all that stays are kept.

    What an alias or an anchor stands for, and what is laid under a value from elsewhere, is not edited. In a table of
    cases only cells are: their keys are the columns, and so stand elsewhere.
    """

    content: str

    def edits(self, key: Key, node: Node, wanted: Json) -> Iterator[Edit]:
        """What makes the value of a key say what is wanted; nothing where it does, or where it cannot be edited."""
        yield from self._value(key, node, wanted, flow=False)

    def _value(self, key: Key | None, node: Node, wanted: Json, *, flow: bool) -> Iterator[Edit]:
        if same(node, wanted) or self.content.startswith("&", node.span.start):
            return
        if key is not None and key.pointer != node.pointer:
            yield self._whole(None, node, wanted, flow=True)
            return
        match node, wanted:
            case Mapping(), dict() if _is_of_columns(node):
                known = ((inner, child) for inner, child in node if inner.text in wanted)
                for inner, child in known:
                    yield from self._value(inner, child, wanted[inner.text], flow=flow)
            case Mapping(), dict() if self._is_open(node) and any(each.text in wanted for each in _own(node)):
                yield from self._mapping(node, wanted)
            case Items(), list() if wanted and self._is_open(node):
                yield from self._items(node, wanted)
            case _:
                yield self._whole(key, node, wanted, flow=flow)

    def _mapping(self, node: Mapping, wanted: dict[str, Json]) -> Iterator[Edit]:
        flow, own = self._is_flow(node), _own(node)
        for key, child in node:
            if key.text in wanted:
                yield from self._value(key, child, wanted[key.text], flow=flow)
        parts = [(key.span.start, self._end(child)) for key, child in own.items()]
        gone = [number for number, key in enumerate(own) if key.text not in wanted]
        for first, last in _runs(gone):
            yield self._removal(node, parts, first, last)
        added = {key: value for key, value in wanted.items() if key not in node}
        if added:
            stays = max(number for number in range(len(parts)) if number not in gone)
            yield self._addition(node, parts[0][0], parts[stays][1], added)

    def _addition(self, node: Mapping, first: int, end: int, added: dict[str, Json]) -> Edit:
        """Entries after one that stays, at the margin of the first."""
        if self._is_flow(node):
            text = "".join(f", {one_line(key)}: {one_line(value)}" for key, value in added.items())
            return Edit(end, end, text, node.pointer)
        lines = [line for key, value in added.items() for line in laid(key, value, self._column(first))]
        at = self._line_end(end)
        return Edit(at, at, "".join(f"{self._newline}{line}" for line in lines), node.pointer)

    def _items(self, node: Items, wanted: list[Json]) -> Iterator[Edit]:
        before = _alike(node.items, wanted)
        after = _alike(node.items[before:][::-1], wanted[before:][::-1])
        old, new = node.items[before : len(node.items) - after], wanted[before : len(wanted) - after]
        parts = [(each.span.start, self._end(each)) for each in node.items]
        if len(old) == len(new):
            for item, value in zip(old, new, strict=True):
                yield from self._value(None, item, value, flow=self._is_flow(node))
        elif not new:
            yield self._removal(node, parts, before, before + len(old) - 1)
        else:
            yield self._instead(node, parts, (before, before + len(old)), [one_line(each) for each in new])

    def _instead(self, node: Items, parts: Sequence[_Part], place: tuple[int, int], new: list[str]) -> Edit:
        """Members in place of those between two numbers, of which there may be none."""
        first, end = place
        between = ", " if self._is_flow(node) else f"{self._newline}{' ' * self._column(node.span.start)}- "
        if first < end:
            return Edit(parts[first][0], parts[end - 1][1], between.join(new), node.pointer)
        if not first:
            start = parts[0][0]
            return Edit(start, start, "".join(f"{each}{between}" for each in new), node.pointer)
        at = parts[first - 1][1] if self._is_flow(node) else self._line_end(parts[first - 1][1])
        return Edit(at, at, "".join(f"{between}{each}" for each in new), node.pointer)

    def _removal(self, node: Node, parts: Sequence[_Part], first: int, last: int) -> Edit:
        """Takes out the parts from the first to the last; some others stay."""
        if first == 0:
            return Edit(parts[0][0], parts[last + 1][0], "", node.pointer)
        start, end = parts[first - 1][1], parts[last][1]
        if self._is_flow(node):
            return Edit(start, end, "", node.pointer)
        return Edit(self._line_end(start), self._line_end(end), "", node.pointer)

    def _whole(self, key: Key | None, node: Node, wanted: Json, *, flow: bool) -> Edit:
        """All of a value; behind a key what is too long for a line is written in several."""
        text, end = one_line(wanted), self._end(node)
        if key is None or flow:
            return Edit(node.span.start, end, text, node.pointer)
        margin = self._column(key.span.start)
        lines = list(laid(key.text, wanted, margin)) if margin + len(key.text) + len(text) > WIDEST else []
        behind = f" {text}" if len(lines) < 2 else "".join(f"{self._newline}{line}" for line in lines[1:])  # noqa: PLR2004
        start = self.content.index(":", key.span.end) + 1
        return Edit(start, end, behind, node.pointer)

    def _is_flow(self, node: Node) -> bool:
        return self.content[node.span.start] in "[{"

    def _is_open(self, node: Mapping | Items) -> bool:
        """Whether it has members of its own, not those of an alias."""
        members = [key for key, _ in node] if isinstance(node, Mapping) else node.items
        return bool(members) and members[0].span != node.span

    def _end(self, node: Node) -> int:
        """The offset after the last character of a value."""
        match node:
            case Scalar():
                return node.span.start + len(self.content[node.span.start : node.span.end].rstrip())
            case Mapping() if self._is_open(node) and not self._is_flow(node):
                return max(self._end(child) for child in _own(node).values())
            case Items(items) if self._is_open(node) and not self._is_flow(node):
                return self._end(items[-1])
            case _:
                return node.span.end

    def _column(self, offset: int) -> int:
        return offset - (self.content.rfind("\n", 0, offset) + 1)

    def _line_end(self, offset: int) -> int:
        found = self.content.find(self._newline, offset)
        return len(self.content) if found < 0 else found

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.content else "\n"


def _own(node: Mapping) -> dict[Key, Node]:
    """The entries that are written in the mapping itself, not laid under it from elsewhere."""
    return {key: child for key, child in node if key.pointer == child_pointer(node.pointer, key.text)}


def _is_of_columns(node: Mapping) -> bool:
    """Whether columns of a table of cases stand for its keys, so that only cells can be edited."""
    return any(key.pointer == node.pointer for key, _ in node)


def _alike(items: Sequence[Node], wanted: Sequence[Json]) -> int:
    """How many members at the start are the same."""
    pairs = zip(items, wanted, strict=False)
    return next((number for number, pair in enumerate(pairs) if not same(*pair)), min(len(items), len(wanted)))


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and last of numbers that follow each other."""
    for number in numbers:
        if number - 1 not in numbers:
            yield number, next(each for each in range(number, numbers[-1] + 1) if each + 1 not in numbers)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would make one expectation of a case hold."""

    case: Case
    what: str  # key of the expectation
    edits: tuple[Edit, ...]  # of the text of its file


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
    return finding(code, key, message, remedy, severity=Severity.WARNING)


def _proposal(case: Case, what: str, sessions: Sequence[Session], rules: Rules, editor: Editor) -> Proposal:
    """The proposal for one expectation."""
    if what == ODDS:
        return _of_odds(case, rules, editor)
    if not sessions:
        raise NothingFitsError("nothing is played")
    if otherwise(case.expect, sessions[-1]):
        raise NothingFitsError(
            "a condition of it does not hold" if what == "always" else "the play ends in another way"
        )
    ruled, node, key = rules.of(case).value, case.expect.get(what), case.expect.key(what)
    assert ruled is not None
    assert node is not None
    wanted = value_of(what, Judging(node, sessions[-1], ruled, Findings()))
    return Proposal(case, what, tuple(editor.edits(key, node, wanted)))


def _of_odds(case: Case, rules: Rules, editor: Editor) -> Proposal:
    """The proposal for expected shares of all plays; raises as `_proposal`."""
    begun, node = opening(case, rules, Limits()).value, case.expect.get(ODDS)
    assert begun is not None
    assert node is not None
    wanted = proposed_odds(case, begun, rules)
    return Proposal(case, ODDS, tuple(editor.edits(case.expect.key(ODDS), node, wanted)))


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
    because = f"{quoted(names[0])}{more} shares it and needs another"
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
    if isinstance(node, Mapping):
        children = [child for _, child in node]
    elif isinstance(node, Items):
        children = node.items
    for each in children:
        yield from _pointers(each)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A scenario file with expectations that are met now."""

    before: Text  # its text as it is
    after: Text  # its text with the edits; the same where nothing can be accepted
    proposals: tuple[Proposal, ...]  # what the edits make hold
    left: tuple[Diagnostic, ...]  # warnings about failed expectations that stay (RW1050, RW1051, RW1052)
    results: tuple[Result, ...]  # of the cases that were edited, played with the text as it will be


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
            [plain(node) for node in (case.state, case.patch, case.script) if node is not None],
            [(key.text, plain(node)) for key, node in case.expect if (case.name, key.text) not in edited],
        )
        for case in suite.cases
    ]


def _is_missed(made: Proposal, results: dict[str, Result]) -> bool:
    result = results.get(made.case.name)
    return (
        result is None
        or result.outcome == "wrong"
        or any(each.what not in made.case.expect or each.what == made.what for each in result.misses)
    )
