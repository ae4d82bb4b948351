"""Completion in rules: what the grammar accepts, and the visible names, those of the expected type first.

What is expected by the words before the cursor, a call or a `match` is read off the line, which need not be parsable.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from rulewright.base.source import Span
from rulewright.checker.infer.name_lookup import iterate_attribute_names
from rulewright.checker.infer.type_fitting import is_subtype
from rulewright.checker.name_spaces import PLAIN_TYPES
from rulewright.checker.scope import Scope
from rulewright.checker.symbols import Symbol
from rulewright.editor.answers import CompletionItem
from rulewright.editor.editor_workspace import OpenDocument
from rulewright.editor.rules_cursor import RulesCursor, keywords_by_terminal, load_language_functions
from rulewright.program.types import GRID_STEPS, RecordType, ThingType, Type, WordType, strip_optional

_COMPARISON_PATTERN = re.compile(r"(?P<path>[\w.]+(?:\[[^\[\]]*\])?(?:\.\w+)*)\s*(?:=|!=|<=|>=|<|>)\s*\Z")
_SET_PATTERN = re.compile(r"\bset (?P<path>.+) to \Z")
_BOARD_SPACE_PATTERN = re.compile(r"^board \w+ of \Z")
_CHANGES_PATTERN = re.compile(r"\bchanges (?:[\w.]+, )*\Z")
_PATH_PATTERN = re.compile(r"(?:[\w.]|\([^()]*\)|\[[^\[\]]*\])+\Z")
_CALLABLE_SORTS_BY_WORD = {
    "perform": ("procedure", "external procedure"),
    "trigger": ("event",),
    "on": ("event",),
    "watch": ("event",),
    "hold": ("rule",),
    "finish": ("procedure",),
    "like": ("procedure",),
    "bind": ("external procedure", "external term"),
}
"""Sorts of callables that can follow a word."""

_VALUE_SORTS = frozenset({"term", "tally", "decide", "table", "paths", "relation", "external term"})
_DISPLAY_SORTS = {"values": "list of words", "external procedure": "procedure", "external term": "term"}


def propose_completions(opened: OpenDocument, offset: int) -> tuple[CompletionItem, ...]:
    """Completions at an offset: those of the expected type first, then by scope.

    The prefix under the cursor sets the replaced span but does not filter: clients filter.
    """
    cursor = RulesCursor(opened, offset)
    if cursor.is_in_prose:
        return ()
    mapping: dict[str, CompletionItem] = {}
    for proposal in _list_proposals(cursor):
        mapping.setdefault(proposal.text, proposal)
    return tuple(sorted(mapping.values(), key=lambda completion_item: not completion_item.is_type_match))


def _list_proposals(cursor: RulesCursor) -> Iterator[CompletionItem]:
    place = Span(cursor.document.name, cursor.word_start, cursor.offset)
    if cursor.word_prefix.startswith("@"):
        yield from _propose_clauses(cursor, place)
    elif cursor.line_before_word.endswith(".") and not cursor.line_before_word.endswith(".."):
        yield from _propose_members(cursor, place)
    else:
        before = _previous_word(cursor.line_before_word)
        if before in _CALLABLE_SORTS_BY_WORD and "NAME" in cursor.accepted_terminals and not _accepts_value(cursor):
            yield from _propose_callables(cursor, place, _CALLABLE_SORTS_BY_WORD[before])
        elif "STEP" in cursor.accepted_terminals and before in {"to", "steps"}:
            yield from _propose_steps(cursor, place)
        elif "ADDRESS" in cursor.accepted_terminals:
            yield from _propose_addresses(cursor, place)
        elif _BOARD_SPACE_PATTERN.search(cursor.line_before_word):
            yield from (CompletionItem(grid_step, place, "type") for grid_step in (*GRID_STEPS, "plane"))
        elif "COLLECTION" in cursor.accepted_terminals or _CHANGES_PATTERN.search(cursor.line_before_word):
            yield from _propose_types(cursor, place)
        elif "NAME" in cursor.accepted_terminals and ("LPAR" in cursor.accepted_terminals or _accepts_value(cursor)):
            yield from _propose_values(cursor, place)
        yield from _propose_keywords(cursor, place)
        if "CITE" in cursor.accepted_terminals:
            yield from _propose_clauses(cursor, place)


def _accepts_value(cursor: RulesCursor) -> bool:
    return "INT" in cursor.accepted_terminals


def _previous_word(line: str) -> str:
    match_ = re.search(r"(\w+)\s+\Z", line)
    return match_[1] if match_ else ""


def _propose_keywords(cursor: RulesCursor, place: Span) -> Iterator[CompletionItem]:
    for name in sorted(cursor.accepted_terminals):
        for word in keywords_by_terminal().get(name, ()):
            yield CompletionItem(word, place, "word of the language")


def _propose_values(cursor: RulesCursor, place: Span) -> Iterator[CompletionItem]:
    """Variables, fields of the game, words, and computed values."""
    wanted = _find_wanted_type(cursor)

    def is_wanted_type(type_: Type | None) -> bool:
        return wanted is not None and type_ is not None and is_subtype(strip_optional(type_), wanted)

    for name, variable in cursor.visible_names.items():
        type_ = variable.type if variable is not None else None
        yield CompletionItem(name, place, "name", str(type_) if type_ else "", is_type_match=is_wanted_type(type_))
    yield from _propose_argument_names(cursor, place)
    module = cursor.module
    for name, symbol in module.names.items() if module is not None else ():
        type_ = cursor.infer_type(name) if symbol.type is None else symbol.type
        yield _symbol_item(symbol, name, place, type_, fits=is_wanted_type(type_))
    for name, symbols in module.words.items() if module is not None else ():
        for item in symbols:
            if not isinstance(wanted, WordType) or item.type == wanted:
                yield _word_item(cursor, name, item, place, fits=is_wanted_type(item.type))
    if _accepts_value(cursor):
        yield from _propose_computed(cursor, place, is_wanted_type)


def _propose_computed(
    cursor: RulesCursor, place: Span, fits: Callable[[Type | None], bool]
) -> Iterator[CompletionItem]:
    """Terms and other functions, attributes of `self`, functions of the language."""
    module, program, scope = cursor.module, cursor.document.program, cursor.scope
    for name, symbol in module.callables.items() if module is not None else ():
        if symbol.sort in _VALUE_SORTS:
            function = program.functions.get(symbol.name) if program is not None else None
            type_ = function.type if function is not None else symbol.type
            yield _symbol_item(symbol, name, place, type_, fits=fits(type_))
    for name, symbol in module.types.items() if module is not None else ():
        if symbol.sort == "record":
            yield _symbol_item(symbol, name, place, None, fits=False)
    if scope is not None and scope.owner:
        yield from _propose_attributes(cursor, ThingType(scope.owner), place)
    for name in module.uses if module is not None else ():
        yield CompletionItem(name, place, "prefix")
    for language_function in load_language_functions().values():
        yield CompletionItem(
            language_function.name,
            place,
            "function of the language",
            language_function.gives,
            language_function.meaning,
        )


def _symbol_item(symbol: Symbol, name: str, place: Span, type_: Type | None, *, fits: bool) -> CompletionItem:
    title = getattr(symbol.node, "title", None)
    sort = _DISPLAY_SORTS.get(symbol.sort, symbol.sort)
    return CompletionItem(name, place, sort, str(type_) if type_ else "", title.text if title else "", fits)


def _word_item(cursor: RulesCursor, name: str, symbol: Symbol, place: Span, *, fits: bool) -> CompletionItem:
    program = cursor.document.program
    listed = program.values.get(symbol.name) if program is not None else None
    title = next((word.title for word in listed.words if word.name == name), "") if listed is not None else ""
    return CompletionItem(name, place, "word", symbol.name, title, fits)


def _find_wanted_type(cursor: RulesCursor) -> Type | None:
    """Type expected by the comparison, argument or assignment around the cursor."""
    result = _COMPARISON_PATTERN.search(cursor.line_before_word) or _SET_PATTERN.search(cursor.line_before_word)
    if result is not None:
        type_ = cursor.infer_type(result["path"])
        return None if type_ is None else strip_optional(type_)
    if re.match(r"\s*on ", cursor.line_before_word):
        subject = _find_match_subject(cursor)
        return cursor.infer_type(subject) if subject else None
    call = find_enclosing_call(cursor)
    if call is not None:
        name, argument = call
        parameters = list_parameters(cursor, name)
        return strip_optional(parameters[argument][1]) if argument < len(parameters) else None
    return None


def _find_match_subject(cursor: RulesCursor) -> str:
    indent = len(cursor.line_before_word) - len(cursor.line_before_word.lstrip())
    above = cursor.content[: cursor.word_start - len(cursor.line_before_word)].split("\n")
    for line in reversed(above):
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            result = re.match(r"\s*match (.+):", line)
            return result[1] if result else ""
    return ""


def find_enclosing_call(cursor: RulesCursor) -> tuple[str, int] | None:
    """Callee of the call around the cursor on its line, and the index of the argument."""
    line = re.sub(r'"[^"]*"', lambda match: " " * len(match[0]), cursor.line_before_word)
    depth, commas = 0, 0
    for at in range(len(line) - 1, -1, -1):
        match line[at]:
            case ")" | "]" | "}":
                depth += 1
            case "(" | "[" | "{" if depth:
                depth -= 1
            case "," if not depth:
                commas += 1
            case "(":
                result = re.search(r"([A-Za-z_][\w.]*)\Z", line[:at])
                return (result[1], commas) if result else None
            case "[" | "{":
                return None
            case _:
                pass
    return None


def find_callable(cursor: RulesCursor, name: str) -> Symbol | None:
    """Callable of this name in scope."""
    module = cursor.module
    *prefixes, last = name.split(".")
    for prefix in prefixes:
        module = module.uses.get(prefix) if module is not None else None
    return (module.callables.get(last) or module.types.get(last)) if module is not None else None


def list_parameters(cursor: RulesCursor, name: str) -> tuple[tuple[str, Type], ...]:
    """Names and types of a callable's parameters, in order."""
    symbol, program = find_callable(cursor, name), cursor.document.program
    if symbol is None:
        return ()
    if symbol.parameters or program is None:
        return symbol.parameters
    if symbol.name in program.records:
        return tuple((part.name, part.type) for part in program.records[symbol.name].parts)
    groups = (
        program.procedures,
        program.events,
        program.functions,
        program.external_procedures,
        program.external_terms,
    )
    result = next((group[symbol.name] for group in groups if symbol.name in group), None)
    return tuple((parameter.name, parameter.type) for parameter in result.parameters) if result is not None else ()


