"""Rows of the first screen for edits of small rulesets: what each says is true, and says what changed."""

from pathlib import Path

import pytest

from support.duel_example import RunCommand

NEGATIVES = """\
ruleset negatives "Negatives" revision "1"
record Shift "A shift":
  along: -3..-1
  across: -4..2
kind Unit, units "A unit":
  owner: player
  mood: -3..3 = -1
event asked(u: Unit) gives -3..-1 "Asked":
  holders units
  order by [each p in players]
handler h for each u2 in units on asked "H":
  finish with -1
table loss(roll: -3..3) gives -4..0 "Losses":
  -3..-1 | -2
  0..3 | -1
tally score(u: Unit) from -2 "Score":
  low: -1 when u.mood < -1
  floor: at least -5
procedure go(u: Unit, bonus: -2..2 = -1) gives -19..9 "Go":
  let step = Shift(along: -1, across: -2)
  trigger asked(u)
  set u.mood to -2
  finish with loss(u.mood) + score(u) + bonus + step.along + step.across
"""


def tell_rows(run: RunCommand, old: str, new: str, *options: str) -> str:
    """What `diff` says of two texts, with runs of spaces as one."""
    Path("old.rules").write_text(old, encoding="utf-8")
    Path("new.rules").write_text(new, encoding="utf-8")
    return " ".join(run("diff", "old.rules", "new.rules", "--work", "0", *options).out.split())


def edit_text(text: str, *changes: tuple[str, str]) -> str:
    """A text with changes, each of which is in it once."""
    for before, after in changes:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


NEGATIVE_EDITS = [
    ("mood: -3..3 = -1", "mood: -4..3 = -2", "mood: ~3 to 3, ~1 at the start → ~4 to 3, ~2 at the start"),
    ("gives -3..-1", "gives -4..-1", "asked in the order `[u.owner]`, result ~4 to ~1"),
    ("along: -3..-1", "along: -4..-1", "along: ~3 to ~1 → ~4 to ~1"),
    ("gives -4..0", "gives -5..0", "result ~4 to 0 → result ~5 to 0"),
    ("-3..-1 | -2", "-3..-1 | -3", "Losses: row ~3 to ~1: ~2 → ~3"),
    ("from -2", "from 2", "starting from ~2 → starting from 2"),
    ("low: -1", "low: -2", "low: ~1 → ~2"),
    ("at least -5", "at least -6", "at least ~5 → at least ~6"),
    ("bonus: -2..2 = -1", "bonus: -3..2 = -2", "~2 to 2, ~1 if not given → ~3 to 2, ~2 if not given"),
    ("order by [each p in players]", "order by [u.owner]", "in the order `[each p in players]`, result ~3 to ~1 → "),
    ("gives -19..9", "gives -18..9", "result ~19 to 9 → result ~18 to 9"),
]


@pytest.mark.parametrize("options", [(), ("--format", "markdown")])
def test_a_minus_sign_common_to_both_values_is_kept(run: RunCommand, options: tuple[str, ...]) -> None:
    new = edit_text(NEGATIVES, *((before, after) for before, after, _ in NEGATIVE_EDITS))
    out = tell_rows(run, NEGATIVES, new, *options)
    untold = [told for _, _, told in NEGATIVE_EDITS if told.replace("~", "\N{MINUS SIGN}") not in out]
    assert not untold, out


THINGS = """\
ruleset things "Things" revision "1"
values Arm: foot, horse, guns
kind Unit, units "A unit":
  owner: player
  arm: Arm = foot
  gold: 0..9
  tired: flag = no
  at: hex
board field of hex
relation melee(a: Unit, b: Unit) symmetric "in melee"
procedure go(u: Unit, t: Unit) "A turn":
  add (u, t) to melee
  if melee(t, u):
    set u.tired to yes
  for each x in units where x.owner = u.owner and not x.tired and adjacent(x.at, u.at):
    set x.tired to yes
  ask u.owner for bid in 0..u.gold "Bid?"
  take up to bid from u.gold
  ask u.owner to choose style "How?":
    option bold "Bold":
      set u.tired to yes
    option meek "Meek":
      set u.tired to no
"""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([(" symmetric ", " ")], "in melee: no longer symmetric"),
        (
            [("adjacent(x.at, u.at)", "distance(x.at, u.at) <= 1"), ("where x.owner", "where x != u and x.owner")],
            "for which the distance from it to the first unit is at most 1",
        ),
        ([("0..u.gold", "0..min(3, u.gold)")], "a number from 0 to the least of 3 and the first unit's gold"),
        (
            [("Arm: foot, horse, guns", "Arm: guns, horse, foot")],
            "Arm: in the order foot, horse, guns → guns, horse, foot",
        ),
    ],
)
def test_a_row_says_the_whole_of_what_is_new(run: RunCommand, changes: list[tuple[str, str]], told: str) -> None:
    out = tell_rows(run, THINGS, edit_text(THINGS, *changes))
    assert told in out, out


def test_titles_that_changed_places_are_told_and_are_not_called_the_same_play(run: RunCommand) -> None:
    new = edit_text(THINGS, ('"Bold"', '"?"'), ('"Meek"', '"Bold"'), ('"?"', '"Meek"'))
    out = tell_rows(run, THINGS, new)
    assert "RULES THE SAME cosmetic: titles changed places" in out
    assert "TITLE “Bold” of go/style is now `meek`, which was called “Meek”" in out
    assert "play does not" not in out


def test_words_in_another_order_are_not_called_another_start_value(run: RunCommand) -> None:
    Path("old.rules").write_text(THINGS, encoding="utf-8")
    Path("new.rules").write_text(edit_text(THINGS, ("foot, horse, guns", "horse, foot, guns")), encoding="utf-8")
    out = " ".join(run("diff", "old.rules", "new.rules", "--work", "20000").out.split())
    assert "PLAY UNKNOWN" in out
    assert "another start value" not in out


TALLY = """\
ruleset tally "Tally" revision "1"
kind Unit, units "A unit":
  owner: player
  heat: 0..9
tally hit(u: Unit) from 4 "To hit":
  far: +2 for each x in units when u.heat > 2
procedure go(u: Unit) gives 0..99 "Go":
  finish with min(99, hit(u))
"""


def test_a_condition_that_stays_stands_on_both_sides(run: RunCommand) -> None:
    out = tell_rows(run, TALLY, edit_text(TALLY, ("+2 for each x in units", "+count(units)")))
    assert out.count("if the unit's heat is more than 2") == len(("old", "new")), out
