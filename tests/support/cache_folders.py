"""What is kept between runs, as tests want it: a cache folder of one's own that has only what every process needs."""

import shutil
from pathlib import Path

from platformdirs import user_cache_path

from rulewright.base.source import Text
from rulewright.syntax.parser import parse_rules_text


def make_cache_with_tables(folder: Path) -> Path:
    """A cache folder, new, with the tables of the grammar: making them anew takes a process longer than its work."""
    parse_rules_text(Text("a.rules", ""))
    tables = user_cache_path("rulewright") / "tables"
    if tables.is_dir():
        shutil.copytree(tables, folder / "rulewright" / "tables")
        folder.joinpath("rulewright").chmod(0o700)
    return folder
