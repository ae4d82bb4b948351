"""A compiled program: generated code linked with the engine's tables and analyses."""

import copyreg
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from rulewright.program import statements as st
from rulewright.program.core import forms as core
from rulewright.program.core.walking import walk_statements
from rulewright.program.declarations import Program
from rulewright.program.types import PLAYER, DieType, PoolType, ThingType, Type
from rulewright.program.walk import (
    get_secret_variable,
    list_lines_of_class,
    may_hold_type,
    strip_address_numbers,
    walk_block_lines,
)
from rulewright.program.wording import ExpressionRenderer
from rulewright.runtime import (
    dice,
    event_engine,
    faults,
    grid_cells,
    item_answer_search,
    path_search,
    plane_bodies,
    pose_search,
    ranking,
    runtime_operations,
)
from rulewright.runtime.concealment import ConcealmentAnalysis
from rulewright.runtime.dice import DiceGroup, RollDescription, RollOptionValue, make_record
from rulewright.runtime.geometry import normalize_angle, round_to_thousandths
from rulewright.runtime.pose_search import PoseQuestionData
from rulewright.runtime.random_values import RandomValue, greatest_number, least_number
from rulewright.runtime.request import NO_PROBES, SourcePoint, ValueProbes
from rulewright.runtime.state import StateLayout
from rulewright.runtime.symbolic_pool import SymbolicPool
from rulewright.runtime.values import GameMap, make_set, sort_values
from rulewright.runtime.working_memory import (
    UNREAD_VALUE,
    EngineTables,
    FlowTable,
    MemoryLayout,
    find_all_plane_columns,
    find_polygon_columns,
)

if TYPE_CHECKING:
    from rulewright.runtime.control_flow_builder import FrameAnalysis
    from rulewright.runtime.liveness import LivenessAnalysis
    from rulewright.runtime.slicing import ReachableEffects, RelevanceAnalysis


@dataclass(frozen=True, slots=True)
class LinkedCode:
    """The generated code of a program with its tables."""

    layout: StateLayout
    places: MemoryLayout
    source: str  # the generated Python, for reading
    lines: tuple[int, ...]  # per line of the source, from 1, the number of its site
    functions: dict[str, Any]
    blocks: tuple[Callable[..., int] | None, ...]
    tables: EngineTables
    # numbers of explaining functions by the address of a decision; in traced executables only
    explanation_numbers: dict[str, int]
    measures: dict[str, Callable[..., Any]]


