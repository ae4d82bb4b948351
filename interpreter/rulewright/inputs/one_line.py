"""JSON data in one line, as people write YAML; plain scalars as the YAML 1.2 core schema reads them."""

import json
import re
from fractions import Fraction

from rulewright.inputs.nodes import Json, Plain

LONGEST_NUMBER = 100
FLAGS = {"yes": True, "no": False, "true": True, "false": False}
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


def one_line(data: Json) -> str:
    """JSON data in one line as people write it: `yes`, and texts without quotes where they need none."""
    match data:
        case bool():
            return "yes" if data else "no"
        case str() if _is_plain(data):
            return data
        case list():
            return f"[{', '.join(map(one_line, data))}]"
        case dict():
            return f"{{{', '.join(f'{one_line(key)}: {one_line(value)}' for key, value in data.items())}}}"
        case _:
            return json_text(data)


def json_text(data: Json, *, indent: int | None = None) -> str:
    """JSON text that is read again as it is: what may not stand in a text is written as an escape."""
    return _NOT_AS_IT_IS.sub(_escape, json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent))


_NOT_AS_IT_IS = re.compile("[\x7f-\xa0\xad\ud800-\udfff\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]")


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _is_plain(text: str) -> bool:
    """Whether a text is itself without quotes, also in brackets."""
    return len(text) <= _LONGEST and bool(_PLAIN.fullmatch(text)) and text not in _QUOTED and resolve(text) == text


_LONGEST = 100
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./'-]*(?: [A-Za-z0-9_./'-]+)*")
_QUOTED = {*FLAGS, "True", "TRUE", "False", "FALSE", "null", "Null", "NULL"}
