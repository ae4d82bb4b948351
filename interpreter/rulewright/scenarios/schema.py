"""The JSON Schema of scenario files, for editors: in general, and of one ruleset."""

from collections.abc import Iterable

from rulewright.drivers.policy import POLICIES
from rulewright.inputs.addresses import Addresses, request_addresses
from rulewright.inputs.document_schemas import script_schema, state_schema
from rulewright.inputs.shapes import Schema
from rulewright.inputs.type_schemas import closed, head
from rulewright.program.declarations import Program
from rulewright.program.walk import shared_address
from rulewright.scenarios.expectations.forms import END
from rulewright.scenarios.ruled import named_lines, row_addresses, step_addresses, tally_types
from rulewright.scenarios.schema_words import WORDS
from rulewright.scenarios.suite import EXCLUDE, SURVIVORS

_TEXT: Schema = {"type": ["string", "number"]}
_MAPPING: Schema = {"type": "object"}
_WHOLE: Schema = {"type": "integer", "minimum": 0}
_COUNT: Schema = {"type": "integer", "minimum": 1}
_REASON: Schema = {"type": ["string", "number"], "pattern": r"\S"}
_PLAYER: Schema = {"type": ["string", "number", "null"]}
_ADDS: Schema = {"type": "object", "additionalProperties": {"type": ["number", "string", "array"]}}
_COUNTED: Schema = {"anyOf": [_ADDS, {"type": "array", "items": _ADDS}]}

_ANSWER = closed({"answer": {}, "at": {"type": "string"}, "by": {"type": "string"}}, ["answer"])
_EACH: Schema = {"type": "object", "required": ["each"], "maxProperties": 1}
_SCRIPT: Schema = {
    "type": ["array", "object"],
    "items": {"if": {"type": "object", "required": ["answer"]}, "then": _ANSWER},
    "additionalProperties": {"if": _EACH, "then": {"properties": {"each": {"type": "array"}}}},
}


def scenario_schema(program: Program | None = None) -> Schema:
    """What reading a scenario file accepts in shape; with a ruleset its names too.

    What one key needs of another (a state, a seed, an expectation) the reader judges itself.
    """
    names = _Names(program)
    shared = names.shared()
    scenario = closed(shared | names.own() | {"cases": {**_cases(), "description": WORDS["cases"]}})
    states = {"type": "object", "additionalProperties": names.state(), "description": WORDS["states"]}
    left_out = {"type": "array", "items": closed({"what": _TEXT, "because": _REASON}, ["what", "because"])}
    suite = shared | {
        "states": states,
        **{key: {**left_out, "description": WORDS[key]} for key in (EXCLUDE, SURVIVORS)},
        "scenarios": {**_cases(), "description": WORDS["scenarios"]},
    }
    title = f"Scenarios for {program.title or program.name}" if program else "Scenarios"
    return {**head("scenario", title, program), **closed(suite, ["scenarios"]), "$defs": {"scenario": scenario}}