def _propose_argument_names(cursor: RulesCursor, place: Span) -> Iterator[CompletionItem]:
    call = find_enclosing_call(cursor)
    if call is not None and cursor.line_before_word.rstrip().endswith(("(", ",")):
        for name, type_ in list_parameters(cursor, call[0]):
            yield CompletionItem(f"{name}: ", place, "parameter", str(type_))


def _propose_callables(cursor: RulesCursor, place: Span, sorts: tuple[str, ...]) -> Iterator[CompletionItem]:
    module = cursor.module
    if module is None:
        return
    for group in (module.callables, module.others):
        for name, symbol in group.items():
            if symbol.sort in sorts:
                yield _symbol_item(symbol, name, place, symbol.type, fits=False)
    for name in module.uses:
        yield CompletionItem(name, place, "prefix")


def _propose_steps(cursor: RulesCursor, place: Span) -> Iterator[CompletionItem]:
    performed = re.search(r"\bperform (\w+)", cursor.line_before_word)
    names = cursor.document.best_snapshot.names
    for name in (performed[1],) if performed else cursor.declaration_names[:1]:
        titles = _step_titles(cursor, name)
        for (procedure, step), target in names.steps.items():
            if procedure == name:
                yield CompletionItem(step, place, target.sort, title=titles.get(step, ""))


