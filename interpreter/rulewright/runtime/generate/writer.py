"""Builders of the generated module and of one function of it.

One source is written for each way to play. *Traced*: every line records what it did and read. *Decisive*: it records
only what a decisive story tells, and the reads of a line only where they tell more than its result. *Probed*: the values
of chosen expressions are noted, for comparisons of revisions. Without any, lines record nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.core import forms as core
from rulewright.program.core.charges import ChargeAnalysis
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import PoolType, Type
from rulewright.program.walk import get_root_place, list_lines_of_class
from rulewright.program.wording import ExpressionRenderer
from rulewright.runtime.control_flow import Branch
from rulewright.runtime.control_flow_builder import FrameAnalysis
from rulewright.runtime.event_engine import PAUSE
from rulewright.runtime.frame_slots import FIRST_SLOT, FRAME_BLOCK, FRAME_RESULT_SLOT, FRAME_ROUTINE, FRAME_SITE
from rulewright.runtime.request import CONDITION_SORTS, SourcePoint, append_source_point
from rulewright.runtime.state import StateLayout
from rulewright.runtime.working_memory import (
    BOARD,
    CONTROL,
    QUIET,
    RECORD,
    ROLLS,
    STACK,
    UNSETTLED,
    FlowTable,
    MemoryLayout,
)

CONTROL_CODE = f"W[{CONTROL}]"
UNSETTLED_CODE = f"W[{UNSETTLED}]"
QUIET_CODE = f"W[{QUIET}]"
RECORD_CODE = f"W[{RECORD}]"
ROLLS_CODE = f"W[{ROLLS}]"
STACK_CODE = f"W[{STACK}]"
BOARD_CODE = f"W[{BOARD}]"
FRAME_BLOCK_CODE = f"F[{FRAME_BLOCK}]"
FRAME_ROUTINE_CODE = f"F[{FRAME_ROUTINE}]"
FRAME_SITE_CODE = f"F[{FRAME_SITE}]"
FRAME_RESULT_CODE = f"F[{FRAME_RESULT_SLOT}]"
"""Python for the slots that every working memory and every frame has: numbers, which Python reads faster than names."""

RECORD_OPENING = f"T = {RECORD_CODE}"
"""First line of a function that records anything."""
_RECORD_NAME = re.compile(r"\bT\b")


UNRECORDED_PREFIX = "unrecorded "


@dataclass
class ModuleBuilder:
    """The module under construction, with its tables."""

    emit_gathering: "Callable[[FunctionBuilder, core.Over], str]"  # injected, so that no files import in circles
    program: Program
    core: core.CoreProgram
    frames: FrameAnalysis
    layout: StateLayout
    places: MemoryLayout
    traced: bool  # whether the source records a trace
    wording: ExpressionRenderer
    masks: dict[str, int]  # bits of the standing rules and invariants that read a place
    due_bits: dict[str, int]  # bit of each standing rule and invariant, by key
    drops_dice: bool  # whether some roll drops dice; else all are kept
    decisive: bool = False  # whether the trace is only what a decisive story tells
    sites: list[SourcePoint] = field(default_factory=list)  # by number
    constants: list[Any] = field(default_factory=list)  # values of `K0`, `K1` and so on
    source: list[str] = field(default_factory=list)  # finished lines
    lines: list[int] = field(default_factory=list)  # number of the site of every finished line
    functions: dict[str, int] = field(default_factory=dict)  # numbers of functions of the rules that are called
    pending_functions: list[str] = field(default_factory=list)
    routines: dict[str, int] = field(default_factory=dict)  # numbers of plain routines
    flows: dict[str, int] = field(default_factory=dict)  # numbers of graphs, by key
    tables: list[FlowTable] = field(default_factory=list)  # by number
    watches: list[str] = field(default_factory=list)  # events of the watches written, by number
    # numbers of explaining functions by the address of a decision
    explained: dict[str, int] = field(default_factory=dict)
    lifted: int = 0  # number of lifted functions
    # numbers of probed expressions by identity
    probed: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def decide_lines(self) -> Mapping[int, st.DecideLine]:
        """The line of each row of a `decide` that is a line, by identity of the row."""
        lines = list_lines_of_class(self.program, st.DecideLine)
        return {id(row): line for line in lines for row in line.rows}

    @cached_property
    def charges(self) -> ChargeAnalysis:
        return ChargeAnalysis(self.core.routines)

    def find_line_of_row(self, origin: Any) -> st.DecideLine | None:
        """The line of a row of a `decide` that is a line."""
        return self.decide_lines.get(id(origin)) if isinstance(origin, ex.DecideRow) else None

    def find_rank(self, key: st.RankKey) -> st.Rank:
        """The line of a key."""
        return self._ranks[id(key)]

    @cached_property
    def _ranks(self) -> Mapping[int, st.Rank]:
        return {id(key): line for line in list_lines_of_class(self.program, st.Rank) for key in line.keys}

    def add_site(self, sort: str, node: Any, **more: Any) -> SourcePoint:
        """A new source point for a line, row or declaration with an address."""
        return append_source_point(self.sites, sort, node, **more)

    def add_constant(self, value: Any) -> str:
        """Name of a constant with this value."""
        self.constants.append(value)
        return f"K{len(self.constants) - 1}"

    def combine_masks(self, written: frozenset[str]) -> int:
        """Bit mask of the standing rules and invariants that writes to these places may awaken."""
        bits = 0
        for item in written:
            bits |= self.masks.get(item, 0)
        return bits

    def finish_function(self, body: "FunctionBuilder") -> None:
        records = any(_RECORD_NAME.search(text) for _, text, _ in body.lines[2:])
        for depth, text, site in body.lines:
            if text == RECORD_OPENING and not records:
                continue
            self.source.append("    " * depth + text)
            self.lines.append(site)
        self.source.append("")
        self.lines.append(0)


class FunctionBuilder:
    """One Python function under construction.

    Attributes:
        module: the module that it belongs to.
        framed: whether variables live in the frame `F`.
        names: Python names of the variables that live in Python, by index.
        lines: indentation, text and site of the lines so far.
        site: the source point of lines written now.
        reads: temporaries, texts and types read by the current expression, in a traced module.
        calls: whether the current expression records entries of its own.
        owners: texts of the names and attributes whose own attributes are read, with Python and type.
        die_data_variables: variables that hold the data of a die instead of its place.
        run_forms: what the blocks run that are written here.
        loop_variables: variables of loops inside expressions, which hold nothing if there was no member.
        records_nothing: whether nothing is recorded at present.
        records_no_reads: whether only the outcome is recorded, and not what was read.
        has_recorded: whether an earlier record is certain, so that the running routine is known.
        mute_depth: nesting depth of targets whose own value is not what is read.
        condition_depth: number of conditions that guard the current expression, so that it may stay unread.
    """

    def function_number(self, name: str) -> int:
        """Number of a function of the rules, queued for emission at its first call.

        A traced module has another one for calls that are not recorded.
        """
        module = self.module
        if module.traced and not self.records_reads:
            name = f"{UNRECORDED_PREFIX}{name}"
        if name not in module.functions:
            module.functions[name] = len(module.functions)
            module.pending_functions.append(name)
        return module.functions[name]

    def __init__(  # noqa: PLR0913 - what a function is made of
        self,
        module: ModuleBuilder,
        head: str,
        *,
        framed: bool,
        names: dict[int, str],
        site: SourcePoint,
        records_nothing: bool = False,
    ) -> None:
        self.module = module
        self.records_nothing = self._records_nothing_at_start = records_nothing
        self.records_no_reads = False
        self.has_recorded = True
        self.framed = framed
        self.names = names
        self.site = site
        self.lines: list[tuple[int, str, int]] = []
        self.reads: list[tuple[str, str, Type]] = []
        self.owners: dict[str, tuple[str, core.CoreType]] = {}
        self._conditional_reads: list[str] = []
        self.calls = False
        self.mute_depth = 0
        self.condition_depth = 0
        self.die_data_variables: set[int] = set()
        self.loop_variables: set[int] = set()
        self.run_forms: list[Any] = []
        self._depth = 0
        self._temporaries = 0
        self.add_line(head)
        self._depth = 1
        if self.records_results:
            self.add_line(RECORD_OPENING)
        self.begin_entry()

    @property
    def records_reads(self) -> bool:
        return self.module.traced and not self.records_nothing and not self.records_no_reads

    @property
    def records_results(self) -> bool:
        return self.module.traced and not self.records_nothing

    def recording_as_begun(self) -> AbstractContextManager[None]:
        """Records inside as the function began."""
        return self.recording_only(records_nothing=self._records_nothing_at_start)

    @property
    def surely_records(self) -> bool:
        """Whether every way out of the function records something."""
        written = [(depth, text) for depth, text, _ in self.lines if text.startswith(("return ", "T.append("))]
        return bool(written) and written[0][0] == 1 and written[0][1].startswith("T")

    def add_line(self, text: str) -> None:
        self.lines.append((self._depth, text, self.site.number))

    def emit_charge(self, *forms: Any) -> None:
        """Charges forms, if they are many, at the begin of the function that runs them."""
        steps = self.module.charges.count_steps(*forms)
        if steps:
            at = 2 if self.records_results else 1
            self.lines.insert(at, (1, f"charge_visits(W, {steps})", self.site.number))

    def emit_kept_dice(self, pool: str) -> str:
        return f"{'list_kept_dice' if self.module.drops_dice else 'list_pool_dice'}(W, {pool})"

    def emit_pending_request(self, resume: int, data: str, who: str = "p") -> None:
        """Returns with a request at this site, resumed at a block."""
        self.emit_ask(str(self.site.number), who, data)
        self.emit_pause(resume)

    def emit_pause(self, resume: int) -> None:
        """Returns with the pending request, resumed at a block."""
        self.add_line(f"{FRAME_BLOCK_CODE} = {resume}")
        self.add_line(f"return {PAUSE}")

    def emit_ask(self, site: str, who: str, data: str) -> None:
        """Sets the fields of the pending request."""
        self.add_line(f"c = {CONTROL_CODE}")
        self.add_line(f"c.asked_site = {site}")
        self.add_line(f"c.asked_player = {who}")
        self.add_line(f"c.asked_data = {data}")

    def unless_insisted(self, test: str) -> str:
        """Test for answering without a question: one answer alone, and nobody insists on being asked."""
        return f"if {test} and not {self.insistence_test}:" if self.records_reads else f"if {test}:"

    @property
    def insistence_test(self) -> str:
        """Python for whether somebody insists on being asked here."""
        return f"{CONTROL_CODE}.limits.must_ask({self.site.number})"

    @contextmanager
    def indent_under(self, head: str, site: SourcePoint | None = None) -> Iterator[None]:
        """A Python block under a head, which belongs to a source point of its own if one is given."""
        with self.at_site(site or self.site):
            self.add_line(head)
        self._depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.add_line("pass")
        self._depth -= 1

    @contextmanager
    def at_site(self, site: SourcePoint) -> Iterator[SourcePoint]:
        """Lines written inside belong to a source point."""
        before, self.site = self.site, site
        yield site
        self.site = before

    def new_temporary(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"

    def variable_place(self, variable: Variable | core.Local) -> str:
        if variable.index in self.names:
            return self.names[variable.index]
        if not variable.name:
            return f"v{variable.index}"
        return f"F[{FIRST_SLOT + variable.index}]" if self.framed else f"v{variable.index}"

    def emit_read(self, code: str, text: str, type_: Type) -> str:
        """Code that also stores the value for the record, in a traced module."""
        if not self.records_reads or self.mute_depth:
            return code
        name = self._new_read_name()
        self.reads.append((name, text, type_))
        return f"({name} := {code})"

    def _new_read_name(self) -> str:
        name = self.new_temporary()
        if self.condition_depth or self._depth > self._start[1]:
            self._conditional_reads.append(name)
        return name

    def keep_owner(self, variable: core.Local) -> None:
        """Stores the value of a variable whose attribute is read, in a traced module."""
        is_stored = self.site.sort == "reason" or variable.index not in self.loop_variables
        if self.records_reads and not self.mute_depth and is_stored:
            self.owners[variable.name] = (self.variable_place(variable), variable.type)

    @contextmanager
    def under_condition(self) -> Iterator[None]:
        """Code written inside is evaluated conditionally."""
        self.condition_depth += 1
        yield
        self.condition_depth -= 1

    def emit_held_thing(self, code: str, text: str, type_: Type, within: set[int]) -> str:
        """Code that also stores the thing held by an attribute of which something is read, in a traced module.

        Inside a loop (`within`) only reasons store it, which are judged for one member.
        """
        if not self.records_reads or self.mute_depth or (self.site.sort != "reason" and within & self.loop_variables):
            return code
        name = self._new_read_name()
        self.owners[text] = (name, type_)
        return f"({name} := {code})"

    def begin_entry(self) -> None:
        """Starts an entry: forgets earlier reads."""
        self.reads, self.owners, self.calls, self._conditional_reads = [], {}, False, []
        self._start = (len(self.lines), self._depth)
        self._cleared_names: set[str] = set()

    @contextmanager
    def with_own_record(self) -> Iterator[None]:
        """Code written inside has entries of its own; afterwards the current one continues."""
        record_before = self.reads, self.owners, self.calls, self._conditional_reads, self._start, self._cleared_names
        with self.recording_as_begun():
            yield
        self.reads, self.owners, self.calls, self._conditional_reads, self._start, self._cleared_names = record_before

    @contextmanager
    def recording_only(self, *, records_nothing: bool = False, records_no_reads: bool = False) -> Iterator[None]:
        """Limits what is recorded inside: nothing, all but the reads, or all."""
        settings_before = self.records_nothing, self.records_no_reads
        self.records_nothing, self.records_no_reads = records_nothing, records_no_reads
        yield
        self.records_nothing, self.records_no_reads = settings_before

    def _initialize_at_start(self, names: list[str], value: str) -> None:
        new = [name for name in dict.fromkeys(names) if name not in self._cleared_names]
        if new:
            self._cleared_names.update(new)
            position, depth = self._start
            self.lines.insert(position, (depth, " = ".join([*new, value]), self.site.number))

    def emit_mark(self) -> None:
        """Records that this site was reached, with no data."""
        self.has_recorded = self.has_recorded or self._depth == 1
        self.add_line(
            f"T.append(({self.site.number}, -1, None, None{', ()' if self.site.sort in CONDITION_SORTS else ''}))"
        )

    def emit_entry(self, site: SourcePoint, result: str = "None", extra: str = "None") -> None:
        """Records the current entry with its reads since `begin_entry`, in a traced module."""
        if not self.records_results:
            return
        self.has_recorded = self.has_recorded or self._depth == 1
        if len(self.reads) >= len(site.reads):
            site.reads = [(text, type_) for _, text, type_ in self.reads]
        self._initialize_at_start(self._conditional_reads, "U")
        if self.calls:
            self._initialize_at_start(["n"], "len(T)")
        start = "n" if self.calls else "-1"
        names = "".join(f", {name}" for name, _, _ in self.reads)
        if site.sort in CONDITION_SORTS:
            if len(self.owners) >= len(site.owners):
                site.owners = [(text, type_) for text, (_, type_) in self.owners.items()]  # type: ignore[misc]
            names = f", ({''.join(f'{code}, ' for code, _ in self.owners.values())}){names}"
        self.add_line(f"T.append(({site.number}, {start}, {result}, {extra}{names}))")

    def emit_forget(self) -> None:
        """Discards records beyond the length `o`, in a traced module."""
        if self.records_reads:
            self.add_line("del T[o:]")


class BlockFlow(Protocol):
    """How emitted code continues at another block."""

    sort: str  # `procedure`, `handler` or `rule`
    holds_or_watches: bool  # whether the routine holds rules or watches

    def go(self, body: FunctionBuilder, number: int) -> None:
        """Code that continues at a block."""

    def skip_known_tests(self, number: int, answer: core.Local, *, value: bool) -> int:
        """The block that a block leads to by tests of an answer alone, if that is known."""

    def find_next_branch(self, exit_: Branch) -> Branch | None:
        """The condition of the same line that is tested next, if it is written in the same function."""

    def find_result_slot(self, result: core.Local | None) -> int:
        """Slot for the result of a call; 0 for none."""

    def continue_at(self, block: int) -> int:
        """Number of a block at which something outside the flow continues."""


def at_new_site(
    body: FunctionBuilder, sort: str, line: st.Statement | st.RankKey
) -> AbstractContextManager[SourcePoint]:
    """A separate source point for code about a line."""
    body.begin_entry()
    return body.at_site(body.module.add_site(sort, line, line=True, routine=body.site.routine))


_NAME_READING_EXPRESSIONS = (
    ex.Arithmetic,
    ex.BoardCells,
    ex.Comparison,
    ex.Conditional,
    ex.GameField,
    ex.InPlay,
    ex.Itself,
    ex.Joined,
    ex.Literal,
    ex.Local,
    ex.Logical,
    ex.MakeCollection,
    ex.MakeRecord,
    ex.MakeTuple,
    ex.Membership,
    ex.Narrowed,
    ex.Negation,
    ex.Not,
    ex.Removed,
    ex.Rounded,
    ex.SettingValue,
    ex.WordLiteral,
)
"""Expressions that read nothing but variables, fields of the game and readings."""


def record_line(body: FunctionBuilder, of: st.Statement) -> AbstractContextManager[None]:
    """What is recorded of a line, except for lines inside it."""
    if not _is_decisive(body):
        return nullcontext()
    match of:
        case st.Stop() | st.Nothing() | st.ForEach() | st.Proceed():
            return skip_recording(body)
        case st.Let(value=value) | st.Finish(value=value) | st.FinishOuter(value=value):
            return nullcontext() if _has_workings(body, value) else skip_recording(body)
        case st.Match(subject=value) | st.Repeat(bound=value) | st.Trigger(arguments=value):
            return nullcontext() if _has_workings(body, value) else skip_recording(body)
        case st.Assign(place=place, value=value) | st.AddAmount(place=place, amount=value):
            return _record_change(body, place, value)
        case st.AddMember(place=place, member=value):
            return _record_change(body, place, value)
        case st.Move(thing=thing, destination=value) | st.Turn(thing=thing, heading=value):
            return body.recording_only(records_no_reads=not _has_workings(body, (thing, value)))
        case _:
            return nullcontext()


def _record_change(body: FunctionBuilder, place: st.Place, value: Expression) -> AbstractContextManager[None]:
    if _has_workings(body, (place, value)):
        return nullcontext()
    root = get_root_place(place)
    if isinstance(root, st.VariablePlace):
        return skip_recording(body)
    return body.recording_only(records_no_reads=root is place)


def skip_recording(body: FunctionBuilder) -> AbstractContextManager[None]:
    """Code for what only a full story tells, or whose answer is recorded at its own entry."""
    if not _is_decisive(body):
        return nullcontext()
    if not body.has_recorded:
        body.emit_mark()
    return body.recording_only(records_nothing=True)


def when_to_record_test(body: FunctionBuilder, condition: Expression, of: object) -> str:
    """When a condition is recorded: `always`, when it is `met`, or `never`."""
    if not _is_decisive(body) or _has_workings(body, condition):
        return "always"
    if isinstance(of, st.Repeat):
        return "never"
    if not isinstance(of, st.If):
        return "always"
    if all(isinstance(node, _NAME_READING_EXPRESSIONS) for node in walk_nodes(condition) if isinstance(node, ex.Typed)):
        return "never"
    text = body.module.wording.render_expression
    if not body.has_recorded or (of.otherwise is not None and text(condition) == text(of.branches[-1].condition)):
        return "always"
    return "met"


def _is_decisive(body: FunctionBuilder) -> bool:
    return body.module.decisive and not body.records_nothing


def _has_workings(body: FunctionBuilder, node: Any) -> bool:
    functions = body.module.program.functions
    visited: set[str] = set()
    waiting = [node]
    while waiting:
        for part in walk_nodes(waiting.pop()):
            if isinstance(part, ex.ExternalValue):
                return True
            if isinstance(part, ex.Aggregate) and isinstance(part.binding.source.type, PoolType):
                return True
            name = getattr(part, "function", None) or getattr(part, "relation", None)
            if not isinstance(name, str) or name not in functions or name in visited:
                continue
            visited.add(name)
            if isinstance(functions[name].body, d.Tally | d.Decide | d.Table | d.Paths):
                return True
            waiting.append(functions[name].body)
    return False
