"""Blocks and the indentation that shows them."""

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.scan import ScannedLine, Word
from rulewright.syntax.words import BLOCK_WORDS

JOINING = frozenset({"and", "or", "+", "*", "/", ".."})
"""What joins two parts of a condition or value."""

_MAY_OPEN = BLOCK_WORDS | {
    "ask",
    "board",
    "decide",
    "event",
    "insert",
    "option",
    "rank",
    "relation",
    "step",
    "table",
    "tally",
    "term",
    "values",
}


def misaligned(situation: Situation) -> Diagnostic | None:
    """A line between two levels of indentation."""
    if situation.trouble.sort != "misaligned":
        return None
    above = next(line for line in reversed(situation.lines[: situation.index]) if line.indent > situation.line.indent)
    levels = _levels(situation, above)
    level = min((each for each in levels if each > situation.line.indent), default=above.indent)
    nearest = min(levels, key=lambda each: (abs(each - situation.line.indent), -each))
    remedy = f"indent it by {level} spaces like the lines above, or less to end their block"
    return situation.error(
        "RW0104",
        "this line stands between two blocks",
        at=situation.line.words[0],
        remedy=remedy,
        edits=situation.indented(situation.line, nearest - situation.line.indent, safe=False),
    )


def _levels(situation: Situation, above: ScannedLine) -> tuple[int, ...]:
    """The indentation of the blocks that a line above stands in, its own among them."""
    levels = [above.indent]
    for line in reversed(situation.lines[: situation.lines.index(above)]):
        if line.indent < levels[-1]:
            levels.append(line.indent)
    return tuple(levels)


def continued_line(situation: Situation) -> Diagnostic | None:
    """A line broken before `and`, without brackets."""
    following = situation.lines[situation.index + 1 : situation.index + 2]
    lines = (situation.line, *following) if situation.found is None else (situation.line,)
    for line in lines:
        first = line.words[0]
        if first.text in JOINING:
            what = "condition" if first.text in {"and", "or"} else "value"
            return situation.error(
                "RW0113",
                f"a line does not begin with `{first.text}`",
                at=first,
                remedy=f"join it to the line above, or put the {what} in brackets to break it",
                edits=_joined(situation, first),
            )
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
    if above is not None and not above.opens and above.verb.text in _MAY_OPEN:
        return _without_colon(situation, (above.body or above.words)[-1], above.verb.text)
    edits = () if above is None else situation.indented(situation.line, above.indent - situation.line.indent)
    return situation.error(
        "RW0104",
        "this line is indented, but the line above opens no block",
        at=situation.line.words[0],
        remedy="indent it like the line above",
        edits=edits,
    )


def _without_colon(situation: Situation, last: Word, verb: str) -> Diagnostic:
    """Where only blocks follow the word, there is one way to mend it."""
    colon = situation.change(last.end, last.end, ":", safe=verb in BLOCK_WORDS | {"step", "option", "ask"})
    return situation.error(
        "RW0103",
        "a `:` is missing at the end of this line",
        at=last,
        remedy="put `:` before the margin",
        edits=(colon,),
    )


def missing_block(situation: Situation) -> Diagnostic | None:
    """A colon with nothing under it."""
    if situation.trouble.accepted != {"_INDENT"}:
        return None
    if situation.place != "line" or situation.verb not in _HOLDS_LINES:
        return situation.error("RW0105", "nothing stands under this line", remedy="indent the lines that belong to it")
    end = situation.line.end
    return situation.error(
        "RW0105",
        "nothing stands under this line",
        remedy="indent the lines that belong to it, or write `nothing` there",
        edits=(situation.change(end, end, f"\n{situation.blanks}  nothing", safe=False),),
    )


_HOLDS_LINES = frozenset("if else for repeat together step on option ask watch".split())  # noqa: SIM905 - reads best


def missing_colon(situation: Situation) -> Diagnostic | None:
    """A line that opens a block and has no colon."""
    found = situation.found
    ended = found is None or found.sort == "cite"
    if not ended or "COLON" not in situation.trouble.accepted or "_NL" in situation.trouble.accepted:
        return None
    if situation.verb not in _MAY_OPEN:
        return None
    return _without_colon(situation, situation.words[-1], situation.verb)


def block_on_the_line(situation: Situation) -> Diagnostic | None:
    """`if x: proceed to S` on one line."""
    found, before = situation.found, situation.before
    if found is None or before is None or before.text != ":" or found.sort == "cite" or situation.at < 2:  # noqa: PLR2004
        return None
    if situation.trouble.accepted - {"CITE"} != {"_NL"}:
        return None
    rest = situation.written(situation.at, len(situation.words))
    return situation.error(
        "RW0112",
        "the block begins on the next line",
        at=(found.start, situation.words[-1].end),
        remedy=f"put `{rest}` on its own line, indented by two spaces",
        edits=(situation.change(before.end, found.start, f"\n{situation.blanks}  "),),
    )
