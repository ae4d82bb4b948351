"""A small ruleset in two files with an overlay, a clause list and scenarios, for tests of what editors ask."""

from pathlib import Path

from support.language_cases import split_blocks

_PAGE = (Path(__file__).parents[1] / "unit/editor/raid.md").read_text(encoding="utf-8")
FILES = {block["name"]: block["content"] for block in split_blocks(_PAGE, "rules", "yaml")}
PLACE, PARTS, OVERLAY, LIST, SUITE = FILES
MAIN, THINGS, HEAVY, CLAUSES, SCENARIOS = FILES.values()
