"""Concealed values: the contents of bags and decks, and what was computed from them, by taint analysis."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from rulewright.base.node_roles import get_children, walk_nodes
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Need, Procedure, Program, Step
from rulewright.program.expressions import Variable
from rulewright.program.types import BagType, DeckType, Type
from rulewright.program.walk import (
    get_hidden_move_variable,
    get_inner_lines,
    get_outer_expressions,
    get_secret_variable,
    list_routines,
    may_hold_type,
    strip_address_numbers,
    walk_block_lines,
    walk_routine_lines,
)
from rulewright.runtime.request import TraceEntry
from rulewright.runtime.values import HiddenValue, rebuild_value


class ConcealmentAnalysis:
    """Concealed values and their readers in one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._function_looks: dict[str, bool] = {}
        self._withheld_by_node: dict[int, str] = {}
        self._tainted_variables: set[Variable] = set()
        self._tainted_results: set[str] = set()
        self.has_hidden_collections = any(map(self.is_concealed_type, _list_stored_types(program)))
        if self.has_hidden_collections:
            self._propagate_taint()

    def _propagate_taint(self) -> None:
        """Fixpoint of the variables that hold what was read in a bag or deck; answers and draws are public.

        Variables of equal name in several routines count as one, which may hide too much but never too little.
        """
        lines = [(item.name, line) for item in list_routines(self._program) for line in walk_routine_lines(item)]
        before = (-1, -1)
        while before != (before := (len(self._tainted_variables), len(self._tainted_results))):
            self._function_looks.clear()
            for routine, line in lines:
                self._taint_line(routine, line)

    def _taint_line(self, routine: str, line: st.Line) -> None:
        if isinstance(line, st.Perform):
            parameters = self._program.procedures[line.procedure].parameters
            given = zip(parameters, line.arguments, strict=True)
            self._tainted_variables.update(
                variable for variable, argument in given if self.expression_looks_inside(argument)
            )
            if line.result is not None and line.procedure in self._tainted_results:
                self._tainted_variables.add(line.result)
        elif not isinstance(line, _OPEN_LINES) and self._any_looks_inside(get_outer_expressions(line)):
            self._tainted_variables.update(_variables_set_by(line))
            if isinstance(line, st.Finish):
                self._tainted_results.add(routine)

    def is_concealed_type(self, type_: Type) -> bool:
        """Whether values of a type are or contain bags or decks."""
        return may_hold_type(type_, (BagType, DeckType), self._program)

    @cached_property
    def _unseen_moves(self) -> frozenset[int]:
        result: set[int] = set()
        for routine in list_routines(self._program):
            secret = _variables_bound_in_secret(walk_routine_lines(routine))
            parts = (*routine.opening, *routine.steps) if isinstance(routine, Procedure) else (routine.block,)
            for part in parts:
                result.update(_find_secret_moves(part if isinstance(part, tuple) else get_inner_lines(part), secret))
        return frozenset(result)

    @cached_property
    def reads_deck_order(self) -> bool:
        """Whether anything but draws may depend on the order of a deck.

        Counting cards, and asking whether some or all satisfy a condition, is independent of order.
        """
        return next(self._find_order_reads(frozenset()), None) is not None

    @cached_property
    def reads_shuffled_order(self) -> bool:
        """As `reads_deck_order`, of decks that are shuffled: others may be made into one, as discards are."""
        return next(self._find_order_reads(self._unshuffled_fields), None) is not None

    @cached_property
    def order_reading_line(self) -> str:
        """Address of the first line, or name of the function, that makes the order of shuffled decks matter."""
        for read in self._find_order_reads(self._unshuffled_fields):
            if isinstance(read, ex.Typed):
                result = next(
                    (
                        and_function
                        for and_function in self._list_lines_and_functions()
                        if any(read is one for one in walk_nodes(and_function[1]))
                    ),
                    None,
                )
                if result is not None:
                    return result[0]
        return ""

    def _list_lines_and_functions(self) -> Iterator[tuple[str, Any]]:
        for routine in list_routines(self._program):
            yield from (
                (strip_address_numbers(routine_line.address), routine_line)
                for routine_line in reversed([*walk_routine_lines(routine)])
            )
        yield from self._program.functions.items()

    @cached_property
    def _unshuffled_fields(self) -> frozenset[str]:
        shuffled = [node.place for node in walk_nodes(self._program) if isinstance(node, st.Shuffle)]
        fields = {game_place.name for game_place in shuffled if isinstance(game_place, st.GamePlace)}
        are_fields = all(isinstance(item, st.GamePlace) for item in shuffled)
        return frozenset(self._program.game) - fields if are_fields else frozenset()

    def _find_order_reads(self, fields: frozenset[str]) -> Iterator[Any]:
        written = list(walk_nodes(self._program))
        counted = set()
        for item in written:
            source: Any = item.binding.source if isinstance(item, ex.Aggregate | ex.Quantifier) else None
            while source is not None:
                counted.add(id(source))
                source = source.target if isinstance(source, ex.Entry | ex.Part) else None
        return (
            node
            for node in written
            if isinstance(node, ex.Typed | Variable | st.VariablePlace)
            and may_hold_type(node.type, (DeckType,), self._program)
            and not isinstance(node, ex.MakeCollection)
            and not (isinstance(node, ex.GameField) and node.name in fields)
            and id(node) not in counted
        )

    def mask_contents(self, value: Any, type_: Type) -> Any:
        """A value as all may see it: of bags and decks only the number of members."""
        if value is None or isinstance(value, int) or not self.is_concealed_type(type_):
            return value
        if isinstance(type_, BagType | DeckType):
            return HiddenValue(len(value))
        return rebuild_value(value, type_, self._program.records, self.mask_contents)

    def withheld_part(self, node: Any) -> str:
        """Part of the entry of a line, step or requirement that some players may not see.

        `answer`: everything but that it was given; `options`: the possible answers; `draw`: the members that could be
        drawn; `drawn`: these and the drawn one; `workings`: what was read and computed; or empty.
        """
        key = id(node)
        if key not in self._withheld_by_node:
            self._withheld_by_node[key] = self._classify_withheld(node)
        return self._withheld_by_node[key]

    def _classify_withheld(self, node: Any) -> str:
        match node:
            case st.Ask(secret=True):
                return "answer"
            case _ if not self.has_hidden_collections:
                return ""
            case st.Draw(learner=learner) if learner is not None:
                return "drawn"
            case st.Draw(place=place) if self.is_concealed_type(place.type):
                return "draw"
            case st.Ask():
                return "options" if self._any_looks_inside(get_outer_expressions(node)) else ""
            case Step(guard=guard):
                return "workings" if self._any_looks_inside(get_outer_expressions(guard)) else ""
            case st.AddMember() if id(node) in self._unseen_moves:
                return "workings"
            case st.Line() | Need():
                return "workings" if self._any_looks_inside(get_outer_expressions(node)) else ""
            case _:
                return ""

    def reads_concealed_values(self, entry: TraceEntry) -> bool:
        """Whether what an entry read, by itself or through functions, is concealed."""
        return self.has_hidden_collections and (
            any(self.is_concealed_type(read.type) for read in entry.reads)
            or (isinstance(entry.node, ex.Typed) and self._any_looks_inside(iter((entry.node,))))
            or any(map(self.reads_concealed_values, entry.inner))
        )

    def line_looks_inside(self, line: st.Line) -> bool:
        """Whether a line reads the contents of a bag or deck, whatever of it is withheld."""
        return self.has_hidden_collections and self._any_looks_inside(get_outer_expressions(line))

    def expression_looks_inside(self, expression: ex.Expression) -> bool:
        """Whether an expression reads the contents of a bag or deck, through functions too."""
        return self._any_looks_inside(iter((expression,)))

    def _any_looks_inside(self, written: Iterable[Any]) -> bool:
        return any(map(self._node_looks_inside, written))

    def _node_looks_inside(self, node: Any) -> bool:
        match node:
            case ex.Aggregate(word="count", binding=ex.Binding(source=source, where=None)) if _is_bag_or_deck(source):
                return self._place_looks_inside(source)
            case ex.Quantifier(body=None, binding=ex.Binding(source=source, where=None)) if _is_bag_or_deck(source):
                return self._place_looks_inside(source)
            case _:
                return self._node_itself_looks_inside(node) or self._any_looks_inside(get_children(node))

    def _place_looks_inside(self, place: ex.Expression) -> bool:
        if not isinstance(place, ex.StoredValue):
            return self._node_looks_inside(place)
        return any(_is_bag_or_deck(child) or self._place_looks_inside(child) for child in get_children(place))

    def _node_itself_looks_inside(self, node: Any) -> bool:
        match node:
            case _ if isinstance(node, ex.FunctionValue) and self._function_looks_inside(node.function):
                return True
            case ex.Local(variable=variable) if variable in self._tainted_variables:
                return True
            case ex.Typed():
                return self.is_concealed_type(node.type)
            case _:
                return False

    def _function_looks_inside(self, name: str) -> bool:
        if name not in self._function_looks:
            self._function_looks[name] = False
            self._function_looks[name] = self._node_looks_inside(self._program.functions[name].body)
        return self._function_looks[name]


