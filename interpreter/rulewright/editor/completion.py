"""Completion: in rules by what the grammar accepts and the visible names, in YAML by the keys around and a JSON Schema.

In rules, names are ranked by the expected type. YAML need not be parsable: the path of keys around an offset is looked for.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.infer.name_lookup import iterate_attribute_names
from rulewright.checker.infer.type_fitting import is_subtype
from rulewright.checker.name_spaces import PLAIN_TYPES
from rulewright.checker.symbols import Symbol
from rulewright.editor.editor_workspace import CompletionItem, OpenDocument
from rulewright.editor.rules_cursor import RulesCursor, keywords_by_terminal, load_language_functions
from rulewright.program.types import GRID_STEPS, ThingType, Type, WordType, strip_optional

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
    titles = _attribute_titles(cursor, owner)
    for name in iterate_attribute_names(owner, cursor.scope):
        attribute_type = _attribute_type(cursor, name, owner)
        yield CompletionItem(
            name, place, "attribute", str(attribute_type) if attribute_type else "", titles.get(name, "")
        )


def _attribute_type(cursor: RulesCursor, name: str, target: Type) -> Type | None:
    scope, program = cursor.scope, cursor.document.program
    owner = getattr(target, "kind", getattr(target, "record", ""))
    derived = scope.environment.derived_attributes.get(owner, {}).get(name) if scope is not None else None
    if derived is not None:
        return derived[1]
    if program is None:
        return None
    fields = (program.kinds[owner].fields if owner in program.kinds else
              program.records[owner].parts if owner in program.records else ())  # fmt: skip
    return next((field.type for field in fields if field.name == name), None)


def _attribute_titles(cursor: RulesCursor, target: Type) -> dict[str, str]:
    program = cursor.document.program
    owner = getattr(target, "kind", getattr(target, "record", ""))
    if program is None:
        return {}
    stored = program.kinds[owner].fields if owner in program.kinds else ()
    derived = (function for name, function in program.functions.items() if name.startswith(f"{owner}/"))
    return {
        **{field.name: field.title for field in stored},
        **{function.name.rpartition("/")[2]: function.title for function in derived},
    }


_FLOW_TOKEN_PATTERN = re.compile(r"""'(?:[^']|'')*'?|"(?:[^"\\]|\\.)*"?|[{}\[\],:]|#.*|[^\s{}\[\],:#'"][^{}\[\],:#]*""")
_KEY_PATTERN = re.compile(r"""(?P<dash>(?:-\s+)*)(?:(?P<key>'[^']*'|"[^"]*"|[^\s#'"{\[][^:]*?)\s*:(?=\s|$))?""")
_BEGUN_WORD_PATTERN = re.compile(r"[^\s{}\[\],:#'\"]*\Z")

PathStep = str | int
"""Key, or index in a list; 0 if the index is not counted."""


@dataclass(frozen=True, slots=True)
class YamlCursor:
    """Position in a document."""

    path: tuple[PathStep, ...]  # keys from the root
    is_key: bool  # a key can stand here
    is_value: bool  # a value can stand here
    start: int  # of the word under the cursor
    is_in_prose: bool  # in quotes or a comment


def locate_yaml_cursor(content: str, offset: int) -> YamlCursor:
    """Position of an offset of a text."""
    above = content[:offset].split("\n")
    word_start = _BEGUN_WORD_PATTERN.search(above[-1])
    start = offset - len(word_start[0] if word_start else "")
    first, opens = _find_block_line(above)
    line = above[first]
    column = len(line) - len(line.lstrip())
    match_ = _KEY_PATTERN.match(line, column)
    dash, key = (match_["dash"], match_["key"]) if match_ else ("", None)
    inside = [*_enclosing_keys(above[:first], column), *([0] if dash else [])]
    if dash and not opens:
        inside = [*_enclosing_keys(above[:first], column), 0]
    rest = content[
        sum(len(item) + 1 for item in above[:first]) + (match_.end() if match_ and key else column + len(dash)) : start
    ]
    if key is None:
        flow, state, words = _parse_flow_path(rest)
        bare = not rest.strip()
        return YamlCursor((*inside, *flow), state != "value" or bare, state == "value" or bare, start, words)
    flow, state, words = _parse_flow_path(rest)
    path = (*inside, _unquote_yaml(key), *flow)
    return YamlCursor(path, state == "key", state != "key", start, words)


def _find_block_line(above: list[str]) -> tuple[int, bool]:
    """Last line that starts outside all brackets, and whether brackets are open at the end."""
    depth, first = 0, 0
    for number, line in enumerate(above):
        if not depth:
            first = number
        for match_ in _FLOW_TOKEN_PATTERN.finditer(line):
            depth += (match_[0] in {"{", "["}) - (match_[0] in {"}", "]"})
        depth = max(depth, 0)
    return first, depth > 0


