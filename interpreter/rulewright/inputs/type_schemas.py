"""Schemas of values of one program by their types, with the things of one play."""

from collections.abc import Mapping, Sequence

from rulewright.codecs.schemas import (
    NAMED,
    RESULT,
    Schema,
    closed,
    described,
    length_measure,
    pair,
    place_schema,
    worded,
)
from rulewright.codecs.table import codec
from rulewright.inputs.findings import one_of, several
from rulewright.program.declarations import Field, Program
from rulewright.program.plane import posed
from rulewright.program.types import MapType, RecordType, ThingType, Type, WordType


class TypeSchemas:
    """Schemas of one program; with the things of a play, references name them, else any id will do."""

    def __init__(self, program: Program, things: Mapping[str, Sequence[str]] | None = None) -> None:
        self.program = program
        self.things = things

    def of(self, target: Type) -> Schema:
        """The schema of a type."""
        return codec(target).schema(target, self)

    def pose(self) -> Schema:
        """A pose of any thing that can have one."""
        thing = self.thing(posed(self.program.kinds) or "")
        pose = closed({"thing": thing, **place_schema(length_measure(self.program))["properties"]}, ["thing", "at"])
        return worded(pose, wanted="a pose, `{thing: …, at: [3.5, 2], facing: 90}`")

    def record(self, record: str) -> Schema:
        """A record by the names of its parts."""
        parts = self.program.records[record].parts
        return worded(self.fields(parts), wanted=f"a mapping with {several([each.name for each in parts])}")

    def thing(self, kind: str) -> Schema:
        """A reference to a thing."""
        if self.things is not None:
            return {"enum": list(self.things.get(kind, ()))}
        return worded({"type": "string"}, wanted=f"the name of a {kind}", named=NAMED)

    def word(self, values: str) -> Schema:
        """A word of a list."""
        listed = self.program.values[values]
        titles = "; ".join(f"{word.name}: {word.title}" for word in listed.words if word.title)
        names = [word.name for word in listed.words]
        spelt = {"enum": [*names, *(each for each in listed.titles.spellings if each not in names)]}
        schema = worded(spelt, wanted=one_of(names), name_code="RW0715", named=NAMED)
        return described(schema, titles or listed.title)

    def fields(self, fields: Sequence[Field]) -> Schema:
        """An object of fields; those without a start value are required, titles become descriptions."""
        properties = {each.name: described(self.of(each.type), each.title) for each in fields}
        return closed(properties, [each.name for each in fields if each.start is None])

    def results(self, external: str, result: Type | None) -> tuple[Schema, list[str]]:
        """Properties, and the required ones, of the object an external answers with."""
        match result:
            case None:
                return {}, []
            case RecordType(record) if record == external:
                fields = self.fields(self.program.records[record].parts)
                return dict(fields["properties"]), list(fields.get("required", []))
            case _:
                return {RESULT: self.of(result)}, [RESULT]

    def map(self, target: MapType) -> Schema:
        """A map: an object where keys are things or words, and always a list of pairs."""
        key, value = self.of(target.key), self.of(target.value)
        called = {0: "a key of {this}", 1: "an entry of {this}"}
        entry = worded(pair(key, value), wanted="a pair `[key, value]`", parts=called)
        pairs: Schema = worded(
            {"type": "array", "items": entry}, wanted="a list of pairs `[key, value]`", part="an entry of {this}"
        )
        if not isinstance(target.key, ThingType | WordType):
            return pairs
        by_name = {"type": "object", "propertyNames": key, "additionalProperties": value}
        return worded({"anyOf": [by_name, pairs]}, wanted="a mapping")
