"""Lint: declarations never used, words never assigned, choices left open, rows said twice, empty titles (manual, What is checked).

Unused names of routines are found in `routines.flow_checks`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname

from rulewright.base.diagnostics import DiagnosticCollector, Edit, Label
from rulewright.base.diagnostics.remedies import make_deletion_edits, make_replacement_remedy
from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Span
from rulewright.checker.addresses import get_node_name
from rulewright.checker.clauses import find_spans_under_rulings
from rulewright.checker.facts.fact_store import FactKey, Facts, make_key, make_members_key
from rulewright.checker.facts.prover import compute_number_range
from rulewright.checker.finding_codes import (
    NEVER_ASSIGNED_WORD_CODE,
    NEVER_SET_FIELD_CODE,
    UNUSED_DECLARATION_CODE,
)
from rulewright.checker.read_sets import list_declaration_nodes
from rulewright.checker.symbols import (
    ATTRIBUTE_SPACE,
    LOCAL_SPACE,
    NAME_SPACES,
    PREFIX_SPACE,
    VALUE_SPACE,
    WORD_SPACE,
    LinkedModule,
    LinkedProgram,
)
from rulewright.program import expressions as ex, statements as s
from rulewright.program.conditions import make_size_expression, split_conjuncts
from rulewright.program.declarations import Event, Paths, Program, Tally, Watch
from rulewright.program.expressions import Binding, Expression, TableRow, TallyRow, Variable
from rulewright.program.types import GRID_STEPS, RecordType, Type, WordType, list_held_types
from rulewright.program.walk import list_lines_of_class, list_routines, walk_routine_lines, walk_subexpressions
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import IfValue, NamedType, OptionalType, Title
from rulewright.syntax.nodes.statements import Option

_BUILTIN_FIELD_NAMES = frozenset({"at", "facing", "base", "owner"})
_BRACES_PATTERN = re.compile(r"\{[A-Za-z_][A-Za-z0-9_.]*\}")
_COMPUTED_TYPES = (d.Term, d.Tally, d.Decide, d.Paths, d.Measure)
_DECLARATION_WORDS = {d.Term: "term", d.Tally: "tally", d.Decide: "decide", d.Table: "table", d.Paths: "paths"}
_UsableDeclaration = d.Term | d.Tally | d.Decide | d.Table | d.Paths | d.Setting | d.Values | d.Procedure


_UseSpans = Mapping[tuple[str, str, str], list[Span]]
"""Places of names, by name space, owner and name."""


def check_unused(linked: LinkedProgram, changed: frozenset[str], report: DiagnosticCollector) -> None:
    """Warns of parameters (RW0230), attributes (RW0231), prefixes (RW0232) and declarations (RW0560) without use.

    Also of parts of results that nothing reads (RW0567), and of game fields that are read and never set, that is, not
    in `changed` (RW0568). Declarations of a used file, procedures and events may be used elsewhere. What lines only
    write is for people to read.
    """
    uses: dict[tuple[str, str, str], list[Span]] = defaultdict(list)
    for use in report.uses:
        uses[use.space, use.owner, use.name].append(use.span)
    bound = {node.to.parts[-1].text for _, node in linked.iterate_declarations(d.Bind)}
    for module in linked.modules:
        for node in module.declarations:
            _check_unused_parameters(node, uses, bound, module, report)
        _check_unused_prefixes(module, uses, report)
    for module in linked.modules:
        _check_unused_attributes(module, uses, report)
    _check_unused_declarations(linked, uses, report)
    for node in _iterate_checked_declarations(linked):
        match node:
            case d.ExternalProcedure():
                _check_unused_results(node, uses, report)
                _check_silent_external(node, report)
            case d.Game() if node.span not in find_spans_under_rulings(linked):
                _check_never_set_fields(node, uses, changed, report)


def _check_unused_parameters(
    node: d.Declaration, uses: _UseSpans, bound: set[str], module: LinkedModule, report: DiagnosticCollector
) -> None:
    """Warns of unused parameters; those of externals and of what is bound to them are given from outside."""
    if not isinstance(node, (*_COMPUTED_TYPES, d.Procedure)) or node.name.text in bound:
        return
    report.address = module.prefix + node.name.text
    for parameter in node.parameters:
        if (LOCAL_SPACE, report.address, parameter.name.text) not in uses:
            message = f"nothing reads `{parameter.name.text}`"
            remedy = "take the parameter out, or use it"
            report.warning(
                "RW0230",
                parameter.name.span,
                message,
                help=remedy,
                edits=_remove_parameter_edit(parameter, node.parameters),
            )


def _remove_parameter_edit(parameter: d.Parameter, among: tuple[d.Parameter, ...]) -> tuple[Edit, ...]:
    place = among.index(parameter)
    source = parameter.span.source
    if place + 1 < len(among):
        return make_deletion_edits(Span(source, parameter.span.start, among[place + 1].span.start))
    return make_deletion_edits(
        Span(source, among[place - 1].span.end if place else parameter.span.start, parameter.span.end)
    )


def _check_unused_prefixes(module: LinkedModule, uses: _UseSpans, report: DiagnosticCollector) -> None:
    report.address = ""
    for file in module.files:
        for header in file.headers:
            if (
                isinstance(header, d.UseHeader)
                and header.prefix
                and not any(
                    span.source in module.sources for span in uses.get((PREFIX_SPACE, "", header.prefix.text), ())
                )
            ):
                message = f"nothing of `{header.prefix.text}` is used"
                report.warning(
                    "RW0232", header.head, message, help="take this line out", edits=make_deletion_edits(header.head)
                )


def _check_unused_attributes(module: LinkedModule, uses: _UseSpans, report: DiagnosticCollector) -> None:
    for node in module.declarations:
        if not isinstance(node, d.Kind | d.Board | d.Game):
            continue
        owner = "game" if isinstance(node, d.Game) else node.name.text
        for item in node.fields:
            name = item.name.text
            key = (
                (VALUE_SPACE, "", module.prefix + name)
                if isinstance(node, d.Game)
                else (ATTRIBUTE_SPACE, module.prefix + owner, name)
            )
            if key not in uses and name not in _BUILTIN_FIELD_NAMES:
                report.address = f"{module.prefix}{owner}/{item.name.text}"
                message = f"no line mentions `{item.name.text}`"
                report.warning(
                    "RW0231",
                    item.name.span,
                    message,
                    help="take it out, or use it",
                    edits=make_deletion_edits(item.span),
                )


def _check_unused_declarations(linked: LinkedProgram, uses: _UseSpans, report: DiagnosticCollector) -> None:
    amended = {part for amendment in linked.amendments for part in amendment.address.split("/")[:1]}
    listed = {owner for space, owner, _ in uses if space == WORD_SPACE}
    for node in _iterate_checked_declarations(linked):
        if not isinstance(node, _UsableDeclaration) or (isinstance(node, d.Procedure) and not node.inner):
            continue
        name = node.name.text
        places = uses.get((NAME_SPACES[type(node)], "", name), ())
        if name in amended | listed or any(not node.span.contains(span) for span in places):
            continue
        report.address = node.name.text
        verb = "perform" if isinstance(node, d.Procedure) else "use"
        remedy = f"take it out, or {verb} it"
        report.warning(
            UNUSED_DECLARATION_CODE,
            node.name.span,
            _describe_unused(node),
            help=remedy,
            edits=make_deletion_edits(node.span),
        )


def _check_unused_results(node: d.ExternalProcedure, uses: _UseSpans, report: DiagnosticCollector) -> None:
    for result in node.results:
        if (ATTRIBUTE_SPACE, node.name.text, result.name.text) not in uses:
            report.address = node.name.text
            message = f"nothing reads `{result.name.text}` of what `{node.name.text}` gives"
            edits = _remove_parameter_edit(result, node.results) if len(node.results) > 1 else ()
            report.warning("RW0567", result.name.span, message, help="take it out, or read it", edits=edits)


def _check_silent_external(node: d.ExternalProcedure, report: DiagnosticCollector) -> None:
    if node.gives is None and not node.results and not node.changes:
        report.address = node.name.text
        message = f"`{node.name.text}` gives nothing and changes nothing, so it makes no difference in any play"
        remedy = "declare its result with `gives` or `changes`, or write an `event`, to which other rules can react"
        report.warning("RW0571", node.name.span, message, help=remedy)


def _check_never_set_fields(
    node: d.Game, uses: _UseSpans, changed: frozenset[str], report: DiagnosticCollector
) -> None:
    for game_field in node.fields:
        name = game_field.name.text
        given = not isinstance(game_field, d.StoredField) or game_field.start is None
        if not given and (VALUE_SPACE, "", name) in uses and name not in changed:
            report.address = name
            remedy = (
                "set it somewhere, make it a `setting`, or leave out its start, and every state gives it; "
                "if it is meant, write a `ruling` above `game:`"
            )
            report.warning(
                NEVER_SET_FIELD_CODE, game_field.name.span, f"`{name}` is read, and nothing ever sets it", help=remedy
            )


def _iterate_checked_declarations(linked: LinkedProgram) -> Iterator[d.Declaration]:
    """Declarations of the checked texts; none where nothing begins, for such a text is written for others to use."""
    sources, declarations = find_checked_sources(linked), linked.main.declarations
    if any(isinstance(declaration, d.Procedure | d.Handler | d.Whenever) for declaration in declarations):
        yield from (declaration for declaration in declarations if declaration.span.source in sources)


def find_checked_sources(linked: LinkedProgram) -> set[str]:
    """Texts that lint looks at: overlays, else the main file and the parts of it in its folder."""
    return {overlay.span.source for overlay in linked.overlays} or set(_iterate_main_sources(linked.main))


def _iterate_main_sources(main: LinkedModule) -> Iterator[str]:
    if main.header is None:
        return
    whole = main.header.span.source
    yield whole
    for file in main.files:
        beside = dirname(file.span.source) == dirname(whole)
        if beside and not any(isinstance(header, d.RulesetHeader) for header in file.headers):
            yield file.span.source


def _describe_unused(node: _UsableDeclaration) -> str:
    name = node.name.text
    match node:
        case d.Values():
            return f"nothing uses the words of `{name}`"
        case d.Setting():
            return f"nothing reads the setting `{name}`"
        case d.Procedure():
            return f"nothing performs the inner procedure `{name}`"
        case _:
            return f"nothing uses the {_DECLARATION_WORDS[type(node)]} `{name}`"


def check_nested_conditionals(linked: LinkedProgram, report: DiagnosticCollector) -> None:
    """Hints at `decide` where one `if(…)` chooses another (RW0334), once for each chain, at its outermost."""
    remedy = "write `decide NAME:` with a row for each case, and read the name"
    for module in linked.modules:
        for declaration in module.declarations:
            name = get_node_name(declaration)
            report.address = module.prefix + name.text if name else ""
            values = [inner for inner in list_declaration_nodes(declaration) if isinstance(inner, IfValue)]
            chosen = {
                value.span: [one.span for one in (value.then, value.otherwise) if isinstance(one, IfValue)]
                for value in values
            }
            inner = {span for spans in chosen.values() for span in spans}
            for span in sorted(item for item, spans in chosen.items() if spans and item not in inner):
                report.hint("RW0334", span, "one `if(…)` chooses another here", help=remedy)
    report.address = ""


def check_title_texts(linked: LinkedProgram, report: DiagnosticCollector) -> None:
    """Reports revisions (an error) and titles (a warning) without a letter or figure (RW0414), and braces (RW0596).

    A word or an answer may be shown as a sign: charts print `-` where nothing happens.
    """
    report.address = ""
    for header in linked.iterate_headers():
        if isinstance(header, d.RulesetHeader | d.AmendsHeader) and _is_title_empty(header.revision):
            number, remedy = Edit(header.revision.span, '"1"'), 'say which it is: `revision "1"`'
            report.error("RW0414", header.revision.span, "the revision is empty", help=remedy, edits=(number,))
    signs = {node.title for node in _iterate_nodes(linked) if isinstance(node, d.Word | Option)}
    for title in _iterate_titles(linked):
        if _is_title_empty(title) and (title not in signs or not title.text.strip()):
            message = "this title has no words"
            report.warning(
                "RW0414", title.span, message, help="leave it out, or write it", edits=make_deletion_edits(title.span)
            )
        for braces in _BRACES_PATTERN.findall(title.text):
            remedy = "say it in words, such as `this unit`: a text is the same in every play"
            report.hint("RW0596", title.span, f"`{braces}` is printed as it stands, not as a value", help=remedy)


def check_grids_have_boards(linked: LinkedProgram, report: DiagnosticCollector) -> None:
    """Reports places of things on a grid that no board has, where there are boards of cells (RW0242)."""
    boards = {
        item.space.text: item.name.text
        for _, item in linked.iterate_declarations(d.Board)
        if item.space.text in GRID_STEPS
    }
    for kind in (declaration for declaration in linked.main.declarations if isinstance(declaration, d.Kind) and boards):
        for place in (field for field in kind.fields if isinstance(field, d.StoredField) and field.name.text == "at"):
            inner = place.type.inner if isinstance(place.type, OptionalType) else place.type
            grid = ".".join(part.text for part in inner.name.parts) if isinstance(inner, NamedType) else ""
            if grid in GRID_STEPS and grid not in boards:
                space, board = next(iter(boards.items()))
                message = f"no board is of `{grid}`: `{board}` is of `{space}`, and things stand on its cells"
                report.error(
                    "RW0242",
                    inner.span,
                    message,
                    remedy=make_replacement_remedy(space, inner.span, safe=len(boards) == 1),
                )


def _iterate_titles(linked: LinkedProgram) -> Iterator[Title]:
    for module in linked.modules:
        for file in module.files:
            yield from (header.title for header in file.headers if header.title is not None)
    yield from (node for node in _iterate_nodes(linked) if isinstance(node, Title))


def _iterate_nodes(linked: LinkedProgram) -> Iterator[object]:
    for module in linked.modules:
        for node in module.declarations:
            yield from list_declaration_nodes(node)


def _is_title_empty(title: Title) -> bool:
    return not any(item.isalnum() for item in title.text)


def check_implicit_choices(program: Program, linked: LinkedProgram, facts: Facts, report: DiagnosticCollector) -> None:
    """Warns of windows without an order of players (RW0564) and of equal rows of a tally (RW0566).

    Also of events of the checked texts that something waits for and nothing triggers (RW0569), where anything begins.
    """
    checked_sources, ruled = find_checked_sources(linked), find_spans_under_rulings(linked)
    begins = any(not procedure.inner for procedure in program.procedures.values())
    waiting = _find_untriggered_events(program) if begins else {}
    for event in program.events.values():
        report.address = event.name
        _check_window_order(event, program, facts, report)
        if event.span.source in checked_sources and not event.on_removal and event.name in waiting:
            _warn_never_triggered(event, waiting[event.name], report)
    if begins:
        check_never_assigned_words(program, checked_sources, report)
    for address, rows in _iterate_tally_rows(program):
        report.address = address
        if rows[:1] and rows[0].span not in ruled:
            _check_duplicate_rows(rows, report)
    report.address = ""


def _find_untriggered_events(program: Program) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for name, handler in program.handlers.items():
        result.setdefault(handler.event, []).append(f"`{name}`")
    for line in walk_nodes(list_routines(program)):
        if isinstance(line, Watch):
            result.setdefault(line.event, []).append("a `watch`")
    for trigger in list_lines_of_class(program, s.Trigger) if result else ():
        result.pop(trigger.event, None)
    return result


def _warn_never_triggered(event: Event, waiting: Sequence[str], report: DiagnosticCollector) -> None:
    more = f" and {len(waiting) - 1} more wait" if waiting[1:] else " waits"
    given = ", ".join(parameter.name for parameter in event.parameters)
    remedy = f"write `trigger {event.name}({given})` where it happens, or take it out"
    report.warning("RW0569", event.span, f"nothing triggers `{event.name}`, for which {waiting[0]}{more}", help=remedy)


def _check_window_order(event: Event, program: Program, facts: Facts, report: DiagnosticCollector) -> None:
    handlers = [handler for handler in program.handlers.values() if handler.event == event.name]
    if event.order is not None or not handlers:
        return
    owners = {_find_common_owner(handler.binding, handler.guard, facts) for handler in handlers}
    alone = len(handlers) == 1 or _SINGLE_MEMBER_KEY not in owners
    of_all = event.holders and _find_common_owner(Binding((None,), event.holders, None), None, facts)
    if of_all or (len(owners) == 1 and alone and None not in owners):
        return
    message = f"several players may act in the window of `{event.name}`, but the rules do not give their order"
    notes = ("Without `order by` they go in the order of the state.",)
    remedy = "write `order by [first, second]`, or `order by [each p in players]` for the order of the state"
    report.warning("RW0564", event.span, message, notes=notes, help=remedy)


def _find_common_owner(binding: Binding, guard: Expression | None, facts: Facts) -> FactKey | None:
    """Key of the owner of all members; None where there may be several, `_SINGLE_MEMBER_KEY` for one member."""
    conditions = [(name, where) for name in binding.variables if name is not None for where in (binding.where, guard)]
    if isinstance(binding.source, ex.Comprehension):
        inner = binding.source.binding
        conditions.extend((name, inner.where) for name in inner.variables if name is not None)
    for name, where in conditions:
        for condition in split_conjuncts(where):
            result = _find_owner_in_condition(name, condition)
            if result is not None:
                return result
    _, most = compute_number_range(facts, make_size_expression(binding, binding.source.span))
    return _SINGLE_MEMBER_KEY if most is not None and most <= 1 else None


_SINGLE_MEMBER_KEY: FactKey = ("",)


def _find_owner_in_condition(name: Variable, condition: Expression) -> FactKey | None:
    match condition:
        case ex.Comparison(operator="=", left=left, right=right):
            for side, other in ((left, right), (right, left)):
                stored = isinstance(side, ex.StoredAttribute) and side.name == "owner"
                derived = isinstance(side, ex.DerivedAttribute) and side.function.endswith("/owner")
                owned = side.target if stored or derived else side  # type: ignore[union-attr]
                if _is_local_variable(owned, name) and not any(
                    _is_local_variable(part, name) for part in walk_subexpressions(other)
                ):
                    return make_key(other)
    return None


def _is_local_variable(expression: Expression, name: Variable) -> bool:
    return isinstance(expression, ex.Local) and expression.variable.index == name.index


def _iterate_tally_rows(program: Program) -> Iterator[tuple[str, Sequence[TallyRow]]]:
    for function in program.functions.values():
        match function.body:
            case Tally(rows=rows):
                yield function.name, rows
            case Paths(cost=Tally(rows=rows)):
                yield function.name, rows
    for routine in list_routines(program):
        for line in walk_routine_lines(routine):
            if isinstance(line, s.TallyLine):
                yield line.address, line.rows


def _check_duplicate_rows(rows: Sequence[TallyRow], report: DiagnosticCollector) -> None:
    first_by_key: dict[object, TallyRow] = {}
    for row in rows:
        first = first_by_key.setdefault(_make_tally_row_key(row), row)
        if first is row or (row.guard is None and row.binding is None):
            continue
        message = f"row `{row.id}` says the same as `{first.id}`, and both count"
        there = (Label(first.span, "this row"),)
        remedy = "take one of them out, or say in a `ruling` above the tally that both are meant"
        report.warning("RW0566", row.span, message, secondary=there, help=remedy, edits=make_deletion_edits(row.span))


def _make_tally_row_key(row: TallyRow) -> object:
    names = row.binding.variables if row.binding is not None else ()
    bound = {name.index: place for place, name in enumerate(names) if name is not None}
    return (
        row.change,
        row.binding and make_members_key(row.binding),
        row.guard and make_key(row.guard, bound),
        make_key(row.amount, bound),
    )


def check_never_assigned_words(program: Program, checked_sources: set[str], report: DiagnosticCollector) -> None:
    """Warns of a word that lines compare with and that nothing ever assigns (RW0572).

    Silent about a list of which no line assigns a word, such as the arm of a unit, and about one whose words may come
    from elsewhere: a state, a die, an external, a role, a setting, or an expression that makes words.
    """
    written = list(walk_nodes(program))
    compared = {id(word) for node in written for word in _iterate_compared_words(node)}
    for name, words in program.values.items():
        is_changed = any(isinstance(line, s.Assign) and line.value.type == WordType(name) for line in written)
        if words.span.source not in checked_sources or not is_changed or _has_external_source(name, written, program):
            continue
        literals = [word for word in written if isinstance(word, ex.WordLiteral) and word.type == WordType(name)]
        given = {word.position for word in literals if id(word) not in compared}
        for literal in literals:
            if literal.position not in given:
                given.add(literal.position)
                report.address = words.words[literal.position].name
                message = f"`{report.address}` is asked for here, and no line ever sets it"
                remedy = "let a line set it, or leave out what asks for it"
                report.warning(NEVER_ASSIGNED_WORD_CODE, literal.span, message, help=remedy)


def _iterate_compared_words(node: object) -> Iterator[ex.WordLiteral]:
    match node:
        case ex.Comparison(left=left, right=right):
            sides: Sequence[object] = (left, right)
        case ex.Membership(collection=ex.MakeCollection(items=sides)) | s.Case(values=sides) | TableRow(cells=sides):
            pass
        case _:
            return
    yield from (word for side in sides for word in walk_nodes(side) if isinstance(word, ex.WordLiteral))


def _has_external_source(name: str, written: Sequence[object], program: Program) -> bool:
    """Whether words of a list may come from outside the rules, or from expressions without literals."""
    stored = [field for kind in program.kinds.values() for field in kind.fields]
    stored += [field for board in program.boards.values() for field in (*board.fields, *board.sides)]
    stored += program.game.values()
    parameters = [
        parameter
        for procedure in program.procedures.values()
        if not procedure.inner
        for parameter in procedure.parameters
    ]
    parameters += [parameter for measure in program.measures.values() for parameter in measure.parameters]
    elsewhere = [variable.type for variable in parameters] + [setting.type for setting in program.settings.values()]
    elsewhere += [term.type for term in program.external_terms.values()]
    elsewhere += [external.result for external in program.external_procedures.values() if external.result is not None]
    if program.external_procedures and any(external.changes for external in program.external_procedures.values()):
        elsewhere += [field.type for field in stored]
    elsewhere += [die.face_type for die in program.dice.values()]
    fields = [field for field in stored if _can_hold_words(field.type, name, program)]
    computed_words = (
        typed
        for typed in written
        if isinstance(typed, ex.Typed)
        and typed.type == WordType(name)
        and not isinstance(typed, _WORD_EXPRESSION_TYPES)
    )
    given = any(_can_hold_words(item, name, program) for item in elsewhere) or any(
        field.start is None for field in fields
    )
    return not fields or given or any(computed_words)


_WORD_EXPRESSION_TYPES = (
    ex.WordLiteral,
    ex.Local,
    ex.GameField,
    ex.StoredAttribute,
    ex.DerivedAttribute,
    ex.CellAttribute,
    ex.CallFunction,
    ex.Conditional,
)
"""Expressions whose words come from literals, or from what holds words already."""


def _can_hold_words(type_: Type, name: str, program: Program) -> bool:
    record = program.records.get(type_.record) if isinstance(type_, RecordType) else None
    inner = list_held_types(type_) if record is None else [part.type for part in record.parts]
    return type_ == WordType(name) or any(_can_hold_words(item, name, program) for item in inner)
