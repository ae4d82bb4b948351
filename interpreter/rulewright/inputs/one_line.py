"""JSON data in one line, as people write YAML."""

import json
import re

from rulewright.inputs.nodes import Json
from rulewright.inputs.scalars import resolve
from rulewright.inputs.value_reader import FLAGS


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
