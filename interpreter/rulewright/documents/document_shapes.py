"""Document validation: a JSON Schema judges a document, and its errors become findings in the game's words.

A schema carries the words of its messages under `WORDS`: formats in which `{this}` is the label of the value,
`{key}` a key, `{shown}` the value as messages show it. All are optional; defaults follow from the schema.

    empty     what a list must name
    part      label of its parts; else `` `key` of this ``, `a member of this`
    parts     labels of its parts by position, as parts of the whole that it belongs to
    wanted    what it must be, after "it must be"
    says      a whole message where it is of another type
    help      the remedy
    unknown   a message for an unknown key, `otherwise` the remedy where no known key is near; `other` has both by key,
              `formed` the remedy by a pattern of keys
    lacking   a message for the missing keys `{keys}`; `needs` has the remedy for each, or `need`
    twice     a message for a duplicate member
    blank     a whole message where it is empty or blank
    code      the code, instead of the document's; also `name_code` of texts, `key_code`, `lacking_code`, `twice_code`
              and `blank_code`
    codes     `ErrorCodes` of everything inside, instead of those of the document
    named     label of what has to be quoted
    names     keys that are spellings of one name, of which one is required
    within    the allowed numbers in words, where they are not just bounds
    beyond    the remedy for a number above its bound
    whole     errors in its parts are reported of the whole
    aside     an accepted alternative that people do not mean, such as `none`
    at        keys of which the last one present is pointed at
    reader    a keyword of the schema whose errors the document's reader reports itself
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from rulewright.documents.document_nodes import (
    DocumentNode,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    node_to_data,
)
from rulewright.documents.findings import (
    Findings,
    describe_bounds,
    describe_choices,
    did_you_mean,
    find_intended_names,
    join_names,
    list_alternatives,
    quote_name,
    show_node,
)
from rulewright.documents.schema_compiler import (
    ErrorFinder,
    SchemaError,
    SchemaErrors,
    SchemaStep,
    compile_schema,
    hashable_data,
)
from rulewright.program.types import NumberType
from rulewright.runtime.codec_protocols import MESSAGE_WORDS, NONE_ASIDE, Schema

_NodeOrKey = DocumentNode | MapKey
_TYPE_KEYWORDS = frozenset({"type", "enum", "const", "pattern", "not", "items", "minItems", "maxItems"})
_TYPE_NAMES = {
    "string": "a text",
    "number": "a number",
    "boolean": "`yes` or `no`",
    "array": "a list",
    "object": "a mapping",
    "null": "empty",
}


def strip_message_words(schema: Schema) -> Schema:
    """Copy of a schema for publication, without `WORDS`."""
    return {key: _strip_part_words(item) for key, item in schema.items() if key != MESSAGE_WORDS}


def _strip_part_words(part: Any) -> Any:
    if isinstance(part, dict):
        return strip_message_words(part)
    return [_strip_part_words(item) for item in part] if isinstance(part, list) else part


@dataclass(frozen=True, slots=True)
class ErrorCodes:
    """Message codes of one sort of document: a wrong value, its bounds, a key, a missing key."""

    value: str = "RW0713"
    bounds: str = "RW0712"
    key: str = "RW0710"
    lacking: str = "RW0711"


class SchemaJudgesDifferError(Exception):
    """Errors that `jsonschema` does not find: a fault of the compiler, not of the document."""


@dataclass(frozen=True)
class DocumentShape:
    """A schema compiled to a function that finds errors, with the codes under which they are told.

    What it refuses is judged by `jsonschema` too, so that nothing is refused that the published schema allows.
    """

    schema: Schema  # with `WORDS`
    codes: ErrorCodes = ErrorCodes()

    def validate_node(self, node: DocumentNode, findings: Findings, what: str = "") -> bool:
        """Validates a document, called `what` in messages, and reports its errors; returns whether it is valid.

        True too where all errors are ones that the reader reports itself.
        """
        return not self.report_errors(node, findings, what)

    def report_errors(self, node: DocumentNode, findings: Findings, what: str = "") -> tuple[tuple[str, ...], ...]:
        """Validates a document and reports its errors; returns their paths (keys, positions) from the root."""
        errors = self._find_errors(node)
        if not errors:
            return ()
        if self._is_accepted_by_library(node):
            raise SchemaJudgesDifferError(errors)
        reporter = _ShapeErrorReporter(self, node, findings, what)
        for error in errors:
            reporter.report_error(error)
        return tuple(reporter.error_paths)

    def is_valid(self, node: DocumentNode) -> bool:
        """Whether a document has no errors."""
        return not self._find_errors(node)

    def _is_accepted_by_library(self, node: DocumentNode) -> bool:
        """Whether `jsonschema` finds no error; no where it is not installed, as in a page."""
        try:
            from jsonschema import Draft202012Validator  # noqa: PLC0415 - most documents are right, and it takes long to load
        except ModuleNotFoundError:
            return False
        return bool(Draft202012Validator(self.schema).is_valid(node_to_data(node)))

    @cached_property
    def _find_errors(self) -> ErrorFinder:
        return compile_schema(self.schema)


@dataclass(frozen=True)
class _SchemaLocation:
    schema: Schema  # that rejected it
    node: _NodeOrKey
    label: str  # name of the value in messages
    codes: ErrorCodes
    key: MapKey | None = None
    parent_label: str = ""  # label of the list around it
    is_inside: bool = False
    may_be_none: bool = False  # whether the schema accepts `none` as well

    @property
    def words(self) -> Mapping[str, Any]:
        """Message words of the schema (`WORDS`)."""
        return _message_words(self.schema)


class _ShapeErrorReporter:
    def __init__(self, shape: DocumentShape, root: DocumentNode, findings: Findings, what: str) -> None:
        self._findings = findings
        self._root = _SchemaLocation(shape.schema, root, what, _message_words(shape.schema).get("codes", shape.codes))
        self._reported: dict[tuple[int, int, str], bool] = {}
        """Whether something was said of a part; what stands for several is wrong in each place."""
        self.error_paths: list[tuple[str, ...]] = []

    def report_error(self, error: SchemaError) -> None:
        """Reports an error; of several ways to be right that of the one that was meant, if that can be told."""
        schema_location = self._locate_error(error)
        if not schema_location.is_inside and "names" not in schema_location.words:
            intended = _choose_intended_branch(error, schema_location.schema)
            for inner_error in intended:
                self.report_error(inner_error)
            if intended:
                return
        sort = "" if schema_location.is_inside else error.keyword
        key = (id(schema_location.schema), id(schema_location.node), sort)
        if schema_location.words.get("reader") == sort:
            return
        if key not in self._reported:
            before = len(self._findings.collected)
            tell = (
                _ShapeErrorReporter._report_missing_keys
                if "names" in schema_location.words
                else _REPORTERS.get(sort, _ShapeErrorReporter._report_wrong_type)
            )
            tell(self, schema_location)
            self._reported[key] = len(self._findings.collected) > before
        path = tuple(str(step.part) for step in error.steps if step.part is not None)
        keys: list[str] = []
        if sort == "additionalProperties" and isinstance(schema_location.node, MapNode):
            keys = [
                key.text
                for key, _ in schema_location.node
                if key.text not in schema_location.schema.get("properties", ())
            ]
        if self._reported[key]:
            self.error_paths += [(*path, item) for item in keys] or [path]

    def _locate_error(self, error: SchemaError) -> _SchemaLocation:
        result = self._root
        for step in error.steps:
            if result.words.get("whole"):
                return replace(result, is_inside=True)
            match result.node, step.part:
                case MapNode() as node, str(name) if step.is_key:
                    result = _SchemaLocation(step.schema, node.key(name), f"a key of {result.label}", result.codes)
                case MapNode() as node, str(name):
                    this = _label_part(result, "{key} of {this}" if result.label else "{key}", quote_name(name))
                    result = _SchemaLocation(step.schema, node.get(name) or node, this, result.codes, node.key(name))
                case ListNode(items), int(at):
                    this = str(result.words.get("parts", {}).get(at, "")).format(this=result.parent_label)
                    this = this or (
                        result.label if "parts" in result.words else _label_part(result, "a member of {this}")
                    )
                    result = _SchemaLocation(step.schema, items[at], this, result.codes, parent_label=result.label)
                case _:
                    may_be_none = NONE_ASIDE in result.schema.get("anyOf", ())
                    result = replace(result, schema=step.schema, may_be_none=may_be_none)
            result = replace(result, codes=result.words.get("codes", result.codes))
        return result

    def _add_finding(self, code: str, place: _NodeOrKey, message: str, remedy: str = "") -> None:
        self._findings.add_error(code, place, message, help=remedy)

    def _report_wrong_type(self, location: _SchemaLocation) -> None:
        words, node, codes = location.words, location.node, location.codes
        if isinstance(node, ScalarNode) and node.value is None and "lacking" in words:
            self._report_missing_keys(location)
            return
        if "blank" in words and _is_blank(node):
            self._add_finding(words.get("blank_code", codes.value), node, words["blank"], words.get("help", ""))
            return
        is_name = isinstance(node, MapKey) or (isinstance(node, ScalarNode) and isinstance(node.value, str))
        code, given = codes.value, show_node(node) if not isinstance(node, MapKey) else quote_name(node.text)
        if is_name:
            code = words.get("name_code", code)
            given = quote_name(_node_text(node)) if "name_code" in words else given
        if "says" in words and (is_name or "name_code" not in words):
            place: _NodeOrKey = node
            if isinstance(node, MapNode) and "at" in words:
                place = [key for key, _ in node if key.text in words["at"]][-1]
            message = words["says"].format(this=location.label, shown=given, key=quote_name(_node_text(place)))
            self._add_finding(words.get("code", code), place, message, _suggest_spelling(location.schema, place))
            return
        message = f"{location.label} is {given}; it must be {describe_expected(location.schema)}{' or `none`' if location.may_be_none else ''}"
        if isinstance(node, ListNode) and not node.items and "empty" in words:
            message = f"this list is empty; it must name {words['empty']}"
        self._add_finding(code, node, message, _suggest_spelling(location.schema, node))

    def _report_out_of_bounds(self, location: _SchemaLocation) -> None:
        assert isinstance(location.node, ScalarNode)
        message = (
            f"{location.label} is {show_node(location.node)}; it must be {_describe_number_bounds(location.schema)}"
        )
        most = location.schema.get("maximum")
        is_above = isinstance(location.node.value, int) and most is not None and location.node.value > most
        remedy = location.words.get("beyond", "") if is_above else ""
        self._add_finding(location.codes.bounds, location.node, message, remedy)

    def _report_unknown_keys(self, location: _SchemaLocation) -> None:
        assert isinstance(location.node, MapNode)
        words, valid = location.words, list(location.schema.get("properties", ()))
        for key, _ in location.node:
            if key.text in valid:
                continue
            message = words.get("unknown", "{key} is not a part of {this}")
            remedy = words.get("otherwise") or (
                describe_choices(valid, words.get("may", "you can write")) if valid else "leave it out"
            )
            remedy = did_you_mean(key.text, valid) or remedy
            formed: Mapping[str, str] = words.get("formed", {})
            remedy = next((said for form, said in formed.items() if re.fullmatch(form, key.text)), remedy)
            remedy = words.get("dotted", remedy) if "." in key.text else remedy
            message, remedy = words.get("other", {}).get(key.text, (message, remedy))
            text = message.format(this=location.label, key=quote_name(key.text))
            self._add_finding(words.get("key_code", location.codes.key), key, text, remedy)

    def _report_missing_keys(self, location: _SchemaLocation) -> None:
        node, schema, words = location.node, location.schema, location.words
        given = [key.text for key, _ in node] if isinstance(node, MapNode) else []
        paired = [one for key, needed in schema.get("dependentRequired", {}).items() if key in given for one in needed]
        required = [*schema.get("required", ()), *paired]
        known = words.get("names", ()) or schema.get("properties", {})
        misspelt = find_intended_names(given, (*known, *words.get("known", ())))
        lacking = words["names"][:1] if "names" in words else [item for item in required if item not in given]
        lacking = [] if "names" in words and misspelt & set(known) else [e for e in lacking if e not in misspelt]
        if not lacking:
            return
        message = words.get("lacking", "{this} lacks {keys}").format(this=location.label, keys=join_names(lacking))
        needs: Mapping[str, str] = words.get("needs", {})
        added = ", ".join(needs[item] for item in lacking if item in needs)
        place = location.key if words.get("at_key") and location.key else node
        remedy = f"add {added}" if added else words.get("need", "")
        self._add_finding(words.get("lacking_code", location.codes.lacking), place, message, remedy)

    def _report_duplicates(self, location: _SchemaLocation) -> None:
        assert isinstance(location.node, ListNode)
        words, items_before = location.words, set[Any]()
        for item in location.node.items:
            same = hashable_data(node_to_data(item))
            if same in items_before:
                message = words.get("twice", "{this} has a member twice")
                message = message.format(this=location.label, key=quote_name(_node_text(item)))
                self._add_finding(
                    words.get("twice_code", location.codes.value), item, message, words.get("twice_help", "")
                )
            items_before.add(same)


def _label_part(location: _SchemaLocation, otherwise: str, key: str = "") -> str:
    return str(location.words.get("part", otherwise)).format(this=location.label, key=key)


def _choose_intended_branch(error: SchemaError, schema: Schema) -> SchemaErrors:
    """Errors of the branch of an `anyOf` that was meant, with their steps from the root; else empty."""
    tried = zip(schema[error.keyword], error.branches, strict=True) if error.branches else ()
    branches = [(inner, errors) for inner, errors in tried if not _message_words(inner).get("aside")]
    if len(branches) > 1:
        below = [branch for branch in branches if all(map(_is_about_part, branch[1]))]
        branches = below or [branch for branch in branches if not any(map(_is_type_error, branch[1]))]
    if len(branches) != 1:
        return ()
    above = (*error.steps, SchemaStep(error.keyword, branches[0][0]))
    return tuple(replace(inner, steps=(*above, *inner.steps)) for inner in branches[0][1])


def _is_about_part(error: SchemaError) -> bool:
    return any(step.part is not None and not step.is_key for step in error.steps)


def _is_type_error(error: SchemaError) -> bool:
    is_value = all(step.part is None for step in error.steps)
    return is_value and (error.keyword in _TYPE_KEYWORDS or bool(error.branches))


_REPORTERS: Mapping[str, Callable[[_ShapeErrorReporter, _SchemaLocation], None]] = {
    "minimum": _ShapeErrorReporter._report_out_of_bounds,  # noqa: SLF001 - the table of its methods, here and below
    "maximum": _ShapeErrorReporter._report_out_of_bounds,  # noqa: SLF001
    "exclusiveMinimum": _ShapeErrorReporter._report_out_of_bounds,  # noqa: SLF001
    "additionalProperties": _ShapeErrorReporter._report_unknown_keys,  # noqa: SLF001
    "required": _ShapeErrorReporter._report_missing_keys,  # noqa: SLF001
    "dependentRequired": _ShapeErrorReporter._report_missing_keys,  # noqa: SLF001
    "uniqueItems": _ShapeErrorReporter._report_duplicates,  # noqa: SLF001
}


def _message_words(schema: Any) -> Mapping[str, Any]:  # a schema or a boolean
    words: Mapping[str, Any] = schema.get(MESSAGE_WORDS, {}) if isinstance(schema, dict) else {}
    return words


def _is_blank(node: _NodeOrKey) -> bool:
    match node:
        case ScalarNode(value=value, written=written):
            return value is None or not written.strip()
        case ListNode(items):
            return not items
        case MapNode(entries):
            return not entries
        case _:
            return False


def describe_expected(schema: Schema) -> str:
    """The values that a schema accepts, in words."""
    words, type_ = _message_words(schema), schema.get("type")
    if "wanted" in words:
        return str(words["wanted"])
    if "enum" in schema:
        return list_alternatives([str(item) for item in schema["enum"]])
    if type_ == "integer":
        allowed = _describe_number_bounds(schema)
        return allowed if allowed.startswith("any") else f"a whole number, {allowed}"
    if isinstance(type_, list):
        return _TYPE_NAMES["string" if "string" in type_ else type_[0]]
    branches = [item for item in schema.get("anyOf", ()) if not _message_words(item).get("aside")]
    return " or ".join(dict.fromkeys(map(describe_expected, branches))) or _TYPE_NAMES.get(
        str(type_), "of another sort"
    )


def _describe_number_bounds(schema: Schema) -> str:
    if "within" in _message_words(schema):
        return str(_message_words(schema)["within"])
    low, high, above = (schema.get(item) for item in ("minimum", "maximum", "exclusiveMinimum"))
    return describe_bounds(NumberType(low, high)) if above is None else f"more than {above}"


def _suggest_brackets(schema: Schema, node: ScalarNode, written: str) -> str:
    if node.value is None:
        return "" if schema.get("minItems") else "write `[]` where there is none"
    return f"write it in brackets: `[{written}]`" if written and _can_hold_scalars(schema) else ""


def _can_hold_scalars(schema: Schema) -> bool:
    items = schema.get("items")
    return "prefixItems" not in schema and not (isinstance(items, dict) and items.get("type") in {"object", "array"})


def _node_text(node: _NodeOrKey) -> str:
    return node.text if isinstance(node, MapKey) else node.written if isinstance(node, ScalarNode) else ""


def _suggest_spelling(schema: Schema, node: _NodeOrKey) -> str:
    words, type_ = _message_words(schema), schema.get("type")
    is_word = isinstance(node, MapKey) or (isinstance(node, ScalarNode) and isinstance(node.value, str))
    listed = [str(item) for way in (schema, *schema.get("anyOf", ())) for item in way.get("enum", ())]
    near = did_you_mean(_node_text(node), listed) if is_word else ""
    match node:
        case _ if near or "help" in words:
            return near or str(words["help"])
        case ScalarNode(value=str(text)) if type_ == "integer" and re.fullmatch(r"-?[0-9]+", text):
            return f"write it without quotes: `{text}`"
        case ScalarNode(written=written) if type_ == "array":
            return _suggest_brackets(schema, node, written)
        case ScalarNode(value=int() | Fraction(), written=written) if "named" in words or type_ == "string":
            return f'put {words.get("named", "it")} in quotes: `"{written}"`'
        case _:
            return ""
