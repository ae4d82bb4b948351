import json
import shutil
from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line
from support.duel_example import START, RunCommand


def test_a_play_from_a_pipe(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed="5\n2\n")
    assert (done.exit, done.err) == (0, "")
    assert done.out.splitlines() == [
        "1  Roll to hit",
        "red: rolls blow:",
        "  roll 1d6 and type the faces",
        "> 5",
        "  red    blow 1d6: 5",
        "2  The wound",
        "blue: Parry?",
        "  1  yes",
        "  2  no",
        "> 2",
        "  mordred loses 2 health: 2 → 0",
        "3  Falls",
        "  mordred is out of play",
        "strike ended",
        "  mordred.health: 2 → 0",
        "  mordred is out of play",
    ]


def test_unknown_input_is_answered_helpfully(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed="7\nuno\nquti\n\n5\nperhaps\n3\ny\n")
    assert done.exit == 0
    assert "7 is not possible: a d6 shows 1 to 6" in done.out
    assert "did you mean the command `quit`?" in done.out
    assert "please answer, or type `help`" in done.out
    assert "perhaps is not possible: answer yes or no" in done.out
    assert "3 is not possible: answer 1 or 2" in done.out


@pytest.mark.parametrize(
    ("word", "command"),
    [
        ("brave", ""),
        ("slate", "state"),
        ("sav", "save"),
        ("yse", ""),
        ("exit", "quit"),
        ("Q", "quit"),
        ("back", "undo"),
    ],
)
def test_a_command_is_meant_only_where_what_is_typed_is_near(run: RunCommand, word: str, command: str) -> None:
    done = run("play", *START, "--dice", "ask", typed=f"5\n{word}\n")
    hints = [line for line in done.out.splitlines() if "did you mean the command" in line]
    assert hints == ([f"  did you mean the command `{command}`?"] if command else [])


def test_a_question_mark_is_help(run: RunCommand) -> None:
    helped, asked = (run("play", *START, "--dice", "ask", typed=f"{word}\nquit\n") for word in ("help", "?"))
    assert asked.out.replace("> ?\n", "> help\n") == helped.out


def test_the_end_of_input_says_what_was_asked(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed="5\n")
    assert done.exit == 2
    assert done.out.endswith("the input ended while blue was asked: Parry?\n")


def test_quitting_is_fine(run: RunCommand) -> None:
    assert run("play", *START, "--dice", "ask", typed="quit\n").exit == 0


def test_undo_keeps_the_dice_that_were_seen(run: RunCommand) -> None:
    Path("two.rules").write_text(
        'ruleset two "Two" revision "1"\n'
        "kind Knight, knights:\n  owner: player\n  health: 0..9\n"
        'procedure test(k: Knight) "Test":\n'
        '  ask k.owner whether brave "Brave?"\n'
        "  roll 3d6 as luck by k.owner\n"
        '  ask k.owner whether sure "Sure?"\n'
        "  if brave or sure or total(luck) > 3:\n    set k.health to 1\n",
        encoding="utf-8",
    )
    Path("one.yaml").write_text("players: [red]\nknights: {gawain: {owner: red, health: 5}}\n", encoding="utf-8")
    done = run(
        "play",
        "two.rules",
        "test",
        "--state",
        "one.yaml",
        "--with",
        "k=gawain",
        typed="y\ny\nundo\n"[:2] + "undo\nn\ny\n",
    )
    lines = done.out.splitlines()
    rolls = [line for line in lines if "luck 3d6" in line]
    assert len(rolls) == 2
    assert rolls[0] == rolls[1].replace(" (seen before)", "")
    assert "  taken back: red: Brave? yes" in lines
    assert "  dice and draws that were already seen are kept: they fall the same when they come again" in lines


def test_undo_with_nothing_to_take_back(run: RunCommand) -> None:
    assert (
        "  there is no answer to take back"
        in run("play", *START, "--dice", "ask", typed="undo\nquit\n").out.splitlines()
    )


def test_why_and_state_and_help(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed="5\nwhy\nstate\nhelp\nquit\n")
    lines = done.out.splitlines()
    assert lines.count("  goes on, because the die is 5, not less than 4") == 1
    assert "  mordred: owner blue, health 2, shield yes" in lines
    assert any(line.startswith("  undo ") for line in lines)


