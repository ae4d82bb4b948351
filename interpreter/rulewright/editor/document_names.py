"""Occurrences of names in YAML and JSON: scenarios, states, scripts, likelihoods and clause lists."""

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.checker.symbols import CALLABLE_SPACE
from rulewright.documents.answer_scripts import POLICY_KEY
from rulewright.documents.document_nodes import (
    DocumentNode,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    map_entries,
    value_under,
    walk_entries,
    walk_nodes,
)
from rulewright.documents.document_schemas import document_shapes
from rulewright.documents.name_table import StateSections
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.editor.answer_forms import AnswerForms, ExpectationForms, make_script_form, policy_names
from rulewright.editor.document_forms import (
    ANY_FORM,
    ColumnHead,
    DocumentForm,
    KeyForm,
    NameSpans,
    make_entries_form,
    make_parts_form,
    make_settings_form,
    make_state_form,
    make_suffix_name,
    make_value_form,
    make_whole_name,
    walk_document,
)
from rulewright.editor.name_index import (
    NameRole,
    NameSpan,
    NameTarget,
    OccurrenceCollector,
    RulesetNameTables,
)
from rulewright.program.expressions import Variable
from rulewright.program.types import ThingType, strip_optional
from rulewright.scenarios.case_table import CASE_COLUMN, split_column_keys
from rulewright.scenarios.suite_schema import SCENARIO_KEYS, THEN_KEY

_ROLES_BY_KEY = {
    "procedure": NameRole.BEGUN,
    "script": NameRole.ANSWERED,
    "expect": NameRole.EXPECTED,
    "covers": NameRole.CITED,
    "exclude": NameRole.EXCUSED,
    "survivors": NameRole.EXCUSED,
}
"""Roles of names under a key; under others they are given values."""


class RulesetVocabulary:
    """Names and forms of a ruleset for its documents."""

    def __init__(self, names: RulesetNameTables) -> None:
        self.names = names
        self.answer_forms = AnswerForms(names)
        self.expectation_forms = ExpectationForms(self.answer_forms)
        self.state_form = make_state_form(names)
        self.settings_form = make_settings_form(names)


@dataclass(frozen=True, slots=True)
class SuiteNames:
    """What names in a scenario file may stand for."""

    vocabulary: RulesetVocabulary
    things: Mapping[str, str]  # section by id, of all its states


def _make_suite_form(suite: SuiteNames) -> DocumentForm:
    """A scenario file; keys beside the scenarios are shared by them."""

    def enter_suite(node: MapNode) -> DocumentForm:
        below = _make_scenario_form(suite, named_procedure(node, ""), list_named_procedures(node, ""))
        excluded = make_parts_form({"what": DocumentForm(partial(_find_address_names, names=suite.vocabulary.names))})
        forms = {
            "scenarios": make_entries_form(below),
            "states": make_entries_form(suite.vocabulary.state_form),
            "exclude": excluded,
            "survivors": excluded,
        }
        return DocumentForm(
            resolve_key=lambda key: (
                KeyForm((), forms[key], _ROLES_BY_KEY.get(key)) if key in forms else below.resolve_key(key)
            )
        )

    return DocumentForm(enter=enter_suite)


def named_procedure(node: MapNode, before: str) -> str:
    """Procedure that a scenario names, else the inherited one."""
    named = node.get("procedure")
    return named.written if isinstance(named, ScalarNode) else before


def list_named_procedures(node: MapNode, before: str) -> tuple[str, ...]:
    """Procedure of a scenario, and all those named below it."""
    named = (named_procedure(map_node, "") for map_node in walk_nodes(node) if isinstance(map_node, MapNode))
    return tuple(dict.fromkeys(item for item in (named_procedure(node, before), *named) if item))


def _find_address_names(written: str, names: RulesetNameTables) -> NameSpans:
    """Addresses in the text of an excluded unit or mutant."""
    items: list[NameSpan] = []
    start = 0
    for word in written.split(" "):
        address = word.rstrip(":,")
        if "/" in address or address in names.addresses:
            items += [name.moved(start) for name in names.addresses.find_names(address)]
        start += len(word) + 1
    return tuple(items)


