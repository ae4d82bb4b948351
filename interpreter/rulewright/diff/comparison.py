"""Comparison of two revisions in layers: text, structure, meaning, behaviour; and the verdict on all of them.

Normal forms sort the options of an `ask … to choose` and leave the handlers of an event to whoever decides, who may take any.
Who takes the first answer takes another one where they are offered in another order: plays under a policy, and so odds and
scenarios, may then differ; that order is compared by itself.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.differential_testing.altered_places import executable_declarations
from rulewright.diff.differential_testing.reachability import find_entry_procedures
from rulewright.diff.differential_testing.results import (
    BehaviourComparison,
    MigratedPlay,
    OddsComparison,
    PlayWitness,
    ValueWitness,
)
from rulewright.diff.edit_wording import EditWording
from rulewright.diff.edits import (
    Correspondence,
    Edit,
    RelabelEdit,
    RenameEdit,
    diff_outlines,
    find_reused_titles,
    is_rule_edit,
)
from rulewright.diff.equivalence_proofs import DeclarationPairs, UnprovedDeclarations
from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName, Outline, OutlineItem
from rulewright.program.outline.outline_builder import build_outline
from rulewright.program.walk import compute_transitive_closure


@dataclass(frozen=True, slots=True)
class OfferedAnswers:
    """Options of a question, or handlers of an event, in the order in which they are offered."""

    owner: DeclaredName  # the declaration that asks, or the event
    question: str  # name of the answer; empty for handlers
    answers: tuple[DeclaredName, ...]


@dataclass(frozen=True, slots=True)
class AnswerOrder:
    """How far two revisions offer options and handlers in the same order."""

    is_kept: bool  # known to be the same everywhere
    reordered: tuple[OfferedAnswers, ...]  # of the new revision; the same answers in another order


def compare_answer_order(old: Program, new: Program, names: Mapping[DeclaredName, DeclaredName]) -> AnswerOrder:
    """Compare the order of options and handlers; `names` maps names of the old revision to those of the new one."""
    before = [
        OfferedAnswers(
            names.get(each.owner, each.owner), each.question, tuple(names.get(one, one) for one in each.answers)
        )
        for each in _list_offered_answers(old)
    ]
    after = [*_list_offered_answers(new)]
    known = {(each.owner, frozenset(each.answers)): each.answers for each in before}
    return AnswerOrder(
        _group_answers(before) == _group_answers(after),
        tuple(each for each in after if known.get((each.owner, frozenset(each.answers)), each.answers) != each.answers),
    )


def _list_offered_answers(program: Program) -> Iterator[OfferedAnswers]:
    for owner, declared in executable_declarations(program):
        for node in walk_nodes(declared):
            if isinstance(node, st.Ask) and isinstance(node.shape, st.Choose):
                options = (DeclaredName("option", option.address) for option in node.shape.options)
                yield OfferedAnswers(owner, node.variable.name, tuple(options))
    for event in program.events:
        handlers = (name for name, handler in program.handlers.items() if handler.event == event)
        yield OfferedAnswers(
            DeclaredName("event", event), "", tuple(DeclaredName("handler", name) for name in handlers)
        )


def _group_answers(offered: list[OfferedAnswers]) -> dict[DeclaredName, list[tuple[DeclaredName, ...]]]:
    """Answers of each declaration's questions, in the order of the text."""
    groups: dict[DeclaredName, list[tuple[DeclaredName, ...]]] = {}
    for each in offered:
        if len(each.answers) > 1:
            groups.setdefault(each.owner, []).append(each.answers)
    return groups


VERDICT_MEANINGS = {
    "identical": "both say the same, word for word",
    "cosmetic": "layout, titles, questions, margins or names of variables differ; play does not",
    "renumbered": "steps or declarations have other names; play does not differ",
    "equivalent": "rules are written differently, but play the same",
    "changed": "there is a play in which the two differ",
    "unknown": "no difference was found in play, and none is excluded",
}
"""Verdicts on whole comparisons with their meanings, from the least difference to the greatest, then `unknown`."""

PROVED_VERDICTS = ("identical", "cosmetic", "renumbered", "equivalent")
"""Words by which play is the same."""
VERDICTS_BY_SEVERITY = (*PROVED_VERDICTS, "unknown", "changed")
"""Order by which the last verdict stands for several comparisons."""

