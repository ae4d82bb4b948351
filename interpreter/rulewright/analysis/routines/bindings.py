"""Lines that compute a name: `let`, `tally`, `decide`."""

from dataclasses import replace

from rulewright.analysis import infer
from rulewright.analysis.facts import Facts, define, define_one_of, forget
from rulewright.analysis.functions import rows
from rulewright.analysis.infer.fit import fit
from rulewright.analysis.routines.here import Here
from rulewright.analysis.routines.names import Rebinding
from rulewright.analysis.scope import Scope
from rulewright.analysis.types import resolve_type
from rulewright.program import statements as typed
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import NumberType, Type
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Name

Done = tuple[typed.Statement | None, Facts | None]


def let(node: s.Let, here: Here) -> Done:
    """`let NAME: type = value`."""
    value, type_ = _valued(node, here.scope)
    name = node.name.text
    if type_ is None:
        here.routine.broken.add(name)
        return None, here.facts
    open_ = node.type is None and name in here.routine.names.changed and _open(type_)
    if open_ and name not in here.routine.names.bound:
        _needs_range(node.name, here)
        here.routine.broken.add(name)
        return None, here.facts
    first = name not in here.routine.names.bound
    variable = here.routine.names.bind(node.name, type_, "let", here.fresh_scope(name))
    if variable is None or (node.value is not None and value is None):
        return None, here.facts
    made = typed.Let(**here.mark(node), variable=variable, value=value)
    after = unknown(here.facts, variable) if value is None else define(here.facts, variable, value, first=first)
    return made, after


def _valued(node: s.Let, scope: Scope) -> tuple[Expression | None, Type | None]:
    if node.type is None:
        value = infer.value(node.value, scope) if node.value is not None else None
        return value, value.type if value is not None else None
    type_ = resolve_type(node.type, scope.module, scope.linked, scope.report)
    if node.value is None:
        return None, type_
    value = infer.infer(node.value, scope, type_)
    fitted = fit(value, type_, scope, f"`{node.name.text}`") if value is not None and type_ is not None else None
    return fitted, type_


def _open(type_: Type) -> bool:
    """Whether the found range is no range to change a number in: a single number, or without an end."""
    return isinstance(type_, NumberType) and (type_.low == type_.high or None in (type_.low, type_.high))


def _needs_range(name: Name, here: Here) -> None:
    message = f"`{name.text}` is changed further down, so its range must be written"
    here.error("RW0502", name.span, message, help=f"write `let {name.text}: 0..99 = …` with the bounds you mean")


def unknown(facts: Facts, variable: Variable) -> Facts:
    """What is known after a name got a value that nothing is known of."""
    return forget(facts, frozenset({f"local/{variable.index}"}))


def forgetting(name: Name, here: Here) -> Scope:
    """What a line sees that binds a name anew: nothing of the name, nor of the value it may have had."""
    scope = here.fresh_scope(name.text)
    known = here.routine.names.bound.get(name.text)
    return scope if known is None else scope.knowing(unknown(scope.facts, known.variable))


def tally(node: s.TallyLine, here: Here) -> Done:
    """`tally NAME from start:`."""
    numbering = Rebinding(here.routine.names, node.name.text)
    scope = replace(forgetting(node.name, here), variables=numbering)
    if node.name.text not in here.routine.names.bound and infer.hides(node.name, scope):
        return None, here.facts
    mark = here.mark(node)
    found = rows.tally_rows(node.name, node.start, node.rows, scope, mark["address"], node.cites or here.cites)
    if found is None:
        here.routine.broken.add(node.name.text)
        return None, here.facts
    variable, start, changes = found
    if not _bound(node.name, variable, numbering.type, "tally", here):
        return None, here.facts
    title = node.title.text if node.title else ""
    made = typed.TallyLine(**mark, variable=variable, start=start, rows=changes, title=title)
    return made, unknown(here.facts, variable)


def _bound(name: Name, variable: Variable, found: Type | None, verb: str, here: Here) -> bool:
    """Shows a variable that was made elsewhere to the lines below, or checks it against those above."""
    names = here.routine.names
    if found is not None:
        return names.again(name, found, verb, here.scope)
    names.show(name.text, variable, verb, name.span)
    return True


def decide(node: s.DecideLine, here: Here) -> Done:
    """`decide NAME:`."""
    name = node.name.text
    known = here.routine.names.bound.get(name)
    mark = here.mark(node)
    gives = known.variable.type if known is not None else None
    found = rows.decide_rows(node.rows, gives, here.scope, mark["address"], node.cites or here.cites)
    if found is None:
        here.routine.broken.add(name)
        return None, here.facts
    type_, lines = found
    variable = here.routine.names.bind(node.name, type_, "decide", here.fresh_scope(name))
    if variable is None:
        return None, here.facts
    title = node.title.text if node.title else ""
    known_now = define_one_of(here.facts, variable, tuple((line.value, line.guard) for line in lines))
    return typed.DecideLine(**mark, variable=variable, rows=lines, title=title), known_now
