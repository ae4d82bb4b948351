"""What nobody may look into: the contents of bags and decks, and what was worked out from them."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from rulewright.machine.trace import Entry
from rulewright.machine.values import Hidden, rebuilt
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Need, Procedure, Program, Step
from rulewright.program.expressions import Variable
from rulewright.program.types import BagType, DeckType, Type
from rulewright.program.walk import (
    all_lines,
    bound_in_secret,
    every,
    expressions,
    inner,
    may_hold,
    moved_unseen,
    routines,
    shared_address,
)
from rulewright.roles import children, nodes


class Concealed:
    """The bags and decks of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[str, bool] = {}
        self._withheld: dict[int, str] = {}
        self._told: set[Variable] = set()
        self._ending: set[str] = set()
        self.any = any(map(self.conceals, _types(program)))
        if self.any:
            self._follow()

    def _follow(self) -> None:
        """Finds the names that hold what was found in a bag or deck; what players answered and drew is open.

        Equal names of several routines count as one; that may hide too much, but never too little.
        """
        lines = [(each.name, line) for each in routines(self._program) for line in all_lines(each)]
        before = (-1, -1)
        while before != (before := (len(self._told), len(self._ending))):
            self._functions.clear()
            for routine, line in lines:
                self._bind(routine, line)

    def _bind(self, routine: str, line: st.Line) -> None:
        if isinstance(line, st.Perform):
            parameters = self._program.procedures[line.procedure].parameters
            given = zip(parameters, line.arguments, strict=True)
            self._told.update(each for each, argument in given if self.looks(argument))
            if line.result is not None and line.procedure in self._ending:
                self._told.add(line.result)
        elif not isinstance(line, _OPEN) and self._looks(expressions(line)):
            self._told.update(_bound(line))
            if isinstance(line, st.Finish):
                self._ending.add(routine)

    def conceals(self, type_: Type) -> bool:
        """Whether values of a type are, or hold, bags or decks."""
        return may_hold(type_, (BagType, DeckType), self._program)

    @cached_property
    def _unseen(self) -> frozenset[int]:
        """The lines that move what one player alone knows from one hidden place to another."""
        found: set[int] = set()
        for routine in routines(self._program):
            secret = _bound_in_secret(all_lines(routine))
            parts = (*routine.opening, *routine.steps) if isinstance(routine, Procedure) else (routine.block,)
            for part in parts:
                found.update(_moves(part if isinstance(part, tuple) else inner(part), secret))
        return frozenset(found)

    @cached_property
    def reads_order(self) -> bool:
        """Whether anything may hang on the order in which a deck lies, but for what is drawn from it.

        Counting its cards, and asking whether some or all are such, goes through them in whatever order.
        """
        return next(self._order_read(frozenset()), None) is not None

    @cached_property
    def reads_shuffled(self) -> bool:
        """As `reads_order`, of decks that are shuffled: others may be made into one, as discards are."""
        return next(self._order_read(self._never_shuffled), None) is not None

    @cached_property
    def order_reader(self) -> str:
        """The address of the first line that makes the order of shuffled decks matter, or the name of what it asks."""
        for read in self._order_read(self._never_shuffled):
            if isinstance(read, ex.Typed):
                found = next((each for each in self._holders() if any(read is one for one in nodes(each[1]))), None)
                if found is not None:
                    return found[0]
        return ""

    def _holders(self) -> Iterator[tuple[str, Any]]:
        """The lines of all routines, those inside others first, then terms and the like, by what they are called."""
        for routine in routines(self._program):
            yield from ((shared_address(each.address), each) for each in reversed([*all_lines(routine)]))
        yield from self._program.functions.items()

    @cached_property
    def _never_shuffled(self) -> frozenset[str]:
        """Fields of the game that no line shuffles; none where lines shuffle what lies elsewhere."""
        shuffled = [each.place for each in nodes(self._program) if isinstance(each, st.Shuffle)]
        fields = {each.name for each in shuffled if isinstance(each, st.GamePlace)}
        are_fields = all(isinstance(each, st.GamePlace) for each in shuffled)
        return frozenset(self._program.game) - fields if are_fields else frozenset()

    def _order_read(self, fields: frozenset[str]) -> Iterator[Any]:
        """What may hang on the order of a deck that does not lie in some fields of the game."""
        written = list(nodes(self._program))
        counted = set()
        for each in written:
            source: Any = each.binding.source if isinstance(each, ex.Aggregate | ex.Quantifier) else None
            while source is not None:
                counted.add(id(source))
                source = source.target if isinstance(source, ex.Entry | ex.Part) else None
        return (
            each
            for each in written
            if isinstance(each, ex.Typed | Variable | st.VariablePlace)
            and may_hold(each.type, (DeckType,), self._program)
            and not isinstance(each, ex.MakeCollection)
            and not (isinstance(each, ex.GameField) and each.name in fields)
            and id(each) not in counted
        )

    def masked(self, value: Any, type_: Type) -> Any:
        """A value as all may see it: of bags and decks nothing but how many members they have."""
        if value is None or not self.conceals(type_):
            return value
        if isinstance(type_, BagType | DeckType):
            return Hidden(len(value))
        return rebuilt(value, type_, self._program.records, self.masked)

    def withheld(self, node: Any) -> str:
        """What of the entry of a line, step or requirement some may not see.

        `answer`: everything but that it was given; `options`: what could have been answered; `draw`: what could have
        been drawn; `drawn`: that, and what was; `workings`: what it read and found; or nothing.
        """
        key = id(node)
        if key not in self._withheld:
            self._withheld[key] = self._kept_back(node)
        return self._withheld[key]

    def _kept_back(self, node: Any) -> str:  # noqa: PLR0911
        match node:
            case st.Ask(secret=True):
                return "answer"
            case _ if not self.any:
                return ""
            case st.Draw(learner=learner) if learner is not None:
                return "drawn"
            case st.Draw(place=place) if self.conceals(place.type):
                return "draw"
            case st.Ask():
                return "options" if self._looks(expressions(node)) else ""
            case Step(guard=guard):
                return "workings" if self._looks(expressions(guard)) else ""
            case st.AddMember() if id(node) in self._unseen:
                return "workings"
            case st.Line() | Need():
                return "workings" if self._looks(expressions(node)) else ""
            case _:
                return ""

    def told(self, entry: Entry) -> bool:
        """Whether what an entry read, by itself or through functions, lies in a bag or deck or was found there."""
        return self.any and (
            any(self.conceals(each.type) for each in entry.reads)
            or (isinstance(entry.node, ex.Typed) and self._looks(iter((entry.node,))))
            or any(map(self.told, entry.inner))
        )

    def shown(self, line: st.Line) -> bool:
        """Whether a line looks into a bag or deck, whatever of it is withheld."""
        return self.any and self._looks(expressions(line))

    def looks(self, expression: ex.Expression) -> bool:
        """Whether an expression looks into a bag or deck, through functions too."""
        return self._looks(iter((expression,)))

    def _looks(self, written: Iterable[Any]) -> bool:
        return any(map(self._reads, written))

    def _reads(self, node: Any) -> bool:
        """Whether an expression, or a part of it, looks into a bag or deck; how many members one has is open to all."""
        match node:
            case ex.Aggregate(word="count", binding=ex.Binding(source=source, where=None)) if _is_hidden(source):
                return self._finds(source)
            case ex.Quantifier(body=None, binding=ex.Binding(source=source, where=None)) if _is_hidden(source):
                return self._finds(source)
            case _:
                return self._own(node) or self._looks(children(node))

    def _finds(self, place: ex.Expression) -> bool:
        """Whether it takes a look into a bag or deck to find a place."""
        if not isinstance(place, _PLACES):
            return self._reads(place)
        return any(_is_hidden(each) or self._finds(each) for each in children(place))

    def _own(self, node: Any) -> bool:
        match node:
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name) if self._function(name):
                return True
            case ex.Local(variable=variable) if variable in self._told:
                return True
            case ex.Typed():
                return self.conceals(node.type)
            case _:
                return False

    def _function(self, name: str) -> bool:
        if name not in self._functions:
            self._functions[name] = False
            self._functions[name] = self._reads(self._program.functions[name].body)
        return self._functions[name]


