"""Lowering of expressions: what the checked program says in forty classes, in eleven forms."""

from collections.abc import Sequence
from typing import assert_never

from rulewright.base.frozen import replace
from rulewright.program import expressions as ex, types as ty
from rulewright.program.board_geometry import ANGLE
from rulewright.program.core import forms as core
from rulewright.program.core.forms import CoreType, Expression, Origin
from rulewright.program.declarations import Program
from rulewright.program.expressions import Binding, ConditionRow, Variable
from rulewright.program.types import COUNT, FLAG, NoneType, Type, strip_optional

_COMPARISONS = {"=": "equal", "!=": "equal", "<": "less", "<=": "at most", ">": "more", ">=": "at least"}
_ARITHMETIC = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
_PLAIN_FUNCTIONS = {
    "abs": "absolute",
    "floor": "floor",
    "ceiling": "ceiling",
    "round": "round",
    "other": "other",
    "hex": "cell",
    "square": "cell",
    "square8": "cell",
    "total": "total",
    "highest_face": "highest face",
    "point": "point",
}
_FUNCTIONS_OF_MEMBERS = {
    "count": "count of",
    "sorted": "sorted",
    "starting_with": "starting with",
    "position": "position",
    "pairs": "pairs",
}
_GRID_FUNCTIONS = {
    "step": "step",
    "distance": "distance",
    "adjacent": "adjacent",
    "direction": "direction",
    "neighbours": "neighbours",
    "rear_hexes": "rear cells",
}
_PLANE_FUNCTIONS = {
    "gap": "gap",
    "distance": "plane distance",
    "bearing": "bearing",
    "segment": "segment",
    "contact": "contact",
    "touches": "touches",
    "overlaps": "overlaps",
    "aboard": "aboard",
    "crosses": "crosses",
    "in_arc": "in arc",
    "sees": "sees",
    "edge": "edge",
}


