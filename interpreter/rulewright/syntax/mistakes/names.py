"""Words where names or verbs belong."""

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.diagnostics.suggest import Remedy, meant, nearest, respelt
from rulewright.source import Span
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.words import DECLARATIONS, HEADERS, OPENINGS, RESERVED, VERBS

_OTHER_DECLARATIONS = {
    "ability": "an ability is a `handler`",
    "action": "an action is a `procedure`",
    "class": "a class of things is a `kind`",
    "const": "a fixed value is a `setting`, or a `term` without parameters",
    "constant": "a fixed value is a `setting`, or a `term` without parameters",
    "def": "a value is a `term`, an action a `procedure`",
    "enum": "a list of words is `values`",
    "fact": "a fact is a `term`",
    "function": "a value is a `term`, an action a `procedure`",
    "import": "another file is brought in by `use`",
    "include": "another file is brought in by `use`",
    "modifier": "modifiers are the rows of a `tally`",
    "phase": "a phase is a `procedure`",
    "rule": "an action is a `procedure`, a standing rule a `whenever`",
    "type": "a kind of thing is a `kind`, a list of words `values`",
    "unit": "a kind of thing is a `kind`",
    "var": "what exists once stands under `game:`",
}
_OTHER_VERBS = {
    "assign": "set",
    "call": "perform",
    "choose": "ask",
    "discard": "take",
    "do": "perform",
    "goto": "proceed",
    "increase": "add",
    "kill": "remove",
    "lose": "take",
    "pass": "nothing",
    "reduce": "take",
    "return": "finish",
    "switch": "match",
    "while": "repeat",
    "break": "stop",
    "foreach": "for",
    "unless": "if",
    "when": "if",
    "var": "let",
}


_VERBS_ARE = "a line of a procedure begins with a verb such as `set`, `ask` or `perform`"


_NOT_ASSIGNED = VERBS | OPENINGS | {"else", "on", "option", "prefer", "require", "step"}


def assignment(situation: Situation) -> Diagnostic | None:
    """`x = 3` as a line."""
    if situation.place != "line" or situation.verb in _NOT_ASSIGNED or "=" not in situation.texts:
        return None
    equals = sign = situation.texts.index("=")
    if situation.words[0].sort != "word":
        return None
    if sign and situation.texts[sign - 1] == ":":
        sign -= 1
    head = situation.head if situation.head < sign else 0
    place = situation.written(head, sign)
    value = situation.written(equals + 1, len(situation.words))
    words = situation.words
    edits: tuple[Edit, ...] = ()
    if sign and value and not situation.line.opens:
        edits = (
            situation.change(words[head].start, words[head].start, "set "),
            situation.change(words[sign - 1].end, words[equals + 1].start, " to "),
        )
    return situation.error(
        "RW0107",
        "`=` compares; it does not assign",
        at=words[equals],
        remedy=f"write `set {place} to {value}`",
        edits=edits,
    )


def unknown_declaration(situation: Situation) -> Diagnostic | None:
    """A line on the left margin that begins with no declaration."""
    first = situation.line.words[0]
    if situation.place != "declaration" or first.text in DECLARATIONS | HEADERS:
        return None
    if first.text in VERBS | {"step", "needs", "else", "option", "require"}:
        return situation.error(
            "RW0128",
            f"`{first.text}` belongs into a procedure",
            at=first,
            remedy="indent it under the line it belongs to",
        )
    if situation.texts[1:2] == (":",) and nearest(first.text, ("game",)) is None:
        return situation.error(
            "RW0128",
            f"`{first.text}` is no declaration",
            at=first,
            remedy="indent it under the line it belongs to",
            edits=situation.indented(situation.line, 2, safe=False) if situation.index else (),
        )
    other = _OTHER_DECLARATIONS.get(first.text.lower())
    begins = "a declaration begins with a word such as `kind`, `term` or `procedure`"
    span = Span(situation.source, first.start, first.end)
    remedy = Remedy(other) if other else meant(first.text, sorted(DECLARATIONS | HEADERS), span, begins)
    return situation.error(
        "RW0128", f"`{first.text}` is no declaration", at=first, remedy=remedy.help, edits=remedy.edits
    )


