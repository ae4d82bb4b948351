"""JSON Schemas of the answers to every question of a ruleset, as far as its text alone determines them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from rulewright.base.node_roles import walk_nodes
from rulewright.documents.document_shapes import DocumentShape, ErrorCodes, describe_expected, strip_message_words
from rulewright.documents.findings import describe_result_mapping, join_names, list_alternatives
from rulewright.documents.name_table import CHANGES, GAME, REMOVED, StateSections
from rulewright.program import statements as st, types as ty
from rulewright.program.board_geometry import ANGLE, find_posed_kind
from rulewright.program.declarations import Event, ExternalProcedure, Field, Kind, Program
from rulewright.program.types import MapType, RecordType, ThingType, Type, WordType
from rulewright.program.walk import list_routines, strip_address_numbers
from rulewright.runtime.codec_protocols import (
    FLAG_SCHEMA,
    QUOTED_NAME_HINT,
    RESULT_KEY,
    Schema,
    closed_object,
    integer_schema,
    length_measure,
    list_schema,
    pair_schema,
    place_schema,
    schema_header,
    tuple_schema,
    with_description,
    with_message_words,
    with_no_answer_claim,
)
from rulewright.runtime.type_codecs import codec_of


class TypeSchemas:
    """JSON Schemas of the types of one program; with the things of a play, references list their ids."""

    def __init__(self, program: Program, things: Mapping[str, Sequence[str]] | None = None) -> None:
        self.program = program
        self.things = things

    def type_schema(self, target: Type) -> Schema:
        return codec_of(target).schema(target, self)

    def pose_schema(self) -> Schema:
        thing = self.thing_schema(find_posed_kind(self.program.kinds) or "")
        pose = closed_object(
            {"thing": thing, **place_schema(length_measure(self.program))["properties"]}, ["thing", "at"]
        )
        return with_message_words(pose, wanted="a pose, `{thing: …, at: [3.5, 2], facing: 90}`")

    def record_schema(self, record: str) -> Schema:
        parts = self.program.records[record].parts
        return with_message_words(
            self.fields_schema(parts), wanted=f"a mapping with {join_names([part.name for part in parts])}"
        )

    def thing_schema(self, kind: str) -> Schema:
        if self.things is not None:
            return {"enum": list(self.things.get(kind, ()))}
        return with_message_words({"type": "string"}, wanted=f"the name of a {kind}", named=QUOTED_NAME_HINT)

    def word_schema(self, values: str) -> Schema:
        listed = self.program.values[values]
        titles = "; ".join(f"{word.name}: {word.title}" for word in listed.words if word.title)
        names = [word.name for word in listed.words]
        spelt = {"enum": [*names, *(spelling for spelling in listed.titles.spellings if spelling not in names)]}
        schema = with_message_words(spelt, wanted=list_alternatives(names), name_code="RW0715", named=QUOTED_NAME_HINT)
        return with_description(schema, titles or listed.title)

    def fields_schema(self, fields: Sequence[Field]) -> Schema:
        """Object of fields; those without a start value are required, titles become descriptions."""
        properties = {field.name: with_description(self.type_schema(field.type), field.title) for field in fields}
        return closed_object(properties, [field.name for field in fields if field.start is None])

    def result_properties(self, external: str, result: Type | None) -> tuple[Schema, list[str]]:
        """Properties of the object that an external answers with, and the required ones."""
        match result:
            case None:
                return {}, []
            case RecordType(record) if record == external:
                fields = self.fields_schema(self.program.records[record].parts)
                return dict(fields["properties"]), list(fields.get("required", []))
            case _:
                return {RESULT_KEY: self.type_schema(result)}, [RESULT_KEY]

    def map_schema(self, target: MapType) -> Schema:
        """Map: an object where keys are things or words, and always a list of pairs."""
        key, value = self.type_schema(target.key), self.type_schema(target.value)
        called = {0: "a key of {this}", 1: "an entry of {this}"}
        entry = with_message_words(pair_schema(key, value), wanted="a pair `[key, value]`", parts=called)
        pairs: Schema = with_message_words(
            {"type": "array", "items": entry}, wanted="a list of pairs `[key, value]`", part="an entry of {this}"
        )
        if not isinstance(target.key, ThingType | WordType):
            return pairs
        by_name = {"type": "object", "propertyNames": key, "additionalProperties": value}
        return with_message_words({"anyOf": [by_name, pairs]}, wanted="a mapping")


_ANSWER_CODES = ErrorCodes("RW0730", "RW0730", "RW0730", "RW0730")


def questions_schema(program: Program) -> Schema:
    """Object from address to answer, as far as the text of the rules determines it.

    `request_schema` gives the narrower schema of what is legal at one request.
    """
    title = f"Answers to every question of {program.title or program.name}"
    return strip_message_words(
        {**schema_header("questions", title, program), **closed_object(_QuestionSchemas(program).all_questions())}
    )


def build_question_shapes(program: Program) -> Mapping[str, DocumentShape]:
    """Shape of every answer, by the address of its request or the name of its external.

    Windows are left out: whom they ask is only known when they open.
    """
    questions = _QuestionSchemas(program)
    mapping = {**questions.line_questions(), **questions.term_questions(), **questions.external_questions()}
    return {item: DocumentShape(schema) for item, schema in mapping.items()}


class _QuestionSchemas:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.types = TypeSchemas(program)

    def all_questions(self) -> Schema:
        """Lines in order of declaration, then windows, optional handlers and external terms."""
        return {**self.line_questions(), **self._window_questions(), **self.term_questions()}

    def line_questions(self) -> Schema:
        """Lines that ask, roll, draw or perform an external, and keys of ranks that do."""
        result: Schema = {}
        for line in walk_nodes(list_routines(self.program)):
            match line:
                case st.Ask() | st.Roll() | st.Draw() | st.PerformExternal():
                    _add_question(result, line.address, self._line_schema(line))
                case st.Rank():
                    for key in line.keys:
                        if key.requests:
                            _add_question(result, key.address, self._rank_key_schema(key, line))
        return result

    def _rank_key_schema(self, key: st.RankKey, line: st.Rank) -> Schema:
        if key.dice is None:
            return with_description(self._answer_value_schema(line.variable.type), key.title)
        return with_description(self._dice_schema(key.dice), key.title)

    def _dice_schema(self, dice: Iterable[st.Dice], *, alone: bool = False) -> Schema:
        faces: list[Schema] = []
        for item in map(self._die_faces_schema, dice):
            faces += [] if item in faces else [item]
        one = faces[0] if len(faces) == 1 else {"anyOf": faces}
        listed = with_message_words({"type": "array", "items": one}, part="a face of {this}")
        form = describe_expected(one) if alone else f"{describe_expected(one)}, or a list with one for each die"
        return with_message_words({"anyOf": [listed, *faces]}, wanted=form, codes=_ANSWER_CODES)

    def _roll_schema(self, line: st.Roll) -> Schema:
        result = self._dice_schema(line.parts, alone=isinstance(line.variable.type, ty.DieType))
        part = getattr(line.variable.type, "part", None)
        if part is None:
            return result
        below = {"anyOf": [{"type": "array", "items": {}}, {"type": ["integer", "string"]}]}
        parts = with_message_words({"type": "object", "additionalProperties": below}, aside=True)
        return with_message_words({"anyOf": [result, parts]}, wanted=describe_expected(result), codes=_ANSWER_CODES)

    def _line_schema(self, line: st.Ask | st.Roll | st.Draw | st.PerformExternal) -> Schema:
        match line:
            case st.Ask():
                return with_description(self._ask_schema(line), line.prompt)
            case st.Roll():
                return self._roll_schema(line)
            case st.Draw():
                return self.types.type_schema(line.variable.type)
            case st.PerformExternal():
                return self._external_schema(self.program.external_procedures[line.external])
            case _:
                assert_never(line)

    def _window_questions(self) -> Schema:
        handlers = self.program.handlers.values()
        names = {
            event.name: [handler.name for handler in handlers if handler.event == event.name]
            for event in self.program.events.values()
        }
        orders = {
            event.name: with_description(_window_schema(event, names[event.name]), event.title)
            for event in self.program.events.values()
            if event.holders is not None or names[event.name]
        }
        return orders | {
            handler.name: with_description(FLAG_SCHEMA, handler.title) for handler in handlers if handler.optional
        }

    def external_questions(self) -> Schema:
        return {
            name: self._external_schema(external_procedure)
            for name, external_procedure in self.program.external_procedures.items()
        }

    def term_questions(self) -> Schema:
        terms = self.program.external_terms.values()
        return {term.name: with_description(self.types.type_schema(term.type), term.title) for term in terms}

    def _ask_schema(self, line: st.Ask) -> Schema:
        match line.shape:
            case st.Whether():
                return with_message_words(FLAG_SCHEMA, codes=_ANSWER_CODES)
            case st.Choose(options):
                return with_message_words({"enum": [option.id for option in options]}, codes=_ANSWER_CODES)
            case st.Split():
                return with_message_words(
                    self._whole_answer_schema(line), wanted="a mapping from members to their shares"
                )
            case st.Pick() | st.Order() | st.PlaceWhere():
                return self._whole_answer_schema(line)
            case st.TurnHow() if line.variable.type == ANGLE:
                return self._whole_answer_schema(line)
            case _:
                return self._answer_value_schema(line.variable.type)

    def _whole_answer_schema(self, line: st.Ask) -> Schema:
        on_plane = isinstance(line.shape, st.PlaceWhere)
        answer = (
            place_schema(length_measure(self.program)) if on_plane else self._answer_value_schema(line.variable.type)
        )
        return with_no_answer_claim(answer) if any(not demand.prefer for demand in line.demands) else answer

    def _answer_value_schema(self, target: Type) -> Schema:
        match target:
            case ty.DieType():
                return {"anyOf": [{"type": "string"}, tuple_schema([{"type": "integer"}, {"type": "integer"}])]}
            case ty.SetType(item) | ty.ListType(item) if isinstance(item, ty.DieType):
                return {"type": "array", "items": self._answer_value_schema(item)}
            case _:
                return self.types.type_schema(target)

    def _die_faces_schema(self, dice: st.Dice) -> Schema:
        match dice.die:
            case st.NumberedDie(most) | st.ComputedDie(most=most):
                return integer_schema(1, most)
            case st.PairedDie():
                return {"enum": list(ty.PAIRED_FACES)}
            case st.NamedDie(name):
                return self.types.type_schema(self.program.dice[name].face_type)
            case _:
                assert_never(dice.die)

    def _external_schema(self, external: ExternalProcedure) -> Schema:
        answer = external_answer_schema(external.name, external.result, external.changes, self.types)
        return with_description(answer, external.title)


def external_answer_schema(name: str, result: Type | None, changes: Sequence[str], types: TypeSchemas) -> Schema:
    """What an external answers with: a mapping, or the value of its only result alone."""
    whole = external_mapping_schema(name, result, changes, types)
    results = [schema for key, schema in whole["properties"].items() if key != CHANGES]
    if len(results) != 1:
        return whole
    return with_message_words({"anyOf": [results[0], whole]}, wanted=describe_expected(results[0]))


def external_mapping_schema(name: str, result: Type | None, changes: Sequence[str], types: TypeSchemas) -> Schema:
    """JSON Schema of a mapping with the results of an external and its changes."""
    properties, required = types.result_properties(name, result)
    wanted = describe_result_mapping(list(properties))
    if changes:
        says = f"a part of a state: {', '.join(changes)}"
        properties[CHANGES] = with_description(changes_schema(changes, types), says)
    return with_message_words(
        closed_object(properties, required),
        wanted=wanted,
        unknown=f"`{name}` does not give {{key}}",
        key_code="RW0730",
        otherwise="" if properties else "it gives nothing",
    )


def changes_schema(allowed: Sequence[str], types: TypeSchemas) -> Schema:
    """JSON Schema of the changes that an external may make: a part of a state, with the ids of the things of a play.

    `allowed` holds places such as `Unit/morale`, `Unit/gone` and `game/active`.
    """
    sections, things = StateSections(types.program), types.things
    forbidden = {
        "unknown": "this external may not change {key}",
        "key_code": "RW0732",
        "otherwise": describe_allowed_changes(allowed),
        "wanted": "a mapping",
    }
    properties: dict[str, Schema] = {}
    for key, kind in sections.kinds.items():
        fields = [field for field in kind.fields if f"{kind.name}/{field.name}" in allowed]
        if fields:
            attributes = closed_object(types.fields_schema(fields)["properties"])
            unknown = "this external may not change {key} of {this}"
            words = {**forbidden, "unknown": unknown, "wanted": "a mapping of attributes"}
            ids = {} if things is None else {"propertyNames": types.thing_schema(kind.name)}
            of_kind = {"type": "object", **ids, "additionalProperties": with_message_words(attributes, **words)}
            properties[key] = with_message_words(of_kind, part="{key}", wanted="a mapping")
    game = {
        key: types.type_schema(types.program.game[name].type)
        for key, name in sections.game.items()
        if f"game/{name}" in allowed
    }
    if game:
        properties[GAME] = with_message_words(closed_object(game), part="{key}", **forbidden)
    removable = [kind for kind in types.program.kinds.values() if f"{kind.name}/gone" in allowed]
    if removable and things is None:
        properties[REMOVED] = removed_schema()
    elif removable and (ids_ := _list_removable_ids(removable, things or {})):
        properties[REMOVED] = list_schema({"enum": ids_})
    wanted = "a mapping, in the form of a state file"
    return with_message_words(closed_object(properties), part="{key}", **{**forbidden, "wanted": wanted})


def describe_allowed_changes(allowed: Sequence[str]) -> str:
    """What an external may change, as a remedy."""
    places = (place.rpartition("/") for place in allowed)
    spoken = [name if owner == GAME else f"{owner}.{name}" for owner, _, name in places]
    return f"it may change {list_alternatives(spoken)}" if spoken else "it changes nothing"


def _list_removable_ids(kinds: Sequence[Kind], things: Mapping[str, Sequence[str]]) -> list[str]:
    every = [id_ for ids in things.values() for id_ in ids]
    plain = [id_ for kind in kinds for id_ in things.get(kind.name, ()) if every.count(id_) == 1]
    return plain + [f"{kind.plural}/{id_}" for kind in kinds for id_ in things.get(kind.name, ())]


def removed_schema() -> Schema:
    """JSON Schema of the list of things out of play."""
    thing = with_message_words({"type": "string"}, wanted="the id of a thing")
    things = {"type": "array", "items": thing, "description": "things out of play"}
    return with_message_words(things, wanted="a list of ids", part="a member of {this}")


def _add_question(schemas: Schema, address: str, answer: Schema) -> None:
    shared = strip_address_numbers(address)
    known = schemas.get(shared, answer)
    schemas[shared] = answer if known == answer else {"anyOf": [known, answer]}


def _window_schema(event: Event, names: list[str]) -> Schema:
    ordered: Schema = {"type": "array", "items": {"enum": names}, "uniqueItems": True}
    return {"type": ["string", "null"]} if event.first_taker else ordered
