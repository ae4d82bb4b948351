"""`play --format json`: a play for a program that asks, and `play --list`."""

import json
from pathlib import Path
from typing import Any

import pytest

from rulewright.base.files import get_resource_folder
from support.duel_example import RULES, START, RunCommand
from support.published_schemas import make_validator

Asked = dict[str, Any]
SALES = """\
ruleset bids "Bids" revision "1"
kind Bid, bids:
  owner: player
  height: 0..3
procedure sale(mine: Bid, other: Bid) "A sale":
  step 1 "Bids":
    ask other.owner secretly whether high "High?"
    ask mine.owner whether sure "Sure?"
    reveal high
    if high:
      add 1 to other.height
"""
DROP = """\
ruleset drop "Drop" revision "1"
kind Mini, minis:
  owner: player
  at: point
  facing: angle = 0
  base: shape
board field of plane
procedure drop(m: Mini, foe: Mini) "Drop":
  ask m.owner to place m as spot "Where?":
    require near: contact(foe, spot) and distance(spot, m) <= {reach} "next to its foe"
    place m at spot
"""
BIDS = "players: [red, blue]\nbids:\n  a: {owner: red, height: 1}\n  b: {owner: blue, height: 1}\n"


def _replies(run: RunCommand, asked: list[Asked], *arguments: str) -> list[Any]:
    done = run("play", *arguments, "--format", "json", typed="".join(f"{json.dumps(each)}\n" for each in asked))
    replies = [json.loads(each) for each in done.out.splitlines()]
    assert [each.message for reply in replies for each in make_validator("play", "reply").iter_errors(reply)] == []
    for each, reply in zip(asked, replies, strict=False):
        assert "problem" in reply or make_validator("play", "request").is_valid(each), each
    return replies


def _duel(run: RunCommand, *asked: Asked) -> list[Any]:
    return _replies(run, list(asked), *START, "--dice", "ask")


def _story(reply: Any) -> list[str]:
    return ["  " * line["depth"] + "".join(text for _, text in line["text"]) for line in reply["moment"]["story"]]


SEE = {"do": "see"}
FIVE = {"do": "answer", "typed": "5"}
NO = {"do": "answer", "typed": "2"}


def test_a_play_to_its_end_with_a_line_of_the_rules_for_each_line_of_the_story(run: RunCommand) -> None:
    first, rolled, ended = _duel(run, SEE, FIVE, NO)
    asks = first["moment"]["asks"]
    assert (asks["who"], asks["takes"], asks["dice"]) == ("red", "dice", [{"called": "d6", "faces": [*"123456"]}])
    asks = rolled["moment"]["asks"]
    assert (asks["who"], asks["asked"], asks["file"], asks["line"]) == ("blue", "Parry?", "duel.rules", 15)
    assert [(each["typed"], each["shown"], each["refused"]) for each in asks["options"]] == [
        ("1", "yes", None),
        ("2", "no", None),
    ]
    assert _story(ended) == [
        "1  Roll to hit",
        "  red    blow 1d6: 5 (typed)",
        "2  The wound",
        "  blue: Parry? no",
        "  mordred loses 2 health: 2 → 0",
        "3  Falls",
        "  mordred is out of play",
    ]
    assert [each["line"] for each in ended["moment"]["story"]] == [10, 11, 14, 15, 18, 19, 20]
    assert ended["moment"]["asks"] is None
    assert ended["moment"]["over"][0] == [["strong", "strike ended"]]


def test_each_face_of_a_die_says_what_it_does_before_and_after_the_throw(run: RunCommand) -> None:
    before, thrown, after, forked, answered = _duel(
        run,
        {"do": "faces"},
        {"do": "throw"},
        {"do": "faces"},
        {"do": "fork", "turn": 0},
        {"do": "answer", "typed": "1", "line": 1},
    )
    assert [row["face"] for row in before["faces"]["rows"]] == [*"123456"]
    assert (before["faces"]["turn"], before["faces"]["fell"], before["faces"]["who"]) == (None, None, "red")
    assert (after["faces"]["turn"], after["faces"]["rows"]) == (0, before["faces"]["rows"])
    assert f"1d6: {after['faces']['fell']}" in "\n".join(_story(thrown))
    assert forked["moment"]["asks"]["takes"] == "dice"
    assert "1d6: 1" in "\n".join(_story(answered))


