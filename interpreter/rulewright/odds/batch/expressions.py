"""WebAssembly for expressions: each leaves one number, and a test leaves whether it holds."""

from rulewright.odds.batch import cells, digits, members, sets, terms
from rulewright.odds.batch.shapes import NONE, UnfitError
from rulewright.odds.batch.slots import alike, known, sized, slot
from rulewright.odds.batch.writer import Body, constant, flag, held
from rulewright.program import expressions as ex, types as ty
from rulewright.program.expressions import Expression
from rulewright.program.types import present

_COMPARED = {"=": "eq", "!=": "ne", "<": "lt_s", "<=": "le_s", ">": "gt_s", ">=": "ge_s"}


def value(body: Body, node: Expression) -> str:  # noqa: C901, PLR0911, PLR0912
    """Code for the number that an expression comes to.

    Raises:
        UnfitError: it holds something that the batch path cannot.
    """
    module = body.module
    match node:
        case ex.Literal(value=found):
            return constant(module.shapes.held(found, node.type))
        case ex.WordLiteral(position=position):
            return constant(position)
        case ex.Local(variable=variable):
            return body.get(variable)
        case ex.Itself():
            body.names.setdefault("$v0")
            return held("$v0")
        case ex.GameField(name=name):
            return f"(i64.load (i32.const {digits.game(module, name)}))"
        case ex.SettingValue(name=name):
            setting = module.program.settings[name]
            return constant(module.shapes.held(module.world[digits.places(module).settings[name]], setting.type))
        case ex.InPlay(kind=kind):
            return f"(i64.load (i32.const {digits.in_play(module, kind)}))"
        case ex.Removed(kind=kind):
            everyone = constant((1 << module.shapes.members(ty.ThingType(kind))) - 1)
            return f"(i64.xor {everyone} (i64.load (i32.const {digits.in_play(module, kind)})))"
        case ex.BoardCells(board=board, type=ty.SetType(item)):
            return cells.board(module, board, item)
        case ex.StoredAttribute(target=target, kind=kind, name=name):
            return f"(i64.load offset={digits.column(module, kind, name)} {_at(body, target)})"
        case ex.CellAttribute(target=target, board=board, name=name):
            return f"(i64.load offset={digits.of_cells(module, board, name)} {_at(body, target)})"
        case ex.Part(target=target, position=position):
            return digits.digit(body, value(body, target), target.type, position)
        case ex.DieAttribute(target=ex.Local(variable=variable)) if variable.index in body.faces:
            return body.get(variable)
        case ex.DieAttribute(target=target, name="natural" | "face"):
            return f"(i64.load (i32.wrap_i64 {value(body, target)}))"
        case ex.DerivedAttribute(target=target, function=function):
            return terms.called(body, function, (target,))
        case ex.CallFunction(function=function, arguments=arguments):
            return terms.called(body, function, arguments)
        case ex.ExternalValue():
            return terms.external(body, node)
        case ex.Builtin():
            return terms.builtin(body, node)
        case ex.MakeRecord(parts=parts):
            return digits.digits(
                body, [slot(body, *each) for each in zip(parts, module.shapes.parts(node.type), strict=True)], node.type
            )
        case ex.MakeTuple(parts=parts):
            return digits.digits(body, [value(body, each) for each in parts], node.type)
        case ex.MakeCollection():
            return members.collection(body, node)
        case ex.Comprehension():
            return members.comprehension(body, node)
        case ex.TheOnly():
            return members.the_only(body, node)
        case ex.Aggregate():
            return members.aggregate(body, node)
        case ex.Entry(target=target, key=key) if isinstance(target.type, ty.MapType):
            return digits.entry(body, value(body, target), value(body, key), target.type, present_=True)
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            ways = f"(then {body.valued(then)}) (else {body.valued(otherwise)})"
            return f"(if (result i64) {test(body, condition)} {ways})"
        case ex.Entry(target=target, key=key):
            return members.item(body, value(body, target), value(body, key), target.type)
        case ex.Arithmetic(operator="+" | "-" | "*", left=left, right=right):
            word = {"+": "add", "-": "sub", "*": "mul"}[node.operator]
            return sized(body, node.type, f"(i64.{word} {value(body, left)} {value(body, right)})")
        case ex.Negation(operand=operand):
            return f"(i64.sub (i64.const 0) {value(body, operand)})"
        case ex.Joined(operator=operator, left=left, right=right) if isinstance(node.type, ty.SetType):
            one, two = value(body, left), value(body, right)
            return sets.joined(body, node.type.item, one, two, less=operator != "+")
        case ex.Narrowed():
            return _narrowed(body, node)
        case ex.Logical() | ex.Not() | ex.Comparison() | ex.Gone() | ex.Membership() | ex.Quantifier():
            return flag(test(body, node))
        case ex.RelationHolds(relation=relation):
            raise UnfitError(f"whether the relation `{relation}` holds")
        case _:
            raise UnfitError(f"an expression of the type {node.type}")


