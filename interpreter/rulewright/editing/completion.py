"""What may stand at a cursor of a text of rules: words of the language, and names that have a meaning there."""

import re
from collections.abc import Callable, Iterator

from rulewright.analysis.infer.lookup import attribute_names
from rulewright.analysis.infer.slots import widens
from rulewright.analysis.name_spaces import PLAIN_TYPES
from rulewright.analysis.symbols import Symbol
from rulewright.editing.answers import Proposal
from rulewright.editing.cursor import Cursor, language_functions, literals
from rulewright.editing.desk import Open
from rulewright.program.types import GRIDS, ThingType, Type, WordType, present
from rulewright.source import Span

_COMPARED = re.compile(r"(?P<path>[\w.]+(?:\[[^\[\]]*\])?(?:\.\w+)*)\s*(?:=|!=|<=|>=|<|>)\s*\Z")
_SET = re.compile(r"\bset (?P<path>.+) to \Z")
_SPACE = re.compile(r"^board \w+ of \Z")
_CHANGES = re.compile(r"\bchanges (?:[\w.]+, )*\Z")
_PATH = re.compile(r"(?:[\w.]|\([^()]*\)|\[[^\[\]]*\])+\Z")
_CALLED = {
    "perform": ("procedure", "external procedure"),
    "trigger": ("event",),
    "on": ("event",),
    "watch": ("event",),
    "hold": ("rule",),
    "finish": ("procedure",),
    "like": ("procedure",),
    "bind": ("external procedure", "external term"),
}
"""The sorts of what may be named right behind a word."""

_VALUES = frozenset({"term", "tally", "decide", "table", "paths", "relation", "external term"})
_SORTS = {"values": "list of words", "external procedure": "procedure", "external term": "term"}


def proposals(opened: Open, offset: int) -> tuple[Proposal, ...]:
    """What may stand at an offset: what fits the type that is wanted there first, then as it is nearest at hand.

    A word that is begun is taken into account by where it begins, not by its letters: whoever shows proposals chooses
    among them by these.
    """
    cursor = Cursor(opened, offset)
    if cursor.is_in_words:
        return ()
    found: dict[str, Proposal] = {}
    for each in _proposed(cursor):
        found.setdefault(each.text, each)
    return tuple(sorted(found.values(), key=lambda each: not each.fits))


def _proposed(cursor: Cursor) -> Iterator[Proposal]:
    place = Span(cursor.opened.name, cursor.word_start, cursor.offset)
    if cursor.written.startswith("@"):
        yield from _clauses(cursor, place)
    elif cursor.line.endswith(".") and not cursor.line.endswith(".."):
        yield from _members(cursor, place)
    else:
        before = _last_word(cursor.line)
        if before in _CALLED and "NAME" in cursor.taken and not _is_value(cursor):
            yield from _callables(cursor, place, _CALLED[before])
        elif "STEP" in cursor.taken and before in {"to", "steps"}:
            yield from _steps(cursor, place)
        elif "ADDRESS" in cursor.taken:
            yield from _addresses(cursor, place)
        elif _SPACE.search(cursor.line):
            yield from (Proposal(each, place, "type") for each in (*GRIDS, "plane"))
        elif "COLLECTION" in cursor.taken or _CHANGES.search(cursor.line):
            yield from _types(cursor, place)
        elif "NAME" in cursor.taken and ("LPAR" in cursor.taken or _is_value(cursor)):
            yield from _names(cursor, place)
        yield from _words(cursor, place)
        if "CITE" in cursor.taken:
            yield from _clauses(cursor, place)


def _is_value(cursor: Cursor) -> bool:
    return "INT" in cursor.taken


def _last_word(line: str) -> str:
    found = re.search(r"(\w+)\s+\Z", line)
    return found[1] if found else ""


def _words(cursor: Cursor, place: Span) -> Iterator[Proposal]:
    """Words of the language that the grammar takes."""
    for name in sorted(cursor.taken):
        for word in literals().get(name, ()):
            yield Proposal(word, place, "word of the language")


def _names(cursor: Cursor, place: Span) -> Iterator[Proposal]:
    """What has a value: names of the declaration, of the game, words, and what is worked out."""
    wanted = _wanted(cursor)

    def fits(type_: Type | None) -> bool:
        return wanted is not None and type_ is not None and widens(present(type_), wanted)

    for name, variable in cursor.names.items():
        type_ = variable.type if variable is not None else None
        yield Proposal(name, place, "name", str(type_) if type_ else "", fits=fits(type_))
    yield from _roles(cursor, place)
    module = cursor.module
    for name, symbol in module.names.items() if module is not None else ():
        type_ = cursor.type(name) if symbol.type is None else symbol.type
        yield _of(symbol, name, place, type_, fits=fits(type_))
    for name, symbols in module.words.items() if module is not None else ():
        for each in symbols:
            if not isinstance(wanted, WordType) or each.type == wanted:
                yield _word(cursor, name, each, place, fits=fits(each.type))
    if _is_value(cursor):
        yield from _worked_out(cursor, place, fits)


