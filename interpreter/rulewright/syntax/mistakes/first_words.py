"""The words that lines begin with: declarations and verbs that are misspelt, misplaced or known from elsewhere."""

from rulewright.diagnostics.model import Diagnostic
from rulewright.diagnostics.remedies import Remedy, meant, nearest, respelt
from rulewright.source import Span
from rulewright.syntax.mistakes.block_lines import BEGINNINGS, MAY_OPEN
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.words import DECLARATIONS, HEADERS, OPENINGS, VERB_FORMS, VERBS

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
_SAME_FORM = {
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
"""Verbs known from elsewhere, by those that stand in their place and leave the line as it is."""
_LONGER = {
    "foreach": "for each",
    "goto": "proceed to",
    "return": "finish with",
    "while": "repeat while",
}
_OTHER_FORM = {
    "assign": "set",
    "choose": "ask",
    "decrease": "take",
    "discard": "take",
    "gain": "add",
    "increase": "add",
    "lose": "take",
    "reduce": "take",
}
"""Verbs known from elsewhere whose lines are written in another order here."""

_VERBS_ARE = "a line of a procedure begins with a verb such as `set`, `ask` or `perform`"


def unknown_declaration(situation: Situation) -> Diagnostic | None:
    """A line on the left margin that begins with no declaration."""
    first = situation.line.words[0]
    if situation.place != "declaration" or first.text in DECLARATIONS | HEADERS:
        return None
    if first.text in VERBS | {"step", "else", "option", "require"}:
        return situation.error(
            "RW0128",
            f"`{first.text}` belongs in a procedure",
            at=first,
            remedy="indent it under the line it belongs to" if situation.index else "begin with a `procedure` above it",
        )
    if situation.index and situation.texts[1:2] == (":",) and nearest(first.text, ("game",)) is None:
        return situation.error(
            "RW0128",
            f"`{first.text}` is not a declaration",
            at=first,
            remedy="indent it under the line it belongs to",
            edits=situation.indented(situation.line, 2, safe=False),
        )
    other = _OTHER_DECLARATIONS.get(first.text.lower())
    begins = "a declaration begins with a word such as `kind`, `term` or `procedure`"
    span = Span(situation.source, first.start, first.end)
    remedy = Remedy(other) if other else meant(first.text, sorted(DECLARATIONS | HEADERS), span, begins)
    return situation.error(
        "RW0128", f"`{first.text}` is not a declaration", at=first, remedy=remedy.help, edits=remedy.edits
    )


def unknown_verb(situation: Situation) -> Diagnostic | None:
    """A line of a procedure that begins with no verb."""
    verb = situation.line.verb
    if situation.place != "line" or verb.text in BEGINNINGS:
        return None
    if verb.sort != "word":
        return situation.error("RW0102", f"a line does not begin with `{verb.text}`", at=verb, remedy=_VERBS_ARE)
    if verb.text in DECLARATIONS | HEADERS and verb == situation.line.words[0]:
        return _declaration_inside(situation)
    if verb.text == "unless" and situation.line.opens:
        return _unless(situation)
    remedy = _meant_verb(situation)
    return situation.error("RW0102", f"`{verb.text}` is not a verb", at=verb, remedy=remedy.help, edits=remedy.edits)


def _meant_verb(situation: Situation) -> Remedy:
    """The verb that stands for one known from elsewhere, or the one nearest to what is written."""
    verb, following = situation.line.verb, situation.words[situation.head + 1 :]
    span = Span(situation.source, verb.start, verb.end)
    if verb.text == "go" and following and following[0].text == "to":
        return respelt(span, "proceed")
    if verb.text in _LONGER:
        return respelt(span, _LONGER[verb.text] if following else _LONGER[verb.text].split()[0])
    if verb.text in _SAME_FORM:
        return respelt(span, _SAME_FORM[verb.text])
    if verb.text in _OTHER_FORM:
        return Remedy(f"the line is written `{VERB_FORMS[_OTHER_FORM[verb.text]]}`")
    known = VERBS | OPENINGS | {"else", "step"}
    fitting = meant(verb.text, sorted(known & MAY_OPEN), span) if situation.line.opens else Remedy()
    return fitting if fitting.help else meant(verb.text, sorted(known), span, _VERBS_ARE)


def _declaration_inside(situation: Situation) -> Diagnostic:
    """A declaration among the lines of a procedure; the edit moves it to the left where no line of a block follows."""
    line = situation.line
    after = next((each for each in situation.lines[situation.index + 1 :] if each.indent <= line.indent), None)
    is_last = after is None or after.indent == 0
    return situation.error(
        "RW0102",
        f"`{line.words[0].text}` begins a declaration, and this is a line of a procedure",
        at=line.words[0],
        remedy="begin it at the left margin",
        edits=situation.indented(line, -line.indent, safe=False) if is_last else (),
    )


def _unless(situation: Situation) -> Diagnostic:
    """`unless x:`."""
    verb, condition = situation.line.verb, situation.words[situation.head + 1 : -1]
    is_one = all(word.sort == "word" or word.text == "." for word in condition)
    said = situation.written(situation.head + 1, len(situation.words) - 1)
    better = f"if not {said}" if is_one else f"if not ({said})"
    return situation.error(
        "RW0102",
        "`unless` is not a verb",
        at=verb,
        remedy=f"write `{better}:`",
        edits=(situation.change(verb.start, situation.tail, better),),
    )