def test(body: Body, node: Expression) -> str:  # noqa: C901, PLR0911 - one case for each
    """Code for whether a condition holds."""
    match node:
        case ex.Literal(value=bool() as flag_):
            return f"(i32.const {int(flag_)})"
        case ex.Logical(operator="and", left=left, right=right):
            return f"(if (result i32) {test(body, left)} (then {body.tested(right)}) (else (i32.const 0)))"
        case ex.Logical(left=left, right=right):
            return f"(if (result i32) {test(body, left)} (then (i32.const 1)) (else {body.tested(right)}))"
        case ex.Not(operand=operand):
            return f"(i32.eqz {test(body, operand)})"
        case ex.Comparison(operator=operator, left=left, right=right):
            alike(left.type, right.type)
            shapes, type_ = body.module.shapes, present(left.type)
            if isinstance(type_, ty.SetType) and operator in {"=", "!="} and type_ == left.type == right.type:
                alike_ = sets.same(body, type_.item, value(body, left), value(body, right))
                return alike_ if operator == "=" else f"(i32.eqz {alike_})"
            if shapes.is_reference(left.type) or shapes.is_reference(right.type):
                raise UnfitError(f"whether values of the type {left.type} are equal")
            return f"(i64.{_COMPARED[operator]} {value(body, left)} {value(body, right)})"
        case ex.Gone(target=target):
            kind = present(target.type)
            assert isinstance(kind, ty.ThingType)
            flags = f"(i64.load (i32.const {digits.in_play(body.module, kind.kind)}))"
            return f"(i32.eqz {sets.is_bit(flags, known(body, target))})"
        case ex.Membership(negated=negated):
            member = members.is_member(body, node)
            return f"(i32.eqz {member})" if negated else member
        case ex.Quantifier():
            return members.quantifier(body, node)
        case _ if isinstance(node.type, ty.FlagType):
            return f"(i32.wrap_i64 {value(body, node)})"
        case _:
            raise UnfitError(f"an expression of the type {node.type}")


def _at(body: Body, target: Expression) -> str:
    """How far behind the first word of a column that of a thing lies, or of cells that of a cell."""
    return f"(i32.shl (i32.wrap_i64 {known(body, target)}) (i32.const 3))"


def _narrowed(body: Body, node: ex.Narrowed) -> str:
    alike(node.operand.type, node.type)
    name = body.temporary(value(body, node.operand))
    why = "a value does not fit its place"
    match node.type:
        case ty.NumberType(low, high, paired=False):
            if low is not None:
                body.unless(f"(i64.ge_s {held(name)} {constant(low)})", why)
            if high is not None:
                body.unless(f"(i64.le_s {held(name)} {constant(high)})", why)
        case ty.ThingType() | ty.WordType():
            body.unless(f"(i64.ne {held(name)} {constant(NONE)})", why)
        case _:
            raise UnfitError(f"a value that may not be {node.type}")
    return held(name)
