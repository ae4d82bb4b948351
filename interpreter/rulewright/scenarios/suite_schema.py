"""JSON Schema of scenario files: generic for validation, and of one ruleset for editors."""

from collections.abc import Iterable
from functools import cache

from rulewright.documents.answer_scripts import POLICY_FORMS
from rulewright.documents.document_schemas import PLAIN_POLICIES, script_schema, state_schema
from rulewright.documents.document_shapes import DocumentShape
from rulewright.documents.findings import join_alternatives
from rulewright.program.declarations import Program
from rulewright.runtime.codec_protocols import (
    Schema,
    closed_object,
    schema_header,
    with_description,
    with_message_words,
)
from rulewright.scenarios.expectation_schema import (
    COUNT_SCHEMA,
    REASON_SCHEMA,
    SCENARIO_CODES,
    TEXT_SCHEMA,
    expect_schema,
    texts_schema,
)

SHARED_KEYS = ("ruleset", "overlays", "procedure", "with", "settings", "matrix", "state", "seed", "policy")
"""Keys that a file may share among its scenarios."""

EXCLUDE_KEY = "exclude"
"""Accepted gaps of coverage."""

THEN_KEY = "then"
"""A further play on the state that a play leaves."""

SURVIVORS_KEY = "survivors"
"""Accepted mutants."""

MAX_CASE_PLAYS = 100_000
"""Most plays of one scenario; a chosen limit, hours of most rulesets."""

KEY_DESCRIPTIONS = {
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
    "cases": "scenarios that share what is written above them, or a table: a row of columns, then a row for each",
    "covers": "clauses of the document that are shown",
    "skip": "why this is not played",
    "patch": "what differs from the state",
    "script": "answers in order, or by address",
    "plays": "how often this is played, with one seed after the other",
    "expect": "what you expect",
    "then": "what is played next, on the state that this leaves; another procedure has roles of its own",
}
"""Help of editors."""

SCENARIO_KEYS = tuple(
    one for one in KEY_DESCRIPTIONS if one not in {"states", EXCLUDE_KEY, SURVIVORS_KEY, "scenarios", "cases"}
)
"""Keys of a scenario, and first keys of columns."""

_MAPPING_SCHEMA: Schema = {"type": "object"}
_WHOLE_NUMBER_SCHEMA: Schema = {"type": "integer", "minimum": 0}
_TEXTS_SCHEMA: Schema = with_message_words(
    {"anyOf": [{"type": "string"}, texts_schema()]}, wanted="a text or a list of texts"
)
_POLICY_SCHEMA: Schema = with_message_words(
    {"anyOf": [{"enum": list(PLAIN_POLICIES)}, {"type": "string", "pattern": "="}]},
    wanted=f"{join_alternatives(PLAIN_POLICIES)}, or {POLICY_FORMS}",
)
_POLICIES_SCHEMA: Schema = with_message_words(
    {"anyOf": [*_POLICY_SCHEMA["anyOf"], {"type": "array", "items": _POLICY_SCHEMA}]},
    wanted=f"{join_alternatives(PLAIN_POLICIES)}, {POLICY_FORMS}, or a list of these",
)
_COLUMN_SCHEMA: Schema = with_message_words(TEXT_SCHEMA, wanted="a path such as `expect.result`", help="")
_HEAD_SCHEMA: Schema = with_message_words(
    {"type": "array", "items": _COLUMN_SCHEMA, "minItems": 1}, wanted="a list of columns", empty="a column", part="this"
)
_ROW_SCHEMA: Schema = with_message_words({"type": "array"}, wanted="a list of values, one for each column", help="")
_TABLE_SCHEMA: Schema = with_message_words(
    {"type": "array", "prefixItems": [_HEAD_SCHEMA], "items": _ROW_SCHEMA, "minItems": 2}, part="this", help=""
)
_NO_SCENARIOS = "RW1003"
_NEXT_PLAY_KEYS = ("procedure", "with", "settings", "patch", "script", "seed", "policy", "covers", "expect", THEN_KEY)


def scenario_schema(program: Program | None = None, *, judged: bool = True) -> Schema:
    """JSON Schema of scenario files; with a program also its names. If not `judged`, `expect` may hold anything.

    Dependences between keys (on a state, a seed, an expectation) are checked by the reader.
    """
    names = _ScenarioSchemaParts(program)
    shared = names.shared_properties()
    expected = expect_schema(program) if judged else _MAPPING_SCHEMA
    listed = _cases_schema("these cases are empty", ", or take the key out")
    cases = with_message_words(
        {"anyOf": [listed, _TABLE_SCHEMA]}, wanted="scenarios by name, or a table: columns, then a row for each"
    )
    own_properties = names.own_properties() | _describe_properties(
        {"expect": expected, THEN_KEY: {"$ref": "#/$defs/then"}}
    )
    scenario = with_message_words(
        closed_object(shared | own_properties | _describe_properties({"cases": cases})),
        part="{key}",
        unknown="{key} is not part of a scenario",
    )
    next_ = {key: item for key, item in (shared | own_properties).items() if key in _NEXT_PLAY_KEYS}
    then = with_message_words(closed_object(next_), part="{key}", unknown="{key} is not part of what is played next")
    states = with_message_words(
        {"type": "object", "additionalProperties": names.scenario_state_schema("a file of one")}, part="{key}"
    )
    file = {
        "states": states,
        EXCLUDE_KEY: _exemptions_schema("exclusion", "RW1030", "ADDRESS", "`rulewright cover` shows the addresses"),
        SURVIVORS_KEY: _exemptions_schema("explanation", "RW1061", "NAME", "`rulewright mutate` shows the names"),
        "scenarios": with_message_words(_cases_schema("this file has no scenarios"), part="the scenario {key}"),
    }
    whole = with_message_words(
        closed_object(shared | _describe_properties(file), ["scenarios"]),
        says="a scenario file is a mapping, and this is {shown}",
        unknown="{key} is not part of a scenario file",
        lacking="this file has no scenarios",
        lacking_code=_NO_SCENARIOS,
        need="write them under `scenarios:`",
    )
    title = f"Scenarios for {program.title or program.name}" if program else "Scenarios"
    return {**schema_header("scenario", title, program), **whole, "$defs": {"scenario": scenario, "then": then}}


