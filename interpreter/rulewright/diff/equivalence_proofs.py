"""Equivalence proofs of declarations: equal normal forms, with inlining where needed, else equal ends of all paths."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.differential_testing.reachability import find_entry_procedures
from rulewright.diff.edits import Correspondence
from rulewright.diff.normal_forms.declared_parts import ROUTINE_GROUPS
from rulewright.diff.normal_forms.normalizer import NormalForm, Normalizer
from rulewright.diff.symbolic_execution.expression_evaluation import Revision
from rulewright.diff.symbolic_execution.lockstep_comparison import LockstepComparison
from rulewright.diff.symbolic_execution.number_ranges import find_unbounded_names
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName
from rulewright.program.walk import list_routines

_PASSIVE_SORTS = frozenset(
    "values die kind record board attribute cell side field setting relation function external event".split()  # noqa: SIM905
)
_CALLABLE_SORTS = frozenset({"function", "attribute", "procedure"})
_MAX_INLINING_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class UnprovedDeclarations:
    """Declarations not proved to be equivalent."""

    old: tuple[DeclaredName, ...]  # of the old revision, altered or removed
    new: tuple[DeclaredName, ...]  # of the new one, altered or added


class DeclarationPairs:
    """Declarations of two programs, paired by name.

    Attributes:
        correspondence: of names, without those that rules read as texts.
        partners: new names by old ones, of the declarations that both have.
        proved_on_paths: old names of those that were proved with normal forms that differ; other rows may decide there.
    """

    def __init__(self, old: Program, new: Program, same: Correspondence) -> None:
        options = {
            DeclaredName("option", before): DeclaredName("option", after) for before, after in same.addresses.items()
        }
        self._programs = old, new
        self.proved_on_paths: set[DeclaredName] = set()
        read = _names_compared_as_text(old) | _names_compared_as_text(new)

        def trust_names(names: Mapping[DeclaredName, DeclaredName]) -> dict[DeclaredName, DeclaredName]:
            known = names.items()
            return {one: other for one, other in known if one.short_name == other.short_name or not {one, other} & read}

        self.correspondence = replace(same, names=trust_names(same.names))
        self._old, self._new = Normalizer(old, trust_names({**options, **same.names})), Normalizer(new, {})
        there = self._new.declarations
        self.partners = {
            name: to for name in self._old.declarations if (to := self._old.names.get(name, name)) in there
        }

    @cached_property
    def _one_sided_callables(self) -> tuple[frozenset[str], frozenset[str]]:
        new_partners = frozenset(self.partners.values())
        old_only = (declaration for declaration in self._old.declarations if declaration not in self.partners)
        new_only = (declaration for declaration in self._new.declarations if declaration not in new_partners)
        return _callable_names(old_only), _callable_names(new_only)

    def find_unproved(self) -> UnprovedDeclarations:
        """Unproved declarations, each once, in the order of their programs."""
        reordered = self._find_reordered_pairs() | self._pairs_started_once()
        pairs = [pair for pair in self.partners.items() if pair in reordered or not self.is_equivalent_pair(*pair)]
        old = {declared_name for declared_name, _ in pairs} | {
            declaration for declaration in self._old.declarations if declaration not in self.partners
        }
        new = {declared_name for _, declared_name in pairs} | (
            self._new.declarations.keys() - set(self.partners.values())
        )
        altered = {declared_name for pair in pairs for declared_name in pair}
        old_unproved, new_unproved = (
            tuple(
                declared_name
                for declared_name in declared
                if declared_name in result and (declared_name in altered or declared_name.sort not in _PASSIVE_SORTS)
            )
            for declared, result in ((self._old.declarations, old), (self._new.declarations, new))
        )
        new_partners = frozenset(self.partners.values())
        return UnprovedDeclarations(
            _drop_inlined_procedures(self._programs[0], old_unproved, self.partners.keys()),
            _drop_inlined_procedures(self._programs[1], new_unproved, new_partners),
        )

    def is_equivalent_pair(self, old: DeclaredName, new: DeclaredName, *, excluded: str = "") -> bool:
        """Whether two declarations have one normal form, if need be with functions inlined.

        Args:
            old: of the old program.
            new: of the new one.
            excluded: what the proof may not rest on, as for `Normalizer.normal_form`.
        """
        if self._is_verbatim_equal(old, new):
            return True
        if _have_names_moved(self._old.declarations[old], self._new.declarations[new]):
            return False
        old_inlined, new_inlined = self._one_sided_callables
        for _ in range(_MAX_INLINING_ROUNDS):
            before, after = (
                self._old.normal_form(old, old_inlined, excluded=excluded),
                self._new.normal_form(new, new_inlined, excluded=excluded),
            )
            if before.text == after.text:
                return True
            calls = before.callees, after.callees
            more = {call for call in calls[0].keys() | calls[1].keys() if calls[0].get(call) != calls[1].get(call)}
            spelled = (
                old_inlined | self._old_callables(more),
                new_inlined | {declared_name.name for declared_name in more},
            )
            if spelled == (old_inlined, new_inlined):
                break
            old_inlined, new_inlined = spelled
        if not self._is_proved_on_paths(before, after, is_cautious=bool(excluded)):
            return False
        self.proved_on_paths.add(old)
        return True

    def _is_proved_on_paths(self, before: NormalForm, after: NormalForm, *, is_cautious: bool) -> bool:
        """Whether two normal forms that are written otherwise do the same on all paths."""
        if before.plain_parts != after.plain_parts or len(before.routines) != len(after.routines):
            return False
        revisions = [
            Revision(
                form.facts.program,
                form.facts.core_program,
                form.facts.effects,
                form.writer,
                words,
                is_cautious or form.facts.scheduler.has_asking_rules or bool(form.facts.program.external_terms),
                find_unbounded_names(form.routines),
            )
            for form, words in zip((before, after), self._words_of_both, strict=True)
        ]
        return all(map(LockstepComparison(*revisions).is_equivalent, before.routines, after.routines))

    @cached_property
    def _words_of_both(self) -> tuple[frozenset[str], frozenset[str]]:
        """Lists of words that both revisions have alike, by name."""
        old, new = (program.values for program in self._programs)
        pairs = [
            (name, to.name)
            for name in old
            if (to := self._old.names.get(DeclaredName("values", name), DeclaredName("values", name))).name in new
            and self._old.normal_form(DeclaredName("values", name)).text == self._new.normal_form(to).text
        ]
        return frozenset(name for name, _ in pairs), frozenset(name for _, name in pairs)

    def _is_verbatim_equal(self, old: DeclaredName, new: DeclaredName) -> bool:
        before = self._old.verbatim_tokens(old)
        if any(isinstance(node, st.Perform) and node.steps for node in walk_nodes(self._old.declarations[old])):
            return False  # what its steps do counts too
        return old == new and before == self._new.verbatim_tokens(new) and self._renamed_names.isdisjoint(before)

    @cached_property
    def _renamed_names(self) -> frozenset[object]:
        return frozenset(one for one, other in self._old.names.items() if one != other)

    def _old_callables(self, names: Collection[DeclaredName]) -> frozenset[str]:
        return frozenset(old.name for old, new in self.partners.items() if new in names)

    def _pairs_started_once(self) -> frozenset[tuple[DeclaredName, DeclaredName]]:
        """Pairs of procedures of which one is inner, so that only the other can be begun."""
        old, new = (program.procedures for program in self._programs)
        both = ((one, other) for one, other in self.partners.items() if one.sort == "procedure")
        return frozenset(pair for pair in both if old[pair[0].name].inner is not new[pair[1].name].inner)

    def _find_reordered_pairs(self) -> frozenset[tuple[DeclaredName, DeclaredName]]:
        """Pairs whose order counts and that changed sides with another pair."""
        result: set[tuple[DeclaredName, DeclaredName]] = set()
        places = {
            name: (group, place)
            for group, names in enumerate(self._new.ordered_groups)
            for place, name in enumerate(names)
        }
        for names in self._old.ordered_groups:
            known = [
                (declared_name, self.partners[declared_name])
                for declared_name in names
                if self.partners.get(declared_name) in places
            ]
            for number, pair in enumerate(known):
                for other in known[:number]:
                    if places[pair[1]][0] == places[other[1]][0] and places[pair[1]] < places[other[1]]:
                        result |= {pair, other}
        return frozenset(result)


def _have_names_moved(old: object, new: object) -> bool:
    """Whether a parameter of an external, which is told by its name to whoever answers, stands at another place."""
    if not isinstance(old, d.ExternalProcedure | d.ExternalTerm) or not isinstance(
        new, d.ExternalProcedure | d.ExternalTerm
    ):
        return False
    places = {parameter.name: place for place, parameter in enumerate(old.parameters)}
    return any(places.get(parameter.name, place) != place for place, parameter in enumerate(new.parameters))


def _names_compared_as_text(program: Program) -> set[DeclaredName]:
    """Options and dice whose names rules compare with a text, so that a rename changes play."""
    result: set[DeclaredName] = set()
    for declared in (*list_routines(program), *program.functions.values(), *program.events.values()):
        inside = list(walk_nodes(declared))
        asks = [(item, item.variable) for item in inside if isinstance(item, st.Ask)]
        asks += [(ask_all.question, ask_all.answers) for ask_all in inside if isinstance(ask_all, st.AskAll)]
        for ask, answer in asks:
            options = ask.shape.options if isinstance(ask.shape, st.Choose) else ()
            texts = _find_compared_texts(inside, answer)
            result |= {
                DeclaredName("option", option.address) for option in options if texts is None or option.id in texts
            }
        if any(isinstance(node, ex.DieAttribute) and node.name == "name" for node in inside):
            result |= {DeclaredName("die", die) for die in program.dice}
    return result


def _find_compared_texts(inside: list[Any], answer: ex.Variable) -> set[object] | None:
    """Texts that an answer is compared with; None where it is read in another way too."""
    reads = sum(isinstance(node, ex.Local) and node.variable == answer for node in inside)
    result = [
        comparison.right.value
        for comparison in inside
        if isinstance(comparison, ex.Comparison)
        and isinstance(comparison.left, ex.Local)
        and isinstance(comparison.right, ex.Literal)
        if comparison.left.variable == answer
    ]
    return set(result) if len(result) == reads else None


def _drop_inlined_procedures(
    program: Program, unproved: Iterable[DeclaredName], both: Collection[DeclaredName]
) -> tuple[DeclaredName, ...]:
    """Unproved declarations of one program without its own procedures to which only proved declarations lead.

    The proof of what performs such a procedure includes its lines. A procedure that plays begin with stays.
    """
    result = tuple(unproved)
    if not any(declared_name.sort == "procedure" and declared_name not in both for declared_name in result):
        return result
    entry_procedures = find_entry_procedures(program)
    performers: dict[str, set[DeclaredName]] = {}
    for word, sort in ROUTINE_GROUPS.items():
        for name, routine in getattr(program, sort).items():
            for node in walk_nodes(routine):
                if isinstance(node, st.Perform):
                    performers.setdefault(node.procedure, set()).add(DeclaredName(word, name))

    def needs_keeping(name: DeclaredName) -> bool:
        alone = name.sort == "procedure" and name not in both and name.name not in entry_procedures
        return not alone or not performers.get(name.name, set()).isdisjoint(result)

    while len(remaining := tuple(filter(needs_keeping, result))) < len(result):
        result = remaining
    return result


def _callable_names(names: Iterator[DeclaredName]) -> frozenset[str]:
    return frozenset(name.name for name in names if name.sort in _CALLABLE_SORTS)
