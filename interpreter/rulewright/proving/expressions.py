"""Expressions of one revision as formulas: what they come to, or which fault they meet."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rulewright.machine import codes
from rulewright.program import expressions as ex, types as ty
from rulewright.program.declarations import Relation
from rulewright.program.expressions import Expression
from rulewright.program.types import GRIDS
from rulewright.program.walk import parts
from rulewright.proving.formulas import (
    Bits,
    Group,
    Maybe,
    Outcome,
    Parts,
    RefusedError,
    Scalar,
    Symbol,
    Term,
    Truth,
    maybe,
)
from rulewright.proving.reading import Sealing, listed, shown_by_pairs, signature

Names = Mapping[int, Symbol]
"""What the names of a routine or function stand for, by their numbers there."""
GoesThrough = ex.Comprehension | ex.Quantifier | ex.TheOnly | ex.Aggregate
"""An expression that goes through members."""
_NODES = 20_000


@dataclass
class Expressions(Sealing, ABC):
    """Translates expressions; subclasses translate functions and what goes through members."""

    _nodes: int = 0

    @abstractmethod
    def called(self, function: str, given: Sequence[Outcome], type_: ty.Type) -> Outcome:
        """The outcome of a function of the rules."""

    @abstractmethod
    def gone_through(self, node: GoesThrough, names: Names) -> Outcome:
        """What comes of going through members."""

    @abstractmethod
    def function_of_group(self, node: ex.Builtin, given: Outcome) -> Outcome:
        """`count`, `sum`, `min` or `max` of a collection."""

    def outcome(self, node: Expression, names: Names) -> Outcome:
        """What comes of an expression.

        Raises:
            RefusedError: no formula says it.
        """
        self._nodes += 1
        if self._nodes > _NODES:
            raise RefusedError("the formulas would be too long")
        found = self._outcome(node, names)
        return Outcome(self.fitted(found.value, node.type), found.fault)

    def fitted(self, symbol: Symbol, type_: ty.Type) -> Symbol:
        """A value of a type; where the type has no `?`, it is known not to be `none`."""
        if isinstance(symbol, Maybe) and not isinstance(type_, ty.OptionalType | ty.NoneType):
            if symbol.value is None:
                raise RefusedError("`none` stands where it cannot")
            return symbol.value
        return symbol

    def _outcome(self, node: Expression, names: Names) -> Outcome:  # noqa: C901, PLR0911, PLR0912 - one case for each class
        match node:
            case ex.Literal(value=value):
                return Outcome(self._literal(value))
            case ex.WordLiteral(position=position):
                return Outcome(Scalar(self.logic.whole(position)))
            case ex.Local(variable=variable):
                return Outcome(self._local(variable, names))
            case ex.Itself():
                return Outcome(names[0])
            case ex.GameField(name=name):
                return Outcome(self.stored("field", name, node.type, None))
            case ex.SettingValue(name=name):
                type_ = self.revision.program.settings[name].type
                return Outcome(self.common.read(self.revision, ("setting", self.name("setting", name)), type_))
            case ex.StoredAttribute(target=target, kind=kind, name=name):
                thing = self.outcome(target, names)
                given = self.symbols.number(thing.value)
                return Outcome(self.stored("attribute", f"{kind}/{name}", node.type, given), thing.fault)
            case ex.Gone(target=target):
                thing = self.outcome(target, names)
                return Outcome(Truth(self.gone(target.type, thing.value)), thing.fault)
            case ex.InPlay(kind=kind):
                return Outcome(self._in_play(kind, node.type))
            case ex.CallFunction(function=function, arguments=arguments):
                return self.called(function, [self.outcome(each, names) for each in arguments], node.type)
            case ex.DerivedAttribute(target=target, function=function):
                return self.called(function, [self.outcome(target, names)], node.type)
            case ex.Comprehension() | ex.Quantifier() | ex.TheOnly() | ex.Aggregate():
                return self.gone_through(node, names)
            case ex.MakeRecord(parts=made) | ex.MakeTuple(parts=made):
                found = [self.outcome(each, names) for each in made]
                return Outcome(Parts(tuple(each.value for each in found)), self.first(found))
            case ex.Part(target=target, position=position):
                whole = self.outcome(target, names)
                if not isinstance(whole.value, Parts):
                    raise RefusedError("a part of something that is not taken apart")
                return Outcome(whole.value.parts[position], whole.fault)
            case ex.Conditional():
                return self._conditional(node, names)
            case ex.Logical():
                return self._logical(node, names)
            case ex.Not(operand=operand):
                found_ = self.outcome(operand, names)
                return Outcome(Truth(self.logic.opposite(self.symbols.truth(found_.value))), found_.fault)
            case ex.Comparison():
                return self._comparison(node, names)
            case ex.Membership():
                return self._membership(node, names)
            case ex.Arithmetic():
                return self._arithmetic(node, names)
            case ex.Negation(operand=operand):
                number = self.outcome(operand, names)
                return Outcome(Scalar(-self.symbols.number(number.value)), number.fault)
            case ex.Narrowed():
                return self._narrowed(node, names)
            case ex.RelationHolds():
                return self._related(node, names)
            case ex.ExternalValue():
                return self._external(node, names)
            case ex.MakeCollection():
                return self._collection(node, names)
            case ex.Interval():
                return self._interval(node, names)
            case ex.Builtin():
                return self._builtin(node, names)
            case ex.Joined():
                return self._joined(node, names)
            case _:
                return self.sealed(node, [self.outcome(each, names) for each in parts(node)])

    def _literal(self, value: object) -> Symbol:
        match value:
            case None:
                return Maybe(self.logic.yes, None)
            case bool():
                return Truth(self.logic.yes if value else self.logic.no)
            case int():
                return Scalar(self.logic.whole(value))
            case Fraction():
                return Scalar(self.logic.exact(value))
            case _:
                return Scalar(self.logic.whole(self.common.text(str(value))))

    def _local(self, variable: ex.Variable, names: Names) -> Symbol:
        if variable.index not in names:
            raise RefusedError(f"`{variable.name}` is not known here")
        return names[variable.index]

    def _in_play(self, kind: str, type_: ty.Type) -> Group:
        sealed = self.common.opaque(f"in play {self.name('kind', kind)}", self.revision, type_)
        assert isinstance(sealed, Group)
        thing = ty.ThingType(kind)

        def holds(member: Symbol) -> Term:
            whole = maybe(member, self.logic)
            assert whole.value is not None
            return self.logic.all(
                self.logic.opposite(whole.missing), self.logic.opposite(self.gone(thing, whole.value))
            )

        return Group(sealed.term, holds=holds)

    def _conditional(self, node: ex.Conditional, names: Names) -> Outcome:
        test = self.outcome(node.condition, names)
        condition = self.symbols.truth(test.value)
        with self.under(condition):
            then = self.outcome(node.then, names)
        with self.under(self.logic.opposite(condition)):
            otherwise = self.outcome(node.otherwise, names)
        return self.either(test, then, otherwise)

    def either(self, test: Outcome, then: Outcome, otherwise: Outcome) -> Outcome:
        """What comes of one of two, by a condition."""
        condition, symbols = self.symbols.truth(test.value), self.symbols
        fault = None
        if then.fault is not None or otherwise.fault is not None:
            met = self.logic.choice(condition, symbols.fault(then.fault), symbols.fault(otherwise.fault))
            fault = None if met.eq(self.logic.whole(0)) else met
        return Outcome(symbols.choice(condition, then.value, otherwise.value), symbols.first(test.fault, fault))

    def _logical(self, node: ex.Logical, names: Names) -> Outcome:
        left = self.outcome(node.left, names)
        first = self.symbols.truth(left.value)
        going = first if node.operator == "and" else self.logic.opposite(first)
        with self.under(going):
            right = self.outcome(node.right, names)
        joined = self.logic.all if node.operator == "and" else self.logic.any
        fault = self.symbols.first(left.fault, self.symbols.only(going, right.fault))
        return Outcome(Truth(joined(first, self.symbols.truth(right.value))), fault)

    def _comparison(self, node: ex.Comparison, names: Names) -> Outcome:
        found = [self.outcome(each, names) for each in (node.left, node.right)]
        left, right = (each.value for each in found)
        match node.operator:
            case "=":
                truth = self.symbols.equal(left, right)
            case "!=":
                truth = self.logic.opposite(self.symbols.equal(left, right))
            case operator:
                truth = self.logic.compared(operator, self.symbols.number(left), self.symbols.number(right))
        return Outcome(Truth(truth), self.first(found))

    def _membership(self, node: ex.Membership, names: Names) -> Outcome:
        item, collection = self.outcome(node.item, names), self.outcome(node.collection, names)
        truth = self.member(item.value, collection.value)
        return Outcome(Truth(self.logic.opposite(truth) if node.negated else truth), self.first([item, collection]))

    def member(self, item: Symbol, collection: Symbol) -> Term:
        """Whether a collection contains something."""
        match collection:
            case Bits(low, bits):
                value = maybe(item, self.logic)
                number = self.symbols.number(item)
                at = [
                    self.logic.all(bit, self.logic.equal(number, self.logic.whole(low + n)))
                    for n, bit in enumerate(bits)
                ]
                return self.logic.all(self.logic.opposite(value.missing), self.logic.any(*at))
            case Group(items=items) if items is not None:
                return self.logic.any(*(self.logic.all(there, self.symbols.equal(item, each)) for there, each in items))
            case Group(holds=holds) if holds is not None:
                return holds(item)
            case Group(term):
                return self.logic.symbol("contains", self.logic.truths, (term, *self.symbols.leaves(item)))
            case _:
                raise RefusedError("something is looked for in what is not a collection")

    def _arithmetic(self, node: ex.Arithmetic, names: Names) -> Outcome:
        found = [self.outcome(each, names) for each in (node.left, node.right)]
        left, right = self.logic.level(*(self.symbols.number(each.value) for each in found))
        match node.operator:
            case "+":
                return Outcome(Scalar(left + right), self.first(found))
            case "-":
                return Outcome(Scalar(left - right), self.first(found))
            case "*":
                return Outcome(Scalar(left * right), self.first(found))
            case _:
                return self._quotient(left, right, self.first(found))

    def _quotient(self, left: Term, right: Term, fault: Term | None) -> Outcome:
        by_zero = self.symbols.fails(self.logic.equal(right, self.logic.whole(0)), codes.BY_ZERO)
        quotient = self.logic.as_exact(left) / self.logic.as_exact(right)
        return Outcome(Scalar(quotient), self.symbols.first(fault, by_zero))

    def _narrowed(self, node: ex.Narrowed, names: Names) -> Outcome:
        found = self.outcome(node.operand, names)
        logic = self.logic
        value = maybe(found.value, logic)
        if isinstance(node.type, ty.OptionalType) or value.value is None:
            missing, fits = logic.no, self._fits(found.value, node.type)
        else:
            missing, fits = value.missing, self._fits(value.value, node.type)
        none = self.symbols.fails(missing, codes.NONE_THERE)
        outside = self.symbols.fails(logic.opposite(fits), codes.OUT_OF_BOUNDS)
        return Outcome(found.value, self.symbols.first(found.fault, none, outside))

    def _fits(self, symbol: Symbol, type_: ty.Type) -> Term:
        logic = self.logic
        match type_, symbol:
            case ty.OptionalType(inner), Maybe(missing, value):
                return logic.yes if value is None else logic.any(missing, self._fits(value, inner))
            case ty.OptionalType(inner), _:
                return self._fits(symbol, inner)
            case ty.NumberType(low, high), _:
                number = self.symbols.number(symbol)
                above = logic.yes if low is None else logic.compared(">=", number, logic.whole(low))
                below = logic.yes if high is None else logic.compared("<=", number, logic.whole(high))
                pairs = shown_by_pairs(number, logic) if type_.paired else logic.yes
                return logic.all(above, below, pairs)
            case (ty.SetType(item), Bits(low, bits)):
                ends = [self._fits(Scalar(logic.whole(low + at)), item) for at in range(len(bits))]
                return logic.all(*(logic.any(logic.opposite(bit), end) for bit, end in zip(bits, ends, strict=True)))
            case ty.TupleType(types), Parts(values):
                return logic.all(*map(self._fits, values, types))
            case ((ty.SetType() | ty.ListType() | ty.BagType() | ty.DeckType() | ty.MapType()), _):
                raise RefusedError("a collection must fit narrower bounds")
            case _:
                return logic.yes

    def _related(self, node: ex.RelationHolds, names: Names) -> Outcome:
        found = [self.outcome(each, names) for each in (node.first, node.second)]
        first, second = (self.symbols.number(each.value) for each in found)
        relation = self.revision.program.relations[node.relation]
        gone = [self.gone(each.type, it.value) for each, it in zip((node.first, node.second), found, strict=True)]
        if relation.symmetric:
            turned = self.logic.compared("<=", first, second)
            first, second = self.logic.choice(turned, first, second), self.logic.choice(turned, second, first)
        linked = self.symbols.truth(self.common.read(self.revision, self._relation(relation), ty.FLAG, (first, second)))
        return Outcome(Truth(self.logic.all(linked, *map(self.logic.opposite, gone))), self.first(found))

    def _relation(self, relation: Relation) -> tuple[str, str]:
        """The sort and common name of a relation, which is another where it is not symmetric in both revisions."""
        kinds = " ".join(signature(each.type, self.revision) for each in relation.parameters)
        return "relation", f"{self.name('relation', relation.name)} {kinds}{' symmetric' * relation.symmetric}"

    def _external(self, node: ex.ExternalValue, names: Names) -> Outcome:
        """A value that a table gives, else the default, else whoever is asked."""
        found = [self.outcome(each, names) for each in node.arguments]
        given = tuple(leaf for each in found for leaf in self.symbols.leaves(each.value))
        key = f"external {self.name('external', node.external)}"
        value = self.common.opaque(key, self.revision, node.type, given)
        declared = self.revision.program.external_terms[node.external]
        if declared.default is None:
            self.want(key, given)
            return Outcome(value, self.first(found))
        scripted = self.logic.symbol(f"{key} scripted", self.logic.truths, given)
        default = self.outcome(
            declared.default, {each.index: one.value for each, one in zip(declared.parameters, found, strict=True)}
        )
        made = self.either(Outcome(Truth(scripted), self.first(found)), Outcome(value), default)
        return Outcome(made.value, made.fault)

    def _collection(self, node: ex.MakeCollection, names: Names) -> Outcome:
        found = [self.outcome(each, names) for each in node.items]
        if isinstance(node.type, ty.SetType) and found:
            span = listed(node.type.item, self.revision.program)
            if span is not None:
                numbers = [self.symbols.number(each.value) for each in found]
                bits = [
                    self.logic.any(*(self.logic.equal(each, self.logic.whole(at)) for each in numbers)) for at in span
                ]
                return Outcome(Bits(span.start, tuple(bits)), self.first(found))
        made = self.sealed(node, found)
        if isinstance(made.value, Group) and not isinstance(node.type, ty.MapType):
            return Outcome(self._with_items(made.value, node, [each.value for each in found]), made.fault)
        return made

    def _with_items(self, group: Group, node: ex.MakeCollection, found: Sequence[Symbol]) -> Group:
        """A collection that is written out; in a set what is there already is not there again."""
        logic, items = self.logic, []
        for at, each in enumerate(found):
            again = [self.symbols.equal(each, one) for one in found[:at]] if isinstance(node.type, ty.SetType) else []
            items.append((logic.opposite(logic.any(*again)), each))
        size = logic.sum([logic.digit(there) for there, _ in items])
        return Group(group.term, tuple(items), size=size)

    def _interval(self, node: ex.Interval, names: Names) -> Outcome:
        found = [self.outcome(each, names) for each in (node.low, node.high)]
        made = self.sealed(node, found)
        low, high = (self.symbols.number(each.value) for each in found)
        logic = self.logic
        if not isinstance(made.value, Group):
            return made
        size = logic.choice(logic.compared("<", high, low), logic.whole(0), high - low + 1)

        def holds(item: Symbol) -> Term:
            number = self.symbols.number(item)
            inside = logic.all(logic.compared("<=", low, number), logic.compared("<=", number, high))
            return logic.all(logic.opposite(maybe(item, logic).missing), inside)

        return Outcome(Group(made.value.term, self._counted(node), holds, size), made.fault)

    def _counted(self, node: ex.Interval) -> tuple[tuple[Term, Symbol], ...] | None:
        match node.low, node.high:
            case ex.Literal(value=int() as low), ex.Literal(value=int() as high) if high - low < 64:  # noqa: PLR2004
                return tuple((self.logic.yes, Scalar(self.logic.whole(each))) for each in range(low, high + 1))
            case _:
                return None

    def _joined(self, node: ex.Joined, names: Names) -> Outcome:
        found = [self.outcome(each, names) for each in (node.left, node.right)]
        left, right = (each.value for each in found)
        if isinstance(left, Bits) and isinstance(right, Bits):
            span = range(min(left.low, right.low), max(left.low + len(left.bits), right.low + len(right.bits)))
            pairs = [(self.symbols.bit(left, at), self.symbols.bit(right, at)) for at in span]
            joins = node.operator == "+"
            bits = [self.logic.any(a, b) if joins else self.logic.all(a, self.logic.opposite(b)) for a, b in pairs]
            return Outcome(Bits(span.start, tuple(bits)), self.first(found))
        made = self.sealed(node, found)
        if isinstance(made.value, Group) and isinstance(node.type, ty.SetType):
            return Outcome(Group(made.value.term, holds=self._joint(node.operator, left, right)), made.fault)
        return made

    def _joint(self, operator: str, left: Symbol, right: Symbol) -> Callable[[Symbol], Term]:
        def holds(item: Symbol) -> Term:
            first, second = self.member(item, left), self.member(item, right)
            return (
                self.logic.any(first, second) if operator == "+" else self.logic.all(first, self.logic.opposite(second))
            )

        return holds

    def _builtin(self, node: ex.Builtin, names: Names) -> Outcome:
        found = [self.outcome(each, names) for each in node.arguments]
        if node.name in {"count", "sum", "min", "max"} and len(found) == 1:
            return self.function_of_group(node, found[0])
        computed = self._computed(node, [each.value for each in found])
        if computed is not None:
            return Outcome(computed, self.first(found))
        sealed = self.sealed(node, found)
        if node.name == "total" and isinstance(found[0].value, Group):
            self._bound_total(node.arguments[0].type, self.common.size(found[0].value), sealed.value)
        return sealed

    def _bound_total(self, type_: ty.Type, size: Term, total: Symbol) -> None:
        """Dice show together at least their number times the lowest face, and at most that times the highest one."""
        face = type_.face if isinstance(type_, ty.PoolType) else None
        number = self.symbols.number(total)
        if isinstance(face, ty.NumberType):
            for operator, end in ((">=", face.low), ("<=", face.high)):
                if end is not None:
                    self.common.facts.append(self.logic.compared(operator, number, size * end))

    def _computed(self, node: ex.Builtin, given: Sequence[Symbol]) -> Symbol | None:  # noqa: PLR0911 - one case for each function
        logic = self.logic
        if not all(isinstance(each, Scalar | Parts) for each in given) or isinstance(node.type, ty.LengthType):
            return None
        match node.name, given:
            case "abs", [Scalar(n)]:
                return Scalar(logic.choice(logic.compared("<", n, logic.whole(0)), -n, n))
            case "floor", [Scalar(n)]:
                return Scalar(logic.below(n))
            case "ceiling", [Scalar(n)]:
                return Scalar(-logic.below(-n))
            case "round", [Scalar(n)]:
                return Scalar(self._rounded(n))
            case "min" | "max", [_, _, *_]:
                return Scalar(self._most(node.name, [self.symbols.number(each) for each in given]))
            case "along", [Scalar(word), Scalar(steps)] if isinstance(node.type, ty.WordType):
                last = logic.whole(len(self.revision.program.values[node.type.values].words) - 1)
                return Scalar(self._most("max", [logic.whole(0), self._most("min", [last, word + steps])]))
            case "hex" | "square" | "square8", [_, _]:
                return Parts(tuple(given))
            case "adjacent", [Parts() as a, Parts() as b]:
                return Truth(self._adjacent(node, a, b))
            case _:
                return None

    def _rounded(self, number: Term) -> Term:
        """The nearest whole number, halves away from zero."""
        logic = self.logic
        if number.sort() == logic.wholes:
            return number
        half = logic.exact(Fraction(1, 2))
        return logic.choice(
            logic.compared(">=", number, logic.whole(0)), logic.below(number + half), -logic.below(-number + half)
        )

    def _most(self, word: str, numbers: Sequence[Term]) -> Term:
        found = numbers[0]
        for each in numbers[1:]:
            further = self.logic.compared("<" if word == "min" else ">", each, found)
            found = self.logic.choice(further, each, found)
        return found

    def _adjacent(self, node: ex.Builtin, a: Parts, b: Parts) -> Term:
        space = node.arguments[0].type
        assert isinstance(space, ty.CellType)
        away = [self.symbols.number(b.parts[at]) - self.symbols.number(a.parts[at]) for at in (0, 1)]
        ways = [
            self.logic.all(*(self.logic.equal(n, self.logic.whole(at)) for n, at in zip(away, way, strict=True)))
            for way in GRIDS[space.space]
        ]
        return self.logic.any(*ways)
