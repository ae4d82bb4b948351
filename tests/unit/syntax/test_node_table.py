"""The table from rules of the grammar to nodes knows every rule that a tree may hold, and no other."""

from rulewright.syntax.engine import load_parser
from rulewright.syntax.node_table import NODE_TABLE

_ABOVE = {"start", "broken"}
"""The whole text, and lines with mistakes, which stand in no tree that is built."""


def test_the_table_has_a_row_for_each_rule_of_the_grammar() -> None:
    written = {
        str(each.alias or each.origin.name)
        for each in load_parser().rules
        if each.alias or not (each.options.expand1 or each.origin.name.startswith("_"))
    }
    assert set(NODE_TABLE) == written - _ABOVE
