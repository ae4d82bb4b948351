"""Every option that names a file to be written: it replaces nothing of another sort, and says what it cannot write."""

from importlib import import_module
from pathlib import Path

import click
import pytest

from rulewright.cli.main import VERB_DESCRIPTIONS
from support.duel_example import RULES, START, STATE, RunCommand

RANDOM = [*START, "--of", "mordred.health"]
SCENARIO = """\
ruleset: duel.rules
state: state.yaml
procedure: strike
with: {striker: gawain, target: mordred}
scenarios:
  a miss: {script: [1], expect: {changes: {}}}
"""
SCENARIOS = ".scenario.yaml"
OUTPUTS: dict[tuple[str, str], tuple[list[str], tuple[str, ...]]] = {
    ("run", "--save"): (["run", *START, "--seed", "1", "--policy", "first"], ("",)),
    ("run", "--record"): (["run", *START, "--seed", "1", "--policy", "first"], (SCENARIOS,)),
    ("play", "--save"): (["play", *START, "--seed", "1"], ("",)),
    ("play", "--record"): (["play", *START, "--seed", "1"], (SCENARIOS,)),
    ("odds", "--picture"): (["odds", *RANDOM], (".svg", ".png", ".html")),
    ("odds", "--record"): (["odds", *RANDOM], (SCENARIOS,)),
    ("simulate", "--picture"): (["simulate", *RANDOM, "--policy", "first"], (".svg", ".png", ".html")),
    ("simulate", "--resume"): (["simulate", *RANDOM, "--policy", "first", "--runs", "5"], ("",)),
    ("simulate", "--parquet"): (["simulate", *RANDOM, "--policy", "first", "--runs", "5"], (".parquet",)),
    ("share", "--to"): (["share", "duel.rules"], (".html",)),
    ("test", "--junit"): (["test", "a.scenario.yaml"], ("",)),
    ("cover", "--html"): (["cover", "a.scenario.yaml"], ("",)),
    ("mutate", "--resume"): (["mutate", "a.scenario.yaml", "--sample", "1"], ("",)),
    ("diff", "--write-scenario"): (["diff", "duel.rules", "new.rules"], (SCENARIOS,)),
    ("diff", "--html"): (["diff", "duel.rules", "new.rules"], ("",)),
    ("diff", "--log"): (["diff", "duel.rules", "new.rules"], ("",)),
    ("read", "--html"): (["read", "duel.rules"], ("",)),
    ("read", "--write"): (["read", "duel.rules"], ("",)),
    ("draw", "--write"): (["draw", "duel.rules"], ("", "--as mermaid", "--as dot", "--places")),
}
"""The options that name what is written: a command that would write it, and how its name must end; or more options."""
READ = {
    "--allow",
    "--as",
    "--at",
    "--back",
    "--check",
    "--cover",
    "--example",
    "--games",
    "--load",
    "--prose",
    "--script",
    "--state",
}
"""Options that name what is read; so do all that name overlays."""
CONTENTS = {
    "rules": RULES,
    "state": STATE,
    "scenario": SCENARIO,
    "script": "- 3\n- parry\n",
    "notes": "# Notes\nWhat was decided at the table.\n",
    "data": '{"players": ["red"]}\n',
}


def _names_a_file(option: click.Parameter) -> bool:
    return isinstance(option, click.Option) and (option.metavar or "").startswith(("FILE", "DIR", "FOLDER", "PATH"))


def test_every_option_that_names_a_file_is_known_to_read_or_to_write_it() -> None:
    unknown = []
    for verb in VERB_DESCRIPTIONS:
        command = import_module(f"rulewright.cli.{verb}").command
        for option in command.get_params(click.Context(command)):
            name = max(option.opts, key=len)
            if _names_a_file(option) and "=" not in option.metavar and not name.endswith("overlay"):
                unknown += [(verb, name)] if name not in READ and (verb, name) not in OUTPUTS else []
    assert not unknown


def _commands() -> list[object]:
    found = []
    for (verb, option), (command, endings) in OUTPUTS.items():
        for ending in endings:
            more = ending.split() if ending.startswith("-") else []
            name = f"kept{'' if more else ending}"
            found.append(pytest.param([*command, *more, option], name, id=f"{verb} {option} {ending}".strip()))
    return found


@pytest.fixture
def folder(run: RunCommand, tmp_path: Path) -> RunCommand:
    (tmp_path / "a.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "new.rules").write_text(RULES.replace("up to 2", "up to 3"), encoding="utf-8")
    return run


@pytest.mark.parametrize(("command", "name"), _commands())
def test_what_is_of_another_sort_is_not_replaced(
    command: list[str], name: str, folder: RunCommand, tmp_path: Path
) -> None:
    for sort, content in CONTENTS.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        before = sorted(tmp_path.iterdir())
        done = folder(*command, name, typed="quit\n")
        assert (tmp_path / name).read_text(encoding="utf-8") == content, sort
        assert (done.exit, done.err[:8]) == (2, "error RW"), (sort, done)
        assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("command", "name"), _commands())
def test_what_cannot_be_written_is_said(command: list[str], name: str, folder: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "folder" / name).mkdir(parents=True)
    for place in (f"folder/{name}", f"missing/{name}"):
        before = sorted(tmp_path.rglob("*"))
        done = folder(*command, place, typed="quit\n")
        assert (done.exit, done.err[:8]) == (2, "error RW"), (place, done)
        assert "Traceback" not in done.err
        assert sorted(tmp_path.rglob("*")) == before
    if name == "kept" and Path("/dev/full").exists() and "--resume" not in command:
        done = folder(*command, "/dev/full", typed="1\nquit\n")
        assert "error RW0011: `/dev/full` cannot be written: no space left on device" in done.err, done
