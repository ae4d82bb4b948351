"""Words of the language, as its manual lists them."""

# ruff: noqa: SIM905 - words in a row read best without quotes and commas

from rulewright.syntax.nodes.statements import VERB_FORMS

RESERVED_WORD_SUBSTITUTES = {
    "and": "both",
    "any": "anyone",
    "each": "member",
    "every": "everyone",
    "if": "condition",
    "in": "inside",
    "no": "refused",
    "none": "nobody",
    "not": "refused",
    "or": "either",
    "some": "several",
    "the": "target",
    "yes": "agreed",
}
"""Suggested names in place of reserved words."""

RESERVED_WORDS = frozenset(RESERVED_WORD_SUBSTITUTES)
"""Words that no line may take as a name (manual, Reserved words)."""

HEADER_WORDS = frozenset({"ruleset", "amends", "written", "document", "use"})
"""First words of the lines at the top of a file."""

DECLARATION_WORDS = frozenset(
    "values kind record board game die setting measure outside void departs term relation tally decide table paths "
    "external always ruling bind event handler whenever inner procedure replace insert remove".split()
)
"""First words of declarations."""

OPENING_WORDS = frozenset({"require", "hold", "watch"})
"""First words of lines at the head of a procedure, beside the verbs."""

VERBS = frozenset(VERB_FORMS)

ASK_FORMS = {
    "whether": "ask player whether name when condition",
    "pick": "ask player to pick 0..2 of each x in collection as name",
    "split": "ask player to split number over collection as name",
    "order": "ask player to order collection as name",
    "turn": "ask player to turn thing as name",
    "place": "ask player to place thing as name",
    "choose": "ask player to choose name:",
    "for": "ask player for x in collection",
}
"""Shapes of a question, by the word that distinguishes them, most specific first."""

LINE_FORMS = VERB_FORMS | {
    "always": "always name: condition",
    "amends": 'amends name revision "1"',
    "bind": "bind external to procedure",
    "board": "board name of hex",
    "departs": 'departs "reason" @clause',
    "die": "die name: face, face",
    "document": 'document NAME "title"',
    "else": "else:",
    "event": "event name(parameters)",
    "external procedure": "external procedure name(parameters) gives type",
    "external term": "external term name(parameters) gives type",
    "external": "external procedure name(parameters)",
    "game": "game:",
    "handler": "handler name for each x in collection on event:",
    "hold": "hold rule",
    "inner": 'inner procedure name(parameters) "title":',
    "insert": "insert after address row name: value",
    "kind": "kind Name, plural:",
    "measure": "measure name: value",
    "on": "on value:",
    "option": 'option name "title":',
    "otherwise": "otherwise:",
    "paths": "paths name(parameters) on board from start:",
    "prefer": "prefer name: condition",
    "procedure": 'procedure name(parameters) "title":',
    "record": "record Name:",
    "relation": "relation name(a: A, b: B)",
    "replace": "replace row address: value`, or `replace line address:",
    "require": "require name: condition",
    "ruleset": 'ruleset name "title" revision "1"',
    "setting": "setting name: type = value",
    "step": 'step id "title":',
    "table": "table name(parameters) gives type:",
    "term": "term name(parameters) gives type means value",
    "use": 'use "file.rules" as name',
    "values": "values Name: word, word",
    "watch": "watch event:",
    "written": 'written for revision "1" fingerprint "…"',
    "whenever": "whenever name for each x in collection:",
}
"""Form of a line by its first word."""

BLOCK_WORDS = frozenset(
    "if else for repeat match on otherwise together whenever handler procedure kind record game watch".split()
)
"""First words of lines that always have a block."""

LINE_START_WORDS = (
    VERBS
    | OPENING_WORDS
    | DECLARATION_WORDS
    | HEADER_WORDS
    | frozenset("else step option require prefer on holders order priority lowers kind when".split())
)
"""First words of lines that are no names."""

LANGUAGE_WORDS = (
    LINE_START_WORDS
    | RESERVED_WORDS
    | frozenset(
        "across as at becomes by choose cost deep die else end enter explode face from gives halt least means most of "
        "optional otherwise over pick revision secretly side split steps tagged times to up whether where with".split()
    )
)
"""All words of the language."""
