"""Mutants (small edits of rules text), the selection of them, their verdicts and the mutation score."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role, get_children
from rulewright.base.source import Span, Text, count_common_ends
from rulewright.checker.addresses import walk_address_pairs, walk_addressed_nodes
from rulewright.checker.clauses import match_clause_ids, resolve_clause_id
from rulewright.documents.findings import Findings, did_you_mean, quote_name
from rulewright.scenarios.suite import Exemption
from rulewright.syntax.format import format_type
from rulewright.syntax.nodes import declarations as d, statements as s

_NAMED_NODES = (
    d.Procedure,
    d.Event,
    d.Term,
    d.Relation,
    d.Tally,
    d.Decide,
    d.Table,
    d.Paths,
    d.Measure,
    d.ExternalTerm,
)
_SKIPPED_NODES = (
    d.Account, d.Always, d.Ruling, d.RulesetHeader, d.AmendsHeader, d.DocumentHeader, d.UseHeader, s.RulingLine,
)  # fmt: skip

OPERATOR_DESCRIPTIONS = {
    "comparison": "`<` becomes `<=` or `>=`, `=` becomes `!=`, `in` becomes `not in`, and so on",
    "negation": "a condition becomes its opposite",
    "term": "a part of `and` or `or` is left out",
    "conjunct": "a condition wants another flag of the same thing besides",
    "and-or": "`and` becomes `or`, `or` becomes `and`",
    "condition": "a `when` or `where` is left out",
    "quantity": "`some` becomes `no`, `all` becomes `any`",
    "number": "a whole number is one more or one less",
    "range": "an end of a type such as `0..9` is one more or one less",
    "bound": "the bound of a loop or of a jump upwards is one less",
    "sign": "`+` becomes `-`, `add` becomes `take`",
    "extreme": "`min` becomes `max`, `highest` becomes `lowest`, `at least` becomes `at most`, and so on",
    "default": "the value is left out that a parameter, an attribute or a field has where none is given",
    "flag": "`yes` becomes `no`",
    "word": "a word becomes the next one of its list",
    "jump": "`proceed to` leads to the step before or after",
    "decider": "another player is asked, or rolls",
    "role": "a name becomes another one of the same type",
    "order": "the first two members of a list change places",
    "sequence": "two rows next to each other change places",
    "line": "a line does nothing",
    "row": "a row or a case is left out",
    "option": "an option is left out",
    "handler": "a handler or a `watch` is left out",
    "rule": "a standing rule is left out",
    "amendment": "a change that an overlay makes is left out",
    "adverb": "`optional`, `up to` or `symmetric` is left out",
}
"""Mutation operators in the order of reports, with what they do."""
_OMITTING_OPERATORS = frozenset({"line", "row", "option", "handler", "rule", "amendment"})
_MAX_SHOWN_CHARACTERS = 40


_NO_DOCUMENTS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class RulesetNames:
    """Names of a ruleset that mutation operators choose from."""

    declarations: Mapping[str, d.Declaration]  # procedures, events and functions
    handlers: Mapping[str, str]  # event by handler
    words: Mapping[str, tuple[str, ...]]  # words of its list, for every word
    # flags of its kind, for every attribute; of a name in several kinds, of the last
    flags: Mapping[str, tuple[str, ...]]
    addresses: Mapping[Span, str]  # of the parts of all declarations, after overlays
    documents: Mapping[str, str]  # document that each file encodes


def collect_ruleset_names(
    declarations: Iterable[d.Declaration], documents: Mapping[str, str] = _NO_DOCUMENTS
) -> RulesetNames:
    """Names of some declarations, and the document that each file encodes; of two with one name, the last counts."""
    all_ = list(declarations)
    lists = [tuple(word.name.text for word in values.words) for values in all_ if isinstance(values, d.Values)]
    return RulesetNames(
        {item.name.text: item for item in all_ if isinstance(item, _NAMED_NODES)},
        {handler.name.text: handler.event.parts[-1].text for handler in all_ if isinstance(handler, d.Handler)},
        {word: words for words in lists for word in words},
        {
            field.name.text: _stored_flag_names(kind)
            for kind in all_
            if isinstance(kind, d.Kind)
            for field in kind.fields
        },
        {
            part.node.span: part.address
            for item in reversed(all_)
            for part in reversed([*walk_addressed_nodes(item)])
            if part.has_own_address
        },
        documents,
    )


def _stored_flag_names(kind: d.Kind) -> tuple[str, ...]:
    stored = (field for field in kind.fields if isinstance(field, d.StoredField))
    return tuple(stored_field.name.text for stored_field in stored if format_type(stored_field.type) == "flag")


def find_type_peers(declaration: object) -> Mapping[str, str]:
    """For each name that a declaration types, the next name of that type; cyclic."""
    groups: dict[str, list[str]] = {}
    for name, type_ in _typed_names(declaration):
        groups.setdefault(type_, []).append(name)
    return {
        name: names[(at + 1) % len(names)] for names in groups.values() for at, name in enumerate(names) if names[1:]
    }


def _typed_names(declaration: object) -> list[tuple[str, str]]:
    items = [(item.name.text, format_type(item.type)) for item in getattr(declaration, "parameters", ())]
    if isinstance(declaration, d.Procedure):
        lets = [let for let in declaration.opening if isinstance(let, s.Let) and let.type is not None]
        items += [(let.name.text, format_type(let.type)) for let in lets if let.type]
    return list(dict(items).items())


def list_step_ids(declaration: object) -> tuple[str, ...]:
    """Ids of the steps of a procedure; empty for anything else."""
    return tuple(step.name.text for step in declaration.steps) if isinstance(declaration, d.Procedure) else ()


@dataclass(frozen=True, slots=True)
class NodeVisit:
    """Syntax node with its context."""

    node: Any
    text: Text
    address: str  # of the innermost named part, perhaps itself
    line: Span | None  # first line, without margin, of the innermost statement
    cites: tuple[str, ...]  # whole ids of the clauses in the margin of the innermost part with any
    peers: Mapping[str, str]  # another name of the same type
    steps: tuple[str, ...]  # ids of the steps of the procedure
    words: Mapping[str, tuple[str, ...]]  # words of its list, for every word
    flags: Mapping[str, tuple[str, ...]]  # flags of its kind, for every attribute

    def text_at(self, span: Span) -> str:
        return self.text.content[span.start : span.end]

    def span_between(self, before: Span, after: Span) -> Span:
        """Place between two places, without the space around it."""
        written = self.text.content[before.end : after.start]
        start = before.end + len(written) - len(written.lstrip())
        return Span(before.source, start, start + len(written.strip()))


def visit_nodes(file: d.File, text: Text, known: RulesetNames) -> Iterator[NodeVisit]:
    """Nodes of a text in which a change can be noticed, outer before inner, in order of place.

    Left out are headers, readings, `always`, which never fails in a right ruleset, and the measure after `lowers`.
    """
    for declaration in file.declarations:
        if isinstance(declaration, _SKIPPED_NODES):
            continue
        anchor = _anchor_address(declaration)
        around = _enclosing_declaration(declaration, anchor, known)
        visit = NodeVisit(
            declaration,
            text,
            anchor,
            None,
            (),
            find_type_peers(around),
            list_step_ids(around),
            known.words,
            known.flags,
        )
        yield from _visit_inside(visit, _part_addresses(declaration, anchor, known), known.documents)


def _anchor_address(declaration: d.Declaration) -> str:
    """Address that an amendment is about; of a declaration its name, or its keyword."""
    match declaration:
        case d.Replace(target=target) | d.Insert(target=target):
            beside = declaration.anchor if isinstance(declaration, d.Insert) else None
            above = beside.text.rpartition("/")[0] if beside else ""
            return f"{above}/{target.address.text}" if above else target.address.text
        case d.InsertLines(anchor=anchor):
            return anchor.text
        case d.RemovePart(address=address) | d.ReplaceLine(address=address):
            return address.text
        case d.ReplaceWhole(declaration=whole):
            return whole.name.text
        case d.Bind(external=external):
            return external.text
        case _:
            return getattr(declaration, "name", None).text if hasattr(declaration, "name") else "game"  # type: ignore[union-attr]


def _enclosing_declaration(declaration: d.Declaration, anchor: str, known: RulesetNames) -> object:
    """Declaration whose names the lines of another see."""
    whole = declaration.declaration if isinstance(declaration, d.ReplaceWhole) else declaration
    if isinstance(whole, d.Handler):
        return known.declarations.get(whole.event.parts[-1].text)
    if isinstance(whole, d.Amendment):
        first = anchor.partition("/")[0]
        return known.declarations.get(known.handlers.get(first, first))
    return whole


def _part_addresses(declaration: d.Declaration, anchor: str, known: RulesetNames) -> dict[int, str]:
    """Addresses of the parts of a declaration, by identity; of an amendment's as they are in its place."""
    match declaration:
        case d.ReplaceWhole(declaration=whole):
            roots: list[tuple[object, str]] = [(whole, "")]
        case d.Replace(target=d.Target(part=part)) | d.Insert(target=d.Target(part=part)):
            roots = [(part, "")]
        case d.Replace(target=d.RowTarget(row=row)) | d.Insert(target=d.RowTarget(row=row)):
            roots = [(row, "")]
        case d.InsertLines(where=where, lines=lines):
            roots = [(line, anchor if where == "into" else anchor.rpartition("/")[0]) for line in lines]
        case d.ReplaceLine(lines=lines):
            roots = [(line, anchor.rpartition("/")[0]) for line in lines]
        case d.ProcedureLike(amendments=amendments):
            # an address in a derived procedure may leave the name of the procedure out
            within = ((amendment, _anchor_address(amendment)) for amendment in amendments)
            return {id(item): at if at.partition("/")[0] == anchor else f"{anchor}/{at}" for item, at in within}
        case _:
            roots = [(declaration, "")]
    generator = (
        (address, part) for root, within in roots for address, part in walk_address_pairs(root, within) if address
    )
    if not isinstance(declaration, d.Amendment):
        return {id(part): address for address, part in generator}
    return {id(part): known.addresses.get(part.span, address) for address, part in generator}


