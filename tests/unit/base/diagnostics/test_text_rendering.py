from rulewright.base.diagnostics import PLAIN_PAINTER, Diagnostic, Edit, Label, Painter, Severity
from rulewright.base.diagnostics.renderings import render_plain_diagnostic, render_terminal_diagnostic
from rulewright.base.source import Span, Text

CONTENT = """\
ruleset mel "MEL" revision "1"
procedure attack(a: Unit) "Attack":
  step MEL.60 "Push":
    take 1 from a.moral
"""
TEXT = Text("mel.rules", CONTENT)
TEXTS = {"mel.rules": TEXT}


def span(part: str) -> Span:
    start = CONTENT.index(part)
    return Span("mel.rules", start, start + len(part))


UNKNOWN = Diagnostic(
    "RW0306",
    Severity.ERROR,
    "`Unit` has no `moral`",
    Label(span("moral"), "not an attribute"),
    secondary=(Label(span("a: Unit"), "a unit"),),
    notes=("It has `morale` and `health`.",),
    help="did you mean `morale`?",
    edits=(Edit(span("moral"), "morale", safe=True),),
    address="attack/MEL.60",
)


def test_plain_says_one_fact_a_line() -> None:
    assert render_plain_diagnostic(UNKNOWN, TEXTS).splitlines() == [
        "error RW0306: `Unit` has no `moral`",
        "  --> mel.rules:4:19",
        "    take 1 from a.moral",
        "  in: attack/MEL.60",
        "  see: mel.rules:2:18: a unit",
        "  note: It has `morale` and `health`.",
        "  help: did you mean `morale`?",
    ]


def test_human_draws_the_place_under_the_title_of_its_step() -> None:
    assert render_terminal_diagnostic(UNKNOWN, TEXTS, PLAIN_PAINTER, 80).splitlines() == [
        "error RW0306: `Unit` has no `moral`",
        '  --> mel.rules:4:19  MEL.60 "Push"',
        "  |",
        '2 | procedure attack(a: Unit) "Attack":',
        "  |                  ------- a unit",
        "...",
        "4 |     take 1 from a.moral",
        "  |                   ^^^^^ not an attribute",
        "note: It has `morale` and `health`.",
        "help: did you mean `morale`?",
        "4 +     take 1 from a.morale",
    ]


def test_colours_wrap_words_and_change_none() -> None:
    coloured = render_terminal_diagnostic(UNKNOWN, TEXTS, Painter(colour=True), 80)
    assert coloured.startswith("\x1b[1;31merror RW0306\x1b[0m: \x1b[1m`Unit` has no `moral`\x1b[0m\n")
    assert "\x1b" not in render_terminal_diagnostic(UNKNOWN, TEXTS, PLAIN_PAINTER, 80)


def test_a_finding_without_a_place_is_one_line_and_its_help() -> None:
    finding = Diagnostic("RW0001", Severity.ERROR, "there is no file `x`", help="look again")
    assert render_plain_diagnostic(finding, {}) == "error RW0001: there is no file `x`\n  help: look again"
    assert (
        render_terminal_diagnostic(finding, {}, PLAIN_PAINTER, 80)
        == "error RW0001: there is no file `x`\nhelp: look again"
    )


def test_a_place_in_a_text_that_is_not_at_hand_is_named() -> None:
    finding = Diagnostic("RW0301", Severity.WARNING, "odd", Label(Span("gone.rules", 3, 4)))
    assert render_plain_diagnostic(finding, {}) == "warning RW0301: odd\n  --> gone.rules"
    assert render_terminal_diagnostic(finding, {}, PLAIN_PAINTER, 80) == "warning RW0301: odd\n  --> gone.rules"


def test_markup_and_escapes_of_rule_text_are_shown_not_obeyed() -> None:
    text = Text("a.rules", 'say "[red]\x1b[2J\u202e[d6]"\tok\n')
    finding = Diagnostic("RW0142", Severity.ERROR, "hidden \x1b", Label(Span("a.rules", 11, 12)))
    drawn = render_terminal_diagnostic(finding, {"a.rules": text}, PLAIN_PAINTER, 80)
    assert '1 | say "[red]<U+001B>[2J<U+202E>[d6]"    ok' in drawn.splitlines()
    assert "\x1b" not in drawn
    assert "\u202e" not in render_plain_diagnostic(finding, {"a.rules": text})


def test_carets_stand_under_wide_characters() -> None:
    text = Text("a.rules", "界界 = x\n")
    drawn = render_terminal_diagnostic(
        Diagnostic("RW0301", Severity.ERROR, "m", Label(Span("a.rules", 5, 6))), {"a.rules": text}, PLAIN_PAINTER, 80
    )
    assert drawn.splitlines()[-1] == "  |        ^"


def test_a_long_line_is_cut_around_the_place() -> None:
    text = Text("a.rules", "x" * 300 + "HERE" + "y" * 300)
    finding = Diagnostic("RW0301", Severity.ERROR, "m", Label(Span("a.rules", 300, 304)))
    lines = render_terminal_diagnostic(finding, {"a.rules": text}, PLAIN_PAINTER, 60).splitlines()
    assert max(map(len, lines)) <= 60
    line, carets = lines[-2:]
    assert line[carets.index("^") :].startswith("HERE")


def test_an_input_shows_its_pointer() -> None:
    text = Text("state.yaml", "units: {hammer: {helth: 3}}\n")
    finding = Diagnostic(
        "RW0710", Severity.ERROR, "m", Label(Span("state.yaml", 17, 22)), pointer="/units/hammer/helth"
    )
    assert render_plain_diagnostic(finding, {"state.yaml": text}).splitlines()[-1] == "  at: /units/hammer/helth"
    assert (
        "  --> state.yaml:1:18  /units/hammer/helth"
        in render_terminal_diagnostic(finding, {"state.yaml": text}, PLAIN_PAINTER, 80).splitlines()
    )


def test_an_edit_over_several_lines_is_shown_whole() -> None:
    edit = Edit(Span("mel.rules", CONTENT.index("take"), CONTENT.index("moral")), "set a.morale to 1\n    add 1 to a.")
    drawn = render_terminal_diagnostic(
        Diagnostic("RW0401", Severity.ERROR, "m", edits=(edit,)), TEXTS, PLAIN_PAINTER, 80
    )
    assert drawn.splitlines()[1:] == ["4 +     set a.morale to 1", "5 +     add 1 to a.moral"]


def test_a_name_without_end_is_cut() -> None:
    name = "n" * 1_000_000
    written = render_plain_diagnostic(Diagnostic("RW0201", Severity.ERROR, f"`{name}` is not known", address=name), {})
    assert [len(line) for line in written.splitlines()] == [len("error RW0201: ") + 2001, len("  in: ") + 2001]


def test_a_long_message_is_wrapped_at_words() -> None:
    finding = Diagnostic("RW0301", Severity.WARNING, "word " * 20 + "end")
    lines = render_terminal_diagnostic(finding, {}, PLAIN_PAINTER, 60).splitlines()
    assert [line.rstrip() for line in lines] == [
        f"warning RW0301: {' '.join(['word'] * 9)}",
        f"                {' '.join(['word'] * 9)}",
        "                word word end",
    ]
