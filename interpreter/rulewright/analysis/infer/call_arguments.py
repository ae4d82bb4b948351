"""Arguments: matched to parameters, counted, and the cells that functions of a board take."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from rulewright.analysis import promises
from rulewright.analysis.infer.arithmetic import needs_number
from rulewright.analysis.infer.lookup import as_code, has_attribute
from rulewright.analysis.infer.slots import fit, fitted, like
from rulewright.analysis.report import Report, listed
from rulewright.analysis.scope import Scope
from rulewright.analysis.symbols import Module
from rulewright.diagnostics.remedies import meant, wrapped, written
from rulewright.frozen import dataclass
from rulewright.program.expressions import Builtin, Expression
from rulewright.program.types import CellType, DieType, OptionalType, ThingType, Type
from rulewright.program.wording import is_a
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes


@dataclass(frozen=True, slots=True)
class Slot:
    """A parameter that arguments are matched to; the default is written in the module it belongs to."""

    name: str
    type: Type
    default: nodes.Expression | None = None


@dataclass(frozen=True, slots=True)
class Callee:
    """What a call names: its name as written, for messages, and its parameters.

    It is broken where the type of a parameter could not be read; that was reported at the parameter.
    """

    text: str
    slots: tuple[Slot, ...]
    module: Module
    broken: bool = False


def arguments(given: tuple[nodes.Argument, ...], to: Callee, span: Span, scope: Scope) -> tuple[Expression, ...] | None:
    """The arguments in the order of the parameters, defaults filled in; none where one is missing or wrong."""
    matched = None if to.broken else _matched(given, to, span, scope)
    if matched is None:
        return None
    before = len(scope.report.found)
    found = tuple(_argument(slot, matched[slot.name], to, scope) for slot in to.slots)
    if None in found:
        _told_as_exchanged(before, matched, to, scope)
    return None if None in found else found  # type: ignore[return-value]


def _told_as_exchanged(before: int, matched: Mapping[str, nodes.Expression | None], to: Callee, scope: Scope) -> None:
    """Tells two arguments that would each fit in the place of the other at once, where both were just reported."""
    told = scope.report.found[before:]
    places = {each.primary.span for each in told if each.primary is not None and each.code == "RW0317"}
    wrong = [(slot, node) for slot in to.slots if (node := matched[slot.name]) is not None and node.span in places]
    if not len(told) == len(wrong) == 2:  # noqa: PLR2004 - a pair
        return
    (one, first), (other, second) = wrong
    aside = replace(scope, report=Report())
    found, following = aside.infer(first), aside.infer(second)
    if found is None or following is None or not (_serves(found, other.type) and _serves(following, one.type)):
        return
    del scope.report.found[before:]
    texts = as_code(found, scope), as_code(following, scope)
    edits = (*written(texts[1], first.span, safe=False).edits, *written(texts[0], second.span, safe=False).edits)
    message = f"`{to.text}` takes `{one.name}` before `{other.name}`, and these two are the wrong way round"
    remedy = f"write `{texts[1]}` first, then `{texts[0]}`"
    scope.report.error("RW0317", first.span.to(second.span), message, help=remedy, edits=() if "…" in texts else edits)


def _serves(found: Expression, wanted: Type) -> bool:
    """Whether a value may stand where one of a type is wanted, or what it shows where it is a die."""
    shown = found.type.face if isinstance(found.type, DieType) else found.type
    return like(found.type, wanted) or like(shown, wanted)


def _argument(slot: Slot, node: nodes.Expression | None, to: Callee, scope: Scope) -> Expression | None:
    if node is None:
        assert slot.default is not None
        node, scope = slot.default, scope.elsewhere(to.module)
    return fitted(node, slot.type, scope, f"argument `{slot.name}` of `{to.text}`")


def _matched(
    given: tuple[nodes.Argument, ...], to: Callee, span: Span, scope: Scope
) -> dict[str, nodes.Expression | None] | None:
    names = [slot.name for slot in to.slots]
    matched: dict[str, nodes.Expression | None] = {}
    for place, argument in enumerate(given):
        name = _slot_name(argument, place, names, to, scope)
        if name is None:
            return None
        if name in matched:
            scope.report.error("RW0316", argument.span, f"`{name}` is given twice")
            return None
        matched[name] = argument.value
    missing = [slot.name for slot in to.slots if slot.name not in matched and slot.default is None]
    if missing:
        scope.report.error("RW0315", span, f"`{to.text}` lacks {listed(missing)}", help=_signature(to))
        return None
    return {name: matched.get(name) for name in names}


def _slot_name(argument: nodes.Argument, place: int, names: list[str], to: Callee, scope: Scope) -> str | None:
    if argument.name is None:
        if place < len(names):
            return names[place]
        message = f"`{to.text}` takes {_counted(len(names))}, and this is one too many"
        scope.report.error("RW0315", argument.span, message, help=_signature(to))
        return None
    if argument.name.text in names:
        return argument.name.text
    remedy = meant(argument.name.text, names, argument.name.span, _signature(to))
    scope.report.error("RW0316", argument.name.span, f"`{to.text}` has no `{argument.name.text}`", remedy=remedy)
    return None


def _counted(number: int) -> str:
    return {0: "no arguments", 1: "1 argument"}.get(number, f"{number} arguments")


def _signature(to: Callee) -> str:
    slots = ", ".join(f"{slot.name}: {slot.type}" for slot in to.slots)
    return f"it is `{to.text}({slots})`"


def cell_arguments(node: nodes.Call, number: int, scope: Scope) -> tuple[Expression, ...] | None:
    """The arguments of a function of cells."""
    assert isinstance(node.function, nodes.Reference)
    text = node.function.name
    if len(node.arguments) != number:
        scope.report.error("RW0315", node.span, f"`{text}` takes {_counted(number)}")
        return None
    found = tuple(_cell(argument.value, text, scope) for argument in node.arguments)
    return None if None in found else found  # type: ignore[return-value]


def _cell(node: nodes.Expression, text: str, scope: Scope) -> Expression | None:
    found = scope.infer(node)
    if found is None:
        return None
    match found.type:
        case CellType():
            return found
        case OptionalType(CellType() as cell):
            return fit(found, cell, scope, f"an argument of `{text}`")
        case type_:
            has_place = has_attribute(type_, "at", scope)
            remedy = "write where it is, `….at`" if has_place else _placed(type_)
            message = f"`{text}` takes cells of a board, and {is_a(found)}"
            edits = wrapped("", found.span, ".at", safe=True) if has_place and isinstance(node, nodes.Reference) else ()
            scope.report.error("RW0317", found.span, message, help=remedy, edits=edits)
            return None


def _placed(type_: Type) -> str:
    """How a thing gets a place; empty for what is no thing."""
    if not isinstance(type_, ThingType):
        return ""
    return f"give `{type_.kind}` a place: `at: hex` with a `board NAME of hex`, or `at: point` with one `of plane`"


Rule = Callable[[str, nodes.Call, Scope], Expression | None]
"""Types a call of a function by its name, and checks its arguments."""


def taking(count: int) -> Callable[[Rule], Rule]:
    """Lets a rule see only calls with so many arguments; any other is reported (RW0315)."""

    def counting(rule: Rule) -> Rule:
        return lambda name, node, scope: rule(name, node, scope) if takes(name, node, count, scope) else None

    return counting


def unfit(found: Expression, wanted: str, scope: Scope) -> None:
    """Reports an argument of another type than a function wants (RW0317)."""
    scope.report.error("RW0317", found.span, f"{wanted}, and {is_a(found)}")


def takes(name: str, node: nodes.Call, count: int, scope: Scope) -> bool:
    """Whether a call has so many arguments; reports it where it has not (RW0315)."""
    given = len(node.arguments)
    if given == count:
        return True
    scope.report.error("RW0315", node.span, f"`{name}` takes {_counted(count)}, not {given}")
    return False


def builtin(name: str, node: nodes.Call, type_: Type, *found: Expression) -> Builtin:
    """The call with its arguments."""
    return Builtin(type=type_, span=node.span, name=name, arguments=found)


def number_argument(name: str, node: nodes.Expression, scope: Scope) -> Expression | None:
    """An argument that must be a number."""
    found = scope.infer(node)
    return found if found is not None and needs_number(found, f"`{name}`", scope) else None


FUNCTIONS = frozenset({"term", "tally", "decide", "table", "paths"})


def without_parameters(name: str, module: Module) -> bool:
    """Whether a bare name is a function that takes no arguments."""
    symbol = module.callables.get(name)
    return symbol is not None and symbol.sort in FUNCTIONS | {"external term"} and not symbol.parameters


def nowhere(here: str, there: str) -> tuple[str, str, str]:
    """What is said of a direction that may lead from a place to itself."""
    return (
        f"`{there}` may be `{here}` itself, and no direction leads there",
        f"`{there}` is `{here}` itself, and no direction leads there",
        promises.asked_first(f"{there} != {here}"),
    )
