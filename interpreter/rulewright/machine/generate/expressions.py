"""Python for expressions."""

from rulewright.machine.generate import calls, loops
from rulewright.machine.generate.writer import Body
from rulewright.machine.values import plainly_ordered
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import is_none
from rulewright.program.declarations import Conditions, Value
from rulewright.program.expressions import Expression
from rulewright.program.plane import ANGLE
from rulewright.program.rows import ConditionRow
from rulewright.program.wording import simple
from rulewright.roles import nodes

FEW = 16
"""As in `operations.has_member`."""
_PYTHON = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_ATTRIBUTES = {"first": 1, "face": 2, "natural": 2, "rerolls": 3, "part": 5, "name": 6}


def expression(body: Body, node: Expression) -> str:
    """Python that computes an expression once; what it reads is noted in the body."""
    code = _expression(body, node)
    told = _worth_reading(node) or (isinstance(node, ex.Itself) and body.site.sort == "reason")
    if not body.traced or not told:
        return code
    return body.read(code, body.module.wording.text(node), node.type)


def quietly(body: Body, node: Expression) -> str:
    """The same without noting what is read: for a target whose attribute is what is read."""
    body.muted += 1
    code = _expression(body, node)
    body.muted -= 1
    return code


def _worth_reading(node: Expression) -> bool:
    match node:
        case ex.Local() | ex.GameField() | ex.SettingValue() | ex.StoredAttribute() | ex.DerivedAttribute():
            return True
        case ex.CellAttribute() | ex.SideAttribute() | ex.DieAttribute() | ex.Gone() | ex.CallFunction():
            return True
        case ex.RelationHolds() | ex.ExternalValue() | ex.Builtin() | ex.PlaneAttribute() | ex.Entry() | ex.Aggregate():
            return True
        case ex.Part():
            return simple(node)
        case _:
            return False


def _target(body: Body, node: Expression) -> str:
    if isinstance(node, ex.Local):
        body.owned(node.variable)
    if not simple(node):
        return expression(body, node)
    code = quietly(body, node)
    if not (isinstance(node, ex.StoredAttribute) and isinstance(ty.present(node.type), ty.ThingType)):
        return code
    within = {each.variable.index for each in nodes(node) if isinstance(each, ex.Local)}
    return body.held(code, body.module.wording.text(node), node.type, within)


def _expression(body: Body, node: Expression) -> str:
    """Python that computes an expression; where somebody listens to it, its value is told."""
    number = body.module.probed.get(id(node))
    code = _computed(body, node)
    return code if number is None else f"seen({number}, {code})"


