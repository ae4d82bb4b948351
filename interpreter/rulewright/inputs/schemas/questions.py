"""The schema of every answer that a ruleset can ask for."""

from typing import assert_never

from rulewright.inputs.answers import CHANGES
from rulewright.inputs.schemas.script import Schema, closed, described, head
from rulewright.inputs.schemas.types import FLAG_SCHEMA, PLACE_SCHEMA, TypeSchemas, claimed, exactly, number
from rulewright.program.declarations import Event, ExternalProcedure, Program
from rulewright.program.lines import shared_address
from rulewright.program.plane import ANGLE
from rulewright.program.statements import (
    Ask,
    Choose,
    ComputedDie,
    Dice,
    Draw,
    NamedDie,
    NumberedDie,
    Order,
    PerformExternal,
    Pick,
    PlaceWhere,
    Rank,
    RankKey,
    Roll,
    Split,
    TurnHow,
    Whether,
)
from rulewright.program.types import DieType, ListType, SetType, Type
from rulewright.program.walk import nodes


def questions_schema(program: Program) -> Schema:
    """An object from address to answer, as far as the text alone can tell.

    What is legal at one moment is narrower: `request_schema` gives that for one request.
    """
    return {
        **head("questions", f"Answers to every question of {program.title or program.name}", program),
        **closed(_Questions(program).all()),
    }


class _Questions:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.types = TypeSchemas(program)

    def all(self) -> Schema:
        """Lines in order of declaration, then windows, optional handlers and external terms."""
        return {**self._lines(), **self._windows(), **self._terms()}

    def _lines(self) -> Schema:
        routines = (self.program.procedures, self.program.handlers, self.program.rules)
        found: Schema = {}
        for line in nodes(tuple(routine for group in routines for routine in group.values())):
            match line:
                case Ask() | Roll() | Draw() | PerformExternal():
                    _add(found, line.address, self._line(line))
                case Rank():
                    for each in line.keys:
                        if each.requests:
                            _add(found, each.address, self._key(each, line))
        return found

    def _key(self, key: RankKey, line: Rank) -> Schema:
        """Faces of a round of dice, or a row of members in order."""
        if key.dice is None:
            return described(self._value(line.variable.type), key.title)
        return described(self._rolled([self._faces(each) for each in key.dice]), key.title)

    def _rolled(self, faces: list[Schema]) -> Schema:
        """A list of faces, or the face of one die alone."""
        return {"anyOf": [{"type": "array", "items": {"anyOf": faces}}, *faces]}

    def _line(self, line: Ask | Roll | Draw | PerformExternal) -> Schema:
        match line:
            case Ask():
                return described(self._asked(line), line.prompt)
            case Roll():
                return self._rolled([self._faces(each) for each in line.parts])
            case Draw():
                return self.types.of(line.variable.type)
            case PerformExternal():
                return self._external(self.program.external_procedures[line.external])
            case _:
                assert_never(line)

    def _windows(self) -> Schema:
        handlers = self.program.handlers.values()
        orders = {
            event.name: described(_window(event, [h.name for h in handlers if h.event == event.name]), event.title)
            for event in self.program.events.values()
            if event.holders is not None
        }
        return orders | {each.name: described(FLAG_SCHEMA, each.title) for each in handlers if each.optional}

    def _terms(self) -> Schema:
        terms = self.program.external_terms.values()
        return {term.name: described(self.types.of(term.type), term.title) for term in terms}

    def _asked(self, line: Ask) -> Schema:
        match line.shape:
            case Whether():
                return FLAG_SCHEMA
            case Choose(options):
                return {"enum": [each.id for each in options]}
            case Pick() | Split() | Order() | PlaceWhere():
                return self._whole(line)
            case TurnHow() if line.variable.type == ANGLE:
                return self._whole(line)
            case _:
                return self._value(line.variable.type)

    def _whole(self, line: Ask) -> Schema:
        """An answer that rows judge as a whole, if there are any."""
        answer = PLACE_SCHEMA if isinstance(line.shape, PlaceWhere) else self._value(line.variable.type)
        return claimed(answer) if any(not each.prefer for each in line.demands) else answer

    def _value(self, target: Type) -> Schema:
        match target:
            case DieType():
                return exactly([{"type": "integer"}, {"type": "integer"}])
            case SetType(item) | ListType(item) if isinstance(item, DieType):
                return {"type": "array", "items": self._value(item)}
            case _:
                return self.types.of(target)

    def _faces(self, dice: Dice) -> Schema:
        match dice.die:
            case NumberedDie(most) | ComputedDie(most=most):
                return number(1, most)
            case NamedDie(name):
                return self.types.of(self.program.dice[name].face_type)
            case _:
                assert_never(dice.die)

    def _external(self, external: ExternalProcedure) -> Schema:
        properties, required = self.types.results(external.name, external.result)
        if external.changes:
            properties[CHANGES] = described({"type": "object"}, f"a part of a state: {', '.join(external.changes)}")
        return described(closed(properties, required), external.title)


def _add(found: Schema, address: str, answer: Schema) -> None:
    """Adds the answer to a line, beside those of lines that share its address."""
    shared = shared_address(address)
    known = found.get(shared, answer)
    found[shared] = answer if known == answer else {"anyOf": [known, answer]}


def _window(event: Event, names: list[str]) -> Schema:
    """The order of handlers, or the one that is taken where the first taker closes the window."""
    return {"type": ["string", "null"]} if event.first_taker else _order(names)


def _order(names: list[str]) -> Schema:
    return {"type": "array", "items": {"enum": names}, "uniqueItems": True}
