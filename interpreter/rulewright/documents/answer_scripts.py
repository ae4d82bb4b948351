"""Answers decided beforehand: scripts (answers in order or by address) and policies for what scripts leave out."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from rulewright.base.diagnostics import Diagnostic, Label, Severity
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.documents.answers import ANSWER_LABEL, answer_to_json, is_nobody, name_offered_dice, read_answer
from rulewright.documents.document_nodes import (
    DocumentNode,
    Json,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    format_json,
    format_one_line,
    value_under,
)
from rulewright.documents.document_schemas import PLAIN_POLICIES, DocumentShapes, document_shapes
from rulewright.documents.findings import (
    Findings,
    ReadResult,
    describe_choices,
    did_you_mean,
    join_alternatives,
    make_finding,
    quote_name,
)
from rulewright.documents.name_table import EACH, NameTable, RequestAddresses, UnresolvedAddress
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.program.declarations import Program
from rulewright.program.statements import Ask
from rulewright.program.walk import list_lines_of_class, strip_address_numbers
from rulewright.runtime.request import CHANCE_SORTS, EXTERNAL_SORTS, Request
from rulewright.runtime.run import Paused
from rulewright.runtime.values import Value

LEFT_OVER = "RW0743"
ANSWER, AT, BY, ALWAYS = "answer", "at", "by", "always"
NO_SCRIPT_ANSWER = "RW0744"
"""Code: a script has no answer for a request."""
_REPEATED_KEYS = frozenset({EACH, ALWAYS})

SCRIPT_PREFIX = f"- {{{ANSWER}: "
"""First characters of every script that was written from a play in which something was asked."""


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """One line of a script: an answer, and the questions it is for."""

    answer: DocumentNode
    place: MapKey | DocumentNode  # place of errors about it
    at: str = ""  # whole address of its question, or ""
    by: str = ""  # id of the player who gives it, or ""
    always: bool = False  # answers every request at its address


@dataclass(frozen=True, slots=True)
class TakenAnswer:
    """An answer taken from a script, and the rest of the script."""

    answer: DocumentNode
    rest: "AnswerScript"


@dataclass(frozen=True, slots=True)
class ForcedAnswer:
    """A question with a single possible answer, which answered itself without being put."""

    paused: Paused
    value: Value

    @property
    def request(self) -> Request:
        """The request that would have been put."""
        return self.paused.request

    @property
    def is_withheld(self) -> bool:
        """Whether the answer is hidden from some players."""
        question = self.request.question
        return question is not None and bool(question.executable.concealment.withheld_part(question.node))


ForcedAnswers = Callable[[], Iterable[ForcedAnswer]]
"""Lazily computed forced answers."""


@dataclass(frozen=True, slots=True)
class AnswerScript:
    """Answers not yet taken."""

    lines: tuple[ScriptLine, ...]
    is_ordered: bool  # taken first to last; else by address
    name: str
    # answers that are always given at their addresses, and are never left over
    standing_lines: tuple[ScriptLine, ...] = ()

    def take_scripted_answer(self, request: Request, names: NameTable) -> TakenAnswer | Diagnostic:
        """Answer for a request, or why there is none: RW0744 (none left), RW0745 (meant for another question)."""
        line = self.find_line(request_names(request))
        if line is None:
            return self._report_missing_answer(request)
        message = explain_mismatch(line, request, names)
        if message:
            return make_finding("RW0745", line.place, message, address=request.address)
        remaining = tuple(script_line for script_line in self.lines if script_line is not line)
        return TakenAnswer(line.answer, replace(self, lines=remaining))

    def find_line(self, wanted: Sequence[str]) -> ScriptLine | None:
        """Next answer for a request known by any of the `wanted` addresses.

        In order, an answer that is always given goes before one without an address.
        """
        standing_answer = next(
            (standing_line for name in wanted for standing_line in self.standing_lines if standing_line.at == name),
            None,
        )
        if not self.is_ordered:
            return next((line for name in wanted for line in self.lines if line.at == name), standing_answer)
        first = self.lines[0] if self.lines else None
        return first if first and (standing_answer is None or first.at in wanted) else standing_answer

    @property
    def names_questions(self) -> bool:
        """Whether it is in order and gives addresses, which may be those of forced answers."""
        return self.is_ordered and any(line.at for line in self.lines)

    def can_answer(self, request: Request) -> bool:
        """Whether it answers a question with one possible answer, which `run` would not put."""
        wanted = request_names(request)
        return any(self.is_ordered or line.at in wanted for line in self.lines) or self.find_line(wanted) is not None

    def skip_forced(
        self, before: ForcedAnswers, wanted: Container[str], names: NameTable
    ) -> "AnswerScript | Diagnostic":
        """Script without the leading answers that name forced questions, where it is in order.

        `before` gives the forced answers since the last request, `wanted` the names of the next request. RW0731 where a
        forced question had another answer.
        """
        remaining = self.lines
        if not self.is_ordered or not remaining or not remaining[0].at or remaining[0].at in wanted:
            return self
        unmet = None
        for forced_answer in before():
            if (
                not remaining
                or remaining[0].at not in request_names(forced_answer.request)
                or remaining[0].at in wanted
            ):
                continue
            wrong = check_forced_answer(remaining[0], forced_answer, names)
            if wrong is None:
                remaining, unmet = remaining[1:], None
            elif remaining[0].by in {"", names.player_id(forced_answer.request.player)}:
                return wrong
            else:
                unmet = wrong
        if unmet is not None:
            return unmet
        return replace(self, lines=remaining)

    def _report_missing_answer(self, request: Request) -> Diagnostic:
        message = f"the script has no answer for `{request.prompt or request.address}`"
        last = Label(Span(self.name, 0, 0)) if self.name else None
        left_out = "`--seed N` rolls dice" if request.sort in CHANCE_SORTS else "`--policy first` decides"
        remedy = f"write it into the script, or leave it out on purpose: {left_out} where a script says nothing"
        if request.sort in EXTERNAL_SORTS:
            remedy = "write it into the script: nothing else says what comes from elsewhere"
        return Diagnostic(NO_SCRIPT_ANSWER, Severity.ERROR, message, last, help=remedy, address=request.address)

    def report_leftover(
        self, names: NameTable, after: str, since: ForcedAnswers, ever: ForcedAnswers
    ) -> tuple[Diagnostic, ...]:
        """RW0743 for answers that were never asked for, with the forced answers.

        `after` is the address of the last request, `since` the forced answers after it, `ever` all of the play. Answers
        that name a forced question are not left over; RW0731 where that had another answer.
        """
        if not self.is_ordered:
            return tuple(wrong for line in self.lines for wrong in _report_unasked(line, ever, names))
        script = self.skip_forced(since, (), names)
        if isinstance(script, Diagnostic):
            return (script,)
        if not script.lines:
            return ()
        last = f" after `{after}`" if after else ""
        message = f"{_count_answers(script.lines)} left over: nothing was asked{last}"
        return (_leftover_answer(script.lines[0], message, describe_forced_answers(ever), len(script.lines)),)


def report_untaken(lines: Sequence[ScriptLine], *, ordered: bool) -> tuple[Diagnostic, ...]:
    """RW0743 for answers that no play takes; of a script in order one finding, at the first of them."""
    if ordered and len(lines) > 1:
        message = f"{_count_answers(lines)} left over: no play asks for them"
        return (_leftover_answer(lines[0], message, (), len(lines)),)
    return tuple(
        _leftover_answer(line, f"{_count_answers((line,))} left over: no play asks for it", ()) for line in lines
    )


def _count_answers(lines: Sequence[ScriptLine]) -> str:
    return "this answer is" if len(lines) == 1 else f"this answer and {len(lines) - 1} more are"


def _report_unasked(line: ScriptLine, ever: ForcedAnswers, names: NameTable) -> Iterator[Diagnostic]:
    forced = [forced_answer for forced_answer in ever() if line.at in request_names(forced_answer.request)]
    if not forced or not isinstance(line.place, MapKey):
        prompt = _find_prompt(line.at, names.program)
        message = f"nobody was asked “{prompt}” (`{line.at}`)" if prompt else f"`{line.at}` was not asked"
        yield _leftover_answer(line, message, tuple(dict.fromkeys(map(_describe_forced_answer, forced))))
        return
    wrong = check_forced_answer(line, forced[0], names)
    if wrong is not None:
        yield wrong


def _find_prompt(at: str, program: Program) -> str:
    """The written question of a line that asks a player; empty if there is none."""
    asking = (line for line in list_lines_of_class(program, Ask) if at == strip_address_numbers(line.address))
    own_name = at.rpartition("/")[2].replace("_", " ")
    return next((line.prompt for line in asking if line.prompt.replace("_", " ") != own_name), "")


def describe_forced_answers(before: ForcedAnswers) -> tuple[str, ...]:
    """Notes on the questions that were not put."""
    return tuple(dict.fromkeys(map(_describe_forced_answer, before())))


def _describe_forced_answer(each: ForcedAnswer) -> str:
    address, prompt = each.request.address, each.request.prompt
    named = f" (`{address}`)" if prompt else ""
    return f"`{prompt or address}` was answered by itself: one answer alone was legal{named}"


def check_forced_answer(line: ScriptLine, each: ForcedAnswer, names: NameTable) -> Diagnostic | None:
    """RW0731 for an answer, or a player, other than that of a forced question."""
    request = each.request
    player = names.player_id(request.player)
    answer = answer_to_json(request, each.value, name_offered_dice(request, names))
    only = "another answer" if each.is_withheld else f"`{format_one_line(answer)}`"
    if line.by and line.by != player:
        message = f"this answer is given by {quote_name(line.by)}, but {quote_name(player)} would be asked"
    elif read_answer(request, line.answer, names, each.paused).diagnostics:
        message = f"this answer is not possible: {only} alone is legal"
    else:
        return None
    return make_finding("RW0731", line.place, message, address=request.address)


def _leftover_answer(line: ScriptLine, message: str, notes: tuple[str, ...], number: int = 1) -> Diagnostic:
    them, their = ("this answer", "its question") if number == 1 else ("these answers", "their questions")
    remedy = f"if the play is right now, take {them} out; if it should ask {their}, change the rules or the start"
    return make_finding(LEFT_OVER, line.place, message, remedy, notes=notes, address=line.at)


def explain_mismatch(line: ScriptLine, request: Request, names: NameTable) -> str:
    """Why an answer does not fit a request: for another question, or another player's; `""` where it fits."""
    player = names.player_id(request.player)
    if line.at and line.at not in request_names(request):
        question = f"`{request.prompt}` is asked (`{request.address}`)" if request.prompt else ""
        return f"this answer is for `{line.at}`, but {question or f'`{request.address}` is asked'}"
    if line.by and line.by != player:
        question = f"{quote_name(player)} is asked" if player else "no player is asked"
        return f"this answer is given by {quote_name(line.by)}, but {question}"
    return ""