class ExpressionLowering:
    """Lowers the expressions of one routine, and hands out its names."""

    def __init__(self, program: Program, variables: Sequence[Variable]) -> None:
        self.program = program
        self._locals = {variable.index: make_local(variable) for variable in variables}
        self._next_index = max(self._locals, default=-1) + 1

    def list_locals(self) -> tuple[core.Local, ...]:
        """All names handed out, by index."""
        return tuple(self._locals[index] for index in sorted(self._locals))

    def get_local(self, variable: Variable) -> core.Local:
        return self._locals.setdefault(variable.index, make_local(variable))

    def new_temporary(self, type_: CoreType) -> core.Local:
        local = core.Local(self._next_index, type_)
        self._locals[local.index] = local
        self._next_index += 1
        return local

    def bind_names(self, binding: Binding) -> core.Names:
        return tuple(None if variable is None else self.get_local(variable) for variable in binding.variables)

    def lower(self, node: ex.Expression) -> Expression:
        """The core expression of an expression."""
        lower, op = self.lower, self._make_op
        match node:
            case ex.Literal(value=value):
                return core.Const(value, type=node.type, origin=node)
            case ex.WordLiteral(position=position):
                return core.Const(position, type=node.type, origin=node)
            case ex.Local(variable=variable):
                return core.Get(self.get_local(variable), type=node.type, origin=node)
            case ex.Itself():
                itself = self._locals.setdefault(0, core.Local(0, node.type, "self"))
                return core.Get(itself, type=node.type, origin=node)
            case (
                ex.GameField() | ex.SettingValue() | ex.InPlay() | ex.Removed() | ex.BoardCells()
                | ex.StoredAttribute() | ex.Gone() | ex.CellAttribute() | ex.SideAttribute() | ex.RelationHolds()
            ):  # fmt: skip
                return core.Load(self._lower_root(node), type=node.type, origin=node)
            case ex.DerivedAttribute(target=target, function=function):
                return core.Apply(f"function:{function}", (lower(target),), type=node.type, origin=node)
            case ex.CallFunction(function=function, arguments=arguments):
                return core.Apply(f"function:{function}", self.lower_each(arguments), type=node.type, origin=node)
            case ex.ExternalValue(external=external, arguments=arguments):
                has_default = self.program.external_terms[external].default is not None
                default = f"default:{external}" if has_default else None
                return core.Wanted(external, self.lower_each(arguments), default, type=node.type, origin=node)
            case ex.Part(target=target, position=position):
                return op("part", (lower(target),), node, (position,))
            case ex.DieAttribute(target=target, name=name):
                return op("die", (lower(target),), node, (name,))
            case ex.PlaneAttribute(target=target, name="pose", kind=kind):
                return op("pose", (lower(target),), node, (kind,))
            case ex.PlaneAttribute(target=target, name=name):
                return op("coordinate", (lower(target),), node, ("xy".index(name),))
            case ex.Rounded(operand=operand):
                rounded = "to angle" if strip_optional(node.type) == ANGLE else "to thousandths"
                return op(rounded, (lower(operand),), node)
            case ex.MakeRecord(parts=parts) | ex.MakeTuple(parts=parts):
                return op("tuple", self.lower_each(parts), node)
            case ex.MakeCollection(items=items):
                return op(_name_of_collection(node.type), self.lower_each(items), node)
            case ex.Comprehension() | ex.Quantifier() | ex.TheOnly() | ex.Aggregate():
                return self._lower_gathering(node)
            case ex.Entry(target=target, key=key):
                return op(_name_of_entry(target.type), (lower(target), lower(key)), node)
            case ex.Builtin():
                return self._lower_builtin(node)
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return core.Cond(lower(condition), lower(then), lower(otherwise), type=node.type, origin=node)
            case ex.Logical(operator="and", left=left, right=right):
                return core.Cond(lower(left), lower(right), make_flag(None, value=False), type=FLAG, origin=node)
            case ex.Logical(left=left, right=right):
                return core.Cond(lower(left), make_flag(None, value=True), lower(right), type=FLAG, origin=node)
            case ex.Not(operand=operand):
                return op("not", (lower(operand),), node)
            case ex.Comparison(operator=operator, left=left, right=right):
                return _negate_if(
                    make_op(_COMPARISONS[operator], lower(left), lower(right), type_=FLAG, origin=node),
                    negates=operator == "!=",
                )
            case ex.Membership(item=item, collection=collection, negated=negated):
                inside = make_op("in", lower(item), self.lower_members(collection), type_=FLAG, origin=node)
                return _negate_if(inside, negates=negated)
            case ex.Interval(low=low, high=high):
                return op("interval", (lower(low), lower(high)), node)
            case ex.Arithmetic(operator=operator, left=left, right=right):
                return op(_ARITHMETIC[operator], (lower(left), lower(right)), node)
            case ex.Negation(operand=operand):
                return op("negate", (lower(operand),), node)
            case ex.Joined(operator=operator, left=left, right=right):
                return op(_name_of_join(node.type, operator), (lower(left), lower(right)), node)
            case ex.Narrowed(operand=operand):
                return op("narrow", (lower(operand),), node, (node.type,))
            case _:
                assert_never(node)

    def lower_each(self, nodes: Sequence[ex.Expression]) -> tuple[Expression, ...]:
        return tuple(map(self.lower, nodes))

    def lower_optional(self, node: ex.Expression | None) -> Expression | None:
        return None if node is None else self.lower(node)

    def lower_members(self, source: ex.Expression) -> Expression:
        """What a loop over a value visits: of a map its keys, of a pool the dice that count."""
        return make_members(self.lower(source))

    def lower_row(self, row: ConditionRow, *, unjudged: bool = True) -> Expression:
        """Whether a row holds; a row whose guard does not hold counts as `unjudged`."""
        condition = self.lower(row.condition)
        if row.guard is None:
            return condition
        return core.Cond(self.lower(row.guard), condition, make_flag(None, value=unjudged), type=FLAG, origin=row)

    def _make_op(
        self, name: str, arguments: tuple[Expression, ...], node: ex.Expression, facts: tuple[object, ...] = ()
    ) -> core.Op:
        return core.Op(name, arguments, facts, type=node.type, origin=node)

    def _lower_root(
        self,
        node: ex.GameField | ex.SettingValue | ex.InPlay | ex.Removed | ex.BoardCells | ex.StoredAttribute | ex.Gone
        | ex.CellAttribute | ex.SideAttribute | ex.RelationHolds,
    ) -> core.StoreRoot:  # fmt: skip
        match node:
            case ex.GameField(name=name):
                return core.GameField(name)
            case ex.SettingValue(name=name):
                return core.Setting(name)
            case ex.InPlay(kind=kind):
                return core.InPlay(kind)
            case ex.Removed(kind=kind):
                return core.RemovedThings(kind)
            case ex.BoardCells(board=board):
                return core.Cells(board)
            case ex.StoredAttribute(target=target, kind=kind, name=name):
                return core.Attribute(kind, name, self.lower(target))
            case ex.Gone(target=target):
                return core.Gone(get_thing_kind(target.type), self.lower(target))
            case ex.CellAttribute(target=target, board=board, name=name):
                return core.CellAttribute(board, name, self.lower(target))
            case ex.SideAttribute(first=first, second=second, board=board, name=name):
                return core.SideAttribute(board, name, self.lower(first), self.lower(second))
            case ex.RelationHolds(relation=relation, first=first, second=second):
                return make_pair(self.program, relation, self.lower(first), self.lower(second))
            case _:
                assert_never(node)

    def _lower_gathering(self, node: ex.Comprehension | ex.Quantifier | ex.TheOnly | ex.Aggregate) -> core.Over:
        names, source = self.bind_names(node.binding), self.lower_members(node.binding.source)
        where = self.lower_optional(node.binding.where)
        gather: core.Gather
        value: ex.Expression | None = None
        match node:
            case ex.Comprehension():
                gather, value = _gather_of_collection(node.type), node.value
            case ex.Quantifier(word="some"):
                gather = "some"
            case ex.Quantifier(word="no"):
                gather = "no"
            case ex.Quantifier():
                gather, value = "every", node.body
            case ex.TheOnly():
                gather = "only"
            case ex.Aggregate(word="count"):
                gather = "count"
            case ex.Aggregate(word="sum"):
                gather, value = "sum", node.value
            case ex.Aggregate(word="min"):
                gather, value = "least", node.value
            case ex.Aggregate():
                gather, value = "greatest", node.value
            case _:
                assert_never(node)
        return core.Over(names, source, where, gather, self.lower_optional(value), type=node.type, origin=node)

    def _lower_builtin(self, node: ex.Builtin) -> Expression:
        name, op = node.name, self._make_op
        if name in _PLANE_FUNCTIONS and (name != "distance" or isinstance(node.type, ty.LengthType)):
            sorts = tuple(argument.type for argument in node.arguments[:2])
            return op(_PLANE_FUNCTIONS[name], self.lower_each(node.arguments), node, (sorts, node.places))
        if name in _GRID_FUNCTIONS:
            return op(_GRID_FUNCTIONS[name], self.lower_each(node.arguments), node, (_find_space(node),))
        if name in {"min", "max"}:
            return op("least" if name == "min" else "greatest", self.lower_each(node.arguments), node)
        if name in _FUNCTIONS_OF_MEMBERS:
            return op(_FUNCTIONS_OF_MEMBERS[name], tuple(map(self._lower_argument, node.arguments)), node)
        match name:
            case "fits" | "poses":
                return op(name, self.lower_each(node.arguments), node, (node.places,))
            case "along":
                assert isinstance(node.type, ty.WordType)
                last = len(self.program.values[node.type.values].words) - 1
                return op("shift word", self.lower_each(node.arguments), node, (last,))
            case "directions":
                directions = tuple(range(len(ty.GRID_STEPS[_find_space(node)])))
                return core.Const(directions, type=node.type, origin=node)
            case "occupants":
                assert isinstance(node.type, ty.SetType)
                return op("occupants", self.lower_each(node.arguments), node, (get_thing_kind(node.type.item),))
            case "connected":
                member = strip_optional(node.arguments[0].type)
                kind = member.kind if isinstance(member, ty.ThingType) else None
                sort = "function" if node.relation in self.program.functions else "related"
                related = core.Closure(f"{sort}:{node.relation}", (), type=FLAG, origin=None)
                return op("connected", (*self.lower_each(node.arguments), related), node, (kind,))
            case _:
                return op(_PLAIN_FUNCTIONS[name], self.lower_each(node.arguments), node)

    def _lower_argument(self, argument: ex.Expression) -> Expression:
        is_collection = ty.get_member_type(argument.type) is not None
        return self.lower_members(argument) if is_collection else self.lower(argument)


