"""What undo takes back, and what stands because it was seen; what a save keeps of that."""

import json
from pathlib import Path

import pytest

from support.duel_example import START, RunCommand
from unit.cli.test_play_secrets import BEGIN, RULES, STATE

LUCK = """\
ruleset luck "Luck" revision "1"
values Card: attack, hold, harass
kind Knight, knights:
  owner: player
  health: 0..9
  hand: bag of Card = []
game:
  supply: deck of Card = []
procedure test(k: Knight) "Test":
  ask k.owner whether brave "Brave?"
  roll 3d6 as luck by k.owner
  ask k.owner whether sure "Sure?"
  if brave or sure or total(luck) > 3:
    set k.health to 1
procedure look(k: Knight) "Look":
  ask k.owner whether brave "Brave?"
  ask k.owner for mine in k.hand "Which?":
    if brave and mine = attack:
      set k.health to 1
  else:
    nothing
procedure fish(k: Knight) "Fish":
  ask k.owner whether brave "Brave?"
  draw from supply as turned
  else:
    finish
  ask k.owner whether sure "Sure?"
  if brave or sure or turned = attack:
    set k.health to 1
procedure bluff(k: Knight, other: Knight) "Bluff":
  ask k.owner secretly whether feint "Feint?"
  ask other.owner whether strike "Strike?"
  ask k.owner whether sure "Sure?"
  reveal feint
  if feint or strike or sure:
    set k.health to 1
"""
LUCK_STATE = """\
players: [red, blue]
knights:
  gawain: {owner: red, health: 5, hand: [attack, hold]}
  mordred: {owner: blue, health: 5}
game: {supply: [hold, attack]}
"""


def begin(procedure: str, *more: str) -> list[str]:
    Path("luck.rules").write_text(LUCK, encoding="utf-8")
    Path("luck.yaml").write_text(LUCK_STATE, encoding="utf-8")
    roles = ["--with", "k=gawain", *(["--with", "other=mordred"] if procedure == "bluff" else [])]
    return ["luck.rules", procedure, "--state", "luck.yaml", *roles, *more]


def stances() -> list[str]:
    Path("stances.rules").write_text(RULES, encoding="utf-8")
    Path("state.yaml").write_text(STATE, encoding="utf-8")
    return BEGIN


def said(lines: str, beginning: str) -> list[str]:
    return [each.strip() for each in lines.splitlines() if each.strip().startswith(beginning)]


def test_typed_dice_stand_when_what_led_to_them_is_taken_back(run: RunCommand) -> None:
    done = run("play", *begin("test", "--dice", "ask"), typed="y\n1 2 3\ny\nundo\nundo\nn\ny\n")
    assert done.exit == 0
    assert said(done.out, "taken back") == ["taken back: red: Sure? yes", "taken back: red: Brave? yes"]
    assert said(done.out, "roll 3d6") == ["roll 3d6 and type the faces"]
    assert said(done.out, "red    luck") == ["red    luck 3d6: 1 2 3", "red    luck 3d6: 1 2 3 (seen before)"]


def test_typed_dice_taken_back_to_be_typed_anew_are_seen_all_the_same(run: RunCommand) -> None:
    done = run("play", *begin("test", "--dice", "ask"), typed="y\n1 2 3\nundo\nundo\nn\ny\n")
    assert said(done.out, "taken back") == ["taken back: red: rolls luck: 1, 2, 3", "taken back: red: Brave? yes"]
    assert said(done.out, "red    luck")[1] == "red    luck 3d6: 1 2 3 (seen before)"


def test_what_was_revealed_stands(run: RunCommand) -> None:
    done = run("play", *stances(), typed="1\n2\ny\n1\nundo\nundo\n2\nundo\n1\n")
    assert done.exit == 0
    assert said(done.out, "taken back") == ["taken back: red: Chase? yes", "taken back: red: Chase? no"]
    assert said(done.out, "revealed") == [
        "revealed stance: {red: attack, blue: hold}",
        *["revealed flee: yes"] * 3,
    ]
    assert "  there is no answer to take back; what was seen stands" in done.out.splitlines()