def _step_titles(cursor: RulesCursor, procedure: str) -> dict[str, str]:
    program = cursor.document.program
    result = program.procedures.get(procedure) if program is not None else None
    return {step.id: step.title for step in result.steps} if result is not None else {}


def _propose_addresses(cursor: RulesCursor, place: Span) -> Iterator[CompletionItem]:
    """Whole addresses, in amendments."""
    for address in cursor.document.best_snapshot.names.addresses:
        yield CompletionItem(address, place, "address")


def _propose_types(cursor: RulesCursor, place: Span) -> Iterator[CompletionItem]:
    for name in (*PLAIN_TYPES, "direction"):
        yield CompletionItem(name, place, "type")
    for name, symbol in cursor.module.types.items() if cursor.module is not None else ():
        yield _symbol_item(symbol, name, place, None, fits=False)
    for name in cursor.module.uses if cursor.module is not None else ():
        yield CompletionItem(name, place, "prefix")


def _propose_clauses(cursor: RulesCursor, place: Span) -> Iterator[CompletionItem]:
    """Clauses in the form of a cite; those of the file's own document without its name."""
    linked = cursor.document.latest.loaded.linked
    own_document = linked.document_by_source.get(cursor.document.name, "") if linked is not None else ""
    for document, entries in linked.clause_lists.items() if linked is not None else ():
        for entry in entries:
            short = entry.id.removeprefix(f"{document}.") if document == own_document else entry.id
            yield CompletionItem(f"@{short}", place, "clause", title=entry.paraphrase)


