"""Start values, settings, and the faces of dice: what can be inferred once every type is known."""

from dataclasses import replace

from rulewright.analysis.declare.declaring import Start, Work, is_entered
from rulewright.analysis.infer import fresh
from rulewright.analysis.infer.slots import common, fit
from rulewright.analysis.reads import reads, written_out
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Module
from rulewright.program import declarations as typed
from rulewright.program.expressions import Expression
from rulewright.program.types import Type
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import expressions as e


def declare_starts(work: Work) -> None:
    """Infers the start values that wait, and the faces of all dice.

    Reports RW0216 (a start value that is not written out) and RW0220 (faces of unlike types).
    """
    for start in work.starts:
        _start(start, work)
    for module, die in work.each(d.DieDeclaration):
        if is_entered(module.names, die.name):
            _die(die, module, work)


def _start(start: Start, work: Work) -> None:
    work.report.address = start.address
    scope = fresh(work.linked, start.module, work.found.shapes, work.report)
    value = scope.infer(start.node, start.type)
    fitted = value and fit(value, start.type, scope, f"`{start.address.rpartition('/')[2]}`")
    if fitted is None:
        return
    if is_fixed(fitted, "a start value", work.report):
        start.take(fitted)


def is_fixed(value: Expression, what: str, report: Report) -> bool:
    """Whether a start value, default or face of a die is known before any play (RW0216)."""
    remedy = "write the value out" + (", or let the state give it" if what == "a start value" else "")
    if reads(value):
        report.error("RW0216", value.span, f"{what} is fixed: it reads nothing of the game", help=remedy)
        return False
    if not written_out(value):
        message = f"{what} is written out: only sums, cells and points are worked out in it"
        report.error("RW0216", value.span, message, help=remedy)
        return False
    return True


MOST_FACES = 1000
"""Faces of one die, declared or thrown by its number."""


def _die(node: d.DieDeclaration, module: Module, work: Work) -> None:
    made = _faces(node, module, work)
    if made is not None:
        shown, faces = made
        name = module.prefix + node.name.text
        work.found.dice[name] = typed.NamedDie(**work.shared(name, node), face_type=shown, faces=faces)
        module.names[node.name.text] = replace(module.names[node.name.text], type=shown)


def _faces(node: d.DieDeclaration, module: Module, work: Work) -> tuple[Type, tuple[Expression, ...]] | None:
    """The type that all faces share, and every face as often as it occurs."""
    scope = fresh(work.linked, module, work.found.shapes, work.report)
    shown: Type | None = None
    found: list[Expression] = []
    for face in node.faces:
        if face.count > MOST_FACES - len(found):
            remedy = "say how often each face occurs in the smallest numbers"
            work.report.error("RW0521", face.span, f"a die has from 1 to {MOST_FACES} faces", help=remedy)
            return None
        value = scope.infer(face.value, shown or _list_of(face.value, module))
        if value is None or not is_fixed(value, "a face of a die", work.report):
            return None
        both = value.type if shown is None else common(shown, value.type)
        if both is None:
            message = "the faces of a die have one type"
            work.report.error("RW0220", face.span, message, help="declare a `values` list with all of them")
            return None
        shown = both
        found.extend([value] * face.count)
    return None if shown is None else (shown, tuple(found))


def _list_of(node: e.Expression, module: Module) -> Type | None:
    """The list of a bare word that is in one list only; a die says nothing of which list is meant."""
    lists = module.words.get(node.name, []) if isinstance(node, e.Reference) else []
    return lists[0].type if len(lists) == 1 else None