def request_names(request: Request) -> tuple[str, ...]:
    """Names of a request: the address of its line, then the one shared by lines of its step and name."""
    if request.sort == "value":
        return request.address, request.name
    return (request.question.line_address, request.address) if request.question else (request.address,)


def read_script(text: Text, program: Program) -> ReadResult[AnswerScript]:
    """Script of a text.

    Reports RW0701 to RW0706 (the text), RW0740 (an address where nothing is asked), RW0741 (an ambiguous address),
    RW0742 (the form of an entry), and errors in the shapes of addressed answers, whether or not a play comes to them.
    """
    document = parse_yaml(text)
    if document.value is None:
        return ReadResult(None, document.diagnostics)
    return parse_script(document.value, program)


def parse_script(node: DocumentNode, program: Program) -> ReadResult[AnswerScript]:
    """Script of a node; reports as `read_script`."""
    findings, shapes = Findings(), document_shapes(program)
    shapes.script.validate_node(node, findings)
    if isinstance(node, ListNode):
        lines = [_parse_script_line(item, shapes.addresses, findings) for item in node.items]
    else:
        lines = list(_parse_lines_by_address(node, shapes.addresses, findings)) if isinstance(node, MapNode) else []
    for line in lines:
        _check_answer_shape(line, shapes, findings)
    # an answer that is always given stands, and so does that nobody takes part in a window
    standing_lines = tuple(
        line for line in lines if line.always or (line.at in shapes.windows and is_nobody(line.answer))
    )
    once = tuple(script_line for script_line in lines if script_line not in standing_lines)
    return findings.make_result(AnswerScript(once, isinstance(node, ListNode), node.span.source, standing_lines))