def _computed(body: Body, node: Expression) -> str:  # noqa: C901, PLR0911, PLR0912, PLR0915
    places = body.module.places
    match node:
        case ex.Literal(value=value):
            return _literal(body, value)
        case ex.WordLiteral(position=position):
            return str(position)
        case ex.Local(variable=variable):
            return body.variable(variable)
        case ex.Itself():
            return body.names[0]
        case ex.GameField(name=name):
            return f"W[{places.game[name]}]"
        case ex.SettingValue(name=name):
            return f"W[{places.settings[name]}]"
        case ex.InPlay(kind=kind):
            return f"W[{places.in_play[kind]}]"
        case ex.Removed(kind=kind):
            return f"removed(W[{places.gone[kind]}])"
        case ex.BoardCells(board=board):
            return f"W[{places.boards[board]}]"
        case ex.StoredAttribute(target=target, kind=kind, name=name):
            return f"W[{places.columns[f'{kind}/{name}']}][{_target(body, target)}]"
        case ex.Gone(target=target):
            return f"W[{places.gone[_kind(target)]}][{_target(body, target)}]"
        case ex.CellAttribute(target=target, board=board, name=name):
            start = body.module.constant(body.module.layout.starts[f"{board}/{name}"])
            return f"W[{places.cells[f'{board}/{name}']}].get({_target(body, target)}, {start})"
        case ex.SideAttribute(first=first, second=second, board=board, name=name):
            start = body.module.constant(body.module.layout.starts[f"{board}/{name}"])
            key = f"side({expression(body, first)}, {expression(body, second)})"
            return f"W[{places.sides[f'{board}/{name}']}].get({key}, {start})"
        case ex.Part(target=target, position=position):
            return f"{_target(body, target)}[{position}]"
        case ex.DieAttribute(target=target, name=name):
            which = _target(body, target)
            if isinstance(target, ex.Local) and target.variable.index in body.shown:
                return f"{which}[{_ATTRIBUTES[name]}]"
            short = which.isidentifier() or (not body.traced and isinstance(target, ex.Local))
            found = f"W[4][{which}[0]][{which}[1]]" if short else f"die(W, {which})"
            return f"{found}[{_ATTRIBUTES[name]}]"
        case ex.DerivedAttribute(target=target, function=function) if _plain(body, function) and simple(target):
            return _in_place(body, function, (target,))
        case ex.DerivedAttribute(target=target, function=function):
            return calls.function(body, function, (_target(body, target),))
        case ex.CallFunction() if _is_small(body, node):
            return _in_place(body, node.function, node.arguments)
        case ex.CallFunction(function=function, arguments=arguments):
            return calls.function(body, function, tuple(expression(body, each) for each in arguments))
        case ex.ExternalValue(external=external, arguments=arguments):
            return calls.external(body, external, tuple(expression(body, each) for each in arguments))
        case ex.PlaneAttribute(target=target):
            return calls.attribute(body, node, _target(body, target))
        case ex.Rounded(type=type_, operand=operand):
            rounded = "angle" if ANGLE in (type_, getattr(type_, "inner", None)) else "inches"
            return f"{rounded}({expression(body, operand)})"
        case ex.Builtin():
            return calls.builtin(body, node, tuple(expression(body, each) for each in node.arguments))
        case ex.RelationHolds(relation=relation, first=first, second=second):
            out = f"W[{places.gone[_kind(first)]}], W[{places.gone[_kind(second)]}]"
            pair = f"{expression(body, first)}, {expression(body, second)}"
            return f"linked(W[{places.relations[relation]}], {out}, {pair})"
        case ex.MakeRecord(parts=parts) | ex.MakeTuple(parts=parts):
            return _tuple(body, parts)
        case ex.MakeCollection(items=items):
            return _collection(body, node, items)
        case ex.Comprehension() | ex.Quantifier() | ex.TheOnly() | ex.Aggregate():
            return loops.lifted(body, node)
        case ex.Entry(target=target, key=key):
            held, at = _target(body, target), expression(body, key)
            if isinstance(target.type, ty.MapType) and _perhaps_unasked(target.type):
                return f"present(entry({held}, {at}), {body.module.constant(body.module.wording.text(node))})"
            if isinstance(target.type, ty.MapType):
                return f"{held}.entries.get({at}, {held}.default)" if simple(target) else f"entry({held}, {at})"
            return f"item({held}, {at})"
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            test = expression(body, condition)
            with body.unsure():
                return f"({expression(body, then)} if {test} else {expression(body, otherwise)})"
        case ex.Logical(operator=operator, left=left, right=right):
            leading = expression(body, left)
            with body.unsure():
                return f"({leading} {operator} {expression(body, right)})"
        case ex.Not(operand=operand):
            return f"(not {expression(body, operand)})"
        case ex.Comparison(operator=operator, left=left, right=right):
            return _comparison(body, operator, left, right)
        case ex.Membership():
            return _membership(body, node)
        case ex.Interval(low=low, high=high):
            return f"interval(W, {expression(body, low)}, {expression(body, high)})"
        case ex.Arithmetic(operator="/", left=left, right=right):
            return f"divide(W, {expression(body, left)}, {expression(body, right)})"
        case ex.Arithmetic(operator=operator, left=left, right=right):
            return calls.sized(node.type, f"({expression(body, left)} {operator} {expression(body, right)})")
        case ex.Negation(operand=operand):
            return f"(-{expression(body, operand)})"
        case ex.Joined():
            return _joined(body, node)
        case ex.Narrowed():
            return _narrowed(body, node)
        case _:
            raise AssertionError(f"no code for {type(node).__name__}")


def _plain(body: Body, function: str) -> bool:
    """Whether a derived attribute only follows names and attributes, so that a call may be spared."""
    found = body.module.program.functions[function].body
    return not body.traced and isinstance(found, Value) and _chain(found.value)


def _chain(node: Expression) -> bool:
    match node:
        case ex.Itself():
            return True
        case ex.Local(variable=variable):
            return variable.index == 0
        case ex.StoredAttribute(target=target) | ex.Gone(target=target):
            return _chain(target)
        case _:
            return False


_SMALL = 30
_CALLING = (ex.CallFunction, ex.DerivedAttribute, ex.ExternalValue)


def _is_small(body: Body, node: ex.CallFunction) -> bool:
    """Whether the call of a term may be spared: it is short, calls nothing, and follows names that stand there."""
    found = body.module.program.functions[node.function].body
    if body.traced or not isinstance(found, Value | Conditions) or not all(map(simple, node.arguments)):
        return False
    inside = [each for each in nodes(found) if isinstance(each, ex.Typed)]
    return len(inside) <= _SMALL and not any(isinstance(each, _CALLING) for each in inside)


def _in_place(body: Body, function: str, arguments: tuple[Expression, ...]) -> str:
    """The value of a term or attribute, written where it is asked for."""
    found = body.module.program.functions[function]
    codes = [quietly(body, each) for each in arguments]
    before = body.names
    body.names = dict(zip([each.index for each in found.parameters], codes, strict=True))
    try:
        match found.body:
            case Value(value=value):
                return _expression(body, value)
            case Conditions(mode=mode, rows=rows):
                tests = [held(body, each, undecided=mode == "all") for each in rows]
                return f"({(' and ' if mode == 'all' else ' or ').join(tests)})"
            case _:
                raise TypeError(type(found.body))
    finally:
        body.names = before


