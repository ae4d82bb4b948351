"""Arguments of calls: matched to parameters, counted, typed."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from rulewright.base.diagnostics import format_name_list
from rulewright.base.diagnostics.remedies import make_name_remedy, make_replacement_remedy, make_wrapping_edits
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker import preconditions
from rulewright.checker.infer.arithmetic import check_is_number
from rulewright.checker.infer.name_lookup import format_as_code, has_attribute
from rulewright.checker.infer.type_fitting import fit_expression, infer_fitted, is_like_type
from rulewright.checker.scope import Scope
from rulewright.checker.symbols import LinkedModule
from rulewright.program.expressions import Builtin, Comparison, Expression
from rulewright.program.types import FLAG, CellType, DieType, OptionalType, ThingType, Type
from rulewright.program.wording import describe_expression, render_brief_expression
from rulewright.syntax.nodes import expressions as nodes

_MAX_MATCHED_SLOTS = 8


@dataclass(frozen=True, slots=True)
class ParameterSlot:
    """A parameter to which an argument is matched; the default is written in the module of the call target."""

    name: str
    type: Type
    default: nodes.Expression | None = None


@dataclass(frozen=True, slots=True)
class CallTarget:
    """Called object: its name as written, for messages, and its parameters.

    `has_untyped_parameter` where the type of a parameter could not be read, which was reported there.
    """

    written_name: str
    slots: tuple[ParameterSlot, ...]
    module: LinkedModule
    parameter_space: tuple[str, str]  # name space and owner of the names of its parameters
    has_untyped_parameter: bool = False


def infer_arguments(
    arguments: tuple[nodes.Argument, ...], target: CallTarget, span: Span, scope: Scope
) -> tuple[Expression, ...] | None:
    """Arguments in the order of the parameters, defaults filled in; None where one is missing or wrong."""
    matched = None if target.has_untyped_parameter else _match_arguments(arguments, target, span, scope)
    if matched is None:
        return None
    before = len(scope.report.diagnostics)
    items = tuple(_infer_argument(slot, matched[slot.name], target, scope) for slot in target.slots)
    if None in items:
        _report_exchanged_arguments(before, matched, target, scope)
    return None if None in items else items  # type: ignore[return-value]


def _report_exchanged_arguments(
    before: int, matched: Mapping[str, nodes.Expression | None], target: CallTarget, scope: Scope
) -> None:
    """Replaces two errors by one where each argument would fit in the place of the other."""
    reported = scope.report.diagnostics[before:]
    places = {finding.primary.span for finding in reported if finding.primary is not None and finding.code == "RW0317"}
    wrong = [(slot, node) for slot in target.slots if (node := matched[slot.name]) is not None and node.span in places]
    if not len(reported) == len(wrong) == 2:  # noqa: PLR2004 - a pair
        return
    (one, first), (other, second) = wrong
    aside = scope.aside()
    result, following = aside.infer(first), aside.infer(second)
    if (
        result is None
        or following is None
        or not (_may_serve_as(result, other.type) and _may_serve_as(following, one.type))
    ):
        return
    del scope.report.diagnostics[before:]
    texts = format_as_code(result, scope), format_as_code(following, scope)
    edits = (
        *make_replacement_remedy(texts[1], first.span, safe=False).edits,
        *make_replacement_remedy(texts[0], second.span, safe=False).edits,
    )
    message = f"`{target.written_name}` takes `{one.name}` before `{other.name}`, and these two are the wrong way round"
    remedy = f"write `{texts[1]}` first, then `{texts[0]}`"
    scope.report.error(
        "RW0317", first.span.extend_to(second.span), message, help=remedy, edits=() if "…" in texts else edits
    )


def _may_serve_as(expression: Expression, wanted: Type) -> bool:
    shown = expression.type.face if isinstance(expression.type, DieType) else expression.type
    return is_like_type(expression.type, wanted) or is_like_type(shown, wanted)


def _infer_argument(
    slot: ParameterSlot, node: nodes.Expression | None, target: CallTarget, scope: Scope
) -> Expression | None:
    if node is None:
        assert slot.default is not None
        node, scope = slot.default, scope.for_module(target.module)
    return infer_fitted(node, slot.type, scope, f"argument `{slot.name}` of `{target.written_name}`")


def _match_arguments(
    arguments: tuple[nodes.Argument, ...], target: CallTarget, span: Span, scope: Scope
) -> dict[str, nodes.Expression | None] | None:
    names = [slot.name for slot in target.slots]
    matched: dict[str, nodes.Expression | None] = {}
    for place, argument in enumerate(arguments):
        name = _find_slot_name(argument, place, names, target, scope)
        if name is None:
            return None
        if name in matched:
            scope.report.error("RW0316", argument.span, f"`{name}` is given twice")
            return None
        matched[name] = argument.value
    missing = [slot.name for slot in target.slots if slot.name not in matched and slot.default is None]
    if missing:
        _report_missing_arguments(arguments, missing, target, span, scope)
        return None
    return {name: matched.get(name) for name in names}


def _report_missing_arguments(
    arguments: tuple[nodes.Argument, ...], missing: Sequence[str], target: CallTarget, span: Span, scope: Scope
) -> None:
    """RW0315, with the parameters that the arguments leave out by their names and types: a new one may stand first."""
    message = f"`{target.written_name}` lacks {format_name_list(missing)}"
    fitting = _list_fitting_slots(arguments, target, scope)
    if fitting and tuple(range(len(arguments))) not in fitting:
        counts = f"{len(arguments)} of {_format_argument_count(len(target.slots))}"
        left_out = [slot.name for place, slot in enumerate(target.slots) if place not in fitting[0]]
        message = f"`{target.written_name}` has {counts}"
        message += f"; it lacks {format_name_list(left_out)}" if len(fitting) == 1 else ""
    scope.report.error("RW0315", span, message, help=_format_signature(target), subject=target.written_name)


def _list_fitting_slots(
    arguments: tuple[nodes.Argument, ...], target: CallTarget, scope: Scope
) -> list[tuple[int, ...]]:
    """Places of parameters, in order, for which the arguments may be meant; those of the same names if there are any."""
    is_plain = not any(argument.name for argument in arguments) and not any(slot.default for slot in target.slots)
    if not is_plain or len(target.slots) > _MAX_MATCHED_SLOTS:
        return []
    aside = scope.aside()
    values = [aside.infer(argument.value) for argument in arguments]
    fitting = [
        places
        for places in combinations(range(len(target.slots)), len(values))
        if all(
            value is None or _may_serve_as(value, target.slots[place].type)
            for value, place in zip(values, places, strict=True)
        )
    ]
    texts = [format_as_code(value, scope) if value is not None else "" for value in values]
    named = [
        sum(text == target.slots[place].name for text, place in zip(texts, places, strict=True)) for places in fitting
    ]
    return [places for places, number in zip(fitting, named, strict=True) if number == max(named)]


def _find_slot_name(
    argument: nodes.Argument, place: int, names: list[str], target: CallTarget, scope: Scope
) -> str | None:
    if argument.name is None:
        if place < len(names):
            return names[place]
        message = f"`{target.written_name}` takes {_format_argument_count(len(names))}, and this is one too many"
        scope.report.error(
            "RW0315", argument.span, message, help=_format_signature(target), subject=target.written_name
        )
        return None
    if argument.name.text in names:
        scope.report.note_use(argument.name.span, *target.parameter_space, argument.name.text)
        return argument.name.text
    remedy = make_name_remedy(argument.name.text, names, argument.name.span, _format_signature(target))
    scope.report.error(
        "RW0316", argument.name.span, f"`{target.written_name}` has no `{argument.name.text}`", remedy=remedy
    )
    return None


def _format_argument_count(number: int) -> str:
    return {0: "no arguments", 1: "1 argument"}.get(number, f"{number} arguments")


def _format_signature(target: CallTarget) -> str:
    slots = ", ".join(f"{slot.name}: {slot.type}" for slot in target.slots)
    return f"it is `{target.written_name}({slots})`"


def infer_cell_arguments(node: nodes.Call, number: int, scope: Scope) -> tuple[Expression, ...] | None:
    assert isinstance(node.function, nodes.Reference)
    text = node.function.name
    if len(node.arguments) != number:
        scope.report.error("RW0315", node.span, f"`{text}` takes {_format_argument_count(number)}", subject=text)
        return None
    result = tuple(_infer_cell_argument(argument.value, text, scope) for argument in node.arguments)
    return None if None in result else result  # type: ignore[return-value]


def _infer_cell_argument(node: nodes.Expression, text: str, scope: Scope) -> Expression | None:
    result = scope.infer(node)
    if result is None:
        return None
    match result.type:
        case CellType():
            return result
        case OptionalType(CellType() as cell):
            return fit_expression(result, cell, scope, f"an argument of `{text}`")
        case type_:
            has_place = has_attribute(type_, "at", scope)
            remedy = "write where it is, `….at`" if has_place else _suggest_placing(type_)
            message = f"`{text}` takes cells of a board, and {describe_expression(result)}"
            edits = (
                make_wrapping_edits("", result.span, ".at", safe=True)
                if has_place and isinstance(node, nodes.Reference)
                else ()
            )
            scope.report.error("RW0317", result.span, message, help=remedy, edits=edits)
            return None


def _suggest_placing(type_: Type) -> str:
    if not isinstance(type_, ThingType):
        return ""
    return f"give `{type_.kind}` a place: `at: hex` with a `board NAME of hex`, or `at: point` with one `of plane`"


CallRule = Callable[[str, nodes.Call, Scope], Expression | None]
"""Rule that types a call of a function of the language, by name, and checks its arguments."""


def with_argument_count(count: int) -> Callable[[CallRule], CallRule]:
    """Decorator: a rule sees only calls with `count` arguments; others are reported (RW0315)."""

    def check_then_apply(rule: CallRule) -> CallRule:
        return lambda name, node, scope: (
            rule(name, node, scope) if check_argument_count(name, node, count, scope) else None
        )

    return check_then_apply


def report_unfit_argument(expression: Expression, wanted: str, scope: Scope) -> None:
    scope.report.error("RW0317", expression.span, f"{wanted}, and {describe_expression(expression)}")


def check_argument_count(name: str, node: nodes.Call, count: int, scope: Scope) -> bool:
    """Whether a call has `count` arguments (RW0315)."""
    given = len(node.arguments)
    if given == count:
        return True
    scope.report.error(
        "RW0315", node.span, f"`{name}` takes {_format_argument_count(count)}, not {given}", subject=name
    )
    return False


def make_builtin_call(name: str, node: nodes.Call, type_: Type, *arguments: Expression) -> Builtin:
    return Builtin(type=type_, span=node.span, name=name, arguments=arguments)


def infer_number_argument(name: str, node: nodes.Expression, scope: Scope) -> Expression | None:
    result = scope.infer(node)
    return result if result is not None and check_is_number(result, f"`{name}`", scope) else None


FUNCTION_SORTS = frozenset({"term", "tally", "decide", "table", "paths"})


def is_parameterless_function(name: str, module: LinkedModule) -> bool:
    """Whether a bare name is a function without parameters."""
    symbol = module.callables.get(name)
    return symbol is not None and symbol.sort in FUNCTION_SORTS | {"external term"} and not symbol.parameters


def require_distinct_places(here: Expression, there: Expression, span: Span, scope: Scope) -> None:
    """Warns where a direction may be asked for from a cell or point to itself (RW0419)."""
    unlike = Comparison(type=FLAG, span=span, operator="!=", left=there, right=here)
    one, other = render_brief_expression(here), render_brief_expression(there)
    messages = (
        f"`{other}` may be `{one}` itself, and no direction leads there",
        f"`{other}` is `{one}` itself, and no direction leads there",
        preconditions.format_guard_remedy(f"{other} != {one}"),
    )
    preconditions.require_condition("RW0419", unlike, span, messages, scope)