def _visit_inside(visit: NodeVisit, addresses: Mapping[int, str], documents: Mapping[str, str]) -> Iterator[NodeVisit]:
    node = visit.node
    if isinstance(node, _SKIPPED_NODES):
        return
    cites = tuple(resolve_clause_id(cite, documents) for cite in getattr(node, "cites", ()))
    line = node.head if isinstance(node, s.Line) else visit.line
    address = addresses.get(id(node), visit.address)
    here = replace(visit, address=address, line=line, cites=cites or visit.cites)
    yield here
    # what stands after `lowers` is a proof, and a bound is changed with its line
    for child in sorted(get_children(node, Role.WORDS), key=lambda item: item.span.start):
        yield from _visit_inside(replace(here, node=child), addresses, documents)


@dataclass(frozen=True, slots=True)
class MutationEdit:
    """Replacement of a place of a text by an operator."""

    operator: str
    place: Span
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """Ruleset with one small change."""

    operator: str  # key of `OPERATOR_DESCRIPTIONS`
    address: str  # of the changed line, row or declaration
    place: Span
    old: str  # text at the place
    new: str  # its replacement
    line: Span | None  # head of the innermost line of a routine; None outside
    cites: tuple[str, ...]  # whole ids of the clauses in the margin
    number: int = 1  # among equal edits of one operator at this address, from 1

    @property
    def name(self) -> str:
        """Name for people: `melee_attack/token number 1 -> 2`."""
        return self.title if self.number == 1 else f"{self.title} #{self.number}"

    @property
    def title(self) -> str:
        """Name without a number."""
        if self.operator in _OMITTING_OPERATORS:
            return f"{self.address} {self.operator} left out"
        if not self.new.strip():
            return f"{self.address} {self.operator} left out: {_shorten_text(self.old)}"
        return f"{self.address} {self.operator} {_shorten_text(self.old)} -> {_shorten_text(self.new)}"

    def apply_to_text(self, text: Text) -> Text:
        before, after = text.content[: self.place.start], text.content[self.place.end :]
        return Text(text.name, before + self.new + after)