REUSED_TITLES = "titles changed places; who goes by a title now gets what another one stood for"
"""Meaning of verdicts without a change of play where a title stands for something else."""

ONE_SIDED_ABILITY = "one can do or measure what the other cannot"
"""Meaning of a change that no play of both can show."""


@dataclass(frozen=True, slots=True)
class ComparisonVerdict:
    """Verdict on two revisions: a key of `VERDICT_MEANINGS`, and what it rests on: `proved`, `exhausted 1200`, a limit."""

    word: str  # key of `VERDICT_MEANINGS`
    basis: str = ""  # what it rests on
    other_meaning: str = ""  # meaning here, if it differs from that of the word

    @property
    def meaning(self) -> str:
        return self.other_meaning or VERDICT_MEANINGS[self.word]

    def __str__(self) -> str:
        return f"{self.word} ({self.basis})" if self.basis else self.word


def judge_texts(texts_same: bool, prints_same: bool) -> str:  # noqa: FBT001
    """Verdict on two texts: `identical`, `cosmetic` where only layout and comments differ, else `changed`."""
    return "identical" if texts_same else "cosmetic" if prints_same else "changed"


def judge_edits(edits: tuple[Edit, ...]) -> str:
    """Verdict on edits: `identical` for none, `cosmetic`, `renumbered`, or `changed` where a rule was edited."""
    if any(map(is_rule_edit, edits)):
        return "changed"
    if any(
        isinstance(edit, RenameEdit) or (isinstance(edit, RelabelEdit) and not edit.new_name.owner) for edit in edits
    ):
        return "renumbered"
    return "cosmetic" if edits else "identical"


_NESTED_SORTS = frozenset({"parameter", "local", "step", "word", "part", "plural"})
_EFFECTFUL_SORTS = frozenset({"rule", "invariant", "handler", "event", "procedure", "external"})
_ALWAYS_CHECKED_SORTS = frozenset({"rule", "invariant"})


def find_proved_rewrites(
    edits: Sequence[Edit], outlines: tuple[Outline, Outline], pairs: DeclarationPairs, unproved: UnprovedDeclarations
) -> frozenset[int]:
    """Numbers of the edits of rules that are proved to leave play as it is, whatever else is edited.

    A proof rests on what a declaration mentions, where lines changed places on standing rules, and where names were
    substituted on all that happens: where one of these is not proved itself, the edit counts as one of a rule. So does
    a declaration of one revision only to which an unproved declaration leads.
    """
    revisions = _UnprovedClosure(outlines[0], unproved.old), _UnprovedClosure(outlines[1], unproved.new)
    back = {new: old for old, new in pairs.partners.items()}
    rules = any(declared_name.sort in _ALWAYS_CHECKED_SORTS for side in revisions for declared_name in side.affected)
    happens = any(declared_name.sort in _EFFECTFUL_SORTS for side in revisions for declared_name in side.affected)
    excluded = "all" if rules else "routines" if happens else ""

    def is_proved_rewrite(edit: Edit) -> bool:
        old, new = (side.find_owner(item) for side, item in zip(revisions, (edit.old, edit.new), strict=True))
        before, after = old or back.get(new), new or pairs.partners.get(old)  # type: ignore[arg-type]
        if before is None or after is None:
            side, alone = (revisions[1], after) if before is None else (revisions[0], before)
            return alone is not None and alone not in side.reachable
        if before in revisions[0].affected or after in revisions[1].affected or pairs.partners.get(before) != after:
            return False
        return not excluded or pairs.is_equivalent_pair(before, after, excluded=excluded)

    return frozenset(number for number, edit in enumerate(edits) if is_rule_edit(edit) and is_proved_rewrite(edit))


