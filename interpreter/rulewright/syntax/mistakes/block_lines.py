"""Lines as parts of blocks: how far they stand in, and what opens and ends a block."""

from itertools import pairwise, takewhile

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.syntax.layout import ScannedLine, Word, open_brackets
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.words import BLOCK_WORDS, OPENINGS, OTHER_NAMES, RESERVED, VERBS

BEGINNINGS = VERBS | OPENINGS | {"else", "on", "option", "prefer", "require", "step"}
"""The words that a line of a procedure may begin with."""


def assignment(situation: Situation) -> Diagnostic | None:
    """`x = 3` as a line."""
    signs = [at for at, text in enumerate(situation.texts) if text in {"=", ":="}]
    if situation.place != "line" or situation.verb in BEGINNINGS or not signs:
        return _set_with_a_sign(situation)
    equals = sign = signs[0]
    words = situation.words
    if words[0].sort != "word":
        return None
    if sign and situation.texts[sign - 1] == ":":
        sign -= 1
    head = situation.head if situation.head < sign else 0
    if open_brackets(words[:equals]) or any(a.sort == b.sort == "word" for a, b in pairwise(words[head:sign])):
        return None
    place = situation.written(head, sign)
    value, flag, flagged = situation.written(equals + 1, len(situation.words)), *_flag_behind(situation, equals)
    edits: tuple[Edit, ...] = ()
    if sign and value and not situation.line.opens:
        edits = (
            situation.change(words[head].start, words[head].start, "set "),
            situation.change(words[sign - 1].end, words[equals + 1].start, " to "),
            *flagged,
        )
    remedy = f"write `set {place} to {flag or value}`"
    return situation.error("RW0107", _COMPARES, at=words[equals], remedy=remedy, edits=edits)


_COMPARES = "`=` compares, and changes nothing"


def _set_with_a_sign(situation: Situation) -> Diagnostic | None:
    """`set x = 3`."""
    sign, words = situation.at, situation.words
    if situation.place != "line" or situation.verb != "set" or situation.found.text not in {"=", ":="}:
        return None
    flag, flagged = _flag_behind(situation, sign)
    value = flag or situation.written(sign + 1, len(words)) or "value"
    remedy = f"write `{situation.written(situation.head, sign)} to {value}`"
    edits = (situation.change(words[sign].start, words[sign].end, "to"), *flagged)
    return situation.error("RW0107", _COMPARES, at=words[sign], remedy=remedy, edits=edits)


def _flag_behind(situation: Situation, sign: int) -> tuple[str, tuple[Edit, ...]]:
    """How a flag is written that stands alone behind a sign as elsewhere, `true`, and the edit that writes it so."""
    behind = situation.words[sign + 1 :]
    flag = {"true": "yes", "false": "no"}.get(behind[0].text.lower(), "") if len(behind) == 1 else ""
    return flag, (situation.change(behind[0].start, behind[0].end, flag),) if flag else ()


def reserved_name(situation: Situation) -> Diagnostic | None:
    """A word of the language where a name belongs."""
    found = situation.found
    if found.text not in RESERVED or "NAME" not in situation.trouble.accepted:
        return None
    if situation.trouble.accepted - {"NAME", "LPAR"}:
        return None
    other = f"take another name, such as `{OTHER_NAMES[found.text]}`"
    return situation.error("RW0108", f"`{found.text}` belongs to the language", at=found, remedy=other)


def sibling_of(situation: Situation) -> str:
    """The verb of the line before, in the same block, or of that to which it is the `else`; empty for the first."""
    for line in reversed(situation.lines[: situation.index]):
        if line.indent < situation.line.indent:
            break
        if line.indent == situation.line.indent and line.verb.text not in {"else", "elif", "elseif", "elsif"}:
            return line.verb.text
    return ""


_CASES = {"case": "on", "when": "on", "is": "on", "else": "otherwise", "default": "otherwise", "other": "otherwise"}


def case_word(situation: Situation) -> Diagnostic | None:
    """`case 1:` and `else:` among the cases of a `match`, and `else:` below them."""
    first = situation.line.words[0]
    better = _CASES.get(first.text)
    is_below = situation.place == "line" and situation.texts == ("else", ":") and sibling_of(situation) == "match"
    if better is None or not (is_below or situation.place == "case"):
        return None
    if better == "otherwise":
        message, remedy = "the cases that are left begin with `otherwise`", "write `otherwise:` as the last case"
    else:
        message, remedy = "a case begins with `on`", f"write `on` for `{first.text}`"
    edits = situation.indented(situation.line, situation.step) if is_below else ()
    return situation.error("RW0106", message, at=first, remedy=remedy, edit=better, edits=edits)