def _check_answer_shape(line: ScriptLine, shapes: DocumentShapes, findings: Findings) -> None:
    shape, result = shapes.answers.get(strip_address_numbers(line.at)), Findings()
    if shape is not None and not shape.validate_node(line.answer, result, ANSWER_LABEL):
        findings.collected += (replace(diagnostic, address=line.at) for diagnostic in result.collected)


def _parse_script_line(node: DocumentNode, addresses: RequestAddresses, findings: Findings) -> ScriptLine:
    always = value_under(node, ALWAYS)
    answer = value_under(node, ANSWER) if always is None else always
    if answer is None or not isinstance(node, MapNode):
        return ScriptLine(node, node)
    at, by = node.get(AT), node.get(BY)
    address = (
        _resolve_script_address(at.written, at, addresses, findings)
        if isinstance(at, ScalarNode) and at.written
        else ""
    )
    return ScriptLine(answer, node, address, by.written if isinstance(by, ScalarNode) else "", always is not None)


def _resolve_script_address(
    written: str, place: MapKey | DocumentNode, addresses: RequestAddresses, findings: Findings
) -> str:
    match addresses.resolve(written):
        case UnresolvedAddress(message, remedy, several):
            findings.add_error("RW0741" if several else "RW0740", place, message, help=remedy)
            return ""
        case address:
            return address


