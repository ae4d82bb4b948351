"""Functions of many rows are written row by row, however many there are."""

import pytest

from rulewright.runtime.executable import compile_program
from support.reference.ruleset_texts import load_text

_ROWS = 600
_TABLE = "\n".join(f"  {row} | {row % 7}" for row in range(1, _ROWS + 1))
_DECIDE = "\n".join(f"  row_{row}: {row % 7} when s = {row}" for row in range(1, _ROWS))
_RULES = f"""\
ruleset many "Many" revision "1" edition 2
kind Unit, units "A unit":
  size: 1..{_ROWS} = 1
table hit(s: 1..{_ROWS}) gives 0..6:
{_TABLE}
decide pick(s: 1..{_ROWS}) gives 0..6:
{_DECIDE}
  others: 0 otherwise
procedure main(u: Unit):
  set u.size to hit(u.size) + pick(u.size) + 1
"""


@pytest.mark.parametrize("traced", [False, True])
def test_a_table_and_a_decision_of_hundreds_of_rows_are_compiled(*, traced: bool) -> None:
    program = load_text(_RULES).program
    assert program is not None
    assert compile_program(program, traced=traced).code.source.count(f"== {_ROWS - 1})") == 2