def lower_expression(program: Program, node: ex.Expression) -> Expression:
    """The core of an expression by itself."""
    return ExpressionLowering(program, ()).lower(node)


def _negate_if(test: core.Op, *, negates: bool) -> core.Op:
    """A test or its negation; a node of the program is the origin of one form, here of the negation."""
    if not negates:
        return test
    return make_op("not", replace(test, origin=None), type_=FLAG, origin=test.origin)


def make_local(variable: Variable) -> core.Local:
    return core.Local(variable.index, variable.type, variable.name)


def make_flag(origin: Origin, *, value: bool) -> core.Const:
    """The constant `yes` or `no`."""
    return core.Const(value, type=FLAG, origin=origin)


def make_none(origin: Origin) -> core.Const:
    """The constant `none`."""
    return core.Const(None, type=NoneType(), origin=origin)


def make_number(number: int, origin: Origin) -> core.Const:
    """A number as a constant."""
    return core.Const(number, type=ty.NumberType(number, number), origin=origin)


def make_get(local: core.Local, origin: Origin) -> core.Get:
    return core.Get(local, type=local.type, origin=origin)


def make_op(
    name: str, *arguments: Expression, type_: CoreType, origin: Origin, facts: tuple[object, ...] = ()
) -> core.Op:
    """An operation on some values, with its constants."""
    return core.Op(name, arguments, facts, type=type_, origin=origin)