def case_without_on(situation: Situation) -> Diagnostic | None:
    """`fled: remove unit` as a case of a `match`."""
    first, colon = situation.line.words[0], next((each for each in situation.line.words if each.text == ":"), None)
    if situation.place != "case" or colon is None or first.text in {"on", "otherwise"}:
        return None
    value, rest = situation.content[first.start : colon.start].rstrip(), situation.content[colon.end :].split("\n")[0]
    below = f", and `{rest.strip()}` on its own line below it" if rest.strip() else ""
    message = "a case begins with `on`"
    edits = (situation.change(first.start, first.start, "on "),)
    return situation.error("RW0106", message, at=first, remedy=f"write `on {value}:`{below}", edits=edits)


def lone_else(situation: Situation) -> Diagnostic | None:
    """`else` without a line that may have one before it."""
    first = situation.line.words[0]
    if first.text != "else" or situation.place != "line":
        return None
    if sibling_of(situation) in _TAKES_ELSE:
        return _second_else(situation)
    what = "else if" if situation.texts[1:2] == ("if",) else "else"
    owners = "`if`" if what == "else if" else "`if`, `ask`, `add`, `take` or `draw`"
    remedy = f"it comes right after {owners}, with the same indentation"
    return situation.error("RW0120", f"this `{what}` has no line it belongs to", at=first, remedy=remedy)


def _second_else(situation: Situation) -> Diagnostic | None:
    """`else` below an `else` that took everything."""
    beside = (line for line in reversed(situation.lines[: situation.index]) if line.indent <= situation.line.indent)
    above = next(beside, None)
    if above is None or tuple(word.text for word in above.words[:2]) != ("else", ":"):
        return None
    at, remedy = situation.line.words[0], "leave this branch out, or give the one above a condition with `else if`"
    return situation.error("RW0120", "the `else` above takes every case that is left", at=at, remedy=remedy)


JOINING = frozenset({"and", "or", "+", "*", "/", ".."})
"""What joins two parts of a condition or value."""

MAY_OPEN = BLOCK_WORDS | frozenset(
    "ask board decide event insert option rank relation replace step table tally term values".split()  # noqa: SIM905 - reads best
)
"""What a line begins with that may open a block."""


def misaligned(situation: Situation) -> Diagnostic | None:
    """A line between two levels of indentation."""
    if situation.trouble.sort != "misaligned":
        return None
    above = next(line for line in reversed(situation.lines[: situation.index]) if line.indent > situation.line.indent)
    remedy = _like_its_if(situation) or _widths(situation, above)
    return situation.error("RW0104", "this line stands between two blocks", at=situation.line.words[0], remedy=remedy)


def _like_its_if(situation: Situation) -> str:
    """What to do with an `else if` whose `if` stands less deep; empty for other lines."""
    owner = situation.parent
    if situation.texts[:2] != ("else", "if") or owner is None or not is_if(owner):
        return ""
    return f"indent it by {_spaces(owner.indent)}, like its `if`"


def _widths(situation: Situation, above: ScannedLine) -> str:
    """Every indentation that a line between two blocks can have, and what it says there."""
    levels = _levels(situation, above)
    stay = min((each for each in levels if each > situation.line.indent), default=above.indent)
    end = max((each for each in levels if each < situation.line.indent), default=0)
    remedy = f"indent it by {_spaces(stay)} to stay in the block above"
    remedy += f", or by {end} to end it" if end else ""
    is_first = situation.previous is above and situation.lines[situation.index - 2].indent == end
    is_first = is_first and situation.line.indent == end + situation.step
    return f"{remedy}; or the line above by {situation.line.indent}, like this one" if is_first else remedy


def is_if(line: ScannedLine) -> bool:
    """Whether a line is an `if`, or the `else if` of one."""
    return line.verb.text == "if" or [word.text for word in line.words[:2]] == ["else", "if"]


def _spaces(number: int) -> str:
    return "1 space" if number == 1 else f"{number} spaces"


def _levels(situation: Situation, above: ScannedLine) -> tuple[int, ...]:
    """The indentation of the blocks that a line above stands in, its own among them."""
    levels = [above.indent]
    for line in reversed(situation.lines[: situation.lines.index(above)]):
        if line.indent < levels[-1]:
            levels.append(line.indent)
    return tuple(levels)