def unknown_verb(situation: Situation) -> Diagnostic | None:
    """A line of a procedure that begins with no verb."""
    verb = situation.line.verb
    if situation.place != "line" or verb.text in VERBS | OPENINGS | {
        "else",
        "require",
        "prefer",
        "option",
        "step",
        "on",
    }:
        return None
    if verb.sort != "word":
        return situation.error("RW0102", f"a line does not begin with `{verb.text}`", at=verb, remedy=_VERBS_ARE)
    span = Span(situation.source, verb.start, verb.end)
    other = _OTHER_VERBS.get(verb.text)
    known = sorted(VERBS | OPENINGS | {"else", "step"})
    remedy = respelt(span, other) if other else meant(verb.text, known, span, _VERBS_ARE)
    return situation.error("RW0102", f"`{verb.text}` is no verb", at=verb, remedy=remedy.help, edits=remedy.edits)


def reserved_name(situation: Situation) -> Diagnostic | None:
    """A word of the language where a name belongs."""
    found = situation.found
    if found is None or found.text not in RESERVED or "NAME" not in situation.trouble.accepted:
        return None
    if situation.trouble.accepted - {"NAME", "LPAR"}:
        return None
    return situation.error("RW0108", f"`{found.text}` belongs to the language", at=found, remedy="take another name")


_HAVE_ELSE = frozenset({"if", "ask", "add", "take", "draw", "else"})


def sibling_of(situation: Situation) -> str:
    """The verb of the line before, in the same block, or of that to which it is the `else`; empty for the first."""
    for line in reversed(situation.lines[: situation.index]):
        if line.indent < situation.line.indent:
            break
        if line.indent == situation.line.indent and line.verb.text not in {"else", "elif", "elseif", "elsif"}:
            return line.verb.text
    return ""


def lone_else(situation: Situation) -> Diagnostic | None:
    """`else` without a line that may have one before it."""
    first = situation.line.words[0]
    if first.text != "else" or situation.place != "line":
        return None
    if sibling_of(situation) in _HAVE_ELSE:
        return _second_else(situation)
    what = "else if" if situation.texts[1:2] == ("if",) else "else"
    owners = "`if`" if what == "else if" else "`if`, `ask`, `add`, `take` or `draw`"
    return situation.error(
        "RW0120",
        f"this `{what}` has no line it belongs to",
        at=first,
        remedy=f"it stands right after {owners}, with the same indentation",
    )


def _second_else(situation: Situation) -> Diagnostic | None:
    """`else` below an `else` that took everything."""
    beside = (line for line in reversed(situation.lines[: situation.index]) if line.indent <= situation.line.indent)
    above = next(beside, None)
    if above is None or tuple(word.text for word in above.words[:2]) != ("else", ":"):
        return None
    return situation.error(
        "RW0120",
        "the `else` above takes every case that is left",
        at=situation.line.words[0],
        remedy="leave this branch out, or give the one above a condition with `else if`",
    )


def opening_inside(situation: Situation) -> Diagnostic | None:
    """`hold`, `needs` or `watch` inside a step or another block."""
    first = situation.line.words[0]
    if situation.verb not in OPENINGS or situation.at > 1 or situation.place != "line":
        return None
    if situation.parent is None or situation.parent.verb.text == "procedure":
        return None
    return situation.error(
        "RW0130",
        f"`{first.text}` stands at the head of a procedure",
        at=first,
        remedy="move it up, before the first step, with as much indentation as that",
    )


def line_after_steps(situation: Situation) -> Diagnostic | None:
    """A plain line of a procedure below its first step."""
    parent = situation.parent
    if parent is None or parent.verb.text != "procedure" or situation.at > 0 or sibling_of(situation) != "step":
        return None
    if situation.verb not in VERBS | OPENINGS:
        return None
    return situation.error(
        "RW0130",
        "plain lines come before the first step",
        remedy="indent it to make it part of the step above, or move it up",
        edits=situation.indented(situation.line, 2, safe=False),
    )
