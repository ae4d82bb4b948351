"""What happened in a play, as lines to read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rulewright.diagnostics.as_text import place
from rulewright.diagnostics.paint import Paint
from rulewright.diagnostics.visible import visible
from rulewright.drivers.places import place_of
from rulewright.drivers.session import Session, Turn
from rulewright.drivers.showing import in_game, player, show, show_change, show_reading
from rulewright.inputs.answers import answer_type
from rulewright.inputs.names import Names
from rulewright.machine.claims import proved
from rulewright.machine.request import Ended, Faulted, Outcome, Paused, Refused, Request
from rulewright.machine.trace import Entry, Judged
from rulewright.machine.values import Value
from rulewright.program.plane import POSE
from rulewright.program.types import DieType, OptionalType, PoolType
from rulewright.source import Text

NO_TEXTS: Mapping[str, Text] = MappingProxyType({})
LEVELS = ("decisive", "full", "none")
_SOURCES = {"script": " (script)", "dice": " (seed)", "policy": " (policy)", "kept": " (seen before)", "person": ""}
_ENDINGS = frozenset({"return", "handler ended", "rule ended"})


@dataclass(frozen=True, slots=True)
class Story:
    """Tells entries of a trace.

    Attributes:
        names: of the play.
        level: `decisive` tells steps, answers, dice, changes of the game and what decided; `full` every entry with
            all it read; `why` only what decided; `none` nothing but the end.
        paint: colours.
    """

    names: Names
    level: str
    paint: Paint

    def lines(self, session: Session) -> Iterator[str]:
        """The whole play, without its end."""
        if self.level == "none":
            return
        for entries, turn in session.parts:
            yield from self.told(entries)
            if turn is not None:
                yield self.answer(turn)

    def lines_until(self, session: Session, last: int) -> Iterator[str]:
        """The play up to an entry, by its position, and with it."""
        left = last + 1
        for entries, turn in session.parts:
            yield from self.told(entries[:left])
            left -= len(entries)
            if left <= 0:
                return
            if turn is not None:
                yield self.answer(turn)

    def unmet(self, entries: Sequence[Entry]) -> Iterator[str]:
        """The requirements among some entries that were not met, with what they read."""
        for entry in entries:
            if entry.sort == "need" and entry.result is False:
                yield f"  {self._need(entry)}"

    def _need(self, entry: Entry) -> str:
        """An opening condition: met, by its id, for its title says what would keep from starting; or not, and why."""
        said = f"yes ({_id(entry)})" if entry.result else f"no, {visible(entry.title) or _id(entry)}"
        reads = f"  [{reads}]" if (reads := self._reads(entry)) else ""
        return f"may start: {said}{self.paint(reads, 'dim')}{self._cited(entry)}"

    def told(self, entries: Sequence[Entry]) -> Iterator[str]:
        """Some entries."""
        for entry in entries:
            yield from self._entry(entry)

    def answer(self, turn: Turn) -> str:
        """A question with its answer."""
        request = turn.request
        said = self.paint(show_answer(request, turn.given.value, self.names), "strong")
        who = self.paint(player(request.player, self.names), "ask")
        return f"  {who}: {asked(request, self.names)} {said}{self.paint(_SOURCES[turn.given.source], 'dim')}"

    def _entry(self, entry: Entry) -> Iterator[str]:
        indent = "  " * max(len(entry.enclosing) - 1, 0)
        for line in self._of_sort(entry):
            yield indent + line
        for change in entry.changes:
            if self.level == "full" or (in_game(change) and self.level != "why"):
                yield f"{indent}    {self.paint(show_change(change, self.names), 'good')}"
        if self.level == "full":
            for inner in entry.inner:
                yield from (f"{indent}  {line}" for line in self._inner(inner))
        elif entry.sort in {"test", "line"} and not _bookkeeping(entry):
            yield from (f"{indent}    {self._judged(each)}" for each in entry.inner if _explains(each))

    def _of_sort(self, entry: Entry) -> Iterator[str]:  # noqa: C901, PLR0912 - one case for each sort
        match entry.sort:
            case "step":
                because = f", because {reads}" if (reads := self._reads(entry)) and self.level != "decisive" else ""
                yield self.paint(self._headed(entry), "strong") + because + self._cited(entry)
            case "passed over":
                because = f", because {reads}" if (reads := self._reads(entry)) else ""
                yield self.paint(f"{self._headed(entry)}: passed over{because}", "dim")
            case "handler" | "rule":
                yield f"  {self.paint(visible(entry.title or entry.address), 'strong')}{self._cited(entry)}"
            case "ruling":
                if self.level != "why":
                    yield f"  {self.paint(self._ruling(entry), 'dim')}"
            case "answer" if entry.hidden:
                yield f"  {self._unseen(entry)}"
            case "revealed":
                yield f"  {self.paint('revealed', 'ask')} {visible(entry.title)}: {self._result(entry)}"
            case "answer" if entry.forced and _unanswerable(entry):
                yield f"  {visible(entry.title or _last(entry.address))} no answer is possible"
            case "answer" if entry.forced:
                yield f"  {visible(entry.title or _last(entry.address))} {self._result(entry)}, the only answer"
            case "roll" if (entry.forced or entry.hidden) and _drawn(entry):
                yield f"  draws {visible(entry.title or _last(entry.address))}: {self._result(entry)}"
            case "answer" | "roll" | "external":
                return
            case "test" if (_bookkeeping(entry) and self.level != "full") or entry.hidden:
                return
            case "test":
                yield f"  {_word(entry.address)} {self._judged(entry)}"
            case "need":
                if self.level == "full":
                    yield f"  {self._need(entry)}"
            case sort if self.level == "full" and sort not in _ENDINGS:
                yield f"  {sort} {self._judged(entry)}"
            case _ if entry.rows and not _bookkeeping(entry):
                yield f"  {self._judged(entry)}"

    def _unseen(self, entry: Entry) -> str:
        """An answer that was not for those who see this, in words that do not tell whether it was the only one."""
        who = self.paint(player(entry.player, self.names), "ask")
        said = "(a secret)" if entry.withheld == "answer" else self._result(entry)
        return f"{who}: {visible(entry.title)} {self.paint(said, 'strong')}"

    def _ruling(self, entry: Entry) -> str:
        """A ruling with its words, which are the same wherever it stands."""
        id_ = _last(entry.address).removeprefix("ruling.").partition("#")[0]
        text = next((each.text for each in self.names.program.rulings if each.id == id_), entry.title)
        return f"ruling {visible(id_)}: {visible(text)}"

    def _inner(self, entry: Entry) -> Iterator[str]:
        yield f"    {entry.sort} {self._judged(entry)}"
        for inner in entry.inner:
            yield from (f"  {line}" for line in self._inner(inner))

    def _judged(self, entry: Entry) -> str:
        """What was judged, what came of it, by which row and why."""
        row = next((each for each in entry.rows if each.outcome == "taken"), None)
        applied = [each for each in entry.rows if each.outcome == "applied"]
        failed = next((each for each in entry.rows if each.outcome == "failed"), None)
        parted = ", ".join(visible(each.id) for each in entry.rows if each.outcome == "parted")
        chosen = f" by {visible(row.id)}{_titled(row)}" if row else f" by {parted}" if parted else ""
        added = f" ({', '.join(f'{visible(each.id)} {each.value}' for each in applied)})" if applied else ""
        sought = next((each for each in entry.rows if each.outcome in {"found", "not found"}), None)
        lacking = f", for {visible(failed.id)} fails{_titled(failed)}" if failed and not row and not applied else ""
        reads = f"  [{reads}]" if (reads := self._reads(entry)) else ""
        shown = visible(entry.title or _last(entry.address))
        added += f" ({self._sought(sought)})" if sought else ""
        return (
            f"{shown}: {self._result(entry)}{chosen}{added}{lacking}{self.paint(reads, 'dim')}{self._cited(entry, row)}"
        )

    def _sought(self, row: Judged) -> str:
        """What a search for a pose came to."""
        return "not found" if row.value is None else f"found: {show(row.value, POSE, self.names)}"

    def _result(self, entry: Entry) -> str:
        if entry.type is None:
            return {True: "yes", False: "no", None: "done"}.get(entry.result, visible(str(entry.result)))  # type: ignore[arg-type]
        return show(entry.result, entry.type, self.names)

    def _headed(self, entry: Entry) -> str:
        step = visible(_last(entry.address))
        return f"{step}  {visible(entry.title)}" if entry.title else step

    def _reads(self, entry: Entry) -> str:
        """What was read, each once; not what the title says already."""
        shown = dict.fromkeys(show_reading(each, self.names) for each in entry.reads if each.text != entry.title)
        return ", ".join(shown)

    def _cited(self, entry: Entry, row: Judged | None = None) -> str:
        cites = row.cites if row and row.cites else entry.cites
        return self.paint("".join(f"  @{visible(each)}" for each in cites), "dim") if self.level == "full" else ""


def _unanswerable(entry: Entry) -> bool:
    return entry.result is None and entry.type is not None and not isinstance(entry.type, OptionalType)


def _bookkeeping(entry: Entry) -> bool:
    """Whether an entry is of a watch: of another routine than the one that runs."""
    return bool(entry.enclosing) and entry.enclosing[-1] != entry.address.partition("/")[0]


def _explains(entry: Entry) -> bool:
    """Whether a number or value that was read came about by rows worth telling."""
    return entry.sort in {"tally", "decide", "table"} and any(row.outcome in {"applied", "taken"} for row in entry.rows)


def _word(address: str) -> str:
    """The verb of a line without an id: `if` of `…/if#2`."""
    return visible(re.split(r"[.#]", _last(address))[0])


def _id(entry: Entry) -> str:
    return visible(_last(entry.address))


def _last(address: str) -> str:
    return address.rpartition("/")[2]


def _drawn(entry: Entry) -> bool:
    """Whether a forced result of chance is a draw: the top of a deck, or the only member."""
    return entry.type is not None and not isinstance(entry.type, DieType | PoolType)


def _titled(row: Judged) -> str:
    return f' "{visible(row.title)}"' if row.title else ""


def asked(request: Request, names: Names) -> str:
    """The question of a request: its own words, or what it is for; that of a handler with its holder."""
    if request.sort == "handler" and request.arguments:
        holder = ", ".join(show(value, type_, names) for value, type_ in request.arguments.values())
        return f"{visible(request.prompt)} ({holder})"
    name = visible(_last(request.address))
    if request.sort == "roll" and request.arguments:
        members = ", ".join(show(value, type_, names).strip("[]") for value, type_ in request.arguments.values())
        return f"{visible(request.prompt) or f'rolls {name}'} for {members}:"
    if request.prompt:
        prompt = visible(request.prompt)
        return prompt if prompt.endswith(("?", ":", ".", "!")) else f"{prompt}:"
    rolls = f"rolls {name.removeprefix('reroll.')} again:" if name.startswith("reroll.") else f"rolls {name}:"
    mixes = f"shuffles {name.removeprefix('shuffle.')}:"
    return {"roll": rolls, "draw": f"draws {name}:", "shuffle": mixes}.get(request.sort, f"{name}?")


def show_answer(request: Request, value: Value, names: Names) -> str:
    """An answer in words; that of an external with what it changes."""
    if value is None and request.claimable:
        return _claim(request)
    match request.sort:
        case "roll":
            assert isinstance(value, tuple)
            faces = [each.face for each in request.dice for _ in range(each.count)]
            return ", ".join(show(face, type_, names) for face, type_ in zip(value, faces, strict=True))
        case "external":
            assert isinstance(value, tuple)
            result, changes = value
            shown = "done" if request.type is None else show(result, request.type, names)
            return f"{shown}, with changes" if changes else shown
        case _:
            return show(value, answer_type(request), names)


def _claim(request: Request) -> str:
    """What was said of a question without a legal answer; that no place was found is no proof."""
    if request.sort != "place":
        return "no answer is possible"
    assert request.question is not None
    return "no place is possible" if proved(request.question) else "no place was found"


def ending(outcome: Outcome, session: Session, paint: Paint, texts: Mapping[str, Text] = NO_TEXTS) -> Iterator[str]:
    """How a play ended, or where it stands; a fault with its place, where the texts are at hand."""
    names = session.begun.names
    match outcome:
        case Ended(result=result):
            type_ = session.begun.procedure.result
            gives = f" with {show(result, type_, names)}" if type_ is not None else ""
            yield paint(f"{visible(session.begun.procedure.name)} ended{gives}", "strong")
        case Refused(reasons=reasons):
            yield paint(f"{visible(session.begun.procedure.name)} cannot begin", "error")
            yield from (f"  {visible(each.text or each.address)}{_clauses(each.cites)}" for each in reasons)
        case Faulted(code=code, address=address, message=message, read=read):
            yield f"{paint(f'fault {code}', 'error')}: {visible(message)}"
            yield from [f"  in: {visible(address)}"] if address else []
            span = place_of(address, session.begun.executable.program)
            yield from [f"  --> {place(span, texts)}"] if span is not None and span.source in texts else []
            yield from (f"  read: {visible(text)} = {show(value, type_, names)}" for text, value, type_ in read)
        case Paused(request=request):
            yield f"waits for {player(request.player, names)}: {asked(request, names)}"


def _clauses(cites: tuple[str, ...]) -> str:
    return "".join(f"  @{visible(each)}" for each in cites)