def test_the_log_is_the_story_so_far(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed="5\nlog\nhistory\n/log\nhelp\n2\n")
    lines = done.out.splitlines()
    story = ["1  Roll to hit", "  red    blow 1d6: 5 (typed)", "2  The wound"]
    for word in ("log", "history", "/log"):
        at = lines.index(f"> {word}")
        assert [each for each in lines[at + 1 : at + 5] if "skipped" not in each][:3] == story
    assert any(line.startswith("  log ") for line in lines)


def test_a_session_goes_on_from_a_save(run: RunCommand) -> None:
    begun = run("play", *START, "--dice", "ask", "--save", "a.json", typed="5\nsave b.json\nquit\n")
    assert begun.exit == 0
    assert json.loads(Path("a.json").read_text(encoding="utf-8"))["answers"] == [
        {"at": "strike/1/blow", "by": "red", "answer": [5], "source": "person"}
    ]
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    done = run("play", *START, "--load", "a.json", typed="n\n")
    assert done.exit == 0
    assert "strike ended" in done.out.splitlines()


def test_answers_are_written_as_a_script(run: RunCommand) -> None:
    run("play", *START, "--dice", "ask", typed="5\nn\n")
    run("play", *START, "--dice", "ask", typed="5\nscript s.yaml\nquit\n")
    assert Path("s.yaml").read_text(encoding="utf-8") == '- {answer: [5], at: "strike/1/blow", by: "red"}\n'
    assert run("run", *START, "--script", "s.yaml", "--policy", "first").exit == 0


def test_a_script_begins_a_play(run: RunCommand) -> None:
    Path("s.yaml").write_text("[[5]]", encoding="utf-8")
    done = run("play", *START, "--script", "s.yaml", typed="n\n")
    assert done.exit == 0
    assert "  red    blow 1d6: 5" in done.out.splitlines()


def test_a_script_that_does_not_fit_is_put_aside(run: RunCommand) -> None:
    Path("s.yaml").write_text("[[9]]", encoding="utf-8")
    done = run("play", *START, "--script", "s.yaml", "--dice", "ask", typed="5\nn\n")
    assert done.exit == 0
    assert done.err.startswith("error RW0730: ")
    assert "  the script is put aside; please answer" in done.out.splitlines()


def test_a_file_that_cannot_be_written_ends_nothing(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed="save\nsave nowhere/a.json\n5\nn\n")
    assert done.exit == 0
    assert "  name a file, such as `save play.json`" in done.out.splitlines()
    assert done.err.startswith("error RW0011: `nowhere/a.json` cannot be written")


def test_nothing_but_its_own_is_written_over(run: RunCommand) -> None:
    rules = Path("duel.rules").read_bytes()
    typed = "5\nsave duel.rules\nscript duel.rules\nscript s.yaml\nscript s.yaml\nsave s.yaml\nquit\n"
    done = run("play", *START, "--dice", "ask", typed=typed)
    assert [line for line in done.err.splitlines() if line.startswith("error")] == [
        "error RW0013: `duel.rules` holds something else and is not overwritten",
        "error RW0013: `duel.rules` holds something else and is not overwritten",
        "error RW0013: `s.yaml` holds something else and is not overwritten",
    ]
    assert done.out.splitlines().count("  answers written to s.yaml") == 2
    assert Path("duel.rules").read_bytes() == rules
    assert run("play", *START, "--save", "duel.rules", typed="").err.startswith("error RW0013")


