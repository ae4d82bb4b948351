"""What ships beside the code is found, and reads."""

from rulewright.resources import folder
from rulewright.syntax.engine import Engine, Reading


def test_the_shipped_grammar_reads() -> None:
    assert isinstance(Engine().read("game:\n  a: flag\n"), Reading)


def test_shipped_files_are_found() -> None:
    assert (folder("grammar") / "rules.lark").is_file()
    assert (folder("rulesets") / "mel" / "mel.rules").is_file()