def _propose_members(cursor: RulesCursor, place: Span) -> Iterator[CompletionItem]:
    result = _PATH_PATTERN.search(cursor.line_before_word[:-1])
    module = cursor.module
    if result is None or module is None:
        return
    path = result[0]
    used, listed = module.uses.get(path), module.types.get(path)
    if path not in cursor.visible_names and used is not None:
        for group in (used.callables, used.types, used.names):
            for name, symbol in group.items():
                yield _symbol_item(symbol, name, place, symbol.type, fits=False)
    elif path not in cursor.visible_names and listed is not None and listed.sort == "kind":
        yield from _propose_attributes(cursor, ThingType(listed.name), place)
    elif path not in cursor.visible_names and listed is not None and listed.sort == "values":
        words = ((name, item) for name, symbols in module.words.items() for item in symbols)
        yield from (
            _word_item(cursor, name, item, place, fits=False) for name, item in words if item.name == listed.name
        )
    else:
        yield from _propose_attributes(cursor, cursor.infer_type(path), place)


def _propose_attributes(cursor: RulesCursor, type_: Type | None, place: Span) -> Iterator[CompletionItem]:
    """Attributes of a type, also of an optional one."""
    if type_ is None or cursor.scope is None:
        return
    owner = strip_optional(type_)
    known = _describe_attributes(cursor, cursor.scope, owner)
    for name in iterate_attribute_names(owner, cursor.scope):
        attribute_type, title = known.get(name, (None, ""))
        yield CompletionItem(name, place, "attribute", str(attribute_type) if attribute_type else "", title)


def _describe_attributes(cursor: RulesCursor, scope: Scope, owner: Type) -> Mapping[str, tuple[Type, str]]:
    """Types and titles of the attributes of a kind, or of the parts of a record."""
    program = cursor.document.program
    match owner:
        case ThingType(name):
            stored = program.kinds[name].fields if program is not None and name in program.kinds else ()
        case RecordType(name):
            stored = program.records[name].parts if program is not None and name in program.records else ()
        case _:
            return {}
    functions = program.functions if program is not None else {}
    titles = {function: declared.title for function, declared in functions.items()}
    derived = scope.environment.derived_attributes.get(name, {})
    return {
        **{each.name: (each.type, each.title) for each in stored},
        **{each: (type_, titles.get(f"{name}/{each}", "")) for each, (_, type_) in derived.items()},
    }