def _make_scenario_form(suite: SuiteNames, procedure: str, procedures: tuple[str, ...] = ()) -> DocumentForm:
    """A scenario; nested ones inherit from it.

    `procedure` is its own or inherited; `procedures` are with those of nested scenarios, which share its roles.
    """
    vocabulary = suite.vocabulary
    names, settings = vocabulary.names, vocabulary.settings_form
    forms = {
        "expect": vocabulary.expectation_forms.form_for_scenario(procedure, suite.things),
        "with": DocumentForm(resolve_key=lambda text: resolve_role(text, procedures or (procedure,), names)),
        "procedure": DocumentForm(lambda text: find_procedure_names(text, names)),
        "state": vocabulary.state_form,
        "patch": vocabulary.state_form,
        "settings": settings,
        "matrix": make_parts_form({"settings": settings}),
        "script": make_script_form(vocabulary.answer_forms),
        POLICY_KEY: DocumentForm(lambda text: policy_names(text, vocabulary.answer_forms)),
        "covers": DocumentForm(lambda text: find_clause_names(text, names)),
    }

    def enter_scenario(node: MapNode) -> DocumentForm:
        return _make_scenario_form(suite, named_procedure(node, procedure), list_named_procedures(node, procedure))

    def list_column_heads(table: ListNode) -> tuple[ColumnHead, ...]:
        head = table.items[0] if table.items else None
        cells = head.items if isinstance(head, ListNode) else ()
        return tuple(
            ColumnHead(cell, *_resolve_column(suite, procedure, form, cell.written))
            for cell in cells
            if isinstance(cell, ScalarNode)
        )

    def resolve_key(written: str) -> KeyForm:
        return KeyForm((), forms.get(written, ANY_FORM), _ROLES_BY_KEY.get(written, NameRole.FILLED))

    form = DocumentForm(resolve_key=resolve_key, enter=enter_scenario)
    # cases by name, which is no name of the rules, or a table with a row of column heads
    forms["cases"] = DocumentForm(resolve_key=lambda _: KeyForm((), form), column_heads=list_column_heads)
    forms[THEN_KEY] = form
    return form


def find_procedure_names(written: str, names: RulesetNameTables) -> NameSpans:
    """Name of a procedure that can begin."""
    return make_suffix_name(written, names.declared.get((CALLABLE_SPACE, written)))


def resolve_role(written: str, procedures: tuple[str, ...], names: RulesetNameTables) -> KeyForm:
    """Parameter of a procedure, or of several that share it, with the form of its value."""
    targets = [names.own_names[each, written] for each in procedures if (each, written) in names.own_names]
    items = [each for one in procedures if (each := find_parameter(written, one, names)) is not None]
    return KeyForm(make_whole_name(written, targets), make_value_form(items[0].type if items else None, names))


def find_parameter(written: str, procedure: str, names: RulesetNameTables) -> Variable | None:
    """Parameter of a procedure by name."""
    procedures = [program.procedures[procedure] for program in names.programs if procedure in program.procedures]
    return next((parameter for one in procedures for parameter in one.parameters if parameter.name == written), None)


def find_clause_names(written: str, names: RulesetNameTables) -> NameSpans:
    """Number of a clause after the short name of its document."""
    target = names.clauses.get(written.replace(":", ".", 1))
    start = len(written) - len(target.name) if target else 0
    return () if target is None else (NameSpan(start, len(written), target),)


