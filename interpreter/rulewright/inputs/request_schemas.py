"""The schemas of answers: to one request, and to every question that a ruleset can ask."""

from collections.abc import Iterable
from typing import Any, assert_never
from urllib.parse import quote

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
    pair,
    place_schema,
)
from rulewright.codecs.table import to_json
from rulewright.inputs.answers import answer_type, calling_dice, item_type
from rulewright.inputs.external_answers import CHANGES
from rulewright.inputs.names import GAME, REMOVED, Names, spellings
from rulewright.inputs.nodes import Json
from rulewright.inputs.rolled_faces import part_name, parts_of
from rulewright.inputs.shapes import published
from rulewright.inputs.type_schemas import TypeSchemas
from rulewright.machine.request import Request
from rulewright.machine.values import Value
from rulewright.program import statements as st
from rulewright.program import types as ty
from rulewright.program.declarations import Event, ExternalProcedure, Program
from rulewright.program.plane import ANGLE
from rulewright.program.types import Type
from rulewright.program.walk import routines, shared_address
from rulewright.roles import nodes


def request_schema(request: Request, names: Names) -> Schema:
    """What `read_answer` accepts; sums, and demands on the whole answer, only the reader and the rules can judge."""
    address, names = quote(request.address, safe=""), calling_dice(request, names)
    title = request.prompt or f"The answer at {request.address}"
    answer = _answer(request, names)
    schema = claimed(answer) if request.claimable else answer
    return published({**head(f"request:{address}", title, names.program), **schema})


def _answer(request: Request, names: Names) -> Schema:  # noqa: C901, PLR0911
    types = TypeSchemas(names.program, names.base.things)
    match request.sort:
        case "whether" | "handler":
            return FLAG_SCHEMA
        case "taker":
            labels = [each.value for each in request.choices]
            return {"enum": [*labels, "none"] if None in labels else labels}
        case "one" | "choose" | "turn":
            possible = (each.value for each in request.choices if each.reason is None)
            return _any_of(possible, answer_type(request), names)
        case "draw":
            return _any_of(request.items, item_type(answer_type(request)), names)
        case "pick":
            return _members(request, names) | {
                "uniqueItems": True,
                "minItems": request.low,
                "maxItems": request.high,
            }
        case "order" | "handlers" | "shuffle":
            count = len(request.items)
            distinct = {"uniqueItems": True} if len(set(request.items)) == count else {}
            return _members(request, names) | {"minItems": count, "maxItems": count} | distinct
        case "split":
            return _split(request, names)
        case "roll":
            return _roll(request, names)
        case "place":
            return place_schema(length_measure(names.program))
        case "external":
            return _external(request, names, types)
        case _:
            return types.of(answer_type(request))


def _any_of(values: Iterable[Value], target: Type, names: Names) -> Schema:
    return {"enum": [spelling for each in dict.fromkeys(values) for spelling in _spellings(each, target, names)]}


def _spellings(value: Value, target: Type, names: Names) -> list[Json]:
    written = to_json(value, target, names)
    match written:
        case None:
            return [None] if isinstance(target, ty.TextType) else [None, "none"]
        case bool():
            return [True, "yes", "true"] if written else [False, "no", "false"]
        case str() if isinstance(target, ty.DieType):
            called = names.die(value, target.part, titled=True)  # type: ignore[arg-type]
            return [*dict.fromkeys((written, called)), list(value)]  # type: ignore[arg-type]
        case str() if isinstance(sort := ty.present(target), ty.WordType):
            return [each for each, at in names.positions(sort.values).items() if at == value]
        case _:
            return [written]


def _members(request: Request, names: Names) -> Schema:
    return {"type": "array", "items": _any_of(request.items, item_type(answer_type(request)), names)}


def _split(request: Request, names: Names) -> Schema:
    target = answer_type(request)
    key = _any_of(request.items, item_type(target), names)
    share = {"type": "integer", "minimum": 0, "maximum": request.high}
    pairs = {"type": "array", "items": pair(key, share)}
    if not (isinstance(target, ty.MapType) and isinstance(target.key, ty.ThingType | ty.WordType)):
        return pairs
    return {"anyOf": [{"type": "object", "propertyNames": key, "additionalProperties": share}, pairs]}


