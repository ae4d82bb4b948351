"""YAML 1.2 and JSON texts as nodes with places.

Reads the events of PyYAML's parser (in C where it is built so), never its objects: scalars, doubled keys, limits
and what is refused are decided here. Nothing recursive runs before the depth of the text is known.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.inputs.findings import Read
from rulewright.inputs.nodes import LONGEST_NUMBER, Block, Items, Key, Mapping, Node, Scalar, child_pointer, resolve
from rulewright.source import Span, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

_SPACES = "use spaces, two for each level"
_NO_COLON = "this line has no `:` after its key"
_KEY = re.compile(r"\w[^:#'\"\[\]{},&*]*")
_SIDE_BY_SIDE = re.compile(r"\s*(?:- )?(?P<key>[^\s#:]+:)\s+(?P<values>[^\s\[{\"'#][^#\[{]*,\s*\{[^{}]*\})\s*$")
_GLUED = re.compile(r"\s*(?P<key>[\w.-]+):(?P<value>\S[^:]*?)\s*$")
_HARD_SPACE = re.compile("^\xa0|:\xa0|\xa0$")
"""Where a no-break space was meant to be a space; inside of a text it is one of its letters."""
_UNMARKED = re.compile(r"\s*(?P<key>[\w.-]+) (?P<value>[^:#]+?)\s*$")
_HALVES = ("this `\\u` escape is not a whole character", "write the character itself")
_PAIR = re.compile(r"(?<!\\)(?:\\\\)*(\\u)[dD]([89abAB]\w\w\\u)[dD]([c-fC-F]\w\w)")
"""Two escapes that are one character together, as JSON has them and YAML has not."""
_LIKE_PAIRS = re.compile(_PAIR.pattern.replace("[dD]", "[0dD]"))
_CAUSES: tuple[tuple[str, str, str], ...] = (
    ("mapping values are not allowed", "there is a second `:` here, or this line is indented too far", ""),
    ("unknown escape", "this `\\` means nothing in a text in double quotes", "write `\\\\` for the character itself"),
    ("Unicode character escape", *_HALVES),
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
LARGEST_TEXT = 8_000_000
MOST_NODES = 100_000
DEEPEST = 64
MERGE = "<<"
_TOO_DEEP = f"lists and mappings are nested more than {DEEPEST} deep"
_EMPTY = "write what belongs here, or name another file"


def _standing_in(pair: re.Match[str]) -> str:
    """Escapes of the same length that YAML has."""
    whole, start = pair[0], pair.start()
    return whole[: pair.start(1) - start] + "\\u0" + pair[2] + "0" + pair[3]


def _is_allowed(character: str) -> bool:
    """The printable characters of YAML 1.2 without the byte order mark."""
    return (
        " " <= character <= "~"
        or character in "\t\n\r\x85"
        or "\xa0" <= character <= "\ud7ff"
        or "\ue000" <= character <= "\ufefe"
        or "\uff00" <= character <= "\ufffd"
        or character >= "\U00010000"
    )


def explain(error: "yaml.MarkedYAMLError", text: Text, opened: int | None) -> tuple[int, str, str]:
    """The offset, the message and the remedy for an error of PyYAML, inside the bracket opened at an offset."""
    offset = error.problem_mark.index if error.problem_mark else 0
    problem, context = error.problem or "", error.context or ""
    if "cannot start any token" in problem:
        return _bad_start(offset, text)
    if offset >= len(text.content) and "flow" in context and opened is not None:
        return opened, f"this `{text.content[opened]}` is never closed", ""
    if bare := _bare_key(error, text):
        return bare
    if beside := _mapping_beside(error, text):
        return beside
    for pattern, message, remedy in _CAUSES:
        if re.search(pattern, problem):
            at = error.context_mark.index if "quotes never ends" in message and error.context_mark else offset
            return at, message, remedy
    return offset, "this cannot be read as YAML or JSON", ""


def _bare_key(error: "yaml.MarkedYAMLError", text: Text) -> tuple[int, str, str] | None:
    """What to say of a key without its `:`, at the line of the key, not at the later one where reading stopped."""
    problem, lines = error.problem or "", text.content.splitlines(keepends=True)
    if "could not find expected ':'" in problem and error.context_mark:
        at, number = error.context_mark.index, error.context_mark.line
        remedy = "put `:` at its end" if _heads(lines[number:]) else "a list item begins with `- `"
        return at, _NO_COLON, remedy
    number = error.problem_mark.line - 1 if error.problem_mark else 0
    if "mapping values are not allowed" not in problem:
        return None
    if number > 0 and lines[number - 1].rstrip().endswith(":") and _heads(lines[number:]):
        at = sum(len(each) for each in lines[:number]) + _indent(lines[number])
        return at, _NO_COLON, "put `:` at its end"
    return _key_and_value(lines, number)


def _key_and_value(lines: Sequence[str], number: int) -> tuple[int, str, str] | None:
    """What to say of a line whose key has no `:`, or no space behind it, so that the key below goes on with it."""
    if not 0 <= number < len(lines) - 1 or _indent(lines[number]) != _indent(lines[number + 1]):
        return None
    at = sum(len(each) for each in lines[:number]) + _indent(lines[number])
    found = _GLUED.match(lines[number])
    if found is not None:
        return at, "a space is missing behind the `:` of this key", f"write `{found['key']}: {found['value']}`"
    key = _UNMARKED.match(lines[number])
    return None if key is None else (at, _NO_COLON, f"write `{key['key']}: {key['value']}`")


def _mapping_beside(error: "yaml.MarkedYAMLError", text: Text) -> tuple[int, str, str] | None:
    """What to say of `key: word, {…}`, where two values stand side by side without brackets."""
    if "mapping values are not allowed" not in (error.problem or "") or error.problem_mark is None:
        return None
    number = error.problem_mark.line
    lines = text.content.splitlines(keepends=True)
    found = _SIDE_BY_SIDE.match(lines[number]) if number < len(lines) else None
    if found is None:
        return None
    at = sum(len(each) for each in lines[:number]) + found.start("values")
    return at, "several values of one key need `[ ]`", f"write `{found['key']} [{found['values']}]`"


def _heads(lines: Sequence[str]) -> bool:
    """Whether the first line is nothing but the words of a key, and the next line stands below it."""
    below = next((each for each in lines[1:] if each.strip()), "")
    return _indent(below) > _indent(lines[0]) and _KEY.fullmatch(lines[0].strip()) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _bad_start(offset: int, text: Text) -> tuple[int, str, str]:
    character = text.content[offset : offset + 1]
    if character == "\t":
        return offset, "there is a tab where only spaces may be", _SPACES
    return offset, f"a value cannot begin with `{character}`", f'put it in quotes: `"{character}…"`'


def read(text: Text, most: int = MOST_NODES) -> Read[Node]:
    """The one document of a text, of so many values at most.

    Reports RW0701 (a character that is not allowed in a text), RW0702 (a limit), RW0703 (spelling of YAML), RW0704
    (a doubled key), RW0705 (tags, several documents and other parts of YAML that are not read) and RW0706 (nothing
    there). Stops at the first cause but for doubled keys, since what follows it would be guessed.
    """
    try:
        _check_text(text)
        reader = _Reader(text, most)
        node = reader.document()
    except _Refused as refused:
        return Read(None, (refused.diagnostic,))
    return Read(None if reader.doubled else node, tuple(reader.doubled))


class _Refused(Exception):  # noqa: N818
    """Carries the one finding that ends the reading."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def _diagnostic(code: str, span: Span, message: str, remedy: str, pointer: str | None) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, Label(span), help=remedy, pointer=pointer)


