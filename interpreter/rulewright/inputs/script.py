"""Scripts: answers written down beforehand, in order or by address."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.frozen import dataclass
from rulewright.inputs.addresses import Addresses, Unresolved, request_addresses
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Json, Key, Mapping, Node, Scalar
from rulewright.inputs.one_line import one_line
from rulewright.inputs.wording import did_you_mean, one_of, quoted, shown
from rulewright.inputs.yaml_places import read
from rulewright.machine.request import Request
from rulewright.program.declarations import Program
from rulewright.source import Span, Text

ANSWER, AT, BY, EACH = "answer", "at", "by", "each"
_ENTRY = (ANSWER, AT, BY)


@dataclass(frozen=True, slots=True)
class Line:
    """One answer of a script.

    Attributes:
        answer: as written.
        place: what to point at when it is not wanted.
        at: whole address of the question it is for, or empty.
        by: id of the player who gives it, or empty.
    """

    answer: Node
    place: Key | Node
    at: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Taken:
    """An answer taken from a script, and the script without it."""

    answer: Node
    rest: "Script"


@dataclass(frozen=True, slots=True)
class Script:
    """Answers not yet taken.

    Attributes:
        lines: in the written order.
        ordered: whether they are taken from the first to the last, else by address.
        name: of the text.
    """

    lines: tuple[Line, ...]
    ordered: bool
    name: str

    def next_for(self, request: Request, names: Names) -> Taken | Diagnostic:
        """The answer for a request, or why there is none: RW0744 (none left), RW0745 (meant for something else)."""
        wanted = {request.address, request.name} if request.sort == "value" else {request.address}
        candidates = (each for each in self.lines if self.ordered or each.at in wanted)
        line = next(candidates, None)
        if line is None:
            return self._missing(request)
        mismatch = _mismatch(line, wanted, request, names)
        if mismatch:
            return mismatch
        position = self.lines.index(line)
        return Taken(line.answer, replace(self, lines=self.lines[:position] + self.lines[position + 1 :]))

    def _missing(self, request: Request) -> Diagnostic:
        message = f"the script has no answer for `{request.address}`"
        last = Label(Span(self.name, 0, 0)) if self.name else None
        asked = (f"It asks: {request.prompt}",) if request.prompt else ()
        return Diagnostic("RW0744", Severity.ERROR, message, last, notes=asked, address=request.address)

    def leftover(self, after: str = "") -> tuple[Diagnostic, ...]:
        """RW0743 for what was never asked for; `after` is the address of the last request."""
        if not self.lines:
            return ()
        if not self.ordered:
            return tuple(_left(each, f"`{each.at}` was not asked") for each in self.lines)
        more = f" and {len(self.lines) - 1} more" if len(self.lines) > 1 else ""
        last = f" after `{after}`" if after else ""
        return (_left(self.lines[0], f"this answer{more} is left over: nothing was asked{last}"),)


def _left(line: Line, message: str) -> Diagnostic:
    return Diagnostic(
        "RW0743", Severity.ERROR, message, Label(line.place.span), address=line.at, pointer=line.place.pointer
    )


def _mismatch(line: Line, wanted: set[str], request: Request, names: Names) -> Diagnostic | None:
    player = "" if request.player is None else names.thing("player", request.player)
    if line.at and line.at not in wanted:
        message = f"this answer is for `{line.at}`, but `{request.address}` is asked"
    elif line.by and line.by != player:
        asked = f"{quoted(player)} is asked" if player else "nobody in the game is asked"
        message = f"this answer is given by {quoted(line.by)}, but at `{request.address}` {asked}"
    else:
        return None
    return Diagnostic(
        "RW0745",
        Severity.ERROR,
        message,
        Label(line.place.span),
        address=request.address,
        pointer=line.place.pointer,
    )


def read_script(text: Text, program: Program) -> Read[Script]:
    """The script of a text.

    Reports RW0701 to RW0706 (the text), RW0740 (an address where nothing is asked), RW0741 (one that stands for
    several questions), RW0742 (the form of an entry).
    """
    document = read(text)
    if document.value is None:
        return Read(None, document.diagnostics)
    return script_of(document.value, Addresses(request_addresses(program)))


def script_of(node: Node, addresses: Addresses) -> Read[Script]:
    """The script of a node; reports as `read_script`."""
    findings = Findings()
    match node:
        case Items(items):
            lines = tuple(_line(each, addresses, findings) for each in items)
            return findings.read(Script(lines, ordered=True, name=node.span.source))
        case Mapping():
            lines = tuple(_lines(node, addresses, findings))
            return findings.read(Script(lines, ordered=False, name=node.span.source))
        case _:
            wanted = "a list of answers, or a mapping from addresses to answers"
            findings.error("RW0742", node, f"a script is {wanted}, and this is {shown(node)}")
            return Read(None, tuple(findings.found))


def _line(node: Node, addresses: Addresses, findings: Findings) -> Line:
    if not isinstance(node, Mapping) or ANSWER not in node:
        return Line(node, node)
    for key, _ in node:
        if key.text not in _ENTRY:
            remedy = did_you_mean(key.text, _ENTRY) or f"there are {one_of(_ENTRY)}"
            findings.error("RW0742", key, f"{quoted(key.text)} is no part of an answer", help=remedy)
    at, by = _text(node, AT, findings), _text(node, BY, findings)
    answer = node.get(ANSWER)
    assert answer is not None
    place = node.get(AT)
    return Line(answer, node, _address(at, place, addresses, findings) if at and place else "", by)


def _text(node: Mapping, key: str, findings: Findings) -> str:
    match node.get(key):
        case None:
            return ""
        case Scalar(value=str(written)):
            return written
        case given:
            findings.error("RW0742", given, f"`{key}` is {shown(given)}; it must be a text")
            return ""


def _address(written: str, place: Key | Node, addresses: Addresses, findings: Findings) -> str:
    match addresses.resolve(written):
        case Unresolved(message, remedy, several):
            findings.error("RW0741" if several else "RW0740", place, message, help=remedy)
            return ""
        case address:
            return address


def _lines(node: Mapping, addresses: Addresses, findings: Findings) -> Iterator[Line]:
    taken: dict[str, Key] = {}
    for key, given in node:
        address = _address(key.text, key, addresses, findings)
        if address and address in taken:
            message = f"{quoted(key.text)} and {quoted(taken[address].text)} are one address"
            findings.error("RW0742", key, message, help=f"put all its answers into one `{{{EACH}: […]}}`")
        taken[address] = key
        yield from (Line(answer, key if answer is given else answer, address) for answer in _answers(given, findings))


def _answers(node: Node, findings: Findings) -> tuple[Node, ...]:
    """The answers of one address: one, or those under `each`."""
    if not (isinstance(node, Mapping) and [key.text for key, _ in node] == [EACH]):
        return (node,)
    given = node.get(EACH)
    if isinstance(given, Items):
        return given.items
    assert given is not None
    findings.error("RW0742", given, f"`{EACH}` is {shown(given)}; it must be a list of answers")
    return ()


BEGINNING = f"- {{{ANSWER}: "
"""How every script begins that was written from a play in which something was asked."""


def script_text(answers: Iterable[tuple[str, str, Json]]) -> str:
    """A script in order, as YAML: address, id of the player or empty, and answer of every request."""
    lines = [_entry(at, by, answer) for at, by, answer in answers]
    return "".join(lines) or "[]\n"


def _entry(at: str, by: str, answer: Json) -> str:
    player = f", {BY}: {json.dumps(by, ensure_ascii=False)}" if by else ""
    return f"- {{{ANSWER}: {one_line(answer)}, {AT}: {json.dumps(at, ensure_ascii=False)}{player}}}\n"
