"""Odd names, places, numbers and input never bring a command down, nor anything else to harm."""

import os
import stat
from pathlib import Path

import pytest

from support.duel_example import START, RunCommand

LONG = "n" * 300


def test_a_pipe_is_written_into_and_stays_a_pipe(run: RunCommand) -> None:
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        done = run("run", *START, "--seed", "1", "--policy", "first", "--save", "pipe")
        written = os.read(reader, 100)
    finally:
        os.close(reader)
    assert (done.exit, done.err) == (0, "")
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)
    assert written.startswith(b'{\n "format": "rulewright save",')


@pytest.mark.parametrize("verb", ["check", "fmt"])
def test_a_named_pipe_is_not_waited_for(run: RunCommand, verb: str) -> None:
    os.mkfifo("pipe.rules")
    done = run(verb, "pipe.rules")
    assert done.exit == 2
    assert "error RW0019: `pipe.rules` is a named pipe, so it is not read: that could wait for ever\n" in (
        done.out + done.err
    )


def test_a_folder_of_very_many_files_is_not_read_through(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulewright.cli.ruleset_loading.MAX_WALKED_NAMES", 20)
    for number in range(30):
        Path("many", str(number)).mkdir(parents=True)
    done = run("check", "many")
    assert (done.exit, done.out) == (2, "")
    assert done.err == (
        "error RW0021: `many` holds more than 50,000 files and folders\n"
        "  help: name the folder that holds your rules, or the files\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new", LONG], f"error RW0011: `{LONG}` cannot be written: file name too long\n"),
        (["check", LONG], f"error RW0008: `{LONG}` is not a file, a folder or a shipped ruleset\n"),
        (["fmt", LONG], f"error RW0001: there is no file `{LONG}`\n"),
    ],
)
def test_a_name_too_long_for_a_file(run: RunCommand, arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.exit == 2
    assert (done.out + done.err).startswith(message)


def test_a_ruleset_needs_a_name(run: RunCommand) -> None:
    done = run("new", "")
    assert (done.exit, done.err.splitlines()[0]) == (2, "error RW0783: `NAME` is empty")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--seed", "abc"], "`--seed` is `abc`; it must be a whole number from 0 to 9223372036854775807"),
        (["--seed", "-1"], "`--seed` is `-1`; it must be a whole number from 0 to 9223372036854775807"),
        (["--seed", ""], "`--seed` is ``; it must be a whole number from 0 to 9223372036854775807"),
        (
            ["--seed", "9" * 6000],
            f"`--seed` is `{'9' * 40}…`; it must be a whole number from 0 to 9223372036854775807",
        ),
        (["--max-steps", "0"], "`--max-steps` is `0`; it must be a whole number from 1"),
        (["--seed"], "`--seed` needs a value"),
        (["more", "words"], "there is no place for `more words`"),
    ],
)
def test_what_does_not_fit_the_command_line(run: RunCommand, option: list[str], message: str) -> None:
    done = run("run", *START, *option)
    assert (done.exit, done.err.splitlines()[0][len("error RW0783: ") :]) == (2, message)


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["test", "-k", ""], "-k"),
        (["test", "--step="], "--step"),
        (["cover", "--who", ""], "--who"),
        (["cover", "--html", ""], "--html"),
        (["mutate", "--operators", "", "--list"], "--operators"),
        (["diff", "--git", ""], "--git"),
        (["diff", "duel.rules", "duel.rules", "--games", ""], "--games"),
        (["check", "duel.rules", "--overlay", ""], "--overlay"),
    ],
)
def test_an_option_is_not_given_empty(run: RunCommand, arguments: list[str], option: str) -> None:
    done = run(*arguments)
    told = f"error RW0783: `{option}` is empty\n  help: leave it out, or write its value\n"
    assert (done.exit, done.out, done.err) == (2, "", told)


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", *START, "--save"],
        ["run", *START, "--record"],
        ["play", *START, "--save"],
        ["test", "--junit"],
        ["cover", "--html"],
        ["mutate", "--resume"],
        ["diff", "duel.rules", "duel.rules", "--html"],
        ["diff", "duel.rules", "duel.rules", "--write-scenario"],
    ],
)
@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("nowhere", "no such file or directory\n  help: make the folder `nowhere` first"),
        ("duel.rules", "not a directory"),
    ],
)
def test_what_cannot_be_written_is_said_before_the_work(
    run: RunCommand, arguments: list[str], place: str, reason: str
) -> None:
    before = sorted(Path().iterdir())
    file = f"{place}/a.scenario.yaml"
    done = run(*arguments, file)
    assert (done.exit, done.out, done.err) == (2, "", f"error RW0011: `{file}` cannot be written: {reason}\n")
    assert sorted(Path().iterdir()) == before