@dataclass(frozen=True, eq=False)
class Executable:
    """A program with its code, which is written when first wanted, shared by all its plays."""

    program: Program
    traced: bool  # whether runs are recorded
    make_code: Callable[[], LinkedCode] = field(repr=False)
    # cache of recent starts by identity, with working memories to copy
    prepared_starts: dict[int, tuple[Any, ...]] = field(default_factory=dict, repr=False)
    # caches of its users, by their own keys
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)
    # whether players do not distinguish equal-looking dice, so that more futures are equal
    equates_like_dice: bool = False

    @cached_property
    def code(self) -> LinkedCode:
        return self.make_code()

    @cached_property
    def layout(self) -> StateLayout:
        return self.code.layout

    @cached_property
    def places(self) -> MemoryLayout:
        return self.code.places

    @cached_property
    def functions(self) -> dict[str, Any]:
        return self.code.functions

    @cached_property
    def blocks(self) -> tuple[Callable[..., int] | None, ...]:
        return self.code.blocks

    @cached_property
    def tables(self) -> EngineTables:
        return self.code.tables

    @cached_property
    def measures(self) -> dict[str, Callable[..., Any]]:
        return self.code.measures

    @property
    def sites(self) -> tuple[SourcePoint, ...]:
        return self.tables.sites

    @cached_property
    def request_sorts(self) -> tuple[tuple[str, bool], ...]:
        """Per site, the sort of its request, or empty, and whether dice may answer it.

        Empty if the data of the request say its sort. The last pair is for values of external terms, at -1.
        """
        return (*((site.request_sort, self._is_answered_with_dice(site.node)) for site in self.sites), ("", False))

    def _is_answered_with_dice(self, node: object) -> bool:
        if isinstance(node, st.Ask):
            return may_hold_type(node.variable.type, (DieType, PoolType), self.program)
        return isinstance(node, st.RankKey)

    @cached_property
    def plain_request_sorts(self) -> tuple[str, ...]:
        """Per site, the sort of its request; empty if its data say it, or dice answer it."""
        return tuple("" if names_dice else sort for sort, names_dice in self.request_sorts)

    @cached_property
    def request_addresses(self) -> tuple[str, ...]:
        """Per site, the address of its line without numbers (`strip_address_numbers`)."""
        return tuple(strip_address_numbers(site.address) for site in self.sites)

    @cached_property
    def reroll_sites(self) -> frozenset[int]:
        return frozenset(site.number for site in self.sites if isinstance(site.node, st.Reroll))

    @cached_property
    def core_program(self) -> core.CoreProgram:
        from rulewright.program.core.lowering import lower_program  # noqa: PLC0415 - a play needs no analysis

        return lower_program(self.program)

    @cached_property
    def frames(self) -> "FrameAnalysis":
        from rulewright.runtime.control_flow_builder import FrameAnalysis  # noqa: PLC0415 - a play needs no analysis

        return FrameAnalysis(self.core_program)

    @cached_property
    def request_statements(self) -> Mapping[int, core.Statement]:
        """By the number of its site what asks at a line of the program: a question, dice, a draw or a shuffle."""
        routines = [routine for routine in self.core_program.routines.values() if routine.sort != "window"]
        requests = {
            id(statement.origin): statement
            for statement in walk_statements(tuple(routines))
            if isinstance(statement, core.Ask | core.Roll | core.Reroll | core.Draw | core.Shuffle)
        }
        return {site.number: requests[id(site.node)] for site in self.sites if id(site.node) in requests}

    @cached_property
    def policy_sites(self) -> frozenset[int]:
        """Sites of questions with policies of players."""
        return frozenset(site.number for site in self.sites if site.policies)

    @cached_property
    def concealment(self) -> ConcealmentAnalysis:
        return ConcealmentAnalysis(self.program)

    @cached_property
    def withheld_sites(self) -> frozenset[int]:
        """Sites of questions whose options, or whose answers, are for one player alone."""
        question_sites = (site for site in self.sites if isinstance(site.node, st.Ask))
        return frozenset(
            source_point.number for source_point in question_sites if self.concealment.withheld_part(source_point.node)
        )

    @cached_property
    def loop_members(self) -> dict[int, tuple[tuple[int, Type], ...]]:
        """Current members of the loops around a question: by identity of its line, index and type of each variable.

        Players, and members of concealed collections, are left out.
        """
        result: dict[int, tuple[tuple[int, Type], ...]] = {}
        for loop in list_lines_of_class(self.program, st.ForEach):
            if self.concealment.expression_looks_inside(loop.binding.source):
                continue
            members = tuple(
                (variable.index, variable.type)
                for variable in loop.binding.variables
                if variable is not None and isinstance(variable.type, ThingType) and variable.type != PLAYER
            )
            for line in walk_block_lines(loop.block):
                if members and isinstance(line, st.Ask):
                    result[id(line)] = (*result.get(id(line), ()), *members)
        return result

    @cached_property
    def secret_sites(self) -> dict[int, tuple[str, bool]]:
        """Per site, the variable of an answer, and whether only its player knows it from there on (yes) or all do."""
        secret_by_site = {
            site.number: (f"{site.routine}/{name.name}", True)
            for site in self.sites
            if site.sort in {"answer", "roll"} and (name := get_secret_variable(site.node)) is not None
        }
        shown = {site.number: (f"{site.routine}/{site.title}", False) for site in self.sites if site.sort == "revealed"}
        return {**secret_by_site, **shown}

    @cached_property
    def liveness(self) -> "LivenessAnalysis":
        from rulewright.runtime.liveness import LivenessAnalysis  # noqa: PLC0415 - a play needs no analysis

        return LivenessAnalysis(self.program, self.frames, self.tables.flows, even=self.equates_like_dice)

    @cached_property
    def with_like_dice_equated(self) -> "Executable":
        """A copy whose players do not distinguish equal-looking dice, unless one judges answers by a policy."""
        if self.equates_like_dice or self.policy_sites:
            return self
        return replace(self, make_code=lambda: self.code, equates_like_dice=True)

    @cached_property
    def reachable_effects(self) -> "ReachableEffects":
        from rulewright.runtime.slicing import ReachableEffects  # noqa: PLC0415 - a play needs no analysis

        return ReachableEffects(self.program, self.frames, self.tables.flows, self.liveness)

    @cached_property
    def relevance(self) -> "RelevanceAnalysis":
        from rulewright.runtime.slicing import RelevanceAnalysis  # noqa: PLC0415 - a play needs no analysis

        return RelevanceAnalysis(self.program, self.frames)

    @cached_property
    def wording(self) -> ExpressionRenderer:
        return ExpressionRenderer(self.program)

    @cached_property
    def procedure_flows(self) -> dict[str, int]:
        """Number of the graph of every procedure, by name."""
        return {
            flow.name: number for number, flow in enumerate(self.tables.flows) if flow.key == f"procedure:{flow.name}"
        }