def test_each_face_names_all_that_it_changes(run: RunCommand) -> None:
    scenarios = str(get_resource_folder("rulesets") / "risk" / "risk.scenario.yaml")
    wanted = ("an attack ends when the territory is taken", "--no-script", "--dice", "ask")
    typed = [{"do": "answer", "typed": each} for each in ("1", "1", "1", "6")]
    told = _replies(run, [*typed, {"do": "faces"}], scenarios, *wanted)[-1]["faces"]["rows"]
    assert [row["says"] for row in told] == 5 * ["alaska loses 1 army"] + ["kamchatka loses 1 army"]


def test_an_answer_that_is_not_possible_changes_nothing(run: RunCommand) -> None:
    first, seven, nothing, gone, after = _duel(
        run, SEE, {"do": "answer", "typed": "7"}, {"do": "dance"}, {"do": "see", "line": 4}, SEE
    )
    assert seven == {"problem": "7 is not possible: a d6 shows 1 to 6"}
    assert nothing["problem"].startswith("`do` is one of see, answer")
    assert gone == {"problem": "there is no line 4 any more"}
    assert after == first


@pytest.mark.parametrize(("reach", "none"), [(4, False), (1, True)])
def test_none_is_offered_only_where_no_answer_is_known(run: RunCommand, reach: int, none: bool) -> None:
    Path("drop.rules").write_text(DROP.format(reach=reach), encoding="utf-8")
    minis = "{a: {owner: red, at: [0, 0], base: {round: 1}}, b: {owner: red, at: [4, 0], base: {round: 1}}}"
    Path("drop.yaml").write_text(f"players: [red]\nminis: {minis}\n", encoding="utf-8")
    (seen,) = _replies(run, [SEE], "drop.rules", "drop", "--state", "drop.yaml", "--with", "m=a", "--with", "foe=b")
    assert seen["moment"]["asks"]["none"] is none


def test_no_command_is_meant_where_none_can_be_typed(run: RunCommand) -> None:
    *_, typed = _duel(run, FIVE, {"do": "answer", "typed": "quti"})
    assert typed == {"problem": "quti is not possible: answer yes or no"}


def test_dice_are_thrown_for_those_who_would_type_them(run: RunCommand) -> None:
    thrown, again = _duel(run, {"do": "throw"}, {"do": "throw"})
    assert _story(thrown)[1].startswith("  red    blow 1d6: ")
    assert again["problem"] in {"this is a choice, not a roll", "no question is waiting for an answer from here"}


def test_what_if(run: RunCommand) -> None:
    """A second line of play leaves the first as it is, and both go on by themselves."""
    *_, fork, yes, first, undone, closed = _duel(
        run,
        FIVE,
        NO,
        {"do": "fork", "turn": 1},
        {"do": "answer", "typed": "1", "line": 1},
        {"do": "see", "line": 0},
        {"do": "undo", "line": 1},
        {"do": "close", "line": 1},
    )
    assert fork["moment"]["line"] == 1
    assert [(each["line"], each["of"], each["before"]) for each in fork["moment"]["lines"]] == [
        (0, None, ""),
        (1, 0, "blue: Parry? no"),
    ]
    assert fork["moment"]["asks"]["asked"] == "Parry?"
    assert "  blue: Parry? yes" in _story(yes)
    assert "  blue: Parry? no" in _story(first)
    assert undone["says"] == [[["", "taken back: blue: Parry? yes"]]]
    assert [each["line"] for each in closed["moment"]["lines"]] == [0]


def test_why_on_a_line_of_the_story(run: RunCommand) -> None:
    *_, ended, why = _duel(run, FIVE, NO, {"do": "why", "of": [8, "strike/2/take.target.health"]})
    of = next(each["of"] for each in ended["moment"]["story"] if "loses 2 health" in each["text"][0][1])
    (why,) = _duel(run, FIVE, NO, {"do": "why", "of": of})[2:]
    told = ["".join(text for _, text in line) for line in why["says"]]
    assert told[-1].strip() == "mordred loses 2 health: 2 → 0"
    assert any("Parry? no" in line for line in told)
    assert not any("3  Falls" in line for line in told)