def _shorten_text(written: str) -> str:
    line = " ".join(written.split())
    return line if len(line) <= _MAX_SHOWN_CHARACTERS else f"{line[: _MAX_SHOWN_CHARACTERS - 1]}…"


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """Lines of a text that a mutant changes."""

    number: int  # of the first line, from 1
    old: tuple[str, ...]
    new: tuple[str, ...]


def compute_changed_lines(mutant: Mutant, text: Text) -> ChangedLines:
    """Lines that a mutant replaces and their replacements, with the number of the first, from 1."""
    old, new = text.content.splitlines(), mutant.apply_to_text(text).content.splitlines()
    first, last = count_common_ends(old, new)
    return ChangedLines(first + 1, tuple(old[first : len(old) - last]), tuple(new[first : len(new) - last]))


OUTCOME_MEANINGS = {
    "killed": "noticed by a scenario",
    "survived": "noticed by none",
    "equivalent": "proved to play the same",
    "refused": "refused by the checker",
}
"""Outcomes in the order of reports, with their meanings."""

MUTANT_STATES = ("killed", "survived", "explained", "equivalent", "refused")
"""States of scored mutants in the order of reports."""

ALL_OPERATORS_LABEL = "all"


@dataclass(frozen=True, slots=True)
class MutantVerdict:
    """Verdict on a mutant."""

    outcome: str  # key of `OUTCOME_MEANINGS`
    reason: str = ""  # killed: failure seen; refused: the checker's message; equivalent: the proof; survived: empty
    scenario: tuple[str, str] = ("", "")  # file and name of the killing scenario; else empty
    play_count: int = 0


@dataclass(frozen=True, slots=True)
class ScoredMutant:
    """Mutant with its verdict, and the explanation of an explained survivor."""

    mutant: Mutant
    verdict: MutantVerdict
    explanation: str = ""

    @property
    def state(self) -> str:
        """Outcome, or `explained`."""
        return "explained" if self.explanation else self.verdict.outcome