@dataclass(slots=True)
class WrittenModule:
    """The Python written from a program, with its tables, as linking needs them; the writer itself is left out."""

    program: Program
    layout: StateLayout
    places: MemoryLayout
    traced: bool
    source: list[str]  # its lines
    lines: list[int]  # number of the site of every line
    sites: list[SourcePoint]
    constants: list[Any]  # values of `K0`, `K1` and so on
    routines: dict[str, int]  # numbers of plain routines
    flows: dict[str, int]  # numbers of graphs, by key
    watches: list[str]  # events of the watches written, by number
    masks: dict[str, int]
    due_bits: dict[str, int]
    explained: dict[str, int]  # numbers of explaining functions by the address of a decision


@dataclass(frozen=True, slots=True)
class CompiledSource:
    """A program as compiled Python, before linking: all that depends on the program alone."""

    module: WrittenModule
    flow_tables: tuple[FlowTable, ...]
    code_object: CodeType

    @property
    def source(self) -> str:
        return "\n".join(self.module.source) + "\n"


def link_executable(written: CompiledSource, probes: ValueProbes = NO_PROBES) -> Executable:
    """Executable of a compiled source, whose module is used up by it."""
    return Executable(written.module.program, written.module.traced, lambda: _link_code(written, probes))


def _link_code(written: CompiledSource, probes: ValueProbes) -> LinkedCode:
    module = written.module
    functions = _build_namespace(module) | {"report_value": probes.report_value}
    exec(written.code_object, functions)  # noqa: S102
    numbers = [int(name[1:]) for name in functions if name[0] == "b" and name[1:].isdecimal()]
    blocks: list[Any] = [functions.get(f"b{number}") for number in range(max(numbers, default=0) + 1)]
    blocks[event_engine.END_BLOCK] = event_engine.run_end_block
    return LinkedCode(
        layout=module.layout,
        places=module.places,
        source=written.source,
        lines=(0, *module.lines),
        functions=functions,
        blocks=tuple(blocks),
        tables=_build_engine_tables(written, functions),
        explanation_numbers=module.explained,
        measures={name: functions[f"m{number}"] for number, name in enumerate(module.program.measures)},
    )


RUNTIME_MODULES = (
    runtime_operations,
    dice,
    event_engine,
    faults,
    item_answer_search,
    pose_search,
    ranking,
    grid_cells,
    path_search,
    plane_bodies,
)
"""Modules whose functions generated code calls by name; function names are unique among them."""


