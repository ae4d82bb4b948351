"""Blocks and the indentation that shows them."""

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.mistakes.situation import Situation
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
    level = min(
        (line.indent for line in situation.lines[: situation.index] if situation.line.indent < line.indent),
        default=above.indent,
    )
    remedy = f"indent it by {level} spaces like the lines above, or less to end their block"
    return situation.error("RW0104", "this line stands between two blocks", at=situation.line.words[0], remedy=remedy)


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
                remedy=f"put the {what} in brackets to break it",
            )
    return None


def unexpected_indent(situation: Situation) -> Diagnostic | None:
    """A line indented deeper below one that opens no block."""
    if situation.trouble.layout != "_INDENT":
        return None
    above = situation.previous
    if above is not None and not above.opens and above.verb.text in _MAY_OPEN:
        last = (above.body or above.words)[-1]
        return situation.error(
            "RW0103", "a `:` is missing at the end of this line", at=last, remedy="put `:` before the margin"
        )
    return situation.error(
        "RW0104",
        "this line is indented, but the line above opens no block",
        at=situation.line.words[0],
        remedy="indent it like the line above",
    )


def missing_block(situation: Situation) -> Diagnostic | None:
    """A colon with nothing under it."""
    if situation.trouble.accepted != {"_INDENT"}:
        return None
    return situation.error(
        "RW0105",
        "nothing stands under this line",
        remedy="indent the lines that belong to it, or write `nothing` there"
        if situation.place == "line"
        else "indent the lines that belong to it",
    )


def missing_colon(situation: Situation) -> Diagnostic | None:
    """A line that opens a block and has no colon."""
    found = situation.found
    ended = found is None or found.sort == "cite"
    if not ended or "COLON" not in situation.trouble.accepted or "_NL" in situation.trouble.accepted:
        return None
    if situation.verb not in _MAY_OPEN:
        return None
    last = situation.words[-1]
    return situation.error(
        "RW0103", "a `:` is missing at the end of this line", at=last, remedy="put `:` before the margin"
    )


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
    )
