"""What `git diff`, `git show`, `git log` and `git difftool` say through rulewright."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import rulewright
from rulewright.cli.main import run_command_line
from support.broken_pipe import run_unread_command
from support.git_repository import GitRepository

COMMAND = shlex.join(
    ["env", f"PYTHONPATH={Path(rulewright.__file__).parents[1]}", sys.executable, "-m", "rulewright", "diff"]
)
RULES = """\
ruleset duel "A duel" revision "1"
kind Knight, knights "A knight":
  owner: player
  health: 0..9
procedure strike(target: Knight) "A strike":
  step 1 "The blow" when target.health > 0:
    take up to 1 from target.health
"""
DUEL = """\
OLD a/duel.rules  duel "A duel" revision 1
NEW b/duel.rules  duel "A duel" revision 1

unknown (plays were not compared): no difference was found in play, and none is excluded
  text       changed
  structure  changed  edits of rules: 1 changed
  meaning    unknown  not proved alike: procedure strike
  behaviour  unknown

Rules:
  strike 1 "The blow": The target loses 1 health, as far as possible → The target loses 2 health, as far as possible

"""
SAME = """\
OLD a/moved.rules  joust "A duel" revision 1
NEW b/moved.rules  joust "A duel" revision 1

identical: both say the same, word for word
  text       identical
  structure  identical
  meaning    identical
  behaviour  identical

"""
NO_TEXT = """\
error RW1104: OLD, `a/bare.rules`, cannot be compared: it cannot be read
error RW0004: `bare.rules` is not UTF-8; it looks like UTF-16
  help: save it as UTF-8
bare.rules: no text, so it is not shown

"""
BROKEN = """\
error RW1104: NEW, `b/duel.rules`, cannot be compared: it has errors
error RW0306: `Knight` has no attribute `heath`
  --> duel.rules:7:30
    take up to 1 from target.heath
  in: strike/1
  help: did you mean `health`?
duel.rules
     5   procedure strike(target: Knight) "A strike":
     6     step 1 "The blow" when target.health > 0:
     7 -     take up to 1 from target.health
     7 +     take up to 1 from target.heath

"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """A game of two rulesets and something that is no text, as the branch `main`; we are in its folder."""
    monkeypatch.chdir(tmp_path)
    Path("duel.rules").write_text(RULES, encoding="utf-8")
    Path("joust.rules").write_text(RULES.replace("duel", "joust", 1), encoding="utf-8")
    Path("gone.rules").write_text(RULES.replace("duel", "gone", 1), encoding="utf-8")
    Path("bare.rules").write_bytes(b"\x00\x01")
    made = GitRepository(tmp_path)
    made.commit()
    return made


@pytest.fixture
def driven(repository: GitRepository) -> GitRepository:
    """The same with rulewright as the diff driver."""
    Path(".gitattributes").write_text("*.rules diff=rulewright\n", encoding="utf-8")
    repository.commit()
    repository.git("config", "diff.rulewright.command", f"{COMMAND} --driver")
    return repository


def _edit() -> None:
    Path("duel.rules").write_text(RULES.replace("up to 1", "up to 2"), encoding="utf-8")
    Path("joust.rules").rename("moved.rules")
    Path("gone.rules").unlink()
    Path("new.rules").write_text(RULES.replace("duel", "new", 1), encoding="utf-8")
    Path("bare.rules").write_bytes(b"\x00\x02")


ALL = f"{NO_TEXT}{DUEL}gone.rules: removed\n\n{SAME}new.rules: added\n\n"


def test_edited_renamed_new_and_removed_files_and_what_is_no_text(driven: GitRepository) -> None:
    _edit()
    driven.git("add", "-A")
    assert driven.git("diff", "--cached", "-M100%") == ALL


@pytest.mark.parametrize(
    "command", [pytest.param(("show", "--ext-diff"), marks=pytest.mark.long), ("log", "-p", "-1", "--ext-diff")]
)
def test_a_revision_that_is_shown(driven: GitRepository, command: tuple[str, ...]) -> None:
    _edit()
    driven.commit()
    assert driven.git(*command, "--format=", "-M100%") == ALL


def test_a_file_with_errors_is_shown_line_by_line(driven: GitRepository) -> None:
    Path("duel.rules").write_text(RULES.replace("from target.health", "from target.heath"), encoding="utf-8")
    assert driven.git("diff") == BROKEN


def test_a_reader_who_leaves_is_no_trouble_for_git(driven: GitRepository) -> None:
    del driven
    given = ["duel.rules", "gone.rules", "0", "100644", "joust.rules", "0", "100644"]
    assert run_unread_command([*shlex.split(COMMAND), "--driver", *given]) == (0, "")


def _with_tool(repository: GitRepository) -> None:
    tool = f'{COMMAND} --workers 1 --as "$MERGED" "$LOCAL" "$REMOTE"'
    repository.git("config", "difftool.rulewright.cmd", tool)


def test_the_tool_of_git_plays(repository: GitRepository) -> None:
    _with_tool(repository)
    _edit()
    told = repository.git("difftool", "-y", "-t", "rulewright", "--", "duel.rules")
    assert told.splitlines()[:3] == [
        "A duel   a/duel.rules (revision 1) → b/duel.rules (revision 1)",
        "PLAY CHANGED  1 rule differs",
        " *  a play shows it   (1 witness, seed 0)",
    ]


def test_the_tool_of_git_says_what_came_and_went(repository: GitRepository) -> None:
    _with_tool(repository)
    _edit()
    repository.git("add", "-A")
    options = ("--cached", "--no-renames", "-y", "-t", "rulewright")
    told = repository.git("difftool", *options, "--", "gone.rules", "new.rules")
    assert told == "gone.rules: removed\nnew.rules: added\n"


def test_the_tool_of_git_ends_as_the_comparison_where_its_exit_is_trusted(repository: GitRepository) -> None:
    _with_tool(repository)
    _edit()
    trusting = ("difftool", "--trust-exit-code", "-y", "-t", "rulewright", "--")
    with pytest.raises(subprocess.CalledProcessError):
        repository.git(*trusting, "duel.rules")
    Path("duel.rules").write_text(RULES.replace("A strike", "A blow"), encoding="utf-8")
    assert "\nPLAY THE SAME  cosmetic: " in repository.git(*trusting, "duel.rules")


def test_what_was_renamed_since_is_named_as_it_was_then(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.git("mv", "duel.rules", "melee.rules")
    Path("house").mkdir()
    repository.git("mv", "joust.rules", "house/joust.rules")

    def said(*arguments: str) -> list[str]:
        assert run_command_line(("diff", "--work", "0", *arguments)) == 2
        return capsys.readouterr().err.splitlines()

    assert said("--git", "main", "melee.rules") == [
        "error RW1103: `main` has no file or folder `melee.rules`",
        "  help: it was `duel.rules` then: `rulewright diff main:duel.rules melee.rules`",
    ]
    monkeypatch.chdir("house")
    assert said("--git", "main", "joust.rules")[1] == (
        "  help: it was `../joust.rules` then: `rulewright diff main:../joust.rules joust.rules`"
    )
    assert said("--git", "main")[0] == "error RW1103: `main` has no file or folder `.`"
    assert run_command_line(("diff", "--work", "0", "main:../joust.rules", "joust.rules")) == 0
