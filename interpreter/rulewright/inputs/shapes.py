"""The shape of documents: a JSON Schema judges it, and what it finds is told in words at its place.

A schema carries the words of its messages under `WORDS`: formats in which `{this}` is what the value is called,
`{key}` a key, `{shown}` the value as messages show it. All are optional; what is not said follows from the schema.

    empty     what a list must name
    part      what its parts are called; else `` `key` of this ``, `a member of this`
    parts     what its parts are called by position, as parts of what it is a part of
    wanted    what it must be, after "it must be"
    says      a whole message where it is of another sort
    help      the remedy
    unknown   a message for a key nobody knows, `otherwise` the remedy where none is like it; `other` has both by key
    lacking   a message for keys that are missing, which are `{keys}`; `needs` has the remedy for each, or `need`
    twice     a message for a member that stands there before
    blank     a whole message where there is nothing in it, or nothing but blanks
    code      instead of that of the document; also `name_code` of texts, `key_code`, `lacking_code`, `twice_code` and
              `blank_code`
    codes     `Codes` of all that is wrong in it, instead of those of the document
    named     how to call what has to be put in quotes
    names     keys of which one has to be there, being spellings of one name
    within    which numbers are allowed, where that is no mere bound
    whole     what is wrong in a part of it is told of the whole
    aside     a way to be right that is not what people mean, such as `none`
    at        keys of which the last that stands there is pointed at
    reader    a keyword of the schema that whoever reads the document judges by meaning, and tells of
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rulewright.codecs.schemas import NONE_ASIDE, WORDS, Schema
from rulewright.inputs.findings import Findings, bounds, did_you_mean, meant, one_of, quoted, several, shown, there_are
from rulewright.inputs.nodes import Items, Key, Mapping as MappingNode, Node, Scalar, data_of
from rulewright.inputs.shape_checks import Check, check_of, distinct
from rulewright.program.types import NumberType

if TYPE_CHECKING:
    from jsonschema import ValidationError

_Where = Node | Key
_OF_SORT = frozenset({"type", "enum", "const", "pattern", "not", "items", "minItems", "maxItems"})
_SORTS = {
    "string": "a text",
    "number": "a number",
    "boolean": "`yes` or `no`",
    "array": "a list",
    "object": "a mapping",
    "null": "empty",
}


def published(schema: Schema) -> Schema:
    """The schema as others read it: without the words of our messages."""
    return {key: _published(each) for key, each in schema.items() if key != WORDS}


def _published(part: Any) -> Any:  # any part of a schema
    if isinstance(part, dict):
        return published(part)
    return [_published(each) for each in part] if isinstance(part, list) else part


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of what is wrong with the shape of one sort of document: a value, its bounds, a key, what lacks."""

    value: str = "RW0713"
    bounds: str = "RW0712"
    key: str = "RW0710"
    lacking: str = "RW0711"


@dataclass(frozen=True)
class Shape:
    """A schema made ready to judge documents; what it lets pass is never shown to `jsonschema`, which takes longer."""

    schema: Schema  # with the words of its messages
    codes: Codes = Codes()  # of the findings

    def judge(self, node: Node, findings: Findings, what: str = "") -> bool:
        """Whether a document, which messages call `what`, has this shape; else what is wrong with it is reported.

        Where all that is wrong is told by its reader, it counts as right.
        """
        return not self.wrong(node, findings, what)

    def wrong(self, node: Node, findings: Findings, what: str = "") -> tuple[tuple[str, ...], ...]:
        """Keys and positions from the root to all that is wrong, which is reported; nothing where it is right."""
        if self.fits(node):
            return ()
        import jsonschema  # noqa: PLC0415 - most documents are right, and it takes long to load

        told = _Telling(self, node, findings, what)
        for error in jsonschema.Draft202012Validator(self.schema).iter_errors(data_of(node)):
            told.tell(error)
        return tuple(told.wrong)

    @cached_property
    def fits(self) -> Check:
        """Says whether a node has this shape, as `jsonschema` would."""
        return check_of(self.schema)


