"""A small ruleset with a clause list and scenarios, for tests of coverage: the first of the page of coverage."""

from pathlib import Path

from support.language_cases import split_blocks

_PAGE = (Path(__file__).parents[1] / "unit/scenarios/pages/coverage.md").read_text(encoding="utf-8")
FILES = {block["name"]: block["content"] for block in [*split_blocks(_PAGE, "rules", "yaml")][:3]}
