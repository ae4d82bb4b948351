"""Plain scalars as the YAML 1.2 core schema reads them: `no`, `on` and `12:30` are texts, `0101` is a number."""

import re
from fractions import Fraction

from rulewright.inputs.nodes import Plain

LONGEST_NUMBER = 100
_WHOLE = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE](?P<exponent>[-+]?[0-9]+))?")
_NOTHING = {"", "~", "null", "Null", "NULL"}
_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


def resolve(written: str) -> Plain:
    """The value of an unquoted scalar.

    Decimals are exact, whole where they can be (`1.0` is 1). What YAML calls infinite or not a number stays text.

    Raises:
        OverflowError: a number with more than `LONGEST_NUMBER` digits.
    """
    if written in _NOTHING:
        return None
    if written in _FLAGS:
        return _FLAGS[written]
    if not (written[0] in "+-." or "0" <= written[0] <= "9"):
        return written
    return _number(written)


def _number(written: str) -> Plain:
    for pattern, base in ((_WHOLE, 10), (_OCTAL, 8), (_HEX, 16)):
        if pattern.fullmatch(written):
            _check_length(written)
            return int(written if base == 10 else written[2:], base)  # noqa: PLR2004
    decimal = _DECIMAL.fullmatch(written)
    if not decimal:
        return written
    _check_length(written)
    if abs(int(decimal["exponent"] or 0)) > LONGEST_NUMBER:
        raise OverflowError
    exact = Fraction(written)
    return exact.numerator if exact.denominator == 1 else exact


def _check_length(written: str) -> None:
    if len(written) > LONGEST_NUMBER:
        raise OverflowError