@dataclass(frozen=True)
class _Found:
    schema: Schema  # that found it
    node: _Where  # the value, or the key that is wrong
    this: str  # what it is called
    codes: Codes  # of what is wrong there
    key: Key | None = None  # under which it stands, if there is one
    above: str = ""  # what the list is called that it stands in
    inside: bool = False  # whether the error is in a part of it
    may_be_none: bool = False  # whether `none` could stand there instead

    @property
    def words(self) -> Mapping[str, Any]:
        """What the schema says of its messages."""
        words: Mapping[str, Any] = self.schema.get(WORDS, {})
        return words


class _Telling:
    def __init__(self, shape: Shape, root: Node, findings: Findings, what: str) -> None:
        self._shape, self._findings = shape, findings
        self._root = _Found(shape.schema, root, what, _words(shape.schema).get("codes", shape.codes))
        self._told: dict[tuple[int, int, str], bool] = {}
        """Whether something was said of a part; what stands for several is wrong in each place."""
        self.wrong: list[tuple[str, ...]] = []

    def tell(self, error: "ValidationError") -> None:
        """Reports an error; of several ways to be right that of the one that was meant, if that can be told."""
        found = self._found(error)
        if not found.inside and "names" not in found.words and error.context and (inner := self._meant(error)):
            for each in inner:
                self.tell(each)
            return
        sort = "" if found.inside else str(error.validator)
        key = (id(found.schema), id(found.node), sort)
        if found.words.get("reader") == sort:
            return
        if key not in self._told:
            before = len(self._findings.found)
            tell = _Telling._lacking if "names" in found.words else _TOLD.get(sort, _Telling._sort)
            tell(self, found)
            self._told[key] = len(self._findings.found) > before
        path = tuple(map(str, error.absolute_path))
        keys = [found.node.text] if isinstance(found.node, Key) else []
        if sort == "additionalProperties" and isinstance(found.node, MappingNode):
            keys = [key.text for key, _ in found.node if key.text not in found.schema.get("properties", ())]
        if self._told[key]:
            self.wrong += [(*path, each) for each in keys] or [path]

    def _found(self, error: "ValidationError") -> _Found:
        """Follows an error from the root of the schema to where it was found."""
        found, path = self._root, iter(error.absolute_path)
        steps = iter(list(error.absolute_schema_path)[:-1])
        for step in steps:
            if found.words.get("whole"):
                return replace(found, inside=True)
            schema, node, this = found.schema[str(step)], found.node, found.this
            if step in {"properties", "prefixItems", "anyOf", "oneOf", "allOf"}:
                schema = schema[next(steps)]
            match node:
                case MappingNode() if step in {"properties", "additionalProperties"}:
                    name = str(next(path))
                    this = self._called(found, "{key} of {this}" if this else "{key}", quoted(name))
                    found = _Found(schema, node.get(name) or node, this, found.codes, node.key(name))
                case MappingNode() if step == "propertyNames":
                    found = _Found(schema, node.key(str(error.instance)), f"a key of {this}", found.codes)
                case Items(items) if step in {"items", "prefixItems"}:
                    at = int(next(path))
                    this = str(found.words.get("parts", {}).get(at, "")).format(this=found.above) or this
                    this = this if "parts" in found.words else self._called(found, "a member of {this}", "")
                    found = _Found(schema, items[at], this, found.codes, above=found.this)
                case _:
                    may_be_none = NONE_ASIDE in found.schema.get("anyOf", ())
                    found = replace(found, schema=schema, may_be_none=may_be_none)
            schema = self._resolved(found.schema)
            found = replace(found, schema=schema, codes=_words(schema).get("codes", found.codes))
        return found

    def _called(self, found: _Found, otherwise: str, key: str) -> str:
        return str(found.words.get("part", otherwise)).format(this=found.this, key=key)

    def _meant(self, error: "ValidationError") -> list["ValidationError"]:
        """What is wrong in the one of several ways that was meant: only below it, else at least not with its sort."""
        ways: dict[Any, list[ValidationError]] = {}
        for each in error.context or ():
            ways.setdefault(each.relative_schema_path[0], []).append(each)
        schemas: Any = error.validator_value
        ways = {way: each for way, each in ways.items() if not _words(schemas[way]).get("aside")}
        if len(ways) == 1:
            return next(iter(ways.values()))
        below = [each for each in ways.values() if all(one.relative_path for one in each)]
        near = [each for each in ways.values() if not any(map(_is_of_sort, each))]
        chosen = below or near
        return chosen[0] if len(chosen) == 1 else []

    def _resolved(self, schema: Schema) -> Schema:
        name = schema.get("$ref")
        return self._shape.schema["$defs"][name.rpartition("/")[2]] if name else schema

    def _error(self, code: str, place: _Where, message: str, remedy: str = "") -> None:
        self._findings.error(code, place, message, help=remedy)

    def _sort(self, found: _Found) -> None:
        """Another sort of value, or none of those that may stand there."""
        words, node, codes = found.words, found.node, found.codes
        if isinstance(node, Scalar) and node.value is None and "lacking" in words:
            self._lacking(found)
            return
        if "blank" in words and _is_blank(node):
            self._error(words.get("blank_code", codes.value), node, words["blank"], words.get("help", ""))
            return
        is_name = isinstance(node, Key) or (isinstance(node, Scalar) and isinstance(node.value, str))
        code, given = codes.value, shown(node) if not isinstance(node, Key) else quoted(node.text)
        if is_name:
            code = words.get("name_code", code)
            given = quoted(_written(node)) if "name_code" in words else given
        if "says" in words and (is_name or "name_code" not in words):
            place: _Where = node
            if isinstance(node, MappingNode) and "at" in words:
                place = [key for key, _ in node if key.text in words["at"]][-1]
            told = words["says"].format(this=found.this, shown=given, key=quoted(_written(place)))
            self._error(words.get("code", code), place, told, _remedy(found.schema, place))
            return
        told = f"{found.this} is {given}; it must be {wanted(found.schema)}{' or `none`' if found.may_be_none else ''}"
        if isinstance(node, Items) and not node.items and "empty" in words:
            told = f"this list is empty; it must name {words['empty']}"
        self._error(code, node, told, _remedy(found.schema, node))

    def _bounds(self, found: _Found) -> None:
        assert isinstance(found.node, Scalar)
        message = f"{found.this} is {shown(found.node)}; it must be {_bounded(found.schema)}"
        self._error(found.codes.bounds, found.node, message)

    def _unknown(self, found: _Found) -> None:
        """Keys nobody knows."""
        assert isinstance(found.node, MappingNode)
        words, valid = found.words, list(found.schema.get("properties", ()))
        for key, _ in found.node:
            if key.text in valid:
                continue
            message = words.get("unknown", "{key} is not a part of {this}")
            remedy = words.get("otherwise") or (
                there_are(valid, words.get("may", "you can write")) if valid else "leave it out"
            )
            remedy = did_you_mean(key.text, valid) or remedy
            remedy = words.get("dotted", remedy) if "." in key.text else remedy
            message, remedy = words.get("other", {}).get(key.text, (message, remedy))
            told = message.format(this=found.this, key=quoted(key.text))
            self._error(words.get("key_code", found.codes.key), key, told, remedy)

    def _lacking(self, found: _Found) -> None:
        """Keys that have to be there, but for those that a misspelt one was meant to be."""
        node, schema, words = found.node, found.schema, found.words
        given = [key.text for key, _ in node] if isinstance(node, MappingNode) else []
        paired = [one for key, needed in schema.get("dependentRequired", {}).items() if key in given for one in needed]
        required = [*schema.get("required", ()), *paired]
        known = words.get("names", ()) or schema.get("properties", {})
        misspelt = meant(given, (*known, *words.get("known", ())))
        lacking = words["names"][:1] if "names" in words else [each for each in required if each not in given]
        lacking = [] if "names" in words and misspelt & set(known) else [e for e in lacking if e not in misspelt]
        if not lacking:
            return
        told = words.get("lacking", "{this} lacks {keys}").format(this=found.this, keys=several(lacking))
        needs: Mapping[str, str] = words.get("needs", {})
        added = ", ".join(needs[each] for each in lacking if each in needs)
        place = found.key if words.get("at_key") and found.key else node
        remedy = f"add {added}" if added else words.get("need", "")
        self._error(words.get("lacking_code", found.codes.lacking), place, told, remedy)

    def _twice(self, found: _Found) -> None:
        """A member that stands in a list before."""
        assert isinstance(found.node, Items)
        words, seen = found.words, set[Any]()
        for each in found.node.items:
            same = distinct(data_of(each))
            if same in seen:
                told = words.get("twice", "{this} has a member twice")
                told = told.format(this=found.this, key=quoted(_written(each)))
                self._error(words.get("twice_code", found.codes.value), each, told, words.get("twice_help", ""))
            seen.add(same)


