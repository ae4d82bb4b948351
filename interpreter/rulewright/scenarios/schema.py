"""The JSON Schema of scenario files, for editors: in general, and of one ruleset."""

from collections.abc import Iterable

from rulewright.codecs.schemas import Schema, closed, head
from rulewright.inputs.document_schemas import POLICIES, script_schema, state_schema
from rulewright.inputs.shapes import published
from rulewright.program.declarations import Program
from rulewright.scenarios.expectations.shapes import COUNT, REASON, TEXT, expect_schema, texts
from rulewright.scenarios.suite import EXCLUDE, SURVIVORS

WORDS = {
    "ruleset": "file, folder or shipped name; without it the folder of this file",
    "overlays": "files that amend the ruleset",
    "procedure": "what is begun",
    "with": "who is what in the procedure",
    "settings": "readings other than the state's",
    "matrix": "settings and overlays, each with a list of what is tried, in every combination",
    "state": "where a play begins: a state, the name of one under `states`, or a file beside this one",
    "seed": "where dice come from that the script leaves out",
    "policy": "who decides what the script leaves out",
    "states": "states by name, for scenarios to begin with",
    "exclude": "what coverage need not reach, as `rulewright cover` shows it, and the reason",
    "survivors": "changes of the rules that may pass unnoticed, as `rulewright mutate` shows them, and the reason",
    "scenarios": "scenarios by name",
    "cases": "scenarios that share what is written above them",
    "covers": "clauses of the document that are shown",
    "skip": "why this is not played",
    "patch": "what is otherwise than in the state",
    "script": "answers in order, or by address",
    "plays": "how often this is played, with one seed after the other",
    "expect": "what has to come of it",
}
"""What editors show about the keys of scenario files."""
_MAPPING: Schema = {"type": "object"}
_WHOLE: Schema = {"type": "integer", "minimum": 0}


def scenario_schema(program: Program | None = None) -> Schema:
    """What reading a scenario file accepts in shape; with a ruleset its names too.

    What one key needs of another (a state, a seed, an expectation) the reader judges itself.
    """
    names = _Names(program)
    shared = names.shared()
    scenario = closed(shared | names.own() | {"cases": {**_cases(), "description": WORDS["cases"]}})
    states = {"type": "object", "additionalProperties": names.state(), "description": WORDS["states"]}
    left_out = {"type": "array", "items": closed({"what": TEXT, "because": REASON}, ["what", "because"])}
    suite = shared | {
        "states": states,
        **{key: {**left_out, "description": WORDS[key]} for key in (EXCLUDE, SURVIVORS)},
        "scenarios": {**_cases(), "description": WORDS["scenarios"]},
    }
    title = f"Scenarios for {program.title or program.name}" if program else "Scenarios"
    whole = {**head("scenario", title, program), **closed(suite, ["scenarios"]), "$defs": {"scenario": scenario}}
    return published(whole)


def _cases() -> Schema:
    return {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/scenario"}}


class _Names:
    """The parts of a schema, with the names of a ruleset where there is one."""

    def __init__(self, program: Program | None) -> None:
        self._program = program
        self._state = None if program is None else _headless(state_schema(program))
        self._script = _headless(script_schema(program))

    def shared(self) -> Schema:
        program = self._program
        procedures = (
            TEXT
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
                "ruleset": TEXT,
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
        return _described(
            {
                "covers": _one_or_several(),
                "skip": REASON,
                "patch": self._patch(),
                "script": self._script,
                "plays": COUNT,
                "expect": expect_schema(self._program),
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


def _headless(schema: Schema) -> Schema:
    return {key: node for key, node in schema.items() if key not in {"$schema", "$id", "title"}}


def _described(properties: Schema) -> Schema:
    return {key: {**node, "description": WORDS[key]} for key, node in properties.items()}


def _of(names: Iterable[str]) -> Schema:
    return {"enum": sorted(set(names))}


def _one_or_several() -> Schema:
    return {"anyOf": [{"type": "string"}, texts()]}
