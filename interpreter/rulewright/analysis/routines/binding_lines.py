"""Lines that compute a name: `let`, `tally`, `decide`, `rank`."""

from dataclasses import replace
from typing import Any

from rulewright.analysis import infer
from rulewright.analysis.facts import define, define_one_of, number_range
from rulewright.analysis.facts.assignments import reordered
from rulewright.analysis.functions.rows import decide_rows, distinct, tally_rows
from rulewright.analysis.infer.binders import members
from rulewright.analysis.infer.slots import fit
from rulewright.analysis.name_spaces import resolve_type
from rulewright.analysis.routines.chance_lines import parts_of
from rulewright.analysis.routines.routine_context import Done, Here, Rebinding, forgetting, unknown
from rulewright.analysis.scope import Scope
from rulewright.diagnostics.remedies import left_out
from rulewright.program import statements as typed, types as ty
from rulewright.program.expressions import Binding, Builtin, Comprehension, Expression, Local
from rulewright.program.types import Type
from rulewright.program.walk import inside as nodes
from rulewright.program.wording import sort_in_words, wording
from rulewright.syntax.nodes import expressions as e, rows as r, statements as s


def let_line(node: s.Let, here: Here) -> Done:
    """`let NAME: type = value`."""
    value, type_ = _valued(node, here.scope)
    name = node.name.text
    if type_ is None:
        here.routine.broken.add(name)
        return None, here.facts
    first, changed = name not in here.routine.names.bound, name in here.routine.names.changed
    unsaid = first and changed and node.type is None
    if unsaid and isinstance(type_, ty.NumberType) and (type_.low == type_.high or None in (type_.low, type_.high)):
        message = f"`{name}` is changed further down, so its range must be written"
        here.error("RW0502", node.name.span, message, help=f"write `let {name}: 0..99 = …` with the bounds you mean")
        here.routine.broken.add(name)
        return None, here.facts
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
    value = scope.infer(node.value, type_)
    fitted = fit(value, type_, scope, f"`{node.name.text}`") if value is not None and type_ is not None else None
    return fitted, type_


def tally_line(node: s.TallyLine, here: Here) -> Done:
    """`tally NAME from start:`."""
    numbering = Rebinding(here.routine.names, node.name.text)
    scope = replace(forgetting(node.name, here), variables=numbering)
    if node.name.text not in here.routine.names.bound and infer.hides(node.name, scope):
        return None, here.facts
    mark = here.mark(node)
    found = tally_rows(node.name, node.start, node.rows, scope, mark["address"], node.cites or here.cites)
    if found is None:
        here.routine.broken.add(node.name.text)
        return None, here.facts
    variable, start, changes = found
    if numbering.type is None:
        here.routine.names.show(node.name.text, variable, "tally", node.name.span)
    elif not here.routine.names.again(node.name, numbering.type, "tally", here.scope):
        return None, here.facts
    title = node.title.text if node.title else ""
    made = typed.TallyLine(**mark, variable=variable, start=start, rows=changes, title=title)
    return made, unknown(here.facts, variable)


def decide_line(node: s.DecideLine, here: Here) -> Done:
    """`decide NAME:`."""
    name = node.name.text
    known = here.routine.names.bound.get(name)
    mark = here.mark(node)
    gives = known.variable.type if known is not None else None
    found = decide_rows(node.rows, gives, here.scope, mark["address"], node.cites or here.cites)
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


def rank_line(node: s.Rank, here: Here) -> Done:
    """A rank with its keys; the name is the list of all members, from head to tail."""
    mark = here.mark(node)
    bound = infer.bind(node.binder, here.scope)
    member = bound and _member(node, bound[0], here)
    if bound is None or member is None:
        here.routine.broken.add(node.name.text)
        return None, here.facts
    binding, inner = bound
    inside = here.citing(node.cites).bound(binding, inner.facts)
    keys = [_key(each, inside, mark["address"]) for each in node.keys]
    variable = here.routine.names.bind(node.name, ty.ListType(member), "rank", here.fresh_scope(node.name.text))
    found = tuple(each for each in keys if each is not None)
    apart = distinct((each.name for each in node.keys), here.scope, "keys")
    if not apart or variable is None or len(found) < len(node.keys):
        return None, here.facts
    _Ties(node, binding, here).judge(found)
    made = typed.Rank(**mark, variable=variable, binding=binding, keys=found)
    ranked = Comprehension(type=ty.ListType(member), span=node.head, binding=binding, value=members(binding, node.head))
    return made, reordered(here.facts, variable, ranked)


def _member(node: s.Rank, binding: Binding, here: Here) -> Type | None:
    if None not in binding.variables:
        return members(binding, node.binder.span).type
    here.error("RW0319", node.binder.span, "the members are put in order here, so each part needs a name, not `_`")
    return None


def _key(node: r.RankRow, here: Here, within: str) -> typed.RankKey | None:
    value, dice = None, None
    if node.dice is not None:
        value, dice = _rolled(node, here)
        if dice is None:
            return None
    elif node.best == "ask":
        value = here.fitted(node.value, ty.PLAYER, "`ask`")
    else:
        value = compared(node.value, node.best, here)
    if value is None:
        return None
    shared: dict[str, Any] = {"id": node.name.text, "address": f"{within}/{node.name.text}", "span": node.span}
    title = node.title.text if node.title else ""
    return typed.RankKey(**shared, best=node.best, value=value, dice=dice, cites=here.cited(node.cites), title=title)