_TOLD: Mapping[str, Callable[[_Telling, _Found], None]] = {
    "minimum": _Telling._bounds,  # noqa: SLF001 - the table of its methods, here and below
    "maximum": _Telling._bounds,  # noqa: SLF001
    "exclusiveMinimum": _Telling._bounds,  # noqa: SLF001
    "additionalProperties": _Telling._unknown,  # noqa: SLF001
    "required": _Telling._lacking,  # noqa: SLF001
    "dependentRequired": _Telling._lacking,  # noqa: SLF001
    "uniqueItems": _Telling._twice,  # noqa: SLF001
}


def _words(schema: Any) -> Mapping[str, Any]:  # a schema, or a flag
    words: Mapping[str, Any] = schema.get(WORDS, {}) if isinstance(schema, dict) else {}
    return words


def _is_blank(node: _Where) -> bool:
    match node:
        case Scalar(value=value, written=written):
            return value is None or not written.strip()
        case Items(items):
            return not items
        case MappingNode(entries):
            return not entries
        case _:
            return False


def _is_of_sort(error: "ValidationError") -> bool:
    is_value = not error.relative_path and "propertyNames" not in error.relative_schema_path
    return is_value and (error.validator in _OF_SORT or bool(error.context))


def wanted(schema: Schema) -> str:
    """What a value must be, in words."""
    words, type_ = _words(schema), schema.get("type")
    if "wanted" in words:
        return str(words["wanted"])
    if "enum" in schema:
        return one_of([str(each) for each in schema["enum"]])
    if type_ == "integer":
        allowed = _bounded(schema)
        return allowed if allowed.startswith("any") else f"a whole number, {allowed}"
    if isinstance(type_, list):
        return _SORTS["string" if "string" in type_ else type_[0]]
    ways = [each for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())) if not _words(each).get("aside")]
    return " or ".join(dict.fromkeys(map(wanted, ways))) or _SORTS.get(str(type_), "of another sort")


