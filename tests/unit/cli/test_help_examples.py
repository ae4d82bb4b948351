"""The example in the help of every verb runs: in an empty folder, or after `new skirmish` where it says so."""

import re
import shlex
from contextlib import chdir
from importlib import import_module
from pathlib import Path

import pytest

from rulewright.base.files import get_resource_folder
from rulewright.cli.main import VERB_DESCRIPTIONS, run_command_line

SHOWS = {
    "cover": "steps",
    "draw": "flowchart",
    "find": "Unit.health",
    "odds": "mordred.health",
    "rename": "buckler",
    "simulate": "100 plays",
    "trace": "MEL",
    "why": "mordred.health: 0",
}
SLOW = frozenset({"diff", "mutate"})
PEOPLE = frozenset({"play"})
EDITORS = frozenset({"lsp", "studio"})


AFTER = ", after `rulewright new skirmish`"


def example(verb: str) -> tuple[list[str], bool]:
    """The words after `rulewright` of the one example in the help of a verb, and whether it wants the new folder."""
    told = " ".join(import_module(f"rulewright.cli.{verb}").command.help.split())
    found = re.findall(rf"Example({AFTER})?: `rulewright ([^`]+)`\.", told)
    assert len(found) == 1, f"{verb} has {len(found)} examples"
    (after, command), *_ = found
    assert command.split()[0] == verb
    return shlex.split(command), bool(after)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An empty folder, and one in which the example of `new` was called."""
    empty, made = tmp_path_factory.mktemp("empty"), tmp_path_factory.mktemp("examples")
    with chdir(made):
        assert run_command_line(example("new")[0]) == 0
    return empty, made


@pytest.mark.parametrize("verb", [each for each in VERB_DESCRIPTIONS if each not in {"new", *SLOW, *PEOPLE, *EDITORS}])
def test_the_example_of_a_verb_runs(verb: str, folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    words, after = example(verb)
    with chdir(folders[after]):
        code = run_command_line(words)
    done = capsys.readouterr()
    assert code == 0, done.out + done.err
    assert SHOWS.get(verb, "") in done.out


@pytest.mark.parametrize("verb", sorted(SLOW | PEOPLE))
def test_the_example_of_a_long_verb_is_understood(verb: str, folders: tuple[Path, Path]) -> None:
    words, after = example(verb)
    with chdir(folders[after]):
        assert import_module(f"rulewright.cli.{verb}").command.make_context(verb, words[1:])
        shipped = {each.name for each in get_resource_folder("rulesets").iterdir()}
        assert all(Path(each).exists() or each in shipped for each in words[1:3] if each != "falls")
