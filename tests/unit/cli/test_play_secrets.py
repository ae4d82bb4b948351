"""People at one screen do not see what others chose in secret."""

from pathlib import Path

from duel import Run

RULES = """\
ruleset stances "Stances" revision "1"
values Stance: attack, hold
kind Knight, knights:
  owner: player
  health: 0..9
game:
  supply: deck of Stance
procedure clash(a: Knight, b: Knight) "Clash":
  shuffle supply
  ask all {a.owner, b.owner} as p for stance in {Stance.attack, Stance.hold} "Which stance?"
  ask b.owner secretly whether flee "Flee?"
  ask a.owner whether chase "Chase?"
  draw from supply as turned
  else:
    finish
  reveal flee
  if flee != chase and turned = hold:
    take up to 1 from b.health
"""
STATE = """\
players: [red, blue]
knights:
  gawain: {owner: red, health: 5}
  mordred: {owner: blue, health: 2}
game: {supply: [hold, attack, attack]}
"""
BEGIN = ["stances.rules", "clash", "--state", "state.yaml", "--with", "a=gawain", "--with", "b=mordred", "--seed", "1"]
BLUE_IN_SECRET = [
    "  only blue may look now",
    "blue: Which stance?",
    "  1  attack",
    "  2  hold",
    "> ",
    "  blue: Which stance? (a secret)",
    "  revealed stance: {red: attack, blue: hold}",
    "  only blue may look now",
    "blue: Flee?",
    "  1  yes",
    "  2  no",
    "> ",
    "  blue: Flee? (a secret)",
    "red: Chase?",
    "  1  yes",
    "  2  no",
]


def _begin() -> None:
    Path("stances.rules").write_text(RULES, encoding="utf-8")
    Path("state.yaml").write_text(STATE, encoding="utf-8")


def test_a_secret_answer_is_not_repeated(run: Run) -> None:
    _begin()
    done = run("play", *BEGIN, typed="1\n2\ny\nundo\nn\nwhy\nstate\n1\n")
    assert (done.exit, done.err) == (0, "")
    assert done.out.splitlines() == [
        "  the table: shuffles supply: 3 hidden",
        "  only red may look now",
        "red: Which stance?",
        "  1  attack",
        "  2  hold",
        "> ",
        "  red: Which stance? (a secret)",
        *BLUE_IN_SECRET,
        "> undo",
        "  taken back: blue: Flee? (a secret)",
        "  only blue may look now",
        "blue: Flee?",
        "  1  yes",
        "  2  no",
        "> ",
        "  blue: Flee? (a secret)",
        "red: Chase?",
        "  1  yes",
        "  2  no",
        "> why",
        "  the table: shuffles supply: 3 hidden",
        "  red: Which stance? (a secret)",
        "  blue: Which stance? (a secret)",
        "  revealed stance: {red: attack, blue: hold}",
        "  blue: Flee? (a secret)",
        "> state",
        "  gawain: owner red, health 5",
        "  mordred: owner blue, health 2",
        "  supply: 3 hidden",
        "> 1",
        "  draws turned: attack",
        "  revealed flee: no",
        "clash ended",
        "  supply: 3 hidden → 2 hidden",
    ]


def test_a_player_sees_the_own_answers(run: Run) -> None:
    _begin()
    done = run("play", *BEGIN, "--as", "red", typed="1\n2\ny\nwhy\n1\n")
    assert (done.exit, done.err) == (0, "")
    assert done.out.splitlines() == [
        "  the table: shuffles supply: 3 hidden",
        "red: Which stance?",
        "  1  attack",
        "  2  hold",
        "> 1",
        *BLUE_IN_SECRET,
        "> why",
        "  the table: shuffles supply: 3 hidden",
        "  red: Which stance? attack",
        "  blue: Which stance? (a secret)",
        "  revealed stance: {red: attack, blue: hold}",
        "  blue: Flee? (a secret)",
        "> 1",
        "  draws turned: attack",
        "  revealed flee: yes",
        "clash ended",
        "  supply: 3 hidden → 2 hidden",
    ]


def test_only_players_have_a_view(run: Run) -> None:
    _begin()
    done = run("play", *BEGIN, "--as", "green")
    assert done.exit == 2
    assert done.err == "error RW0260: there is no player `green`\n  help: the players are `red`, `blue`\n"
