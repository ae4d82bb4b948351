"""The JSON Schema of scenario files: in general, to judge their shape, and of one ruleset, for editors."""

from collections.abc import Iterable
from functools import cache

from rulewright.codecs.schemas import Schema, closed, described, head, worded
from rulewright.inputs.document_schemas import POLICIES, script_schema, state_schema
from rulewright.inputs.findings import any_of
from rulewright.inputs.policies import HOW
from rulewright.inputs.shapes import Shape
from rulewright.program.declarations import Program
from rulewright.scenarios.expectations.shapes import CODES, COUNT, REASON, TEXT, expect_schema, texts

SHARED = ("ruleset", "overlays", "procedure", "with", "settings", "matrix", "state", "seed", "policy")
"""Keys that a file may share among its scenarios."""

EXCLUDE = "exclude"
"""What a file leaves out of coverage."""

THEN = "then"
"""What comes after a play, on the state that it leaves."""

SURVIVORS = "survivors"
"""Which changes of the rules a file lets pass unnoticed."""

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
    "cases": "scenarios that share what is written above them, or a table: a row of columns, then a row for each",
    "covers": "clauses of the document that are shown",
    "skip": "why this is not played",
    "patch": "what differs from the state",
    "script": "answers in order, or by address",
    "plays": "how often this is played, with one seed after the other",
    "expect": "what you expect",
    "then": "what is played next, on the state that this leaves; another procedure has roles of its own",
}
"""What editors show about the keys of scenario files."""

OF_SCENARIOS = tuple(each for each in WORDS if each not in {"states", EXCLUDE, SURVIVORS, "scenarios", "cases"})
"""What may stand in a scenario, and so at the beginning of a column."""

_MAPPING: Schema = {"type": "object"}
_WHOLE: Schema = {"type": "integer", "minimum": 0}
_TEXTS: Schema = worded({"anyOf": [{"type": "string"}, texts()]}, wanted="a text or a list of texts")
_POLICY: Schema = worded(
    {"anyOf": [{"enum": list(POLICIES)}, {"type": "string", "pattern": "="}]}, wanted=f"{any_of(POLICIES)}, or {HOW}"
)
_POLICIES: Schema = worded(
    {"anyOf": [*_POLICY["anyOf"], {"type": "array", "items": _POLICY}]},
    wanted=f"{any_of(POLICIES)}, {HOW}, or a list of these",
)
_COLUMN: Schema = worded(TEXT, wanted="a path such as `expect.result`", help="")
_HEAD: Schema = worded(
    {"type": "array", "items": _COLUMN, "minItems": 1}, wanted="a list of columns", empty="a column", part="this"
)
_ROW: Schema = worded({"type": "array"}, wanted="a list of values, one for each column", help="")
_TABLE: Schema = worded({"type": "array", "prefixItems": [_HEAD], "items": _ROW, "minItems": 2}, part="this", help="")
_NOTHING = "RW1003"
_NEXT = ("procedure", "with", "settings", "patch", "script", "seed", "policy", "covers", "expect", THEN)