def test_a_closed_input_is_an_ended_one(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    run("check", "duel.rules")
    monkeypatch.setattr("sys.stdin", None)
    assert run_command_line(["play", *START, "--dice", "ask"]) == 2


def test_a_mistyped_die_is_taken_back_until_something_is_answered(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed="6\nundo\n5\nno\n")
    assert done.exit == 0
    assert "  taken back: red: rolls blow: 6" in done.out
    assert done.out.splitlines()[-2:] == ["  mordred.health: 2 → 0", "  mordred is out of play"]


ASKED = {
    "a_flag": (["maybe", "3"], ["maybe", "1"]),
    "a_number": (["9", "x"], ["9", "x", "[1]"]),
    "a_word": (["happy"], ["happy", "3"]),
    "one": (["a", "c", "z"], ["a", "c", "z"]),
    "a_hex": (["1 -1", "(1, 0)", "9"], ["[1, -1]", "[9, 9]"]),
    "several": (["a", "x", "1 1", "c"], ["[a]", "x", "[b, b]", "[]", "[9]"]),
    "shares": (["a=3", "b=2", "x", "1 1"], ["{a: 3}", "{b: 2}", "{x: 3}", "x"]),
    "an_order": (["a, b", "b", "1"], ["[a, b]", "[b]", "[b, b]", "x"]),
    "a_way": (["9", "x"], ["9"]),
    "an_option": (["march", "1", "run"], ["march", "run"]),
    "a_bid": (["9", "x"], ["9"]),
    "dice": (["7 1", "1", "x y"], ["[7, 1]", "[1]", "7"]),
    "ground": (["x", "cover: 9", "cover: 1"], ["x", "{cover: 9}", "{cover: 1}"]),
    "window": (["x", "1 1"], ["x", "[brace]"]),
}
"""By procedure of `question_types.rules`: what nobody can answer at a table, and in a script."""


@pytest.mark.parametrize("procedure", ASKED)
def test_a_wrong_answer_names_no_address(procedure: str, run: RunCommand) -> None:
    shutil.copy(Path(__file__).with_name("question_types.rules"), "question_types.rules")
    shutil.copy(Path(__file__).with_name("question_types.yaml"), "question_types.yaml")
    roles = [] if procedure == "a_bid" else ["--with", "u=a"]
    start = ["question_types.rules", procedure, "--state", "question_types.yaml", *roles]
    dice = ["--dice", "ask"] if procedure == "dice" else []
    at_table, in_script = ASKED[procedure]
    done = run("play", *start, *dice, typed="\n".join([*at_table, "quit", ""]))
    assert done.exit == 0
    assert f"{procedure}/" not in done.out
    assert "`" not in "".join(
        line for line in done.out.splitlines() if "not possible: answer" in line and "…" not in line
    )
    for answer in in_script:
        Path("script.yaml").write_text(f"- {answer}\n", encoding="utf-8")
        done = run("run", *start, "--script", "script.yaml", "--trace", "none")
        message, *_ = done.err.splitlines()
        assert (done.exit, f"{procedure}/" in message) == (2, False), message
        assert f"  in: {procedure}/" in done.err


@pytest.mark.parametrize(
    ("procedure", "typed", "said"),
    [
        ("a_number", "9", ["9 is not possible: answer 1, 2 or 3"]),
        ("one", "a", ["a is not possible: not an enemy", "answer b or d"]),
        ("one", "c", ["c is not possible: c's health is 1, less than 2", "answer b or d"]),
        ("a_hex", "1 -1", ["(1, -1) is not possible: the hex is blocked", "answer (-1, 1) or (0, -1)"]),
        ("shares", "a=3", ["a cannot have a share: not an enemy", "share among b and d"]),
        ("an_option", "1", ["March is not possible: a's health is 3, less than 8"]),
        ("a_way", "9", ["9 is not possible: answer 0 to 5"]),
    ],
)
def test_a_wrong_answer_says_what_is_possible(procedure: str, typed: str, said: list[str], run: RunCommand) -> None:
    shutil.copy(Path(__file__).with_name("question_types.rules"), "question_types.rules")
    shutil.copy(Path(__file__).with_name("question_types.yaml"), "question_types.yaml")
    done = run(
        "play",
        "question_types.rules",
        procedure,
        "--state",
        "question_types.yaml",
        "--with",
        "u=a",
        typed=f"{typed}\nquit\n",
    )
    lines = done.out.splitlines()
    at = lines.index(f"> {typed}")
    assert lines[at + 1 : at + 1 + len(said)] == [f"  {each}" for each in said]


EXTERNALS = """\
ruleset omens "Omens" revision "1"
values Mood: calm, angry
record Blow:
  hits: 0..6
  lost: 0..3
kind Unit, units:
  owner: player
  health: 0..9
  mood: Mood = calm
game:
  rounds: 0..9 = 0
external procedure omen(u: Unit) changes Unit.mood, game.rounds "An omen"
external procedure test(u: Unit) gives 0..3 "A test"
external procedure clash(u: Unit) gives Blow "A clash"
procedure fight(u: Unit) "A fight":
  perform omen(u)
  perform test(u) as found
  perform clash(u) as blow
  if found > blow.hits:
    take up to 1 from u.health
"""
OMENS = """\
players: [red]
units: {hammer: {owner: red, health: 5}, anvil: {owner: red, health: 3}}
game: {rounds: 1}
"""


def test_externals_say_what_they_take_and_what_was_taken(run: RunCommand) -> None:
    Path("omens.rules").write_text(EXTERNALS, encoding="utf-8")
    Path("omens.yaml").write_text(OMENS, encoding="utf-8")
    typed = [
        "changes: {units: {anvil: {health: 2}}}",
        "changes: {units: {anvil: {mood: odd}}}",
        "changes: {units: {anvil: {mood: angry}}, game: {rounds: 4}}",
        "7",
        "2",
        "1 9",
        "result: {hits: 9, lost: 1}",
        "result: {hits: 1, lost: 1}",
    ]
    start = ["omens.rules", "fight", "--state", "omens.yaml", "--with", "u=hammer"]
    done = run("play", *start, typed="".join(f"{each}\n" for each in typed))
    assert (done.exit, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:3] == [
        "the table: An omen:",
        "  omen (u hammer); answer `done`",
        (
            "  it may change `Unit.mood` (`calm` or `angry`), `rounds` (0 to 9); "
            "add `changes: {units: {hammer: {mood: …}}}`"
        ),
    ]
    at = [lines.index(f"> {each}") for each in typed]
    assert lines[at[0] + 1 : at[1]] == [
        "  this external may not change `health` of `anvil`",
        "  it may change `Unit.mood` or `rounds`",
    ]
    assert "`calm` or `angry`" in lines[at[1] + 1]
    assert lines[at[2] + 1 : at[3]] == [
        "  anvil.mood: calm → angry",
        "  rounds: 1 → 4",
        "the table: A test:",
        "  test (u hammer); answer `result: …`",
        "  `result` is 0 to 3",
    ]
    assert lines[at[3] + 1].endswith("is 7; it must be from 0 to 3")
    assert lines[at[4] + 1 : at[5]] == [
        "the table: A clash:",
        "  clash (u hammer); answer `result: {hits: …, lost: …}`",
        "  `hits` is 0 to 6, `lost` is 0 to 3",
    ]
    assert "  `hits` is 0 to 6, `lost` is 0 to 3" in lines[at[5] + 1 : at[6]]
    assert "it must be from 0 to 6" in lines[at[6] + 1]
    assert "fight ended" in lines


DICE = """\
ruleset dice "Dice" revision "1"
procedure strike(p: player) gives 1..6 "Strike":
  roll 3d6 as hand by p
  roll 2d6 as guard by p
  ask p for blow in {each d in hand} "Strike with which?"
  ask p to pick 0..2 of each d in hand as again "Roll which again?"
  ask p to pick 0..2 of each d in {each d in hand} + {each d in guard} as kept "Keep which?"
  finish with blow.natural
"""


def test_dice_are_called_as_the_list_calls_them(run: RunCommand) -> None:
    Path("dice.rules").write_text(DICE, encoding="utf-8")
    Path("state.yaml").write_text("players: [red]\n", encoding="utf-8")
    typed = "4 5 4\n1 4\nhand 5\nhand 6\nhand 4, hand 5\nhand 4 #1, hand 4 #2\nguard 4, hand 4 #2\n"
    done = run("play", "dice.rules", "strike", "--state", "state.yaml", "--with", "p=red", "--dice", "ask", typed=typed)
    assert done.exit == 0
    assert "  1  hand 4 #1\n  2  hand 5\n  3  hand 4 #2\n" in done.out
    assert "  hand 6 is not possible: pick from hand 4 #1, hand 5 and hand 4 #2\n" in done.out
    assert "  hand 4 is not possible: pick from hand 4 #1, hand 5 and hand 4 #2\n" in done.out
    assert done.out.endswith("strike ended: 5\n")
