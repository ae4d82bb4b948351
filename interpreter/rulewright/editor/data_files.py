"""Diagnostics, completion, hover and symbols in scenarios, states, scripts, likelihoods, saves and clause lists."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from rulewright.base.diagnostics import Diagnostic, sort_by_place
from rulewright.base.source import Span, Text
from rulewright.documents.answer_scripts import read_script
from rulewright.documents.clause_lists import clause_list_schema
from rulewright.documents.document_nodes import (
    DocumentNode,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    map_entries,
    value_under,
    walk_entries,
)
from rulewright.documents.document_schemas import script_schema, settings_schema, state_schema
from rulewright.documents.document_shapes import strip_message_words
from rulewright.documents.name_table import CSV, DEFAULTS, StateSections
from rulewright.documents.policy_loading import resolve_policies
from rulewright.documents.question_schemas import TypeSchemas
from rulewright.documents.ruleset_location import RulesetLocation, find_overlays, locate_ruleset
from rulewright.documents.saved_sessions import SAVE_FORMAT, parse_save
from rulewright.documents.state_file import read_state
from rulewright.documents.state_shorthand import StateTables
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.editor.answers import CompletionItem, HoverText, OutlineSymbol
from rulewright.editor.document_names import (
    RulesetVocabulary,
    collect_clause_names,
    collect_data_names,
    collect_likelihood_names,
    collect_script_names,
    collect_state_names,
    collect_suite_names,
    measure_script_share,
    measure_state_share,
)
from rulewright.editor.editor_workspace import AnalysisSnapshot, Workspace
from rulewright.editor.hover import explain_name
from rulewright.editor.live_text import LiveData
from rulewright.editor.name_index import (
    DECLARING_ROLES,
    NameIndex,
    NameOccurrence,
    OccurrenceCollector,
    build_name_index,
)
from rulewright.editor.ruleset_gathering import find_scenario_ruleset
from rulewright.editor.schema_choices import JsonSchema, list_key_choices, list_value_choices, schemas_at_path
from rulewright.editor.yaml_cursor import YamlCursor, locate_yaml_cursor
from rulewright.odds.external_answers import (
    LIKELIHOODS_SUFFIX,
    parse_likelihoods,
    read_likely_answers,
    read_stated_policies,
)
from rulewright.program.declarations import Program
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.case_play import check_case
from rulewright.scenarios.scenario_files import SCENARIO_SUFFIX
from rulewright.scenarios.suite_schema import scenario_schema

CLAUSE_LIST_SUFFIX = ".clauses.yaml"
_SORTS_BY_SUFFIX = {SCENARIO_SUFFIX: "scenarios", CLAUSE_LIST_SUFFIX: "clauses", LIKELIHOODS_SUFFIX: "likelihoods"}
_MIN_KEY_SHARE = Fraction(1, 2)
_MAX_FOLDERS_ABOVE = 3  # that are searched for the ruleset of a state or script
_UNKNOWN_NAME_CODES = frozenset({"RW0710", "RW0715", "RW0722", "RW0740", "RW1126"})
"""Unknown keys, words, settings, addresses and externals."""
_NAME_COLLECTORS = {
    "scenarios": collect_suite_names,
    "clauses": collect_clause_names,
    "likelihoods": collect_likelihood_names,
    "state": collect_state_names,
    "script": collect_script_names,
}


@dataclass(frozen=True)
class DataDocument:
    """An open data file with the snapshot of its ruleset."""

    live: LiveData
    snapshot: AnalysisSnapshot | None  # last without errors
    sort: str  # `scenarios`, `clauses`, `likelihoods`, `state`, `script`, `save`, or empty if unknown

    @property
    def text(self) -> Text:
        """Current text."""
        return self.live.text

    @property
    def program(self) -> Program | None:
        """Program of its ruleset."""
        return self.snapshot.loaded.program if self.snapshot is not None else None


def open_data_document(desk: Workspace, place: str) -> DataDocument:
    """Open data file at a path."""
    live, located = desk.live_data(place), find_data_ruleset(desk, place)
    known = desk.last_good_snapshot(located) if located is not None else None
    live.sort = _classify_document(place, live.readable_root, known) or live.sort
    return DataDocument(live, known, live.sort)


def find_data_ruleset(desk: Workspace, place: str) -> RulesetLocation | None:
    """Ruleset of a data file: the one that it names, else that of its folder or of one above."""
    files = desk.readable_files()
    if place.endswith(SCENARIO_SUFFIX):
        located = locate_ruleset(find_scenario_ruleset(place, files)[0], files)
        return located if located.main is not None else None
    folder = posixpath.dirname(place) or "."
    for _ in range(_MAX_FOLDERS_ABOVE):
        located = locate_ruleset(folder, files)
        if located.main is not None:
            return located
        folder = posixpath.normpath(posixpath.join(folder, ".."))
    return None


def _classify_document(place: str, root: DocumentNode | None, known: AnalysisSnapshot | None) -> str:
    """By file name, else by the majority of its keys."""
    for ending, sort in _SORTS_BY_SUFFIX.items():
        if place.endswith(ending):
            return sort
    named = value_under(root, "format")
    if isinstance(named, ScalarNode) and named.value == SAVE_FORMAT:
        return "save"
    if known is None or root is None:
        return ""
    shares = {"state": measure_state_share(root, known.names), "script": measure_script_share(root, known.names)}
    return max(shares, key=lambda item: shares[item]) if max(shares.values()) > _MIN_KEY_SHARE else ""


def find_file_problems(desk: Workspace, place: str) -> tuple[Diagnostic, ...]:
    """Diagnostics of a data file in order: syntax, schema, unknown names.

    Scenarios are not played: only `rulewright test` judges expectations.
    """
    document, located = open_data_document(desk, place), find_data_ruleset(desk, place)
    read = parse_yaml(document.text)
    items: list[Diagnostic] = list(read.diagnostics)
    judge = _CHECKS_BY_SORT.get(document.sort)
    if document.sort == "save":
        items = [*parse_save(document.text).diagnostics]
    elif document.sort == "clauses" and located is not None:
        items.extend(desk.check_ruleset(located).loaded.diagnostics)
    elif document.sort == "scenarios" and read.value is not None:
        items.extend(_check_scenarios(desk, document))
    elif judge is not None and read.value is not None and document.program is not None and located is not None:
        items.extend(
            _check_with_overlays(
                partial(judge, desk, document.text), document.program, _overlay_programs(desk, located)
            )
        )
    return sort_by_place(
        diagnostic for diagnostic in items if diagnostic.primary is not None and diagnostic.primary.span.source == place
    )


def _check_with_overlays(
    judge: Callable[[Program], tuple[Diagnostic, ...]], program: Program, overlaid: Iterable[Program]
) -> tuple[Diagnostic, ...]:
    """The fewest findings over the ruleset and its overlays, as a state or script does not name its overlays."""
    result = judge(program)
    for item in overlaid if result else ():
        result = min(result, judge(item), key=_unknown_name_rank)
        if not result:
            break
    return result


def _unknown_name_rank(diagnostics: Sequence[Diagnostic]) -> tuple[int, int]:
    """Unknown names, then all findings."""
    return sum(diagnostic.code in _UNKNOWN_NAME_CODES for diagnostic in diagnostics), len(diagnostics)


def _overlay_programs(desk: Workspace, located: RulesetLocation) -> Iterator[Program]:
    """The ruleset with as many overlays of its folder as fit together, then with each alone; cached."""
    files, known = desk.readable_files(), desk.last_good_snapshot(located)
    main, beside = located.main or "", find_overlays(posixpath.dirname(located.main or "") or ".", files)

    def load_with_overlays(overlays: tuple[str, ...]) -> Program | None:
        def load_program() -> Program | None:
            return desk.load_ruleset(RulesetLocation(main, overlays), (), files).program

        return known.cache_once(f"with {overlays}", load_program)

    own_overlays = [
        each
        for each in beside
        if files.get_identity(locate_ruleset(each, files).main or "") == files.get_identity(main)
    ]
    compatible: tuple[str, ...] = ()
    for item in own_overlays:
        compatible = (*compatible, item) if load_with_overlays((*compatible, item)) is not None else compatible
    for overlays in dict.fromkeys((compatible, *((each,) for each in own_overlays))):
        program = load_with_overlays(overlays)
        if program is not None:
            yield program


def _check_scenarios(desk: Workspace, document: DataDocument) -> Iterator[Diagnostic]:
    rules = RulesetLoader(desk.readable_files(), compiler=desk.compile_once, loader=desk.load_ruleset)
    suite = rules.load_suite(document.text)
    yield from suite.diagnostics
    for case in suite.value.cases if suite.value is not None else ():
        yield from check_case(case, rules)


def _check_state(desk: Workspace, text: Text, program: Program) -> tuple[Diagnostic, ...]:
    return read_state(text, program, tables=StateTables(desk.current_files(), {})).diagnostics


def _check_script(desk: Workspace, text: Text, program: Program) -> tuple[Diagnostic, ...]:
    del desk
    return read_script(text, program).diagnostics


def _check_likelihoods(desk: Workspace, text: Text, program: Program) -> tuple[Diagnostic, ...]:
    del desk
    parsed = parse_likelihoods(text)
    if parsed.value is None:
        return parsed.diagnostics
    policies = read_stated_policies(parsed.value)
    wrong = policies.diagnostics if policies.value is None else resolve_policies(policies.value, program).diagnostics
    return (*read_likely_answers(parsed.value, program).diagnostics, *wrong)


_CHECKS_BY_SORT = {"state": _check_state, "script": _check_script, "likelihoods": _check_likelihoods}


def index_data_names(desk: Workspace, place: str) -> NameIndex:
    """Occurrences of names in a data file; of its last readable version if it cannot be parsed."""
    document = open_data_document(desk, place)
    if document.snapshot is None:
        return NameIndex(())
    result = OccurrenceCollector(texts={place: document.live.readable})
    vocabulary = document.snapshot.cache_once("vocabulary", partial(RulesetVocabulary, document.snapshot.names))
    note = _NAME_COLLECTORS.get(document.sort, collect_data_names)
    note(document.live.readable, vocabulary, result)
    noted = build_name_index(result.occurrences)
    if document.live.readable is document.text:
        return noted
    moved = ((occurrence, document.live.alignment.map_forward(occurrence.span)) for occurrence in noted.occurrences)
    return NameIndex(
        tuple(
            NameOccurrence(name_occurrence.target, name_occurrence.role, span, name_occurrence.is_sure)
            for name_occurrence, span in moved
            if span is not None
        )
    )


def explain_data_name(desk: Workspace, place: str, offset: int) -> HoverText | None:
    """Hover text of the name at an offset."""
    result, known = index_data_names(desk, place).find_at(place, offset), open_data_document(desk, place).snapshot
    if result is None or known is None:
        return None
    return HoverText(result.span, tuple(explain_name(known, known, result, {})))


def find_data_definition(desk: Workspace, place: str, offset: int) -> tuple[Span, ...]:
    """Declaration, or entry in a clause list, of the name at an offset."""
    result, known = index_data_names(desk, place).find_at(place, offset), open_data_document(desk, place).snapshot
    if result is None or known is None:
        return ()
    linked = known.loaded.linked
    entries = (
        [clause_list_entry for listed in linked.clause_lists.values() for clause_list_entry in listed]
        if linked is not None
        else []
    )
    listed = (entry.span for entry in entries if result.target.sort == "clause" and entry.id == result.target.address)
    given = (
        occurrence.span
        for occurrence in known.index.find_occurrences(result.target)
        if occurrence.role in DECLARING_ROLES
    )
    return tuple(span for span in (*given, *listed) if span is not None)


def outline_data_symbols(desk: Workspace, place: str) -> tuple[OutlineSymbol, ...]:
    """Outline: scenarios with cases, clauses, or sections of a state."""
    document = open_data_document(desk, place)
    root = document.live.root
    if not isinstance(root, MapNode):
        return ()
    if document.sort == "clauses":
        listed = root.get("clauses")
        entries = [map_node.get("id") for map_node in getattr(listed, "items", ()) if isinstance(map_node, MapNode)]
        return tuple(
            OutlineSymbol(entry.written, "clause", "", entry.span, entry.span)
            for entry in entries
            if isinstance(entry, ScalarNode)
        )
    below = root.get("scenarios") if document.sort == "scenarios" else root
    sort = "scenario" if document.sort == "scenarios" else "section"
    return tuple(_scenario_symbol(key, node, sort, place) for key, node in map_entries(below))


def _scenario_symbol(key: MapKey, node: DocumentNode, sort: str, place: str) -> OutlineSymbol:
    cases = value_under(node, "cases") if sort == "scenario" else None
    inside = tuple(_scenario_symbol(name, item, sort, place) for name, item in map_entries(cases))
    end = max(
        (
            key.span.end,
            node.span.end if node.span.source == place else 0,
            *(outline_symbol.place.end for outline_symbol in inside),
        )
    )
    return OutlineSymbol(key.text, sort, "", Span(place, key.span.start, end), key.span, inside)


def propose_data_completions(desk: Workspace, place: str, offset: int) -> tuple[CompletionItem, ...]:
    """Completions at an offset: keys, and values of enumerable types."""
    document = open_data_document(desk, place)
    cursor = locate_yaml_cursor(document.text.content, offset)
    if cursor.is_in_prose:
        return ()
    schema = _document_schema(document, cursor)
    where = Span(place, cursor.start, offset)
    schemas = list(schemas_at_path(schema, cursor.path, schema))
    result = [
        CompletionItem(f"{key_choice.written}: ", where, "key", key_choice.takes, key_choice.says)
        for key_choice in list_key_choices(schemas)
    ]
    chosen = list_value_choices(schemas, ("yes", "no"))
    value_items = [CompletionItem(choice.written, where, "value", title=choice.says) for choice in chosen]
    proposed = (*(result if cursor.is_key else ()), *(value_items if cursor.is_value else ()))
    return tuple({item.text: item for item in reversed(proposed)}.values())[::-1]


def _document_schema(document: DataDocument, cursor: YamlCursor) -> JsonSchema:
    """Schema of a document with the names of its ruleset and the ids of its things."""
    program, known = document.program, document.snapshot
    if document.sort == "clauses":
        return strip_message_words(clause_list_schema())
    if program is None or known is None:
        return {}
    if document.sort == "scenarios":
        whole = known.cache_once("scenarios", lambda: strip_message_words(scenario_schema(program)))
        return _narrow_scenario_schema(whole, program, known, document.live.readable_root, cursor)
    if document.sort == "likelihoods":
        externals = (*program.external_procedures.values(), *program.external_terms.values())
        return {"properties": {external.name: {"description": external.title} for external in externals}}
    script = known.cache_once("scripts", lambda: strip_message_words(script_schema(program)))
    if document.sort == "script":
        return script
    state = _state_schema(program, _things_by_kind(document.live.readable_root, program))
    return state if document.sort == "state" else {"anyOf": [state, script]}


def _state_schema(program: Program, things: Mapping[str, Sequence[str]]) -> JsonSchema:
    return strip_message_words(state_schema(program, things))


def _things_by_kind(root: DocumentNode | None, program: Program) -> Mapping[str, list[str]]:
    """Ids in the states of a document, by kind."""
    kinds = StateSections(program).kinds
    result: dict[str, dict[str, None]] = {kind.name: {} for kind in kinds.values()}
    for key, node in walk_entries(root):
        if key.text in kinds:
            result[kinds[key.text].name] |= dict.fromkeys(_listed_names(node))
    return {
        kind: [identifier for identifier in ids if identifier not in {DEFAULTS, CSV}] for kind, ids in result.items()
    }


def _listed_names(node: DocumentNode) -> list[str]:
    if isinstance(node, MapNode):
        return [key.text for key, _ in node]
    return [item.written for item in node.items if isinstance(item, ScalarNode)] if isinstance(node, ListNode) else []


def _narrow_scenario_schema(
    whole: JsonSchema, program: Program, known: AnalysisSnapshot, root: DocumentNode | None, cursor: YamlCursor
) -> JsonSchema:
    """Scenario schema with the roles of the procedure, things of its states, and clauses."""
    sections, things = StateSections(program), _things_by_kind(root, program)
    types, state = TypeSchemas(program, things), _state_schema(program, things)
    named = {key: _section_schema(state["properties"][key], things[kind.name]) for key, kind in sections.kinds.items()}
    part = {**state, "properties": {**state["properties"], **named}}
    procedure = program.procedures.get(_enclosing_procedure(root, cursor.path))
    parameters = procedure.parameters if procedure is not None else ()
    shared: JsonSchema = {"settings": settings_schema(sections, types), "state": {"anyOf": [{"type": "string"}, state]}}
    if parameters:
        shared["with"] = {"properties": {parameter.name: types.type_schema(parameter.type) for parameter in parameters}}
    scenario, then = whole["$defs"]["scenario"], whole["$defs"]["then"]
    expect = scenario["properties"]["expect"]
    linked = known.loaded.linked
    clauses = (
        [clause_list_entry for listed in linked.clause_lists.values() for clause_list_entry in listed]
        if linked is not None
        else []
    )
    cited = [{"const": clause.id, "description": clause.paraphrase} for clause in clauses]
    properties: JsonSchema = shared | {
        "patch": part,
        "covers": {"items": {"anyOf": cited}},
        "expect": {**expect, "properties": {**expect["properties"], "changes": part, "state": part}},
    }
    states = {**whole["properties"]["states"], "additionalProperties": state}
    return {
        **whole,
        "properties": {**whole["properties"], **shared, "states": states},
        "$defs": {
            "scenario": {**scenario, "properties": {**scenario["properties"], **properties}},
            "then": {**then, "properties": {**then["properties"], **properties}},
        },
    }


def _section_schema(section: JsonSchema, ids: Sequence[str]) -> JsonSchema:
    return {
        "properties": {identifier: {"anyOf": list(schemas_at_path(section, (identifier,), {}))} for identifier in ids}
    }


def _enclosing_procedure(root: DocumentNode | None, path: tuple[str | int, ...]) -> str:
    result, node = "", root
    for step in (None, *path):
        if step is not None:
            node = value_under(node, str(step))
        named = value_under(node, "procedure")
        result = named.written if isinstance(named, ScalarNode) else result
    return result