def _enclosing_keys(above: list[str], column: int) -> Iterator[PathStep]:
    """Outermost first."""
    items: list[PathStep] = []
    for line in reversed(above):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        key = _KEY_PATTERN.match(line, indent)
        if key is None or (not key["key"] and not key["dash"]):
            continue
        inner = indent + len(key["dash"])
        if key["key"] and inner < column:
            items.append(_unquote_yaml(key["key"]))
            column = inner
        if key["dash"] and indent < column:
            items.append(0)
            column = indent
    return reversed(items)


def _parse_flow_path(
    written: str,
) -> tuple[list[PathStep], str, bool]:
    """Path inside flow style text, the open word, and whether a key comes next."""
    path: list[PathStep] = []
    kinds: list[str] = []
    last = ""
    state = "value"
    for match_ in _FLOW_TOKEN_PATTERN.finditer(written):
        match match_[0]:
            case "{":
                kinds.append("{")
                path.append("")
                state = "key"
            case "[":
                kinds.append("[")
                path.append(0)
                state = "value"
            case "}" | "]" if kinds:
                kinds.pop()
                path.pop()
                state = "done"
            case "," if kinds:
                if kinds[-1] == "[":
                    path[-1] = int(path[-1] or 0) + 1
                state = "key" if kinds[-1] == "{" else "value"
            case ":" if kinds and kinds[-1] == "{":
                path[-1] = last
                state = "value"
            case text if text.startswith("#"):
                return path, state, True
            case text:
                last = _unquote_yaml(text)
                if text[:1] in "'\"" and (len(text) == 1 or text[-1] != text[0]):
                    return path, state, True
    if state == "key":
        path = path[:-1]
    return path, state, False


def _unquote_yaml(written: str) -> str:
    written = written.strip()
    return written[1:-1] if written[:1] in {"'", '"'} else written


JsonSchema = dict[str, Any]
_MAX_SHOWN_VALUES = 3
"""Possible values of a key in its summary."""


@dataclass(frozen=True, slots=True)
class SchemaChoice:
    """A key or value that a schema allows."""

    written: str
    takes: str  # type of its value in a few words
    says: str  # description
    schema: JsonSchema  # of its value


def schemas_at_path(
    schema: Any, path: tuple[str | int, ...], root: JsonSchema
) -> Iterator[JsonSchema]:  # a schema, or a flag
    """Schemas of the values at a path."""
    for alternative in _expand_alternatives(schema, root):
        if not path:
            yield alternative
            continue
        step, rest = path[0], path[1:]
        if isinstance(step, int):
            fixed = alternative.get("prefixItems", ())
            yield from schemas_at_path(fixed[step] if step < len(fixed) else alternative.get("items", {}), rest, root)
        elif step in alternative.get("properties", {}):
            yield from schemas_at_path(alternative["properties"][step], rest, root)
        else:
            yield from schemas_at_path(alternative.get("additionalProperties", {}), rest, root)


def _expand_alternatives(schema: Any, root: JsonSchema) -> Iterator[JsonSchema]:  # a schema, or a flag
    """A schema and all its alternatives, with references resolved."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield from _expand_alternatives(root.get("$defs", {}).get(schema["$ref"].rpartition("/")[2]), root)
    yield schema
    for key in ("anyOf", "allOf"):
        for item in schema.get(key, ()):
            yield from _expand_alternatives(item, root)
    for key in ("then", "else"):
        yield from _expand_alternatives(schema.get(key), root)


def list_key_choices(schemas: Iterable[JsonSchema]) -> Iterator[SchemaChoice]:
    """Keys of a mapping."""
    for schema in schemas:
        for key, item in schema.get("properties", {}).items():
            subschema = item if isinstance(item, dict) else {}
            yield SchemaChoice(key, summarize_schema(subschema), subschema.get("description", ""), subschema)
        for key in schema.get("propertyNames", {}).get("enum", ()):
            yield SchemaChoice(key, "", "", {})


def list_value_choices(schemas: Iterable[JsonSchema], flags: tuple[str, str]) -> Iterator[SchemaChoice]:
    """Enumerable values, and flags in their spelling."""
    for schema in schemas:
        for item in (*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())):
            if isinstance(item, str):
                yield SchemaChoice(item, "", schema.get("description", ""), schema)
        if schema.get("type") == "boolean":
            yield from (SchemaChoice(flag, "", "", schema) for flag in flags)


def summarize_schema(schema: Mapping[str, Any]) -> str:
    """Type of a value in a few words."""
    if "enum" in schema:
        return ", ".join(str(item) for item in schema["enum"][:_MAX_SHOWN_VALUES]) + (
            " …" if len(schema["enum"]) > _MAX_SHOWN_VALUES else ""
        )
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['minimum']}..{schema['maximum']}"
    return ""
