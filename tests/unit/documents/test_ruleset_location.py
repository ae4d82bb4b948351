from pathlib import Path

from rulewright.base.files import DiskFiles
from rulewright.documents.ruleset_location import RulesetLocation, locate_ruleset


def test_the_disk_is_read_as_files_in_memory_are(tmp_path: Path) -> None:
    (tmp_path / "one.rules").write_text('ruleset one "Title" revision "1"\n', encoding="utf-8")
    assert locate_ruleset(str(tmp_path), DiskFiles()) == RulesetLocation(f"{tmp_path}/one.rules")


def test_shipped_rulesets_are_found_on_disk() -> None:
    found = locate_ruleset("mel", DiskFiles())
    assert found.main is not None
    assert found.main.endswith("rulesets/mel/mel.rules")
