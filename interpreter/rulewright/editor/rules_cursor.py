"""Context of a cursor in rules: terminals that the parser accepts, and visible names with their types."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from rulewright.base.diagnostics import DiagnosticCollector
from rulewright.base.files import get_resource_folder
from rulewright.base.source import Text
from rulewright.checker.facts.fact_store import ProofEffortExhausted
from rulewright.checker.infer.expression_inference import make_declaration_scope
from rulewright.checker.scope import Scope
from rulewright.checker.symbols import LinkedModule
from rulewright.editor.editor_workspace import OpenDocument
from rulewright.editor.live_text import split_declarations
from rulewright.program.declarations import Declared, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import Type
from rulewright.syntax.engine import ParseTree, get_engine
from rulewright.syntax.layout import ScannedLine, scan_lines
from rulewright.syntax.parser import parse_rules_text

_UNPARSABLE_CHARACTER = "\x01"
"""In no terminal: the parser fails there and reports the terminals that it would accept."""

_MAX_LINES_LEFT_OUT = 8
_WORD_PATTERN = re.compile(r"(?:@[\w.:\-]*|\w*)\Z")
_STEP_PATTERN = re.compile(r"[\w.\-]*\Z")
_WORD_ALTERNATIVES_PATTERN = re.compile(r"\\b\(?([a-z|]+)\)?\\b|([a-z]+(?:\[ \t\]\+[a-z]+)+)\\b")
_QUANTIFIER_WORDS = frozenset({"each", "some", "no", "the", "every"})
"""Words before a name that ranges over a collection."""
_REACHES_LATER_LINES, _REACHES_OWN_LINE, _REACHES_BLOCK = "after", "here", "block"
"""Scope of a bound name: later lines, also its own line, or its line and the block below it."""
_FUNCTION_ROW_PATTERN = re.compile(
    r"\| `(?P<label>(?P<name>\w+)\(.*?\))` \| (?P<gives>.+?) \| (?P<meaning>.+?) \| `.+` \|"
)


@dataclass(frozen=True)
class RulesCursor:
    """An offset in a text of rules."""

    document: OpenDocument
    offset: int

    @cached_property
    def content(self) -> str:
        """Whole text."""
        return self.document.live.text.content

    @cached_property
    def declaration_start(self) -> int:
        """Start of the enclosing declaration."""
        at = 0
        for declaration in split_declarations(self.content):
            if at + len(declaration) > self.offset:
                return at
            at += len(declaration)
        return at if self.content[:at].endswith("\n") else at - len(split_declarations(self.content)[-1])

    @cached_property
    def declaration_text(self) -> str:
        """Text of the enclosing declaration."""
        return next(iter(split_declarations(self.content[self.declaration_start :])), "")

    @cached_property
    def word_prefix(self) -> str:
        """Part of a word before the cursor."""
        line = self.content[self.content.rfind("\n", 0, self.offset) + 1 : self.offset]
        is_step = re.search(r"\b(?:proceed to|steps|to) [\w.\-]*\Z", line) and "STEP" in self._find_accepted_terminals(
            self.offset - len(_matched_text(_STEP_PATTERN, line))
        )
        return _matched_text(_STEP_PATTERN if is_step else _WORD_PATTERN, line)

    @property
    def word_start(self) -> int:
        """Start of that word."""
        return self.offset - len(self.word_prefix)

    @cached_property
    def line_before_word(self) -> str:
        """Text of the line before that word."""
        return self.content[self.content.rfind("\n", 0, self.word_start) + 1 : self.word_start]

    @property
    def is_in_prose(self) -> bool:
        """Whether the cursor is in quotes or in a comment."""
        blanked = re.sub(r'"[^"\n]*"', "", self.line_before_word)
        return '"' in blanked or "#" in blanked

    @cached_property
    def accepted_terminals(self) -> frozenset[str]:
        """Terminals accepted at the start of the word; empty if the text before cannot be parsed."""
        return self._find_accepted_terminals(self.word_start)

    def _find_accepted_terminals(self, at: int) -> frozenset[str]:
        above = self.content[self.declaration_start : at]
        for _ in range(_MAX_LINES_LEFT_OUT):
            parse_failure = get_engine().parse_tree(above + _UNPARSABLE_CHARACTER)
            if isinstance(parse_failure, ParseTree):
                return frozenset()
            if parse_failure.start >= len(above):
                return parse_failure.accepted
            less = _omit_line_at(above, parse_failure.start)
            if less is None:
                return frozenset()
            above = less
        return frozenset()

    @property
    def module(self) -> LinkedModule | None:
        """Module of the text."""
        linked = self.document.best_snapshot.loaded.linked or self.document.latest.loaded.linked
        if linked is None:
            return None
        return next(
            (linked_module for linked_module in linked.modules if self.document.name in linked_module.sources),
            linked.main,
        )

    @cached_property
    def declaration_names(self) -> tuple[str, ...]:
        """Names of the enclosing declaration in the program, and of the derived attribute."""
        words = [
            item
            for item in re.findall(r"[\w.]+", self.declaration_text.partition("\n")[0])
            if item not in {"inner", "external", "replace"}
        ]
        amended = re.match(r"(?:replace|insert|remove)\b[^/\n]*?(\w+)/", self.declaration_text)
        if amended is not None:
            return (amended[1],)
        prefix = self.module.prefix if self.module is not None else ""
        if len(words) < 2:  # noqa: PLR2004 - a word of the language and a name
            return ("game",) if words[:1] == ["game"] else ()
        inside = re.match(r"\s+(\w+)", self.line_before_word or self.content[self.word_start :])
        name = prefix + words[1]
        return (name, f"{name}/{inside[1]}") if inside and words[0] in {"kind", "record"} else (name,)

    @cached_property
    def variables(self) -> Mapping[str, Variable]:
        """Variables of the enclosing declaration by name."""
        return {
            variable.name: variable for variable in _declared_variables(self.document.program, self.declaration_names)
        }

    @cached_property
    def visible_names(self) -> Mapping[str, Variable | None]:
        """Variables in scope by name; None for names newer than the check."""
        known = self.variables
        bound, hidden = _find_bound_names(
            self.declaration_text, self.word_start - self.declaration_start, self._watched_event_names
        )
        everywhere = {name: variable for name, variable in known.items() if name not in hidden and name not in bound}
        return {**everywhere, **{name: known.get(name) for name in bound}}

    def _watched_event_names(self, event: str) -> tuple[str, ...]:
        result = self.document.program.events.get(event) if self.document.program is not None else None
        return tuple(parameter.name for parameter in result.parameters) if result is not None else ()

    @cached_property
    def scope(self) -> Scope | None:
        """Scope for inference; None if nothing was checked yet."""
        known = self.document.best_snapshot.loaded
        if known.incremental_state is None or self.module is None:
            return None
        scope = make_declaration_scope(self.module, known.incremental_state.environment, DiagnosticCollector())
        variables = [visible_name for visible_name in self.visible_names.values() if visible_name is not None]
        scope = replace(
            scope.with_variables(*variables), owner=self.declaration_names[0] if len(self.declaration_names) > 1 else ""
        )
        for name in [name for name, variable in self.visible_names.items() if variable is None]:
            type_ = self._infer_recent_name(name, scope)
            scope = scope if type_ is None else scope.with_variables(Variable(name, len(scope.locals), type_))
        return scope

    def _infer_recent_name(self, name: str, scope: Scope) -> Type | None:
        """Type of a name written since the check, by its `let` or the collection that it loops over."""
        above = self.content[self.declaration_start : self.word_start]
        through = re.findall(rf"\b(?:each|some|no|the|every|for) {name} in ([\w.]+(?:\([^()]*\))?)", above)
        given = re.findall(rf"\blet {name} = ([^\n@\"#]+)", above)
        for written in through[-1:] or given[-1:]:
            result = _infer_text(written, scope)
            return None if result is None else getattr(result.type, "item", None) if through else result.type
        return None

    def infer_expression(self, written: str) -> Expression | None:
        """Typed expression of a text in this scope; None if it has no meaning."""
        return None if self.scope is None else _infer_text(written, self.scope)

    def infer_type(self, written: str) -> Type | None:
        """Type of a text in this scope."""
        result = self.infer_expression(written)
        return None if result is None else result.type


def _infer_text(written: str, scope: Scope) -> Expression | None:
    parsed = parse_rules_text(Text("", f"term written gives flag means {written}\n"))
    value = getattr(parsed.file.declarations[0], "value", None) if parsed.file and parsed.file.declarations else None
    if value is None or parsed.diagnostics:
        return None
    try:
        return scope.infer(value)
    except (ProofEffortExhausted, RecursionError, KeyError):
        return None


def _matched_text(pattern: re.Pattern[str], line: str) -> str:
    result = pattern.search(line)
    return result[0] if result else ""


def _omit_line_at(above: str, at: int) -> str | None:
    """Text with the unparsable line replaced; None for the last line."""
    first = above.rfind("\n", 0, max(at, 1)) + 1
    if at < len(above) and above[at : at + 1] == "\n":
        first = above.rfind("\n", 0, at) + 1
    last = above.find("\n", first)
    line = above[first:last]
    if first == 0 or last < 0 or not line.strip():
        return None
    indent = len(line) - len(line.lstrip())
    below = next((item for item in above[last + 1 :].split("\n") if item.strip()), "")
    opens = ":" if len(below) - len(below.lstrip()) > indent else ""
    return f"{above[:first]}{' ' * indent}\0{opens}{above[last:]}"


def _declared_variables(program: Program | None, names: tuple[str, ...]) -> Iterator[Variable]:
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
                yield from (
                    variable for variable in (binding.variables if binding is not None else ()) if variable is not None
                )


WatchedNames = Callable[[str], tuple[str, ...]]


def _find_bound_names(chunk: str, at: int, watched: WatchedNames) -> tuple[dict[str, None], set[str]]:
    """Names bound in scope at an offset, and those bound elsewhere in the declaration."""
    lines = scan_lines(chunk)
    line_start = chunk[chunk.rfind("\n", 0, at) + 1 : at]
    above = [line for line in lines if line.start < at]
    here = None if not line_start.strip() else len(above) - 1
    levels = [*(line.indent for line in above), *([len(line_start)] if here is None else [])]
    result, every = dict[str, None](), set[str]()
    for number, line in enumerate(lines):
        for name, start, reach in _find_line_binders(line, number, watched):
            every.add(name)
            inside = reach != _REACHES_LATER_LINES if number == here else reach != _REACHES_BLOCK
            if number != here and reach == _REACHES_BLOCK:
                inside = min(levels[number + 1 :], default=0) > line.indent
            if start < at and inside:
                result[name] = None
    return result, every - set(result)


def _find_line_binders(line: ScannedLine, number: int, watched: WatchedNames) -> Iterator[tuple[str, int, str]]:
    """Names that a line binds, with place and reach."""
    words = [(word.text, word.start) for word in line.words]
    texts = [text for text, _ in words]
    verb = line.verb.text
    if number == 0 and "(" in texts:
        for at, (text, start) in enumerate(words[:-1]):
            if words[at + 1][0] == ":" and words[at - 1][0] in {"(", ","}:
                yield text, start, _REACHES_BLOCK
    if verb == "watch" and len(words) > 1:
        yield from ((name, line.start, _REACHES_BLOCK) for name in watched(texts[1]))
    for at, (text, start) in enumerate(words[1:], 1):
        before = texts[at - 1]
        if before in {"let", "whether", "choose", "as"} or (before == verb and verb in {"tally", "decide"} and number):
            if text.isidentifier():
                yield text, start, _REACHES_LATER_LINES
        elif before in _QUANTIFIER_WORDS or (before == "for" and verb == "ask"):
            names = words[at + 1 : texts.index(")", at)] if text == "(" and ")" in texts[at:] else [(text, start)]
            reach = _REACHES_BLOCK if before in _QUANTIFIER_WORDS else _REACHES_OWN_LINE
            yield from ((name, place, reach) for name, place in names if name.isidentifier())


@cache
def keywords_by_terminal() -> Mapping[str, tuple[str, ...]]:
    """Keywords of the language by terminal."""
    return {name: tuple(_expand_pattern_words(pattern)) for name, pattern in get_engine().terminals.items()}


def _expand_pattern_words(pattern: str) -> Iterator[str]:
    if pattern.isalpha():
        yield pattern
        return
    for result in _WORD_ALTERNATIVES_PATTERN.finditer(pattern):
        yield from (item.replace("[ \t]+", " ") for item in (result[1] or result[2]).split("|"))


@dataclass(frozen=True)
class LanguageFunction:
    """A function of the language in the words of the manual."""

    name: str
    label: str  # `floor(n: fraction)`
    gives: str
    meaning: str


@cache
def load_language_functions() -> Mapping[str, LanguageFunction]:
    """Functions of the language by name; the first entry of each."""
    listed = (get_resource_folder("grammar") / "manual" / "functions.md").read_text(encoding="utf-8")
    result: dict[str, LanguageFunction] = {}
    for row in _FUNCTION_ROW_PATTERN.finditer(listed):
        result.setdefault(row["name"], LanguageFunction(row["name"], row["label"], row["gives"], row["meaning"]))
    return result
