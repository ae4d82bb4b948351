"""The words that lines begin with: declarations and verbs that are misspelt, misplaced or known from elsewhere."""

from rulewright.diagnostics.model import Diagnostic
from rulewright.diagnostics.remedies import Remedy, meant, nearest, respelt
from rulewright.source import Span
from rulewright.syntax.mistakes.block_lines import BEGINNINGS, MAY_OPEN
from rulewright.syntax.mistakes.english import negated
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.words import ASK_FORMS, DECLARATIONS, HEADERS, OPENINGS, VERB_FORMS, VERBS

_SAME_DECLARATION = {"class": "kind", "enum": "values", "import": "use", "include": "use"}
_OTHER_DECLARATIONS = {
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
    "give": "finish with",
    "go": "proceed",
    "goto": "proceed to",
    "return": "finish with",
    "while": "repeat while",
}
_PARTS = frozenset({".", "["})
"""What stands behind the name of a place, never behind a verb."""
_OTHER_FORM = {
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
    other = _OTHER_DECLARATIONS.get(first.text.lower())
    is_row = situation.texts[1:2] == (":",) and nearest(first.text, ("game",)) is None and not other
    if situation.index and is_row:
        return situation.error(
            "RW0128",
            f"`{first.text}` is not a declaration",
            at=first,
            remedy="indent it under the line it belongs to",
            edits=situation.indented(situation.line, 2, safe=False),
        )
    begins = "a declaration begins with a word such as `kind`, `term` or `procedure`"
    span = Span(situation.source, first.start, first.end)
    same = _SAME_DECLARATION.get(first.text.lower())
    edits = respelt(span, same).edits if same else ()
    remedy = Remedy(other, edits) if other else meant(first.text, sorted(DECLARATIONS | HEADERS), span, begins)
    return situation.error(
        "RW0128", f"`{first.text}` is not a declaration", at=first, remedy=remedy.help, edits=remedy.edits
    )


def replaced_line(situation: Situation) -> Diagnostic | None:
    """`replace roll strike/1/blow: …` and `replace strike/1/blow: …` in an overlay."""
    texts, words, at = situation.texts, situation.words, situation.at
    if texts[:1] not in {("replace",), ("insert",)} or at != 1 or situation.found.sort != "word":
        return None
    verb = texts[0]
    names_verb = situation.found.text in VERBS
    start = 2 if names_verb else 1
    end = next((number for number in range(start + 1, len(words)) if words[number].start > words[number - 1].end), 0)
    address = situation.written(start, end or len(words)).removesuffix(":")
    is_addressed = "/" in address
    if not is_addressed and not names_verb:
        return None
    address = address if is_addressed else "ADDRESS"
    line = situation.written(end, len(words)) if end and is_addressed and texts[end - 1] == ":" else ""
    if verb == "insert":
        remedy = f"write `insert after {address}:` or `insert into {address}:`, and the new lines below it, indented"
        return situation.error("RW0101", "this `insert` does not name its place", at=situation.found, remedy=remedy)
    remedy = f"write `replace line {address}:`, and the new line below it, indented"
    others = "" if names_verb else "; for a row, an option or a step, `replace row`, `replace option`, `replace step`"
    fits = names_verb and line.startswith(situation.found.text)
    whole = f"replace line {address}:\n{situation.blanks}  {line}"
    edits = (situation.change(words[0].start, words[-1].end, whole, safe=False),) if fits else ()
    message = "this `replace` does not name what it replaces" if not names_verb else "a line is replaced by its address"
    return situation.error("RW0101", message, at=situation.found, remedy=f"{remedy}{others}", edits=edits)


def kind_of_players(situation: Situation) -> Diagnostic | None:
    """`player:` and `players:` as a declaration."""
    if situation.place != "declaration" or situation.texts not in {("player", ":"), ("players", ":")}:
        return None
    at, remedy = situation.words[0], "what players have is declared by `kind player, players:`"
    edits = (situation.change(situation.words[0].start, situation.words[0].end, "kind player, players"),)
    return situation.error("RW0128", f"`{situation.texts[0]}` is not a declaration", at=at, remedy=remedy, edits=edits)


def known_kind(situation: Situation) -> Diagnostic | None:
    """`kind player, players`, with nothing below it."""
    if situation.texts[:2] != ("kind", "player") or situation.below is not None:
        return None
    message = "the kind `player`, with its plural `players`, is there in every ruleset"
    remedy = "write `kind player, players:` to give it attributes; without any, take the line out"
    return situation.error("RW0106", message, remedy=remedy, edits=(situation.without_line(),))


def lone_edition(situation: Situation) -> Diagnostic | None:
    """`edition 2` on a line of its own."""
    head = situation.lines[0]
    if situation.texts[0] != "edition" or len(situation.texts) > 2 or head.verb.text not in HEADERS:  # noqa: PLR2004
        return None
    written = situation.written(0, len(situation.texts))
    is_read = "edition" in [each.text for each in head.words] or "revision" not in [each.text for each in head.words]
    remedy = f"write `{written}` at the end of the first line, after its revision"
    edits = () if is_read else (situation.change(head.end, head.end, f" {written}"), situation.without_line())
    return situation.error("RW0128", "the edition of the language goes on the first line", remedy=remedy, edits=edits)


def no_revision(situation: Situation) -> Diagnostic | None:
    """`ruleset skirmish "Skirmish"`."""
    if situation.verb not in HEADERS or situation.found.text or situation.trouble.accepted != {"REVISION"}:
        return None
    end = situation.line.end
    message = "the first line has no revision"
    remedy = 'write `revision "1"` at its end, or what this revision is called'
    return situation.error("RW0101", message, remedy=remedy, edits=(situation.change(end, end, ' revision "1"'),))


def title_after_revision(situation: Situation) -> Diagnostic | None:
    """`ruleset skirmish revision "1" "Skirmish"`."""
    words, at = situation.words, situation.at
    if situation.verb not in HEADERS or situation.found.text != "revision" or situation.before.sort != "word":
        return None
    if [each.sort for each in words[at + 1 : at + 3]] != ["string", "string"]:
        return None
    revision, title = words[at + 1 : at + 3]
    parts = situation.written(0, at), title.text, situation.written(at, at + 2), situation.written(at + 3, len(words))
    better = " ".join(filter(None, parts))
    before = situation.before.end
    edits = (situation.change(before, before, f" {title.text}"), situation.change(revision.end, title.end, ""))
    message = "the title comes before `revision`"
    return situation.error("RW0109", message, at=title, remedy=f"write `{better}`", edits=edits)


def unknown_verb(situation: Situation) -> Diagnostic | None:
    """A line of a procedure that begins with no verb."""
    verb = situation.line.verb
    is_rule_row = situation.parent is not None and situation.parent.verb.text == "whenever" and situation.at > 0
    is_rule_row = is_rule_row and verb.text in {"when", "priority", "lowers"}
    if situation.place != "line" or verb.text in BEGINNINGS or is_rule_row:
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
    span, behind = Span(situation.source, verb.start, verb.end), following[0].text if following else ""
    if behind == "(":
        return respelt(span, f"{_performs(situation)} {verb.text}")
    if (verb.text, behind) == ("do", "while"):
        return respelt(Span(situation.source, verb.start, following[0].end), "repeat while")
    if verb.text in _LONGER and (verb.text != "go" or behind == "to"):
        return respelt(span, _LONGER[verb.text] if following else _LONGER[verb.text].split()[0])
    if verb.text in _SAME_FORM:
        return respelt(span, _SAME_FORM[verb.text])
    said = _VERBS_ARE if behind in _PARTS else _said_of(verb.text)
    return Remedy(said) if said else _nearest_verb(situation, span)


def _said_of(verb: str) -> str:
    """What is said of a verb known from elsewhere whose line is written in another order; empty for others."""
    if verb == "advance":
        return "write `set place to along(place, 1)`, the next word of its list; a number is added to, `add 1 to place`"
    if verb in {"end", "exit", "quit"}:
        return "write `finish`, which ends the procedure, or `stop`, which ends a loop"
    if verb not in _OTHER_FORM:
        return ""
    form = ASK_FORMS["for"] if _OTHER_FORM[verb] == "ask" else VERB_FORMS[_OTHER_FORM[verb]]
    return f"the line is written `{form}`"


def _performs(situation: Situation) -> str:
    """The verb that carries out what is called here."""
    events = {line.words[1].text for line in situation.lines if line.words[0].text == "event" and line.words[1:]}
    return "trigger" if situation.line.verb.text in events else "perform"


def _nearest_verb(situation: Situation, span: Span) -> Remedy:
    """The verb most like what is written; where the line opens a block, one that may."""
    verb = situation.line.verb.text
    if any([each.text for each in line.words[:2]] == ["procedure", verb] for line in situation.lines):
        return Remedy(f"write `perform {verb}(…)`")
    known = VERBS | OPENINGS | {"else", "step"}
    fitting = meant(verb, sorted(known & MAY_OPEN), span) if situation.line.opens else Remedy()
    return fitting if fitting.help else meant(verb, sorted(known), span, _VERBS_ARE)


def _declaration_inside(situation: Situation) -> Diagnostic:
    """A declaration among the lines of a procedure; the edit moves it to the left where no line of a block follows."""
    line = situation.line
    after = next((each for each in situation.lines[situation.index + 1 :] if each.indent <= line.indent), None)
    is_last = after is None or after.indent == 0
    message = f"`{line.words[0].text}` begins a declaration, and this is a line of a procedure"
    if line.words[0].text == "replace":
        remedy = "dice are thrown again by `reroll`, and a name gets another value by `set`; an overlay replaces lines"
        return situation.error("RW0102", message, at=line.words[0], remedy=remedy)
    edits = situation.indented(line, -line.indent, safe=False) if is_last else ()
    return situation.error("RW0102", message, at=line.words[0], remedy="begin it at the left margin", edits=edits)


def _unless(situation: Situation) -> Diagnostic:
    """`unless x:`."""
    verb = situation.line.verb
    better = f"if {negated(situation, situation.head + 1, len(situation.words) - 1)}"
    edits = (situation.change(verb.start, situation.tail, better),)
    return situation.error("RW0102", "`unless` is not a verb", at=verb, remedy=f"write `{better}:`", edits=edits)
