"""Expectations of the path of a play: steps in order or by call, steps passed over, and sequences of events."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest

from rulewright.documents.document_nodes import DocumentNode, Json, ListNode, MapKey, MapNode, ScalarNode
from rulewright.documents.findings import describe_choices, did_you_mean
from rulewright.program.statements import Line
from rulewright.program.walk import is_address_suffix, list_lines_of_class, strip_address_numbers
from rulewright.runtime.request import TraceEntry
from rulewright.scenarios.line_expectations import JudgingContext, find_positions
from rulewright.scenarios.scenario_recording import id_to_json
from rulewright.scenarios.suite import UnmetExpectation

_IGNORED_ENTRY_SORTS = frozenset({"passed over", "skipped", "visited", "return", "handler ended", "rule ended"})
_MAX_SHOWN_HAPPENINGS = 6


@dataclass(frozen=True)
class ProcedureCall:
    """Call of a procedure, actual or expected, with its steps and nested calls."""

    procedure: str  # "" for a handler or rule, whose calls count for the procedure around it
    # addresses of steps and nested calls, in order
    steps_and_calls: "list[str | ProcedureCall]" = field(default_factory=list)
    moments: list[int] = field(default_factory=list)  # trace positions; empty if expected

    @property
    def steps(self) -> list[str]:
        """Addresses of its own steps, in order."""
        return [and_call for and_call in self.steps_and_calls if isinstance(and_call, str)]

    def iterate_tokens(self) -> Iterator[tuple[str, str, int]]:
        """Steps, and beginnings and ends of nested calls, with positions; calls without steps are left out."""
        for number, and_call in enumerate(self.steps_and_calls):
            moment = self.moments[number] if self.moments else 0
            if isinstance(and_call, str):
                yield "step", and_call, moment
            elif inner := tuple(and_call.iterate_tokens()):
                around = bool(and_call.procedure)
                yield from [("call", and_call.procedure, moment)] * around
                yield from inner
                yield from [("end", "", inner[-1][2])] * around


def judge_path(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of the steps entered, in order, of every procedure performed.

    A list with nested calls is compared call by call; a mapping covers only the named procedures, call by call, without
    nested calls.
    """
    if isinstance(judging.node, MapNode):
        yield from (miss for key, node in judging.entries for miss in _judge_calls(judging, key, node))
    elif isinstance(judging.node, ListNode) and any(isinstance(item, MapNode) for item in judging.node.items):
        yield from _judge_nested_path(judging, judging.node)
    else:
        yield from _judge_visits(judging, "path", "step")