def _roll(request: Request, names: Names) -> Schema:
    dice = [_any_of(each.faces, each.face, names) for each in request.dice for _ in range(each.count)]
    forms = [exactly(dice), *(dice if len(dice) == 1 else [])]
    parts: dict[str, Schema] = {}
    for each in parts_of(request):
        one = _any_of(each.faces, each.face, names)
        all_of = exactly([one] * each.count)
        parts[part_name(each, request, names)] = {"anyOf": [all_of, one]} if each.count == 1 else all_of
    forms += [closed(parts, list(parts))] if parts else []
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _external(request: Request, names: Names, types: TypeSchemas) -> Schema:
    properties, required = types.results(request.name, request.type)
    if request.changes:
        properties[CHANGES] = _changes(request, names, types)
    return _alone(properties, required)


def _alone(properties: Schema, required: list[str]) -> Schema:
    """The mapping of what an external gives; where that is one result, it may be given alone."""
    whole = closed(properties, required)
    results = [each for key, each in properties.items() if key != CHANGES]
    return {"anyOf": [results[0], whole]} if len(results) == 1 else whole


def _changes(request: Request, names: Names, types: TypeSchemas) -> Schema:
    """A patch in the form of a state file, of the places that may change."""
    program = names.program
    plurals = spellings(kind.plural for kind in program.kinds.values())
    properties: dict[str, Any] = {}
    for key, plural in plurals.items():
        kind = next(each for each in program.kinds.values() if each.plural == plural)
        fields = [each for each in kind.fields if f"{kind.name}/{each.name}" in request.changes]
        if fields:
            attributes = closed({each.name: described(types.of(each.type), each.title) for each in fields})
            ids = {"enum": list(names.ids(kind.name))}
            properties[key] = {"type": "object", "propertyNames": ids, "additionalProperties": attributes}
    game = {
        key: types.of(program.game[name].type)
        for key, name in spellings(program.game).items()
        if f"game/{name}" in request.changes
    }
    if game:
        properties[GAME] = closed(game)
    removable = _removable(request, names)
    if removable:
        properties[REMOVED] = {"type": "array", "items": {"enum": removable}}
    return closed(properties)


def _removable(request: Request, names: Names) -> list[str]:
    every = [id_ for ids in names.base.things.values() for id_ in ids]
    kinds = [kind for kind in names.program.kinds.values() if f"{kind.name}/gone" in request.changes]
    plain = [id_ for kind in kinds for id_ in names.ids(kind.name) if every.count(id_) == 1]
    return plain + [f"{kind.plural}/{id_}" for kind in kinds for id_ in names.ids(kind.name)]


def questions_schema(program: Program) -> Schema:
    """An object from address to answer, as far as the text alone can tell.

    What is legal at one moment is narrower: `request_schema` gives that for one request.
    """
    title = f"Answers to every question of {program.title or program.name}"
    return published({**head("questions", title, program), **closed(_Questions(program).all())})


class _Questions:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.types = TypeSchemas(program)

    def all(self) -> Schema:
        """Lines in order of declaration, then windows, optional handlers and external terms."""
        return {**self._lines(), **self._windows(), **self._terms()}

    def _lines(self) -> Schema:
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
        return described(self._rolled([self._faces(each) for each in key.dice]), key.title)

    def _rolled(self, faces: list[Schema]) -> Schema:
        """A list of faces, or the face of one die alone."""
        return {"anyOf": [{"type": "array", "items": {"anyOf": faces}}, *faces]}

    def _rolled_in_parts(self, line: st.Roll) -> Schema:
        """The same, or the faces of each part by what it is called."""
        found = self._rolled([self._faces(each) for each in line.parts])
        part = getattr(line.variable.type, "part", None)
        if part is None:
            return found
        below = {"anyOf": [{"type": "array", "items": {}}, {"type": ["integer", "string"]}]}
        return {"anyOf": [found, {"type": "object", "additionalProperties": below}]}

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

    def _terms(self) -> Schema:
        terms = self.program.external_terms.values()
        return {term.name: described(self.types.of(term.type), term.title) for term in terms}

    def _asked(self, line: st.Ask) -> Schema:
        match line.shape:
            case st.Whether():
                return FLAG_SCHEMA
            case st.Choose(options):
                return {"enum": [each.id for each in options]}
            case st.Pick() | st.Split() | st.Order() | st.PlaceWhere():
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
        return described(_alone(properties, required), external.title)


def _add(found: Schema, address: str, answer: Schema) -> None:
    """Adds the answer to a line, beside those of lines that share its address."""
    shared = shared_address(address)
    known = found.get(shared, answer)
    found[shared] = answer if known == answer else {"anyOf": [known, answer]}


def _window(event: Event, names: list[str]) -> Schema:
    """The order of handlers, or the one that is taken where the first taker closes the window."""
    ordered: Schema = {"type": "array", "items": {"enum": names}, "uniqueItems": True}
    return {"type": ["string", "null"]} if event.first_taker else ordered
