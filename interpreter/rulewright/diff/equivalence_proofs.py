"""Equivalence proofs of declarations: equal normal forms, matched with inlining where needed, else the solver."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import map_children, walk_nodes
from rulewright.diff.differential_testing.change_points import find_entry_procedures
from rulewright.diff.edits import Correspondence
from rulewright.diff.item_matching import translate_names
from rulewright.diff.normal_forms import Normalizer
from rulewright.diff.normal_forms.declared_parts import ROUTINE_GROUPS
from rulewright.diff.proving import prove_declarations_equal
from rulewright.diff.proving.equivalence_query import (
    SOLVER_STEP_LIMIT,
    EquivalenceResult,
    SituationWish,
    find_called_functions,
)
from rulewright.diff.proving.shared_symbols import NumberBounds, ProofRevision, type_signature
from rulewright.diff.proving.solver_terms import SOLVER_MISSING, load_solver
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import chain_conditions
from rulewright.program.declarations import Program
from rulewright.program.outline.items import NAME_FINDERS, DeclaredName, NamingContext
from rulewright.program.types import FLAG
from rulewright.program.walk import list_routines

_PASSIVE_SORTS = frozenset(
    "values die kind record board attribute cell side field setting relation function external event".split()  # noqa: SIM905
)
_CALLABLE_SORTS = frozenset({"function", "attribute", "procedure"})
_MAX_INLINING_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class UnprovedDeclarations:
    """Declarations not proved to be equivalent."""

    old: tuple[DeclaredName, ...]  # of the old revision, altered or removed
    new: tuple[DeclaredName, ...]  # of the new one, altered or added
    # pairs that changed sides where order counts, or of which only one can be begun: no proof helps
    reordered: frozenset[tuple[DeclaredName, DeclaredName]] = frozenset()


class DeclarationPairs:
    """Declarations of two programs, paired by name.

    Attributes:
        correspondence: of names, without those that rules read as texts.
        partners: new names by old ones, of the declarations that both have.
    """

    def __init__(self, old: Program, new: Program, same: Correspondence) -> None:
        options = {
            DeclaredName("option", before): DeclaredName("option", after) for before, after in same.addresses.items()
        }
        self._programs = old, new
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
            drop_inlined_procedures(self._programs[0], old_unproved, self.partners.keys()),
            drop_inlined_procedures(self._programs[1], new_unproved, new_partners),
            reordered,
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
                return False
            old_inlined, new_inlined = spelled
        return False

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


def drop_inlined_procedures(
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


_MAX_SOLVER_PAIRS = 150
"""Pairs of declarations given to the solver per comparison."""
_SHAPE_SORTS = frozenset({"values", "word", "kind", "record", "part", "board", "relation", "die", "external"})
"""Sorts of declarations that change the values of unchanged functions."""


@dataclass(frozen=True, slots=True)
class UnprovedPair:
    """Declaration of both revisions that the solver could not prove equivalent, by old and new name."""

    old: DeclaredName
    new: DeclaredName
    reason: str
    wishes: tuple[SituationWish, ...]


@dataclass(frozen=True, slots=True)
class SolverResult:
    """Answers of the solver for declarations with different normal forms."""

    unproved: UnprovedDeclarations  # what is not proved to play alike
    proved_pairs: tuple[tuple[DeclaredName, DeclaredName], ...] = ()  # by old and new name
    unproved_pairs: tuple[UnprovedPair, ...] = ()
    missing_solver: str = ""  # what to say where there is no solver; empty where it was asked, or had nothing to say

    @property
    def wishes(self) -> tuple[SituationWish, ...]:
        """Situations worth playing, found by the solver as counterexamples."""
        return tuple(wish for unproved_pair in self.unproved_pairs for wish in unproved_pair.wishes)


def prove_with_solver(
    old: Program, new: Program, names: Correspondence, unproved: UnprovedDeclarations, limit: int = SOLVER_STEP_LIMIT
) -> SolverResult:
    """Unproved declarations without those that the solver proves equivalent in every situation.

    Deterministic: the limit counts the solver's steps, not time.
    """
    pairs = tuple(_solvable_pairs(old, new, names, unproved))
    if not pairs or load_solver() is None:
        return SolverResult(unproved, missing_solver=SOLVER_MISSING if pairs else "")
    solver = _PairSolver(old, new, names, unproved, limit)
    proved: list[tuple[DeclaredName, DeclaredName]] = []
    open_: list[UnprovedPair] = []
    for before, after in pairs[:_MAX_SOLVER_PAIRS]:
        result = solver.prove_pair(before, after)
        if result.is_equivalent:
            proved.append((before, after))
        else:
            open_.append(UnprovedPair(before, after, result.reason, result.wishes))
    proved_names = {declared_name for pair in proved for declared_name in pair}
    old_unproved, new_unproved = (
        tuple(declared_name for declared_name in side if _declaration_name(declared_name) not in proved_names)
        for side in (unproved.old, unproved.new)
    )
    back = names.invert_direction().names
    rest = UnprovedDeclarations(
        drop_inlined_procedures(old, old_unproved, names.names),
        drop_inlined_procedures(new, new_unproved, back),
        unproved.reordered,
    )
    return SolverResult(rest, tuple(proved), tuple(open_))


def _declaration_name(name: DeclaredName) -> DeclaredName:
    return DeclaredName("procedure", name.owner) if name.sort in {"step", "parameter"} else name


def _solvable_pairs(
    old: Program, new: Program, names: Correspondence, unproved: UnprovedDeclarations
) -> Iterator[tuple[DeclaredName, DeclaredName]]:
    """Unproved declarations of both revisions that have formulas, by old and new name."""
    old_names = names.invert_direction().names
    candidates = dict.fromkeys(_declaration_name(declared_name) for declared_name in unproved.old)
    candidates |= dict.fromkeys(
        old_names[declared_name] for declared_name in map(_declaration_name, unproved.new) if declared_name in old_names
    )
    for before in candidates:
        after = names.names.get(before)
        if after is None or (before, after) in unproved.reordered:
            continue
        if after.sort == before.sort and _find_solvable_node(old, before) and _find_solvable_node(new, after):
            yield before, after


def _find_solvable_node(program: Program, name: DeclaredName) -> d.Declared | None:
    if name.sort in {"function", "attribute"}:
        return program.functions.get(name.name)
    result = getattr(program, ROUTINE_GROUPS[name.sort]).get(name.name) if name.sort in ROUTINE_GROUPS else None
    return result if isinstance(result, d.Declared) else None


class _PairSolver:
    def __init__(
        self, old: Program, new: Program, names: Correspondence, unproved: UnprovedDeclarations, limit: int
    ) -> None:
        self._names = names.names
        self._limit = limit
        back = names.invert_direction()
        old_unchanged, new_unchanged = _find_unchanged_functions(old, new, names, unproved)
        self._old = ProofRevision(
            "old", old, names.find_new_name, lambda name: name in old_unchanged, NumberBounds(old)
        )
        known = frozenset(back.names)
        self._new = ProofRevision(
            "new",
            new,
            lambda sort, name: name if DeclaredName(sort, name) in known else None,
            lambda name: name in new_unchanged,
            NumberBounds(new),
        )
        self._programs = old, new
        self._forms = Normalizer(old, names.names), Normalizer(new, {})

    def prove_pair(self, before: DeclaredName, after: DeclaredName) -> EquivalenceResult:
        here, there = (
            form.performed_ranges(name, own_lines=False)
            for form, name in zip(self._forms, (before, after), strict=True)
        )
        if here != there:
            return EquivalenceResult(is_equivalent=False, reason="they perform other steps")
        old, new = (form.declarations[name] for form, name in zip(self._forms, (before, after), strict=True))
        if isinstance(old, d.Function) and isinstance(new, d.Function) and not self._has_equal_bounds(old, new):
            return EquivalenceResult(is_equivalent=False, reason="names that hold its result may hold other numbers")
        same_field = self._make_field_test(before, after)
        result = prove_declarations_equal(self._old, self._new, (old, new), same_field, self._limit)
        spelled = _spell_matches(old), _spell_matches(new)
        if result.is_equivalent or (spelled[0] is old and spelled[1] is new):
            return result
        again = prove_declarations_equal(self._old, self._new, spelled, same_field, self._limit)
        return again if again.is_equivalent else result

    def _has_equal_bounds(self, old: d.Function, new: d.Function) -> bool:
        """Whether a function has results of one type, or no routine counts within bounds given by what it calls."""
        if type_signature(old.type, self._old) == type_signature(new.type, self._new):
            return True
        old_, new_ = self._programs
        pairs = [
            (one, getattr(new_, sort).get(self._names.get(DeclaredName(word, name), DeclaredName("", "")).name))
            for word, sort in ROUTINE_GROUPS.items()
            for name, one in getattr(old_, sort).items()
        ]
        return all(other is None or _counter_bounds(one) == _counter_bounds(other) for one, other in pairs)

    def _make_field_test(self, before: DeclaredName, after: DeclaredName) -> Any:  # as `FieldComparison`
        within = NamingContext(self._old.program, before.name), NamingContext(self._new.program, after.name)

        def is_same_field(old: Any, new: Any, name: str) -> bool | None:
            if isinstance(old, d.Step) and name == "id":
                stood = DeclaredName("step", f"{before.name}/{old.id}")
                return self._names.get(stood, stood) == DeclaredName("step", f"{after.name}/{new.id}")
            naming = NAME_FINDERS.get(type(old), {}).get(name)
            if naming is None:
                return _has_same_reference(self._names, old, new, name)
            return translate_names(naming(old, within[0]), self._names) == naming(new, within[1])

        return is_same_field


def _spell_matches(node: Any) -> Any:
    """A declaration with each `match` as branches; its cases cover all values."""
    if isinstance(node, ex.Typed):
        return node
    rebuilt = map_children(node, _spell_matches)
    if not isinstance(rebuilt, st.Match) or len(rebuilt.cases) < 2:  # noqa: PLR2004 - a branch and the rest
        return rebuilt
    if any(isinstance(item, ex.ExternalValue) for item in walk_nodes(rebuilt.subject)):
        return rebuilt  # each value is asked for once
    *cases, last = rebuilt.cases
    subject, span = rebuilt.subject, rebuilt.span
    branches = [st.Branch(_make_equality(subject, case.values), case.block, (), span) for case in cases]
    return st.If(address=rebuilt.address, cites=(), span=span, branches=tuple(branches), otherwise=last.block)


def _make_equality(subject: ex.Expression, values: tuple[ex.Expression, ...]) -> ex.Expression:
    """Whether a value is one of some others."""
    span = subject.span
    equal = [ex.Comparison(type=FLAG, span=span, operator="=", left=subject, right=value) for value in values]
    return chain_conditions(equal, "or", span)


def _counter_bounds(routine: d.Declared) -> list[tuple[int | None, int | None]]:
    """Bounds of names that lines count up and down in, and of dice with computed faces."""
    result: list[tuple[int | None, int | None]] = []
    for node in walk_nodes(routine):
        if isinstance(node, st.AddAmount) and isinstance(node.place, st.VariablePlace):
            result.append((node.low, node.high))
        elif isinstance(node, st.ComputedDie):
            result.append((1, node.most))
    return result


def _has_same_reference(names: Mapping[DeclaredName, DeclaredName], old: Any, new: Any, field: str) -> bool | None:
    """Whether declarations name the same event or the same standing rules; None for any other field."""
    sort = {(d.Handler, "event"): "event", (d.Watch, "event"): "event", (d.Hold, "rules"): "rule"}.get(
        (type(old), field)
    )
    if sort is None:
        return None
    stood, stands = getattr(old, field), getattr(new, field)
    old_names, new_names = (item if isinstance(item, tuple) else (item,) for item in (stood, stands))
    return translate_names(tuple(DeclaredName(sort, item) for item in old_names), names) == tuple(
        DeclaredName(sort, their) for their in new_names
    )


def _find_unchanged_functions(
    old: Program, new: Program, names: Correspondence, unproved: UnprovedDeclarations
) -> tuple[set[str], set[str]]:
    """Functions that are equal in both revisions with all they call, by old and by new name."""
    altered = {*unproved.old, *unproved.new}
    if any(declared_name.sort in _SHAPE_SORTS for declared_name in altered):
        return set(), set()
    pairs = {
        before.name: after.name
        for before, after in names.names.items()
        if before.sort in {"function", "attribute"}
        and before.name in old.functions
        and after.name in new.functions
        and before not in unproved.old
        and after not in unproved.new
    }
    called = {
        name: find_called_functions(old, name) | _translate_called(find_called_functions(new, pairs[name]), pairs)
        for name in pairs
    }
    known = set(pairs)
    while lost := {name for name in known if not called[name] <= known}:
        known -= lost
    return known, {pairs[name] for name in known}


def _translate_called(called: set[str], pairs: Mapping[str, str]) -> set[str]:
    stood = {after: before for before, after in pairs.items()}
    return {stood.get(item, f"new: {item}") for item in called}