def _variables_bound_in_secret(lines: Iterable[st.Statement]) -> frozenset[Variable]:
    return frozenset(name for line in lines if (name := get_secret_variable(line)) is not None)


def _find_secret_moves(lines: Iterable[st.Statement], secret: frozenset[Variable]) -> Iterator[int]:
    """Lines that move a secret variable, secret on entry or made so inside.

    An over-approximation: a value revealed inside a line still counts as secret after it.
    """
    for line in lines:
        secret |= _variables_bound_in_secret(walk_block_lines((line,)))
        if get_hidden_move_variable(line) in secret:
            yield id(line)
        for inner_line in get_inner_lines(line):
            yield from _find_secret_moves((inner_line,), secret)
        if isinstance(line, st.Reveal):
            secret -= {line.variable}


def _is_bag_or_deck(expression: ex.Expression) -> bool:
    return isinstance(expression.type, BagType | DeckType)


_OPEN_LINES = st.QuestionLine | st.ChanceLine | st.Reveal


def _variables_set_by(node: Any) -> Iterator[Variable]:
    for child in get_children(node):
        if isinstance(child, Variable):
            yield child
        elif isinstance(child, st.VariablePlace | st.EntryPlace | ex.Binding):
            yield from _variables_set_by(child)


def _list_stored_types(program: Program) -> Iterator[Type]:
    for kind in program.kinds.values():
        yield from (field.type for field in kind.fields)
    for record in program.records.values():
        yield from (part.type for part in record.parts)
    yield from (field.type for field in program.game.values())
    for board in program.boards.values():
        yield from (field.type for field in (*board.fields, *board.sides))
    for routine in list_routines(program):
        yield from (variable.type for variable in routine.variables)
