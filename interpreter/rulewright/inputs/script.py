"""Scripts: answers written down beforehand, in order or by address."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace

from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.frozen import dataclass
from rulewright.inputs.answers import WHAT, answer_json, calling_dice, is_nobody, read_answer
from rulewright.inputs.document_schemas import Shapes, shapes_of
from rulewright.inputs.findings import Findings, Read, finding, quoted
from rulewright.inputs.names import EACH, Addresses, Names, Unresolved
from rulewright.inputs.nodes import Items, Json, Key, Mapping, Node, Scalar, json_text, one_line, value_under
from rulewright.inputs.yaml_places import read
from rulewright.machine.request import CHANCE, ELSEWHERE, Request
from rulewright.machine.run import Paused
from rulewright.machine.values import Value
from rulewright.program.declarations import Program
from rulewright.program.walk import shared_address
from rulewright.source import Span, Text

ANSWER, AT, BY, ALWAYS = "answer", "at", "by", "always"
NONE_LEFT = "RW0744"
"""Says that a script has no answer for a request."""
_MANY = frozenset({EACH, ALWAYS})

BEGINNING = f"- {{{ANSWER}: "
"""How every script begins that was written from a play in which something was asked."""


@dataclass(frozen=True, slots=True)
class Line:
    """One answer of a script."""

    answer: Node  # as written
    place: Key | Node  # what to point at when it is not wanted
    at: str = ""  # whole address of the question it is for, or empty
    by: str = ""  # id of the player who gives it, or empty
    always: bool = False  # whether it answers whenever it is asked for


@dataclass(frozen=True, slots=True)
class Taken:
    """An answer taken from a script, and the script without it."""

    answer: Node
    rest: "Script"


@dataclass(frozen=True, slots=True)
class ByItself:
    """A question that its only possible answer answered by itself, as it would have been put."""

    paused: Paused
    value: Value

    @property
    def request(self) -> Request:
        """What would have been asked."""
        return self.paused.request

    @property
    def withheld(self) -> bool:
        """Whether some may not see the answer."""
        question = self.request.question
        return question is not None and bool(question.executable.concealed.withheld(question.node))


Before = Callable[[], Iterable[ByItself]]
"""Gives what answered itself, for those who want to know."""


@dataclass(frozen=True, slots=True)
class Script:
    """Answers not yet taken."""

    lines: tuple[Line, ...]  # in the written order
    ordered: bool  # whether they are taken from the first to the last, else by address
    name: str  # of the text
    # answers that hold whenever one is asked for at their addresses, and are never left over
    standing: tuple[Line, ...] = ()

    def next_for(self, request: Request, names: Names) -> Taken | Diagnostic:
        """The answer for a request, or why there is none: RW0744 (none left), RW0745 (meant for something else)."""
        line = self.first_for(called(request))
        if line is None:
            return self._missing(request)
        message = mismatch(line, request, names)
        if message:
            return finding("RW0745", line.place, message, address=request.address)
        left = tuple(each for each in self.lines if each is not line)
        return Taken(line.answer, replace(self, lines=left))

    def first_for(self, wanted: Sequence[str]) -> Line | None:
        """The next answer for a request; in order, one that stands goes before one that is not said to be for it."""
        standing = next((each for name in wanted for each in self.standing if each.at == name), None)
        if not self.ordered:
            return next((each for name in wanted for each in self.lines if each.at == name), standing)
        first = self.lines[0] if self.lines else None
        return first if first and (standing is None or first.at in wanted) else standing

    @property
    def names_questions(self) -> bool:
        """Whether it is in order and says of some answers what they are for, which may answer itself."""
        return self.ordered and any(each.at for each in self.lines)

    def passes(self, request: Request) -> bool:
        """Whether it answers as if a question with one possible answer were not put, as it is not in `run`."""
        wanted = called(request)
        return any(self.ordered or each.at in wanted for each in self.lines) or self.first_for(wanted) is not None

    def past(self, before: Before, wanted: Container[str], names: Names) -> "Script | Diagnostic":
        """The same, where it is in order, after answers at its beginning that name questions answered by themselves.

        `before` gives what answered itself since the last request, `wanted` is what the next one is called. RW0731
        where such a question had another answer.
        """
        left = self.lines
        if not self.ordered or not left or not left[0].at or left[0].at in wanted:
            return self
        unmet = None
        for each in before():
            if not left or left[0].at not in called(each.request) or left[0].at in wanted:
                continue
            wrong = unlike(left[0], each, names)
            if wrong is None:
                left, unmet = left[1:], None
            elif left[0].by in {"", names.player(each.request.player)}:
                return wrong
            else:
                unmet = wrong
        if unmet is not None:
            return unmet
        return replace(self, lines=left)

    def _missing(self, request: Request) -> Diagnostic:
        message = f"the script has no answer for `{request.prompt or request.address}`"
        last = Label(Span(self.name, 0, 0)) if self.name else None
        left_out = "`--seed N` rolls dice" if request.sort in CHANCE else "`--policy first` decides"
        remedy = f"write it into the script, or leave it out on purpose: {left_out} where a script says nothing"
        if request.sort in ELSEWHERE:
            remedy = "write it into the script: nothing else says what comes from elsewhere"
        return Diagnostic(NONE_LEFT, Severity.ERROR, message, last, help=remedy, address=request.address)

    def leftover(self, names: Names, after: str, since: Before, ever: Before) -> tuple[Diagnostic, ...]:
        """RW0743 for what was never asked for, with the questions that were answered by themselves.

        `after` is the address of the last request, `since` what answered itself after it, `ever` all that did. Answers
        that name a question which was answered by itself are not left over; RW0731 where that was another answer.
        """
        if not self.ordered:
            return tuple(wrong for each in self.lines for wrong in _unasked(each, ever, names))
        script = self.past(since, (), names)
        if isinstance(script, Diagnostic):
            return (script,)
        if not script.lines:
            return ()
        last = f" after `{after}`" if after else ""
        message = f"{_these(script.lines)} left over: nothing was asked{last}"
        return (_left(script.lines[0], message, answered_by_themselves(ever), len(script.lines)),)


def untaken(lines: Sequence[Line], *, ordered: bool) -> tuple[Diagnostic, ...]:
    """RW0743 for answers that none of all plays takes: of those in order for the first, else for each."""
    if ordered and len(lines) > 1:
        message = f"{_these(lines)} left over: no play asks for them"
        return (_left(lines[0], message, (), len(lines)),)
    return tuple(_left(each, f"{_these((each,))} left over: no play asks for it", ()) for each in lines)


def _these(lines: Sequence[Line]) -> str:
    return "this answer is" if len(lines) == 1 else f"this answer and {len(lines) - 1} more are"


def _unasked(line: Line, ever: Before, names: Names) -> Iterator[Diagnostic]:
    """What is wrong with an answer by address that nobody asked for; without `each` it may say what answered itself."""
    forced = [each for each in ever() if line.at in called(each.request)]
    if not forced or not isinstance(line.place, Key):
        yield _left(line, f"`{line.at}` was not asked", tuple(dict.fromkeys(map(_by_itself, forced))))
        return
    wrong = unlike(line, forced[0], names)
    if wrong is not None:
        yield wrong


def answered_by_themselves(before: Before) -> tuple[str, ...]:
    """Which questions were not put, as notes."""
    return tuple(dict.fromkeys(map(_by_itself, before())))


def _by_itself(each: ByItself) -> str:
    address, prompt = each.request.address, each.request.prompt
    named = f" (`{address}`)" if prompt else ""
    return f"`{prompt or address}` was answered by itself: one answer alone was legal{named}"


def unlike(line: Line, each: ByItself, names: Names) -> Diagnostic | None:
    """RW0731 for an answer, or a player, that is not that of a question answered by itself."""
    request = each.request
    player = names.player(request.player)
    answer = answer_json(request, each.value, calling_dice(request, names))
    only = "another answer" if each.withheld else f"`{one_line(answer)}`"
    if line.by and line.by != player:
        message = f"this answer is given by {quoted(line.by)}, but {quoted(player)} would be asked"
    elif read_answer(request, line.answer, names, each.paused).diagnostics:
        message = f"this answer is not possible: {only} alone is legal"
    else:
        return None
    return finding("RW0731", line.place, message, address=request.address)


def _left(line: Line, message: str, notes: tuple[str, ...], number: int = 1) -> Diagnostic:
    them, their = ("it", "its question") if number == 1 else ("them", "their questions")
    remedy = f"take {them} out; or, if the play should ask {their}, change the rules or the start"
    return finding("RW0743", line.place, message, remedy, notes=notes, address=line.at)


def mismatch(line: Line, request: Request, names: Names) -> str:
    """Why an answer is not one to this request: it is for another, or another player's; empty where it may be."""
    player = names.player(request.player)
    if line.at and line.at not in called(request):
        asked = f"`{request.prompt}` is asked (`{request.address}`)" if request.prompt else ""
        return f"this answer is for `{line.at}`, but {asked or f'`{request.address}` is asked'}"
    if line.by and line.by != player:
        asked = f"{quoted(player)} is asked" if player else "no player is asked"
        return f"this answer is given by {quoted(line.by)}, but {asked}"
    return ""


