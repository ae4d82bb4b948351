"""Scenarios played for `find` and `rename`: which request takes each answer of a script, and how all scenarios end."""

from collections.abc import Sequence
from dataclasses import field, fields, replace

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.files import FileProvider
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.documents.answer_scripts import AnswerScript, TakenAnswer
from rulewright.documents.document_nodes import DocumentNode, ListNode, MapNode
from rulewright.documents.name_table import NameTable
from rulewright.editor.document_names import RulesetVocabulary, find_form_names
from rulewright.editor.name_index import NameOccurrence, NameRole, OccurrenceCollector
from rulewright.play.session import run_to_end
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Request
from rulewright.scenarios.case_opening import RulesetLoader, open_case
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.scenario_files import all_cases, read_suites
from rulewright.scenarios.suite import CaseResult, ScenarioCase

_TakenAnswers = dict[Span, tuple[DocumentNode, set[str]]]
"""By the place of an answer: what is written there, and the addresses of the requests that took it."""


@dataclass(frozen=True, slots=True)
class RecordingScript(AnswerScript):
    """Script that records the request to which each answer went."""

    taken_answers: _TakenAnswers = field(default_factory=dict)

    def take_scripted_answer(self, request: Request, names: NameTable) -> TakenAnswer | Diagnostic:
        taken_answer = AnswerScript.take_scripted_answer(self, request, names)
        if isinstance(taken_answer, TakenAnswer):
            address = request.name if request.sort == "value" else request.address
            self.taken_answers.setdefault(taken_answer.answer.span, (taken_answer.answer, set()))[1].add(address)
        return taken_answer


def play_all_scenarios(places: Sequence[str], provider: FileProvider) -> tuple[CaseResult, ...]:
    """Results of the scenarios in some folders, in order."""
    rules = RulesetLoader(provider)
    suites = read_suites(places, rules).value or ()
    return tuple(play_case(case, rules) for case in all_cases(suites))


def collect_played_answers(
    text: Text, vocabulary: RulesetVocabulary, collector: OccurrenceCollector, rules: RulesetLoader
) -> None:
    """Play the scenarios of a file with unsure answers, and collect the names in these answers."""
    unsure = [
        occurrence
        for occurrence in collector.occurrences.values()
        if not occurrence.is_sure and occurrence.role is NameRole.ANSWERED and occurrence.span.source == text.name
    ]
    suite = rules.load_suite(text).value if unsure else None
    taken_answers: _TakenAnswers = {}
    for case in suite.cases if suite is not None else ():
        if _has_unsure_answer(case, unsure):
            _play_recorded(case, rules, taken_answers)
    for node, addresses in taken_answers.values():
        first, *others = (
            find_form_names(vocabulary.answer_forms.answer_form(address), node, collector) for address in addresses
        )
        if any(names != first for names in others):
            continue
        for occurrence in unsure:
            if _has_word_at(node, occurrence.span):
                collector.occurrences.pop(occurrence.span, None)
        for span, written, target in first:
            collector.add_occurrence(span, written, target, NameRole.ANSWERED)


def _has_unsure_answer(case: ScenarioCase, unsure: list[NameOccurrence]) -> bool:
    """Whether a case has an ordered script with one of these places."""
    if case.problems or case.skip or not isinstance(case.script, ListNode):
        return False
    return any(_has_word_at(case.script, occurrence.span) for occurrence in unsure)


def _has_word_at(node: DocumentNode, place: Span) -> bool:
    """Whether a key or a plain value within a node is where a span begins."""
    match node:
        case MapNode(entries):
            return any(_contains_start(key.span, place) or _has_word_at(value, place) for key, value in entries)
        case ListNode(items):
            return any(_has_word_at(item, place) for item in items)
        case _:
            return _contains_start(node.span, place)


def _contains_start(span: Span, inner: Span) -> bool:
    return span.source == inner.source and span.start <= inner.start < span.end


def _play_recorded(case: ScenarioCase, rules: RulesetLoader, taken_answers: _TakenAnswers) -> None:
    opened_case = open_case(case, rules, RunLimits()).value
    if opened_case is None or opened_case.script is None:
        return
    script = {item.name: getattr(opened_case.script, item.name) for item in fields(opened_case.script)}
    recording = RecordingScript(**script, taken_answers=taken_answers)
    run_to_end(opened_case.start, replace(opened_case.make_sources(case, 0), script=recording))