def _resolve_column(
    suite: SuiteNames, procedure: str, scenario: DocumentForm, written: str
) -> tuple[NameSpans, DocumentForm, NameRole]:
    """Names in the path of a column, form of its cells, and role."""
    names, state = suite.vocabulary.names, suite.vocabulary.state_form
    first, *rest = written.split(".")
    if written == CASE_COLUMN:
        return (), ANY_FORM, NameRole.FILLED
    if first in SCENARIO_KEYS:
        keyed = scenario.resolve_key(first)
        known = {rest[1]} if len(rest) > 1 and find_parameter(rest[1], procedure, names) else ()
        keys = split_column_keys(first, rest, {*suite.things, "game", *known})
        pieces, form = _resolve_key_path(keyed.form, keys, len(first) + 1)
        return pieces, form, keyed.role or NameRole.FILLED
    variable = find_parameter(first, procedure, names)
    section = state.resolve_key(first)
    if section.names or section.form is not ANY_FORM:
        pieces, form = _resolve_key_path(section.form, rest, len(first) + 1)
        return (*section.names, *pieces), form, NameRole.FILLED
    role_names: NameSpans = ()
    plural = suite.things.get(first, "")
    if not plural and variable is not None and isinstance(strip_optional(variable.type), ThingType):
        role_names = resolve_role(first, (procedure,), names).names
        kind = strip_optional(variable.type).kind  # type: ignore[union-attr]
        plural = next((program.kinds[kind].plural for program in names.programs if kind in program.kinds), "")
    pieces, form = _resolve_key_path(state.resolve_key(plural).form.resolve_key(first).form, rest, len(first) + 1)
    return (*role_names, *pieces), form, NameRole.FILLED


def _resolve_key_path(form: DocumentForm, keys: list[str], start: int) -> tuple[NameSpans, DocumentForm]:
    items: list[NameSpan] = []
    for key in keys:
        if key.isdecimal() and not form.resolve_key(key).names:
            form = form.item_form(int(key) - 1)
        else:
            keyed = form.resolve_key(key)
            items += [name.moved(start) for name in keyed.names]
            form = keyed.form
        start += len(key) + 1
    return tuple(items), form


_DATA_FILE_PATTERN = re.compile(r"\.(?:yaml|yml|json)\Z")


def collect_suite_names(text: Text, vocabulary: RulesetVocabulary, collector: OccurrenceCollector) -> tuple[str, ...]:
    """Collect names in a scenario file; returns the state files that it names."""
    root = parse_yaml(text).value
    if not isinstance(root, MapNode):
        return ()
    collector.texts[text.name] = text
    suite = SuiteNames(vocabulary, dict(list_state_things(root, vocabulary.names)))
    _collect_walked_names(_make_suite_form(suite), root, NameRole.FILLED, collector)
    return tuple(dict.fromkeys(_list_state_files(root)))


def collect_data_names(text: Text, vocabulary: RulesetVocabulary, collector: OccurrenceCollector) -> None:
    """Collect names in a file that may be a state or script of a ruleset; other files are ignored.

    For a ruleset with errors the words of the file are kept for `find_mentions`.
    """
    root = parse_yaml(text).value
    if not vocabulary.names.programs:
        collector.texts[text.name] = text
    if measure_state_share(root, vocabulary.names) == 1:
        collect_state_names(text, vocabulary, collector)
    elif measure_script_share(root, vocabulary.names) == 1:
        collect_script_names(text, vocabulary, collector)


def collect_state_names(text: Text, vocabulary: RulesetVocabulary, collector: OccurrenceCollector) -> None:
    """Collect names in a state."""
    _collect_by_form(text, vocabulary.state_form, NameRole.FILLED, collector)


def collect_script_names(text: Text, vocabulary: RulesetVocabulary, collector: OccurrenceCollector) -> None:
    """Collect names in a script."""
    _collect_by_form(text, make_script_form(vocabulary.answer_forms), NameRole.ANSWERED, collector)


def collect_likelihood_names(text: Text, vocabulary: RulesetVocabulary, collector: OccurrenceCollector) -> None:
    """Collect names in a file of likelihoods."""
    _collect_by_form(text, vocabulary.answer_forms.likelihood_form, NameRole.ANSWERED, collector)


def _collect_by_form(text: Text, form: DocumentForm, role: NameRole, collector: OccurrenceCollector) -> None:
    root = parse_yaml(text).value
    if root is not None:
        collector.texts[text.name] = text
        _collect_walked_names(form, root, role, collector)