def continued_line(situation: Situation) -> Diagnostic | None:
    """A line broken before `and`, without brackets; not the first row of a tally, which lacks its name."""
    if situation.place == "tally row" and situation.previous == situation.parent:
        return None
    following = situation.lines[situation.index + 1 : situation.index + 2]
    lines = (situation.line,) if situation.found.text else (situation.line, *following)
    for line in lines:
        first = line.words[0]
        if first.text in JOINING:
            what = "condition" if first.text in {"and", "or"} else "value"
            message = f"a line does not begin with `{first.text}`"
            remedy = f"join it to the line above, or put the {what} in brackets to break it"
            return situation.error("RW0113", message, at=first, remedy=remedy, edits=_joined(situation, first))
    return None


def _joined(situation: Situation, first: Word) -> tuple[Edit, ...]:
    """The edit that joins a line to the one above; none where something stands between them that would be lost."""
    end = len(situation.content[: first.start].rstrip())
    above = next((line for line in reversed(situation.lines) if line.end <= first.start), None)
    if above is None or above.end != end or above.opens or len(above.body) < len(above.words):
        return ()
    return (situation.change(end, first.start, " "),)


def unexpected_indent(situation: Situation) -> Diagnostic | None:
    """A line indented deeper below one that opens no block."""
    if situation.trouble.layout != "_INDENT":
        return None
    above = situation.previous
    if above is not None and not above.opens and above.verb.text in MAY_OPEN and not _is_whole(above):
        return _without_colon(situation, above)
    message = "this line is indented, but the line above takes no lines under it"
    at = situation.line.words[0]
    if above is None:
        return situation.error("RW0104", message, at=at, remedy="begin it at the left margin")
    if _is_slipped(situation, above):
        remedy = f"indent it by {_spaces(situation.line.indent)}, like the line below"
        edits = situation.indented(above, situation.line.indent - above.indent, with_block=False)
        message = "this line is indented less than the line below, but takes no lines under it"
        return situation.error("RW0104", message, at=above.words[0], remedy=remedy, edits=edits)
    like = (
        f"indent it by {_spaces(above.indent)}, like the line above" if above.indent else "begin it at the left margin"
    )
    if _ends_a_block(situation, above):
        remedy = f"{like}, or the line above by {situation.line.indent}, like this one"
        return situation.error("RW0104", message, at=at, remedy=remedy)
    alone = all(each.indent <= above.indent for each in situation.lines[situation.index + 1 :][:1])
    edits = situation.indented(situation.line, above.indent - situation.line.indent, safe=alone)
    return situation.error("RW0104", message, at=at, remedy=like, edits=edits)


def _is_whole(line: ScannedLine) -> bool:
    """Whether a declaration says all it has to say on its line, so that no `:` is missing at its end."""
    texts = [word.text for word in line.body]
    if line.verb.text == "term":
        return "means" in texts
    outside = (n for n, text in enumerate(texts) if text == ":" and not open_brackets(line.body[:n]))
    return line.verb.text in {"values", "replace", "insert"} and any(outside)


def _is_slipped(situation: Situation, above: ScannedLine) -> bool:
    """Whether the line above begins a block and is itself out of step, so that this line is right."""
    if situation.index < 2:  # noqa: PLR2004 - the line above and the one that opens its block
        return False
    opener = situation.lines[situation.index - 2]
    return opener.opens and opener.indent < above.indent and situation.line.indent == opener.indent + situation.step


def _ends_a_block(situation: Situation, above: ScannedLine) -> bool:
    """Whether this line is as deep as a block that the line above ends, and may belong to it."""
    before = takewhile(lambda each: each.indent >= above.indent, reversed(situation.lines[: situation.index - 1]))
    return any(each.indent > above.indent for each in before)


def _without_colon(situation: Situation, line: ScannedLine) -> Diagnostic:
    """A line without its colon; the edit is safe where a line with this first word always opens a block."""
    last = (line.body or line.words)[-1]
    colon = situation.change(last.end, last.end, ":", safe=line.verb.text in BLOCK_WORDS | {"step", "option", "ask"})
    remedy = "end it with `:`" if line.words[-1] is last else "put `:` before the cites"
    return situation.error("RW0103", "a `:` is missing at the end of this line", at=last, remedy=remedy, edits=(colon,))