def test_a_bid_that_was_revealed_is_not_made_anew(run: RunCommand) -> None:
    Path("two.yaml").write_text("players: {red: {money: 9}, blue: {money: 9}}\n", encoding="utf-8")
    done = run("play", "auction", "--state", "two.yaml", "--seed", "1", typed="3\n5\nundo\nundo\n")
    assert done.exit == 0
    assert said(done.out, "taken back") == []
    assert said(done.out, "there is no answer") == ["there is no answer to take back; what was seen stands"] * 2


def test_a_secret_that_nobody_saw_is_taken_back(run: RunCommand) -> None:
    Path("two.yaml").write_text("players: {red: {money: 9}, blue: {money: 9}}\n", encoding="utf-8")
    done = run("play", "auction", "--state", "two.yaml", "--seed", "1", typed="3\nundo\n4\n2\n")
    assert said(done.out, "taken back") == ["taken back: red: How much do you bid, 0 for nothing? (a secret)"]
    assert said(done.out, "revealed") == ["revealed bid: {red: 4, blue: 2}"]


def test_what_was_revealed_is_given_again_where_undo_goes_past_its_question(run: RunCommand) -> None:
    done = run("play", *begin("bluff"), typed="y\nn\ny\nundo\nundo\ny\nn\n")
    assert said(done.out, "revealed") == ["revealed feint: yes", "revealed feint: yes"]
    assert said(done.out, "taken back") == ["taken back: red: Sure? yes", "taken back: blue: Strike? no"]


@pytest.mark.parametrize(
    ("procedure", "options", "typed", "seen"),
    [
        ("test", ("--seed", "1"), "y\nundo\n", "how the dice fell"),
        ("test", ("--dice", "ask"), "y\n1 2 3\nundo\nundo\n", "how the dice fell"),
        ("fish", (), "y\nundo\n", "what was drawn"),
        ("look", (), "y\nundo\n", "what lies in a bag or deck"),
        ("bluff", (), "y\nn\ny\nundo\n", "the answers to `feint`"),
    ],
)
def test_a_player_goes_back_to_nothing_before_what_was_seen(
    run: RunCommand, procedure: str, options: tuple[str, ...], typed: str, seen: str
) -> None:
    done = run("play", *begin(procedure, *options), "--as", "red", typed=typed)
    assert said(done.out, "not taken back") == [f"not taken back: red has seen {seen} since"]
    assert run("play", *begin(procedure, *options), typed=typed).out.count("not taken back") == 0


def test_a_player_takes_back_what_showed_nothing(run: RunCommand) -> None:
    done = run("play", *begin("bluff"), "--as", "red", typed="y\nn\nundo\nundo\nn\n")
    assert said(done.out, "taken back") == ["taken back: blue: Strike? no", "taken back: red: Feint? yes"]
    done = run("play", *begin("test", "--dice", "ask"), "--as", "red", typed="y\n1 2 3\nundo\n4 4 4\n")
    assert said(done.out, "taken back") == ["taken back: red: rolls luck: 1, 2, 3"]


def test_what_was_seen_stands_after_a_load(run: RunCommand) -> None:
    run("play", *begin("test", "--seed", "7"), typed="y\nundo\nsave a.json\nquit\n")
    kept = json.loads(Path("a.json").read_text(encoding="utf-8"))["kept"]
    assert [(each["at"], each["source"]) for each in kept] == [("test/luck", "kept")]
    faces = " ".join(map(str, kept[0]["answer"]))
    done = run("play", "--load", "a.json", "--seed", "8", typed="n\ny\n")
    assert said(done.out, "red    luck") == [f"red    luck 3d6: {faces} (seen before)"]
    run("play", *begin("bluff"), typed="y\nn\ny\nundo\nsave b.json\nquit\n")
    done = run("play", "--load", "b.json", typed="undo\nundo\n")
    assert said(done.out, "taken back") == ["taken back: blue: Strike? no"]


def test_typed_dice_are_typed_after_a_load(run: RunCommand) -> None:
    run("play", *START, "--dice", "ask", "--save", "a.json", typed="5\nquit\n")
    assert "  red    blow 1d6: 5 (typed)" in run("play", "--load", "a.json", "--seed", "1").out.splitlines()
    run("play", *START, "--seed", "1", "--save", "b.json", typed="quit\n")
    assert "(typed)" not in run("play", "--load", "b.json").out