def held(body: Body, row: ConditionRow, *, undecided: bool = True) -> str:
    """Python for whether a row holds, as one expression; `undecided` stands for a row that is not judged."""
    if row.guard is None:
        return expression(body, row.condition)
    with body.unsure():
        test = expression(body, row.condition)
    given = expression(body, row.guard)
    return f"(not {given} or {test})" if undecided else f"({given} and {test})"


def _literal(body: Body, value: object) -> str:
    match value:
        case None | bool():
            return str(value)
        case int():
            return str(value) if value >= 0 else f"({value})"
        case _:
            return body.module.constant(value)


def _kind(node: Expression) -> str:
    kind = ty.present(node.type)
    assert isinstance(kind, ty.ThingType)
    return kind.kind


def _perhaps_unasked(type_: ty.MapType) -> bool:
    """Whether a map may be that of the answers of all, which has no entry for a player who was not asked."""
    return type_.key == ty.PLAYER and not isinstance(type_.value, ty.OptionalType)


def _tuple(body: Body, parts: tuple[Expression, ...]) -> str:
    return "(" + "".join(f"{expression(body, each)}, " for each in parts).rstrip() + ")"


def _collection(body: Body, node: ex.MakeCollection, items: tuple[Expression, ...]) -> str:
    made = _tuple(body, items)
    pair = len(items) == 2 and not body.traced and all(map(simple, items))  # noqa: PLR2004
    match node.type:
        case ty.MapType():
            return f"Map({made}[0], {{}})"
        case ty.SetType(item) if pair and plainly_ordered(item):
            one, two = (quietly(body, each) for each in items)
            return f"({made} if {one} < {two} else ({two}, {one}) if {two} < {one} else ({one},))"
        case ty.SetType(item) if len(items) > 1:
            return f"{'plain_set' if plainly_ordered(item) else 'make_set'}({made})"
        case ty.BagType() if len(items) > 1:
            return f"in_order({made})"
        case _:
            return made


def _comparison(body: Body, operator: str, left: Expression, right: Expression) -> str:
    first, second = expression(body, left), expression(body, right)
    if operator in {"=", "!="} and isinstance(
        ty.present(left.type), ty.SetType | ty.ListType | ty.BagType | ty.DeckType | ty.MapType
    ):
        return f"({'' if operator == '=' else 'not '}alike(W, {first}, {second}))"
    if is_none(right):
        return f"({first} {'is' if operator == '=' else 'is not'} None)"
    return f"({first} {_PYTHON[operator]} {second})"


def _membership(body: Body, node: ex.Membership) -> str:
    item, collection = expression(body, node.item), node.collection
    word = "not in" if node.negated else "in"
    match collection:
        case ex.InPlay(kind=kind) if not isinstance(node.item.type, ty.OptionalType):
            flag = f"W[{body.module.places.gone[kind]}][{item}]"
            return flag if node.negated else f"(not {flag})"
        case ex.BoardCells() if len(body.module.program.boards) == 1:
            return f"({item} {word} W[6])"
        case ex.Interval(low=low, high=high):
            test = f"({item} in range({expression(body, low)}, {expression(body, high)} + 1))"
            return f"(not {test})" if node.negated else test
        case _ if isinstance(collection.type, ty.PoolType):
            return f"({item} {word} {body.kept(expression(body, collection))})"
        case ex.MakeCollection():
            return f"({item} {word} {expression(body, collection)})"
        case _:
            held_ = expression(body, collection)
            test = f"has_member(W, {item}, {held_})"
            if isinstance(collection, ex.Local) and not body.traced:
                test = f"({item} in {held_} if len({held_}) <= {FEW} else {test})"
            return f"({'not ' if node.negated else ''}{test})"


def _joined(body: Body, node: ex.Joined) -> str:
    pair = f"{expression(body, node.left)}, {expression(body, node.right)}"
    joins = node.operator == "+"
    match node.type:
        case ty.SetType(item):
            join = "plain_union" if plainly_ordered(item) else "union"
            return f"{join if joins else 'difference'}(W, {pair})"
        case ty.ListType() | ty.DeckType():
            return f"{'chain' if joins else 'without'}(W, {pair})"
        case ty.BagType():
            return f"in_order({'chain' if joins else 'without'}(W, {pair}))"
        case _:
            return f"{'merged' if joins else 'unmerged'}(W, {pair})"


def _narrowed(body: Body, node: ex.Narrowed) -> str:
    operand = expression(body, node.operand)
    text = body.module.constant(body.module.wording.text(node.operand))
    match node.type:
        case ty.NumberType(low, high, paired=False):
            return f"narrow({operand}, {low}, {high}, {text})"
        case ty.ThingType() | ty.WordType() | ty.FractionType():
            return f"present({operand}, {text})"
        case _:
            return f"fitting({operand}, {body.module.constant(node.type)}, {text})"