def test_advice_stands_beside_the_answers_that_it_is_about(run: RunCommand) -> None:
    wanted = ("mordred.health", "mordred.helth", " ")
    *_, found, wrong, unsaid = _duel(run, FIVE, *({"do": "advise", "of": each} for each in wanted))
    assert [(each["typed"], each["shown"], each["worth"], each["best"]) for each in found["advice"]] == [
        ("1", "yes", "2", True),
        ("2", "no", "0", False),
    ]
    assert "advice" not in wrong
    assert wrong["says"][0][0][1].startswith("no advice: ")
    assert unsaid["problem"] == "say what is wanted the most of"


def test_advice_is_proposed_for_what_the_play_can_change(run: RunCommand) -> None:
    """Not for a number that no line sets, that another procedure alone sets, or for a measure of these."""
    rules = RULES.replace("  shield:", "  reach: 0..9 = 1\n  rank: 0..9 = 1\n  shield:") + (
        'procedure promote(knight: Knight) "Promoted":\n  step 1 "A rank":\n    add up to 1 to knight.rank\n'
        "game:\n  width: 0..9 = 3\nmeasure breadth: 2 * width\nmeasure hurt: sum(each k in knights: 9 - k.health)\n"
    )
    Path("duel.rules").write_text(rules, encoding="utf-8")
    (first,) = _duel(run, SEE)
    assert first["moment"]["worths"] == ["hurt", "gawain.health", "mordred.health"]


def test_a_play_is_recorded_as_a_scenario_that_passes(run: RunCommand) -> None:
    early, *_, said, again = _duel(
        run,
        {"do": "record", "file": "mine.scenario.yaml"},
        FIVE,
        NO,
        {"do": "record", "file": "mine.scenario.yaml"},
        {"do": "record", "file": "mine.scenario.yaml"},
    )
    assert early["problem"].startswith("only a play that is over can be recorded")
    assert said["file"] == "mine.scenario.yaml"
    assert again["problem"].startswith("`mine.scenario.yaml` is there already")
    assert run("test", "mine.scenario.yaml").exit == 0


def test_a_save_goes_on(run: RunCommand) -> None:
    *_, said = _duel(run, FIVE, {"do": "save", "file": "half.save.json"})
    assert said["file"] == "half.save.json"
    (on,) = _replies(run, [SEE], "--load", "half.save.json")
    assert on["moment"]["asks"]["asked"] == "Parry?"


@pytest.fixture
def bids(run: RunCommand) -> RunCommand:
    Path("bids.rules").write_text(SALES, encoding="utf-8")
    Path("bids.yaml").write_text(BIDS, encoding="utf-8")
    return run


SALE = ["bids.rules", "sale", "--state", "bids.yaml", "--with", "mine=a", "--with", "other=b"]


def test_what_a_seat_may_not_see_is_not_sent_to_it(bids: RunCommand) -> None:
    """Before and after a secret answer the other seat is sent the same, whatever was answered."""
    sent = []
    for typed in "12":
        red = {"do": "see", "seat": "red"}
        first, peeked, refused, _, after = _replies(
            bids,
            [
                red,
                {**red, "look": True},
                {"do": "answer", "typed": typed, "seat": "red"},
                {"do": "answer", "typed": typed, "seat": "blue"},
                red,
            ],
            *SALE,
        )
        assert first["moment"]["asks"] is None
        assert first["moment"]["waits"] == {"who": "blue", "asked": "High?", "covered": False, "chance": False}
        assert peeked == first
        assert refused == {"problem": "no question is waiting for an answer from here"}
        assert _story(after)[-1] == "  blue: High? (a secret)"
        sent.append(after)
    assert sent[0] == sent[1]


