"""The schemas of the answers to every question that a ruleset can ask, as far as its text alone can tell."""

from collections.abc import Iterable, Mapping
from typing import assert_never

from rulewright.codecs.schemas import (
    FLAG_SCHEMA,
    Schema,
    claimed,
    closed,
    described,
    exactly,
    head,
    length_measure,
    number,
    place_schema,
    worded,
)
from rulewright.inputs.findings import mapping_of_results
from rulewright.inputs.names import CHANGES
from rulewright.inputs.shapes import Codes, Shape, published, wanted
from rulewright.inputs.type_schemas import TypeSchemas
from rulewright.program import statements as st, types as ty
from rulewright.program.declarations import Event, ExternalProcedure, Program
from rulewright.program.plane import ANGLE
from rulewright.program.types import Type
from rulewright.program.walk import routines, shared_address
from rulewright.roles import nodes

_ANSWERS = Codes("RW0730", "RW0730", "RW0730", "RW0730")
"""The one code of what is wrong with a flag, an option or faces."""


def questions_schema(program: Program) -> Schema:
    """An object from address to answer, as far as the text alone can tell.

    What is legal at one moment is narrower: `request_schema` gives that for one request.
    """
    title = f"Answers to every question of {program.title or program.name}"
    return published({**head("questions", title, program), **closed(_Questions(program).all())})


def question_shapes(program: Program) -> Mapping[str, Shape]:
    """What every answer is in shape, whatever is legal when it is asked for, by its address or the external it is of.

    Windows are left out: whom they ask is told when they open.
    """
    questions = _Questions(program)
    found = {**questions.lines(), **questions.terms(), **questions.externals()}
    return {each: Shape(schema) for each, schema in found.items()}


class _Questions:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.types = TypeSchemas(program)

    def all(self) -> Schema:
        """Lines in order of declaration, then windows, optional handlers and external terms."""
        return {**self.lines(), **self._windows(), **self.terms()}

    def lines(self) -> Schema:
        """Lines that ask, roll, draw or perform an external, and keys of ranks that do."""
        found: Schema = {}
        for line in nodes(routines(self.program)):
            match line:
                case st.Ask() | st.Roll() | st.Draw() | st.PerformExternal():
                    _add(found, line.address, self._line(line))
                case st.Rank():
                    for each in line.keys:
                        if each.requests:
                            _add(found, each.address, self._key(each, line))
        return found

    def _key(self, key: st.RankKey, line: st.Rank) -> Schema:
        """Faces of a round of dice, or a row of members in order."""
        if key.dice is None:
            return described(self._value(line.variable.type), key.title)
        return described(self._rolled(key.dice), key.title)

    def _rolled(self, dice: Iterable[st.Dice], *, alone: bool = False) -> Schema:
        """A list of faces, or the face of one die alone."""
        faces: list[Schema] = []
        for each in map(self._faces, dice):
            faces += [] if each in faces else [each]
        one = faces[0] if len(faces) == 1 else {"anyOf": faces}
        listed = worded({"type": "array", "items": one}, part="a face of {this}")
        form = wanted(one) if alone else f"{wanted(one)}, or a list with one for each die"
        return worded({"anyOf": [listed, *faces]}, wanted=form, codes=_ANSWERS)

    def _rolled_in_parts(self, line: st.Roll) -> Schema:
        """The same, or the faces of each part by what it is called."""
        found = self._rolled(line.parts, alone=isinstance(line.variable.type, ty.DieType))
        part = getattr(line.variable.type, "part", None)
        if part is None:
            return found
        below = {"anyOf": [{"type": "array", "items": {}}, {"type": ["integer", "string"]}]}
        parts = worded({"type": "object", "additionalProperties": below}, aside=True)
        return worded({"anyOf": [found, parts]}, wanted=wanted(found), codes=_ANSWERS)

    def _line(self, line: st.Ask | st.Roll | st.Draw | st.PerformExternal) -> Schema:
        match line:
            case st.Ask():
                return described(self._asked(line), line.prompt)
            case st.Roll():
                return self._rolled_in_parts(line)
            case st.Draw():
                return self.types.of(line.variable.type)
            case st.PerformExternal():
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

    def externals(self) -> Schema:
        return {name: self._external(each) for name, each in self.program.external_procedures.items()}

    def terms(self) -> Schema:
        terms = self.program.external_terms.values()
        return {term.name: described(self.types.of(term.type), term.title) for term in terms}

    def _asked(self, line: st.Ask) -> Schema:
        match line.shape:
            case st.Whether():
                return worded(FLAG_SCHEMA, codes=_ANSWERS)
            case st.Choose(options):
                return worded({"enum": [each.id for each in options]}, codes=_ANSWERS)
            case st.Split():
                return worded(self._whole(line), wanted="a mapping from members to their shares")
            case st.Pick() | st.Order() | st.PlaceWhere():
                return self._whole(line)
            case st.TurnHow() if line.variable.type == ANGLE:
                return self._whole(line)
            case _:
                return self._value(line.variable.type)

    def _whole(self, line: st.Ask) -> Schema:
        """An answer that rows judge as a whole, if there are any."""
        on_plane = isinstance(line.shape, st.PlaceWhere)
        answer = place_schema(length_measure(self.program)) if on_plane else self._value(line.variable.type)
        return claimed(answer) if any(not each.prefer for each in line.demands) else answer

    def _value(self, target: Type) -> Schema:
        match target:
            case ty.DieType():
                return {"anyOf": [{"type": "string"}, exactly([{"type": "integer"}, {"type": "integer"}])]}
            case ty.SetType(item) | ty.ListType(item) if isinstance(item, ty.DieType):
                return {"type": "array", "items": self._value(item)}
            case _:
                return self.types.of(target)

    def _faces(self, dice: st.Dice) -> Schema:
        match dice.die:
            case st.NumberedDie(most) | st.ComputedDie(most=most):
                return number(1, most)
            case st.PairedDie():
                return {"enum": list(ty.PAIRED_FACES)}
            case st.NamedDie(name):
                return self.types.of(self.program.dice[name].face_type)
            case _:
                assert_never(dice.die)

    def _external(self, external: ExternalProcedure) -> Schema:
        properties, required = self.types.results(external.name, external.result)
        if external.changes:
            properties[CHANGES] = described({"type": "object"}, f"a part of a state: {', '.join(external.changes)}")
        return described(_alone(properties, required, external.name), external.title)


def _alone(properties: Schema, required: list[str], name: str) -> Schema:
    """The mapping of what an external gives; where that is one result, it may be given alone."""
    results = [key for key in properties if key != CHANGES]
    otherwise = "" if properties else "it gives nothing"
    whole = worded(
        closed(properties, required),
        wanted=mapping_of_results(results),
        unknown=f"`{name}` does not give {{key}}",
        key_code="RW0730",
        otherwise=otherwise,
    )
    if len(results) != 1:
        return whole
    return worded({"anyOf": [properties[results[0]], whole]}, wanted=wanted(properties[results[0]]))


def _add(found: Schema, address: str, answer: Schema) -> None:
    """Adds the answer to a line, beside those of lines that share its address."""
    shared = shared_address(address)
    known = found.get(shared, answer)
    found[shared] = answer if known == answer else {"anyOf": [known, answer]}


def _window(event: Event, names: list[str]) -> Schema:
    """The order of handlers, or the one that is taken where the first taker closes the window."""
    ordered: Schema = {"type": "array", "items": {"enum": names}, "uniqueItems": True}
    return {"type": ["string", "null"]} if event.first_taker else ordered