class _UnprovedClosure:
    """Closures of the unproved declarations of one revision over the mention graph.

    Attributes:
        unproved: declarations not proved equivalent.
        affected: these, and all that computes with any of them, at whatever remove.
        reachable: these, and all that they mention, at whatever remove.
    """

    def __init__(self, outline: Outline, unproved: Collection[DeclaredName]) -> None:
        self._names_by_address = {
            item.address: item.name
            for item in outline.walk_items()
            if item.name and item.name.sort not in _NESTED_SORTS
        }
        mentioned: dict[DeclaredName, set[DeclaredName]] = {}
        for item in outline.walk_items():
            owner = self.find_owner(item)
            if owner is not None:
                mentioned.setdefault(owner, set()).update(_names_in_form(item))
        self.unproved = frozenset(unproved)
        back: dict[DeclaredName, set[DeclaredName]] = {}
        for name, inside in mentioned.items():
            for declared_name in inside - {name}:
                back.setdefault(declared_name, set()).add(name)
        read = frozenset(each for each in unproved if each.sort not in _EFFECTFUL_SORTS)
        computed = {name: users for name, users in back.items() if name.sort not in _EFFECTFUL_SORTS}
        self.affected = self.unproved | compute_transitive_closure(read, lambda name: computed.get(name, ()))
        self.reachable = compute_transitive_closure(unproved, lambda name: mentioned.get(name, ()))

    def find_owner(self, item: OutlineItem | None) -> DeclaredName | None:
        if item is None:
            return None
        address = item.address
        while address and address not in self._names_by_address:
            address = address.rpartition("/")[0]
        return self._names_by_address.get(address)


def _names_in_form(item: OutlineItem) -> Iterator[DeclaredName]:
    for token in item.form:
        if isinstance(token, DeclaredName):
            yield DeclaredName("values", token.owner) if token.sort == "word" else token


@dataclass(frozen=True, slots=True)
class RulesetComparison:
    """Static comparison of two revisions: text, structure and meaning, without plays."""

    text_verdict: str  # `identical`, `cosmetic` (layout and comments), `changed`
    structure_verdict: str  # `identical`, `cosmetic`, `renumbered` or `changed`
    correspondence: Correspondence
    edits: tuple[Edit, ...]  # in the order of the new text
    unproved: UnprovedDeclarations  # empty if all is proved equivalent
    outlines: tuple[Outline, Outline]  # (old, new)
    proved_rewrites: frozenset[int]  # numbers of edits of rules proved to leave play as it is
    answer_order: AnswerOrder
    revisions: tuple[LoadedRuleset, LoadedRuleset]  # (old, new)

    @property
    def programs(self) -> tuple[Program, Program]:
        return _checked_program(self.revisions[0]), _checked_program(self.revisions[1])

    def word_edits(self) -> EditWording:
        """Wording of the edits."""
        return EditWording(self.programs, self.outlines, self.edits, self.correspondence)

    @property
    def is_proved_equivalent(self) -> bool:
        return not self.unproved.old and not self.unproved.new

    @property
    def is_proved_under_policies(self) -> bool:
        """Whether both are proved to play alike by whoever takes the first answer, too."""
        return self.static_verdict is not None and self.answer_order.is_kept

    @property
    def static_verdict(self) -> ComparisonVerdict | None:
        """Verdict as far as it needs no plays; None where plays are needed."""
        if self.text_verdict == "identical" and self.structure_verdict == "identical":
            return ComparisonVerdict("identical")
        if not self.is_proved_equivalent:
            return None
        if self.structure_verdict == "changed":
            return ComparisonVerdict("equivalent", "proved")
        return ComparisonVerdict("cosmetic" if self.structure_verdict == "identical" else self.structure_verdict)


def compare_rulesets(old: LoadedRuleset, new: LoadedRuleset) -> RulesetComparison:
    """Static comparison of two checked rulesets."""
    before, after = _checked_program(old), _checked_program(new)
    outlines = build_outline(before, old.texts), build_outline(after, new.texts)
    structure = diff_outlines(*outlines)
    pairs = DeclarationPairs(before, after, structure.correspondence)
    unproved = pairs.find_unproved()
    text = judge_texts(_sorted_contents(old) == _sorted_contents(new), before.fingerprint == after.fingerprint)
    word, same = (
        judge_edits(structure.edits),
        find_proved_rewrites(structure.edits, outlines, pairs, unproved),
    )
    return RulesetComparison(
        text,
        word,
        pairs.correspondence,
        structure.edits,
        unproved,
        outlines,
        same,
        compare_answer_order(before, after, pairs.correspondence.names),
        (old, new),
    )


def match_rulesets(old: LoadedRuleset, new: LoadedRuleset) -> Correspondence:
    """Correspondence of names and addresses of two rulesets, as `compare_rulesets` finds it."""
    before, after = _checked_program(old), _checked_program(new)
    structure = diff_outlines(build_outline(before, old.texts), build_outline(after, new.texts))
    return DeclarationPairs(before, after, structure.correspondence).correspondence


