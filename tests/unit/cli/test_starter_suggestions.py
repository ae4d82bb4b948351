"""What the README of a starter suggests to change is tried on a page of cases."""

import re
from pathlib import Path

from rulewright.base.files import get_resource_folder

PAGE = Path(__file__).parents[2] / "cases/starter_suggestions.md"


def test_each_change_that_a_readme_suggests_is_tried() -> None:
    readmes = [each / "README.md" for each in get_resource_folder("starters").iterdir()]
    suggested = [line for each in readmes for line in re.findall(r"^- (.*)$", each.read_text("utf-8"), re.MULTILINE)]
    tried = re.findall(r"^## (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(suggested) == len(tried)
    assert [line for line in suggested if not line.startswith(tuple(tried))] == []
