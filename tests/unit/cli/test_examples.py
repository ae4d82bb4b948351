"""The example in the help of every verb runs, in a folder with what `new skirmish` makes."""

import re
import shlex
from contextlib import chdir
from importlib import import_module
from pathlib import Path

import pytest

from rulewright.cli.main import VERBS, execute

SHOWS = {
    "cover": "steps",
    "draw": "flowchart",
    "find": "Knight.shield",
    "odds": "mordred.health",
    "rename": "buckler",
    "simulate": "100 plays",
    "trace": "names no document",
    "why": "mordred.health: 0",
}
SLOW = frozenset({"diff", "mutate"})
PEOPLE = frozenset({"play"})
EDITORS = frozenset({"lsp", "studio"})


def example(verb: str) -> list[str]:
    """The words after `rulewright` of the one example in the help of a verb."""
    told = " ".join(import_module(f"rulewright.cli.{verb}").command.help.split())
    found = re.findall(r"Example: `rulewright ([^`]+)`\.", told)
    assert len(found) == 1, f"{verb} has {len(found)} examples"
    assert found[0].split()[0] == verb
    return shlex.split(found[0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("examples")
    with chdir(made):
        assert execute(example("new")) == 0
    return made


@pytest.mark.parametrize("verb", [each for each in VERBS if each not in {"new", *SLOW, *PEOPLE, *EDITORS}])
def test_the_example_of_a_verb_runs(verb: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chdir(folder):
        code = execute(example(verb))
    done = capsys.readouterr()
    assert code == 0, done.out + done.err
    assert SHOWS.get(verb, "") in done.out


@pytest.mark.parametrize("verb", sorted(SLOW | PEOPLE))
def test_the_example_of_a_long_verb_is_understood(verb: str, folder: Path) -> None:
    words = example(verb)
    with chdir(folder):
        assert import_module(f"rulewright.cli.{verb}").command.make_context(verb, words[1:])
        assert Path(words[-1]).exists() or Path(words[1]).exists()
