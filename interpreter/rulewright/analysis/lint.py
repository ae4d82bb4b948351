"""What is written and means less than it seems: never used, left open, said twice, empty (manual, What is checked).

Names of routines are seen to in `flow`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from posixpath import dirname

from rulewright.analysis.addresses import name_of
from rulewright.analysis.clauses import ruled_spans
from rulewright.analysis.facts import Facts, number_range
from rulewright.analysis.facts.knowledge import Key, conjuncts, key, members
from rulewright.analysis.never_assigned import check_never_assigned
from rulewright.analysis.reads import nodes_of
from rulewright.analysis.report import Label, Report
from rulewright.analysis.symbols import Linked, Module
from rulewright.diagnostics import Edit
from rulewright.diagnostics.remedies import left_out, written
from rulewright.program import expressions as ex, statements as s
from rulewright.program.conditions import size_of
from rulewright.program.declarations import Event, Paths, Program, Tally, Watch
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.rows import TallyRow
from rulewright.program.types import GRIDS
from rulewright.program.walk import all_lines, inside, lines_of, routines
from rulewright.roles import nodes
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Attribute, Dotted, IfValue, NamedType, OptionalType, Reference, Title

_KNOWN_TO_THE_BOARD = frozenset({"at", "facing", "base", "owner"})
_BRACES = re.compile(r"\{[A-Za-z_][A-Za-z0-9_.]*\}")
_COMPUTED = (d.Term, d.Tally, d.Decide, d.Paths, d.Measure)
_CALLED = {d.Term: "term", d.Tally: "tally", d.Decide: "decide", d.Table: "table", d.Paths: "paths"}
UNUSED = "RW0560"
FIXED = "RW0568"
_Named = d.Term | d.Tally | d.Decide | d.Table | d.Paths | d.Setting | d.Values | d.Procedure


@dataclass(slots=True, eq=False, repr=False)
class _Mentions:
    """The names that a declaration mentions: bare ones, attributes, prefixes, and the last names of dotted ones."""

    names: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)
    dotted: set[str] = field(default_factory=set)

    def every(self) -> set[str]:
        """All names."""
        return self.names | self.attributes | self.dotted


def check_unused(linked: Linked, changed: frozenset[str], report: Report) -> None:
    """Warns of parameters (RW0230), attributes (RW0231), prefixes (RW0232) and whole declarations (RW0560) without use.

    Also of parts of results (RW0567) that nothing reads, and of fields of the game that are read and, not being among
    the names that are `changed`, never set (RW0568).
    What a file declares that this one uses, it declares for others; procedures and events are begun and heard by
    others too. What lines only write is for people to read.
    """
    bound = {node.to.parts[-1].text for _, node in linked.each(d.Bind)}
    everything = _Mentions()
    each_alone: list[tuple[d.Declaration, _Mentions]] = []
    for module in linked.modules:
        prefixes: set[str] = set()
        for node in module.declarations:
            found = _mentioned(node)
            each_alone.append((node, found))
            _check_parameters(node, found, bound, module, report)
            prefixes |= found.prefixes
            everything.names |= found.names
            everything.attributes |= found.attributes
        derived = (each for each in linked.derivations.values() if each.own is module)
        prefixes |= {each.node.base.parts[0].text for each in derived}
        _check_prefixes(module, prefixes, report)
    for module in linked.modules:
        _check_attributes(module, everything.names | everything.attributes, report)
    each_alone.extend((each.node, _mentioned(each.node)) for each in linked.derivations.values())
    _check_declarations(linked, each_alone, report)
    for node in _own(linked):
        match node:
            case d.ExternalProcedure():
                _check_results(node, everything.every(), report)
                _check_silent_external(node, report)
            case d.Game() if node.span not in ruled_spans(linked):
                _check_fixed(node, everything.names, changed, report)


def _mentioned(declaration: d.Declaration) -> _Mentions:
    found = _Mentions()
    for node in nodes_of(declaration):
        match node:
            case Reference(name=name):
                found.names.add(name)
                found.prefixes.add(name)
            case Attribute(name=name):
                found.attributes.add(name.text)
            case Dotted(parts=(*prefixes, last)):
                found.prefixes.update(each.text for each in prefixes[:1])
                found.dotted.add(last.text)
            case _:
                pass
    return found


def _check_parameters(node: d.Declaration, found: _Mentions, bound: set[str], module: Module, report: Report) -> None:
    """Parameters of what is computed and of procedures; those of externals and what is bound to them are given."""
    if not isinstance(node, (*_COMPUTED, d.Procedure)) or node.name.text in bound:
        return
    report.address = module.prefix + node.name.text
    for parameter in node.parameters:
        if parameter.name.text not in found.names:
            message = f"nothing reads `{parameter.name.text}`"
            remedy = "take the parameter out, or use it"
            report.warning(
                "RW0230", parameter.name.span, message, help=remedy, edits=_without(parameter, node.parameters)
            )


def _without(parameter: d.Parameter, among: tuple[d.Parameter, ...]) -> tuple[Edit, ...]:
    """The edit that takes a parameter out, with the comma on one side of it."""
    place = among.index(parameter)
    source = parameter.span.source
    if place + 1 < len(among):
        return left_out(Span(source, parameter.span.start, among[place + 1].span.start))
    return left_out(Span(source, among[place - 1].span.end if place else parameter.span.start, parameter.span.end))


def _check_prefixes(module: Module, mentioned: set[str], report: Report) -> None:
    report.address = ""
    for file in module.files:
        for header in file.headers:
            if isinstance(header, d.UseHeader) and header.prefix and header.prefix.text not in mentioned:
                message = f"nothing of `{header.prefix.text}` is used"
                report.warning("RW0232", header.head, message, help="take this line out", edits=left_out(header.head))


def _check_attributes(module: Module, mentioned: set[str], report: Report) -> None:
    for node in module.declarations:
        if not isinstance(node, d.Kind | d.Board | d.Game):
            continue
        owner = "game" if isinstance(node, d.Game) else node.name.text
        for each in node.fields:
            if each.name.text not in mentioned | _KNOWN_TO_THE_BOARD:
                report.address = f"{module.prefix}{owner}/{each.name.text}"
                message = f"no line mentions `{each.name.text}`"
                report.warning(
                    "RW0231", each.name.span, message, help="take it out, or use it", edits=left_out(each.span)
                )


def _check_declarations(linked: Linked, mentions: Sequence[tuple[d.Declaration, _Mentions]], report: Report) -> None:
    """Declarations of the ruleset that is checked, or of its overlays, that no other declaration mentions."""
    amended = {part for each in linked.amendments for part in each.address.split("/")[:1]}
    for node in _own(linked):
        if not isinstance(node, _Named) or (isinstance(node, d.Procedure) and not node.inner):
            continue
        others = amended.union(*(found.every() for other, found in mentions if other is not node))
        if node.name.text in others or (isinstance(node, d.Values) and _spoken(node, linked, others)):
            continue
        report.address = node.name.text
        verb = "perform" if isinstance(node, d.Procedure) else "use"
        remedy = f"take it out, or {verb} it"
        report.warning(UNUSED, node.name.span, _useless(node), help=remedy, edits=left_out(node.span))


def _check_results(node: d.ExternalProcedure, mentioned: set[str], report: Report) -> None:
    """Parts of what an external gives that nothing reads."""
    for each in node.results:
        if each.name.text not in mentioned:
            report.address = node.name.text
            message = f"nothing reads `{each.name.text}` of what `{node.name.text}` gives"
            edits = _without(each, node.results) if len(node.results) > 1 else ()
            report.warning("RW0567", each.name.span, message, help="take it out, or read it", edits=edits)


def _check_silent_external(node: d.ExternalProcedure, report: Report) -> None:
    """An external of which nothing comes back."""
    if node.gives is None and not node.results and not node.changes:
        report.address = node.name.text
        message = f"`{node.name.text}` gives nothing and changes nothing, so it makes no difference in any play"
        remedy = "declare its result with `gives` or `changes`, or write an `event`, to which other rules can react"
        report.warning("RW0571", node.name.span, message, help=remedy)


def _check_fixed(node: d.Game, mentioned: set[str], changed: frozenset[str], report: Report) -> None:
    """Fields with a start that lines read and none changes.

    One without a start is for the state to say.
    """
    for each in node.fields:
        name = each.name.text
        given = not isinstance(each, d.StoredField) or each.start is None
        if not given and name in mentioned - changed:
            report.address = name
            remedy = (
                "set it somewhere, make it a `setting`, or leave out its start, and every state gives it; "
                "if it is meant, write a `ruling` above `game:`"
            )
            report.warning(FIXED, each.name.span, f"`{name}` is read, and nothing ever sets it", help=remedy)


def _own(linked: Linked) -> Iterator[d.Declaration]:
    """What is looked at: nothing of a text in which nothing begins, for that is written for others to use."""
    sources, declarations = own_sources(linked), linked.main.declarations
    if any(isinstance(each, d.Procedure | d.Handler | d.Whenever) for each in declarations):
        yield from (each for each in declarations if each.span.source in sources)


def own_sources(linked: Linked) -> set[str]:
    """The texts that are looked at: those of overlays, else the main file and those beside it that are parts of it."""
    return {each.span.source for each in linked.overlays} or set(_parts(linked.main))


def _parts(main: Module) -> Iterator[str]:
    """The main file, and those in its folder that are no rulesets of their own."""
    if main.header is None:
        return
    whole = main.header.span.source
    yield whole
    for file in main.files:
        beside = dirname(file.span.source) == dirname(whole)
        if beside and not any(isinstance(each, d.RulesetHeader) for each in file.headers):
            yield file.span.source


def _spoken(node: d.Values, linked: Linked, mentioned: set[str]) -> bool:
    """Whether a word of a list is mentioned that belongs to no list whose name is mentioned."""
    typed = {word.name.text for _, each in linked.each(d.Values) if each.name.text in mentioned for word in each.words}
    return any(word.name.text in mentioned - typed for word in node.words)


def _useless(node: _Named) -> str:
    name = node.name.text
    match node:
        case d.Values():
            return f"nothing uses the words of `{name}`"
        case d.Setting():
            return f"nothing reads the setting `{name}`"
        case d.Procedure():
            return f"nothing performs the inner procedure `{name}`"
        case _:
            return f"nothing uses the {_CALLED[type(node)]} `{name}`"


def check_nested(linked: Linked, report: Report) -> None:
    """Hints at `decide` where one `if(…)` chooses another (RW0334); each chain is told of once, at its outermost."""
    remedy = "write `decide NAME:` with a row for each case, and read the name"
    for module in linked.modules:
        for declaration in module.declarations:
            name = name_of(declaration)
            report.address = module.prefix + name.text if name else ""
            values = [each for each in nodes_of(declaration) if isinstance(each, IfValue)]
            chosen = {
                each.span: [one.span for one in (each.then, each.otherwise) if isinstance(one, IfValue)]
                for each in values
            }
            inner = {span for spans in chosen.values() for span in spans}
            for span in sorted(each for each, spans in chosen.items() if spans and each not in inner):
                report.hint("RW0334", span, "one `if(…)` chooses another here", help=remedy)
    report.address = ""


def check_titles(linked: Linked, report: Report) -> None:
    """Reports revisions (an error) and titles (a warning) without a letter or figure (RW0414), and braces (RW0596)."""
    report.address = ""
    for header in linked.headers():
        if isinstance(header, d.RulesetHeader | d.AmendsHeader) and _empty(header.revision):
            number, remedy = Edit(header.revision.span, '"1"'), 'say which it is: `revision "1"`'
            report.error("RW0414", header.revision.span, "the revision is empty", help=remedy, edits=(number,))
    for title in _titles(linked):
        if _empty(title):
            message = "this title has no words"
            report.warning("RW0414", title.span, message, help="leave it out, or write it", edits=left_out(title.span))
        for braces in _BRACES.findall(title.text):
            remedy = "say it in words, such as `this unit`: a text is the same in every play"
            report.hint("RW0596", title.span, f"`{braces}` is printed as it stands, not as a value", help=remedy)


def check_cells(linked: Linked, report: Report) -> None:
    """Reports places of things on a grid that no board has, where there are boards of cells (RW0242)."""
    boards = {each.space.text: each.name.text for _, each in linked.each(d.Board) if each.space.text in GRIDS}
    for kind in (each for each in linked.main.declarations if isinstance(each, d.Kind) and boards):
        for place in (each for each in kind.fields if isinstance(each, d.StoredField) and each.name.text == "at"):
            inner = place.type.inner if isinstance(place.type, OptionalType) else place.type
            grid = ".".join(each.text for each in inner.name.parts) if isinstance(inner, NamedType) else ""
            if grid in GRIDS and grid not in boards:
                space, board = next(iter(boards.items()))
                message = f"no board is of `{grid}`: `{board}` is of `{space}`, and things stand on its cells"
                report.error("RW0242", inner.span, message, remedy=written(space, inner.span, safe=len(boards) == 1))


def _titles(linked: Linked) -> Iterator[Title]:
    """Every title, but not revisions."""
    for module in linked.modules:
        for file in module.files:
            yield from (header.title for header in file.headers if header.title is not None)
        for node in module.declarations:
            yield from (each for each in nodes_of(node) if isinstance(each, Title))


def _empty(title: Title) -> bool:
    return not any(each.isalnum() for each in title.text)


def check_silent(program: Program, linked: Linked, facts: Facts, report: Report) -> None:
    """Warns of windows without an order of players (RW0564) and of rows of a tally that say the same (RW0566).

    Also of events in texts of its own that something waits for and nothing triggers (RW0569), where anything begins.
    """
    own, ruled = own_sources(linked), ruled_spans(linked)
    begins = any(not each.inner for each in program.procedures.values())
    waiting = _waiting(program) if begins else {}
    for event in program.events.values():
        report.address = event.name
        _check_order(event, program, facts, report)
        if event.span.source in own and not event.on_removal and event.name in waiting:
            _not_triggered(event, waiting[event.name], report)
    if begins:
        check_never_assigned(program, own, report)
    for address, rows in _tallies(program):
        report.address = address
        if rows[:1] and rows[0].span not in ruled:
            _check_doubled(rows, report)
    report.address = ""


def _waiting(program: Program) -> dict[str, list[str]]:
    """By each event that no line triggers the handlers and watches that wait for it."""
    found: dict[str, list[str]] = {}
    for name, each in program.handlers.items():
        found.setdefault(each.event, []).append(f"`{name}`")
    for line in nodes(routines(program)):
        if isinstance(line, Watch):
            found.setdefault(line.event, []).append("a `watch`")
    for trigger in lines_of(program, s.Trigger) if found else ():
        found.pop(trigger.event, None)
    return found


def _not_triggered(event: Event, waiting: Sequence[str], report: Report) -> None:
    more = f" and {len(waiting) - 1} more wait" if waiting[1:] else " waits"
    given = ", ".join(each.name for each in event.parameters)
    remedy = f"write `trigger {event.name}({given})` where it happens, or take it out"
    report.warning("RW0569", event.span, f"nothing triggers `{event.name}`, for which {waiting[0]}{more}", help=remedy)


def _check_order(event: Event, program: Program, facts: Facts, report: Report) -> None:
    """A window in which handlers of several owners may meet, and no `order by` says who goes first."""
    handlers = [each for each in program.handlers.values() if each.event == event.name]
    if event.order is not None or not handlers:
        return
    owners = {_owner(each.binding, each.guard, facts) for each in handlers}
    alone = len(handlers) == 1 or _ALONE not in owners
    of_all = event.holders and _owner(Binding((None,), event.holders, None), None, facts)
    if of_all or (len(owners) == 1 and alone and None not in owners):
        return
    message = f"several players may act in the window of `{event.name}`, but the rules do not give their order"
    notes = ("Without `order by` they go in the order of the state.",)
    remedy = "write `order by [first, second]`, or `order by [each p in players]` for the order of the state"
    report.warning("RW0564", event.span, message, notes=notes, help=remedy)


def _owner(binding: Binding, guard: Expression | None, facts: Facts) -> Key | None:
    """Whose all members are, as a key; nothing where they may be of several, and an empty one where there is one."""
    asked = [(name, where) for name in binding.variables if name is not None for where in (binding.where, guard)]
    if isinstance(binding.source, ex.Comprehension):
        inner = binding.source.binding
        asked.extend((name, inner.where) for name in inner.variables if name is not None)
    for name, where in asked:
        for condition in conjuncts(where) if where is not None else ():
            found = _said_owner(name, condition)
            if found is not None:
                return found
    _, most = number_range(facts, size_of(binding, binding.source.span))
    return _ALONE if most is not None and most <= 1 else None


_ALONE: Key = ("",)


def _said_owner(name: Variable, condition: Expression) -> Key | None:
    """Whose a member is by a condition: somebody's it does not depend on."""
    match condition:
        case ex.Comparison(operator="=", left=left, right=right):
            for side, other in ((left, right), (right, left)):
                stored = isinstance(side, ex.StoredAttribute) and side.name == "owner"
                derived = isinstance(side, ex.DerivedAttribute) and side.function.endswith("/owner")
                owned = side.target if stored or derived else side  # type: ignore[union-attr]
                if _is(owned, name) and not any(_is(part, name) for part in inside(other)):
                    return key(other)
    return None