def _bounded(schema: Schema) -> str:
    """Which numbers are allowed: `from 0 to 9`."""
    if "within" in _words(schema):
        return str(_words(schema)["within"])
    low, high, above = (schema.get(each) for each in ("minimum", "maximum", "exclusiveMinimum"))
    return bounds(NumberType(low, high)) if above is None else f"more than {above}"


def _bracketed(schema: Schema, node: Scalar, written: str) -> str:
    """How a list was meant that has no brackets; empty where a single value cannot be its member."""
    if node.value is None:
        return "" if schema.get("minItems") else "write `[]` where there is none"
    return f"write it in brackets: `[{written}]`" if written and _is_plain(schema) else ""


def _is_plain(schema: Schema) -> bool:
    """Whether a list may hold single values."""
    items = schema.get("items")
    return "prefixItems" not in schema and not (isinstance(items, dict) and items.get("type") in {"object", "array"})


def _written(node: _Where) -> str:
    return node.text if isinstance(node, Key) else node.written if isinstance(node, Scalar) else ""


def _remedy(schema: Schema, node: _Where) -> str:
    """How a value of another sort was meant to be written."""
    words, type_ = _words(schema), schema.get("type")
    is_word = isinstance(node, Key) or (isinstance(node, Scalar) and isinstance(node.value, str))
    listed = [str(each) for way in (schema, *schema.get("anyOf", ())) for each in way.get("enum", ())]
    near = did_you_mean(_written(node), listed) if is_word else ""
    match node:
        case _ if near or "help" in words:
            return near or str(words["help"])
        case Scalar(value=str(text)) if type_ == "integer" and re.fullmatch(r"-?[0-9]+", text):
            return f"write it without quotes: `{text}`"
        case Scalar(written=written) if type_ == "array":
            return _bracketed(schema, node, written)
        case Scalar(value=int() | Fraction(), written=written) if "named" in words or type_ == "string":
            return f'put {words.get("named", "it")} in quotes: `"{written}"`'
        case _:
            return ""