@dataclass(frozen=True, slots=True)
class OperatorScore:
    """Counts of the mutants of an operator, or of all, by state."""

    operator: str
    killed: int
    survived: int
    explained: int
    equivalent: int
    refused: int

    @property
    def mutant_count(self) -> int:
        return self.killed + self.survived + self.explained + self.equivalent + self.refused

    @property
    def score(self) -> float:
        """Mutation score in percent: killed of killed, survived and explained; rounded down to a tenth, 100 for none."""
        return _percent_of(self.killed, self.killed + self.survived + self.explained)

    @property
    def score_without_explained(self) -> float:
        """Mutation score where explained survivors do not count."""
        return _percent_of(self.killed, self.killed + self.survived)


def _percent_of(part: int, whole: int) -> float:
    return part * 1000 // whole / 10 if whole else 100.0


def score_operators(scored: Iterable[ScoredMutant]) -> tuple[OperatorScore, ...]:
    """Scores of all operators with mutants, and of all together as the last."""
    items = tuple(scored)
    by = [
        _score_operator(name, [scored_mutant for scored_mutant in items if scored_mutant.mutant.operator == name])
        for name in OPERATOR_DESCRIPTIONS
    ]
    return (
        *(operator_score for operator_score in by if operator_score.mutant_count),
        _score_operator(ALL_OPERATORS_LABEL, items),
    )


def _score_operator(name: str, scored: Iterable[ScoredMutant]) -> OperatorScore:
    states = [scored_mutant.state for scored_mutant in scored]
    return OperatorScore(name, *(states.count(state) for state in MUTANT_STATES))


def match_explanations(
    explanations: Sequence[Exemption], mutants: Sequence[Mutant], verdicts: Mapping[Mutant, MutantVerdict]
) -> tuple[dict[Mutant, str], tuple[Diagnostic, ...]]:
    """Reasons for explained survivors, and diagnostics of wrong explanations.

    `mutants` are all there are; `verdicts` are those of the ones that were tried. An explanation is stale where all it
    is about was tried and nothing of it survived.
    """
    reasons: dict[Mutant, str] = {}
    findings = Findings()
    for explanation in explanations:
        about = [mutant for mutant in mutants if explanation.what.text in _names_of_mutant(mutant)]
        survivors = [one for one in about if one in verdicts and verdicts[one].outcome == "survived"]
        reasons |= dict.fromkeys(survivors, explanation.because)
        if not about:
            _report_unknown_mutant(explanation, mutants, findings)
        elif not survivors and all(one in verdicts for one in about):
            became = OUTCOME_MEANINGS[verdicts[about[0]].outcome]
            message = f"{quote_name(explanation.what.text)} is explained, but it is {became}"
            findings.add_error("RW1063", explanation.what.place, message, help="take the explanation out")
    return reasons, tuple(findings.collected)


def _report_unknown_mutant(each: Exemption, mutants: Sequence[Mutant], findings: Findings) -> None:
    close = did_you_mean(each.what.text, [name for one in mutants for name in _names_of_mutant(one)])
    remedy = close or "`rulewright mutate --list` shows all changes; take this out"
    findings.add_error(
        "RW1062", each.what.place, f"no change of the rules is called {quote_name(each.what.text)}", help=remedy
    )


def _names_of_mutant(mutant: Mutant) -> Iterator[str]:
    yield mutant.name
    yield mutant.address
    yield f"{mutant.address} {mutant.operator}"


@dataclass(frozen=True, slots=True)
class MutantFilter:
    """Selection of the mutants to try: those that meet all criteria."""

    name: str = ""  # part of the name, case-insensitive; or empty
    step: str = ""  # id of an enclosing step; or empty
    clause: str = ""  # clause in an enclosing margin; or empty
    operators: frozenset[str] = frozenset()  # all if empty
    sample: int | None = None  # number drawn at random; None for all
    seed: int = 0  # of the sample

    def select_mutants(self, mutants: Sequence[Mutant]) -> tuple[Mutant, ...]:
        result = [mutant for mutant in mutants if self._is_wanted(mutant)]
        if self.sample is None or self.sample >= len(result):
            return tuple(result)
        drawn = random.Random(self.seed).sample(range(len(result)), self.sample)  # noqa: S311 - no secret
        return tuple(result[item] for item in sorted(drawn))

    def _is_wanted(self, mutant: Mutant) -> bool:
        return (
            self.name.lower() in mutant.name.lower()
            and (not self.step or f"/{self.step}/" in f"/{mutant.address}/")
            and (not self.clause or bool(match_clause_ids(self.clause, mutant.cites)))
            and (not self.operators or mutant.operator in self.operators)
        )