def _cases() -> Schema:
    return {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/scenario"}}


class _Names:
    """The parts of a schema, with the names of a ruleset where there is one."""

    def __init__(self, program: Program | None) -> None:
        self._program = program
        self._state = None if program is None else _headless(state_schema(program))
        self._script = None if program is None else _headless(script_schema(program))

    def shared(self) -> Schema:
        program = self._program
        procedures = (
            _TEXT
            if program is None
            else {"enum": sorted(name for name, each in program.procedures.items() if not each.inner)}
        )
        tried = {"type": "array", "minItems": 1}
        matrix = {
            "settings": {"type": "object", "additionalProperties": tried},
            "overlays": {**tried, "items": _one_or_several()},
        }
        return _described(
            {
                "ruleset": _TEXT,
                "overlays": _one_or_several(),
                "procedure": procedures,
                "with": self._roles(),
                "settings": self._settings(),
                "matrix": closed(matrix),
                "state": self.state(),
                "seed": _WHOLE,
                "policy": {"enum": list(POLICIES)},
            }
        )

    def own(self) -> Schema:
        script = _SCRIPT if self._script is None else self._script
        return _described(
            {
                "covers": _one_or_several(),
                "skip": _REASON,
                "patch": self._patch(),
                "script": script,
                "plays": _COUNT,
                "expect": self._expect(),
            }
        )

    def state(self) -> Schema:
        if self._state is None:
            return {"type": ["object", "string", "number"], "description": WORDS["state"]}
        return {"anyOf": [{"type": "string"}, self._state], "description": WORDS["state"]}

    def _roles(self) -> Schema:
        if self._program is None:
            return _MAPPING
        procedures = self._program.procedures.values()
        return {"type": "object", "propertyNames": _of(each.name for one in procedures for each in one.parameters)}

    def _settings(self) -> Schema:
        return _MAPPING if self._program is None else {"type": "object", "propertyNames": _of(self._program.settings)}

    def _patch(self) -> Schema:
        if self._state is None:
            return _MAPPING
        return {"type": "object", "propertyNames": _of(self._state["properties"])}

    def _expect(self) -> Schema:
        program = self._program
        steps = _texts(() if program is None else _ends(step_addresses(program)))
        rows = _texts(() if program is None else _ends(row_addresses(program)))
        asked = _TEXT if program is None else _of(Addresses(request_addresses(program)).spellings)
        measures = _MAPPING if program is None else {"type": "object", "propertyNames": _of(program.measures)}
        rulings = _texts(() if program is None else {each.id for each in program.rulings})
        named = _MAPPING if program is None else _keyed(_ends(map(shared_address, named_lines(program))))
        tallies = _MAPPING if program is None else _keyed(_ends(tally_types(program)))
        question = {"anyOf": [asked, closed({"at": asked, "by": _PLAYER, "with": _MAPPING}, ["at"])]}
        when = {"anyOf": [{"const": END}, asked]}
        refused = {"at": asked, "answer": True, "because": _TEXT, "by": _TEXT, "time": _COUNT, "when": when}
        rejected = closed(refused, ["at", "answer", "because"])
        by_question = {"type": "object", "propertyNames": asked}
        return closed(
            _described(
                {
                    "always": _texts(),
                    "invalid": {"type": "array", "minItems": 1, "items": _REASON},
                    "refused": _texts(),
                    "fault": {"type": "string"},
                    "result": {},
                    "path": steps,
                    "passed_over": steps,
                    "asked": {"type": "array", "items": question},
                    "asked_of": {**by_question, "additionalProperties": _PLAYER},
                    "offered": {**by_question, "additionalProperties": {"type": "array"}},
                    "rejects": {"type": "array", "items": rejected},
                    "values": named,
                    "counted": {**tallies, "additionalProperties": _COUNTED},
                    "decided": {"type": "object", "additionalProperties": _TEXT},
                    "applied": rows,
                    "not_applied": {**rows, "minItems": 1},
                    "rulings": rulings,
                    "measures": measures,
                    "state": self._patch(),
                    "changes": self._patch(),
                }
            )
        )


def _headless(schema: Schema) -> Schema:
    return {key: node for key, node in schema.items() if key not in {"$schema", "$id", "title"}}


def _described(properties: Schema) -> Schema:
    return {key: {**node, "description": WORDS[key]} for key, node in properties.items()}


def _keyed(names: Iterable[str]) -> Schema:
    return {"type": "object", "propertyNames": _of(names)}


def _of(names: Iterable[str]) -> Schema:
    return {"enum": sorted(set(names))}


def _texts(names: Iterable[str] = ()) -> Schema:
    known = sorted(set(names))
    items: Schema = {"anyOf": [{"enum": known}, {"type": "number"}]} if known else _TEXT
    return {"type": "array", "items": items}


def _one_or_several() -> Schema:
    return {"anyOf": [{"type": "string"}, _texts()]}


def _ends(addresses: Iterable[str]) -> set[str]:
    """Every end of some addresses."""
    parts = [each.split("/") for each in addresses]
    return {"/".join(each[first:]) for each in parts for first in range(len(each))}
