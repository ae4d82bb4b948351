"""Change points: the smallest expressions in which two revisions differ, and the procedures that can reach them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.differential_testing.altered_places import (
    AlteredPlaces,
    DeclarationPlace,
    MatchedPlaces,
    executable_declarations,
    find_changed_data,
    find_reordered_words,
    frame_signature,
    own_expressions,
    place_signature,
    starts_with_same_words,
)
from rulewright.diff.differential_testing.expression_inputs import (
    ExpressionLanguage,
    FallibilityAnalysis,
    evaluated_subexpressions,
)
from rulewright.diff.differential_testing.expression_tables import ExpressionTable, build_expression_table
from rulewright.diff.differential_testing.results import EquivalentPlace
from rulewright.diff.differential_testing.revision_translation import RevisionTranslations
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Hold, Procedure, Program, StandingRule
from rulewright.program.effects import ReadFootprint, StatePlaces, list_written_places
from rulewright.program.expressions import Binding, Expression, Typed
from rulewright.program.outline.items import DeclaredName
from rulewright.program.types import FlagType, NumberType, WordType, strip_optional
from rulewright.program.walk import compute_transitive_closure, get_contents, get_subexpressions

MAX_PLAYED_COMBINATIONS = 256
"""Input combinations of one expression that plays are asked to cover."""


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """Expression of a changed place, in one revision or both."""

    addresses: tuple[str, str]  # of the place in both; empty where a revision has no such expression
    texts: tuple[str, str]
    roots: tuple[Expression | None, Expression | None]
    table: ExpressionTable | None  # None if the inputs are infinite or too many
    role: str = ""  # parameter whose default it is; else empty
    open_question: str = ""  # what no play can settle, in words; else empty

    @property
    def is_pair(self) -> bool:
        return self.roots[0] is not None and self.roots[1] is not None


class ChangePoints:
    """Change points of all altered places.

    Attributes:
        points: in the order of the text; where only one revision has a point, the old one first.
        equivalent: pairs of changed places with equal results for every combination of their inputs.
    """

    def __init__(
        self,
        altered: AlteredPlaces,
        programs: tuple[Program, Program],
        translations: RevisionTranslations,
        more: MatchedPlaces = (),
    ) -> None:
        steady = FallibilityAnalysis(programs[0]), FallibilityAnalysis(programs[1])
        self._languages = tuple(
            ExpressionLanguage(programs, translations, altered.renamed, by_number, steady)
            for by_number in (False, True)
        )
        self.equivalent: list[tuple[DeclarationPlace, DeclarationPlace, tuple[ChangePoint, ...]]] = []
        self.points: list[ChangePoint] = []
        paired: tuple[set[int], set[int]] = (set(), set())
        doubtful = _find_ambiguous_words(translations)
        for first, second, by_number in (*altered.pairs, *more):
            if any(repr(item) in repr(place_signature(first, {}, by_number=False)) for item in doubtful):
                continue
            items = self._points_of_pair(first, second, self._languages[by_number])
            if items is None:
                self.points += _overflow_points(first, second)
                continue
            paired[0].add(id(first))
            paired[1].add(id(second))
            if all(
                change_point.is_pair and change_point.table is not None and not change_point.table.differing
                for change_point in items
            ):
                self.equivalent.append((first, second, tuple(items)))
            self.points += items
        beside = {id(neighbour) for neighbour in altered.neighbours}
        for side, changed in enumerate(altered.places):
            for place in changed:
                if id(place) not in paired[side] | beside:
                    for root in _played_expressions(place.node):
                        self.points += self._one_sided_points(root, side, place, self._languages[0])
        self.points += (*_stored_data_points(programs, translations), *_rule_timing_points(altered, programs))

    def _points_of_pair(
        self, first: DeclarationPlace, second: DeclarationPlace, language: ExpressionLanguage
    ) -> list[ChangePoint] | None:
        """Points of two places that differ in expressions alone; None where they differ in more."""
        if frame_signature(first.node, language.renamed, by_number=language.by_number) != frame_signature(
            second.node, {}, by_number=language.by_number
        ):
            return None
        result: list[ChangePoint] = list(_default_points(first, second, language))
        for old, new in zip(_played_expressions(first.node), _played_expressions(second.node), strict=True):
            result += self._find_smallest_points(old, new, (first, second), language)
        return result

    def _find_smallest_points(
        self,
        old: Expression,
        new: Expression,
        at: tuple[DeclarationPlace, DeclarationPlace],
        language: ExpressionLanguage,
    ) -> list[ChangePoint]:
        if language.expression_key(old, 0) == language.expression_key(new, 1):
            return []
        inner = self._points_of_parts(old, new, at, language)
        known = inner is not None and all(change_point.table is not None for change_point in inner)
        whole = build_expression_table((old, new), language)
        if whole is not None and not (inner and known and not self._is_evaluated_with(new, inner)):
            return [self._make_point((old, new), at, language, whole)]
        if inner is not None and known:
            return inner
        if inner is not None:
            return inner
        loose = self._make_point((old, new), at, language, None)
        alone = [
            sided_point
            for side, root in enumerate((old, new))
            for sided_point in self._one_sided_points(root, side, at[side], language)
        ]
        return [loose, *alone]

    @staticmethod
    def _is_evaluated_with(new: Expression, inner: Sequence[ChangePoint]) -> bool:
        """Whether the points lie in what is evaluated with an expression, not in its inputs."""
        near = {id(evaluated_subexpression) for evaluated_subexpression in evaluated_subexpressions(new)}
        return all(id(change_point.roots[1]) in near for change_point in inner)

    def _points_of_parts(
        self,
        old: Expression,
        new: Expression,
        at: tuple[DeclarationPlace, DeclarationPlace],
        language: ExpressionLanguage,
    ) -> list[ChangePoint] | None:
        """Points of the parts of two expressions of one form; None where their forms differ."""
        if _expression_form(old, language, 0) != _expression_form(new, language, 1):
            return None
        result: list[ChangePoint] = []
        for one, other in zip(get_subexpressions(old), get_subexpressions(new), strict=True):
            result += self._find_smallest_points(one, other, at, language)
        return result

    def _one_sided_points(
        self, root: Expression, side: int, place: DeclarationPlace, language: ExpressionLanguage
    ) -> Iterator[ChangePoint]:
        """Points of an expression that only one revision has: itself, and what it computes per member of a collection."""
        at = (place, None) if side == 0 else (None, place)
        roots = (root, None) if side == 0 else (None, root)
        inner: Sequence[Expression] = get_subexpressions(root)
        if isinstance(strip_optional(root.type), NumberType | FlagType | WordType):
            whole = build_expression_table(roots, language, MAX_PLAYED_COMBINATIONS)
            if whole is None or whole.atoms:
                yield self._make_point(roots, at, language, whole)
            if whole is not None:
                inner = [
                    part for _, node in whole.probed_expressions[side].values() for part in get_subexpressions(node)
                ]
        for item in inner:
            yield from self._one_sided_points(item, side, place, language)

    @staticmethod
    def _make_point(
        roots: tuple[Expression | None, Expression | None],
        at: tuple[DeclarationPlace | None, DeclarationPlace | None],
        language: ExpressionLanguage,
        whole: ExpressionTable | None,
    ) -> ChangePoint:
        texts = [language.expression_text(root, side) if root is not None else "" for side, root in enumerate(roots)]
        addresses = [declaration_place.address if declaration_place is not None else "" for declaration_place in at]
        return ChangePoint((addresses[0], addresses[1]), (texts[0], texts[1]), roots, whole)


def drop_equivalent_places(
    altered: AlteredPlaces, programs: tuple[Program, Program], translations: RevisionTranslations
) -> tuple[AlteredPlaces, tuple[EquivalentPlace, ...]]:
    """Altered places without those with equal results for all inputs; and the evidence for these."""
    points = ChangePoints(
        altered, programs, translations, tuple(_pair_changed_measure_places(altered, programs, translations))
    )
    if not points.equivalent:
        return altered, ()
    equivalent_ids = {id(place) for first, second, _ in points.equivalent for place in (first, second)}
    beside = {id(neighbour) for neighbour in altered.neighbours}
    remaining = [
        [declaration_place for declaration_place in side if id(declaration_place) not in equivalent_ids]
        for side in altered.places
    ]
    open_ = [
        {declaration_place.owner for declaration_place in side if id(declaration_place) not in beside}
        for side in remaining
    ]
    settled_owners = set[DeclaredName](), set[DeclaredName]()
    for first, second, _ in points.equivalent:
        if first.owner not in open_[0] and second.owner not in open_[1]:
            settled_owners[0].add(first.owner)
            settled_owners[1].add(second.owner)
    places = [
        tuple(declaration_place for declaration_place in side if declaration_place.owner not in settled_owners[at])
        for at, side in enumerate(remaining)
    ]
    names = altered.names[0] - settled_owners[0], altered.names[1] - settled_owners[1]
    return replace(altered, names=names, places=(places[0], places[1])), tuple(_describe_equivalent_places(points))


def _describe_equivalent_places(points: ChangePoints) -> Iterator[EquivalentPlace]:
    for first, second, result in points.equivalent:
        tables = [change_point.table for change_point in result if change_point.table is not None]
        reads = dict.fromkeys(atom.text for table in tables for atom in table.atoms)
        fixed_settings = dict.fromkeys(name for table in tables for name in table.fixed_settings)
        number = sum(table.count for table in tables)
        yield EquivalentPlace(first.address, second.address, tuple(reads), number, tuple(fixed_settings))


def _find_ambiguous_words(translations: RevisionTranslations) -> frozenset[str]:
    """Old words with several new counterparts, such as `health` of two kinds."""
    targets: dict[str, set[str]] = {}
    for old, new in translations.forward.names.names.items():
        targets.setdefault(old.short_name, set()).add(new.short_name)
    return frozenset(item for item, result in targets.items() if len(result) > 1)


def _played_expressions(node: Any) -> Iterator[Expression]:
    """Outermost expressions of a place without defaults, which no play computes."""
    defaults = {id(default) for default in node.defaults} if isinstance(node, Procedure) else set()
    yield from (expression for expression in own_expressions(node) if id(expression) not in defaults)  # type: ignore[misc]


def _pair_changed_measure_places(
    altered: AlteredPlaces, programs: tuple[Program, Program], translations: RevisionTranslations
) -> Iterator[tuple[DeclarationPlace, DeclarationPlace, bool]]:
    for name in sorted(altered.names[0]):
        other = translations.forward.names.names.get(name)
        if name.sort == "measure" and other in altered.names[1]:
            old, new = programs[0].measures[name.name], programs[1].measures[other.name]
            yield DeclarationPlace(name, name.name, old, 0), DeclarationPlace(other, other.name, new, 0), False


def _stored_data_points(programs: tuple[Program, Program], translations: RevisionTranslations) -> Iterator[ChangePoint]:
    """Points for changed stored data: any play that showed the change has diverged already."""
    names = translations.forward.names
    reordered = find_reordered_words(*programs, names)
    for word_list in reordered:
        question = f"the words of `{word_list}` stand in another order, which comparisons and lists follow, and no play showed it"
        yield ChangePoint(("", ""), ("", ""), (None, None), None, open_question=question)
    for old, new in find_changed_data(*programs, names):
        if old.sort not in {"die", "relation"} and not (
            reordered and starts_with_same_words(programs, (old, new), names)
        ):
            what = "has other words" if old.sort == "values" else "has another start value or other values"
            yield ChangePoint(
                ("", ""),
                ("", ""),
                (None, None),
                None,
                open_question=f"`{new.short_name}` {what}, and no play showed it",
            )


def _rule_timing_points(altered: AlteredPlaces, programs: tuple[Program, Program]) -> Iterator[ChangePoint]:
    """Points that show only where standing rules fire in between; plays that seldom reach that are no evidence."""
    for first, second, _ in altered.pairs:
        if isinstance(first.node, Procedure) and _held_rules(first.node) != _held_rules(second.node):
            yield _make_open_point(second, 1, "holds other rules")
        if isinstance(first.node, StandingRule) and first.node.priority != second.node.priority:
            yield _make_open_point(second, 1, "has another priority")
    beside = {id(neighbour) for neighbour in altered.neighbours}
    lines = [
        [
            declaration_place
            for declaration_place in side
            if isinstance(declaration_place.node, st.Line) and id(declaration_place) not in beside
        ]
        for side in altered.places
    ]
    together_counts = [
        sum(isinstance(declaration_place.node, st.Together) for declaration_place in side) for side in lines
    ]
    before = {repr(place_signature(line, altered.renamed, by_number=False)) for line in lines[0]}
    for side, program in enumerate(programs if any(lines) else ()):
        rules = [(rule.binding, rule.condition) for rule in program.rules.values()]
        footprint, inside = ReadFootprint(program), _lines_settled_together(program)
        read = frozenset[str]().union(*map(footprint.collect_read_places, rules))
        for place in (line for line in lines[side] if read & _list_written_places(line.node)):
            if isinstance(place.node, st.Together) and together_counts[0] != together_counts[1]:
                yield _make_open_point(place, side, "is in one of them only")
            elif (
                side == 1
                and id(place.node) not in inside
                and repr(place_signature(place, {}, by_number=False)) in before
            ):
                yield _make_open_point(place, side, "comes at another time")


def _list_written_places(node: object) -> StatePlaces:
    """State places that lines change."""
    lines = (line for line in walk_nodes(node) if isinstance(line, st.Line))
    return frozenset[str]().union(*map(list_written_places, lines))  # type: ignore[arg-type]


def _make_open_point(place: DeclarationPlace, side: int, what: str) -> ChangePoint:
    addresses = ("", place.address) if side else (place.address, "")
    return ChangePoint(
        addresses, ("", ""), (None, None), None, open_question=f"`{place.address}` {what}, and no play showed it"
    )


def _lines_settled_together(program: Program) -> set[int]:
    blocks = (
        node
        for _, declared in executable_declarations(program)
        for node in walk_nodes(declared)
        if isinstance(node, st.Together)
    )
    return {id(line) for block in blocks for line in walk_nodes(block.block)}


def _held_rules(procedure: Procedure) -> frozenset[str]:
    return frozenset(rule for hold in procedure.opening if isinstance(hold, Hold) for rule in hold.rules)


def _overflow_points(first: DeclarationPlace, second: DeclarationPlace) -> Iterator[ChangePoint]:
    """Points where a line behaves differently when a value does not fit; a play that reached it has diverged already."""
    old, new = first.node, second.node
    if isinstance(old, st.AddAmount) and isinstance(new, st.AddAmount):
        translations = [
            (add_amount.up_to, add_amount.low, add_amount.high, add_amount.otherwise is None)
            for add_amount in (old, new)
        ]
        if translations[0] != translations[1]:
            open_question = f"`{second.address}` was never tried without room"
            yield ChangePoint(
                (first.address, second.address), ("", ""), (None, None), None, open_question=open_question
            )


def _default_points(
    first: DeclarationPlace, second: DeclarationPlace, language: ExpressionLanguage
) -> Iterator[ChangePoint]:
    if isinstance(first.node, Procedure) and isinstance(second.node, Procedure):
        pairs = zip(second.node.parameters, first.node.defaults, second.node.defaults, strict=True)
        for parameter, old, new in pairs:
            if (
                old is not None
                and new is not None
                and language.expression_key(old, 0) != language.expression_key(new, 1)
            ):
                texts = language.expression_text(old, 0), language.expression_text(new, 1)
                yield ChangePoint((first.address, second.address), texts, (None, None), None, parameter.name)


def _expression_form(node: Expression, language: ExpressionLanguage, side: int) -> object:
    """Signature of an expression without its subexpressions."""
    renamed = {} if side else language.renamed
    return type(node).__name__, [_part_form(content, language, renamed) for content in get_contents(node)]


def _part_form(part: Any, language: ExpressionLanguage, renamed: Any) -> object:
    if isinstance(part, Typed):
        return "·"
    if isinstance(part, Binding):
        where = part.where is not None
        return [frame_signature(variable, renamed, by_number=language.by_number) for variable in part.variables], where
    if isinstance(part, tuple):
        return [_part_form(item, language, renamed) for item in part]
    return frame_signature(part, renamed, by_number=language.by_number)


STATE_SORTS = frozenset(
    {"values", "word", "die", "kind", "plural", "record", "part", "board"}
    | {"attribute", "cell", "side", "field", "setting", "relation"}
)
"""Sorts of names on which every state may depend by start values, whatever a procedure mentions."""


def procedures_reaching(program: Program, changed: Iterable[DeclaredName]) -> frozenset[str]:
    """Procedures that can reach a changed declaration, or a standing rule or condition that can.

    Standing rules and conditions that always hold are tried in every play. Changed stored data counts for every
    procedure: a state holds it before anything is carried out. Measures count for none.
    """
    wanted = frozenset(changed)
    if any(declared_name.sort in STATE_SORTS for declared_name in wanted):
        return frozenset(program.procedures)
    leading = _names_leading_to(_build_mention_graph(program), wanted)
    if any(declared_name.sort in {"rule", "invariant"} for declared_name in leading):
        return frozenset(program.procedures)
    return frozenset(name for name in program.procedures if DeclaredName("procedure", name) in leading)


def functions_reaching(program: Program, changed: Iterable[DeclaredName]) -> frozenset[str]:
    """Functions that changed, or that compute with something that did."""
    leading = _names_leading_to(_build_mention_graph(program), frozenset(changed))
    return frozenset(name for name in program.functions if DeclaredName("function", name) in leading)


def measures_reaching(program: Program, changed: Iterable[DeclaredName]) -> frozenset[str]:
    """Measures that changed, or that compute with something that did."""
    leading = _names_leading_to(_build_mention_graph(program), frozenset(changed))
    return frozenset(
        name
        for name, measure in program.measures.items()
        if DeclaredName("measure", name) in leading or not leading.isdisjoint(_mentions_in(measure, program))
    )


def find_entry_procedures(program: Program) -> frozenset[str]:
    """Procedures that plays begin with: performed by nothing, or only by each other."""
    graph = _build_mention_graph(program)
    procedures = {
        DeclaredName("procedure", name) for name, procedure in program.procedures.items() if not procedure.inner
    }
    performed = {
        declared_name
        for name, result in graph.items()
        for declared_name in result
        if declared_name.sort == "procedure" and declared_name != name
    }
    first = procedures - performed
    reached = _reachable_names(
        graph, [*first, *(declared_name for declared_name in graph if declared_name.sort == "rule")]
    )
    return frozenset(declared_name.name for declared_name in first | (procedures - reached))


def _reachable_names(
    graph: Mapping[DeclaredName, frozenset[DeclaredName]], start: Iterable[DeclaredName]
) -> frozenset[DeclaredName]:
    return compute_transitive_closure(start, lambda name: graph.get(name, frozenset()))


def _names_leading_to(
    graph: Mapping[DeclaredName, frozenset[DeclaredName]], wanted: Iterable[DeclaredName]
) -> frozenset[DeclaredName]:
    back: dict[DeclaredName, list[DeclaredName]] = {}
    for name, mentioned in graph.items():
        for declared_name in mentioned:
            back.setdefault(declared_name, []).append(name)
    return compute_transitive_closure(wanted, lambda name: back.get(name, ()))


def _build_mention_graph(program: Program) -> dict[DeclaredName, frozenset[DeclaredName]]:
    """Mention graph of the declarations; an event mentions its handlers."""
    result = {name: frozenset(_mentions_in(declared, program)) for name, declared in executable_declarations(program)}
    for name, handler in program.handlers.items():
        event = DeclaredName("event", handler.event)
        result[event] = result[event] | {DeclaredName("handler", name)}
    return result


def _mentions_in(declared: object, program: Program) -> Iterator[DeclaredName]:
    for node in walk_nodes(declared):
        match node:
            case st.Perform(procedure=name):
                yield DeclaredName("procedure", name)
            case st.PerformExternal(external=name) | ex.ExternalValue(external=name):
                yield DeclaredName("external", name)
            case st.Trigger(event=name):
                yield DeclaredName("event", name)
            case st.Remove(events=events):
                yield from (DeclaredName("event", event) for event in events)
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                yield DeclaredName("function", name)
            case ex.Builtin(relation=name) if name in program.functions:
                yield DeclaredName("function", name)
