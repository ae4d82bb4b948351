"""Opening of cases: compiled rulesets, initial situation, arguments, script and policies of a case.

Conditions that have to hold throughout a play (`always`) become an overlay of the ruleset.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from rulewright.base.diagnostics import Diagnostic, Label, has_errors
from rulewright.base.files import FileProvider, FilesWithExtra
from rulewright.base.source import Text
from rulewright.checker.clauses import match_clause_ids
from rulewright.documents.answer_scripts import (
    AnswerScript,
    PlayerPolicy,
    PolicyTable,
    build_policy_table,
    parse_script,
)
from rulewright.documents.document_nodes import (
    DocumentNode,
    Json,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    data_to_node,
    merge_map_nodes,
)
from rulewright.documents.findings import (
    ReadResult,
    build_suggestion_edits,
    did_you_mean,
    list_alternatives,
    make_finding,
    quote_name,
)
from rulewright.documents.name_table import (
    SETTINGS,
    RequestAddresses,
    StateSections,
    UnresolvedAddress,
    request_addresses,
)
from rulewright.documents.policy_loading import NO_QUESTION_POLICIES, QuestionPolicies, load_with_policies
from rulewright.documents.procedure_arguments import COMMAND_LINE_HINT, SCENARIO_HINT, bind_arguments, find_procedure
from rulewright.documents.ruleset_loading import LoadedRuleset, LoadRuleset, load_cached_ruleset
from rulewright.documents.ruleset_location import RulesetLocation, locate_ruleset
from rulewright.documents.state_file import parse_state
from rulewright.documents.state_json import state_to_json
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, run_to_end
from rulewright.program.declarations import Procedure, Program
from rulewright.program.types import Type
from rulewright.program.walk import list_computed_rows, list_step_addresses, strip_address_numbers
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Ended
from rulewright.runtime.state import Situation
from rulewright.runtime.values import Value
from rulewright.scenarios.expectation_schema import (
    END_KEY,
    chance_line_types,
    named_line_types,
    rolled_line_types,
    row_addresses,
    tally_types,
)
from rulewright.scenarios.suite import ScenarioCase
from rulewright.scenarios.suite_reader import SuiteLoader

_ALWAYS_PREFIX = "scenario_always_"
_ALWAYS_FILE = "always-of-a-scenario.rules"
_FOR_EACH_PREFIX = "for each "
_NO_NAMES_REMEDY = (
    "things of the state have no name here: ask it of all of a kind, as in `for each u in units: u.health >= 0`"
)
_CONDITION_REMEDY = "write a condition, such as `u.health >= 0`, or `for each u in units: u.health >= 0`"


@dataclass(frozen=True)
class CompiledRuleset:
    """Compiled ruleset with tables of its addresses and a cache of initial situations."""

    executable: Executable
    clauses: frozenset[str]
    policies: QuestionPolicies = NO_QUESTION_POLICIES  # compiled into its questions
    _start_cache: dict[tuple[int, int, int, int], tuple[ScenarioCase, ReadResult[Situation]]] = field(
        default_factory=dict
    )
    _start_json_cache: dict[int, tuple[Situation, dict[str, Json]]] = field(default_factory=dict)

    def read_start(self, case: ScenarioCase, before: "CompiledRuleset | None" = None) -> ReadResult[Situation]:
        """Initial situation of a case, cached for cases with the same state and settings.

        `before` is the ruleset of the preceding play, if another. Reports RW1020: the preceding play does not end.
        """
        key = (id(case.state), id(case.patch), id(case.settings), id(case.previous))
        if key not in self._start_cache:
            state = (
                ReadResult[DocumentNode](case.state)
                if case.previous is None
                else (before or self).play_to_end(case.previous, case)
            )
            read_result = ReadResult[Situation](None, state.diagnostics)
            if state.value is not None:
                read_result = parse_state(state.value, self.program, patch=_patch_with_settings(case))
            self._start_cache[key] = case, read_result
        return self._start_cache[key][1]

    def play_to_end(self, case: ScenarioCase, following: ScenarioCase) -> ReadResult[DocumentNode]:
        """Final state of a case, for the one that follows."""
        opening_result = open_case_under(replace(case, covers=()), self, RunLimits())
        if opening_result.value is None:
            return ReadResult(None, opening_result.diagnostics)
        outcome = run_to_end(opening_result.value.start, opening_result.value.make_sources(case, 0)).session.outcome
        if isinstance(outcome, Ended):
            return ReadResult(data_to_node(state_to_json(outcome.state.extract_situation(), self.program)))
        message = f"{quote_name(case.name)} does not end, so no play can follow it"
        remedy = "mend what it does first, or take `then:` out"
        return ReadResult(None, (make_finding("RW1020", following.place, message, remedy),))

    def start_to_json(self, start: Situation) -> dict[str, Json]:
        """Data of an initial situation, cached."""
        if id(start) not in self._start_json_cache:
            self._start_json_cache[id(start)] = start, state_to_json(start, self.program)
        return self._start_json_cache[id(start)][1]

    @property
    def program(self) -> Program:
        return self.executable.program

    @cached_property
    def sections(self) -> StateSections:
        return StateSections(self.program)

    @cached_property
    def questions(self) -> RequestAddresses:
        return RequestAddresses(request_addresses(self.program))

    @cached_property
    def steps(self) -> tuple[str, ...]:
        return list_step_addresses(self.program)

    @cached_property
    def rows(self) -> tuple[str, ...]:
        return row_addresses(self.program)

    @cached_property
    def row_lists(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.address.removesuffix(f"/{row.id}") for row in list_computed_rows(self.program)))

    @cached_property
    def named_types(self) -> dict[str, Type]:
        """Type by address of the lines that name a computed value or an answer.

        Lines of one step with one name share an address.
        """
        return {strip_address_numbers(address): type_ for address, type_ in named_line_types(self.program).items()}

    @cached_property
    def value_types(self) -> dict[str, Type]:
        """`named_types`, and lines that roll or draw; a roll of dice gives the list of its faces."""
        return {
            strip_address_numbers(address): type_ for address, type_ in chance_line_types(self.program).items()
        } | self.named_types

    @cached_property
    def rolls(self) -> frozenset[str]:
        return frozenset(map(strip_address_numbers, rolled_line_types(self.program))) - self.named_types.keys()

    @cached_property
    def lines_by_name(self) -> dict[str, frozenset[str]]:
        """Addresses of lines with a value, by name."""
        result: dict[str, frozenset[str]] = {}
        for address in (*named_line_types(self.program), *chance_line_types(self.program)):
            called = strip_address_numbers(address)
            result[called] = result.get(called, frozenset()) | {address}
        return result

    @cached_property
    def tallies(self) -> dict[str, Type]:
        return tally_types(self.program)


def always_conditions(case: ScenarioCase) -> tuple[ScalarNode, ...]:
    """Conditions of a case, in order, each on one line."""
    node = case.expect.get("always")
    return tuple(item for item in node.items if isinstance(item, ScalarNode)) if isinstance(node, ListNode) else ()


def condition_number(address: str) -> int | None:
    """Index of the condition that a fault at an address is about; `None` for another line."""
    return int(address.removeprefix(_ALWAYS_PREFIX)) if address.startswith(_ALWAYS_PREFIX) else None


def overlay_conditions(wanted: tuple[str, ...], ruleset: str, main: str, under: FileProvider) -> FilesWithExtra:
    """Files of a ruleset with the overlay of these conditions added."""
    lines = [f'amends {ruleset} revision "scenario"', *map(_condition_line, range(len(wanted)), wanted)]
    return FilesWithExtra(under, posixpath.join(posixpath.dirname(main), _ALWAYS_FILE), "\n".join(lines) + "\n")


def _condition_line(number: int, condition: str) -> str:
    written = " ".join(condition.split())
    between = " " if written.startswith(_FOR_EACH_PREFIX) else ": "
    return f"always {_ALWAYS_PREFIX}{number}{between}{written}"


def relocate_to_conditions(
    findings: tuple[Diagnostic, ...], case: ScenarioCase, texts: dict[str, Text]
) -> Iterator[Diagnostic]:
    """Findings about that overlay, moved to the conditions in the scenario."""
    nodes = always_conditions(case)
    for diagnostic in findings:
        text = texts.get(diagnostic.primary.span.source) if diagnostic.primary else None
        if diagnostic.primary is None or text is None or posixpath.basename(text.name) != _ALWAYS_FILE:
            yield diagnostic
            continue
        node = nodes[min(max(text.get_position(diagnostic.primary.span.start).line - 2, 0), len(nodes) - 1)]
        remedy = _CONDITION_REMEDY if diagnostic.code == "RW0101" else diagnostic.help
        remedy = _NO_NAMES_REMEDY if diagnostic.code == "RW0301" and not remedy else remedy
        yield replace(
            diagnostic, primary=Label(node.span), secondary=(), edits=(), address="", pointer=node.pointer, help=remedy
        )


RulesetKey = tuple[str, tuple[str, ...], tuple[str, ...]]
"""Name, overlays and `always` conditions."""


def ruleset_key(case: ScenarioCase) -> RulesetKey:
    """Identity of the ruleset of a case, apart from its policies."""
    overlays = tuple(overlay.text for overlay in case.overlays)
    return case.ruleset, overlays, tuple(one.written for one in always_conditions(case))


def _compile_traced(loaded: LoadedRuleset) -> Executable:
    assert loaded.program is not None
    return compile_program(loaded.program, traced=True)


@dataclass(frozen=True)
class RulesetLoader(SuiteLoader):
    """Loader of the rulesets of scenarios, each compiled once."""

    compiler: Callable[[LoadedRuleset], Executable] = _compile_traced  # executable of a ruleset without errors
    # reads and checks a ruleset with overlays
    loader: LoadRuleset = load_cached_ruleset
    _cache: dict[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]], ReadResult[CompiledRuleset]] = field(
        default_factory=dict
    )

    def compile_for_case(self, case: ScenarioCase) -> ReadResult[CompiledRuleset]:
        """Compiled ruleset of a case with its overlays and policies, or its errors."""
        name, overlays, wanted = ruleset_key(case)
        plain = self._compile_unconditional(case)
        if not wanted or plain.value is None:
            return plain
        result = self._compile_cached(name, overlays, wanted, case.policies)
        return ReadResult(result.value, tuple(relocate_to_conditions(result.diagnostics, case, self.texts)))

    def _compile_unconditional(self, case: ScenarioCase) -> ReadResult[CompiledRuleset]:
        name, overlays, _ = ruleset_key(case)
        return self._compile_cached(name, overlays, (), case.policies)

    def ruleset_before(self, case: ScenarioCase) -> CompiledRuleset | None:
        """Ruleset of the preceding play, of which nothing is judged here; `None` without one."""
        return None if case.previous is None else self._compile_unconditional(case.previous).value

    def has_loaded(self, case: ScenarioCase) -> bool:
        return any(key[:3] == ruleset_key(case) for key in self._cache)

    def _compile_cached(
        self, name: str, overlays: tuple[str, ...], wanted: tuple[str, ...], policies: tuple[PlayerPolicy, ...] = ()
    ) -> ReadResult[CompiledRuleset]:
        question_policies = tuple(policy for policy in policies if policy.question)
        key = (name, overlays, wanted, tuple(one.written for one in question_policies))
        if key not in self._cache:
            located, provider = locate_ruleset(name, self.provider), self.provider
            if wanted and located.main is not None:
                plain = self._compile_cached(name, overlays, ()).value
                assert plain is not None
                provider = overlay_conditions(wanted, plain.program.name, located.main, self.provider)
                overlays = (*overlays, provider.place)
            if not question_policies:
                self._cache[key] = self._compile_located(located, overlays, provider)
            else:
                result = self._compile_with_policies(located, overlays, provider, question_policies)
                if result.value is None:  # reported where this case names it
                    return result
                self._cache[key] = result
        return self._cache[key]

    def _compile_with_policies(
        self,
        located: RulesetLocation,
        overlays: tuple[str, ...],
        provider: FileProvider,
        policies: tuple[PlayerPolicy, ...],
    ) -> ReadResult[CompiledRuleset]:
        loaded = self.loader(located, overlays, provider)
        ruleset, laid_ = load_with_policies(loaded, located, overlays, provider, policies)
        self.texts.update(ruleset.texts)
        if ruleset.program is None:
            return ReadResult(None, ruleset.errors)
        return ReadResult(CompiledRuleset(self.compiler(ruleset), clause_ids(ruleset), laid_))

    def _compile_located(
        self, located: RulesetLocation, overlays: tuple[str, ...], provider: FileProvider
    ) -> ReadResult[CompiledRuleset]:
        loaded = self.loader(located, overlays, provider)
        self.texts.update(loaded.texts)
        if loaded.program is None:
            return ReadResult(None, loaded.errors)
        return ReadResult(CompiledRuleset(self.compiler(loaded), clause_ids(loaded)))


def clause_ids(loaded: LoadedRuleset) -> frozenset[str]:
    """Ids of all clauses of the lists of a loaded ruleset."""
    assert loaded.linked is not None
    return frozenset(entry.id for entries in loaded.linked.clause_lists.values() for entry in entries)


@dataclass(frozen=True, slots=True)
class OpenedCase:
    """A play that can begin, with its ruleset and its script."""

    ruled: CompiledRuleset
    start: PlayStart
    script: AnswerScript | None
    policy_table: PolicyTable  # for all questions outside the script without a policy of their own

    def make_sources(self, case: ScenarioCase, number: int) -> AnswerSourceChain:
        """Answer sources of a play of the case, by its index."""
        seed = None if case.seed is None else case.seed + number
        return AnswerSourceChain(
            names=self.start.names,
            chance=SeededRandom(seed or 0),
            script=self.script,
            has_seeded_dice=seed is not None,
            is_chance_requested=seed is not None,
            policy=self.policy_table.default or None,
            policies=self.policy_table.by_player,
        )


def open_case(case: ScenarioCase, rules: RulesetLoader, limits: RunLimits) -> ReadResult[OpenedCase]:
    """Opened case, or its errors.

    Reports RW1014 (a clause that no list has) and what loading a ruleset, reading a state, a script, settings and roles
    does, with a place in the scenario where the scenario is wrong.
    """
    ruled = rules.compile_for_case(case)
    if ruled.value is None:
        return ReadResult(None, tuple(_place_ruleset_finding(one, case) for one in ruled.diagnostics))
    return open_case_under(case, ruled.value, limits, rules.ruleset_before(case))


def open_case_under(
    case: ScenarioCase, ruled: CompiledRuleset, limits: RunLimits, before: CompiledRuleset | None = None
) -> ReadResult[OpenedCase]:
    """`open_case` under a given ruleset, whichever one the case names; `before` plays the preceding case."""
    program = ruled.program
    procedure = find_procedure(case.procedure.text, program)
    situation = ruled.read_start(case, before)
    script = ReadResult[AnswerScript | None](None) if case.script is None else parse_script(case.script, program)
    result: tuple[Diagnostic, ...] = (
        *_check_policies_applied(case, ruled),
        *(place_finding(one, case.procedure.place) for one in procedure.diagnostics),
        *situation.diagnostics,
        *script.diagnostics,
        *(_find_unknown_questions(case, ruled) if has_errors(script.diagnostics) else ()),
        *find_unknown_clauses(case, ruled),
    )
    if procedure.value is None or situation.value is None or has_errors(result):
        return ReadResult(None, result)
    arguments = bind_roles(case, procedure.value, situation.value, program)
    if arguments.value is None:
        return ReadResult(None, arguments.diagnostics)
    start = PlayStart(ruled.executable, procedure.value, situation.value, arguments.value, limits)
    decided = build_policy_table(case.policies, start.names)
    if decided.value is None:
        return ReadResult(None, decided.diagnostics)
    return ReadResult(OpenedCase(ruled, start, script.value, decided.value))


def _check_policies_applied(case: ScenarioCase, ruled: CompiledRuleset) -> Iterator[Diagnostic]:
    question_policy = next((policy for policy in case.policies if policy.question), None)
    if question_policy is not None and not ruled.policies.by_question:
        yield question_policy.report_error(
            "RW0749", "this scenario is played here without its policies for single questions"
        )


_MISSING_ROLE = "RW0724"
"""Code of a role without a value; it is reported at the roles."""


def bind_roles(
    case: ScenarioCase, procedure: Procedure, situation: Situation, program: Program
) -> ReadResult[tuple[Value, ...]]:
    """Arguments of the procedure of a case."""
    hint = SCENARIO_HINT if case.roles.span.source else COMMAND_LINE_HINT
    result = bind_arguments(merge_roles(case, procedure), procedure, situation, program, hint)
    if result.value is not None:
        return result
    return ReadResult(
        None,
        tuple(place_finding(one, case.roles) if one.code == _MISSING_ROLE else one for one in result.diagnostics),
    )


def merge_roles(case: ScenarioCase, procedure: Procedure) -> MapNode:
    """Roles of a case, with shared ones for roles without a default that it does not name."""
    roles = case.roles
    if case.shared_roles is None:
        return roles
    pairs = zip(procedure.parameters, procedure.defaults, strict=True)
    needed = {variable.name for variable, default in pairs if default is None and variable.name not in roles}
    shared = tuple((key, node) for key, node in case.shared_roles if key.text in needed)
    return MapNode((*roles.entries, *shared), roles.span, roles.pointer) if shared else roles


def place_finding(diagnostic: Diagnostic, place: MapKey | DocumentNode) -> Diagnostic:
    """Finding with a place in the scenario if it has none; values of a command line have no place.

    Its remedy becomes an edit if it is about the word at that place.
    """
    if diagnostic.primary is not None or not place.span.source:
        return diagnostic
    is_about = isinstance(place, ScalarNode) and quote_name(place.written) in diagnostic.message
    edits = build_suggestion_edits(place, diagnostic.help) if is_about and not diagnostic.edits else diagnostic.edits
    return replace(diagnostic, primary=Label(place.span), pointer=place.pointer, edits=edits)


def _place_ruleset_finding(diagnostic: Diagnostic, case: ScenarioCase) -> Diagnostic:
    if diagnostic.primary is not None:
        return diagnostic
    named = next(
        (overlay.place for overlay in case.overlays if f"`{overlay.text}`" in diagnostic.message), case.ruleset_place
    )
    return diagnostic if named is None else place_finding(diagnostic, named)


_QUESTION_KEYS = ("asked_of", "offered", "rejects")
"""Expectations by address of a question."""


def _find_unknown_questions(case: ScenarioCase, ruled: CompiledRuleset) -> Iterator[Diagnostic]:
    for key in _QUESTION_KEYS:
        node = case.expect.get(key)
        if isinstance(node, MapNode):
            yield from _find_unresolved(((name.text, name) for name, _ in node), ruled)
        elif isinstance(node, ListNode):
            question_nodes = (one.get(at) for one in node.items if isinstance(one, MapNode) for at in ("at", "when"))
            yield from _find_unresolved(
                ((one.written, one) for one in question_nodes if isinstance(one, ScalarNode)),
                ruled,
            )


def _find_unresolved(
    named: Iterable[tuple[str, MapKey | DocumentNode]], ruled: CompiledRuleset
) -> Iterator[Diagnostic]:
    for written, place in named:
        result = ruled.questions.resolve(written) if written != END_KEY else written
        if isinstance(result, UnresolvedAddress):
            yield make_finding("RW1007", place, result.message, result.help)


def find_unknown_clauses(case: ScenarioCase, ruled: CompiledRuleset) -> Iterator[Diagnostic]:
    """RW1014 for each clause that is covered and in no list."""
    for cover in case.covers:
        if cover.text not in ruled.clauses:
            called = match_clause_ids(cover.text, ruled.clauses)
            remedy = f"did you mean {list_alternatives(called)}?" if called else did_you_mean(cover.text, ruled.clauses)
            remedy = remedy or ("name one of its clause list" if ruled.clauses else "the ruleset has no clause list")
            message = f"`{ruled.program.name}` has no clause {quote_name(cover.text)}"
            yield make_finding("RW1014", cover.place, message, remedy)


def _patch_with_settings(case: ScenarioCase) -> MapNode | None:
    patch, settings = case.patch, case.settings
    if settings is None:
        return patch
    chosen = MapNode(((MapKey(SETTINGS, settings.span, settings.pointer), settings),), settings.span, settings.pointer)
    return chosen if patch is None else merge_map_nodes(patch, chosen)
