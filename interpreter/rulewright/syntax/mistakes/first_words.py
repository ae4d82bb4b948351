"""Mistakes of first words: declarations and verbs misspelt, misplaced, or known from elsewhere."""

from rulewright.base.diagnostics import Diagnostic, Remedy
from rulewright.base.diagnostics.remedies import find_nearest_name, make_name_remedy, make_respelling_remedy
from rulewright.base.source import Span
from rulewright.syntax.mistakes.block_lines import BLOCK_OPENERS, PROCEDURE_LINE_WORDS
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.nodes.statements import VERB_FORMS
from rulewright.syntax.words import ASK_FORMS, DECLARATION_WORDS, HEADER_WORDS, OPENING_WORDS, VERBS

_DECLARATION_SYNONYMS = {"class": "kind", "enum": "values", "import": "use", "include": "use"}
_DECLARATION_HINTS = {
    "ability": "an ability is a `handler`",
    "action": "an action is a `procedure`",
    "class": "a class of things is a `kind`",
    "const": "a fixed value is a `setting`, or a `term` without parameters",
    "constant": "a fixed value is a `setting`, or a `term` without parameters",
    "bag": "a bag is an attribute, `tokens: bag of Token`; if there is only one, put it under `game:`",
    "deck": "a deck is an attribute, `orders: deck of Card`; if there is only one, put it under `game:`",
    "declare": "a kind of thing is a `kind`, a list of words `values`, what exists once goes under `game:`",
    "def": "a value is a `term`, an action a `procedure`",
    "define": "a value is a `term`, an action a `procedure`",
    "enum": "a list of words is `values`",
    "fact": "a fact is a `term`",
    "function": "a value is a `term`, an action a `procedure`",
    "global": "what exists once goes under `game:`",
    "globals": "what exists once goes under `game:`",
    "import": "another file is brought in by `use`",
    "include": "another file is brought in by `use`",
    "modifier": "modifiers are the rows of a `tally`",
    "phase": "a phase is a `procedure`",
    "rule": "an action is a `procedure`, a standing rule a `whenever`",
    "type": "a kind of thing is a `kind`, a list of words `values`",
    "unit": "a kind of thing is a `kind`",
    "var": "what exists once goes under `game:`",
}
_VERB_SYNONYMS = {
    "break": "stop",
    "call": "perform",
    "delete": "remove",
    "destroy": "remove",
    "do": "perform",
    "eliminate": "remove",
    "kill": "remove",
    "otherwise": "else",
    "pass": "nothing",
    "subtract": "take",
    "switch": "match",
    "var": "let",
    "when": "if",
}
"""Verbs known from elsewhere and their counterparts, with which the line is right."""
_VERB_PHRASES = {
    "foreach": "for each",
    "give": "finish with",
    "go": "proceed",
    "goto": "proceed to",
    "return": "finish with",
    "while": "repeat while",
}
_PLACE_SIGNS = frozenset({".", "["})
"""Signs after the name of a place, never after a verb."""
_REORDERED_VERBS = {
    "assign": "set",
    "choose": "ask",
    "continue": "proceed",
    "decrease": "take",
    "discard": "take",
    "gain": "add",
    "increase": "add",
    "jump": "proceed",
    "lose": "take",
    "reduce": "take",
}
"""Verbs known from elsewhere and their counterparts, whose lines have another order."""

_VERB_REMEDY = "a line of a procedure begins with a verb such as `set`, `ask` or `perform`"


def diagnose_unknown_declaration(context: MistakeContext) -> Diagnostic | None:
    """A line at the left margin that begins with no declaration."""
    first = context.line.words[0]
    if context.line_kind != "declaration" or first.text in DECLARATION_WORDS | HEADER_WORDS:
        return None
    if first.text in VERBS | {"step", "else", "option", "require"}:
        return context.make_line_error(
            "RW0128",
            f"`{first.text}` belongs in a procedure",
            at=first,
            remedy="indent it under the line it belongs to" if context.index else "begin with a `procedure` above it",
        )
    other = _DECLARATION_HINTS.get(first.text.lower())
    is_named = context.texts[1:2] == (":",) and find_nearest_name(first.text, ("game",)) is None and not other
    is_row = is_named or "|" in context.texts
    if context.index and is_row:
        return context.make_line_error(
            "RW0128",
            f"`{first.text}` is not a declaration",
            at=first,
            remedy="indent it under the line it belongs to",
            edits=context.make_indent_edits(context.line, 2, safe=False, with_block=context.line.opens_block),
        )
    begins = "a declaration begins with a word such as `kind`, `term` or `procedure`"
    span = Span(context.source, first.start, first.end)
    same = _DECLARATION_SYNONYMS.get(first.text.lower())
    edits = make_respelling_remedy(span, same).edits if same else ()
    remedy = (
        Remedy(other, edits)
        if other
        else make_name_remedy(first.text, sorted(DECLARATION_WORDS | HEADER_WORDS), span, begins)
    )
    return context.make_line_error(
        "RW0128", f"`{first.text}` is not a declaration", at=first, remedy=remedy.help, edits=remedy.edits
    )


def diagnose_indented_declaration(context: MistakeContext) -> Diagnostic | None:
    """A declaration among the rows of another one, which its indentation makes it."""
    first, *following = context.line.words
    if context.line_kind in {"declaration", "line"} or first.text not in DECLARATION_WORDS - {"insert", "replace"}:
        return None
    if len(following) < 2 or following[0].sort != "word" or following[0].text in {"means", "when"}:  # noqa: PLR2004
        return None
    return context.make_line_error(
        "RW0128",
        f"`{first.text}` begins a declaration, and stands in the block of another",
        at=first,
        remedy="begin it at the left margin",
        edits=context.make_indent_edits(context.line, -context.line.indent, safe=False),
    )


