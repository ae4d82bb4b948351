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
    return situation.error(
        "RW0126", f"`{bracket.text}` is not closed", at=bracket, remedy=f"add `{_PARTNER[bracket.text]}`"
    )


def unopened_bracket(situation: Situation) -> Diagnostic | None:
    """A closing bracket that closes nothing, or closes another kind."""
    opened: list[str] = []
    for word in situation.words:
        if word.sort == "sign" and word.text in _PARTNER:
            opened.append(word.text)
        elif word.sort == "sign" and word.text in _PARTNER.values():
            if not opened:
                return situation.error("RW0126", f"`{word.text}` closes nothing", at=word, remedy="leave it out")
            expected = _PARTNER[opened.pop()]
            if expected != word.text:
                return situation.error(
                    "RW0126",
                    f"`{word.text}` closes another kind of bracket",
                    at=word,
                    remedy=f"write `{expected}`",
                    edit=expected,
                )
    return None