def make_test(name: str, *arguments: Expression, origin: Origin) -> core.Op:
    """An operation that gives a flag."""
    return core.Op(name, arguments, type=FLAG, origin=origin)


def make_conjunction(tests: Sequence[Expression], origin: Origin) -> Expression:
    """Whether all tests hold; yes for none."""
    if not tests:
        return make_flag(origin, value=True)
    *before, result = tests
    for test in reversed(before):
        result = core.Cond(test, result, make_flag(origin, value=False), type=FLAG, origin=origin)
    return result


def split_conjunction(test: Expression | None) -> tuple[Expression, ...]:
    """Operands of nested `and`; another test alone, none for no test."""
    match test:
        case None:
            return ()
        case core.Cond(test=left, then=right, other=core.Const(value=False, origin=None)):
            return (*split_conjunction(left), *split_conjunction(right))
        case _:
            return (test,)


def make_disjunction(tests: Sequence[Expression], origin: Origin) -> Expression:
    """Whether any test holds; no for none."""
    if not tests:
        return make_flag(origin, value=False)
    *before, result = tests
    for test in reversed(before):
        result = core.Cond(test, make_flag(origin, value=True), result, type=FLAG, origin=origin)
    return result


def make_members(source: Expression) -> Expression:
    """What a loop over a value visits, of a core expression."""
    match source.type:
        case ty.MapType(key=key):
            return make_op("keys", source, type_=ty.SetType(key), origin=None)
        case ty.PoolType(face=face, part=part):
            return make_op("kept dice", source, type_=ty.ListType(ty.DieType(face, part)), origin=None)
        case _:
            return source


def make_size(source: Expression, origin: Origin) -> core.Op:
    """Number of the members of a collection."""
    return make_op("count of", make_members(source), type_=COUNT, origin=origin)


def make_pair(program: Program, relation: str, first: Expression, second: Expression) -> core.Pair:
    declared = program.relations[relation]
    one, other = declared.parameters
    kinds = get_thing_kind(one.type), get_thing_kind(other.type)
    return core.Pair(relation, kinds, declared.symmetric, first, second)


def get_thing_kind(type_: Type) -> str:
    thing = strip_optional(type_)
    assert isinstance(thing, ty.ThingType)
    return thing.kind


def _name_of_collection(type_: Type) -> str:
    match type_:
        case ty.MapType():
            return "map"
        case ty.SetType():
            return "set"
        case ty.BagType():
            return "bag"
        case _:
            return "list"


def _gather_of_collection(type_: Type) -> core.Gather:
    match type_:
        case ty.SetType():
            return "set"
        case ty.BagType():
            return "bag"
        case _:
            return "list"


def _name_of_entry(type_: Type) -> str:
    match type_:
        case ty.MapType(key=ty.PLAYER, value=value) if not isinstance(value, ty.OptionalType):
            return "answer entry"
        case ty.MapType():
            return "entry"
        case _:
            return "item"


def _name_of_join(type_: Type, operator: str) -> str:
    joins = operator == "+"
    match type_:
        case ty.SetType():
            return "union" if joins else "difference"
        case ty.BagType():
            return "bag union" if joins else "bag difference"
        case _:
            return "joined" if joins else "list difference"


def _find_space(node: ex.Builtin) -> str:
    spaces = [argument.type.space for argument in node.arguments if isinstance(argument.type, ty.CellType)]
    return spaces[0] if spaces else getattr(getattr(node.type, "item", None), "space", "hex")
