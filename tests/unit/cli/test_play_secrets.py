"""People at one screen do not see what others chose in secret."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from support.duel_example import RunCommand
from support.sample_sizes import choose_count
from unit.cli.test_play_robustness import WRITTEN, Terminal

CLEARED = "\033[2J"


HANDS = """\
ruleset hands "Hands" revision "1"
values Card: attack, hold, feint
kind Knight, knights:
  owner: player
  hand: bag of Card
  health: 0..9
game:
  supply: deck of Card
  shown: list of Card = []
term strong(k: Knight) gives 0..9 means count(each c in k.hand where c = attack)
procedure weigh(n: 0..9) gives 0..9 "Weigh":
  finish with n
procedure clash(a: Knight, b: Knight) "Clash":
  shuffle supply
  let much = strong(b)
  let twice = much + much
  perform weigh(much) as weighed
  for each c in b.hand:
    let counted = if(c = attack, twice, weighed)
    set much to counted
  ask a.owner secretly for plan in {Card.attack, Card.hold} "Which plan?"
  ask b.owner secretly for mine in b.hand "Which card?"
  else:
    finish
  ask a.owner for target in knights where strong(target) < 9 "Whom?":
    take up to 1 from target.health
  else:
    finish
  ask a.owner whether chase "Chase?"
  reveal plan
  if chase and plan = attack:
    take up to 1 from b.health
"""
FOUGHT = """\
players: [red, blue]
knights:
  gawain: {{owner: red, hand: [attack, hold], health: 5}}
  mordred: {{owner: blue, hand: [{0}, {1}], health: 5}}
game: {{supply: [{2}, {3}, {4}]}}
"""
HIDDEN = [
    ("hold", "feint", "attack", "hold", "hold", "hold"),
    ("attack", "feint", "hold", "hold", "attack", "feint"),
    ("attack", "hold", "feint", "feint", "feint", "attack"),
]
ALL = "help\nhint\nlook\nstate\nwhy\nlog\nscript s.yaml\nnonsense\n"
CLASH = ["hands.rules", "clash", "--with", "a=gawain", "--with", "b=mordred"]


def _fought(cards: tuple[str, ...]) -> list[str]:
    Path("hands.rules").write_text(HANDS, encoding="utf-8")
    Path("hands.yaml").write_text(FOUGHT.format(*cards), encoding="utf-8")
    return [*CLASH, "--state", "hands.yaml"]


def test_nothing_hidden_shows_in_any_command(run: RunCommand) -> None:
    covered = "help\nhint\nnonsense\nstate\nwhy\nlog\nscript s.yaml\nsave a.json\n"
    told = set()
    for seed, cards in enumerate(HIDDEN):
        typed = f"{ALL}1\n{covered}{cards[-1]}\n{ALL}1\n{ALL}undo\nundo\n1\nyes\n{ALL}undo\nquit\n"
        done = run("play", *_fought(cards), "--as", "red", "--seed", str(seed), typed=typed)
        assert done.exit == 0
        told.add((done.out, done.err))
    assert len(told) == 1
    out = told.pop()[0]
    assert "feint" not in out
    assert "blue: Which card?\n  `look` shows blue alone what can be answered\n> \n  Answer with" in out
    assert "> \n  `look` comes first\n" in out
    assert "> \n  this answer is not possible; `look` shows what is\n" in out
    assert "  not written: a script would show what is hidden from red, such as the answer to `the table: shuf" in out
    assert "  a save holds what is hidden, too: it is for whoever keeps the game" in out


@pytest.mark.parametrize("form", ["plain", "json"])
def test_nothing_hidden_shows_in_a_run_or_what_was_worked_out_from_it(run: RunCommand, form: str) -> None:
    told = set()
    for cards in HIDDEN:
        start = _fought(cards)
        Path("s.yaml").write_text(
            "- {at: clash/plan, answer: attack}\n"
            f"- {{at: clash/mine, answer: {cards[-1]}}}\n"
            "- {at: clash/target, answer: gawain}\n",
            encoding="utf-8",
        )
        options = ["--script", "s.yaml", "--policy", "first", "--seed", "1", "--trace", "full", "--format", form]
        done = run("run", *start, *options, "--view", "red")
        assert (done.exit, done.err) == (0, "")
        told.add(done.out)
    assert len(told) == 1
    out = told.pop()
    if form == "plain":
        assert {"much: hidden", "twice: hidden", "counted: hidden"} <= {each.strip() for each in out.splitlines()}
        assert "none" not in out
    else:
        events = {each["title"]: each for each in json.loads(out)["events"]}
        assert events["twice"]["result"] == {"hidden": True}
        assert events["Which card?"]["result"] == {"hidden": True}
        assert events["Which plan?"]["result"] == "attack"


def test_the_screen_is_cleared_however_a_secret_question_is_left(run: RunCommand) -> None:
    for typed in ("quit", "undo"):
        at = Terminal(*_fought(HIDDEN[0]), "--as", "red", "--seed", "1")
        at.until("> ")
        at.types("1")
        at.until("can be answered")
        at.until("> ")
        at.types("look")
        at.until("feint")
        at.until("> ")
        at.types(typed)
        if typed == "undo":
            assert at.until("taken back").count(CLEARED) == 1
            at.types("quit")
            at.ends()
        else:
            assert at.ends()[1].count(CLEARED) == 1
    del run


WORDS = [
    "undo",
    "look",
    "hint",
    "help",
    "log",
    "save a.json",
    "script s.yaml",
    "1",
    "2",
    "3 2 1",
    "attack",
    "hold",
    "no",
]


@settings(max_examples=choose_count(15, 60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.one_of(st.sampled_from(WORDS), st.sampled_from(WORDS), WRITTEN), max_size=20),
    options=st.sampled_from([(), ("--as", "red"), ("--as", "blue", "--dice", "ask"), ("--dice", "ask")]),
)
def test_no_line_whatever_ends_a_play_with_secrets(run: RunCommand, lines: list[str], options: tuple[str, ...]) -> None:
    start = _fought(HIDDEN[0])
    typed = [each for each in lines if not {"/", "."} & set(each.removesuffix(".json").removesuffix(".yaml"))]
    done = run("play", *start, *options, typed="".join(f"{each}\n" for each in typed if "quit" not in each))
    assert done.exit == (0 if "clash ended" in done.out.rpartition("taken back")[2] else 2)
    assert "fault of rulewright" not in done.err
    if Path("a.json").exists():
        assert run("play", "--load", "a.json", typed="undo\nundo\n").err == ""
        Path("a.json").unlink()


CHOSEN = """\
ruleset chosen "Chosen" revision "1"
kind Knight, knights:
  owner: player
  bold: flag
  hand: bag of 1..9