def called(request: Request) -> tuple[str, ...]:
    """What a request is called: by its line alone, then with those of its step that share its name."""
    if request.sort == "value":
        return request.address, request.name
    return (request.question.line, request.address) if request.question else (request.address,)


def read_script(text: Text, program: Program) -> Read[Script]:
    """The script of a text.

    Reports RW0701 to RW0706 (the text), RW0740 (an address where nothing is asked), RW0741 (one that stands for
    several questions), RW0742 (the form of an entry), and what `Shapes.answers` tells of answers that name their
    question, which no play has to come to for that.
    """
    document = read(text)
    if document.value is None:
        return Read(None, document.diagnostics)
    return script_of(document.value, program)


def script_of(node: Node, program: Program) -> Read[Script]:
    """The script of a node; reports as `read_script`."""
    findings, shapes = Findings(), shapes_of(program)
    shapes.script.judge(node, findings)
    if isinstance(node, Items):
        lines = [_line(each, shapes.addresses, findings) for each in node.items]
    else:
        lines = list(_lines(node, shapes.addresses, findings)) if isinstance(node, Mapping) else []
    for each in lines:
        _judge(each, shapes, findings)
    # an answer that is always given stands, and so does that nobody takes part in a window
    standing = tuple(each for each in lines if each.always or (each.at in shapes.windows and is_nobody(each.answer)))
    once = tuple(each for each in lines if each not in standing)
    return findings.read(Script(once, isinstance(node, Items), node.span.source, standing))