def _parse_lines_by_address(node: MapNode, addresses: RequestAddresses, findings: Findings) -> Iterator[ScriptLine]:
    keys_by_address: dict[str, MapKey] = {}
    for key, given in node:
        address = _resolve_script_address(key.text, key, addresses, findings)
        if address and address in keys_by_address:
            message = f"{quote_name(key.text)} and {quote_name(keys_by_address[address].text)} are one address"
            findings.add_error("RW0742", key, message, help=f"put all its answers into one `{{{EACH}: […]}}`")
        keys_by_address[address] = key
        if (
            not isinstance(given, MapNode)
            or not given.entries
            or any(one.text not in _REPEATED_KEYS for one, _ in given)
        ):
            yield ScriptLine(given, key, address)
            continue
        each, always = given.get(EACH), given.get(ALWAYS)
        yield from (
            ScriptLine(answer, answer, address) for answer in (each.items if isinstance(each, ListNode) else ())
        )
        if always is not None:
            yield ScriptLine(always, always, address, always=True)


def format_script(answers: Iterable[tuple[str, str, Json]]) -> str:
    """YAML of a script in order: address, id of the player or `""`, and answer of every request."""
    lines = [_format_script_entry(at, by, answer) for at, by, answer in answers]
    return "".join(lines) or "[]\n"


def _format_script_entry(at: str, by: str, answer: Json) -> str:
    player = f", {BY}: {format_json(by)}" if by else ""
    return f"- {{{ANSWER}: {format_one_line(answer)}, {AT}: {format_json(at)}{player}}}\n"


POLICY_KEY = "policy"
POLICY_FORMS = "`PLAYER=first`, or `PLAYER/QUESTION=highest EXPRESSION`"
_JUDGED_PATTERN = re.compile(r"(highest|lowest)\s+(\S.*)", re.DOTALL)
_JUDGED_START_PATTERN = re.compile(r"highest\b|lowest\b")