def judge_passed_over(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of the steps passed over, in order."""
    return _judge_visits(judging, "passed_over", "passed over")


def _judge_visits(judging: JudgingContext, what: str, sort: str) -> Iterator[UnmetExpectation]:
    expected = expand_steps(judging, judging.node)
    actual = [address for address, entered in judging.session.visited_steps if entered == (sort == "step")]
    if expected is None or all(is_address_suffix(a, b) for a, b in zip_longest(actual, expected)):
        return
    at = next(number for number, pair in enumerate(zip_longest(actual, expected)) if not is_address_suffix(*pair))
    moment = next(islice(find_positions(judging.session, lambda entry: entry.sort == sort), at, None), None)
    wanted, shown = _show_steps(expected[at:]), _show_steps(actual[at:])
    yield UnmetExpectation(what, wanted, shown, _describe_position(actual[:at]), moment)


def expand_steps(judging: JudgingContext, node: DocumentNode, within: str = "") -> list[str] | None:
    """Steps of a list with ranges expanded; `None`, reported, where an item is no step."""
    items = node.items if isinstance(node, ListNode) else ()
    result = [_resolve_step(judging, item, within) for item in items if isinstance(item, ScalarNode)]
    return None if None in result else [step for item in result if item is not None for step in item]


def _resolve_step(judging: JudgingContext, node: ScalarNode, within: str) -> list[str] | None:
    """A step, or the addresses of a range such as `1-7`, in this procedure, else in the only one that has it."""
    known = judging.ruled.steps
    inside = [item for item in known if item.startswith(f"{within}/")] if within else known
    if any(is_address_suffix(item, node.written) for item in inside):
        return [node.written]
    ranges = _expand_ranges(node.written, inside)
    main = judging.session.start.procedure.name
    sure = [range_ for range_ in ranges if range_[0].startswith(f"{main}/")] or ranges
    if len(sure) == 1:
        return sure[0]
    return None if judging.resolve_address(node.written, node, tuple(inside), "step") is None else [node.written]


def _expand_ranges(written: str, known: Sequence[str]) -> list[list[str]]:
    """Candidates of a range: the steps from first to last, of one procedure each."""
    result = []
    for at in (number for number, item in enumerate(written) if item == "-"):
        low, high = written[:at], written[at + 1 :]
        for first in (item for item in known if is_address_suffix(item, low)):
            procedure = first.rpartition("/")[0]
            steps = [item for item in known if item.rpartition("/")[0] == procedure]
            last = f"{procedure}/{high}"
            if last in steps and steps.index(first) < steps.index(last):
                result.append(steps[steps.index(first) : steps.index(last) + 1])
    return result


def _judge_nested_path(judging: JudgingContext, node: DocumentNode) -> Iterator[UnmetExpectation]:
    main = judging.session.start.procedure.name
    expected = _read_expected_call(judging, node, main)
    if expected is None:
        return
    wanted, actual = list(expected.iterate_tokens()), list(build_call_tree(judging).iterate_tokens())
    for at, pair in enumerate(zip_longest(wanted, actual)):
        if not _is_token_match(*pair):
            before = _describe_position([name for sort, name, _ in actual[:at] if sort == "step"])
            moment = actual[at][2] if at < len(actual) else None
            yield UnmetExpectation("path", _show_tokens(wanted[at:]), _show_tokens(actual[at:]), before, moment)
            return


def _read_expected_call(judging: JudgingContext, node: DocumentNode, procedure: str) -> ProcedureCall | None:
    call = ProcedureCall(procedure)
    for item in node.items if isinstance(node, ListNode) else ():
        if isinstance(item, MapNode):
            for key, inner in item:
                below = _read_expected_call(judging, inner, key.text) if _check_procedure(judging, key) else None
                if below is None:
                    return None
                call.steps_and_calls.append(below)
        elif isinstance(item, ScalarNode):
            steps = _resolve_step(judging, item, procedure)
            if steps is None:
                return None
            call.steps_and_calls.extend(steps)
        else:
            message = "a list stands in a path; a call is a mapping from the procedure to its steps"
            judging.findings.add_error("RW1002", item, message, help="write `fight: [1, 2]`")
            return None
    return call


def _check_procedure(judging: JudgingContext, key: MapKey) -> bool:
    known = judging.program.procedures
    if key.text not in known:
        remedy = did_you_mean(key.text, known) or describe_choices([*known])
        judging.findings.add_error("RW1007", key, f"there is no procedure `{key.text}`", help=remedy)
    return key.text in known


def build_call_tree(judging: JudgingContext) -> ProcedureCall:
    """Call tree of the play."""
    root = ProcedureCall(judging.session.start.procedure.name)
    open_ = [root]
    for moment, entry in enumerate(judging.session.entries):
        if entry.sort not in {"call", "step"}:
            continue
        del open_[max(len(entry.enclosing), 1) :]
        for name in entry.enclosing[len(open_) :]:
            call = ProcedureCall(name if name in judging.program.procedures else "")
            open_[-1].steps_and_calls.append(call)
            open_[-1].moments.append(moment)
            open_.append(call)
        if entry.sort == "step":
            open_[-1].steps_and_calls.append(entry.address)
            open_[-1].moments.append(moment)
    return root


def walk_calls(call: ProcedureCall) -> Iterator[ProcedureCall]:
    """A call and all nested calls, in order."""
    yield call
    for and_call in call.steps_and_calls:
        if isinstance(and_call, ProcedureCall):
            yield from walk_calls(and_call)


def _judge_calls(judging: JudgingContext, key: MapKey, node: DocumentNode) -> Iterator[UnmetExpectation]:
    """The first miss of the own steps of each call of a procedure: of the only one, or a list by call."""
    if not _check_procedure(judging, key):
        return
    each_call = isinstance(node, ListNode) and all(isinstance(item, ListNode) for item in node.items)
    parts = node.items if each_call and isinstance(node, ListNode) else (node,)
    expected = [expand_steps(judging, part, key.text) for part in parts]
    calls = [one for one in walk_calls(build_call_tree(judging)) if one.procedure == key.text and one.steps]
    pairs = enumerate(zip_longest(expected, calls), 1)
    for number, (wanted, call) in pairs:
        actual = [] if call is None else call.steps
        if None not in expected and not all(is_address_suffix(a, b) for a, b in zip_longest(actual, wanted or [])):
            place = f"{key.text}, call {number} of {len(calls)}" if len(calls) > 1 else key.text
            moment = call.moments[0] if call else None
            shown = _show_steps(wanted) if wanted is not None else "no more calls"
            yield UnmetExpectation("path", shown, _show_steps(actual) if call else "no call", place, moment)
            return


def _is_token_match(wanted: tuple[str, str, int] | None, actual: tuple[str, str, int] | None) -> bool:
    if wanted is None or actual is None or wanted[0] != actual[0]:
        return False
    return is_address_suffix(actual[1], wanted[1]) if actual[0] == "step" else actual[1] == wanted[1]


def _show_steps(steps: Sequence[str]) -> str:
    return ", ".join(step.rpartition("/")[2] for step in steps) or "nothing more"


def _show_tokens(tokens: Sequence[tuple[str, str, int]]) -> str:
    shown = ""
    for sort, name, _ in tokens:
        between = ", " if shown and not shown.endswith("[") and sort != "end" else ""
        shown += between + {"step": name.rpartition("/")[2], "call": f"{name}: [", "end": "]"}[sort]
    return shown or "nothing more"


def _describe_position(before: Sequence[str]) -> str:
    return f"after {before[-1].rpartition('/')[2]}" if before else "at the start"


def call_to_json(call: ProcedureCall) -> list[Json]:
    """Steps and nested calls, as a path is written."""
    result: list[Json] = []
    for and_call in call.steps_and_calls:
        if isinstance(and_call, str):
            result.append(id_to_json(and_call.rpartition("/")[2]))
        elif not and_call.procedure:
            result += call_to_json(and_call)
        elif any(and_call.iterate_tokens()):
            result.append({and_call.procedure: call_to_json(and_call)})
    return result


def judge_happenings(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of steps, lines, questions and events in this order, as a subsequence of the trace."""
    names = [text for text in judging.texts if _check_known_happening(judging, text)]
    if len(names) < len(tuple(judging.texts)):
        return
    matched, last = 0, -1
    entries = judging.session.entries
    for moment, entry in enumerate(entries):
        if matched < len(names) and _is_entry_match(entry, names[matched].written):
            matched, last = matched + 1, moment
    if matched == len(names):
        return
    happened = dict.fromkeys(one.address for one in entries[last + 1 :] if _is_notable_entry(one))
    more = ["…"] if len(happened) > _MAX_SHOWN_HAPPENINGS else []
    shown = ", ".join([*islice(happened, _MAX_SHOWN_HAPPENINGS), *more]) or "nothing more"
    place = f"after {names[matched - 1].written}" if matched else "at the start"
    expected = ", ".join(name.written for name in names[matched:])
    yield UnmetExpectation("happens", expected, shown, place, last if matched else None)


def _is_entry_match(entry: TraceEntry, written: str) -> bool:
    """Whether an entry has this address (or ends in it), or triggers this event."""
    if entry.sort in _IGNORED_ENTRY_SORTS:
        return False
    address = strip_address_numbers(entry.address)
    return (
        is_address_suffix(entry.address, written)
        or is_address_suffix(address, written)
        or is_address_suffix(address, f"trigger.{written}")
    )


def _is_notable_entry(entry: TraceEntry) -> bool:
    return entry.sort in {"step", "answer", "roll", "handler", "call"} or "/trigger." in entry.address


def _check_known_happening(judging: JudgingContext, node: ScalarNode) -> bool:
    """Whether something of this name can happen; else reports RW1007."""
    program = judging.program
    lines = [line.address for line in list_lines_of_class(program, Line)]
    known = dict.fromkeys(
        (*judging.ruled.steps, *lines, *map(strip_address_numbers, lines), *program.handlers, *program.rules)
    )
    if node.written in program.events or any(is_address_suffix(item, node.written) for item in known):
        return True
    parts = [*program.events, *(item.rpartition("/")[2] for item in known), *known]
    remedy = did_you_mean(node.written, parts) or "name a step, a line, a question or an event"
    judging.findings.add_error("RW1007", node, f"nothing that happens is called `{node.written}`", help=remedy)
    return False
