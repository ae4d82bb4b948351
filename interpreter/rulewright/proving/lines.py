"""Lines without questions, dice and calls as formulas: what they leave behind, or which fault they meet."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rulewright.machine import codes
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Program
from rulewright.program.effects import Footprint, written_by
from rulewright.program.walk import every
from rulewright.proving.apart import LIMIT, Question, Told, asked, shared
from rulewright.proving.formulas import Outcome, RefusedError, Scalar, Symbol, Term
from rulewright.proving.functions import Formulas
from rulewright.proving.reading import Revision

Straight = (st.Let, st.Assign, st.AddAmount, st.If, st.DecideLine, st.TallyLine, st.Together, st.Nothing, st.Ruling)


def is_straight(lines: Sequence[st.Statement]) -> bool:
    """Whether lines only compute and change attributes, fields of the game and names."""
    return all(isinstance(each, Straight) and _has_formula(each) for each in every(tuple(lines)))


def _has_formula(line: st.Statement) -> bool:
    place = getattr(line, "place", None)
    return place is None or isinstance(place, st.VariablePlace | st.AttributePlace | st.GamePlace)


def names_set(lines: Sequence[st.Statement]) -> set[int]:
    """The numbers of the names that straight lines set."""
    found = set()
    for each in every(tuple(lines)):
        place = getattr(each, "place", None)
        variable = place.variable if isinstance(place, st.VariablePlace) else getattr(each, "variable", None)
        found |= {variable.index} if variable is not None else set()
    return found


@dataclass
class Left:
    """What the lines of one revision leave behind when they are carried out one after the other."""

    formulas: Formulas  # of the revision; its `changed` holds what the lines have changed
    names: dict[int, Symbol]  # what names stand for by now
    set_: dict[int, ex.Variable] = field(default_factory=dict)  # names that were set
    sure: set[int] = field(default_factory=set)  # those that were set whatever holds
    # places that were changed, by their sort and name, with the thing
    touched: list[tuple[str, str, ty.Type, Term | None]] = field(default_factory=list)
    fault: Term | None = None  # the first that was met

    def carry_out(self, lines: Sequence[st.Statement], path: Term) -> None:
        """Carries out lines, under a condition.

        Raises:
            RefusedError: a line has no formula.
        """
        with self.formulas.under(path):
            for each in lines:
                self._line(each, path)

    def _line(self, line: st.Statement, path: Term) -> None:
        match line:
            case st.Let(variable=variable, value=value):
                if value is not None:
                    self._set(variable, self._met(self.formulas.outcome(value, self.names), path), path)
            case st.Assign(place=place, value=value):
                self._assign(place, self._target(place, path), value, path)
            case st.AddAmount():
                self._amount(line, path)
            case st.TallyLine(variable=variable, start=start, rows=rows):
                self._set(variable, self._met(self.formulas.tally(variable, start, rows, self.names, path), path), path)
            case st.DecideLine(variable=variable, rows=rows):
                self._set(variable, self._met(self.formulas.decide(rows, self.names, path), path), path)
            case st.If():
                self._branches(line, path)
            case st.Together(block=block):
                self.carry_out(block, path)
            case st.Nothing() | st.Ruling():
                pass
            case _:
                raise RefusedError(f"no formula says what `{type(line).__name__}` does")

    def _met(self, found: Outcome, path: Term) -> Symbol:
        """The value of an outcome; its fault is met."""
        symbols = self.formulas.symbols
        self.fault = symbols.first(self.fault, symbols.only(path, found.fault))
        return found.value

    def _set(self, variable: ex.Variable, value: Symbol, path: Term) -> None:
        before = self.names.get(variable.index)
        whole = self.formulas.symbols.choice(path, value, before) if before is not None else value
        self.names[variable.index] = whole
        self.set_[variable.index] = variable
        if self.formulas.logic.is_yes(path):
            self.sure.add(variable.index)

    def _target(self, place: st.Place, path: Term) -> Term | None:
        if not isinstance(place, st.AttributePlace):
            return None
        thing = self._met(self.formulas.outcome(place.target, self.names), path)
        return self.formulas.symbols.number(self.formulas.fitted(thing, ty.ThingType(place.kind)))

    def _held(self, place: st.Place, target: Term | None) -> Symbol:
        """What a place holds by now."""
        match place:
            case st.VariablePlace(variable) if variable.index in self.names:
                return self.names[variable.index]
            case st.AttributePlace(kind=kind, name=name, type=type_):
                return self.formulas.stored("attribute", f"{kind}/{name}", type_, target)
            case st.GamePlace(name=name, type=type_):
                return self.formulas.stored("field", name, type_, None)
            case _:
                raise RefusedError("a name is changed that is not known here")

    def _write(self, place: st.Place, target: Term | None, value: Symbol, path: Term) -> None:
        match place:
            case st.VariablePlace(variable):
                self._set(variable, value, path)
                return
            case st.AttributePlace(kind=kind, name=name):
                sort, whole = "attribute", f"{kind}/{name}"
            case st.GamePlace(name=name):
                sort, whole = "field", name
            case _:
                raise RefusedError("an entry or part is changed")
        if isinstance(place.type, ty.MapType):
            raise RefusedError("a map is changed")
        chosen = self.formulas.symbols.choice(path, value, self._held(place, target))
        self.formulas.changed.setdefault(self.formulas.name(sort, whole), []).append((target, chosen))
        self.touched.append((sort, whole, place.type, target))

    def _assign(self, place: st.Place, target: Term | None, value: ex.Expression, path: Term) -> None:
        """Sets a place; a number for which it has no room is a fault, as where an amount is added."""
        found = self._met(self.formulas.outcome(value, self.names), path)
        if isinstance(place.type, ty.NumberType):
            out = self._out(self.formulas.symbols.number(found), *_bounds(place))
            self._no_room(self.formulas.logic.any(*out), path)
        self._write(place, target, found, path)

    def _out(self, wanted: Term, low: int | None, high: int | None) -> tuple[Term, Term]:
        """Whether a number is too low, and whether it is too high."""
        logic = self.formulas.logic
        return (
            logic.no if low is None else logic.compared("<", wanted, logic.whole(low)),
            logic.no if high is None else logic.compared(">", wanted, logic.whole(high)),
        )

    def _no_room(self, out: Term, path: Term) -> None:
        symbols = self.formulas.symbols
        self.fault = symbols.first(self.fault, symbols.only(path, symbols.fails(out, codes.NO_ROOM)))

    def _amount(self, line: st.AddAmount, path: Term) -> None:
        logic, symbols = self.formulas.logic, self.formulas.symbols
        target = self._target(line.place, path)
        amount = self._met(self.formulas.outcome(line.amount, self.names), path)
        first, second = logic.level(symbols.number(self._held(line.place, target)), symbols.number(amount))
        wanted = first - second if line.take else first + second
        bounds = (line.low, line.high) if isinstance(line.place, st.VariablePlace) else _bounds(line.place)
        low, high = self._out(wanted, *bounds)
        if line.up_to:
            least = wanted if bounds[0] is None else logic.choice(low, logic.whole(bounds[0]), wanted)
            most = least if bounds[1] is None else logic.choice(high, logic.whole(bounds[1]), least)
            self._write(line.place, target, Scalar(most), path)
            return
        out = logic.any(low, high)
        if line.otherwise is None:
            self._no_room(out, path)
        self._write(line.place, target, Scalar(wanted), logic.all(path, logic.opposite(out)))
        if line.otherwise is not None:
            self.carry_out(line.otherwise, logic.all(path, out))

    def _branches(self, line: st.If, path: Term) -> None:
        logic = self.formulas.logic
        going = path
        for each in line.branches:
            test = self.formulas.symbols.truth(self._met(self.formulas.outcome(each.condition, self.names), going))
            self.carry_out(each.block, logic.all(going, test))
            going = logic.all(going, logic.opposite(test))
        self.carry_out(line.otherwise or (), going)


def _bounds(place: st.Place) -> tuple[int | None, int | None]:
    """The least and the greatest number that a place has room for."""
    return (place.type.low, place.type.high) if isinstance(place.type, ty.NumberType) else (None, None)


def lines_told_apart(
    old: Revision,
    new: Revision,
    pair: tuple[Sequence[st.Statement], Sequence[st.Statement]],
    names: Mapping[int, ex.Variable],
    limit: int = LIMIT,
) -> tuple[Told, dict[int, ex.Variable]]:
    """Whether two rows of straight lines leave the same behind, and which names set by them are the same then.

    Nothing that is tried after every change may read what they change, for it would see the game in between.
    """
    found: dict[int, ex.Variable] = {}

    def question() -> Told:
        _check_unseen(old.program, pair[0])
        _check_unseen(new.program, pair[1])
        asking = Question(old, new, limit)
        left = []
        stand = {each.index for each in names.values()}
        for number, (side, lines) in enumerate(zip(asking.sides, pair, strict=True)):
            free = shared(number, tuple(lines), names)
            kept = {index: each for index, each in free.items() if each.index in stand}
            done = Left(side, asking.names(number, kept))
            done.carry_out(lines, asking.logic.yes)
            left.append(done)
        found.update(_together_set(left[0], left[1], names))
        return asking.told(_alike(asking, left[0], left[1], {**names, **found}))

    return asked(question), found


def _check_unseen(program: Program, lines: Sequence[st.Statement]) -> None:
    written = {place for each in every(tuple(lines)) for place in written_by(each)}
    footprint = Footprint(program)
    looking: list[tuple[str, object]] = [(name, (each.binding, each.condition)) for name, each in program.rules.items()]
    looking += [(name, (each.binding, each.guard, each.condition)) for name, each in program.invariants.items()]
    for name, seen in looking:
        if footprint.reads(seen) & written:
            raise RefusedError(f"`{name}` may see what they change")
    if written and any(each.default is None for each in program.external_terms.values()):
        raise RefusedError("values from elsewhere are asked for again after a change")


def _together_set(old: Left, new: Left, names: Mapping[int, ex.Variable]) -> dict[int, ex.Variable]:
    """Names that both rows set whatever holds, known by one number, and that nothing else is known of."""
    taken = {each.index for each in names.values()}
    both = [index for index in old.set_ if index in old.sure and index in new.sure]
    return {index: new.set_[index] for index in both if index not in names and index not in taken}


def _alike(asking: Question, old: Left, new: Left, names: Mapping[int, ex.Variable]) -> Term:
    symbols, logic = asking.sides[0].symbols, asking.logic
    none = logic.equal(symbols.fault(old.fault), logic.whole(0))
    same = logic.equal(symbols.fault(old.fault), symbols.fault(new.fault))
    if asking.sides[0].wanted or asking.sides[1].wanted:
        raise RefusedError("a value from elsewhere may be asked for")
    values = logic.all(*_values(asking, old, new, names))
    return logic.all(same, logic.any(logic.opposite(none), values))


def _values(asking: Question, old: Left, new: Left, names: Mapping[int, ex.Variable]) -> Iterator[Term]:
    symbols = asking.sides[0].symbols
    for here, variable in names.items():
        there = variable.index
        if here in old.set_ or there in new.set_:
            if here not in old.names or there not in new.names:
                raise RefusedError("a name is set in one of them only")
            yield symbols.equal(old.names[here], new.names[there])
    for one, other in ((old, new), (new, old)):
        for sort, name, type_, target in one.touched:
            common = one.formulas.name(sort, name)
            begun = one.formulas.begun(sort, name, type_, target)
            yield symbols.equal(*(each.formulas.by_now(common, begun, target) for each in (one, other)))