@dataclass(frozen=True, slots=True)
class PlayerPolicy:
    """Policy of all players, one player or one question."""

    written: str
    word: str  # `first`, `random`, `highest` or `lowest`
    player: str = ""  # id of its only player, or ""
    question: str = ""  # its only question, as written, or ""
    expression: str = ""  # objective of `highest` and `lowest`
    place: MapKey | DocumentNode | None = None  # place in a document

    def report_error(self, code: str, message: str, remedy: str = "", notes: Sequence[str] = ()) -> Diagnostic:
        if self.place is not None and self.place.span.source:
            where, pointer = Label(self.place.span), self.place.pointer
            return Diagnostic(code, Severity.ERROR, message, where, notes=tuple(notes), help=remedy, pointer=pointer)
        notes = (*notes, f"in the policy {quote_name(self.written)}")
        return Diagnostic(code, Severity.ERROR, message, notes=notes, help=remedy)


def parse_policy(written: str, place: MapKey | DocumentNode | None = None) -> PlayerPolicy | str:
    """Policy of a text; for an invalid one, what it must be."""
    who, equals, how = written.partition("=")
    who, how = who.strip(), how.strip()
    if not equals:
        who, how = "", written.strip()
    player, slash, question = who.partition("/")
    judged = _JUDGED_PATTERN.fullmatch(how)
    if (equals and not player) or (slash and not question):
        return f"it must be {join_alternatives(PLAIN_POLICIES)}, or {POLICY_FORMS}"
    if judged and question:
        return PlayerPolicy(written, judged[1], player, question, judged[2], place)
    if how in PLAIN_POLICIES:
        return PlayerPolicy(written, how, player, question, "", place)
    if _JUDGED_START_PATTERN.match(how):
        if not judged:
            return f"write an expression after `{how}`, such as `{who or 'PLAYER/QUESTION'}={how} EXPRESSION`"
        return f"say whose answers to which question are judged: `{player or 'PLAYER'}/QUESTION={how}`"
    if question:
        return (
            f"after `{who}=` it must be `highest EXPRESSION`, `lowest EXPRESSION`, {join_alternatives(PLAIN_POLICIES)}"
        )
    return f"it must be {join_alternatives(PLAIN_POLICIES)}, or {POLICY_FORMS}"


def read_policies(node: DocumentNode | None) -> Iterator[tuple[ScalarNode, PlayerPolicy | str]]:
    """Policies of a document: a text, or a list of texts; for an invalid one, what it must be."""
    for item in node.items if isinstance(node, ListNode) else (node,):
        if isinstance(item, ScalarNode):
            yield item, parse_policy(item.written, item)


@dataclass(frozen=True, slots=True)
class PolicyTable:
    """Policies of one play by player; those of single questions are compiled into their lines."""

    default: str = ""  # policy of all who have none of their own, or ""
    by_player: Mapping[int, str] = field(default_factory=dict)  # by number of the player


EMPTY_POLICY_TABLE = PolicyTable()


def build_policy_table(policies: Iterable[PlayerPolicy], names: NameTable) -> ReadResult[PolicyTable]:
    """Policies of a play; earlier ones win. Reports RW0260 (no such player)."""
    policies, mapping = tuple(policies), dict[int, str]()
    ids = names.ids_of_kind("player")
    for policy in policies:
        if not policy.player:
            continue
        if policy.player not in ids:
            remedy = did_you_mean(policy.player, ids) or (
                describe_choices(list(ids)) if ids else "the state has no players"
            )
            return ReadResult(
                None, (policy.report_error("RW0260", f"there is no player {quote_name(policy.player)}", remedy),)
            )
        if not policy.question:
            mapping.setdefault(ids.index(policy.player), policy.word)
    return ReadResult(PolicyTable(default_policy(policies), mapping))


def default_policy(policies: Iterable[PlayerPolicy]) -> str:
    """Policy of all who have none of their own; `""` without one."""
    return next((policy.word for policy in policies if not policy.player), "")


def format_policies(policies: Sequence[PlayerPolicy]) -> str:
    """Policies as they were written, in order."""
    return ", ".join(policy.written for policy in reversed(policies))
