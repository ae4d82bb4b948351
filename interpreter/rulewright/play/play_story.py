"""A trace as lines of text, at one of four levels of detail."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

from rulewright.base.diagnostics import Painter, make_visible
from rulewright.documents.answers import item_type
from rulewright.documents.name_table import NameTable
from rulewright.play.session import AnsweredTurn, Session, count_common_turns
from rulewright.play.turn_rendering import drop_default_share, punctuate_prompt, render_question, show_answer
from rulewright.program import statements as st
from rulewright.program.board_geometry import POSE
from rulewright.program.types import FLAG, OptionalType
from rulewright.program.walk import has_unreachable_end, is_about_caller
from rulewright.runtime.request import BEGIN_SORTS, CHANCE_SORTS, END_SORTS, StateChange, TraceEntry, ValueRead
from rulewright.runtime.type_codecs import absence_phrase, format_value
from rulewright.runtime.values import GameMap, Value
from rulewright.wording import entry_rendering
from rulewright.wording.condition_rendering import (
    ConditionNarrator,
    counts_dice,
    explain_entry_condition,
    explain_skipped_step,
)
from rulewright.wording.english import add_colon, speak_name
from rulewright.wording.entry_rendering import (
    explain_origin,
    explain_unmoved_tally,
    last_address_part,
    show_change,
    show_place,
    show_player,
    show_reading,
    tally_title,
    walk_nested_entries,
)

STORY_LEVELS = ("decisive", "full", "none")
_SOURCE_SUFFIXES = {
    "script": " (script)",
    "dice": " (seed)",
    "policy": " (policy)",
    "kept": " (seen before)",
    "person": "",
}
_ALWAYS_NAMED_SOURCES = frozenset({"policy", "kept"})
_FRAME_SORTS = frozenset({"call", "return"})
"""Entries that open or close calls; a decisive story has no line for them."""
_MAX_ROLL_LINE_WIDTH = 100


@dataclass(slots=True)
class StoryFrame:
    """An open call, handler or standing rule."""

    address: str
    heading: str
    is_indented: bool


@dataclass(frozen=True, slots=True)
class StoryOrigin:
    """Source of a line of the story."""

    entry: int  # position in the trace; for a question, of the entry that follows
    address: str  # of the statement or declaration


@dataclass(slots=True)
class Story:
    """Renderer of one trace, in order; holds the stack of open calls."""

    names: NameTable
    # `decisive`: steps, answers, dice, changes and what decided; `full`: every entry with all that it read; `why`: only
    # what decided; `none`: only the end
    level: str
    paint: Painter
    shows_unmet: bool = False  # also conditions that led nowhere, for reports on failures
    origin: StoryOrigin = StoryOrigin(0, "")  # of the last line yielded
    _is_selection: bool = False  # of a slice: all conditions among its entries count
    _entry_count: int = 0
    _frames: list[StoryFrame] = field(default_factory=list)
    _roll_source: str = ""
    _last_working: str = ""  # last rendered working; not repeated until the next roll or draw
    _follows_roll: bool = False  # the last entry was a roll or draw
    _headings_needed: dict[str, bool] = field(default_factory=dict)
    _pending_rolls: list[tuple[str, str, str]] = field(default_factory=list)
    _rolls_origin: StoryOrigin = StoryOrigin(0, "")

    def render_session(self, session: Session) -> Iterator[str]:
        """Lines of a whole play, without its end."""
        if self.level == "none":
            return
        for entries, turn in session.entry_parts:
            yield from self._consume_entries(entries)
            yield from self.render_turn(turn)
        yield from self._flush_rolls()

    def copy(self) -> "Story":
        """A renderer that goes on from here by itself."""
        copied = copy(self)
        copied._frames = [copy(frame) for frame in self._frames]  # noqa: SLF001 - of the same class
        copied._pending_rolls = [*self._pending_rolls]  # noqa: SLF001 - as above
        return copied

    def render_next_turn(self, turn: AnsweredTurn) -> Iterator[str]:
        """Lines of the turn after those rendered before, as far as no later one can change them."""
        yield from self._consume_entries(turn.paused.entries)
        yield from self.render_turn(turn)

    def render_until(self, session: Session, last_: int) -> Iterator[str]:
        """Lines of a play up to and including the entry at this position."""
        remaining = last_ + 1
        for entries, turn in session.entry_parts:
            yield from self._consume_entries(entries[:remaining])
            remaining -= len(entries)
            if remaining <= 0:
                break
            yield from self.render_turn(turn)
        yield from self._flush_rolls()

    def render_selected(self, session: Session, chosen: Container[int]) -> Iterator[str]:
        """Lines of the entries at these positions, with the questions that they answer."""
        self._is_selection = True
        position = 0
        turn: AnsweredTurn | None = None
        for entries, following in session.entry_parts:
            selected = [
                entry for at, entry in enumerate(entries, position) if at in chosen or entry.sort in _FRAME_SORTS
            ]
            if turn is not None and any(
                entry.address == turn.question.line_address for entry in selected if entry.sort not in _FRAME_SORTS
            ):
                yield from self.render_turn(turn)
            yield from self._consume_entries(selected)
            position, turn = position + len(entries), following
        yield from self._flush_rolls()

    def render_entries(self, entries: Sequence[TraceEntry]) -> Iterator[str]:
        """Lines of entries that follow those rendered before."""
        yield from self._consume_entries(entries)
        yield from self._flush_rolls()

    def render_turn(self, turn: AnsweredTurn | None) -> Iterator[str]:
        """Lines of a question with its answer; of chance only the source, its result is an entry."""
        if turn is not None and turn.request.sort in {"roll", "draw"} and not turn.request.arguments:
            self._roll_source = self._render_source(turn)
        elif turn is not None:
            yield from self._flush_rolls()
            self.origin = StoryOrigin(self._entry_count, turn.question.line_address)
            yield from self.render_headings()
            yield self._inner_indent + self.render_answer(turn)

    def render_answer(self, turn: AnsweredTurn, *, sourced: bool = True) -> str:
        """Line of a question with its answer, and the source if `sourced`."""
        request = turn.request
        text = self.paint(show_answer(request, turn.answer.value, self.names), "strong")
        who = self.paint(show_player(request.player, self.names), "ask")
        return f"{who}: {render_question(request, self.names)} {text}{self._render_source(turn) if sourced else ''}"

    def _render_source(self, turn: AnsweredTurn) -> str:
        source = turn.answer.source
        if source in {"person", "typed"} and turn.request.sort in CHANCE_SORTS:
            return self.paint(" (typed)", "dim")
        return (
            self.paint(_SOURCE_SUFFIXES[source], "dim")
            if self.level == "full" or source in _ALWAYS_NAMED_SOURCES
            else ""
        )

    def render_unmet_needs(self, entries: Sequence[TraceEntry]) -> Iterator[str]:
        """Requirements among the entries that failed, with the values that they read."""
        for entry in entries:
            if entry.sort == "need" and entry.result is False:
                yield f"  {self._render_need(entry)}"

    # Where a line stands.

    @property
    def _indent_depth(self) -> int:
        return sum(frame.is_indented for frame in self._frames)

    @property
    def _inner_indent(self) -> str:
        return "  " * (self._indent_depth + 1)

    def _enter_frames(self, entry: TraceEntry) -> None:
        while len(self._frames) > len(entry.enclosing):
            self._frames.pop()
        for address in entry.enclosing[len(self._frames) :]:
            self._frames.append(self._make_frame(address))

    def _make_frame(self, address: str, given: str = "") -> StoryFrame:
        procedure = self.names.program.procedures.get(address)
        if not self._frames or procedure is None:
            return StoryFrame(address, "", bool(self._frames) or procedure is None)
        if self.level == "full":
            return StoryFrame(address, f"{make_visible(procedure.title or address)}{given}", is_indented=True)
        if procedure.steps and not (given and self._needs_heading(address)):
            return StoryFrame(address, "", is_indented=True)
        title = make_visible(procedure.title) or (speak_name(address) if procedure.steps else "")
        return StoryFrame(address, f"{title}{given}" if title else "", is_indented=bool(title))

    def _needs_heading(self, procedure: str) -> bool:
        """False if the headings above already say it."""
        if procedure not in self._headings_needed:
            self._headings_needed[procedure] = not is_about_caller(procedure, self.names.program)
        return self._headings_needed[procedure]

    def _make_entry_frame(self, entry: TraceEntry) -> StoryFrame:
        if not isinstance(entry.node, st.Perform):
            return self._make_frame(entry.address)
        if self.level == "full":
            return self._make_frame(entry.node.procedure, self._render_reads(entry) + self._render_cites(entry))
        things = ConditionNarrator(entry, self.names).list_thing_ids(entry.node.arguments)
        return self._make_frame(entry.node.procedure, f" ({', '.join(dict.fromkeys(things))})" if things else "")

    def render_headings(self) -> Iterator[str]:
        """Titles of open calls that were not yet rendered, after the rolls that wait."""
        if any(frame.heading for frame in self._frames):
            yield from self._flush_rolls()
        depth = 0
        for frame in self._frames:
            depth += frame.is_indented
            if frame.heading:
                yield f"{'  ' * depth}{self.paint(frame.heading, 'strong')}"
                frame.heading = ""

    def _consume_entries(self, entries: Iterable[TraceEntry]) -> Iterator[str]:
        for entry in entries:
            self.names = self.names.with_dice(entry.rolls)
            self.origin = StoryOrigin(self._entry_count, entry.address)
            self._entry_count += 1
            self._enter_frames(entry)
            if self._follows_roll and entry.sort != "roll":
                self._last_working = ""
            self._follows_roll = entry.sort == "roll"
            yield from self._render_entry(entry)
            if entry.sort in BEGIN_SORTS:
                self._frames.append(self._make_entry_frame(entry))

    def _render_entry(self, entry: TraceEntry) -> Iterator[str]:
        if entry.sort == "roll" and isinstance(entry.node, st.RankKey):
            return
        if entry.sort == "roll" and entry.dice and not entry.hidden:
            yield from self.render_headings()
            yield from self._render_dice_counts(entry)
            yield from self._queue_roll(entry)
            return
        result = [line for line in self._render_entry_with_changes(entry) if line]
        if result:
            yield from self._flush_rolls()
            yield from self.render_headings()
            indent = "  " * self._indent_depth if entry.sort in {"step", "passed over"} else self._inner_indent
            yield from (f"{indent}{line}" for line in result)

    # Dice.

    def _render_dice_counts(self, entry: TraceEntry) -> Iterator[str]:
        full = (line for inner in entry.inner for line in self._render_inner_entry(inner))
        result = list(
            full if self.level == "full" else (line.removeprefix("  ") for line in self._render_workings(entry))
        )
        if result:
            yield from self._flush_rolls()
            yield from (f"{self._inner_indent}{line}" for line in result)

    def _queue_roll(self, entry: TraceEntry) -> Iterator[str]:
        """Waits for the next entry, as rolls of one player share a line."""
        who = "" if entry.player is None else show_player(entry.player, self.names)
        text = entry_rendering.render_roll(entry, self.names) + self._roll_source
        self._roll_source = ""
        if self._pending_rolls and (
            self._pending_rolls[0][:2] != (self._inner_indent, who)
            or self._pending_line_width(text) > _MAX_ROLL_LINE_WIDTH
        ):
            yield from self._flush_rolls()
        if not self._pending_rolls:
            self._rolls_origin = self.origin
        self._pending_rolls.append((self._inner_indent, who, text))

    def _pending_line_width(self, text: str) -> int:
        return sum(len(item) + 5 for *_, item in self._pending_rolls) + len(text) + len(self._inner_indent) + 8

    def _flush_rolls(self) -> Iterator[str]:
        if not self._pending_rolls:
            return
        indent, who, _ = self._pending_rolls[0]
        widest = max((len(identifier) for identifier in self.names.ids_of_kind("player")), default=0)
        text = "     ".join(self.paint(item, "strong") for *_, item in self._pending_rolls)
        self._pending_rolls.clear()
        origin, self.origin = self.origin, self._rolls_origin
        yield f"{indent}{self.paint(f'{who:{widest}}', 'ask')}   {text}" if who else f"{indent}{text}"
        self.origin = origin

    # Entries.

    def _render_entry_with_changes(self, entry: TraceEntry) -> Iterator[str]:
        yield from self._render_by_sort(entry)
        if self.level != "why":
            reads = self._render_reads(entry) + self._render_cites(entry) if self.level == "full" else ""
            text = (self._render_change(change, entry) for change in entry.changes)
            yield from (f"{self.paint(item, 'good')}{reads}" for item in text if item)
        if self.level == "full":
            yield from (f"  {line}" for inner in entry.inner for line in self._render_inner_entry(inner))

    def _render_change(self, change: StateChange, entry: TraceEntry) -> str:
        text = entry_rendering.render_entry_change(change, entry, self.names)
        counts = isinstance(entry.node, st.AddAmount | st.AddMember) and change.before != change.after
        if text or not (self.level == "full" or (self._is_selection and counts)):
            return text
        if change.before == change.after:
            return f"{show_place(change, self.names)} stays {format_value(change.after, change.type, self.names)}"
        return show_change(change, self.names)

    def _render_by_sort(self, entry: TraceEntry) -> Iterator[str]:
        full = self.level == "full"
        match entry.sort:
            case "step":
                self._last_working = ""
                is_informative = (full or self._is_selection) and (entry.reads or entry.inner)
                heading = self._render_step_heading(entry)
                comma = "" if heading.endswith(("?", "!", ".")) else ","
                reads = (
                    f"{comma} because {explain_entry_condition(entry, self.names, truth=True)}"
                    if is_informative
                    else ""
                )
                yield self.paint(heading, "strong") + reads + self._render_cites(entry)
            case "passed over":
                yield self.paint(f"{self._render_step_heading(entry)}: skipped{self._render_skip_reason(entry)}", "dim")
            case "handler" | "rule":
                text = f"{make_visible(entry.title or entry.address)}{self._render_holder(entry)}"
                yield self.paint(text, "strong") + self._render_cites(entry)
            case "roll" if isinstance(entry.node, st.Draw):
                yield entry_rendering.render_draw(entry, self.names) + self._roll_source
                self._roll_source = ""
            case "answer" | "roll" if entry.hidden or entry.forced:
                yield from self._render_unasked_answer(entry)
            case "revealed":
                yield from self._render_revealed(entry)
            case "answer" | "roll" | "external":
                return
            case "test":
                yield from self._render_test(entry)
            case "need":
                if full:
                    yield self._render_need(entry)
            case "ruling":
                if self.level != "why":
                    yield self.paint(self._render_ruling(entry), "dim")
            case "line" if full or not _is_watch_entry(entry):
                yield from self._render_line(entry)
            case "loop" if full:
                yield f"for each of {self._render_result(entry)}"
            case "skipped" | "visited" as sort if full:
                yield f"{sort}: {self._render_result(entry)}{self._render_reads(entry)}"
            case "watch" if full:
                yield f"hears {speak_name(last_address_part(entry.address).removeprefix('watch.'))}{self._render_reads(entry)}"
            case "call" if full:
                return
            case sort if full and sort not in END_SORTS:
                yield f"{sort} {self._render_judgement(entry)}"

    def _render_step_heading(self, entry: TraceEntry) -> str:
        step = make_visible(last_address_part(entry.address))
        return f"{step}  {make_visible(entry.title)}" if entry.title else step

    def _render_holder(self, entry: TraceEntry) -> str:
        bound = [variable for variable in entry.node.binding.variables if variable] if entry.members else []
        shown = [format_value(member, of.type, self.names) for of, member in zip(bound, entry.members, strict=False)]
        return f" ({', '.join(shown)})" if shown else ""

    def _render_skip_reason(self, entry: TraceEntry) -> str:
        failed, readings = explain_skipped_step(entry, self.names)
        return f", {failed}" if failed else f" (reading {readings})" if readings else ""

    def _render_need(self, entry: TraceEntry) -> str:
        text = explain_entry_condition(entry, self.names, truth=bool(entry.result))
        if entry.result:
            return f"may start: yes ({text}){self._render_cites(entry)}"
        why = make_visible(entry.title)
        return f"may start: no, {f'{why} ({text})' if why else text}{self._render_cites(entry)}"

    # Answers that were not asked for, or are not for those who see this.

    def _render_unasked_answer(self, entry: TraceEntry) -> Iterator[str]:
        if entry.hidden:
            yield self._render_hidden_answer(entry)
        elif entry.sort == "roll":
            if self.level == "full":
                yield entry_rendering.render_roll(entry, self.names)
        else:
            yield from self._render_forced_answer(entry)

    def _render_revealed(self, entry: TraceEntry) -> Iterator[str]:
        if isinstance(entry.result, GameMap) and not entry.result.entries:
            return
        text = "none" if entry.result == () else self._render_result(entry)
        yield f"{self.paint('revealed', 'ask')} {speak_name(entry.title)}: {text}"

    def _render_hidden_answer(self, entry: TraceEntry) -> str:
        """Must not reveal whether it was the only answer."""
        who = self.paint(show_player(entry.player, self.names), "ask")
        text = "(a secret)" if entry.withheld == "answer" else self._render_result(entry)
        return f"{who}: {make_visible(entry.title)} {self.paint(text, 'strong')}"

    def _render_forced_answer(self, entry: TraceEntry) -> Iterator[str]:
        who = "" if entry.player is None else f"{self.paint(show_player(entry.player, self.names), 'ask')}: "
        head = f"{who}{punctuate_prompt(entry.title) or f'{speak_name(last_address_part(entry.address))}?'}"
        if entry.type == FLAG and entry.excluded:
            yield f"{head} no: {entry_rendering.render_reason(entry.excluded[0][1], self.names)}"
            return
        type_ = item_type(entry.type) if entry.type is not None else FLAG
        empty = entry.result in {(), None} if isinstance(entry.result, tuple | None) else False
        none = _has_no_answer(entry) or (empty and not isinstance(entry.type, OptionalType))
        result = replace(entry, result=drop_default_share(entry.result)) if isinstance(entry.result, GameMap) else entry
        titles = _option_titles(entry)

        def call_member(member: Value) -> str:
            return titles.get(member) or format_value(member, type_, self.names)

        if _has_no_answer(entry):
            text = absence_phrase(type_)
        elif entry.result == ():
            text = "none"
        else:
            text = call_member(entry.result) if titles else self._render_result(result)
        if not entry.excluded:
            yield f"{head} {text}{'' if none else ', the only answer'}"
            return
        yield f"{head} {text}{':' if none else ', the only answer. Not possible:'}"
        yield from (f"    {line}" for line in entry_rendering.render_excluded(entry.excluded, call_member, self.names))

    # Conditions and lines.

    def _render_test(self, entry: TraceEntry) -> Iterator[str]:
        """Only the conditions that decided something, unless `shows_unmet`."""
        if entry.hidden or (_is_watch_entry(entry) and self.level != "full"):
            return
        led = entry.result is True or self.level != "decisive" or self.shows_unmet or _is_else_taken(entry, self.names)
        repeats = isinstance(entry.node, st.Repeat)
        if self.level == "full" or (led and not repeats and self._is_informative_test(entry)):
            text = explain_entry_condition(entry, self.names, truth=bool(entry.result))
            yield f"{self.paint(self._render_branch_word(entry), 'dim')} {text}{self._render_cites(entry)}"
        if self.level != "full":
            yield from self._render_workings(entry)

    def _render_branch_word(self, entry: TraceEntry) -> str:
        match entry.node:
            case st.Repeat():
                return "again, because" if entry.result else "no more, because"
            case _ if entry.result:
                return "because"
            case st.If(otherwise=otherwise, branches=branches) if otherwise or len(branches) > 1:
                return "otherwise, because"
            case st.If(branches=(branch,)) if has_unreachable_end(branch.block):
                return "goes on, because"
            case _:
                return "skipped, because"

    def _is_informative_test(self, entry: TraceEntry) -> bool:
        if self._is_selection:
            return True
        if entry.result is True and not self.shows_unmet and ConditionNarrator(entry, self.names).is_only_in_play_test:
            return False
        plain = self.names.program.settings
        is_known = all("." not in read.text and read.text.isidentifier() for read in entry.reads)
        settings = all(read.text in plain for read in entry.reads)
        return bool(entry.inner) or not (is_known or settings)

    def _render_workings(self, entry: TraceEntry) -> Iterator[str]:
        for inner in entry.inner:
            text = "" if inner.sort == "count" else entry_rendering.explain_entry(inner, self.names)
            if text and text != self._last_working:
                self._last_working = text
                yield f"  {text}"

    def _render_line(self, entry: TraceEntry) -> Iterator[str]:
        match entry.node:
            case st.DecideLine():
                yield f"{add_colon(self._entry_name(entry))} {self._render_result(entry)}{self._render_taken_row(entry)}"
            case st.TallyLine():
                text = entry_rendering.render_tally(entry, self.names) + explain_unmoved_tally(entry)
                yield f"{add_colon(self._entry_name(entry))} {text}{self._render_cites(entry)}"
                explanations = (
                    entry_rendering.explain_entry(trace_entry, self.names)
                    for trace_entry in entry.inner
                    if trace_entry.sort == "tally"
                )
                yield from (f"  {item}" for item in explanations if item)
            case st.Rank():
                parted = ", ".join(speak_name(row.id) for row in entry.rows if row.outcome == "parted")
                yield f"{add_colon(self._entry_name(entry))} {self._render_result(entry)}{f', by {parted}' if parted else ''}"
            case st.Let() if worked := explain_origin(entry, self.names):
                name, worth = speak_name(entry.node.variable.name), f"{self._render_result(entry)}{worked}"
                title = tally_title(entry.node, self.names) or name
                self._last_working = f"{add_colon(title)} {worth}"
                yield f"{add_colon(title if title.casefold() == name.casefold() else f'{title} ({name})')} {worth}"
                counts = (
                    nested_entry
                    for nested_entry in walk_nested_entries(entry)
                    if nested_entry.sort == "count" and counts_dice(nested_entry)
                )
                needed = (entry_rendering.explain_entry(entry, self.names) for of in counts for entry in of.inner)
                yield from dict.fromkeys(f"  {item}" for item in needed if item)
            case st.Nothing(remark=remark) if remark:
                yield f"{make_visible(remark)}{self._render_cites(entry)}"
            case _ if self.level != "full":
                yield from (working.removeprefix("  ") for working in self._render_workings(entry))
            case st.Proceed(step=step):
                yield f"go to {make_visible(step)}"
            case st.Trigger(event=event):
                yield self._render_event(event, entry)
            case st.Repeat():
                yield f"at most {self._render_result(entry)} times"
            case _ if not entry.changes:
                yield self._render_judgement(entry)

    def _entry_name(self, entry: TraceEntry) -> str:
        return make_visible(entry.title) or speak_name(last_address_part(entry.address))

    def _render_taken_row(self, entry: TraceEntry) -> str:
        """The author's text of the row, else its condition."""
        position = next((at for at, judged_row in enumerate(entry.rows) if judged_row.outcome == "taken"), None)
        if position is None or not isinstance(entry.node, st.DecideLine):
            return ""
        row, node = entry.rows[position], entry.node.rows[position]
        settled = node.guard if node.guard is not None else entry.node.rows[position - 1].guard if position else None
        why = make_visible(row.title) or speak_name(row.id)
        if not row.title and settled is not None:
            why = f"{why}: {ConditionNarrator(entry, self.names).explain_condition(settled, truth=node.guard is not None)}"
        cites = "".join(f"  [{make_visible(cite)}]" for cite in row.cites)
        return f" ({why}){self.paint(cites, 'dim')}"

    def _render_event(self, event: str, entry: TraceEntry) -> str:
        declared = self.names.program.events[event]
        values = entry.result if isinstance(entry.result, tuple) else ()
        given = (
            f"{speak_name(parameter.name)} {format_value(value, parameter.type, self.names)}"
            for parameter, value in zip(declared.parameters, values, strict=False)
        )
        return f"{make_visible(declared.title) or speak_name(event)}: {', '.join(given)}"

    def _render_ruling(self, entry: TraceEntry) -> str:
        id_ = last_address_part(entry.address).removeprefix("ruling.")
        text = next((ruling.text for ruling in self.names.program.rulings if ruling.id == id_), entry.title)
        return f"ruling {make_visible(id_)}: {make_visible(text)}"

    # Everything, for a full story.

    def _render_inner_entry(self, entry: TraceEntry) -> Iterator[str]:
        doubled = entry.title.startswith((entry.sort, f"{{{entry.sort}", f"[{entry.sort}"))
        yield f"  {'' if doubled else f'{entry.sort} '}{self._render_judgement(entry)}"
        for inner in entry.inner:
            yield from (f"  {line}" for line in self._render_inner_entry(inner))

    def _render_judgement(self, entry: TraceEntry) -> str:
        row = next((judged_row for judged_row in entry.rows if judged_row.outcome == "taken"), None)
        failed = next((judged_row for judged_row in entry.rows if judged_row.outcome == "failed"), None)
        sought = next((judged_row for judged_row in entry.rows if judged_row.outcome in {"found", "not found"}), None)
        result = (
            entry_rendering.render_tally(entry, self.names) if entry.sort == "tally" else self._render_result(entry)
        )
        result += f" ({entry_rendering.render_taken_row(entry, self.names)})" if row else ""
        result += (
            f", {make_visible(failed.title) or f'`{make_visible(failed.id)}` fails'}" if failed and not row else ""
        )
        if sought:
            outcome = "not found" if sought.value is None else f"found: {format_value(sought.value, POSE, self.names)}"
            result += f" ({outcome})"
        if entry.dice and entry.sort == "count":
            result += f" ({entry_rendering.render_dice(entry.dice, self.names)})"
        reads = self._render_reads(entry)
        cited = self._render_cites(entry, row.cites if row and row.cites else entry.cites)
        shown = make_visible(entry.title) or _untitled_line_name(entry)
        shown = f"{add_colon(shown)} {result}" if result else shown
        return f"{shown}{reads}{cited}"

    def _render_result(self, entry: TraceEntry) -> str:
        return entry_rendering.render_entry_value(entry, self.names)

    def _render_reads(self, entry: TraceEntry) -> str:
        reads = dict.fromkeys(self._render_read_value(read) for read in entry.reads if read.text != entry.title)
        return self.paint(f"  [{', '.join(reads)}]", "dim") if reads else ""

    def _render_read_value(self, reading: ValueRead) -> str:
        if reading.dice:
            return f"{make_visible(reading.text)} = {entry_rendering.render_dice(reading.dice, self.names)}"
        return show_reading(reading, self.names)

    def _render_cites(self, entry: TraceEntry, cites: tuple[str, ...] = ()) -> str:
        if self.level != "full":
            return ""
        return self.paint("".join(f"  @{make_visible(cite)}" for cite in cites or entry.cites), "dim")


