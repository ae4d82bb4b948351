"""Brackets without their partner."""

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.scan import open_brackets

_PARTNER = {"(": ")", "[": "]", "{": "}"}


def unclosed_bracket(situation: Situation) -> Diagnostic | None:
    """A bracket that is still open at the end of its line."""
    opened = open_brackets(situation.line.words)
    if not opened:
        return None
    bracket = opened[-1]
    closing = _PARTNER[bracket.text]
    end = situation.change(situation.tail, situation.tail, closing, safe=False)
    return situation.error(
        "RW0126", f"`{bracket.text}` is not closed", at=bracket, remedy=f"add `{closing}`", edits=(end,)
    )


def unopened_bracket(situation: Situation) -> Diagnostic | None:
    """A closing bracket that closes nothing, or closes another kind."""
    opened: list[str] = []
    for word in situation.words:
        if word.sort == "sign" and word.text in _PARTNER:
            opened.append(word.text)
        elif word.sort == "sign" and word.text in _PARTNER.values():
            if not opened:
                gone = situation.change(word.start, word.end, "", safe=False)
                return situation.error(
                    "RW0126", f"`{word.text}` closes nothing", at=word, remedy="leave it out", edits=(gone,)
                )
            expected = _PARTNER[opened.pop()]
            if expected != word.text:
                return situation.error(
                    "RW0126",
                    f"`{word.text}` closes another kind of bracket",
                    at=word,
                    remedy=f"write `{expected}`",
                    edits=(situation.change(word.start, word.end, expected, safe=False),),
                )
    return None
