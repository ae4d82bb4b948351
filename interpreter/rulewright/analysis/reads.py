"""What an expression reads."""

from collections.abc import Mapping

from rulewright.program.declarations import Function
from rulewright.program.expressions import Expression


def reads(expression: Expression, functions: Mapping[str, Function] | None = None) -> frozenset[str]:
    """Everything whose change can change the value.

    Given as `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, names of relations, `local/<index>`,
    `dice`, or `*` for anything of the game: so of external terms and of functions not in `functions`.
    """
    raise NotImplementedError