def _checked_program(loaded: LoadedRuleset) -> Program:
    assert loaded.program is not None
    return loaded.program


def _sorted_contents(loaded: LoadedRuleset) -> list[str]:
    return sorted(text.content for text in loaded.texts.values())


NOT_PLAYED_VERDICT = ComparisonVerdict("unknown", "plays were not compared")


@dataclass(frozen=True, slots=True)
class FullComparison:
    """Static comparison with the results of playing both revisions."""

    comparison: RulesetComparison
    behaviour: BehaviourComparison | None = None  # None if nothing was played
    only_in_old: tuple[DeclaredName, ...] = ()  # procedures and measures that only one revision has
    only_in_new: tuple[DeclaredName, ...] = ()
    startable_only_in_old: tuple[DeclaredName, ...] = ()  # procedures of both that are inner in the other revision
    startable_only_in_new: tuple[DeclaredName, ...] = ()
    odds_comparison: OddsComparison | None = None  # None if it was not asked for

    @property
    def is_proved_under_policies(self) -> bool:
        """As of the rulesets, where both have the same procedures to begin with."""
        return self.static_verdict is not None and self.comparison.is_proved_under_policies

    @property
    def static_verdict(self) -> ComparisonVerdict | None:
        return None if self.startable_only_in_old or self.startable_only_in_new else self.comparison.static_verdict

    @property
    def verdict(self) -> ComparisonVerdict:
        """Verdict on everything; a procedure or measure of one revision only is a change that no play of both can show."""
        result = self._verdict_by_ids
        if result.word in {"cosmetic", "renumbered", "equivalent"} and find_reused_titles(self.comparison.edits):
            return ComparisonVerdict(result.word, result.basis, REUSED_TITLES)
        return result

    @property
    def _verdict_by_ids(self) -> ComparisonVerdict:
        known, played = self.static_verdict, self.played_verdict
        if known is not None:
            return known
        if played.word != "changed" and self.odds_comparison is not None and self.odds_comparison.shows_change:
            return ComparisonVerdict("changed", "odds shift")
        sides = {
            "only OLD has": self.only_in_old,
            "only NEW has": self.only_in_new,
            "only OLD begins": self.startable_only_in_old,
            "only NEW begins": self.startable_only_in_new,
        }
        called = {which: ", ".join(f"{name.sort} {name.name}" for name in names) for which, names in sides.items()}
        one_sided = [f"{which} {names}" for which, names in called.items() if names]
        if played.word == "changed" or not one_sided:
            return played
        return ComparisonVerdict("changed", "; ".join(one_sided), ONE_SIDED_ABILITY)

    @property
    def played_verdict(self) -> ComparisonVerdict:
        if self.behaviour is None:
            return NOT_PLAYED_VERDICT
        verdict = self.behaviour.verdict
        match verdict.word, verdict.basis:
            case "changed", _:
                return ComparisonVerdict("changed", ", ".join(_count_shown_evidence(self.behaviour)))
            case "equivalent", "unreached":
                return ComparisonVerdict("equivalent", "no procedure reaches what changed")
            case "equivalent", how:
                space = "; ".join(verdict.space)
                return ComparisonVerdict("equivalent", f"{how} {verdict.number}{': ' if space else ''}{space}")
            case _:
                return ComparisonVerdict("unknown", verdict.limit)

    @property
    def layer_verdicts(self) -> dict[str, str]:
        """Verdict of each layer: `text`, `structure`, `meaning`, `behaviour`."""
        known = self.static_verdict
        same = "identical" if known is not None and known.word == "identical" else "equivalent"
        return {
            "text": self.comparison.text_verdict,
            "structure": self.comparison.structure_verdict,
            "meaning": same if known else "unknown",
            "behaviour": same if known else self.verdict.word,
        }


def _count_shown_evidence(behaviour: BehaviourComparison) -> Iterator[str]:
    """Counts of witnesses and of function values; of differing scenarios where there are neither."""
    differing = (
        0
        if behaviour.witnesses or behaviour.values
        else sum(scenario.outcome == "differs" for scenario in behaviour.scenarios)
    )
    for number, one, more in (
        (len(behaviour.witnesses), "witness", "witnesses"),
        (len(behaviour.values), "value", "values"),
        (differing, "scenario", "scenarios"),
    ):
        if number:
            yield f"{number} {one if number == 1 else more}"