procedure clash(a: Knight, b: Knight) "Clash":
  ask a.owner secretly for mine in knights where mine.bold "Which knight?"
  else:
    finish
  ask a.owner secretly whether flee when b.bold "Flee?"
  ask a.owner for card in a.hand "Which card?"
  else:
    finish
  ask a.owner secretly to choose stance "Which stance?":
    option charge
    option wait when b.bold
  ask all {a.owner, b.owner} as p for prize in knights where prize.owner = p or prize.bold "Which prize?"
  ask b.owner whether chase "Chase?"
  reveal mine
  reveal stance
  reveal flee
"""
MUSTERED = """\
players: [red, blue]
knights:
  gawain: {{owner: red, bold: true, hand: {hand}}}
  mordred: {{owner: blue, bold: {bold}, hand: []}}
"""
CHOOSE = ["chosen.rules", "clash", "--with", "a=gawain", "--with", "b=mordred", "--state"]


def _mustered() -> None:
    Path("chosen.rules").write_text(CHOSEN, encoding="utf-8")
    for name, bold, hand in [("forced", "false", "[3]"), ("free", "true", "[3]"), ("cards", "true", "[3, 4]")]:
        Path(f"{name}.yaml").write_text(MUSTERED.format(bold=bold, hand=hand), encoding="utf-8")


def _seen_by_all(out: str) -> list[str]:
    """What the table sees: where one player alone may look, not what can be answered there."""
    seen, looks = list[str](), False
    for line in out.splitlines():
        looks = "may look now" in line or (looks and not line.startswith("> "))
        if not looks or not re.match(r"  (\d|the only answer)", line):
            seen.append(line)
    return seen


TALKED = "1\nundo\n1\nno\n3\nlog\n1\nundo\n1\nwhy\nhint\nsave s.json\n1\n2\nlog\nyes\n\n"


@pytest.mark.parametrize("viewer", [(), ("--as", "blue")])
def test_a_secret_question_with_one_answer_is_put_as_any_other(run: RunCommand, viewer: tuple[str, ...]) -> None:
    _mustered()
    told = []
    for state in ("forced.yaml", "free.yaml"):
        done = run("play", *CHOOSE, state, *viewer, typed=TALKED)
        assert (done.exit, done.err) == (0, ""), done.out
        loaded = run("play", "--load", "s.json", *viewer, typed="1\n2\nlog\nyes\n\n")
        assert (loaded.exit, loaded.err) == (0, ""), loaded.out
        Path("s.json").unlink()
        told.append(_seen_by_all(done.out + loaded.out) if not viewer else (done.out + loaded.out).splitlines())
    assert told[0] == told[1]
    assert told[0].count("  only red may look now") == 10