def _bound_in_secret(lines: Iterable[st.Statement]) -> frozenset[Variable]:
    return frozenset(name for each in lines if (name := bound_in_secret(each)) is not None)


def _moves(lines: Iterable[st.Statement], secret: frozenset[Variable]) -> Iterator[int]:
    """The lines that move one of the names that are secret where these lines begin, or become so in them.

    What is revealed inside a line may still be secret after it, so too many may be found, and never too few.
    """
    for line in lines:
        secret |= _bound_in_secret(every((line,)))
        if moved_unseen(line) in secret:
            yield id(line)
        for each in inner(line):
            yield from _moves((each,), secret)
        if isinstance(line, st.Reveal):
            secret -= {line.variable}


_PLACES = ex.StoredAttribute | ex.GameField | ex.CellAttribute | ex.SideAttribute | ex.Entry | ex.Part


def _is_hidden(expression: ex.Expression) -> bool:
    return isinstance(expression.type, BagType | DeckType)


_OPEN = st.Ask | st.AskAll | st.Draw | st.Roll | st.Reveal


def _bound(node: Any) -> Iterator[Variable]:
    """The names that a line itself binds or sets, apart from those of its expressions and of lines inside it."""
    for each in children(node):
        if isinstance(each, Variable):
            yield each
        elif isinstance(each, st.VariablePlace | st.EntryPlace | ex.Binding):
            yield from _bound(each)


def _types(program: Program) -> Iterator[Type]:
    """The types of everything that holds a value."""
    for kind in program.kinds.values():
        yield from (each.type for each in kind.fields)
    for record in program.records.values():
        yield from (each.type for each in record.parts)
    yield from (each.type for each in program.game.values())
    for board in program.boards.values():
        yield from (each.type for each in (*board.fields, *board.sides))
    for routine in routines(program):
        yield from (each.type for each in routine.variables)
