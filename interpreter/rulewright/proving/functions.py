"""Terms, tallies, decisions and tables of one revision as formulas."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rulewright.machine import codes
from rulewright.program import declarations as d, expressions as ex, types as ty
from rulewright.program.conditions import members_of
from rulewright.program.rows import Cell, ConditionRow, DecideRow, TableRow, TallyRow
from rulewright.proving.expressions import Names
from rulewright.proving.formulas import Outcome, RefusedError, Scalar, Symbol, Term, Truth
from rulewright.proving.members import Members
from rulewright.roles import nodes

_DEEPEST = 12


@dataclass
class Formulas(Members):
    """Translates everything that is computed, by putting in what functions say."""

    # of the tally or decision that is asked about itself, by id: what a modifier adds, or 1 for the row that decides. A
    # play tells them, and scenarios expect them
    rows: dict[str, Term] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _known: dict[object, tuple[tuple[Symbol, ...], Outcome]] = field(default_factory=dict)

    def called(self, function: str, given: Sequence[Outcome], type_: ty.Type) -> Outcome:
        """The outcome of a function; where its body has no formula it must say the same in both revisions."""
        declared = self.revision.program.functions[function]
        values = tuple(each.value for each in given)
        leaves = tuple(leaf for each in values for leaf in self.symbols.leaves(each))
        key = (function, tuple(each.get_id() for each in leaves))
        if key not in self._known or self.changed:
            wanted = len(self.wanted)
            found = self._body_or_name(declared, values, leaves, type_)
            if len(self.wanted) > wanted:
                return self._after(given, found)
            self._known[key] = (values, found)
        return self._after(given, self._known[key][1])

    def _after(self, given: Sequence[Outcome], found: Outcome) -> Outcome:
        return Outcome(found.value, self.symbols.first(*(each.fault for each in given), found.fault))

    def _body_or_name(
        self, declared: d.Function, values: Sequence[Symbol], leaves: tuple[Term, ...], type_: ty.Type
    ) -> Outcome:
        wanted = len(self.wanted)
        try:
            return self.function(declared, values)
        except RefusedError:
            if self.changed or not self.revision.alike(declared.name):
                raise
            del self.wanted[wanted:]
        return self._named(declared, leaves, type_)

    def _named(self, declared: d.Function, leaves: tuple[Term, ...], type_: ty.Type) -> Outcome:
        """A function of which nothing is known but that it is the same in both revisions."""
        key = f"function {self.name('attribute' if declared.owner else 'function', declared.name)}"
        if self.revision.program.external_terms:
            self.want(key, leaves)
        value = self.common.opaque(key, self.revision, type_, leaves)
        return Outcome(value, self.common.number(f"{key} fault", leaves))

    def function(self, declared: d.Function, values: Sequence[Symbol]) -> Outcome:
        """What a function comes to for its arguments.

        Raises:
            RefusedError: no formula says it.
        """
        if declared.name in self._open or len(self._open) >= _DEEPEST:
            raise RefusedError(f"`{declared.name}` calls itself")
        names = {each.index: value for each, value in zip(declared.parameters, values, strict=True)}
        self._open.append(declared.name)
        try:
            return self._body(declared, names)
        finally:
            self._open.pop()

    @property
    def _asked(self) -> Term | None:
        """The condition under which rows are recorded: those of the function asked about, not of functions it calls."""
        return self.logic.yes if len(self._open) == 1 and not self._path and not self._depth else None

    def tell(self, id_: str, number: Term, path: Term) -> None:
        """Adds to what is told of a row."""
        told = self.logic.choice(path, number, self.logic.whole(0))
        self.rows[id_] = self.logic.sum([self.rows[id_], told]) if id_ in self.rows else told

    def _body(self, declared: d.Function, names: Names) -> Outcome:
        match declared.body:
            case d.Value(value):
                return self.outcome(value, names)
            case d.Conditions(mode, rows):
                return self.conditions(mode, rows, names)
            case d.Selection() as selection:
                return self._selection(declared, selection, names)
            case d.Tally(running, start, rows):
                return self.tally(running, start, rows, names, self._asked)
            case d.Decide(rows):
                return self.decide(rows, names, self._asked)
            case d.Table(rows):
                return self._table(declared, rows, names)
            case _:
                raise RefusedError(f"`{declared.name}` looks for ways on a board")

    def conditions(self, mode: str, rows: Sequence[ConditionRow], names: Names) -> Outcome:
        """Whether all rows or any row hold, judged until that is decided."""
        going, fault = self.logic.yes, None
        for row in rows:
            with self.under(going):
                held = self._held(row, names, undecided=mode == "all")
            fault = self.symbols.first(fault, self.symbols.only(going, held.fault))
            holds = self.symbols.truth(held.value)
            going = self.logic.all(going, holds if mode == "all" else self.logic.opposite(holds))
        return Outcome(Truth(going if mode == "all" else self.logic.opposite(going)), fault)

    def _held(self, row: ConditionRow, names: Names, *, undecided: bool) -> Outcome:
        if row.guard is None:
            return self.outcome(row.condition, names)
        guard = self.outcome(row.guard, names)
        with self.under(self.symbols.truth(guard.value)):
            condition = self.outcome(row.condition, names)
        return self.either(guard, condition, Outcome(Truth(self.logic.yes if undecided else self.logic.no)))

    def _selection(self, declared: d.Function, selection: d.Selection, names: Names) -> Outcome:
        """A selection as a comprehension whose condition is that of its rows."""
        members = members_of(declared, selection)
        if members is None:
            raise RefusedError(f"`{declared.name}` goes through several at once")
        return self.outcome(members, names)

    def tally(
        self,
        running: ex.Variable,
        start: ex.Expression,
        rows: Sequence[TallyRow],
        names: Names,
        told: Term | None = None,
    ) -> Outcome:
        """The running value after all rows, from the top; what each adds is told under a condition, if there is one."""
        found = self.outcome(start, names)
        for row in rows:
            before = found
            for there, inside in self._rounds(row, {**names, running.index: found.value}):
                found = self._applied(row, found, there, {**inside, running.index: found.value})
            if told is not None:
                ends = self.logic.level(self.symbols.number(found.value), self.symbols.number(before.value))
                self.tell(row.id, ends[0] - ends[1], told)
        return found

    def _rounds(self, row: TallyRow, names: Names) -> Sequence[tuple[Outcome, Names]]:
        always = Outcome(Truth(self.logic.yes))
        if row.binding is None:
            return [(always, names)]
        source = self._source(row.binding, names)
        items = self.listed(source.value)
        if items is None or source.fault is not None:
            raise RefusedError("a row goes through members that are not listed")
        rounds = []
        for there, item in items:
            inside = self.bound(row.binding, item, names)
            where = always if row.binding.where is None else self.outcome(row.binding.where, inside)
            kept = self.logic.all(there, self.symbols.truth(where.value))
            rounds.append((Outcome(Truth(kept), self.symbols.only(there, where.fault)), inside))
        return rounds

    def _applied(self, row: TallyRow, found: Outcome, there: Outcome, names: Names) -> Outcome:
        guard = there
        if row.guard is not None:
            with self.under(self.symbols.truth(there.value)):
                own = self.outcome(row.guard, names)
            guard = self.either(there, own, Outcome(Truth(self.logic.no)))
        with self.under(self.symbols.truth(guard.value)):
            amount = self.outcome(row.amount, names)
        changed = Outcome(Scalar(self._changed(row.change, found.value, amount.value)), amount.fault)
        after = self.either(guard, changed, Outcome(found.value))
        return Outcome(after.value, self.symbols.first(found.fault, after.fault))

    def _changed(self, change: str, found: Symbol, amount: Symbol) -> Term:
        first, second = self.logic.level(self.symbols.number(found), self.symbols.number(amount))
        match change:
            case "plus":
                return first + second
            case "times":
                return first * second
            case "becomes":
                return second
            case "at least":
                return self.logic.choice(self.logic.compared(">=", first, second), first, second)
            case _:
                return self.logic.choice(self.logic.compared("<=", first, second), first, second)

    def decide(self, rows: Sequence[DecideRow], names: Names, told: Term | None = None) -> Outcome:
        """The value of the first row whose guard holds; which that is is told under a condition, if there is one."""
        found = []
        going = self.logic.yes
        for row in rows:
            with self.under(going):
                guard = Outcome(Truth(self.logic.yes)) if row.guard is None else self.outcome(row.guard, names)
                with self.under(self.symbols.truth(guard.value)):
                    found.append((guard, self.outcome(row.value, names)))
            if told is not None:
                chosen = self.logic.all(going, self.symbols.truth(guard.value))
                self.tell(row.id, self.logic.digit(chosen), told)
            going = self.logic.all(going, self.logic.opposite(self.symbols.truth(guard.value)))
        return self._first_row(found)

    def _first_row(self, rows: Sequence[tuple[Outcome, Outcome]]) -> Outcome:
        after = Outcome(rows[-1][1].value, self.symbols.fails(self.logic.yes, codes.UNCOVERED))
        for guard, value in reversed(rows):
            after = self.either(guard, value, after)
        return after

    def _table(self, declared: d.Function, rows: Sequence[TableRow], names: Names) -> Outcome:
        found = []
        going, told = self.logic.yes, self._asked
        for row in rows:
            tests = [
                self._matches(cell, each, names) for cell, each in zip(row.cells, declared.parameters, strict=True)
            ]
            truth = self.logic.all(*(self.symbols.truth(each.value) for each in tests))
            if any(each.fault is not None for each in tests):
                raise RefusedError(f"a cell of `{declared.name}` may have no value")
            found.append((Outcome(Truth(truth)), self.outcome(row.result, names)))
            if told is not None:
                self.tell(row.id, self.logic.digit(self.logic.all(going, truth)), told)
            going = self.logic.all(going, self.logic.opposite(truth))
        return self._first_row(found)

    def _matches(self, cell: Cell, parameter: ex.Variable, names: Names) -> Outcome:
        value, tests = names[parameter.index], []
        ends = [None if each is None else self.outcome(each, names) for each in (cell.value, cell.low, cell.high)]
        if ends[0] is not None:
            tests.append(self.symbols.equal(value, ends[0].value))
        for operator, end in zip((">=", "<="), ends[1:], strict=True):
            if end is not None:
                tests.append(self.logic.compared(operator, self.symbols.number(value), self.symbols.number(end.value)))
        fault = self.symbols.first(*(each.fault for each in ends if each))
        return Outcome(Truth(self.logic.all(*tests)), fault)


def calls(program: d.Program, name: str) -> set[str]:
    """The functions that a function names, and those that values from elsewhere need where nobody gives them."""
    found = set()
    for each in nodes((program.functions[name].body, *(term.default for term in program.external_terms.values()))):
        if isinstance(each, ex.CallFunction | ex.DerivedAttribute):
            found.add(each.function)
        elif isinstance(each, ex.Builtin) and each.relation in program.functions:
            found.add(each.relation)
    return found