def collect_clause_names(text: Text, vocabulary: RulesetVocabulary, collector: OccurrenceCollector) -> None:
    """Collect the clauses of a clause list."""
    root = parse_yaml(text).value
    clauses = value_under(root, "clauses")
    collector.texts[text.name] = text
    for item in clauses.items if isinstance(clauses, ListNode) else ():
        id_ = value_under(item, "id")
        if isinstance(id_, ScalarNode) and "." in id_.written:
            number = id_.written.partition(".")[2]
            target = vocabulary.names.clauses.setdefault(id_.written, NameTarget("clause", id_.written, text.name))
            span = _find_exact_span(id_, text)
            if span is not None:
                collector.add_occurrence(
                    Span(text.name, span.end - len(number), span.end), number, target, NameRole.LISTED
                )


def _collect_walked_names(
    form: DocumentForm, root: DocumentNode, role: NameRole, collector: OccurrenceCollector
) -> None:
    for place, pieces, its_role in walk_document(form, root, role):
        for at, name, name_span in _place_names(place, pieces, collector):
            collector.add_occurrence(at, name, name_span.target, its_role, sure=name_span.is_sure)


def find_form_names(
    form: DocumentForm, root: DocumentNode, collector: OccurrenceCollector
) -> list[tuple[Span, str, NameTarget]]:
    """Spans, spellings and targets of names that a form finds in a part of a document."""
    return [
        (at, name, name_span.target)
        for place, pieces, _ in walk_document(form, root, NameRole.ANSWERED)
        for at, name, name_span in _place_names(place, pieces, collector)
        if name_span.is_sure
    ]


def _place_names(
    place: MapKey | ScalarNode, pieces: NameSpans, collector: OccurrenceCollector
) -> Iterator[tuple[Span, str, NameSpan]]:
    span = _find_exact_span(place, collector.texts[place.span.source]) if pieces else None
    if span is not None:
        written = place.text if isinstance(place, MapKey) else place.written
        for piece in pieces:
            at = Span(span.source, span.start + piece.start, span.start + piece.end)
            yield at, written[piece.start : piece.end], piece


def _find_exact_span(place: MapKey | ScalarNode, text: Text) -> Span | None:
    """Span if the text is written literally, without quotes and escapes."""
    written = place.text if isinstance(place, MapKey) else place.written
    start, end = place.span.start, place.span.end
    if text.content[start:end] == written:
        return place.span
    if text.content[start + 1 : end - 1] == written and text.content[start : start + 1] in {'"', "'"}:
        return Span(place.span.source, start + 1, end - 1)
    return None


def list_state_things(root: DocumentNode, names: RulesetNameTables) -> list[tuple[str, str]]:
    """Ids of things in the states of a file, with their sections."""
    sections = {key for program in names.programs for key in StateSections(program).kinds}
    states = ((key.text, item) for key, item in walk_entries(root) if key.text in sections)
    return [(id_.text, section) for section, item in states for id_, _ in map_entries(item)]


def _list_state_files(root: MapNode) -> Iterator[str]:
    return (
        node.written
        for node in walk_nodes(root)
        if isinstance(node, ScalarNode) and _DATA_FILE_PATTERN.search(node.written)
    )


def measure_state_share(root: DocumentNode | None, names: RulesetNameTables) -> Fraction:
    """Share of a file's keys that are parts of a state; 1 for a state."""
    known = {key for program in names.programs for key in StateSections(program).qualified_names}
    return _true_share(key.text in known for key, _ in root) if isinstance(root, MapNode) else Fraction(0)


def measure_script_share(root: DocumentNode | None, names: RulesetNameTables) -> Fraction:
    """Share of a file's addresses that the ruleset has; 1 for a script."""
    addresses = [document_shapes(program).addresses for program in names.programs]
    match root:
        case MapNode(entries):
            written = [key.text for key, _ in entries]
        case ListNode(items):
            written = [
                at.written
                for item in items
                if isinstance(item, MapNode) and isinstance(at := item.get("at"), ScalarNode)
            ]
        case _:
            return Fraction(0)
    return _true_share(any(isinstance(one.resolve(item), str) for one in addresses) for item in written)


def _true_share(flags: Iterable[bool]) -> Fraction:
    items = list(flags)
    return Fraction(sum(items), len(items)) if items else Fraction(0)