def diagnose_lone_edition(context: MistakeContext) -> Diagnostic | None:
    """`edition 2` on a line of its own."""
    head = context.lines[0]
    if context.texts[:1] != ("edition",) or len(context.texts) > 2 or head.verb.text not in HEADER_WORDS:  # noqa: PLR2004
        return None
    written = context.get_words_text(0, len(context.texts))
    is_read = "edition" in [word.text for word in head.words] or "revision" not in [word.text for word in head.words]
    remedy = f"write `{written}` at the end of the first line, after its revision"
    edits = () if is_read else (context.make_edit(head.end, head.end, f" {written}"), context.make_line_deletion())
    return context.make_line_error(
        "RW0128", "the edition of the language goes on the first line", remedy=remedy, edits=edits
    )


def diagnose_unknown_verb(context: MistakeContext) -> Diagnostic | None:
    """A line of a procedure that begins with no verb."""
    verb = context.line.verb
    is_rule_row = (
        context.parent_line is not None and context.parent_line.verb.text == "whenever" and context.stop_index > 0
    )
    is_rule_row = is_rule_row and verb.text in {"when", "priority", "lowers"}
    if context.line_kind != "line" or verb.text in PROCEDURE_LINE_WORDS or is_rule_row:
        return None
    if verb.sort != "word":
        return context.make_line_error(
            "RW0102", f"a line does not begin with `{verb.text}`", at=verb, remedy=_VERB_REMEDY
        )
    if verb.text in DECLARATION_WORDS | HEADER_WORDS and verb == context.line.words[0]:
        return _diagnose_inner_declaration(context)
    remedy = _make_verb_remedy(context)
    return context.make_line_error(
        "RW0102", f"`{verb.text}` is not a verb", at=verb, remedy=remedy.help, edits=remedy.edits
    )


def _make_verb_remedy(context: MistakeContext) -> Remedy:
    verb, following = context.line.verb, context.words[context.verb_index + 1 :]
    span, behind = Span(context.source, verb.start, verb.end), following[0].text if following else ""
    if behind == "(":
        return make_respelling_remedy(span, f"{_choose_call_verb(context)} {verb.text}")
    if (verb.text, behind) == ("do", "while"):
        return make_respelling_remedy(Span(context.source, verb.start, following[0].end), "repeat while")
    if verb.text in _VERB_PHRASES and (verb.text != "go" or behind == "to"):
        return make_respelling_remedy(
            span, _VERB_PHRASES[verb.text] if following else _VERB_PHRASES[verb.text].split()[0]
        )
    if verb.text in _VERB_SYNONYMS:
        return make_respelling_remedy(span, _VERB_SYNONYMS[verb.text])
    written = _VERB_REMEDY if behind in _PLACE_SIGNS else _describe_verb_form(verb.text)
    return Remedy(written) if written else _find_nearest_verb(context, span)


def _describe_verb_form(verb: str) -> str:
    """Form of the line of a verb known from elsewhere whose words stand in another order; empty for others."""
    if verb == "advance":
        return "write `set place to along(place, 1)`, the next word of its list; a number is added to, `add 1 to place`"
    if verb in {"end", "exit", "quit"}:
        return "write `finish`, which ends the procedure, or `stop`, which ends a loop"
    if verb not in _REORDERED_VERBS:
        return ""
    form = ASK_FORMS["for"] if _REORDERED_VERBS[verb] == "ask" else VERB_FORMS[_REORDERED_VERBS[verb]]
    return f"the line is written `{form}`"


def _choose_call_verb(context: MistakeContext) -> str:
    events = {line.words[1].text for line in context.lines if line.words[0].text == "event" and line.words[1:]}
    return "trigger" if context.line.verb.text in events else "perform"


def _find_nearest_verb(context: MistakeContext, span: Span) -> Remedy:
    """Verb most similar to the word; where the line has a block, one that may have one."""
    verb = context.line.verb.text
    if any([word.text for word in line.words[:2]] == ["procedure", verb] for line in context.lines):
        return Remedy(f"write `perform {verb}(…)`")
    known = VERBS | OPENING_WORDS | {"else", "step"}
    fitting = make_name_remedy(verb, sorted(known & BLOCK_OPENERS), span) if context.line.opens_block else Remedy()
    return fitting if fitting.help else make_name_remedy(verb, sorted(known), span, _VERB_REMEDY)


def _diagnose_inner_declaration(context: MistakeContext) -> Diagnostic:
    """A declaration among the lines of a procedure; the edit unindents it if no line of a block follows."""
    line = context.line
    after = next((other for other in context.lines[context.index + 1 :] if other.indent <= line.indent), None)
    is_last = after is None or after.indent == 0
    message = f"`{line.words[0].text}` begins a declaration, and this is a line of a procedure"
    if line.words[0].text == "replace":
        remedy = "dice are thrown again by `reroll`, and a name gets another value by `set`; an overlay replaces lines"
        return context.make_line_error("RW0102", message, at=line.words[0], remedy=remedy)
    edits = context.make_indent_edits(line, -line.indent, safe=False) if is_last else ()
    return context.make_line_error(
        "RW0102", message, at=line.words[0], remedy="begin it at the left margin", edits=edits
    )
