"""Each mistake has one plain sentence, its place and its remedy."""

import pytest

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.source import Text
from rulewright.syntax.parser import parse_rules_text

PROCEDURE = "procedure p(a: Unit):\n"


def mistakes(content: str) -> list[Diagnostic]:
    return list(parse_rules_text(Text("a.rules", content)).diagnostics)


def told(content: str) -> tuple[str, str, str]:
    (only,) = mistakes(content)
    assert only.primary is not None
    span = only.primary.span
    return content[span.start : span.end], only.message, only.help


IN_A_PROCEDURE = [
    (
        "  for each the in s:\n    stop\n",
        "the",
        "`the` belongs to the language",
        "take another name, such as `target`",
    ),
    (
        "  stop\n    nothing\n",
        "nothing",
        "this line is indented, but the line above takes no lines under it",
        "indent it by 2 spaces, like the line above",
    ),
    (
        "    stop\n  nothing\n",
        "nothing",
        "this line stands between two blocks",
        "indent it by 4 spaces to stay in the block above; or the line above by 2, like this one",
    ),
    (
        "  if x:\n  stop\n",
        "if x:",
        "nothing is indented below this line",
        "indent the lines that belong to it, or write `nothing` there",
    ),
    ("  set x to (3\n", "(", "`(` is not closed", "add `)`"),
    ("  set x to 3)\n", ")", "`)` closes nothing", "leave it out, or write `(` where it begins"),
    (
        "  step 10 when x:\n    stop\n  stop\n",
        "stop",
        "after the first step, every line belongs to a step",
        'write `step 11 "…":` above it, and indent it below that',
    ),
    (
        "  set x to 3 4\n",
        "4",
        "expected the end of the line after `3`, found `4`",
        "the line is written `set place to value`",
    ),
    (
        "  let x = a +\n",
        "+",
        "expected a value after `+`, found the end of the line",
        "the line is written `let name = value`",
    ),
    ("  finis!h\n", "finis", "`finis` is not a verb", "did you mean `finish`?"),
    (
        "  i&f x:\n    stop\n",
        "i",
        "`i` is not a verb",
        "a line of a procedure begins with a verb such as `set`, `ask` or `perform`",
    ),
    ("  if x.a|x.b:\n    stop\n", "|", "the word is `or`", "write `or`"),
    ("  ifx.a = 3:\n    stop\n", "=", "a condition comes after `if`", "write `if x.a = 3:`"),
    (
        "  match x:\n    for each y in z:\n      stop\n",
        "for",
        "expected a case, `on value:`, found `for`",
        "the line is written `for each x in collection:`",
    ),
]


@pytest.mark.parametrize(("lines", "at", "message", "remedy"), IN_A_PROCEDURE, ids=[case[0] for case in IN_A_PROCEDURE])
def test_in_a_procedure(lines: str, at: str, message: str, remedy: str) -> None:
    assert told(PROCEDURE + lines) == (at, message, remedy)


DECLARED = [
    (
        'game:\n  a: flag\nuse "a.rules"\n',
        'use "a.rules"',
        "`use` lines come first",
        "move it above the first declaration",
    ),
    (
        "procedure p():\nset x to 3\n",
        "set",
        "`set` belongs in a procedure",
        "indent it under the line it belongs to",
    ),
    ("set x to 3\n", "set", "`set` belongs in a procedure", "begin with a `procedure` above it"),
    (
        "players: [red]\n",
        "players",
        "`players` is not a declaration",
        "a declaration begins with a word such as `kind`, `term` or `procedure`",
    ),
]


@pytest.mark.parametrize(("content", "at", "message", "remedy"), DECLARED, ids=[case[0] for case in DECLARED])
def test_among_declarations(content: str, at: str, message: str, remedy: str) -> None:
    assert told(content) == (at, message, remedy)


def test_an_edit_mends_the_spelling() -> None:
    content = "term t() gives flag means a == b\n"
    ((edit,),) = [each.edits for each in mistakes(content)]
    mended = content[: edit.span.start] + edit.replacement + content[edit.span.end :]
    assert mistakes(mended) == []


def test_a_standing_rule_in_order_is_told_what_is_wrong_with_its_line() -> None:
    content = "whenever w for each u in units:\n  when u.a\n  priority 1 inches\n  lowers 3\n  remove u\n"
    at, message, _ = told(content)
    assert (at, message) == ("inches", "expected the end of the line after `1`, found `inches`")


def test_a_line_of_a_cite_alone_is_told_as_no_declaration() -> None:
    at, message, _ = told("@nothing\n")
    assert (at, message) == ("@nothing", "`@nothing` is not a declaration")


def test_a_number_in_one_character_is_not_read_as_its_first_digit() -> None:
    at, message, remedy = told(PROCEDURE + "  set x to ½\n")
    assert (at, message, remedy) == ("½", "`½` has the letter `½` (U+00BD)", "write it with digits, such as `1 / 2`")


def test_a_verb_known_from_elsewhere_is_advised_in_ours() -> None:
    assert told(PROCEDURE + "  choose a unit\n")[2] == "the line is written `ask player for x in collection`"