def _worked_out(cursor: Cursor, place: Span, fits: Callable[[Type | None], bool]) -> Iterator[Proposal]:
    """What is worked out: terms and their like, attributes of the thing at hand, functions of the language."""
    module, program, scope = cursor.module, cursor.opened.program, cursor.scope
    for name, symbol in module.callables.items() if module is not None else ():
        if symbol.sort in _VALUES:
            function = program.functions.get(symbol.name) if program is not None else None
            type_ = function.type if function is not None else symbol.type
            yield _of(symbol, name, place, type_, fits=fits(type_))
    for name, symbol in module.types.items() if module is not None else ():
        if symbol.sort == "record":
            yield _of(symbol, name, place, None, fits=False)
    if scope is not None and scope.owner:
        yield from _attributes(cursor, ThingType(scope.owner), place)
    for name in module.uses if module is not None else ():
        yield Proposal(name, place, "prefix")
    for each in language_functions().values():
        yield Proposal(each.name, place, "function of the language", each.gives, each.meaning)


def _of(symbol: Symbol, name: str, place: Span, type_: Type | None, *, fits: bool) -> Proposal:
    title = getattr(symbol.node, "title", None)
    sort = _SORTS.get(symbol.sort, symbol.sort)
    return Proposal(name, place, sort, str(type_) if type_ else "", title.text if title else "", fits)


def _word(cursor: Cursor, name: str, symbol: Symbol, place: Span, *, fits: bool) -> Proposal:
    program = cursor.opened.program
    listed = program.values.get(symbol.name) if program is not None else None
    title = next((each.title for each in listed.words if each.name == name), "") if listed is not None else ""
    return Proposal(name, place, "word", symbol.name, title, fits)


def _wanted(cursor: Cursor) -> Type | None:
    """The type that is wanted at a cursor, by what it is compared with, given to or set to."""
    found = _COMPARED.search(cursor.line) or _SET.search(cursor.line)
    if found is not None:
        type_ = cursor.type(found["path"])
        return None if type_ is None else present(type_)
    if re.match(r"\s*on ", cursor.line):
        subject = _matched(cursor)
        return cursor.type(subject) if subject else None
    call = call_around(cursor)
    if call is not None:
        name, argument = call
        parameters = parameters_of(cursor, name)
        return present(parameters[argument][1]) if argument < len(parameters) else None
    return None


def _matched(cursor: Cursor) -> str:
    """What the `match` above a case is about."""
    indent = len(cursor.line) - len(cursor.line.lstrip())
    above = cursor.content[: cursor.word_start - len(cursor.line)].split("\n")
    for line in reversed(above):
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            found = re.match(r"\s*match (.+):", line)
            return found[1] if found else ""
    return ""


def call_around(cursor: Cursor) -> tuple[str, int] | None:
    """The name of what is called around a cursor on its line, and how many arguments stand before; none outside."""
    line = re.sub(r'"[^"]*"', lambda each: " " * len(each[0]), cursor.line)
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
                found = re.search(r"([A-Za-z_][\w.]*)\Z", line[:at])
                return (found[1], commas) if found else None
            case "[" | "{":
                return None
            case _:
                pass
    return None


def called(cursor: Cursor, name: str) -> Symbol | None:
    """What can be called by a name here."""
    module = cursor.module
    *prefixes, last = name.split(".")
    for each in prefixes:
        module = module.uses.get(each) if module is not None else None
    return (module.callables.get(last) or module.types.get(last)) if module is not None else None


def parameters_of(cursor: Cursor, name: str) -> tuple[tuple[str, Type], ...]:
    """The parameters of what can be called by a name here, in order."""
    symbol, program = called(cursor, name), cursor.opened.program
    if symbol is None:
        return ()
    if symbol.parameters or program is None:
        return symbol.parameters
    if symbol.name in program.records:
        return tuple((each.name, each.type) for each in program.records[symbol.name].parts)
    groups = (
        program.procedures,
        program.events,
        program.functions,
        program.external_procedures,
        program.external_terms,
    )
    found = next((group[symbol.name] for group in groups if symbol.name in group), None)
    return tuple((each.name, each.type) for each in found.parameters) if found is not None else ()


def _roles(cursor: Cursor, place: Span) -> Iterator[Proposal]:
    """Parameters by name, where an argument begins."""
    call = call_around(cursor)
    if call is not None and cursor.line.rstrip().endswith(("(", ",")):
        for name, type_ in parameters_of(cursor, call[0]):
            yield Proposal(f"{name}: ", place, "parameter", str(type_))


