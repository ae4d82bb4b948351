"""A small ruleset with scenarios, for tests of mutants: the first of their page."""

from pathlib import Path

from support.language_cases import split_blocks

PAGE = Path(__file__).parents[1] / "unit/diff/judged.md"
RULES, SCENARIOS, *_ = (block["content"] for block in split_blocks(PAGE.read_text(encoding="utf-8"), "rules", "yaml"))