def _judge(line: Line, shapes: Shapes, findings: Findings) -> None:
    """Reports what keeps an answer from being one to the question that it names, whatever is legal then."""
    shape, found = shapes.answers.get(shared_address(line.at)), Findings()
    if shape is not None and not shape.judge(line.answer, found, WHAT):
        findings.found += (replace(each, address=line.at) for each in found.found)


def _line(node: Node, addresses: Addresses, findings: Findings) -> Line:
    always = value_under(node, ALWAYS)
    answer = value_under(node, ANSWER) if always is None else always
    if answer is None or not isinstance(node, Mapping):
        return Line(node, node)
    at, by = node.get(AT), node.get(BY)
    address = _address(at.written, at, addresses, findings) if isinstance(at, Scalar) and at.written else ""
    return Line(answer, node, address, by.written if isinstance(by, Scalar) else "", always is not None)


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
        if not isinstance(given, Mapping) or not given.entries or any(one.text not in _MANY for one, _ in given):
            yield Line(given, key, address)
            continue
        each, always = given.get(EACH), given.get(ALWAYS)
        yield from (Line(answer, answer, address) for answer in (each.items if isinstance(each, Items) else ()))
        if always is not None:
            yield Line(always, always, address, always=True)


def script_text(answers: Iterable[tuple[str, str, Json]]) -> str:
    """A script in order, as YAML: address, id of the player or empty, and answer of every request."""
    lines = [_entry(at, by, answer) for at, by, answer in answers]
    return "".join(lines) or "[]\n"


def _entry(at: str, by: str, answer: Json) -> str:
    player = f", {BY}: {json_text(by)}" if by else ""
    return f"- {{{ANSWER}: {one_line(answer)}, {AT}: {json_text(at)}{player}}}\n"