def test_a_save_names_all_a_play_needs(run: RunCommand) -> None:
    Path("games").mkdir()
    run("play", *START, "--dice", "ask", "--save", "games/a.json", typed="5\nquit\n")
    assert json.loads(Path("games/a.json").read_text(encoding="utf-8"))["rules"] == "../duel.rules"
    done = run("play", "--load", "games/a.json", typed="n\n")
    assert (done.exit, done.err) == (0, "")
    assert "strike ended" in done.out.splitlines()
    assert run("play", "duel.rules", "--load", "games/a.json", typed="n\n").exit == 0
    Path("two.yaml").write_text("players: {red: {money: 9}, blue: {money: 9}}\n", encoding="utf-8")
    run("play", "auction", "--state", "two.yaml", "--save", "games/b.json", typed="3\nquit\n")
    assert "auction ended: red" in run("play", "--load", "games/b.json", typed="2\n").out.splitlines()


HARDER = """\
amends duel revision "1-hard"
insert after strike/3 step 4 "More":
  take up to 1 from target.health
"""


def test_a_missing_overlay_is_named(run: RunCommand) -> None:
    Path("hard.rules").write_text(HARDER, encoding="utf-8")
    begun = run("play", *START, "--overlay", "hard.rules", "--dice", "ask", "--save", "a.json", typed="5\nquit\n")
    assert (begun.exit, begun.err) == (0, "")
    assert run("play", "--load", "a.json", typed="n\n").exit == 0
    assert run("play", "duel.rules", "--overlay", "hard.rules", "--load", "a.json", typed="n\n").exit == 0
    done = run("play", "duel.rules", "--load", "a.json", typed="n\n")
    assert done.exit == 2
    assert done.err == (
        "error RW0790: `--overlay` differs from the one in the save\n"
        "  help: the save was made with `--overlay hard.rules`\n"
    )
    Path("hard.rules").unlink()
    done = run("play", "--load", "a.json")
    assert (done.exit, done.err.splitlines()[0]) == (2, "error RW0001: there is no file `hard.rules`")


def test_a_save_of_before_is_read_once_its_rules_are_named(run: RunCommand) -> None:
    run("play", *START, "--dice", "ask", "--save", "a.json", typed="5\nquit\n")
    _as_version_1(Path("a.json"))
    done = run("play", "--load", "a.json")
    assert (done.exit, done.err.splitlines()[0]) == (2, "error RW0875: `a.json` does not say where its rules are")
    done = run("play", "duel.rules", "--load", "a.json", typed="n\n")
    assert (done.exit, done.err) == (0, "")
    assert "  red    blow 1d6: 5 (typed)" in done.out.splitlines()


@pytest.mark.parametrize("rules", ["state.yaml", "../../etc/passwd", "/etc/passwd"])
def test_a_save_names_nothing_but_rules(run: RunCommand, rules: str) -> None:
    run("play", *START, "--dice", "ask", "--save", "a.json", typed="5\nquit\n")
    _signed(Path("a.json"), json.loads(Path("a.json").read_text(encoding="utf-8")) | {"rules": rules})
    done = run("play", "--load", "a.json")
    assert done.exit == 2
    assert "root:" not in done.err
    assert done.err.splitlines()[0].startswith(("error RW0875: ", "error RW0008: ", "error RW0020: "))


def _as_version_1(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8")) | {"version": 1, "position": 0}
    old = {key: value for key, value in data.items() if key not in {"kept", "rules", "overlays"}}
    old["answers"] = [{key: each[key] for key in ("at", "by", "answer")} for each in data["answers"]]
    _signed(path, old)


def _signed(path: Path, data: dict[str, object]) -> None:
    import hashlib  # noqa: PLC0415

    rest = {key: value for key, value in data.items() if key != "sum"}
    told = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    path.write_text(json.dumps({**rest, "sum": hashlib.sha256(told.encode()).hexdigest()}), encoding="utf-8")