def test_a_secret_question_at_a_shared_table_is_shown_to_those_who_look(bids: RunCommand) -> None:
    advise = {"do": "advise", "of": "b.height"}
    asked = [SEE, {**SEE, "look": True}, advise, {**advise, "look": True}, {"do": "answer", "typed": "1"}]
    covered, looked, unlooked, advised, answered = _replies(bids, asked, *SALE)
    assert unlooked == {"problem": "no question is waiting for an answer from here"}
    assert advised["moment"]["asks"] == looked["moment"]["asks"]
    assert (covered["moment"]["asks"], covered["moment"]["waits"]["covered"]) == (None, True)
    assert [each["shown"] for each in looked["moment"]["asks"]["options"]] == ["yes", "no"]
    assert _story(answered)[-1] == "  blue: High? (a secret)"


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"do": "fork"}, "what would be shows how dice fall that nobody has seen"),
        ({"do": "save", "file": "x.json"}, "a save holds what is hidden"),
        ({"do": "record", "file": "x.scenario.yaml"}, "a scenario would show what is hidden"),
    ],
)
def test_what_would_show_a_seat_what_is_hidden_is_for_the_table(bids: RunCommand, asked: Asked, why: str) -> None:
    (refused,) = _replies(bids, [{**asked, "seat": "red"}], *SALE)
    assert refused == {"problem": f"this is for the table, not for a seat: {why}"}
    assert not Path("x.json").exists()


DECK = """\
ruleset pile "A pile" revision "1"
values Card: hold, attack
game:
  pile: deck of Card
procedure turn() "A turn":
  shuffle pile
  draw from pile as card
"""


def test_a_deck_with_equal_cards_is_put_in_order_by_the_numbers_of_its_cards(run: RunCommand) -> None:
    Path("pile.rules").write_text(DECK, encoding="utf-8")
    Path("pile.yaml").write_text("game: {pile: [attack, attack, hold]}\n", encoding="utf-8")
    order, twice, drawn = _replies(
        run,
        [
            {**SEE, "look": True},
            {"do": "answer", "typed": "2 2 1"},
            {"do": "answer", "typed": "3 1 2"},
        ],
        *("pile.rules", "turn", "--state", "pile.yaml", "--dice", "ask"),
    )
    assert order["moment"]["asks"]["takes"] == "order"
    assert twice == {"problem": "one of them is given twice"}
    assert _story(drawn)[-1] == "  draws card from pile: hold"


def test_a_play_that_cannot_begin_says_why_in_one_line(run: RunCommand) -> None:
    (said,) = _replies(run, [SEE], *START[:3], "nowhere.yaml")
    assert said["problem"].startswith("there is no file `nowhere.yaml`")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "{",
        '{"do": 3}',
        "[" * 3000,
        '{"do": "answer", "typed": "\\ud800"}',
        '{"do": "see", "line": true}',
        '{"do": "fork", "turn": "x"}',
        '{"do": "why", "of": [true, 3]}',
    ],
)
def test_a_line_that_is_no_request_is_told_and_ends_nothing(run: RunCommand, line: str) -> None:
    done = run("play", *START, "--dice", "ask", "--format", "json", typed=f"{line}\n{json.dumps(SEE)}\n")
    first, after = map(json.loads, done.out.splitlines())
    assert "problem" in first
    assert "fault of rulewright" not in first["problem"]
    assert after["moment"]["asks"]["who"] == "red"
    assert done.err == ""


def test_the_list_of_what_can_be_played(run: RunCommand) -> None:
    assert run("play", "duel.rules", "--list", "--state", "state.yaml").out.splitlines() == [
        "strike  A strike",
        "  --with striker=…  Knight: `gawain` or `mordred`",
        "  --with target=…  Knight: `gawain` or `mordred`",
    ]
    listed = json.loads(run("play", "duel.rules", "--list", "--format", "json").out)
    assert make_validator("play").is_valid(listed)
    assert listed["procedures"][0]["roles"][0] == {
        "name": "striker",
        "type": "Knight",
        "fits": [],
        "optional": False,
    }
    mel = json.loads(run("play", "mel", "--list", "--format", "json").out)
    assert make_validator("play").is_valid(mel)
    assert "a friend is no target" in mel["scenarios"][0]["refused"]
    assert mel["scenarios"][0]["procedures"]["a friend is no target"] in {each["name"] for each in mel["procedures"]}
    assert listed["varies"] == ["striker.health=0..5", "striker.shield", "target.health=0..5", "target.shield"]
    assert "attack_test={…: 2/3, …: 1/3}" in mel["externals"]
    assert "the active unit begins with step 10" not in mel["scenarios"][0]["refused"]