def _check_text(text: Text) -> None:
    if len(text.content) > LARGEST_TEXT:
        message = f"the text is longer than {LARGEST_TEXT:,} characters"
        raise _Refused(_diagnostic("RW0702", Span(text.name, 0, 0), message, "", None))
    found = min((text.content.index(each) for each in set(text.content) if not _is_allowed(each)), default=None)
    if found is not None:
        message = f"the character U+{ord(text.content[found]):04X} is not allowed in a text"
        raise _Refused(_diagnostic("RW0701", Span(text.name, found, found + 1), message, "take it out", None))


@dataclass(eq=False, repr=False)
class _Open:
    """A list or mapping being read; in a mapping the key is set while its value is awaited."""

    start: int
    pointer: str
    flow: bool
    mapping: bool
    anchor: str | None
    items: list[Node] = field(default_factory=list)
    entries: dict[str, tuple[Key, Node]] = field(default_factory=dict)
    key: Key | None = None


class _Reader:
    """Builds nodes from events, with a stack of its own."""

    def __init__(self, text: Text, most: int) -> None:
        self.text = text
        self._most = most
        self._parsed, self._pairs = _PAIR.subn(_standing_in, text.content)
        self.doubled: list[Diagnostic] = []
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._root: Node | None = None
        self._nodes = 0

    def document(self) -> Node:
        for event in self._events():
            self._take(event)
        if self._root is None:
            raise _Refused(
                _diagnostic("RW0706", Span(self.text.name, 0, 0), "there is nothing in this text", _EMPTY, "")
            )
        return self._root

    def _events(self) -> "Iterator[yaml.Event]":
        import yaml  # noqa: PLC0415

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            yield from yaml.parse(self._parsed, Loader=loader)
        except yaml.MarkedYAMLError as error:
            if "nesting depth" in (error.problem or ""):  # PyYAML 6.0.4 and later look ahead to a limit of their own
                at = error.problem_mark.index if error.problem_mark else 0
                self._refuse("RW0702", Span(self.text.name, at, at + 1), _TOO_DEEP)
            opened = [each.start for each in self._stack if each.flow]
            offset, message, remedy = explain(error, self.text, opened[-1] if opened else None)
            end = min(offset + 1, len(self.text.content))
            self._refuse("RW0703", Span(self.text.name, offset, end), message, remedy)

    def _take(self, event: Any) -> None:
        match type(event).__name__:
            case "ScalarEvent":
                self._scalar(event)
            case "SequenceStartEvent" | "MappingStartEvent":
                self._open(event)
            case "SequenceEndEvent" | "MappingEndEvent":
                self._close(event.end_mark.index)
            case "AliasEvent":
                self._alias(event)
            case "DocumentStartEvent":
                self._document_start(event)

    def _document_start(self, event: Any) -> None:
        if self._root is not None:
            self._refuse("RW0705", self._span(event), "a second document begins here", "one text holds one document")
        if event.tags:
            self._refuse("RW0705", self._span(event), "`%TAG` lines are not read", "leave it out")

    def _scalar(self, event: Any) -> None:
        span = self._span(event)
        self._check_tag(event, span)
        written = self._written(event, span)
        plain = event.style in (None, "")
        if plain and _HARD_SPACE.search(written):
            at = self.text.content.index("\xa0", span.start)
            message, remedy = "there is a no-break space where only spaces may be", "write a plain space"
            self._refuse("RW0703", Span(span.source, at, at + 1), message, remedy)
        if self._key(written, span):
            return
        try:
            value = resolve(written) if plain else written
        except OverflowError:
            self._refuse("RW0702", span, f"this number has more than {LONGEST_NUMBER} digits")
        if event.style == "|":
            self._place(Block(value, written, span, self._pointer(), self._line_starts(span, written)), event.anchor)
        else:
            self._place(Scalar(value, written, span, self._pointer()), event.anchor)

    def _line_starts(self, span: Span, written: str) -> tuple[int, ...]:
        """Where the lines of a text begin that is kept as it is written: behind their indentation."""
        content, starts = self.text.content, list[int]()
        at = content.find("\n", span.start) + 1
        for line in written.split("\n"):
            end = content.find("\n", at)
            raw = content[at : end if end >= 0 else len(content)].rstrip("\r")
            starts.append(at + len(raw) - len(line) if raw.endswith(line) else at)
            at = end + 1 if end >= 0 else len(content)
        return tuple(starts)

    def _written(self, event: Any, span: Span) -> str:
        """The text of a scalar; what stood in for pairs of escapes is undone."""
        written: str = event.value
        fragment = self.text.content[span.start : span.end] if self._pairs else ""
        pair = _PAIR.search(fragment)
        if pair is None:
            return written
        if event.style != '"':
            pairs = (each[0] for each in _LIKE_PAIRS.finditer(fragment))
            return _LIKE_PAIRS.sub(lambda _: next(pairs), written)
        try:
            return str(json.loads(fragment))
        except ValueError:
            start = span.start + pair.end(1)
            self._refuse("RW0703", Span(span.source, start, start + 1), *_HALVES)
            raise

    def _open(self, event: Any) -> None:
        span = self._span(event)
        self._check_tag(event, span)
        if self._awaits_key():
            self._refuse("RW0705", span, "a key is a text, not a list or mapping", 'put it in quotes: `"2,-1": …`')
        if len(self._stack) >= DEEPEST:
            self._refuse("RW0702", span, _TOO_DEEP)
        mapping = type(event).__name__ == "MappingStartEvent"
        self._stack.append(_Open(span.start, self._pointer(), event.flow_style, mapping, event.anchor))

    def _close(self, end: int) -> None:
        done = self._stack.pop()
        span = self._extent(done, end)
        node: Node
        if done.mapping:
            merged = self._merged(done.entries.pop(MERGE, None))
            node = Mapping(tuple((merged | done.entries).values()), span, done.pointer)
        else:
            node = Items(tuple(done.items), span, done.pointer)
        self._place(node, done.anchor)

    def _merged(self, given: tuple[Key, Node] | None) -> dict[str, tuple[Key, Node]]:
        """The entries of mappings that `<<` names, for what a mapping does not say itself; the first one wins."""
        if given is None:
            return {}
        below = given[1].items if isinstance(given[1], Items) else (given[1],)
        mappings = [each for each in below if isinstance(each, Mapping)]
        if len(mappings) < len(below):
            self._refuse("RW0705", given[1].span, "`<<` takes a mapping, or a list of them", "name one: `<<: *name`")
        return {key.text: (key, node) for each in reversed(mappings) for key, node in each}

    def _extent(self, done: _Open, end: int) -> Span:
        if not done.flow:
            newline = self.text.content.find("\n", done.start)
            end = newline if newline >= 0 else len(self.text.content)
        return Span(self.text.name, done.start, end)

    def _alias(self, event: Any) -> None:
        span = self._span(event)
        if self._awaits_key() or event.anchor not in self._anchors:
            remedy = f'if it is a text, put it in quotes: `"*{event.anchor}"`'
            self._refuse("RW0705", span, f"`*{event.anchor}` repeats nothing written before", remedy)
        self._place(self._copy(self._anchors[event.anchor], self._pointer(), span), None)

    def _copy(self, node: Node, pointer: str, span: Span) -> Node:
        """The node as if written at the alias; its parts count again, so that aliases of aliases stay few."""
        self._count(span)
        if pointer.count("/") > DEEPEST:
            self._refuse("RW0702", span, _TOO_DEEP)
        match node:
            case Scalar(value, written):
                return Scalar(value, written, span, pointer)
            case Items(items):
                copies = (self._copy(each, child_pointer(pointer, number), span) for number, each in enumerate(items))
                return Items(tuple(copies), span, pointer)
            case Mapping(entries):
                pairs = (self._copy_entry(key, value, pointer, span) for key, value in entries)
                return Mapping(tuple(pairs), span, pointer)

    def _copy_entry(self, key: Key, value: Node, pointer: str, span: Span) -> tuple[Key, Node]:
        below = child_pointer(pointer, key.text)
        return Key(key.text, span, below), self._copy(value, below, span)

    def _awaits_key(self) -> bool:
        return bool(self._stack) and self._stack[-1].mapping and self._stack[-1].key is None

    def _key(self, written: str, span: Span) -> bool:
        """Takes a scalar as the key that is awaited, if one is."""
        if not self._awaits_key():
            return False
        inside = self._stack[-1]
        inside.key = Key(written, span, child_pointer(inside.pointer, written))
        if written in inside.entries:
            first = inside.entries[written][0]
            self.doubled.append(
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

    def _pointer(self) -> str:
        if not self._stack:
            return ""
        inside = self._stack[-1]
        if inside.mapping:
            return inside.key.pointer if inside.key else inside.pointer
        return child_pointer(inside.pointer, len(inside.items))

    def _place(self, node: Node, anchor: str | None) -> None:
        self._count(node.span)
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

    def _count(self, span: Span) -> None:
        self._nodes += 1
        if self._nodes > self._most:
            self._refuse("RW0702", span, f"the text holds more than {self._most:,} values")

    def _check_tag(self, event: Any, span: Span) -> None:
        if event.tag is not None and event.tag != "!":
            start = Span(span.source, span.start, span.start + 1)
            self._refuse("RW0705", start, "tags such as `!!str` are not read", 'put a text in quotes: `"no"`')

    def _span(self, event: Any) -> Span:
        return Span(self.text.name, event.start_mark.index, event.end_mark.index)

    def _refuse(self, code: str, span: Span, message: str, remedy: str = "") -> "Any":
        raise _Refused(_diagnostic(code, span, message, remedy, self._pointer()))
