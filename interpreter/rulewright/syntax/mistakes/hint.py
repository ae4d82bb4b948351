"""A hint: one row of `hint_table`, which knows a slip by a pattern and says what was meant."""

import re
from collections.abc import Callable

from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.base.frozen import dataclass
from rulewright.syntax.mistakes.line_pattern import LineMatch, find_matches
from rulewright.syntax.mistakes.mistake_context import MistakeContext

_PLACE_NAME = re.compile(r"[^\W\d]\w*(?: ?\. ?[^\W\d]\w*)*")
_TAGGED_PART = re.compile(r" *((?:[^,()]|\([^()]*\))+?) tagged (\w+(?: ?\. ?\w+)*)")
_NUMBER_WORDS = {"one": "", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}


def make_name_from_title(title: str) -> str:
    """Name made of a title of one to three words; empty for others."""
    items = re.findall(r"[a-z]+", title.lower())
    return "_".join(items) if len(items) <= 3 else ""  # noqa: PLR2004


def negate_condition(condition: str) -> str:
    """A condition after a `not`, bracketed unless it is a single name."""
    return f"not {condition}" if _PLACE_NAME.fullmatch(condition) else f"not ({condition})"


def name_dice(dice: str) -> str:
    """Dice with their names before them, of a text that has the names behind, after `tagged`."""
    return _TAGGED_PART.sub(r" \2: \1", dice.strip("[] ")).strip()


FILTERS: dict[str, Callable[[str], str]] = {
    "name": make_name_from_title,
    "not": negate_condition,
    "dice": lambda dice: dice.replace(" ", "").lower(),
    "demand": {"require": "requirement", "prefer": "preference"}.__getitem__,
    "several": lambda number: "" if number == "1" else number,
    "spaced": lambda text: text and f" {text}",
    "dots": lambda cell: re.sub(r"(?<=\d) ?[-–] ?(?=\d)", "..", cell),  # noqa: RUF001 - signs that look alike are meant
    "named": name_dice,
    "odds": lambda cells: re.sub(r"(\d+) ?: ?(\d+)", r"odds_\1_\2", cells),
    "address": lambda text: text if "/" in text else "",
    "bounds": lambda text: "..".join(str(end(map(int, re.findall(r"\d+", text)))) for end in (min, max)),
    "digit": _NUMBER_WORDS.__getitem__,
    "flag": lambda word: {"true": "yes", "false": "no"}.get(word.lower(), word),
    "range": lambda number: number.replace(".", ".."),
    "underscores": lambda name: name.replace("-", "_"),
}
"""What a template may do with a text: `{title!name}`."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A slip, known by a pattern over the words of its line, with its message and remedy."""

    pattern: str  # as `line_pattern` describes
    message: str = "`{at}` is written `{write}`"
    write: str = ""  # template of what is right, which an edit writes at the place of the mistake
    code: str = "RW0106"
    at: str = "at"  # place of the mistake
    remedy: str = "write `{write}`"
    edits: tuple[tuple[str, str], ...] = ()  # places with templates of what belongs there, if not `write`
    safe: bool = True  # whether the edits leave what was meant
    verb: str = ""  # first words of lines in which it may stand, after a `-` those in which it may not
    kind: str = ""  # kinds of lines, as `MistakeContext.line_kind` has them; after a `-` those in which it may not
    accepts: str = ""  # terminals that the parser would have accepted, `-X` would not, `=X` alone
    near: tuple[int, int] | None = None  # where the parser stopped, counted from the first word of the match
    condition: Callable[[LineMatch], bool] | None = None  # what a pattern cannot say; it may add `values`
    example: str = ""  # a text with the mistake between `«` and `»`, and behind `→` the text as the remedy leaves it

    def __call__(self, context: MistakeContext) -> Diagnostic | None:
        """The diagnostic of a line with this slip, else none."""
        if not self._may_stand_in(context):
            return None
        for match in find_matches(self.pattern, context):
            if self.near is not None:
                distance = context.stop_index - match.get_range("all")[0]
                if not self.near[0] <= distance <= self.near[1]:
                    continue
            if self.condition is None or self.condition(match):
                return self._make_diagnostic(context, match)
        return None

    def _may_stand_in(self, context: MistakeContext) -> bool:
        if self.verb and not is_listed(context.verb, self.verb):
            return False
        if self.kind and not is_listed(context.line_kind, self.kind):
            return False
        return not self.accepts or all(is_accepted(context, item) for item in self.accepts.split())

    def _make_diagnostic(self, context: MistakeContext, match: LineMatch) -> Diagnostic:
        if self.write:
            match.values["write"] = match.render(self.write, FILTERS)
        edits = self.edits or (((self.at, "{write}"),) if self.write else ())
        made = [edit for place, template in edits for edit in self._make_edits(context, match, place, template)]
        made = [edit for edit in made if edit.replacement != context.content[edit.span.start : edit.span.end]]
        at = match.get_offsets(self.at)
        match.values["at"] = match.get_text(self.at)
        message, remedy = match.render(self.message, FILTERS), match.render(self.remedy, FILTERS)
        return context.make_line_error(
            self.code, message, at=at, remedy=remedy, edits=made if match.is_complete else ()
        )

    def _make_edits(self, context: MistakeContext, match: LineMatch, place: str, template: str) -> tuple[Edit, ...]:
        if place == "block":
            return context.make_indent_edits(context.line, int(template) * context.indent_step, safe=self.safe)
        start, end = context.find_whole_line() if place == "whole_line" else match.get_offsets(place)
        return (context.make_edit(start, end, match.render(template, FILTERS), safe=self.safe),)


def is_listed(word: str, listed: str) -> bool:
    """Whether a word is one of those between `|`, or after a `-` none of them."""
    return word not in listed[1:].split("|") if listed[0] == "-" else word in listed.split("|")


def is_accepted(context: MistakeContext, item: str) -> bool:
    """Whether the parser would have accepted a terminal; `-X` would not have, `=X` nothing but it and cites."""
    accepted = context.failure.accepted
    if item[0] == "=":
        return accepted - {"CITE", "COMMA"} == {item[1:]} or accepted == {item[1:]}
    return item[1:] not in accepted if item[0] == "-" else item in accepted