def test_of_a_state_or_a_scenario_is_listed_what_can_be_asked(run: RunCommand) -> None:
    Path("duel.rules").write_text(RULES + "measure left(k: Knight): k.health\n", encoding="utf-8")
    alone = json.loads(run("play", "duel.rules", "--list", "--format", "json").out)
    assert (alone["players"], alone["measures"][0]["asked"]) == ([], [])
    assert run("play", *START, "--record", "duel.scenario.yaml", typed="5\n2\n").exit == 0
    for start in (["duel.rules", "strike", "--state", "state.yaml"], ["duel.scenario.yaml"]):
        listed = json.loads(run("play", *start, "--list", "--format", "json").out)
        assert make_validator("play").is_valid(listed)
        assert listed["players"] == ["red", "blue"]
        assert listed["measures"][0]["asked"] == ["left(gawain)", "left(mordred)"]


def test_the_published_schema_takes_no_other_shape(run: RunCommand) -> None:
    (first,) = _duel(run, SEE)
    moment = first["moment"]
    others = (
        {**first, "more": 1},
        {"moment": {name: value for name, value in moment.items() if name != "asks"}},
        {"moment": {**moment, "line": "0"}},
        {"moment": {**moment, "story": ["struck"]}},
        {"moment": {**moment, "asks": {**moment["asks"], "takes": "all"}}},
        {},
    )
    assert not any(make_validator("play", "reply").is_valid(each) for each in others)
    requests: tuple[Asked, ...] = ({"do": "answer"}, {"do": "win"}, {"do": "fork", "turn": "1"}, {})
    assert not any(make_validator("play", "request").is_valid(each) for each in requests)


def test_places_say_what_the_moves_there_cost(run: RunCommand) -> None:
    """The least of all ways there; nothing where the choice is no move."""
    plays = str(get_resource_folder("starters") / "hex-combat" / "plays.scenario.yaml")
    first, marched = _replies(run, [SEE, {"do": "answer", "typed": "1"}], plays, "the battle", "--no-script")
    assert all("cost" not in spot for board in first["moment"]["boards"] for spot in board["spots"])
    spots = {spot["shown"]: spot.get("cost") for spot in marched["moment"]["boards"][0]["spots"] if not spot["refused"]}
    assert [spots[place] for place in ("(1, 1)", "(2, 1)", "(3, 1)", "(2, 2)", "(4, 2)")] == [0, 1, 3, 2, 4]


def test_a_base_that_is_placed_sees_what_the_rules_ask_about(run: RunCommand, tmp_path: Path) -> None:
    plays = str(get_resource_folder("starters") / "plane-skirmish" / "plays.scenario.yaml")
    asked = [{"do": "answer", "typed": "1"}, {"do": "sights", "typed": "6 7 100"}, {"do": "sights", "typed": "there"}]
    _, seen, wrong = _replies(run, asked, plays, "the skirmish", "--no-script")
    assert (seen["sights"]["reach"], seen["sights"]["arc"]) == (5, 90)
    told = {each["thing"]: (each["gap"], each["sees"], each["ahead"]) for each in seen["sights"]["seen"]}
    assert told == {"brute": (1.9, True, False), "sniper": (9.18, True, True), "guard": (8.79, True, True)}
    assert "problem" in wrong
    (tmp_path / "drop.rules").write_text(DROP.format(reach=3), encoding="utf-8")
    state = "players: [red]\nminis:\n  a: {owner: red, at: [3, 3], base: {round: 32}}\n  b: {owner: red, at: [5, 5], base: {round: 32}}\n"
    (tmp_path / "state.yaml").write_text(state, encoding="utf-8")
    begin = ("drop.rules", "drop", "--state", "state.yaml", "--with", "m=a", "--with", "foe=b")
    first, blind = _replies(run, [SEE, {"do": "sights", "typed": "5 3.74 0"}], *begin)
    assert first["moment"]["boards"][0]["plane"]["base"]["thing"] == "a"
    assert blind["sights"] == {"reach": 3, "arc": None, "seen": []}
