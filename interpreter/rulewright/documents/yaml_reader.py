"""YAML 1.2 and JSON reader: text to nodes with source spans.

Built on the event stream of PyYAML's parser (libyaml where available), never its objects: scalar types, duplicate
keys, limits and refused features are decided here. Nothing recursive runs before the depth of the text is known.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rulewright.base.diagnostics import Diagnostic, Label, Severity
from rulewright.base.source import Span, Text
from rulewright.documents.document_nodes import (
    MAX_NESTING,
    MAX_NUMBER_DIGITS,
    BlockScalar,
    DocumentNode,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    child_pointer,
    parse_plain_scalar,
)
from rulewright.documents.findings import ReadResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

_SPACES_REMEDY = "use spaces, two for each level"
_NO_COLON_MESSAGE = "this line has no `:` after its key"
_KEY_PATTERN = re.compile(r"\w[^:#'\"\[\]{},&*]*")
_SIDE_BY_SIDE_PATTERN = re.compile(r"\s*(?:- )?(?P<key>[^\s#:]+:)\s+(?P<values>[^\s\[{\"'#][^#\[{]*,\s*\{[^{}]*\})\s*$")
_GLUED_COLON_MESSAGE = "a space is missing behind the `:` of this key"
_GLUED_COLON_PATTERN = re.compile(r"\s*(?P<key>[\w.-]+):(?P<value>\S[^:]*?)\s*$")
_GLUED_BRACKET_PATTERN = re.compile(r"\s*(?P<key>[\w.-]+):(?P<bracket>[\[{])")
_HIDING_NUMBER_PATTERN = re.compile(r"(?P<item>[^\[\]{},\"'#:]*\s(?P<sign>#)\d+)(?=\s*[,\]}])")
_KEY_AND_TEXT_PATTERN = re.compile(r"\s*(?:- +)*(?P<key>[^\s:\"'#\[{][^:\"'#]*): +(?P<text>[^\"'#]*:[^\"'#]*)")
_INNER_PAIR_PATTERN = re.compile(r"[\w.-]+: [^:]+")
_NO_BREAK_SPACE_PATTERN = re.compile("^\xa0|:\xa0|\xa0$")
"""A no-break space in place of a separating space; inside a text it is an ordinary character."""
_MISSING_COLON_PATTERN = re.compile(r"\s*(?P<key>[\w.-]+) (?:= ?)?(?P<value>[^:#=]+?)\s*$")
_SURROGATE_MESSAGE = ("this `\\u` escape is not a whole character", "write the character itself")
_SURROGATE_PAIR_PATTERN = re.compile(r"(?<!\\)(?:\\\\)*(\\u)[dD]([89abAB]\w\w\\u)[dD]([c-fC-F]\w\w)")
"""Two escapes of one surrogate pair, which JSON has and YAML has not."""
_REPLACED_PAIR_PATTERN = re.compile(_SURROGATE_PAIR_PATTERN.pattern.replace("[dD]", "[0dD]"))
_YAML_ERRORS: tuple[tuple[str, str, str], ...] = (
    ("mapping values are not allowed", "this line is indented too far, or the key above has a value already", ""),
    ("unknown escape", "this `\\` means nothing in a text in double quotes", "write `\\\\` for the character itself"),
    ("Unicode character escape", *_SURROGATE_MESSAGE),
    ("expected 4 hexadecimal|did not find expected hexdecimal|expected 2 hex", "this escape is incomplete", ""),
    ("unexpected end of stream", "this text in quotes never ends", ""),
    ("unexpected document separator", "this text in quotes never ends", ""),
    ("',' or '\\]'", "this list has no `,` or `]` where one is needed", ""),
    ("',' or '}'", "this mapping has no `,` or `}` where one is needed", ""),
    ("'-' indicator", "this line is not an item of the list above", "indent it like the items, and begin it with `- `"),
    ("document start", "there is something after the end of the document", ""),
    ("directive", "lines that begin with `%` are not read", "leave it out"),
    ("indentation", "the indentation of this line fits no line above it", ""),
    ("alphabetic or numeric", "`&` and `*` need a name", 'put a text in quotes: `"&"`'),
    ("node content", "a value is missing here", ""),
    ("expected key|expected <block end>", "this fits nothing above it", "look at indentation, quotes and `:` here"),
)
MAX_TEXT_CHARS = 8_000_000
MAX_DOCUMENT_NODES = 100_000
MERGE_KEY = "<<"
_TOO_DEEP_MESSAGE = f"lists and mappings are nested more than {MAX_NESTING} deep"
_EMPTY_REMEDY = "write what belongs here, or name another file"


def _replace_surrogate_pair(pair: re.Match[str]) -> str:
    whole, start = pair[0], pair.start()
    return whole[: pair.start(1) - start] + "\\u0" + pair[2] + "0" + pair[3]


def _is_yaml_character(character: str) -> bool:
    return (
        " " <= character <= "~"
        or character in "\t\n\r\x85"
        or "\xa0" <= character <= "\ud7ff"
        or "\ue000" <= character <= "\ufefe"
        or "\uff00" <= character <= "\ufffd"
        or character >= "\U00010000"
    )


def explain_yaml_error(error: "yaml.MarkedYAMLError", text: Text, opened: int | None) -> tuple[int, str, str]:
    """Offset, message and remedy for an error of PyYAML; `opened` is the offset of the innermost open bracket."""
    offset = error.problem_mark.index if error.problem_mark else 0
    problem, context = error.problem or "", error.context or ""
    if "cannot start any token" in problem:
        return _explain_bad_start(offset, text)
    if opened is not None and "flow" in context and (hidden := _explain_hidden_end(text, opened)):
        return hidden
    if offset >= len(text.content) and "flow" in context and opened is not None:
        return opened, f"this `{text.content[opened]}` is never closed", ""
    if unclosed := _explain_unclosed_bracket(error, text, opened):
        return unclosed
    if "unexpected ':'" in problem and text.content[offset : offset + 1] == ":":
        return offset, _GLUED_COLON_MESSAGE, "write a space there"
    if (stray := text.content[offset : offset + 1]) in {"]", "}"} and "expected key" in problem:
        return offset, f"this `{stray}` closes nothing", "leave it out"
    if bare := _explain_missing_colon(error, text):
        return bare
    if beside := _explain_side_by_side(error, text):
        return beside
    if "mapping values are not allowed" in problem and (second := _explain_second_colon(offset, text)):
        return second
    for pattern, message, remedy in _YAML_ERRORS:
        if re.search(pattern, problem):
            at = error.context_mark.index if "quotes never ends" in message and error.context_mark else offset
            return at, message, remedy
    return offset, "this cannot be read as YAML or JSON", ""


def _explain_hidden_end(text: Text, opened: int) -> tuple[int, str, str] | None:
    """A number such as the one of `block 5 #1` that makes a comment of the rest of its line, with the closing bracket."""
    end = text.content.find("\n", opened)
    found = _HIDING_NUMBER_PATTERN.search(text.content, opened, end if end >= 0 else len(text.content))
    if found is None:
        return None
    item = found["item"].strip()
    return found.start("sign"), "from `#` on, this line is a comment", f'put quotes around it: `"{item}"`'


def _explain_second_colon(offset: int, text: Text) -> tuple[int, str, str] | None:
    """A colon inside the value of a line, as in `run: attack(side: red)`."""
    line = text.content[text.content.rfind("\n", 0, offset) + 1 :].partition("\n")[0].partition(" #")[0]
    pair = _KEY_AND_TEXT_PATTERN.fullmatch(line.rstrip())
    if pair is None:
        return None
    key, value = pair["key"], pair["text"]
    remedy = f'put the text in quotes: `{key}: "{value}"`'
    if value.endswith(":"):
        remedy = f"put `{value}` on a line of its own below, indented"
    elif _INNER_PAIR_PATTERN.fullmatch(value):
        remedy += f"; if it is a key of its own, braces: `{key}: {{{value}}}`"
    return offset, "there is a second `:` in this line", remedy


def _explain_unclosed_bracket(
    error: "yaml.MarkedYAMLError", text: Text, opened: int | None
) -> tuple[int, str, str] | None:
    """A bracket that is still open where a key begins that is indented no further than the line of the bracket."""
    if opened is None or error.problem_mark is None or "',' or '" not in (error.problem or ""):
        return None
    lines, number = text.content.splitlines(keepends=True), text.get_position(opened).line - 1
    following = range(number + 1, min(error.problem_mark.line + 1, len(lines)))
    outside = [at for at in following if lines[at].strip() and _count_indent(lines[at]) <= _count_indent(lines[number])]
    if not outside or ":" not in lines[outside[0]]:
        return None
    bracket = text.content[opened]
    return (
        opened,
        f"this `{bracket}` is never closed",
        f"write `{'}' if bracket == '{' else ']'}` at the end of this line",
    )


def _explain_missing_colon(error: "yaml.MarkedYAMLError", text: Text) -> tuple[int, str, str] | None:
    problem, lines = error.problem or "", text.content.splitlines(keepends=True)
    if "could not find expected ':'" in problem and error.context_mark:
        at, number = error.context_mark.index, error.context_mark.line
        if glued := _GLUED_BRACKET_PATTERN.match(lines[number]):
            return at, _GLUED_COLON_MESSAGE, f"write `{glued['key']}: {glued['bracket']}`"
        remedy = "put `:` at its end" if _is_block_key(lines[number:]) else "a list item begins with `- `"
        return at, _NO_COLON_MESSAGE, remedy
    number = error.problem_mark.line - 1 if error.problem_mark else 0
    if "mapping values are not allowed" not in problem:
        return None
    if number > 0 and lines[number - 1].rstrip().endswith(":") and _is_block_key(lines[number:]):
        at = sum(len(line) for line in lines[:number]) + _count_indent(lines[number])
        return at, _NO_COLON_MESSAGE, "put `:` at its end"
    return _explain_key_line(lines, number)


def _explain_key_line(lines: Sequence[str], number: int) -> tuple[int, str, str] | None:
    if not 0 <= number < len(lines) - 1 or _count_indent(lines[number]) != _count_indent(lines[number + 1]):
        return None
    at = sum(len(line) for line in lines[:number]) + _count_indent(lines[number])
    match_ = _GLUED_COLON_PATTERN.match(lines[number])
    if match_ is not None:
        return at, _GLUED_COLON_MESSAGE, f"write `{match_['key']}: {match_['value']}`"
    key = _MISSING_COLON_PATTERN.match(lines[number])
    return None if key is None else (at, _NO_COLON_MESSAGE, f"write `{key['key']}: {key['value']}`")


def _explain_side_by_side(error: "yaml.MarkedYAMLError", text: Text) -> tuple[int, str, str] | None:
    if "mapping values are not allowed" not in (error.problem or "") or error.problem_mark is None:
        return None
    number = error.problem_mark.line
    lines = text.content.splitlines(keepends=True)
    match_ = _SIDE_BY_SIDE_PATTERN.match(lines[number]) if number < len(lines) else None
    if match_ is None:
        return None
    at = sum(len(line) for line in lines[:number]) + match_.start("values")
    return at, "several values of one key need `[ ]`", f"write `{match_['key']} [{match_['values']}]`"


def _is_block_key(lines: Sequence[str]) -> bool:
    below = next((line for line in lines[1:] if line.strip()), "")
    return _count_indent(below) > _count_indent(lines[0]) and _KEY_PATTERN.fullmatch(lines[0].strip()) is not None


def _count_indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _explain_bad_start(offset: int, text: Text) -> tuple[int, str, str]:
    character = text.content[offset : offset + 1]
    if character == "\t":
        return offset, "there is a tab where only spaces may be", _SPACES_REMEDY
    return offset, f"a value cannot begin with `{character}`", f'put it in quotes: `"{character}…"`'


def parse_yaml(text: Text, most: int = MAX_DOCUMENT_NODES) -> ReadResult[DocumentNode]:
    """The single document of a text, with `most` values at most.

    Reports RW0701 (a character that is not allowed in a text), RW0702 (a limit), RW0703 (YAML syntax), RW0704 (a
    duplicate key), RW0705 (tags, several documents and other unsupported features) and RW0706 (an empty text). Stops at
    the first error, except for duplicate keys: what follows it would be guessed.
    """
    try:
        _check_characters(text)
        reader = _YamlReader(text, most)
        node = reader.read_document()
    except _RefusedDocument as refused:
        return ReadResult(None, (refused.diagnostic,))
    return ReadResult(None if reader.duplicate_keys else node, tuple(reader.duplicate_keys))


class _RefusedDocument(Exception):  # noqa: N818
    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def _yaml_error(code: str, span: Span, message: str, remedy: str, pointer: str | None) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, Label(span), help=remedy, pointer=pointer)


def _check_characters(text: Text) -> None:
    if len(text.content) > MAX_TEXT_CHARS:
        message = f"the text is longer than {MAX_TEXT_CHARS:,} characters"
        raise _RefusedDocument(_yaml_error("RW0702", Span(text.name, 0, 0), message, "", None))
    number = min((text.content.index(item) for item in set(text.content) if not _is_yaml_character(item)), default=None)
    if number is not None:
        message = f"the character U+{ord(text.content[number]):04X} is not allowed in a text"
        raise _RefusedDocument(_yaml_error("RW0701", Span(text.name, number, number + 1), message, "take it out", None))


@dataclass(eq=False, repr=False)
class _OpenCollection:
    start: int
    pointer: str
    is_flow: bool
    is_map: bool
    anchor: str | None
    items: list[DocumentNode] = field(default_factory=list)
    entries: dict[str, tuple[MapKey, DocumentNode]] = field(default_factory=dict)
    key: MapKey | None = None


class _YamlReader:
    def __init__(self, text: Text, most: int) -> None:
        self.text = text
        self._max_nodes = most
        self._parsed, self._pair_count = _SURROGATE_PAIR_PATTERN.subn(_replace_surrogate_pair, text.content)
        self.duplicate_keys: list[Diagnostic] = []
        self._stack: list[_OpenCollection] = []
        self._anchors: dict[str, DocumentNode] = {}
        self._root: DocumentNode | None = None
        self._node_count = 0
        self._last_text: Span | None = None  # the last scalar

    def read_document(self) -> DocumentNode:
        for event in self._parse_events():
            self._take_event(event)
        if self._root is None:
            raise _RefusedDocument(
                _yaml_error("RW0706", Span(self.text.name, 0, 0), "there is nothing in this text", _EMPTY_REMEDY, "")
            )
        return self._root

    def _parse_events(self) -> "Iterator[yaml.Event]":
        import yaml  # noqa: PLC0415

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            yield from yaml.parse(self._parsed, Loader=loader)
        except yaml.MarkedYAMLError as error:
            if "nesting depth" in (error.problem or ""):  # PyYAML 6.0.4 and later have a limit of their own
                at = error.problem_mark.index if error.problem_mark else 0
                self._raise_refusal("RW0702", Span(self.text.name, at, at + 1), _TOO_DEEP_MESSAGE)
            if self._last_text and error.problem_mark and "',' or '" in (error.problem or ""):
                between = self.text.content[self._last_text.end : error.problem_mark.index]
                if not between.strip():
                    self._check_quotes(self._last_text)
            opened = [open_collection.start for open_collection in self._stack if open_collection.is_flow]
            offset, message, remedy = explain_yaml_error(error, self.text, opened[-1] if opened else None)
            end = min(offset + 1, len(self.text.content))
            self._raise_refusal("RW0703", Span(self.text.name, offset, end), message, remedy)

    def _take_event(self, event: Any) -> None:
        match type(event).__name__:
            case "ScalarEvent":
                self._take_scalar(event)
            case "SequenceStartEvent" | "MappingStartEvent":
                self._open_collection(event)
            case "SequenceEndEvent" | "MappingEndEvent":
                self._close_collection(event.end_mark.index)
            case "AliasEvent":
                self._take_alias(event)
            case "DocumentStartEvent":
                self._begin_document(event)

    def _begin_document(self, event: Any) -> None:
        if self._root is not None:
            self._raise_refusal(
                "RW0705", self._event_span(event), "a second document begins here", "one text holds one document"
            )
        if event.tags:
            self._raise_refusal("RW0705", self._event_span(event), "`%TAG` lines are not read", "leave it out")

    def _take_scalar(self, event: Any) -> None:
        span = self._event_span(event)
        self._check_tag(event, span)
        self._last_text = span if event.style in {'"', "'"} else None
        written = self._scalar_text(event, span)
        plain = event.style in (None, "")
        if plain and _NO_BREAK_SPACE_PATTERN.search(written):
            at = self.text.content.index("\xa0", span.start)
            message, remedy = "there is a no-break space where only spaces may be", "write a plain space"
            self._raise_refusal("RW0703", Span(span.source, at, at + 1), message, remedy)
        if self._take_key(written, span):
            return
        if plain and not written:
            self._check_colon()
        try:
            value = parse_plain_scalar(written) if plain else written
        except OverflowError:
            self._raise_refusal("RW0702", span, f"this number has more than {MAX_NUMBER_DIGITS} digits")
        if event.style == "|":
            self._add_node(
                BlockScalar(value, written, span, self._current_pointer(), self._block_line_starts(span, written)),
                event.anchor,
            )
        else:
            self._add_node(ScalarNode(value, written, span, self._current_pointer()), event.anchor)

    def _check_colon(self) -> None:
        """Refuses an entry of several words without a colon in braces, which would be a key without a value."""
        key = self._stack[-1].key if self._stack and self._stack[-1].is_flow else None
        if key is None or self.text.content[key.span.end :].lstrip()[:1] == ":":
            return
        self._check_quotes(key.span)
        if glued := _GLUED_COLON_PATTERN.fullmatch(key.text):
            self._raise_refusal("RW0703", key.span, _GLUED_COLON_MESSAGE, f"write `{glued['key']}: {glued['value']}`")
        if key.text.count("(") > key.text.count(")"):
            whole = re.match(r"[^\n:{}\"']*\)[^\n:{}\"']*", self.text.content[key.span.start :])
            remedy = f'write `"{whole[0].strip()}"`' if whole else "put quotes around it"
            self._raise_refusal("RW0703", key.span, "a key with a comma in it stands in quotes", remedy)
        if " " not in key.text:
            return
        first, *others = key.text.replace(" = ", " ").split()
        remedy = f"write `{first}: {others[0]}`" if len(others) == 1 else "put `:` between its key and its value"
        self._raise_refusal("RW0703", key.span, "this entry has no `:` after its key", remedy)

    def _check_quotes(self, span: Span) -> None:
        """Refuses a text in quotes that goes on in the next line, where something is amiss behind it."""
        quote, text = self.text.content[span.start], self.text.content[span.start : span.end]
        if quote in "\"'" and "\n" in text:
            self._stack[-1].key = None
            start = Span(span.source, span.start, span.start + 1)
            remedy = f"close it with `{quote}` where it ends"
            self._raise_refusal("RW0703", start, "this text in quotes does not end on its line", remedy)

    def _block_line_starts(self, span: Span, written: str) -> tuple[int, ...]:
        content, starts = self.text.content, list[int]()
        at = content.find("\n", span.start) + 1
        for line in written.split("\n"):
            end = content.find("\n", at)
            raw = content[at : end if end >= 0 else len(content)].rstrip("\r")
            starts.append(at + len(raw) - len(line) if raw.endswith(line) else at)
            at = end + 1 if end >= 0 else len(content)
        return tuple(starts)

    def _scalar_text(self, event: Any, span: Span) -> str:
        written: str = event.value
        fragment = self.text.content[span.start : span.end] if self._pair_count else ""
        pair = _SURROGATE_PAIR_PATTERN.search(fragment)
        if pair is None:
            return written
        if event.style != '"':
            pairs = (match[0] for match in _REPLACED_PAIR_PATTERN.finditer(fragment))
            return _REPLACED_PAIR_PATTERN.sub(lambda _: next(pairs), written)
        try:
            return str(json.loads(fragment))
        except ValueError:
            start = span.start + pair.end(1)
            self._raise_refusal("RW0703", Span(span.source, start, start + 1), *_SURROGATE_MESSAGE)
            raise

    def _open_collection(self, event: Any) -> None:
        span = self._event_span(event)
        self._check_tag(event, span)
        if self._awaits_key():
            self._raise_refusal(
                "RW0705", span, "a key is a text, not a list or mapping", 'put it in quotes: `"2,-1": …`'
            )
        if len(self._stack) >= MAX_NESTING:
            self._raise_refusal("RW0702", span, _TOO_DEEP_MESSAGE)
        mapping = type(event).__name__ == "MappingStartEvent"
        self._stack.append(
            _OpenCollection(span.start, self._current_pointer(), event.flow_style, mapping, event.anchor)
        )

    def _close_collection(self, end: int) -> None:
        collection = self._stack.pop()
        span = self._collection_span(collection, end)
        node: DocumentNode
        if collection.is_map:
            merged = self._merge_entries(collection.entries.pop(MERGE_KEY, None))
            node = MapNode(tuple((merged | collection.entries).values()), span, collection.pointer)
        else:
            node = ListNode(tuple(collection.items), span, collection.pointer)
        self._add_node(node, collection.anchor)

    def _merge_entries(self, given: tuple[MapKey, DocumentNode] | None) -> dict[str, tuple[MapKey, DocumentNode]]:
        if given is None:
            return {}
        below = given[1].items if isinstance(given[1], ListNode) else (given[1],)
        mappings = [map_node for map_node in below if isinstance(map_node, MapNode)]
        if len(mappings) < len(below):
            self._raise_refusal(
                "RW0705", given[1].span, "`<<` takes a mapping, or a list of them", "name one: `<<: *name`"
            )
        return {key.text: (key, node) for mapping in reversed(mappings) for key, node in mapping}

    def _collection_span(self, collection: _OpenCollection, end: int) -> Span:
        if not collection.is_flow:
            newline = self.text.content.find("\n", collection.start)
            end = newline if newline >= 0 else len(self.text.content)
        return Span(self.text.name, collection.start, end)

    def _take_alias(self, event: Any) -> None:
        span = self._event_span(event)
        if self._awaits_key() or event.anchor not in self._anchors:
            remedy = f'if it is a text, put it in quotes: `"*{event.anchor}"`'
            self._raise_refusal("RW0705", span, f"`*{event.anchor}` repeats nothing written before", remedy)
        self._add_node(self._copy_node(self._anchors[event.anchor], self._current_pointer(), span), None)

    def _copy_node(self, node: DocumentNode, pointer: str, span: Span) -> DocumentNode:
        self._count_node(span)
        if pointer.count("/") > MAX_NESTING:
            self._raise_refusal("RW0702", span, _TOO_DEEP_MESSAGE)
        match node:
            case ScalarNode(value, written):
                return ScalarNode(value, written, span, pointer)
            case ListNode(items):
                copies = (
                    self._copy_node(item, child_pointer(pointer, number), span) for number, item in enumerate(items)
                )
                return ListNode(tuple(copies), span, pointer)
            case MapNode(entries):
                pairs = (self._copy_entry(key, value, pointer, span) for key, value in entries)
                return MapNode(tuple(pairs), span, pointer)

    def _copy_entry(self, key: MapKey, value: DocumentNode, pointer: str, span: Span) -> tuple[MapKey, DocumentNode]:
        below = child_pointer(pointer, key.text)
        return MapKey(key.text, span, below), self._copy_node(value, below, span)

    def _awaits_key(self) -> bool:
        return bool(self._stack) and self._stack[-1].is_map and self._stack[-1].key is None

    def _take_key(self, written: str, span: Span) -> bool:
        if not self._awaits_key():
            return False
        inside = self._stack[-1]
        if not written and self.text.content[span.start : span.start + 1] not in "\"'":
            self._raise_refusal("RW0703", span, "this `:` has no key before it", "write the key, without `&` or `*`")
        if not inside.is_flow and (glued := _GLUED_BRACKET_PATTERN.match(written)):
            remedy = f"write `{glued['key']}: {glued['bracket']}`"
            self._raise_refusal("RW0703", span, _GLUED_COLON_MESSAGE, remedy)
        inside.key = MapKey(written, span, child_pointer(inside.pointer, written))
        if written in inside.entries:
            first = inside.entries[written][0]
            self.duplicate_keys.append(
                Diagnostic(
                    "RW0704",
                    Severity.ERROR,
                    f"the key `{written}` is given twice",
                    Label(span),
                    (Label(first.span, "first here"),),
                    help="keep one of them",
                    pointer=inside.key.pointer,
                )
            )
        return True

    def _current_pointer(self) -> str:
        if not self._stack:
            return ""
        inside = self._stack[-1]
        if inside.is_map:
            return inside.key.pointer if inside.key else inside.pointer
        return child_pointer(inside.pointer, len(inside.items))

    def _add_node(self, node: DocumentNode, anchor: str | None) -> None:
        self._count_node(node.span)
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._stack:
            self._root = node
            return
        inside = self._stack[-1]
        if inside.key is None:
            inside.items.append(node)
        else:
            inside.entries[inside.key.text] = (inside.key, node)
            inside.key = None

    def _count_node(self, span: Span) -> None:
        self._node_count += 1
        if self._node_count > self._max_nodes:
            self._raise_refusal("RW0702", span, f"the text holds more than {self._max_nodes:,} values")

    def _check_tag(self, event: Any, span: Span) -> None:
        if event.tag is not None and event.tag != "!":
            start = Span(span.source, span.start, span.start + 1)
            self._raise_refusal("RW0705", start, "tags such as `!!str` are not read", 'put a text in quotes: `"no"`')

    def _event_span(self, event: Any) -> Span:
        return Span(self.text.name, event.start_mark.index, event.end_mark.index)

    def _raise_refusal(self, code: str, span: Span, message: str, remedy: str = "") -> "Any":
        raise _RefusedDocument(_yaml_error(code, span, message, remedy, self._current_pointer()))
