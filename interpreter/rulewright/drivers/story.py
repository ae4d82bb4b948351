"""What happened in a play, as lines to read."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rulewright.codecs.table import nothing, show
from rulewright.diagnostics.terminal import Paint, visible
from rulewright.drivers.session import Session, Turn
from rulewright.drivers.turns import asked, punctuated, shares, show_answer
from rulewright.inputs.answers import item_type
from rulewright.inputs.names import Names
from rulewright.machine.request import CHANCE
from rulewright.machine.trace import BEGINS, ENDS, Change, Entry, Reading
from rulewright.machine.values import Map, Value
from rulewright.program import statements as st
from rulewright.program.plane import POSE
from rulewright.program.types import FLAG, OptionalType
from rulewright.program.walk import is_about_its_caller, leaves
from rulewright.telling import happenings
from rulewright.telling.came_from import came, nested, tally_named, unmoved
from rulewright.telling.conditions import Told, because, of_dice, spoken, why_skipped
from rulewright.telling.happenings import last
from rulewright.telling.values import player, show_change, show_place, show_reading

LEVELS = ("decisive", "full", "none")
_SOURCES = {"script": " (script)", "dice": " (seed)", "policy": " (policy)", "kept": " (seen before)", "person": ""}
_ALWAYS = frozenset({"policy", "kept"})
_FRAMED = frozenset({"call", "return"})
"""Sorts of entries that say where others stand, and are no lines of a decisive story themselves."""
_WIDEST = 100


@dataclass(slots=True)
class Frame:
    """A call, handler or rule that runs, as the story shows it."""

    address: str
    heading: str
    deeper: bool


@dataclass(frozen=True, slots=True)
class Origin:
    """What a line of a story tells of."""

    entry: int  # the position of the entry among all that were told; of a question that of the entry that follows it
    address: str  # of the line of the rules, or of the declaration


@dataclass(slots=True)
class Story:
    """Tells entries of a trace, in order; it remembers which calls run, so that each play has a story of its own."""

    names: Names  # of the play
    # `decisive` tells steps, answers, dice, changes of the game and what decided; `full` every entry with all it read;
    # `why` only what decided; `none` nothing but the end
    level: str
    paint: Paint  # colours
    unmet: bool = False  # whether conditions that led nowhere are told as well, as a report on a failure needs them
    origin: Origin = Origin(0, "")  # while its lines are gone through, of the last one
    _chosen: bool = False  # whether only what counts is told, so that every condition among it is
    _count: int = 0
    _frames: list[Frame] = field(default_factory=list)
    _whence: str = ""
    _worked: str = ""  # what rows and dice made, told last; not told again until something else was thrown or drawn
    _fell: bool = False  # whether a throw or draw was told last
    _whose: dict[str, bool] = field(default_factory=dict)
    _rolls: list[tuple[str, str, str]] = field(default_factory=list)
    _rolled: Origin = Origin(0, "")

    def lines(self, session: Session) -> Iterator[str]:
        """The whole play, without its end."""
        if self.level == "none":
            return
        for entries, turn in session.parts:
            yield from self._fed(entries)
            yield from self.answered(turn)
        yield from self._thrown()

    def lines_until(self, session: Session, last_: int) -> Iterator[str]:
        """The play up to an entry, by its position, and with it."""
        left = last_ + 1
        for entries, turn in session.parts:
            yield from self._fed(entries[:left])
            left -= len(entries)
            if left <= 0:
                break
            yield from self.answered(turn)
        yield from self._thrown()

    def lines_of(self, session: Session, chosen: Container[int]) -> Iterator[str]:
        """Some entries of the play, by their positions, with the questions that they answer."""
        self._chosen = True
        position = 0
        turn: Turn | None = None
        for entries, following in session.parts:
            told = [each for at, each in enumerate(entries, position) if at in chosen or each.sort in _FRAMED]
            if turn is not None and any(each.address == turn.asked.line for each in told if each.sort not in _FRAMED):
                yield from self.answered(turn)
            yield from self._fed(told)
            position, turn = position + len(entries), following
        yield from self._thrown()

    def told(self, entries: Sequence[Entry]) -> Iterator[str]:
        """Some entries that follow those told before."""
        yield from self._fed(entries)
        yield from self._thrown()

    def answered(self, turn: Turn | None) -> Iterator[str]:
        """A question with its answer; of chance only where it came from, for it is told where it falls."""
        if turn is not None and turn.request.sort in {"roll", "draw"} and not turn.request.arguments:
            self._whence = self._source(turn)
        elif turn is not None:
            yield from self._thrown()
            self.origin = Origin(self._count, turn.asked.line)
            yield from self.headings()
            yield self._inside + self.answer(turn)

    def answer(self, turn: Turn, *, sourced: bool = True) -> str:
        """A question with its answer, on a line of its own; with or without where it came from."""
        request = turn.request
        said = self.paint(show_answer(request, turn.given.value, self.names), "strong")
        who = self.paint(player(request.player, self.names), "ask")
        return f"{who}: {asked(request, self.names)} {said}{self._source(turn) if sourced else ''}"

    def _source(self, turn: Turn) -> str:
        source = turn.given.source
        if source in {"person", "typed"} and turn.request.sort in CHANCE:
            return self.paint(" (typed)", "dim")
        return self.paint(_SOURCES[source], "dim") if self.level == "full" or source in _ALWAYS else ""

    def unmet_needs(self, entries: Sequence[Entry]) -> Iterator[str]:
        """The requirements among some entries that were not met, with what they read."""
        for entry in entries:
            if entry.sort == "need" and entry.result is False:
                yield f"  {self._need(entry)}"

    # Where a line stands.

    @property
    def _depth(self) -> int:
        return sum(each.deeper for each in self._frames)

    @property
    def _inside(self) -> str:
        return "  " * (self._depth + 1)

    def _at(self, entry: Entry) -> None:
        """Brings the calls that run up to an entry."""
        while len(self._frames) > len(entry.enclosing):
            self._frames.pop()
        for address in entry.enclosing[len(self._frames) :]:
            self._frames.append(self._frame(address))

    def _frame(self, address: str, given: str = "") -> Frame:
        """What runs from here on: a handler, a rule or a call, whose title and things given head what is told of it."""
        procedure = self.names.program.procedures.get(address)
        if not self._frames or procedure is None:
            return Frame(address, "", bool(self._frames))
        if self.level == "full":
            return Frame(address, f"{visible(procedure.title or address)}{given}", deeper=True)
        if procedure.steps and not (given and self._says_whose(address)):
            return Frame(address, "", deeper=True)
        title = visible(procedure.title) or (spoken(address) if procedure.steps else "")
        return Frame(address, f"{title}{given}" if title else "", deeper=bool(title))

    def _says_whose(self, procedure: str) -> bool:
        """Whether the heading of a procedure tells what nothing above it does."""
        if procedure not in self._whose:
            self._whose[procedure] = not is_about_its_caller(procedure, self.names.program)
        return self._whose[procedure]

    def _begun(self, entry: Entry) -> Frame:
        """The call, handler or rule that an entry begins."""
        if not isinstance(entry.node, st.Perform):
            return self._frame(entry.address)
        if self.level == "full":
            return self._frame(entry.node.procedure, self._bracketed(entry) + self._cited(entry))
        things = Told(entry, self.names).things(entry.node.arguments)
        return self._frame(entry.node.procedure, f" ({', '.join(dict.fromkeys(things))})" if things else "")

    def headings(self) -> Iterator[str]:
        """The titles of the calls that run, where they have not been told; rolls before them first."""
        if any(frame.heading for frame in self._frames):
            yield from self._thrown()
        depth = 0
        for frame in self._frames:
            depth += frame.deeper
            if frame.heading:
                yield f"{'  ' * depth}{self.paint(frame.heading, 'strong')}"
                frame.heading = ""

    def _fed(self, entries: Iterable[Entry]) -> Iterator[str]:
        for entry in entries:
            self.names = self.names.holding(entry.rolls)
            self.origin = Origin(self._count, entry.address)
            self._count += 1
            self._at(entry)
            if self._fell and entry.sort != "roll":
                self._worked = ""
            self._fell = entry.sort == "roll"
            yield from self._said(entry)
            if entry.sort in BEGINS:
                self._frames.append(self._begun(entry))

    def _said(self, entry: Entry) -> Iterator[str]:
        """The lines of an entry, with the titles of the calls around it that have not been told."""
        if entry.sort == "roll" and isinstance(entry.node, st.RankKey):
            return
        if entry.sort == "roll" and entry.dice and not entry.hidden:
            yield from self.headings()
            yield from self._counted(entry)
            yield from self._roll(entry)
            return
        found = [line for line in self._entry(entry) if line]
        if found:
            yield from self._thrown()
            yield from self.headings()
            indent = "  " * self._depth if entry.sort in {"step", "passed over"} else self._inside
            yield from (f"{indent}{line}" for line in found)

    # Dice.

    def _counted(self, entry: Entry) -> Iterator[str]:
        """What rows and dice made of the number of dice, or of what else was read for a roll, above it."""
        full = (line for inner in entry.inner for line in self._inner(inner))
        found = list(full if self.level == "full" else (line.removeprefix("  ") for line in self._workings(entry)))
        if found:
            yield from self._thrown()
            yield from (f"{self._inside}{line}" for line in found)

    def _roll(self, entry: Entry) -> Iterator[str]:
        """Keeps a roll until it is known whether the next one of the same player may stand on its line."""
        who = "" if entry.player is None else player(entry.player, self.names)
        said = happenings.rolled(entry, self.names) + self._whence
        self._whence = ""
        if self._rolls and (self._rolls[0][:2] != (self._inside, who) or self._width(said) > _WIDEST):
            yield from self._thrown()
        if not self._rolls:
            self._rolled = self.origin
        self._rolls.append((self._inside, who, said))

    def _width(self, said: str) -> int:
        return sum(len(each) + 5 for *_, each in self._rolls) + len(said) + len(self._inside) + 8

    def _thrown(self) -> Iterator[str]:
        if not self._rolls:
            return
        indent, who, _ = self._rolls[0]
        widest = max((len(each) for each in self.names.ids("player")), default=0)
        said = "     ".join(self.paint(each, "strong") for *_, each in self._rolls)
        self._rolls.clear()
        told, self.origin = self.origin, self._rolled
        yield f"{indent}{self.paint(f'{who:{widest}}', 'ask')}   {said}" if who else f"{indent}{said}"
        self.origin = told

    # Entries.

    def _entry(self, entry: Entry) -> Iterator[str]:
        yield from self._of_sort(entry)
        if self.level != "why":
            reads = self._bracketed(entry) + self._cited(entry) if self.level == "full" else ""
            said = (self._changed(each, entry) for each in entry.changes)
            yield from (f"{self.paint(each, 'good')}{reads}" for each in said if each)
        if self.level == "full":
            yield from (f"  {line}" for inner in entry.inner for line in self._inner(inner))

    def _changed(self, change: Change, entry: Entry) -> str:
        said = happenings.changed(change, entry, self.names)
        if said or self.level != "full":
            return said
        if change.before == change.after:
            return f"{show_place(change, self.names)} stays {show(change.after, change.type, self.names)}"
        return show_change(change, self.names)

    def _of_sort(self, entry: Entry) -> Iterator[str]:  # noqa: C901, PLR0912 - one case for each sort
        full = self.level == "full"
        match entry.sort:
            case "step":
                self._worked = ""
                told = (full or self._chosen) and (entry.reads or entry.inner)
                heading = self._headed(entry)
                comma = "" if heading.endswith(("?", "!", ".")) else ","
                reads = f"{comma} because {because(entry, self.names, truth=True)}" if told else ""
                yield self.paint(heading, "strong") + reads + self._cited(entry)
            case "passed over":
                yield self.paint(f"{self._headed(entry)}: skipped{self._skipped(entry)}", "dim")
            case "handler" | "rule":
                said = f"{visible(entry.title or entry.address)}{self._held(entry)}"
                yield self.paint(said, "strong") + self._cited(entry)
            case "roll" if isinstance(entry.node, st.Draw):
                yield happenings.drawn(entry, self.names) + self._whence
                self._whence = ""
            case "answer" | "roll" if entry.hidden or entry.forced:
                yield from self._given(entry)
            case "revealed":
                yield from self._revealed(entry)
            case "answer" | "roll" | "external":
                return
            case "test":
                yield from self._test(entry)
            case "need":
                if full:
                    yield self._need(entry)
            case "ruling":
                if self.level != "why":
                    yield self.paint(self._ruling(entry), "dim")
            case "line" if full or not _bookkeeping(entry):
                yield from self._line(entry)
            case "loop" if full:
                yield f"for each of {self._result(entry)}"
            case "skipped" | "visited" as sort if full:
                yield f"{sort}: {self._result(entry)}{self._bracketed(entry)}"
            case "watch" if full:
                yield f"hears {spoken(last(entry.address).removeprefix('watch.'))}{self._bracketed(entry)}"
            case "call" if full:
                return
            case sort if full and sort not in ENDS:
                yield f"{sort} {self._judged(entry)}"

    def _headed(self, entry: Entry) -> str:
        step = visible(last(entry.address))
        return f"{step}  {visible(entry.title)}" if entry.title else step

    def _held(self, entry: Entry) -> str:
        """For whom a handler or standing rule runs."""
        bound = [each for each in entry.node.binding.variables if each] if entry.members else []
        shown = [show(each, of.type, self.names) for of, each in zip(bound, entry.members, strict=False)]
        return f" ({', '.join(shown)})" if shown else ""

    def _skipped(self, entry: Entry) -> str:
        """Why a step was skipped: because of the readings chosen, or of the condition that failed."""
        failed, readings = why_skipped(entry, self.names)
        return f", {failed}" if failed else f" (reading {readings})" if readings else ""

    def _need(self, entry: Entry) -> str:
        """An opening condition that is met, or not and why in the author's words, with what it read."""
        said = because(entry, self.names, truth=bool(entry.result))
        if entry.result:
            return f"may start: yes ({said}){self._cited(entry)}"
        why = visible(entry.title)
        return f"may start: no, {f'{why} ({said})' if why else said}{self._cited(entry)}"

    # Answers that were not asked for, or are not for those who see this.

    def _given(self, entry: Entry) -> Iterator[str]:
        if entry.hidden:
            yield self._unseen(entry)
        elif entry.sort == "roll":
            if self.level == "full":
                yield happenings.rolled(entry, self.names)
        else:
            yield from self._forced(entry)

    def _revealed(self, entry: Entry) -> Iterator[str]:
        """What was answered in secret; nothing where nobody was asked."""
        if isinstance(entry.result, Map) and not entry.result.entries:
            return
        said = "none" if entry.result == () else self._result(entry)
        yield f"{self.paint('revealed', 'ask')} {spoken(entry.title)}: {said}"

    def _unseen(self, entry: Entry) -> str:
        """An answer that was not for those who see this, in words that do not tell whether it was the only one."""
        who = self.paint(player(entry.player, self.names), "ask")
        said = "(a secret)" if entry.withheld == "answer" else self._result(entry)
        return f"{who}: {visible(entry.title)} {self.paint(said, 'strong')}"

    def _forced(self, entry: Entry) -> Iterator[str]:
        """The only answer, or none; with every other member and why it could not be taken."""
        who = "" if entry.player is None else f"{self.paint(player(entry.player, self.names), 'ask')}: "
        head = f"{who}{punctuated(entry.title) or f'{spoken(last(entry.address))}?'}"
        if entry.type == FLAG and entry.excluded:
            yield f"{head} no: {happenings.reason(entry.excluded[0][1], self.names)}"
            return
        type_ = item_type(entry.type) if entry.type is not None else FLAG
        empty = entry.result in {(), None} if isinstance(entry.result, tuple | None) else False
        none = _unanswerable(entry) or (empty and not isinstance(entry.type, OptionalType))
        result = replace(entry, result=shares(entry.result)) if isinstance(entry.result, Map) else entry
        titles = _titles(entry)

        def called(member: Value) -> str:
            return titles.get(member) or show(member, type_, self.names)

        if _unanswerable(entry):
            said = nothing(type_)
        elif entry.result == ():
            said = "none"
        else:
            said = called(entry.result) if titles else self._result(result)
        if not entry.excluded:
            yield f"{head} {said}{'' if none else ', the only answer'}"
            return
        yield f"{head} {said}{':' if none else ', the only answer. Not possible:'}"
        yield from (f"    {line}" for line in happenings.excluded(entry.excluded, called, self.names))

    # Conditions and lines.

    def _test(self, entry: Entry) -> Iterator[str]:
        """A condition that led somewhere; of others only where they are wanted."""
        if entry.hidden or (_bookkeeping(entry) and self.level != "full"):
            return
        led = entry.result is True or self.level != "decisive" or self.unmet or _takes_else(entry, self.names)
        repeats = isinstance(entry.node, st.Repeat)
        if self.level == "full" or (led and not repeats and self._tells(entry)):
            said = because(entry, self.names, truth=bool(entry.result))
            yield f"{self.paint(self._led(entry), 'dim')} {said}{self._cited(entry)}"
        if self.level != "full":
            yield from self._workings(entry)

    def _led(self, entry: Entry) -> str:
        """What a condition led to: lines inside it, those of `else`, another round, or nothing."""
        match entry.node:
            case st.Repeat():
                return "again, because" if entry.result else "no more, because"
            case _ if entry.result:
                return "because"
            case st.If(otherwise=otherwise, branches=branches) if otherwise or len(branches) > 1:
                return "otherwise, because"
            case st.If(branches=(branch,)) if leaves(branch.block):
                return "goes on, because"
            case _:
                return "skipped, because"

    def _tells(self, entry: Entry) -> bool:
        """Whether a condition read anything that the story has not told: more than names, words and readings."""
        if self._chosen:
            return True
        if entry.result is True and not self.unmet and Told(entry, self.names).merely_in_play:
            return False
        plain = self.names.program.settings
        told = all("." not in each.text and each.text.isidentifier() for each in entry.reads)
        settings = all(each.text in plain for each in entry.reads)
        return bool(entry.inner) or not (told or settings)

    def _workings(self, entry: Entry) -> Iterator[str]:
        """Numbers and values that a line read, where rows or dice made them what they are."""
        for inner in entry.inner:
            said = "" if inner.sort == "count" else happenings.explained(inner, self.names)
            if said and said != self._worked:
                self._worked = said
                yield f"  {said}"

    def _line(self, entry: Entry) -> Iterator[str]:
        """A line of a routine: what it made of rows and dice; in a full story every line."""
        match entry.node:
            case st.DecideLine():
                yield f"{self._named(entry)}: {self._result(entry)}{self._taken(entry)}"
            case st.TallyLine():
                said = happenings.tally(entry, self.names) + unmoved(entry)
                yield f"{self._named(entry)}: {said}{self._cited(entry)}"
                told = (happenings.explained(each, self.names) for each in entry.inner if each.sort == "tally")
                yield from (f"  {each}" for each in told if each)
            case st.Rank():
                parted = ", ".join(spoken(each.id) for each in entry.rows if each.outcome == "parted")
                yield f"{self._named(entry)}: {self._result(entry)}{f', by {parted}' if parted else ''}"
            case st.Let() if worked := came(entry, self.names):
                name, worth = spoken(entry.node.variable.name), f"{self._result(entry)}{worked}"
                title = tally_named(entry.node, self.names) or name
                self._worked = f"{title}: {worth}"
                yield f"{title}{'' if title.casefold() == name.casefold() else f' ({name})'}: {worth}"
                counts = (each for each in nested(entry) if each.sort == "count" and of_dice(each))
                needed = (happenings.explained(each, self.names) for of in counts for each in of.inner)
                yield from dict.fromkeys(f"  {each}" for each in needed if each)
            case _ if self.level != "full":
                yield from (each.removeprefix("  ") for each in self._workings(entry))
            case st.Proceed(step=step):
                yield f"go to {visible(step)}"
            case st.Trigger(event=event):
                yield self._triggered(event, entry)
            case st.Repeat():
                yield f"at most {self._result(entry)} times"
            case _ if not entry.changes:
                yield self._judged(entry)

    def _named(self, entry: Entry) -> str:
        return visible(entry.title) or spoken(last(entry.address))

    def _taken(self, entry: Entry) -> str:
        """The row that a decide took: the author's words for it, or the condition that settled it."""
        taken = next((at for at, each in enumerate(entry.rows) if each.outcome == "taken"), None)
        if taken is None or not isinstance(entry.node, st.DecideLine):
            return ""
        row, node = entry.rows[taken], entry.node.rows[taken]
        settled = node.guard if node.guard is not None else entry.node.rows[taken - 1].guard if taken else None
        why = visible(row.title) or spoken(row.id)
        if not row.title and settled is not None:
            why = f"{why}: {Told(entry, self.names).said(settled, truth=node.guard is not None)}"
        cites = "".join(f"  [{visible(each)}]" for each in row.cites)
        return f" ({why}){self.paint(cites, 'dim')}"

    def _triggered(self, event: str, entry: Entry) -> str:
        """An event with what it was triggered with, by name."""
        declared = self.names.program.events[event]
        values = entry.result if isinstance(entry.result, tuple) else ()
        given = (
            f"{spoken(each.name)} {show(value, each.type, self.names)}"
            for each, value in zip(declared.parameters, values, strict=False)
        )
        return f"{visible(declared.title) or spoken(event)}: {', '.join(given)}"

    def _ruling(self, entry: Entry) -> str:
        """A ruling with its words, which are the same wherever it stands."""
        id_ = last(entry.address).removeprefix("ruling.")
        text = next((each.text for each in self.names.program.rulings if each.id == id_), entry.title)
        return f"ruling {visible(id_)}: {visible(text)}"

    # Everything, for a full story.

    def _inner(self, entry: Entry) -> Iterator[str]:
        doubled = entry.title.startswith((entry.sort, f"{{{entry.sort}", f"[{entry.sort}"))
        yield f"  {'' if doubled else f'{entry.sort} '}{self._judged(entry)}"
        for inner in entry.inner:
            yield from (f"  {line}" for line in self._inner(inner))

    def _judged(self, entry: Entry) -> str:
        """What was judged, what came of it, by which row and why."""
        row = next((each for each in entry.rows if each.outcome == "taken"), None)
        failed = next((each for each in entry.rows if each.outcome == "failed"), None)
        sought = next((each for each in entry.rows if each.outcome in {"found", "not found"}), None)
        result = happenings.tally(entry, self.names) if entry.sort == "tally" else self._result(entry)
        result += f" ({happenings.chosen(entry, self.names)})" if row else ""
        result += f", {visible(failed.title) or f'`{visible(failed.id)}` fails'}" if failed and not row else ""
        if sought:
            found = "not found" if sought.value is None else f"found: {show(sought.value, POSE, self.names)}"
            result += f" ({found})"
        if entry.dice and entry.sort == "count":
            result += f" ({happenings.dice(entry.dice, self.names)})"
        reads = self._bracketed(entry)
        cited = self._cited(entry, row.cites if row and row.cites else entry.cites)
        shown = f"{visible(entry.title) or _line_name(entry)}{f': {result}' if result else ''}"
        return f"{shown}{reads}{cited}"

    def _result(self, entry: Entry) -> str:
        return happenings.value_of(entry, self.names)

    def _bracketed(self, entry: Entry) -> str:
        """What was read, each once; not what the title says already."""
        reads = dict.fromkeys(self._reading(each) for each in entry.reads if each.text != entry.title)
        return self.paint(f"  [{', '.join(reads)}]", "dim") if reads else ""

    def _reading(self, reading: Reading) -> str:
        if reading.dice:
            return f"{visible(reading.text)} = {happenings.dice(reading.dice, self.names)}"
        return show_reading(reading, self.names)

    def _cited(self, entry: Entry, cites: tuple[str, ...] = ()) -> str:
        if self.level != "full":
            return ""
        return self.paint("".join(f"  @{visible(each)}" for each in cites or entry.cites), "dim")


def _takes_else(entry: Entry, names: Names) -> bool:
    """Whether the last condition of an `if` failed, so that its `else` follows."""
    node = entry.node
    if not isinstance(node, st.If) or node.otherwise is None:
        return False
    return Told(entry, names).condition is node.branches[-1].condition


def _titles(entry: Entry) -> Mapping[Value, str]:
    """What options are called, by their ids."""
    match entry.node:
        case st.Ask(shape=st.Choose(options=options)):
            return {each.id: visible(each.title) for each in options if each.title}
        case _:
            return {}


def _unanswerable(entry: Entry) -> bool:
    return entry.result is None and entry.type is not None and not isinstance(entry.type, OptionalType)


def _bookkeeping(entry: Entry) -> bool:
    """Whether an entry is of a watch: of another routine than the one that runs."""
    return bool(entry.enclosing) and entry.enclosing[-1] != entry.address.partition("/")[0]


def _line_name(entry: Entry) -> str:
    """The words of a line without a title: `set u.weak` of `…/set.u.weak#2`."""
    return visible(last(entry.address).replace(".", " ", 1))