def _rolled(node: r.RankRow, here: Here) -> tuple[Expression | None, tuple[typed.Dice, ...] | None]:
    assert node.dice is not None
    parts, by = parts_of(node.dice, here), here.fitted(node.value, ty.PLAYER, "`by`")
    if parts is None or by is None:
        return None, None
    for _, face in parts:
        if not isinstance(face, ty.NumberType):
            message = f"`{node.best}` adds up faces, and a face of these is {sort_in_words(face)}"
            here.error("RW0370", node.dice.span, message, help="roll dice with numbers")
            return None, None
    if not any(_differs(part, here) for part, _ in parts):
        notes = ("No line above makes sure of dice with more than one face; without them the run stops.",)
        remedy = "roll at least one die of two faces or more, as in `max(1, …) of d6`"
        here.warning("RW0424", node.dice.span, "these dice may always fall alike", notes=notes, help=remedy)
    return by, tuple(part for part, _ in parts)


def _differs(part: typed.Dice, here: Here) -> bool:
    """Whether a part of a roll has surely a die that can show two faces."""
    least = 1 if part.count is None else number_range(here.facts, part.count)[0]
    match part.die:
        case typed.NumberedDie(faces=faces):
            several = faces > 1
        case typed.NamedDie() | typed.PairedDie():
            several = True
        case typed.ComputedDie(faces=faces):
            several = (number_range(here.facts, faces)[0] or 0) > 1
    return several and least is not None and least >= 1


def compared(node: e.Expression, best: str, here: Here) -> Expression | None:
    """A value that `highest` or `lowest` puts in an order (RW0370)."""
    value = here.scope.infer(node)
    if (
        value is None
        or value.type == ty.FLAG
        or isinstance(value.type, ty.NumberType | ty.FractionType | ty.LengthType | ty.WordType)
    ):
        return value
    message = f"`{best}` needs numbers, flags or words in an order, and this is {sort_in_words(value.type)}"
    natural = isinstance(value.type, ty.DieType) and isinstance(value.type.face, ty.NumberType)
    remedy = f"take the number that it shows: `{wording(value)}.natural`" if natural else ""
    here.error("RW0370", value.span, message, help=remedy)
    return None


class _Ties:
    """Whether keys settle every tie."""

    def __init__(self, node: s.Rank, binding: Binding, here: Here) -> None:
        self._node = node
        self._binding = binding
        self._here = here

    def judge(self, keys: tuple[typed.RankKey, ...]) -> None:
        """Reports keys that are never judged, and members that may stay equal."""
        settled = asked = False
        for row, key in zip(self._node.keys, keys, strict=True):
            if asked or (settled and key.best != "ask"):
                message = f"nothing is left for `{key.id}`: the keys above settle every tie"
                remedy = "leave it out, or move it up"
                self._here.error("RW0371", row.span, message, help=remedy, edits=left_out(row.span))
                return
            if key.best == "ask" and not settled and self._owned(key.value):
                message, by = "members of several players may still be equal here", wording(key.value)
                self._warn("RW0373", row, message, by, "above this key")
            asked = key.best == "ask"
            # a member of a collection that holds none twice tells itself apart, and so does its place in one list
            unique = isinstance(self._binding.source.type, ty.SetType | ty.MapType) and self._tells_apart(key.value)
            settled = settled or asked or key.dice is not None or unique
        if not settled:
            where = "as the last key" + self._or_sorted(keys)
            self._warn("RW0372", self._node.keys[-1], "these keys may leave members equal", "…", where)

    def _or_sorted(self, keys: tuple[typed.RankKey, ...]) -> str:
        """The way out where nobody needs the members, but their values in order."""
        match keys:
            case (typed.RankKey(best="highest", value=value),) if not isinstance(
                value.type, ty.FlagType | ty.LengthType
            ):
                from rulewright.syntax.format import format_expression  # noqa: PLC0415 - only where a mistake is explained

                key = self._node.keys[0]
                values = format_expression(e.Comprehension("list", self._node.binder, key.value, key.span))
                return f"; if only the values matter, write `let {self._node.name.text} = sorted({values})`"
            case _:
                return ""

    def _warn(self, code: str, row: r.RankRow, message: str, by: str, where: str) -> None:
        notes = ("No rule keeps two members from being equal; if some are, the run stops here.",)
        remedy = f"add `roll_off: highest roll d6 by {by}` {where}"
        self._here.warning(code, row.name.span, message, notes=notes, help=remedy)

    def _owned(self, value: Expression) -> bool:
        """Whether a value, such as who is asked, hangs on the member."""
        return any(isinstance(each, Local) and each.variable in self._binding.variables for each in nodes(value))

    def _tells_apart(self, value: Expression | None) -> bool:
        match value:
            case Local(variable=variable):
                return (variable,) == self._binding.variables
            case Builtin(name="position", arguments=(Local() as member, among)):
                return self._tells_apart(member) and not self._owned(among)
            case _:
                return False
