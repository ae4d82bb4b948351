"""What may stand at a cursor: what the grammar takes there, and the names that are in sight, with their types."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from rulewright.analysis.facts import Exhausted
from rulewright.analysis.infer import fresh
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Scope
from rulewright.analysis.symbols import Module
from rulewright.editing.desk import Open
from rulewright.editing.places import chunks
from rulewright.program.declarations import Declared, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import Type
from rulewright.resources import folder
from rulewright.source import Text
from rulewright.syntax.engine import Reading, engine
from rulewright.syntax.layout import ScannedLine, scan
from rulewright.syntax.parser import parse

_NOWHERE = "\x01"
"""A character that fits nowhere: where it stands the parser says what would have fitted."""

_MOST_LEFT_OUT = 8
_WORD = re.compile(r"(?:@[\w.:\-]*|\w*)\Z")
_STEP = re.compile(r"[\w.\-]*\Z")
_VARIED = re.compile(r"\\b\(?([a-z|]+)\)?\\b|([a-z]+(?:\[ \t\]\+[a-z]+)+)\\b")
_EACH = frozenset({"each", "some", "no", "the", "every"})
"""What stands before a name that goes through a collection."""
_AFTER, _HERE, _BLOCK = "after", "here", "block"
"""Where a name reaches: to the lines after its own, to its own line too, or to its line and what stands under it."""
_ROW = re.compile(r"\| `(?P<label>(?P<name>\w+)\(.*?\))` \| (?P<gives>.+?) \| (?P<meaning>.+?) \| `.+` \|")


@dataclass(frozen=True)
class Cursor:
    """A place in a text of rules."""

    opened: Open
    offset: int

    @cached_property
    def content(self) -> str:
        """All of the text."""
        return self.opened.live.text.content

    @cached_property
    def start(self) -> int:
        """Where the declaration around begins."""
        at = 0
        for each in chunks(self.content):
            if at + len(each) > self.offset:
                return at
            at += len(each)
        return at if self.content[:at].endswith("\n") else at - len(chunks(self.content)[-1])

    @cached_property
    def chunk(self) -> str:
        """The declaration around, to its end."""
        return next(iter(chunks(self.content[self.start :])), "")

    @cached_property
    def written(self) -> str:
        """The beginning of a word that stands before the cursor."""
        line = self.content[self.content.rfind("\n", 0, self.offset) + 1 : self.offset]
        is_step = re.search(r"\b(?:proceed to|steps|to) [\w.\-]*\Z", line) and "STEP" in self._taken(
            self.offset - len(_found(_STEP, line))
        )
        return _found(_STEP if is_step else _WORD, line)

    @property
    def word_start(self) -> int:
        """Where that word begins."""
        return self.offset - len(self.written)

    @cached_property
    def line(self) -> str:
        """What stands on the line before that word."""
        return self.content[self.content.rfind("\n", 0, self.word_start) + 1 : self.word_start]

    @property
    def is_in_words(self) -> bool:
        """Whether the place is inside a text in quotes, or in a comment."""
        blanked = re.sub(r'"[^"\n]*"', "", self.line)
        return '"' in blanked or "#" in blanked

    @cached_property
    def taken(self) -> frozenset[str]:
        """The terminals of the grammar that may stand where the word begins; none where that cannot be told."""
        return self._taken(self.word_start)

    def _taken(self, at: int) -> frozenset[str]:
        above = self.content[self.start : at]
        for _ in range(_MOST_LEFT_OUT):
            found = engine().read(above + _NOWHERE)
            if isinstance(found, Reading):
                return frozenset()
            if found.start >= len(above):
                return found.accepted
            less = _left_out(above, found.start)
            if less is None:
                return frozenset()
            above = less
        return frozenset()

    @property
    def module(self) -> Module | None:
        """The module that the text belongs to."""
        linked = self.opened.best.loaded.linked or self.opened.now.loaded.linked
        if linked is None:
            return None
        return next((each for each in linked.modules if self.opened.name in each.sources), linked.main)

    @cached_property
    def declared(self) -> tuple[str, ...]:
        """How the program may call what is around: its name, and that of the derived attribute of a kind."""
        words = [
            each
            for each in re.findall(r"[\w.]+", self.chunk.partition("\n")[0])
            if each not in {"inner", "external", "replace"}
        ]
        amended = re.match(r"(?:replace|insert|remove)\b[^/\n]*?(\w+)/", self.chunk)
        if amended is not None:
            return (amended[1],)
        prefix = self.module.prefix if self.module is not None else ""
        if len(words) < 2:  # noqa: PLR2004 - a word of the language and a name
            return ("game",) if words[:1] == ["game"] else ()
        inside = re.match(r"\s+(\w+)", self.line or self.content[self.word_start :])
        name = prefix + words[1]
        return (name, f"{name}/{inside[1]}") if inside and words[0] in {"kind", "record"} else (name,)

    @cached_property
    def variables(self) -> Mapping[str, Variable]:
        """What is known of the names that the declaration around has for itself, in sight or not."""
        return {each.name: each for each in _variables(self.opened.program, self.declared)}

    @cached_property
    def names(self) -> Mapping[str, Variable | None]:
        """The names that the declaration around has for itself and that are in sight here, by what is known of each."""
        known = self.variables
        bound, hidden = _bound(self.chunk, self.word_start - self.start, self._watched)
        everywhere = {name: each for name, each in known.items() if name not in hidden and name not in bound}
        return {**everywhere, **{name: known.get(name) for name in bound}}

    def _watched(self, event: str) -> tuple[str, ...]:
        """The names that a `watch` of an event brings."""
        found = self.opened.program.events.get(event) if self.opened.program is not None else None
        return tuple(each.name for each in found.parameters) if found is not None else ()

    @cached_property
    def scope(self) -> Scope | None:
        """Where names can be looked up here; none where nothing was ever checked."""
        known = self.opened.best.loaded
        if known.earlier is None or known.linked is None or self.module is None:
            return None
        scope = fresh(known.linked, self.module, known.earlier.shapes, Report())
        own = [each for each in self.names.values() if each is not None]
        scope = replace(scope.binding(*own), owner=self.declared[0] if len(self.declared) > 1 else "")
        for name in [name for name, each in self.names.items() if each is None]:
            type_ = self._given(name, scope)
            scope = scope if type_ is None else scope.binding(Variable(name, len(scope.locals), type_))
        return scope

    def _given(self, name: str, scope: Scope) -> Type | None:
        """The type of a name that was written since the last check, by what it is given or goes through."""
        above = self.content[self.start : self.word_start]
        through = re.findall(rf"\b(?:each|some|no|the|every|for) {name} in ([\w.]+(?:\([^()]*\))?)", above)
        given = re.findall(rf"\blet {name} = ([^\n@\"#]+)", above)
        for written in through[-1:] or given[-1:]:
            found = _inferred(written, scope)
            return None if found is None else getattr(found.type, "item", None) if through else found.type
        return None

    def typed(self, written: str) -> Expression | None:
        """What is written as an expression, as it would be read here; none where it has no meaning."""
        return None if self.scope is None else _inferred(written, self.scope)

    def type(self, written: str) -> Type | None:
        """The type of what is written as an expression."""
        found = self.typed(written)
        return None if found is None else found.type


def _inferred(written: str, scope: Scope) -> Expression | None:
    said = parse(Text("", f"term written gives flag means {written}\n"))
    value = getattr(said.file.declarations[0], "value", None) if said.file and said.file.declarations else None
    if value is None or said.diagnostics:
        return None
    try:
        return scope.infer(value)
    except (Exhausted, RecursionError, KeyError):
        return None


def _found(pattern: re.Pattern[str], line: str) -> str:
    found = pattern.search(line)
    return found[0] if found else ""


def _left_out(above: str, at: int) -> str | None:
    """A text with a line that could not be read in the place of the one at an offset; none for the last line."""
    first = above.rfind("\n", 0, max(at, 1)) + 1
    if at < len(above) and above[at : at + 1] == "\n":
        first = above.rfind("\n", 0, at) + 1
    last = above.find("\n", first)
    line = above[first:last]
    if first == 0 or last < 0 or not line.strip():
        return None
    indent = len(line) - len(line.lstrip())
    below = next((each for each in above[last + 1 :].split("\n") if each.strip()), "")
    opens = ":" if len(below) - len(below.lstrip()) > indent else ""
    return f"{above[:first]}{' ' * indent}\0{opens}{above[last:]}"


def _variables(program: Program | None, names: tuple[str, ...]) -> Iterator[Variable]:
    """The variables of declarations of a program."""
    if program is None:
        return
    groups: tuple[Mapping[str, Declared], ...] = (
        program.procedures, program.handlers, program.rules, program.functions, program.measures, program.invariants,
        program.events, program.relations, program.external_procedures, program.external_terms,
    )  # fmt: skip
    for name in names:
        for group in groups:
            if name in group:
                yield from getattr(group[name], "parameters", ())
                yield from getattr(group[name], "variables", ())
                binding = getattr(group[name], "binding", None)
                yield from (each for each in (binding.variables if binding is not None else ()) if each is not None)


Watched = Callable[[str], tuple[str, ...]]


def _bound(chunk: str, at: int, watched: Watched) -> tuple[dict[str, None], set[str]]:
    """The names that a declaration binds: those in sight at an offset of it, and those bound elsewhere in it."""
    lines = scan(chunk)
    begun = chunk[chunk.rfind("\n", 0, at) + 1 : at]
    above = [line for line in lines if line.start < at]
    here = None if not begun.strip() else len(above) - 1
    levels = [*(line.indent for line in above), *([len(begun)] if here is None else [])]
    found, every = dict[str, None](), set[str]()
    for number, line in enumerate(lines):
        for name, start, reach in _binders(line, number, watched):
            every.add(name)
            inside = reach != _AFTER if number == here else reach != _BLOCK
            if number != here and reach == _BLOCK:
                inside = min(levels[number + 1 :], default=0) > line.indent
            if start < at and inside:
                found[name] = None
    return found, every - set(found)


def _binders(line: ScannedLine, number: int, watched: Watched) -> Iterator[tuple[str, int, str]]:
    """The names that a line binds, with their places, and where they reach."""
    words = [(each.text, each.start) for each in line.words]
    texts = [text for text, _ in words]
    verb = line.verb.text
    if number == 0 and "(" in texts:
        for at, (text, start) in enumerate(words[:-1]):
            if words[at + 1][0] == ":" and words[at - 1][0] in {"(", ","}:
                yield text, start, _BLOCK
    if verb == "watch" and len(words) > 1:
        yield from ((name, line.start, _BLOCK) for name in watched(texts[1]))
    for at, (text, start) in enumerate(words[1:], 1):
        before = texts[at - 1]
        if before in {"let", "whether", "choose", "as"} or (before == verb and verb in {"tally", "decide"} and number):
            if text.isidentifier():
                yield text, start, _AFTER
        elif before in _EACH or (before == "for" and verb == "ask"):
            names = words[at + 1 : texts.index(")", at)] if text == "(" and ")" in texts[at:] else [(text, start)]
            reach = _BLOCK if before in _EACH else _HERE
            yield from ((name, place, reach) for name, place in names if name.isidentifier())


@cache
def literals() -> Mapping[str, tuple[str, ...]]:
    """The words of the language by the terminal of the grammar that they are."""
    return {name: tuple(_words(pattern)) for name, pattern in engine().terminals.items()}


def _words(pattern: str) -> Iterator[str]:
    if pattern.isalpha():
        yield pattern
        return
    for found in _VARIED.finditer(pattern):
        yield from (each.replace("[ \t]+", " ") for each in (found[1] or found[2]).split("|"))


@dataclass(frozen=True)
class LanguageFunction:
    """A function of the language, as the manual lists it."""

    name: str
    label: str  # `floor(n: fraction)`
    gives: str
    meaning: str


@cache
def language_functions() -> Mapping[str, LanguageFunction]:
    """The functions of the language by name; each as it is listed first."""
    listed = (folder("grammar") / "manual" / "functions.md").read_text(encoding="utf-8")
    found: dict[str, LanguageFunction] = {}
    for row in _ROW.finditer(listed):
        found.setdefault(row["name"], LanguageFunction(row["name"], row["label"], row["gives"], row["meaning"]))
    return found