def _is(expression: Expression, name: Variable) -> bool:
    return isinstance(expression, ex.Local) and expression.variable.index == name.index


def _tallies(program: Program) -> Iterator[tuple[str, Sequence[TallyRow]]]:
    """The rows of every tally, declared or a line, with its address."""
    for function in program.functions.values():
        match function.body:
            case Tally(rows=rows):
                yield function.name, rows
            case Paths(cost=Tally(rows=rows)):
                yield function.name, rows
    for routine in routines(program):
        for line in all_lines(routine):
            if isinstance(line, s.TallyLine):
                yield line.address, line.rows


def _check_doubled(rows: Sequence[TallyRow], report: Report) -> None:
    """A row that another one repeats."""
    seen: dict[object, TallyRow] = {}
    for row in rows:
        first = seen.setdefault(_said(row), row)
        if first is row or (row.guard is None and row.binding is None):
            continue
        message = f"row `{row.id}` says the same as `{first.id}`, and both count"
        there = (Label(first.span, "this row"),)
        remedy = "take one of them out, or say in a `ruling` above the tally that both are meant"
        report.warning("RW0566", row.span, message, secondary=there, help=remedy, edits=left_out(row.span))


def _said(row: TallyRow) -> object:
    """What a row says, whatever it calls the members it goes through."""
    names = row.binding.variables if row.binding is not None else ()
    bound = {each.index: place for place, each in enumerate(names) if each is not None}
    return (
        row.change,
        row.binding and members(row.binding),
        row.guard and key(row.guard, bound),
        key(row.amount, bound),
    )
