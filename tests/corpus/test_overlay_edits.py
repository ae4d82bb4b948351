"""Edits of overlays that scenarios notice: comparing the folders, `diff` never calls them alike."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rulewright.base.files import get_resource_folder
from rulewright.cli.main import run_command_line
from support.sample_sizes import sample_cases
from support.yaml_data import read_yaml

EDITS: list[dict[str, str]] = read_yaml(Path(__file__).parent / "overlay_edits.yaml")


def edited(edit: dict[str, str], place: Path) -> Path:
    """A copy of the ruleset of an edit, with it."""
    ruleset, file = edit["overlay"].split("/")
    copy = place / ruleset
    shutil.copytree(Path(get_resource_folder("rulesets")) / ruleset, copy)
    text = (copy / file).read_text(encoding="utf-8")
    assert edit["was"] in text
    (copy / file).write_text(text.replace(edit["was"], edit["now"], 1), encoding="utf-8")
    return copy


def test_there_are_many_of_several_rulesets() -> None:
    assert len(EDITS) >= 25
    assert len({each["overlay"] for each in EDITS}) >= 10


def compared(copy: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, Any]]:
    """How comparing a ruleset with its copy ended, and what it said."""
    old = str(Path(get_resource_folder("rulesets")) / copy.name)
    ended = run_command_line(
        ("diff", old, str(copy), "--work", "20000", "--workers", "1", "--format", "json", *options)
    )
    return int(ended), json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "edit",
    [pytest.param(each, id=f"{each['overlay']}: {each['was'].strip()}") for each in sample_cases(EDITS, 16)],
)
def test_an_edit_of_an_overlay_is_a_change(
    edit: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended, document = compared(edited(edit, tmp_path), capsys)
    assert (ended, document["verdict"]["word"]) == (1, "changed")
    assert edit["overlay"].split("/")[1] in document["verdict"]["how"]
    assert any(edit["ends_otherwise"] in each["name"] for each in document["scenarios"]["differing"])


def test_a_copy_is_identical(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(Path(get_resource_folder("rulesets")) / "mel", tmp_path / "mel")
    ended, document = compared(tmp_path / "mel", capsys, "--strict")
    assert (ended, document["verdict"]["word"]) == (0, "identical")