class StoryRecord:
    """The story of a play that goes on: each turn is rendered once."""

    def __init__(self, story: Story) -> None:
        """`story` has rendered nothing yet."""
        self._fresh_story = story
        self._story = story.copy()
        self._lines: list[tuple[str, StoryOrigin]] = []
        self._turns: list[AnsweredTurn] = []

    def copy(self) -> "StoryRecord":
        """A record that goes on from here by itself."""
        copied = StoryRecord(self._fresh_story)
        copied._story, copied._lines, copied._turns = self._story.copy(), [*self._lines], [*self._turns]
        return copied

    def list_lines(self, session: Session) -> list[tuple[str, StoryOrigin]]:
        """Lines of a session of the play, without its end, each with its source."""
        if count_common_turns(self._turns, session.turns) < len(self._turns):
            self._story, self._lines, self._turns = self._fresh_story.copy(), [], []
        for turn in session.turns[len(self._turns) :]:
            self._lines += [(line, self._story.origin) for line in self._story.render_next_turn(turn)]
            self._turns.append(turn)
        rest = self._story.copy()
        return [*self._lines, *((line, rest.origin) for line in rest.render_entries(session.outcome.entries))]


def _is_else_taken(entry: TraceEntry, names: NameTable) -> bool:
    node = entry.node
    if not isinstance(node, st.If) or node.otherwise is None:
        return False
    return ConditionNarrator(entry, names).condition is node.branches[-1].condition


def _option_titles(entry: TraceEntry) -> Mapping[Value, str]:
    """Option titles by id."""
    match entry.node:
        case st.Ask(shape=st.Choose(options=options)):
            return {option.id: make_visible(option.title) for option in options if option.title}
        case _:
            return {}


def _has_no_answer(entry: TraceEntry) -> bool:
    return entry.result is None and entry.type is not None and not isinstance(entry.type, OptionalType)


def _is_watch_entry(entry: TraceEntry) -> bool:
    """Whether an entry belongs to another routine than the open one."""
    return bool(entry.enclosing) and entry.enclosing[-1] != entry.address.partition("/")[0]


def _untitled_line_name(entry: TraceEntry) -> str:
    """`set u.weak` of `…/set.u.weak#2`."""
    return make_visible(last_address_part(entry.address).replace(".", " ", 1))