def test_a_folder_is_not_written_over(run: RunCommand) -> None:
    Path("reports").mkdir()
    done = run("test", "--junit", "reports")
    assert (done.exit, done.err) == (
        2,
        "error RW0011: `reports` cannot be written: is a directory\n  help: name a file in it\n",
    )


def test_a_limit_of_an_input_leaves_the_answer_unknown(run: RunCommand) -> None:
    Path("deep.yaml").write_text("[" * 100, encoding="utf-8")
    done = run("run", "duel.rules", "strike", "--state", "deep.yaml")
    assert done.exit == 3
    assert done.err.startswith("error RW0702: lists and mappings are nested more than 64 deep\n")


def test_a_huge_text_is_not_laid_out(run: RunCommand) -> None:
    path = Path("huge.rules")
    path.write_text("#" * 8_000_001, encoding="utf-8")
    assert run("fmt", "huge.rules").exit == 3
    assert path.stat().st_size == 8_000_001


def test_a_huge_number_is_no_number_of_the_list(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed=f"5\n{'9' * 5000}\n٢\n2\n")
    assert done.exit == 0
    assert "this number has more than 100 digits" in done.out
    assert "٢ is not possible: answer yes or no" in done.out


def test_what_was_typed_is_shown_without_its_control_characters(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed="\x1b[31m\n")
    assert "> <U+001B>[31m\n" in done.out
    assert "\x1b" not in done.out


def test_the_folder_may_be_gone(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("gone").mkdir()
    monkeypatch.chdir("gone")
    Path("../gone").rmdir()
    assert run("check", "mel").exit == 0
    assert run("check", ".").exit == 2


def test_a_misspelt_role_is_one_finding(run: RunCommand) -> None:
    done = run("run", *START[:-1], "targt=mordred")
    assert (done.exit, done.err) == (2, "error RW0723: `strike` has no role `targt`\n  help: did you mean `target`?\n")


def test_one_call_is_one_deep(run: RunCommand) -> None:
    assert run("run", *START, "--seed", "1", "--policy", "first", "--max-depth", "1").exit == 0


@pytest.mark.parametrize("verb", ["run", "play", "test", "cover", "mutate"])
def test_a_ruleset_may_hold_nothing(run: RunCommand, verb: str) -> None:
    Path("empty.rules").write_text('ruleset empty "Nothing yet" revision "1"\n', encoding="utf-8")
    said = "ruleset: empty.rules\nprocedure: strike\nstate: {players: [red]}\nscenarios: {a: {expect: {changes: {}}}}\n"
    Path("empty.scenario.yaml").write_text(said, encoding="utf-8")
    done = run(verb, "empty.scenario.yaml")
    assert done.exit == 2
    assert ("RW1060" if verb == "mutate" else "error RW0726: `empty` has no procedure `strike`") in done.out + done.err


@pytest.mark.parametrize("part", ["sides", "cells"])
def test_a_board_may_have_nothing_to_set(run: RunCommand, part: str) -> None:
    rules = 'ruleset bare "Bare" revision "1"\nkind Pawn, pawns:\n  owner: player\n  at: square\n'
    rules += 'board field of square\nprocedure stay(p: Pawn) "Stay":\n  nothing\n'
    state = "players: [red]\npawns: {ada: {owner: red, at: [0, 0]}}\nfield: {shape: {columns: 2, rows: 2}, "
    place = "0,0 1,0" if part == "sides" else "0,0"
    Path("bare.rules").write_text(rules, encoding="utf-8")
    Path("bare.yaml").write_text(f'{state}{part}: {{"{place}": {{fence: yes}}}}}}\n', encoding="utf-8")
    done = run("run", "bare.rules", "stay", "--state", "bare.yaml", "--with", "p=ada")
    assert (done.exit, done.err.splitlines()[0].partition(": ")[0]) == (2, "error RW0710")
    assert done.err.splitlines()[-1] == "  help: there are none"
