"""What every judge of an expectation has at hand; when something happened in a play."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rulewright.drivers.session import Session
from rulewright.inputs.findings import Findings
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.inputs.wording import did_you_mean, one_of, quoted, shown, there_are
from rulewright.machine.trace import Entry
from rulewright.machine.values import Value
from rulewright.program.declarations import Program
from rulewright.scenarios.ruled import Ruled


@dataclass(frozen=True)
class Judging:
    """An expectation with the play it is about."""

    node: Node
    session: Session
    ruled: Ruled
    findings: Findings

    @property
    def program(self) -> Program:
        """The ruleset."""
        return self.ruled.program

    @property
    def names(self) -> Names:
        """Names of words and things."""
        return self.session.begun.names

    def wrong(self, node: Node, wanted: str) -> None:
        """Reports that something is not of the sort it must be (RW1002)."""
        self.findings.error("RW1002", node, f"this is {shown(node)}; it must be {wanted}")

    def texts(self, wanted: str) -> Iterator[Scalar]:
        """The members of a list of texts."""
        if not isinstance(self.node, Items):
            self.wrong(self.node, f"a list of {wanted}")
            return
        for each in self.node.items:
            if isinstance(each, Scalar) and each.value is not None:
                yield each
            else:
                self.wrong(each, f"a text, one of the {wanted}")

    def entries(self, wanted: str) -> Iterator[tuple[Key, Node]]:
        """The entries of a mapping."""
        if isinstance(self.node, Mapping):
            yield from self.node
        else:
            self.wrong(self.node, f"a mapping from {wanted}")

    def address(self, written: str, place: Key | Node, known: tuple[str, ...], what: str) -> str | None:
        """The one address that ends in what is written; else RW1007."""
        found = [each for each in known if each == written or each.endswith(f"/{written}")]
        if written in found:
            return written
        if len(found) == 1:
            return found[0]
        if found:
            message = f"{quoted(written)} stands for several {what}s"
            self.findings.error("RW1007", place, message, help=f"write {one_of(found)}")
            return None
        ends = [*known, *(each.rpartition("/")[2] for each in known)]
        remedy = did_you_mean(written, ends) or there_are(known)
        self.findings.error("RW1007", place, f"there is no {what} {quoted(written)}", help=remedy)
        return None


def everything(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Entries with all that stands inside them."""
    for each in entries:
        yield each
        yield from everything(each.inner)


def when(session: Session, is_it: Callable[[Entry], bool]) -> Iterator[int]:
    """The positions of the entries that are it, or hold it; as often as they do."""
    for position, entry in enumerate(session.entries):
        yield from (position for each in _with_inner(entry) if is_it(each))


def of_turn(session: Session, number: int) -> int:
    """The position of the answer to a question, by its number from 0."""
    return tuple(accumulate(len(entries) for entries, _ in session.parts))[number]


def of_change(session: Session, place: str, key: Value, before: Value) -> int | None:
    """The last time that a value stopped being this; none where it never was and became another."""
    found = [
        position
        for position, entry in enumerate(session.entries)
        for each in entry.changes
        if (each.place, each.key, each.before) == (place, key, before)
    ]
    return found[-1] if found else None


def first_wrong(expected: Sequence[object], got: Sequence[object], moments: Iterator[int]) -> int | None:
    """The moment of the first value that is not as expected; none where there are too few."""
    for number, moment in enumerate(moments):
        if number >= len(expected) or expected[number] != got[number]:
            return moment
    return None


def _with_inner(entry: Entry) -> Iterator[Entry]:
    yield entry
    for each in entry.inner:
        yield from _with_inner(each)