def _callables(cursor: Cursor, place: Span, sorts: tuple[str, ...]) -> Iterator[Proposal]:
    module = cursor.module
    if module is None:
        return
    for group in (module.callables, module.others):
        for name, symbol in group.items():
            if symbol.sort in sorts:
                yield _of(symbol, name, place, symbol.type, fits=False)
    for name in module.uses:
        yield Proposal(name, place, "prefix")


def _steps(cursor: Cursor, place: Span) -> Iterator[Proposal]:
    """The steps of the procedure around, or of the one that is performed."""
    performed = re.search(r"\bperform (\w+)", cursor.line)
    names = cursor.opened.best.names
    for name in (performed[1],) if performed else cursor.declared[:1]:
        titles = _titles(cursor, name)
        for (procedure, step), target in names.steps.items():
            if procedure == name:
                yield Proposal(step, place, target.sort, title=titles.get(step, ""))


def _titles(cursor: Cursor, procedure: str) -> dict[str, str]:
    program = cursor.opened.program
    found = program.procedures.get(procedure) if program is not None else None
    return {each.id: each.title for each in found.steps} if found is not None else {}


def _addresses(cursor: Cursor, place: Span) -> Iterator[Proposal]:
    """What an amendment may name, by its whole address."""
    for address in cursor.opened.best.names.addresses:
        yield Proposal(address, place, "address")


def _types(cursor: Cursor, place: Span) -> Iterator[Proposal]:
    for name in (*PLAIN_TYPES, "direction"):
        yield Proposal(name, place, "type")
    for name, symbol in cursor.module.types.items() if cursor.module is not None else ():
        yield _of(symbol, name, place, None, fits=False)
    for name in cursor.module.uses if cursor.module is not None else ():
        yield Proposal(name, place, "prefix")


def _clauses(cursor: Cursor, place: Span) -> Iterator[Proposal]:
    """Clauses as a margin cites them, those of the document of the file without its name."""
    linked = cursor.opened.now.loaded.linked
    own = linked.documents.get(cursor.opened.name, "") if linked is not None else ""
    for document, entries in linked.clauses.items() if linked is not None else ():
        for each in entries:
            short = each.id.removeprefix(f"{document}.") if document == own else each.id
            yield Proposal(f"@{short}", place, "clause", title=each.says)


def _members(cursor: Cursor, place: Span) -> Iterator[Proposal]:
    """What may stand behind a point: attributes, words of a list, names of a used ruleset."""
    found = _PATH.search(cursor.line[:-1])
    module = cursor.module
    if found is None or module is None:
        return
    path = found[0]
    used, listed = module.uses.get(path), module.types.get(path)
    if path not in cursor.names and used is not None:
        for group in (used.callables, used.types, used.names):
            for name, symbol in group.items():
                yield _of(symbol, name, place, symbol.type, fits=False)
    elif path not in cursor.names and listed is not None and listed.sort == "kind":
        yield from _attributes(cursor, ThingType(listed.name), place)
    elif path not in cursor.names and listed is not None and listed.sort == "values":
        words = ((name, each) for name, symbols in module.words.items() for each in symbols)
        yield from (_word(cursor, name, each, place, fits=False) for name, each in words if each.name == listed.name)
    else:
        yield from _attributes(cursor, cursor.type(path), place)


def _attributes(cursor: Cursor, type_: Type | None, place: Span) -> Iterator[Proposal]:
    """The attributes of a type; where a value may be none, as if it were there."""
    if type_ is None or cursor.scope is None:
        return
    owner = present(type_)
    titles = _attribute_titles(cursor, owner)
    for name in attribute_names(owner, cursor.scope):
        own = _attribute_type(cursor, name, owner)
        yield Proposal(name, place, "attribute", str(own) if own else "", titles.get(name, ""))


def _attribute_type(cursor: Cursor, name: str, target: Type) -> Type | None:
    scope, program = cursor.scope, cursor.opened.program
    owner = getattr(target, "kind", getattr(target, "record", ""))
    derived = scope.shapes.derived.get(owner, {}).get(name) if scope is not None else None
    if derived is not None:
        return derived[1]
    if program is None:
        return None
    fields = (program.kinds[owner].fields if owner in program.kinds else
              program.records[owner].parts if owner in program.records else ())  # fmt: skip
    return next((each.type for each in fields if each.name == name), None)


def _attribute_titles(cursor: Cursor, target: Type) -> dict[str, str]:
    program = cursor.opened.program
    owner = getattr(target, "kind", getattr(target, "record", ""))
    if program is None:
        return {}
    stored = program.kinds[owner].fields if owner in program.kinds else ()
    derived = (each for name, each in program.functions.items() if name.startswith(f"{owner}/"))
    return {
        **{each.name: each.title for each in stored},
        **{each.name.rpartition("/")[2]: each.title for each in derived},
    }