def build_full_comparison(comparison: RulesetComparison, behaviour: BehaviourComparison | None) -> FullComparison:
    """Static comparison joined with the results of plays.

    A procedure that nothing performs, or a measure, of one revision only is a change by itself, and so is a procedure
    that is inner in one of them. Other declarations of one revision only are not: where they matter, plays differ.
    """
    old, new = comparison.programs
    names = comparison.correspondence.names
    new_names = frozenset(names.values())
    lost = tuple(
        declared_name
        for declared_name in comparison.unproved.old
        if declared_name not in names and _can_be_started(declared_name, old)
    )
    result = tuple(
        declared_name
        for declared_name in comparison.unproved.new
        if declared_name not in new_names and _can_be_started(declared_name, new)
    )
    both = [(one, other) for one, other in names.items() if one.sort == "procedure"]
    return FullComparison(
        comparison,
        behaviour,
        lost,
        result,
        startable_only_in_old=tuple(
            one for one, other in both if new.procedures[other.name].inner > old.procedures[one.name].inner
        ),
        startable_only_in_new=tuple(
            other for one, other in both if old.procedures[one.name].inner > new.procedures[other.name].inner
        ),
    )


def _can_be_started(name: DeclaredName, program: Program) -> bool:
    return name.sort == "measure" or (name.sort == "procedure" and name.name in find_entry_procedures(program))


_QUALIFIED_SORTS = frozenset({"attribute", "parameter"})
"""Sorts of items whose values are named with their owner."""


@dataclass(frozen=True, slots=True)
class RowEvidence:
    """Evidence for one row of a report: plays, values and scenarios that show its edits."""

    plays: tuple[PlayWitness, ...] = ()
    values: tuple[ValueWitness, ...] = ()
    scenarios: tuple[MigratedPlay, ...] = ()  # differing scenarios, if this is the only row
    unkept_outcome: str = ""  # `shown` or `hidden`: outcome of its edits by a play that is not kept
    shared: tuple[PlayWitness, ...] = ()  # plays of edits in other rows too

    @property
    def has_evidence(self) -> bool:
        return bool(self.plays or self.values or self.scenarios or self.unkept_outcome)


NO_ROW_EVIDENCE = RowEvidence()


def find_row_evidence(whole: FullComparison, rows: Sequence[Sequence[int]]) -> list[RowEvidence]:
    """Evidence for each row; a row is the numbers of its edits."""
    behaviour = whole.behaviour
    if behaviour is None:
        return [NO_ROW_EVIDENCE] * len(rows)
    if len(rows) == 1:
        differing = tuple(scenario for scenario in behaviour.scenarios if scenario.outcome == "differs")
        changed = behaviour.verdict.word == "changed"
        result = RowEvidence(behaviour.witnesses, behaviour.values)
        return [result if result.has_evidence or not changed else RowEvidence(scenarios=differing)]
    times = Counter(number for row in rows for number in set(row))
    return [_find_evidence(whole, frozenset(row), frozenset(item for item in row if times[item] == 1)) for row in rows]


def _find_evidence(whole: FullComparison, edits: frozenset[int], own_edits: frozenset[int]) -> RowEvidence:
    behaviour = whole.behaviour
    assert behaviour is not None
    names = {_edited_declaration(whole.comparison.edits[item]) for item in own_edits}
    plays = tuple(
        witness
        for witness in behaviour.witnesses
        if witness.subject and not own_edits.isdisjoint(witness.subject.edits)
    )
    shared = tuple(
        witness for witness in behaviour.witnesses if witness.subject and not edits.isdisjoint(witness.subject.edits)
    )
    values = tuple(value for value in behaviour.values if not names.isdisjoint({value.old, value.new}))
    separated = behaviour.separated
    known = (sort for sort in ("shown", "hidden") if separated and not own_edits.isdisjoint(getattr(separated, sort)))
    return RowEvidence(plays, values, unkept_outcome=next(known, ""), shared=shared)


def _edited_declaration(edit: Edit) -> str:
    item = edit.new
    if item is None:
        return ""
    return item.address.replace("/", ".") if item.sort in _QUALIFIED_SORTS else item.address.partition("/")[0]
