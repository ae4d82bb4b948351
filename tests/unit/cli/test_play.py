import shutil
from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line
from support.duel_example import START, RunCommand


def test_a_closed_input_is_an_ended_one(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    run("check", "duel.rules")
    monkeypatch.setattr("sys.stdin", None)
    assert run_command_line(["play", *START, "--dice", "ask"]) == 2


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