def scenario_schema(program: Program | None = None, *, judged: bool = True) -> Schema:
    """What a scenario file is in shape; with a ruleset its names too. What is not judged expects anything.

    What one key needs of another (a state, a seed, an expectation) is no matter of shape.
    """
    names = _Names(program)
    shared = names.shared()
    expected = expect_schema(program) if judged else _MAPPING
    listed = _cases("these cases are empty", ", or take the key out")
    cases = worded({"anyOf": [listed, _TABLE]}, wanted="scenarios by name, or a table: columns, then a row for each")
    own = names.own() | _described({"expect": expected, THEN: {"$ref": "#/$defs/then"}})
    scenario = worded(
        closed(shared | own | _described({"cases": cases})), part="{key}", unknown="{key} is not part of a scenario"
    )
    next_ = {key: each for key, each in (shared | own).items() if key in _NEXT}
    then = worded(closed(next_), part="{key}", unknown="{key} is not part of what is played next")
    states = worded({"type": "object", "additionalProperties": names.state("a file of one")}, part="{key}")
    file = {
        "states": states,
        EXCLUDE: _reasons("exclusion", "RW1030", "ADDRESS", "`rulewright cover` shows the addresses"),
        SURVIVORS: _reasons("explanation", "RW1061", "NAME", "`rulewright mutate` shows the names"),
        "scenarios": worded(_cases("this file has no scenarios"), part="the scenario {key}"),
    }
    whole = worded(
        closed(shared | _described(file), ["scenarios"]),
        says="a scenario file is a mapping, and this is {shown}",
        unknown="{key} is not part of a scenario file",
        lacking="this file has no scenarios",
        lacking_code=_NOTHING,
        need="write them under `scenarios:`",
    )
    title = f"Scenarios for {program.title or program.name}" if program else "Scenarios"
    return {**head("scenario", title, program), **whole, "$defs": {"scenario": scenario, "then": then}}


@cache
def row_shape(*, judged: bool) -> Shape:
    """The shape of what a row of a table of cases comes to."""
    schema = scenario_schema(judged=judged)
    return Shape({**schema["$defs"]["scenario"], "$defs": schema["$defs"]}, CODES)


@cache
def suite_shape(*, judged: bool) -> Shape:
    """The shape of scenario files, whatever they are about; what is expected is looked at where it is judged."""
    return Shape(scenario_schema(judged=judged), CODES)


def _cases(blank: str, otherwise: str = "") -> Schema:
    cases: Schema = {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/scenario"}}
    return worded(cases, part="{key}", blank=blank, blank_code=_NOTHING, help=f"write each under its name{otherwise}")


def _reasons(called: str, code: str, what: str, shows: str) -> Schema:
    """What is let be, each with the reason."""
    form = f"write `{{what: {what}, because: REASON}}`; {shows}"
    because = worded(REASON, wanted="a text", blank=f"this {called} has no reason", blank_code=code, help=form)
    reason = worded(
        closed({"what": TEXT, "because": because}, ["what", "because"]),
        part="{key}",
        unknown=f"{{key}} is not part of an {called}",
        lacking=f"this {called} lacks {{keys}}",
        lacking_code=code,
        need=form,
    )
    return worded({"type": "array", "items": reason}, part=f"an {called}", help="")


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
        what = "what is tried"
        tried = worded({"type": "array", "minItems": 1}, wanted=f"a list of {what}", empty=what, help="")
        matrix = {
            "settings": worded({"type": "object", "additionalProperties": tried}, part="{key}"),
            "overlays": worded({**tried, "items": _TEXTS}, part="a member of {this}"),
        }
        return _described(
            {
                "ruleset": TEXT,
                "overlays": _TEXTS,
                "procedure": procedures,
                "with": self._roles(),
                "settings": _MAPPING if program is None else {"type": "object", "propertyNames": _of(program.settings)},
                "matrix": worded(closed(matrix), part="{key}", unknown="{key} is not part of a matrix"),
                "state": self.state("the name of one"),
                "seed": _WHOLE,
                "policy": _POLICIES,
            }
        )

    def own(self) -> Schema:
        skip = {"blank": "this skip has no reason", "blank_code": "RW1008", "help": "write why, or take it out"}
        return _described(
            {
                "covers": _TEXTS,
                "skip": worded(REASON, wanted="a text", **skip),
                "patch": self._patch(),
                "script": self._script,
                "plays": COUNT,
            }
        )

    def state(self, named: str) -> Schema:
        if self._state is None:
            state: Schema = worded({"type": ["object", "string", "number"]}, wanted=f"a state, or {named}", help="")
        else:
            state = {"anyOf": [{"type": "string"}, self._state]}
        return described(state, WORDS["state"])

    def _roles(self) -> Schema:
        if self._program is None:
            return _MAPPING
        procedures = self._program.procedures.values()
        return {"type": "object", "propertyNames": _of(each.name for one in procedures for each in one.parameters)}

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
