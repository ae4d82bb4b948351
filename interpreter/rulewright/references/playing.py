"""Answers without an address, told apart by playing: where each was wanted says what it names."""

from collections.abc import Iterator, Sequence
from dataclasses import field, fields, replace

from rulewright.diagnostics import Diagnostic
from rulewright.drivers.run import run
from rulewright.files import Provider
from rulewright.frozen import dataclass
from rulewright.inputs.names import Names as PlayNames
from rulewright.inputs.nodes import Items, Mapping, Node
from rulewright.inputs.script import Script, Taken
from rulewright.machine.faults import Limits
from rulewright.machine.request import Request
from rulewright.references.documents import pieces_in
from rulewright.references.index import Occurrence, Role
from rulewright.references.names import Found
from rulewright.references.scenario_forms import Vocabulary
from rulewright.scenarios.loading import all_cases, suites_of
from rulewright.scenarios.opening import Rules, opening
from rulewright.scenarios.play import play
from rulewright.scenarios.suite import Case, Result
from rulewright.source import Span, Text


@dataclass(frozen=True, slots=True)
class Noting(Script):
    """A script that notes where each of its answers was wanted."""

    wanted: dict[Span, tuple[Node, set[str]]] = field(default_factory=dict)

    def next_for(self, request: Request, names: PlayNames) -> Taken | Diagnostic:
        """As any script."""
        taken = Script.next_for(self, request, names)
        if isinstance(taken, Taken):
            address = request.name if request.sort == "value" else request.address
            self.wanted.setdefault(taken.answer.span, (taken.answer, set()))[1].add(address)
        return taken


def outcomes(places: Sequence[str], provider: Provider) -> tuple[Result, ...]:
    """What comes of the scenarios of some folders, in order."""
    rules = Rules(provider)
    suites = suites_of(places, rules).value or ()
    return tuple(play(each, rules) for each in all_cases(suites))


def note_played(text: Text, vocabulary: Vocabulary, found: Found, rules: Rules) -> None:
    """Plays the scenarios of a file in which an answer is not sure, and notes what these answers name."""
    answered = [each for each in found.occurrences.values() if not each.sure and each.role is Role.ANSWERED]
    unsure = [each for each in answered if each.span.source == text.name]
    suite = rules.suite(text).value if unsure else None
    wanted: dict[Span, tuple[Node, set[str]]] = {}
    for case in suite.cases if suite is not None else ():
        if _answers(case, unsure):
            _play(case, rules, wanted)
    for node, addresses in wanted.values():
        told = [pieces_in(vocabulary.answers.form(each), node, found) for each in addresses]
        if all(each == told[0] for each in told):
            for each in unsure:
                if each.span in set(_spans(node, each.span)):
                    found.occurrences.pop(each.span, None)
            for span, written, target in told[0]:
                found.note(span, written, target, Role.ANSWERED)


def _answers(case: Case, unsure: list[Occurrence]) -> bool:
    """Whether a case has a script in order with one of some places in it."""
    if case.wrong or case.skip or not isinstance(case.script, Items):
        return False
    return any(True for each in unsure for _ in _spans(case.script, each.span))


def _spans(node: Node, inner: Span) -> Iterator[Span]:
    """The place, if a key or value of a node begins around it."""
    match node:
        case Mapping(entries):
            for key, each in entries:
                if key.span.start <= inner.start < key.span.end and key.span.source == inner.source:
                    yield inner
                yield from _spans(each, inner)
        case Items(items):
            for each in items:
                yield from _spans(each, inner)
        case _:
            if node.span.start <= inner.start < node.span.end and node.span.source == inner.source:
                yield inner


def _play(case: Case, rules: Rules, wanted: dict[Span, tuple[Node, set[str]]]) -> None:
    begun = opening(case, rules, Limits()).value
    if begun is None or begun.script is None:
        return
    said = {each.name: getattr(begun.script, each.name) for each in fields(begun.script)}
    sources = replace(begun.sources(case, 0), script=Noting(**said, wanted=wanted))
    run(begun.begun, sources)