def _build_namespace(module: WrittenModule) -> dict[str, Any]:
    offered: dict[str, Any] = {
        "__builtins__": dict(_ALLOWED_BUILTINS),
        "GameMap": GameMap,
        "NeedFailed": faults.NeedFailed,
        "U": UNREAD_VALUE,
        "RandomValue": RandomValue,
        "make_record": make_record,
        **{
            record.__name__: record
            for record in (
                DiceGroup,
                RollDescription,
                RollOptionValue,
                PoseQuestionData,
                item_answer_search.ItemQuestionData,
                event_engine.HandlerOrderData,
                event_engine.HandlerQuestionData,
                event_engine.TakerQuestionData,
            )
        },
        "SymbolicPool": SymbolicPool,
        "sort_values": sort_values,
        "make_set": make_set,
        "ceil": runtime_operations.ceil,
        "floor": runtime_operations.floor,
        "round_to_thousandths": round_to_thousandths,
        "normalize_angle": normalize_angle,
    }
    for provider in RUNTIME_MODULES:
        offered |= {
            name: value
            for name, value in vars(provider).items()
            if isinstance(value, FunctionType) and value.__module__ == provider.__name__ and not name.startswith("_")
        }
    return offered | {f"K{number}": value for number, value in enumerate(module.constants)}


_ALLOWED_BUILTINS: dict[str, Any] = {
    item.__name__: item for item in (abs, enumerate, isinstance, len, range, set, sorted, sum, tuple)
} | {
    "max": greatest_number,
    "min": least_number,
}


def _build_engine_tables(written: CompiledSource, functions: dict[str, Any]) -> EngineTables:
    module, program = written.module, written.module.program
    return EngineTables(
        flows=written.flow_tables,
        due_bits=module.due_bits,
        settling=module.flows[core.SETTLING],
        judging=module.flows[core.JUDGING],
        settle=functions[f"p{module.routines[core.SETTLING]}"],
        judge=functions[f"p{module.routines[core.JUDGING]}"],
        settles_plainly=not any(
            written.flow_tables[module.flows[key]].is_framed for key in (core.SETTLING, core.JUDGING)
        ),
        windows={key.partition(":")[2]: flow for key, flow in module.flows.items() if key.startswith("window:")},
        watches=tuple((event, functions[f"w{number}"]) for number, event in enumerate(module.watches)),
        masks=module.masks,
        sites=tuple(module.sites),
        stands=find_all_plane_columns(program, module.places),
        walls=find_polygon_columns(program, module.places),
    )


def compile_program(
    program: Program, *, traced: bool, decisive: bool = False, probes: ValueProbes = NO_PROBES
) -> Executable:
    """Executable of a program.

    A traced one records what it reads and changes, a decisive traced one only what a decisive story tells; an untraced
    one records nothing.
    """

    def make_code() -> LinkedCode:
        return _link_code(compile_source(program, traced=traced, decisive=decisive, probes=probes), probes)

    return Executable(program, traced, make_code)


def _reduce_for_pickle(executable: Executable) -> tuple[Any, ...]:
    return partial(compile_program, traced=executable.traced), (executable.program,)


copyreg.pickle(Executable, _reduce_for_pickle)


def compile_source(
    program: Program, *, traced: bool, decisive: bool = False, probes: ValueProbes = NO_PROBES
) -> CompiledSource:
    """A program as Python, compiled but not linked."""
    from rulewright.runtime.generate.module_generation import generate_module  # noqa: PLC0415 - a page plays what was written before

    builder, flows = generate_module(program, traced=traced, decisive=decisive, probes=probes)
    module = WrittenModule(**{field.name: getattr(builder, field.name) for field in fields(WrittenModule)})
    return CompiledSource(module, flows, compile_written(module))


def compile_written(module: WrittenModule) -> CodeType:
    """The code object of a written module."""
    return compile("\n".join([*module.source, ""]), f"<{module.program.name}>", "exec")
