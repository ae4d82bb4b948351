"""By which steps a play went: all of them in order, call by call, and what happened one after the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest

from rulewright.inputs.findings import did_you_mean, there_are
from rulewright.inputs.nodes import Items, Json, Key, Mapping, Node, Scalar
from rulewright.machine.trace import Entry
from rulewright.program.statements import Line
from rulewright.program.walk import ends_in, lines_of, shared_address
from rulewright.scenarios.expectations.lines import Judging, when
from rulewright.scenarios.recording import named
from rulewright.scenarios.suite import Miss

_NO_HAPPENINGS = frozenset({"passed over", "skipped", "visited", "return", "handler ended", "rule ended"})
_MOST = 6


@dataclass(frozen=True)
class Call:
    """A procedure as it was performed, or as it is expected."""

    procedure: str  # its name; empty of a handler or rule, whose calls are those of the procedure around it
    # addresses of its steps, and the calls between them, in order
    way: "list[str | Call]" = field(default_factory=list)
    moments: list[int] = field(default_factory=list)  # positions of their entries; of what is expected none

    @property
    def steps(self) -> list[str]:
        """The addresses of its own steps, in order, without those of what it calls."""
        return [each for each in self.way if isinstance(each, str)]

    def tokens(self) -> Iterator[tuple[str, str, int]]:
        """Steps, beginnings and ends of calls in order, each with its moment; calls without steps are left out."""
        for number, each in enumerate(self.way):
            moment = self.moments[number] if self.moments else 0
            if isinstance(each, str):
                yield "step", each, moment
            elif inner := tuple(each.tokens()):
                around = bool(each.procedure)
                yield from [("call", each.procedure, moment)] * around
                yield from inner
                yield from [("end", "", inner[-1][2])] * around


def path(judging: Judging) -> tuple[Miss, ...]:
    """The steps that were entered, in order, of every procedure that was performed.

    A list in which calls stand tells of each call which steps it took; a mapping tells of some procedures alone, call
    by call, without what they perform.
    """
    if isinstance(judging.node, Mapping):
        return tuple(miss for key, node in judging.entries for miss in _calls_of(judging, key, node))
    if isinstance(judging.node, Items) and any(isinstance(each, Mapping) for each in judging.node.items):
        return _along(judging, judging.node)
    return _visits(judging, "path", "step")


def passed_over(judging: Judging) -> tuple[Miss, ...]:
    """The steps that were passed over, in order."""
    return _visits(judging, "passed_over", "passed over")


def _visits(judging: Judging, what: str, sort: str) -> tuple[Miss, ...]:
    expected = spelled(judging, judging.node)
    got = [address for address, entered in judging.session.steps if entered == (sort == "step")]
    if expected is None or all(ends_in(a, b) for a, b in zip_longest(got, expected)):
        return ()
    at = next(number for number, pair in enumerate(zip_longest(got, expected)) if not ends_in(*pair))
    moment = next(islice(when(judging.session, lambda entry: entry.sort == sort), at, None), None)
    return (Miss(what, _shown(expected[at:]), _shown(got[at:]), _after(got[:at]), moment),)


def spelled(judging: Judging, node: Node, within: str = "") -> list[str] | None:
    """The steps of a list, with every range written out; none, reported, where something in it is not a step."""
    items = node.items if isinstance(node, Items) else ()
    found = [_steps(judging, each, within) for each in items if isinstance(each, Scalar)]
    return None if None in found else [step for each in found if each is not None for step in each]


def _steps(judging: Judging, node: Scalar, within: str) -> list[str] | None:
    """A step as it is written, or the addresses of a range, such as `1-7`: of this procedure, else of the only one."""
    known = judging.ruled.steps
    inside = [each for each in known if each.startswith(f"{within}/")] if within else known
    if any(ends_in(each, node.written) for each in inside):
        return [node.written]
    ranges = _ranges(node.written, inside)
    main = judging.session.begun.procedure.name
    sure = [each for each in ranges if each[0].startswith(f"{main}/")] or ranges
    if len(sure) == 1:
        return sure[0]
    return None if judging.address(node.written, node, tuple(inside), "step") is None else [node.written]


def _ranges(written: str, known: Sequence[str]) -> list[list[str]]:
    """What the ends of a range may stand for: the steps from the first to the last, of one procedure each."""
    found = []
    for at in (number for number, each in enumerate(written) if each == "-"):
        low, high = written[:at], written[at + 1 :]
        for first in (each for each in known if ends_in(each, low)):
            procedure = first.rpartition("/")[0]
            steps = [each for each in known if each.rpartition("/")[0] == procedure]
            last = f"{procedure}/{high}"
            if last in steps and steps.index(first) < steps.index(last):
                found.append(steps[steps.index(first) : steps.index(last) + 1])
    return found


def _along(judging: Judging, node: Node) -> tuple[Miss, ...]:
    """The steps of all calls, each inside the call that took it."""
    main = judging.session.begun.procedure.name
    expected = _expected(judging, node, main)
    if expected is None:
        return ()
    wanted, got = list(expected.tokens()), list(performed(judging).tokens())
    at = next((number for number, pair in enumerate(zip_longest(wanted, got)) if not _fits(*pair)), None)
    if at is None:
        return ()
    before = [name for sort, name, _ in got[:at] if sort == "step"]
    moment = got[at][2] if at < len(got) else None
    return (Miss("path", _told(wanted[at:]), _told(got[at:]), _after(before), moment),)


def _expected(judging: Judging, node: Node, procedure: str) -> Call | None:
    """A call as it is written."""
    call = Call(procedure)
    for each in node.items if isinstance(node, Items) else ():
        if isinstance(each, Mapping):
            for key, inner in each:
                below = _expected(judging, inner, key.text) if _is_procedure(judging, key) else None
                if below is None:
                    return None
                call.way.append(below)
        elif isinstance(each, Scalar):
            steps = _steps(judging, each, procedure)
            if steps is None:
                return None
            call.way.extend(steps)
        else:
            message = "a list stands in a path; a call is a mapping from the procedure to its steps"
            judging.findings.error("RW1002", each, message, help="write `fight: [1, 2]`")
            return None
    return call


def _is_procedure(judging: Judging, key: Key) -> bool:
    known = judging.program.procedures
    if key.text not in known:
        remedy = did_you_mean(key.text, known) or there_are([*known])
        judging.findings.error("RW1007", key, f"there is no procedure `{key.text}`", help=remedy)
    return key.text in known


def performed(judging: Judging) -> Call:
    """The play as calls inside of calls."""
    root = Call(judging.session.begun.procedure.name)
    open_ = [root]
    for moment, entry in enumerate(judging.session.entries):
        if entry.sort not in {"call", "step"}:
            continue
        del open_[max(len(entry.enclosing), 1) :]
        for name in entry.enclosing[len(open_) :]:
            call = Call(name if name in judging.program.procedures else "")
            open_[-1].way.append(call)
            open_[-1].moments.append(moment)
            open_.append(call)
        if entry.sort == "step":
            open_[-1].way.append(entry.address)
            open_[-1].moments.append(moment)
    return root


def all_calls(call: Call) -> Iterator[Call]:
    """A call and all that it makes, in order."""
    yield call
    for each in call.way:
        if isinstance(each, Call):
            yield from all_calls(each)


def _calls_of(judging: Judging, key: Key, node: Node) -> tuple[Miss, ...]:
    """What each call of a procedure took by itself: of the only one, or a list with one list for each."""
    if not _is_procedure(judging, key):
        return ()
    each_call = isinstance(node, Items) and all(isinstance(each, Items) for each in node.items)
    parts = node.items if each_call and isinstance(node, Items) else (node,)
    expected = [spelled(judging, each, key.text) for each in parts]
    calls = [each for each in all_calls(performed(judging)) if each.procedure == key.text and each.steps]
    pairs = enumerate(zip_longest(expected, calls), 1)
    for number, (wanted, call) in pairs:
        got = [] if call is None else call.steps
        if None not in expected and not all(ends_in(a, b) for a, b in zip_longest(got, wanted or [])):
            place = f"{key.text}, call {number} of {len(calls)}" if len(calls) > 1 else key.text
            moment = call.moments[0] if call else None
            told = _shown(wanted) if wanted is not None else "no more calls"
            return (Miss("path", told, _shown(got) if call else "no call", place, moment),)
    return ()


def _fits(wanted: tuple[str, str, int] | None, got: tuple[str, str, int] | None) -> bool:
    if wanted is None or got is None or wanted[0] != got[0]:
        return False
    return ends_in(got[1], wanted[1]) if got[0] == "step" else got[1] == wanted[1]


def _shown(steps: Sequence[str]) -> str:
    return ", ".join(each.rpartition("/")[2] for each in steps) or "nothing more"


def _told(tokens: Sequence[tuple[str, str, int]]) -> str:
    """Steps and calls as a path is written."""
    told = ""
    for sort, name, _ in tokens:
        between = ", " if told and not told.endswith("[") and sort != "end" else ""
        told += between + {"step": name.rpartition("/")[2], "call": f"{name}: [", "end": "]"}[sort]
    return told or "nothing more"


def _after(before: Sequence[str]) -> str:
    return f"after {before[-1].rpartition('/')[2]}" if before else "at the start"


def written(call: Call) -> list[Json]:
    """The steps and calls of a call, as a path is written."""
    found: list[Json] = []
    for each in call.way:
        if isinstance(each, str):
            found.append(named(each.rpartition("/")[2]))
        elif not each.procedure:
            found += written(each)
        elif any(each.tokens()):
            found.append({each.procedure: written(each)})
    return found


def happens(judging: Judging) -> tuple[Miss, ...]:
    """Steps, lines, questions and events in this order, whatever comes between them."""
    names = [each for each in judging.texts if _is_known(judging, each)]
    if len(names) < len(tuple(judging.texts)):
        return ()
    matched, last = 0, -1
    entries = judging.session.entries
    for moment, entry in enumerate(entries):
        if matched < len(names) and _is_it(entry, names[matched].written):
            matched, last = matched + 1, moment
    if matched == len(names):
        return ()
    came = dict.fromkeys(each.address for each in entries[last + 1 :] if _is_told(each))
    told = ", ".join([*islice(came, _MOST), *(["…"] if len(came) > _MOST else [])]) or "nothing more"
    place = f"after {names[matched - 1].written}" if matched else "at the start"
    expected = ", ".join(each.written for each in names[matched:])
    return (Miss("happens", expected, told, place, last if matched else None),)


def _is_it(entry: Entry, written: str) -> bool:
    """Whether an entry is what is written: its address or an end of it, or the event that it triggers."""
    if entry.sort in _NO_HAPPENINGS:
        return False
    address = shared_address(entry.address)
    return ends_in(entry.address, written) or ends_in(address, written) or ends_in(address, f"trigger.{written}")


def _is_told(entry: Entry) -> bool:
    """Whether a happening is one that people would name."""
    return entry.sort in {"step", "answer", "roll", "handler", "call"} or "/trigger." in entry.address


def _is_known(judging: Judging, node: Scalar) -> bool:
    """Whether something can happen that is called so; else RW1007."""
    program = judging.program
    lines = [each.address for each in lines_of(program, Line)]
    known = dict.fromkeys(
        (*judging.ruled.steps, *lines, *map(shared_address, lines), *program.handlers, *program.rules)
    )
    if node.written in program.events or any(ends_in(each, node.written) for each in known):
        return True
    parts = [*program.events, *(each.rpartition("/")[2] for each in known), *known]
    remedy = did_you_mean(node.written, parts) or "name a step, a line, a question or an event"
    judging.findings.error("RW1007", node, f"nothing that happens is called `{node.written}`", help=remedy)
    return False
