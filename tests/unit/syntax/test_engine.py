"""What ships beside the code is found, and reads."""

from rulewright.base.files import get_resource_folder
from rulewright.syntax.engine import ParseTree, ParsingEngine


def test_the_shipped_grammar_reads() -> None:
    assert isinstance(ParsingEngine().parse_tree("game:\n  a: flag\n"), ParseTree)


def test_shipped_files_are_found() -> None:
    assert (get_resource_folder("grammar") / "rules.lark").is_file()
    assert (get_resource_folder("rulesets") / "mel" / "mel.rules").is_file()