def missing_block(situation: Situation) -> Diagnostic | None:
    """A colon with nothing under it."""
    if situation.trouble.accepted != {"_INDENT"}:
        return None
    holds_lines = situation.place == "line" and situation.verb in _HOLDS_LINES
    remedy = f"indent the lines that belong to it{', or write `nothing` there' if holds_lines else ''}"
    edits = _first_lines(situation) if holds_lines else ()
    level = _level_before(situation) if holds_lines else None
    if level is not None:
        less = f"indent it by {_spaces(level)}"
        remedy = f"{remedy}; or this line is indented too far: {less}"
        if not _may_stand_here(situation):
            remedy = f"this line is indented too far: {less}"
            edits = situation.indented(situation.line, level - situation.line.indent, safe=False)
    return situation.error("RW0105", "nothing is indented below this line", remedy=remedy, edits=edits)


def _level_before(situation: Situation) -> int | None:
    """A lesser indentation at which a line has the lines that follow it as its block; none where there is none."""
    owner, line = situation.parent, situation.line
    following = situation.lines[situation.index + 1 :][:1]
    if owner is None or not following or _reads_its_block(situation, owner):
        return None
    if situation.previous is owner:
        level = owner.indent + situation.step
    elif owner.verb.text in (_TAKES_ELSE if line.verb.text == "else" else _BESIDE_LINES):
        level = owner.indent
    else:
        return None
    return level if level < following[0].indent <= line.indent else None


_BINDING = frozenset({"as", "let", "for", "each", "whether"})
"""Words before a name that a line binds."""


def _reads_its_block(situation: Situation, owner: ScannedLine) -> bool:
    """Whether a line names what the line around it, or one above in the same block, binds: outside it is not set."""
    lines = (*takewhile(lambda each: each is not owner, reversed(situation.lines[: situation.index])), owner)
    bound = {
        name.text
        for each in lines
        for word, name in zip(each.words, each.words[1:], strict=False)
        if word.text in _BINDING
    }
    return not bound.isdisjoint(word.text.partition(".")[0] for word in situation.line.words[1:])


def _may_stand_here(situation: Situation) -> bool:
    """Whether a line is as deep as its block, and no `else` without a line that it belongs to."""
    if situation.line.verb.text == "else":
        return sibling_of(situation) in _TAKES_ELSE
    return situation.previous is not situation.parent


def _first_lines(situation: Situation) -> tuple[Edit, ...]:
    """The edit that gives a line its block: the one line that follows it, or `nothing`; none where more may belong."""
    indent, end = situation.line.indent, situation.line.end
    beside = list(takewhile(lambda each: each.indent >= indent, situation.lines[situation.index + 1 :]))
    if not beside:
        return (situation.change(end, end, f"\n{situation.blanks}  nothing", safe=False),)
    if sum(each.indent == indent for each in beside) > 1 or beside[0].words[0].text == "else":
        return ()
    return situation.indented(beside[0], 2, safe=False)


_TAKES_ELSE = frozenset({"if", "ask", "add", "take", "draw", "else"})
_BESIDE_LINES = frozenset({"if", "else", "for", "repeat", "together", "ask", "watch"})
"""What lines of a procedure hold lines and stand beside any others."""
_HOLDS_LINES = frozenset("if else for repeat together step on option ask watch".split())  # noqa: SIM905 - reads best


def missing_colon(situation: Situation) -> Diagnostic | None:
    """A line that opens a block and has no colon."""
    lacking = "COLON" in situation.trouble.accepted and "_NL" not in situation.trouble.accepted
    if situation.found.sort not in {"end", "cite"} or not lacking or situation.verb not in MAY_OPEN:
        return None
    return _without_colon(situation, situation.line)


def block_on_the_line(situation: Situation) -> Diagnostic | None:
    """`if x: proceed to S` on one line."""
    found, before = situation.found, situation.before
    if before.text != ":" or found.sort in {"end", "cite"} or situation.at < 2:  # noqa: PLR2004
        return None
    if situation.trouble.accepted - {"CITE"} != {"_NL"}:
        return None
    rest = situation.written(situation.at, len(situation.words))
    message, remedy = "the block begins on the next line", f"put `{rest}` on its own line, indented by two spaces"
    edits = (situation.change(before.end, found.start, f"\n{situation.blanks}  "),)
    return situation.error("RW0112", message, at=(found.start, situation.words[-1].end), remedy=remedy, edits=edits)
