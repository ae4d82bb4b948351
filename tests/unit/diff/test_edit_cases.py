"""Every case of `edit_cases/*.md`: an edit of the rules at the top of its file, and what is said of it."""

import re
from pathlib import Path

import pytest

from rulewright.diff.comparison import compare_rulesets
from rulewright.diff.edit_report import render_edits
from rulewright.diff.edits import RenameEdit, is_rule_edit
from support.reference.ruleset_texts import load_text
from support.text_edits import edit_text

CASES = sorted((Path(__file__).parent / "edit_cases").glob("*.md"))
_CASE = re.compile(
    r"^## (?P<name>.*?)\n\n```edit\n(?P<edit>.*?)```\n(?:\n```result\n(?P<result>.*?)```\n)?", re.MULTILINE | re.DOTALL
)


def told(old: str, new: str) -> str:
    """What is said: rules marked `!`, names `~`, all else without a mark; then the verdict or what plays must tell."""
    found = compare_rulesets(load_text(old), load_text(new))
    edits = {each.number: each for each in render_edits(found, found.word_edits())}
    lines = [
        f"{'!' if is_rule_edit(edit) else '~' if isinstance(edit, RenameEdit) else ' '} {edits[number]}"
        for number, edit in enumerate(found.edits)
    ]
    left = dict.fromkeys(f"{each.sort} {each.name}" for each in (*found.unproved.old, *found.unproved.new))
    return "\n".join([*lines, f"= {found.static_verdict or 'plays: ' + ', '.join(left)}"]) + "\n"


def cases() -> list[object]:
    return [
        pytest.param(path, found["name"], id=f"{path.stem}: {found['name']}")
        for path in CASES
        for found in _CASE.finditer(path.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(("path", "name"), cases())
def test_edit(path: Path, name: str, request: pytest.FixtureRequest) -> None:
    whole = path.read_text(encoding="utf-8")
    base = whole.partition("```rules\n")[2].partition("```")[0]
    case = next(each for each in _CASE.finditer(whole) if each["name"] == name)
    result = told(base, edit_text(base, case["edit"]))
    if request.config.getoption("--accept"):
        written = f"## {name}\n\n```edit\n{case['edit']}```\n\n```result\n{result}```\n"
        path.write_text(whole.replace(case[0], written), encoding="utf-8")
    else:
        assert result == case["result"]
