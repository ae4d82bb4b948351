"""`odds` and advice where decks lie in an order that nobody has seen."""

from pathlib import Path

from support.duel_example import RunCommand

CARDS = """\
ruleset cards "Cards" revision "1"
game:
  pile: deck of 0..99 = []
procedure turn(p: player) gives 0..99 "Turn cards":
  for each n in 1..4:
    add n * n to pile
  shuffle pile
  draw from pile as one
  ask p whether again "Another card?":
    draw from pile as two
    ask p whether more "One more?":
      draw from pile as three
      finish with three
    finish with two
  finish with one
"""
START = ["cards.rules", "turn", "--state", "state.yaml", "--with", "p=red"]
BEST = ["--best", "red:result"]


def test_advice_in_a_saved_play_knows_what_was_drawn_and_nothing_of_the_rest(run: RunCommand) -> None:
    Path("cards.rules").write_text(CARDS, encoding="utf-8")
    Path("state.yaml").write_text("players: [red]\n", encoding="utf-8")
    told = set()
    for seed, rest in enumerate(("9, 16, 4", "4, 9, 16", "16, 4, 9")):
        Path("order.yaml").write_text(f"shuffle.pile: [1, {rest}]\n", encoding="utf-8")
        run("play", *START, "--script", "order.yaml", "--save", "here.json", typed="advise result\nyes\nquit\n")
        done = run("odds", "cards.rules", "--load", "here.json", *BEST, "--advise")
        assert done.exit == 0, (seed, done.err)
        told.add(done.out)
    heads = "red: One more?\n  on average `result`, as far as 5 moments of play show it:\n"
    assert told == {
        heads + "  yes  6.5 (13/2)\n  no   16  best\n",
        heads + "  yes  10  best\n  no   9\n",
        heads + "  yes  12.5 (25/2)  best\n  no   4\n",
    }


def test_what_lies_in_a_deck_at_the_start_is_known_where_that_is_said(run: RunCommand) -> None:
    rules = CARDS.replace("  for each n in 1..4:\n    add n * n to pile\n  shuffle pile\n", "")
    Path("cards.rules").write_text(rules, encoding="utf-8")
    Path("state.yaml").write_text("players: [red]\ngame: {pile: [1, 4, 9, 16]}\n", encoding="utf-8")
    refused = run("odds", *START, *BEST)
    assert refused.exit == 2
    assert "RW1129: `red` cannot see what lies in `pile` when `Another card?` is asked" in refused.err
    assert "if all know what lies there, say so: `--known pile`" in refused.err
    assert "`result` is 13.2083 (317/24) on average" in run("odds", *START, *BEST, "--known", "pile").out
    Path("cards.rules").write_text(rules.replace("draw from pile as one", "let held = pile\n  draw from pile as one"))
    looked = run("odds", *START, *BEST, "--known", "pile")
    assert "RW1129: `red` cannot see in which order `pile` lies when `Another card?` is asked" in looked.err


def test_advice_at_the_table_is_told_what_all_know(run: RunCommand) -> None:
    rules = CARDS.replace("  for each n in 1..4:\n    add n * n to pile\n  shuffle pile\n", "")
    Path("cards.rules").write_text(rules, encoding="utf-8")
    Path("state.yaml").write_text("players: [red]\ngame: {pile: [1, 4, 9, 16]}\n", encoding="utf-8")
    typed = (
        "advise result\nadvise result --known pile\nadvise result --known pyle\n"
        "advise --known pile\nadvise result --known\nquit\n"
    )
    which = "say what is wanted the most of, and which bag or deck all know: `advise result --known pile`"
    assert run("play", *START, typed=typed).out.partition("> ")[2] == (
        "advise result\n"
        "  no advice: `red` cannot see what lies in `pile` when `Another card?` is asked\n"
        "  if all know what lies there: `advise result --known pile`\n"
        "> advise result --known pile\n"
        "  red: Another card?\n"
        "    on average `result`, as far as 18 moments of play show it:\n"
        "    yes  12.8333 (77/6)  best\n"
        "    no   1\n"
        "> advise result --known pyle\n"
        "  no advice: no bag or deck `pyle` holds anything at the start that the play may reach;"
        " did you mean `pile`?\n"
        f"> advise --known pile\n  {which}\n"
        f"> advise result --known\n  {which}\n"
        "> quit\n"
    )


PEEK = """\
ruleset cards "Cards" revision "1"
game:
  pile: deck of 0..99 = []
  seen: list of 0..99 = []
term top() gives 0..99 means max([each c in pile: c])
procedure turn(p: player) gives 0..99 "Turn cards":
  for each n in 1..12:
    add n to pile
  shuffle pile
  draw from pile as one
  if one > 3:
    perform peek()
  finish with one
procedure peek() "Peek":
  step look "Look":
    draw from pile as next
    if next = 2:
      LINE
"""


def test_a_shuffle_in_too_many_ways_names_the_line_that_looks_at_the_order(run: RunCommand) -> None:
    Path("state.yaml").write_text("players: [red]\n", encoding="utf-8")
    whole = PEEK.replace("term top() gives 0..99 means max([each c in pile: c])\n", "")
    for rules, line, reader in (
        (whole, "set seen to [each c in pile: c]", "peek/look/set.seen"),
        (whole, "let held = pile\n      set seen to [count(held)]", "peek/look/held"),
        (PEEK, "set seen to [top()]", "top"),
    ):
        Path("cards.rules").write_text(rules.replace("LINE", line), encoding="utf-8")
        done = run("odds", *START)
        assert done.exit == 2
        assert done.err.startswith(
            "error RW1123: `turn/shuffle.pile` can go in 479,001,600 ways that make a difference, more than a million: "
            f"`{reader}` looks at the order of a deck or copies one\n"
        )
    for line in ("set seen to [count(pile)]", "draw from pile as more\n      set seen to [more]"):
        Path("cards.rules").write_text(whole.replace("LINE", line), encoding="utf-8")
        assert run("odds", *START).exit == 0
