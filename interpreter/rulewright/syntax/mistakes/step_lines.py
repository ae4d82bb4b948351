"""Lines of a procedure beside its steps: what stands at its head only, and what follows the first step."""

from collections.abc import Sequence
from itertools import takewhile

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.syntax.layout import ScannedLine
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.words import OPENINGS, VERBS, WORDS


def opening_inside(situation: Situation) -> Diagnostic | None:
    """`hold` or `watch` inside a step or another block."""
    first = situation.line.words[0]
    if situation.verb not in {"hold", "watch"} or situation.at > 1 or situation.place != "line":
        return None
    if situation.parent is None or situation.parent.verb.text == "procedure":
        return None
    remedy = "move it up, before the first step, indented like that step"
    return situation.error("RW0130", f"`{first.text}` belongs at the head of a procedure", at=first, remedy=remedy)


def line_after_steps(situation: Situation) -> Diagnostic | None:
    """A plain line of a procedure below its first step."""
    parent = situation.parent
    if parent is None or parent.verb.text != "procedure" or situation.at > 0:
        return None
    if situation.verb not in VERBS | OPENINGS or not _steps_above(situation):
        return None
    message, remedy = "after the first step, every line belongs to a step", "move it up, before the first step"
    if situation.verb in OPENINGS:
        return situation.error("RW0130", message, remedy=remedy)
    name, remedy = _step_below(situation), "indent it to make it part of the step above"
    if not name:
        edits = situation.indented(situation.line, situation.step, safe=False)
        return situation.error("RW0130", message, remedy=remedy, edits=edits)
    remedy = f'write `step {name} "…":` above it, and indent it below that'
    return situation.error("RW0130", message, remedy=remedy, edits=_stepped(situation, name))


def _step_below(situation: Situation) -> str:
    """The id of a step of its own for a line below the last step; empty where it can belong to that one.

    It cannot where that one may be passed over, or ends with a line that leads elsewhere.
    """
    deep = situation.line.indent
    above = list(takewhile(lambda each: each.indent >= deep, reversed(situation.lines[: situation.index])))
    below = takewhile(lambda each: each.indent >= deep, situation.lines[situation.index :])
    if any(each.indent == deep and each.verb.text == "step" for each in below):
        return ""
    inside = list(takewhile(lambda each: each.indent > deep, above))
    steps = _steps_above(situation)
    last = next((each.verb.text for each in inside if each.indent == inside[-1].indent), "")
    may_be_passed = any(word.text == "when" for word in steps[-1].words)
    return _next_id([each.body[1].text for each in steps]) if may_be_passed or last in {"finish", "proceed"} else ""


def _steps_above(situation: Situation) -> list[ScannedLine]:
    """The steps above a line in its procedure, but for those whose line ends behind `step`."""
    above = takewhile(lambda each: each.indent >= situation.line.indent, reversed(situation.lines[: situation.index]))
    level = [each for each in above if each.indent == situation.line.indent and each.verb.text == "step"]
    return [each for each in reversed(level) if len(each.body) > 1]


def _next_id(ids: Sequence[str]) -> str:
    """The id that follows on those of steps, by their last distance; empty where they are not whole numbers."""
    numbers = [int(each) for each in ids[-2:] if each.isdecimal()]
    if not numbers or not ids[-1].isdecimal():
        return ""
    following = numbers[-1] + max(1, numbers[-1] - numbers[0])
    return str(following) if str(following) not in ids else ""


def _stepped(situation: Situation, name: str) -> tuple[Edit, ...]:
    """The edits that bring a line below the steps into one of its own."""
    start = situation.line.start - len(situation.blanks)
    rest = takewhile(lambda each: each.indent >= situation.line.indent, situation.lines[situation.index :])
    moved = [edit for each in rest for edit in situation.indented(each, situation.step, safe=False, with_block=False)]
    return situation.change(start, start, f"{situation.blanks}step {name}:\n", safe=False), *moved


def bare_step(situation: Situation) -> Diagnostic | None:
    """`3 "Falls":` and `3) "Falls":` among the lines of a procedure."""
    first, parent = situation.words[0] if situation.words else None, situation.parent
    if first is None or first.sort != "number" or parent is None or parent.verb.text != "procedure":
        return None
    if not situation.line.opens:
        return None
    signed = situation.texts[1:2] in {(".",), (")",), (":",)} and len(situation.words) > 2  # noqa: PLR2004 - with its colon
    end = situation.words[1].end if signed else first.end
    better = f"step {first.text}"
    message = f"a line does not begin with `{first.text}`"
    edits = (situation.change(first.start, end, better),)
    return situation.error("RW0102", message, at=first, remedy=f"write `{better}`", edits=edits)


def numbered_step(situation: Situation) -> Diagnostic | None:
    """`step 2. "Falls":`, `step 2) "Falls":`, and `proceed to step 2`."""
    head, words = situation.head, situation.words
    if situation.verb == "proceed" and situation.texts[head + 1 : head + 3] == ("to", "step") and len(words) > head + 3:
        name = words[head + 3]
        edits = (situation.change(words[head + 2].start, name.start, ""),)
        message, remedy = "a jump names its step without `step`", f"write `proceed to {name.text}`"
        return situation.error("RW0106", message, at=words[head + 2], remedy=remedy, edits=edits)
    if situation.verb != "step" or situation.texts[2:3] not in {(".",), (")",)} or not 1 < situation.at <= 3:  # noqa: PLR2004
        return None
    sign, following = words[2], words[3:4]
    if sign.text == "." and following and following[0].start == sign.end and following[0].sort != "string":
        return None
    message = f"a step has its id without `{sign.text}`"
    gone = situation.change(sign.start, sign.end, "")
    return situation.error("RW0106", message, at=sign, remedy="leave it out", edits=(gone,))


def untitled_step(situation: Situation) -> Diagnostic | None:
    """`step 6 Resolve hits:`, whose title has no quotes."""
    found = situation.found
    if situation.verb != "step" or found.sort != "word" or "STRING" not in situation.trouble.accepted:
        return None
    if found.text in WORDS:
        return None
    last = list(takewhile(lambda word: word.text not in {"when", ":"}, situation.words[situation.at :]))[-1]
    title = f'"{situation.content[found.start : last.end]}"'
    message = "a title goes in quotes"
    edits = (situation.change(found.start, last.end, title),) if '"' not in title[1:-1] else ()
    return situation.error("RW0106", message, at=(found.start, last.end), remedy=f"write `{title}`", edits=edits)