@cache
def case_row_shape(*, judged: bool) -> DocumentShape:
    """Shape of the scenario that a row of a table makes."""
    schema = scenario_schema(judged=judged)
    return DocumentShape({**schema["$defs"]["scenario"], "$defs": schema["$defs"]}, SCENARIO_CODES)


@cache
def suite_shape(*, judged: bool) -> DocumentShape:
    """Shape of scenario files; values of expectations are validated when they are judged."""
    return DocumentShape(scenario_schema(judged=judged), SCENARIO_CODES)


def _cases_schema(blank: str, otherwise: str = "") -> Schema:
    cases: Schema = {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/scenario"}}
    return with_message_words(
        cases, part="{key}", blank=blank, blank_code=_NO_SCENARIOS, help=f"write each under its name{otherwise}"
    )


def _exemptions_schema(called: str, code: str, what: str, shows: str) -> Schema:
    form = f"write `{{what: {what}, because: REASON}}`; {shows}"
    because = with_message_words(
        REASON_SCHEMA, wanted="a text", blank=f"this {called} has no reason", blank_code=code, help=form
    )
    reason = with_message_words(
        closed_object({"what": TEXT_SCHEMA, "because": because}, ["what", "because"]),
        part="{key}",
        unknown=f"{{key}} is not part of an {called}",
        lacking=f"this {called} lacks {{keys}}",
        lacking_code=code,
        need=form,
    )
    return with_message_words({"type": "array", "items": reason}, part=f"an {called}", help="")


class _ScenarioSchemaParts:
    def __init__(self, program: Program | None) -> None:
        self._program = program
        self._state = None if program is None else _drop_schema_header(state_schema(program))
        self._script = _drop_schema_header(script_schema(program))

    def shared_properties(self) -> Schema:
        program = self._program
        procedures = (
            TEXT_SCHEMA
            if program is None
            else {"enum": sorted(name for name, procedure in program.procedures.items() if not procedure.inner)}
        )
        what = "what is tried"
        tried = with_message_words({"type": "array", "minItems": 1}, wanted=f"a list of {what}", empty=what, help="")
        matrix = {
            "settings": with_message_words({"type": "object", "additionalProperties": tried}, part="{key}"),
            "overlays": with_message_words({**tried, "items": _TEXTS_SCHEMA}, part="a member of {this}"),
        }
        return _describe_properties(
            {
                "ruleset": TEXT_SCHEMA,
                "overlays": _TEXTS_SCHEMA,
                "procedure": procedures,
                "with": self._roles_schema(),
                "settings": _MAPPING_SCHEMA
                if program is None
                else {"type": "object", "propertyNames": _sorted_names_schema(program.settings)},
                "matrix": with_message_words(
                    closed_object(matrix), part="{key}", unknown="{key} is not part of a matrix"
                ),
                "state": self.scenario_state_schema("the name of one"),
                "seed": _WHOLE_NUMBER_SCHEMA,
                "policy": _POLICIES_SCHEMA,
            }
        )

    def own_properties(self) -> Schema:
        skip = {"blank": "this skip has no reason", "blank_code": "RW1008", "help": "write why, or take it out"}
        return _describe_properties(
            {
                "covers": _TEXTS_SCHEMA,
                "skip": with_message_words(REASON_SCHEMA, wanted="a text", **skip),
                "patch": self._patch_schema(),
                "script": self._script,
                "plays": with_message_words(
                    {**COUNT_SCHEMA, "maximum": MAX_CASE_PLAYS},
                    within=f"from 1 to {MAX_CASE_PLAYS:,}",
                    beyond="to count more plays than that, use `rulewright simulate`",
                ),
            }
        )

    def scenario_state_schema(self, named: str) -> Schema:
        if self._state is None:
            state: Schema = with_message_words(
                {"type": ["object", "string", "number"]}, wanted=f"a state, or {named}", help=""
            )
        else:
            state = {"anyOf": [{"type": "string"}, self._state]}
        return with_description(state, KEY_DESCRIPTIONS["state"])

    def _roles_schema(self) -> Schema:
        if self._program is None:
            return _MAPPING_SCHEMA
        procedures = self._program.procedures.values()
        return {
            "type": "object",
            "propertyNames": _sorted_names_schema(each.name for one in procedures for each in one.parameters),
        }

    def _patch_schema(self) -> Schema:
        if self._state is None:
            return _MAPPING_SCHEMA
        return {"type": "object", "propertyNames": _sorted_names_schema(self._state["properties"])}


def _drop_schema_header(schema: Schema) -> Schema:
    return {key: node for key, node in schema.items() if key not in {"$schema", "$id", "title"}}


def _describe_properties(properties: Schema) -> Schema:
    return {key: {**node, "description": KEY_DESCRIPTIONS[key]} for key, node in properties.items()}


def _sorted_names_schema(names: Iterable[str]) -> Schema:
    return {"enum": sorted(set(names))}
